"""The fields of an operator: tensors and attributes, declared once with what each feature level allows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from anydml.core.datatype import DataType
from anydml.core.levels import FeatureLevel
from anydml.core.naming import pascal
from anydml.core.schema.attributes import Array, AttributeType

Allowed = TypeVar("Allowed")


@dataclass(frozen=True)
class Ladder(Generic[Allowed]):
    """What is allowed from each feature level on, lowest first: each step replaces the one below it."""

    steps: tuple[tuple[FeatureLevel, Allowed], ...]

    @classmethod
    def parse(cls, steps: Mapping[str, Allowed]) -> Ladder[Allowed]:
        """A ladder from `{"1.0": ..., "3.0": ...}`."""
        return cls(tuple(sorted(((FeatureLevel.parse(key), value) for key, value in steps.items()), key=_level)))

    def at(self, level: FeatureLevel) -> Allowed | None:
        """The last step that the level reaches."""
        found = None
        for step, allowed in self.steps:
            if step > level:
                break
            found = allowed
        return found

    def first(self, allows: Callable[[Allowed], bool]) -> str | None:
        """The lowest level with a step that allows something, as text."""
        return next((step.text for step, allowed in self.steps if allows(allowed)), None)


def _level(step: tuple[FeatureLevel, Any]) -> FeatureLevel:
    return step[0]


TypeLadder = Ladder[frozenset[DataType]]
RankLadder = Ladder[tuple[int, int]]
TypeSteps = Mapping[str, frozenset[DataType]]
RankSteps = Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class When:
    """Ladders that depend on an attribute: the members named in each key share one."""

    attribute: str
    ladders: Mapping[str, TypeLadder]

    def choose(self, member: str) -> TypeLadder:
        return next(ladder for names, ladder in self.ladders.items() if member in names.split())


def when(attribute: str, ladders: Mapping[str, TypeSteps]) -> When:
    """Data types that depend on an enumeration: `when("function", {"MIN MAX": {"1.0": ...}, ...})`."""
    return When(attribute, {names: Ladder.parse(steps) for names, steps in ladders.items()})


@dataclass(frozen=True)
class TensorField:
    """An input or output tensor, or a list of them, with the types and ranks each level allows."""

    role: str
    types: TypeLadder | When
    rank: RankLadder | None
    optional: bool
    optional_since: FeatureLevel | None
    length: str | None
    inferred_type: DataType | None
    name: str = ""

    @property
    def is_input(self) -> bool:
        return self.role == "input"

    @property
    def is_list(self) -> bool:
        return self.length is not None

    @property
    def dml_name(self) -> str:
        return pascal(self.name)

    @property
    def type_name(self) -> str:
        return "TENSOR_ARRAY" if self.is_list else "TENSOR"


@dataclass(frozen=True)
class AttributeField:
    """A number, list, choice or nested description."""

    type: AttributeType
    optional: bool
    length: str | None
    default: Any
    """What Python users get who leave it out; model files have to say it."""
    dimensions: tuple[str, int] | None
    """For lists with a value for each dimension of a tensor, leaving out the first few: (tensor, how many)."""
    name: str = ""

    @property
    def dml_name(self) -> str:
        return pascal(self.name)

    @property
    def type_name(self) -> str:
        return self.type.type_name


Field = TensorField | AttributeField


@dataclass(frozen=True)
class CountField:
    """A count of DirectML's structure: the length of the lists that follow it."""

    dml_name: str
    counted: tuple[str, ...]


def _types(types: TypeSteps | When) -> TypeLadder | When:
    return types if isinstance(types, When) else Ladder.parse(types)


def _ranks(rank: RankSteps | None) -> RankLadder | None:
    return None if rank is None else Ladder.parse(rank)


def tensor_input(
    types: TypeSteps | When,
    *,
    rank: RankSteps | None = None,
    optional: bool = False,
    optional_since: str | None = None,
) -> Any:
    """An input tensor; `optional_since` names the level from which it may be left out."""
    since = None if optional_since is None else FeatureLevel.parse(optional_since)
    return TensorField("input", _types(types), _ranks(rank), optional or since is not None, since, None, None)


def tensor_output(
    types: TypeSteps | When,
    *,
    rank: RankSteps | None = None,
    optional: bool = False,
    inferred_type: DataType | None = None,
) -> Any:
    """An output tensor; `inferred_type` is its type where no input decides it and nobody describes it."""
    return TensorField("output", _types(types), _ranks(rank), optional, None, None, inferred_type)


def tensor_inputs(types: TypeSteps, *, length: str, rank: RankSteps | None = None) -> Any:
    """A list of input tensors, counted by the field `length` names."""
    return TensorField("input", _types(types), _ranks(rank), False, None, length, None)


def tensor_outputs(types: TypeSteps, *, length: str, rank: RankSteps | None = None) -> Any:
    """A list of output tensors."""
    return TensorField("output", _types(types), _ranks(rank), False, None, length, None)


def attribute(
    attribute_type: AttributeType, *, optional: bool = False, length: str | None = None, default: Any = None
) -> Any:
    """Anything that is no tensor; a list names the field that counts it."""
    return AttributeField(attribute_type, optional, length, default, None)


def per_dimension(
    tensor: str,
    attribute_type: AttributeType,
    *,
    skip: int = 0,
    length: str = "DimensionCount",
    optional: bool = False,
    default: Any = None,
) -> Any:
    """A list with one value for each dimension of a tensor, or for each but the first `skip` (2: the spatial ones).

    A `default` is one value, for every dimension.
    """
    return AttributeField(Array(attribute_type), optional, length, default, (tensor, skip))


@dataclass(frozen=True)
class Same:
    """Tensors that agree in some properties: DataType, DimensionCount, Sizes."""

    tensors: tuple[str, ...]
    properties: tuple[str, ...]


def same(tensors: str, properties: str) -> Same:
    return Same(tuple(tensors.split()), tuple(properties.split()))


def aliases(inputs: str, output: str) -> tuple[tuple[str, str], ...]:
    """Pairs of tensors that may share one buffer: each of these inputs with the output."""
    return tuple((name, output) for name in inputs.split())
