"""Operator: one class is the description's fields, its support by feature level, its rules and its meaning.

From that one declaration come reading (Python and JSON), validation, binding points, inference of outputs,
reference pages and tests of the support tables. A class lists its fields in DirectML's order; the counts that
DirectML's structures carry (DimensionCount and the like) are lengths of lists here and need no field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from inspect import Parameter, Signature
from itertools import islice, takewhile
from typing import Any, ClassVar

from anydml.core.attributes import Kind
from anydml.core.datatype import DataType
from anydml.core.errors import (
    MOST_VIOLATIONS,
    DmlError,
    InvalidDescriptionError,
    Violation,
    counted,
    raise_if_any,
    shortened,
    shown,
)
from anydml.core.integers import NOT_A_LIST, read_integer
from anydml.core.levels import HIGHEST_LEVEL, FeatureLevel
from anydml.core.naming import pascal, snake, suggest, upper
from anydml.core.reading import read_tensor
from anydml.core.rules import rule
from anydml.core.tensor import TensorDesc

_X = "dml.TensorDesc('FLOAT32', [4])"
MISSING = rule(
    "field.missing", "Every field that is not optional is given.", "dml.ActivationElu(input_tensor=" + _X + ")"
)
UNKNOWN = rule("field.unknown", "Every name is a field of the operator.", f"dml.ActivationRelu(input={_X})")
TWICE = rule("field.twice", "A field is given once.", f"dml.ActivationRelu(input_tensor={_X}, InputTensor={_X})")
COUNT = rule(
    "field.count",
    "A count equals the length of the lists it counts.",
    f"dml.Slice1(input_tensor={_X}, dimension_count=4, input_window_offsets=[0], input_window_sizes=[4], "
    "input_window_strides=[1])",
)
INFER = rule(
    "output.infer",
    "An output that is left out can be told from the inputs.",
    "dml.FillValueConstant(value_data_type='FLOAT32', value=0)",
)
FUSED_TENSORS = rule(
    "activation.tensors",
    "A fused activation has no tensors of its own.",
    f"dml.ActivationRelu.fused(input_tensor={_X})",
)

TypeLadder = Mapping[str, frozenset[DataType]]
RankLadder = Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class When:
    """Ladders that depend on an attribute: the members named in each key share one."""

    attribute: str
    ladders: Mapping[str, TypeLadder]

    def choose(self, member: str) -> TypeLadder:
        return next(ladder for names, ladder in self.ladders.items() if member in names.split())


@dataclass(frozen=True)
class TensorField:
    """An input or output tensor, or a list of them, with the types and ranks each level allows."""

    role: str
    types: TypeLadder | When
    rank: RankLadder | None
    optional: bool
    optional_since: str | None
    length: str | None
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

    kind: Kind
    optional: bool
    length: str | None
    name: str = ""

    @property
    def dml_name(self) -> str:
        return pascal(self.name)

    @property
    def type_name(self) -> str:
        return self.kind.type_name


Field = TensorField | AttributeField


def tensor_input(
    types: TypeLadder | When,
    *,
    rank: RankLadder | None = None,
    optional: bool = False,
    optional_since: str | None = None,
) -> Any:
    """An input tensor; `optional_since` names the level from which it may be left out."""
    return TensorField("input", types, rank, optional or optional_since is not None, optional_since, None)


def tensor_output(types: TypeLadder | When, *, rank: RankLadder | None = None, optional: bool = False) -> Any:
    """An output tensor."""
    return TensorField("output", types, rank, optional, None, None)


def tensor_inputs(types: TypeLadder, *, length: str) -> Any:
    """A list of input tensors, counted by the field `length` names."""
    return TensorField("input", types, None, False, None, length)


def tensor_outputs(types: TypeLadder, *, length: str) -> Any:
    """A list of output tensors."""
    return TensorField("output", types, None, False, None, length)


def attribute(kind: Kind, *, optional: bool = False, length: str | None = None) -> Any:
    """Anything that is no tensor; a list names the field that counts it."""
    return AttributeField(kind, optional, length)


@dataclass(frozen=True)
class Same:
    """Tensors that agree in some properties: DataType, DimensionCount, Sizes."""

    tensors: tuple[str, ...]
    properties: tuple[str, ...]


def same(tensors: str, properties: str) -> Same:
    return Same(tuple(tensors.split()), tuple(properties.split()))


@dataclass(frozen=True)
class BindingPoint:
    """One buffer an operator reads or writes: `input_tensors[1]`, `output_tensor`."""

    name: str
    field: TensorField
    tensor: TensorDesc | None

    @property
    def dml_name(self) -> str:
        bare, bracket, rest = self.name.partition("[")
        return pascal(bare) + bracket + rest


OPERATORS: dict[str, type[Operator]] = {}
"""Every operator class, by its DirectML type without prefix."""


class Operator:
    """A frozen, validated-on-demand operator description. Subclasses declare; this class reads and answers."""

    fields: ClassVar[dict[str, Field]] = {}
    counts: ClassVar[dict[str, tuple[str, ...]]] = {}
    dml_type: ClassVar[str] = ""
    dml_id: ClassVar[int] = 0
    since: ClassVar[FeatureLevel] = FeatureLevel.LEVEL_1_0
    rank: ClassVar[RankLadder] = {}
    same: ClassVar[tuple[Same, ...]] = ()
    in_place: ClassVar[bool] = False
    fusable: ClassVar[bool] = False
    """Whether it can be fused at all; into which hosts, `Activation.also` may narrow."""
    fuses_anywhere: ClassVar[bool] = True
    owned_inputs: ClassVar[bool] = True
    """Whether inputs may carry OWNED_BY_DML."""
    only_moves: ClassVar[bool] = False
    """Whether elements keep their bits: no type is widened for it, even where it is no list of moves."""
    partial_outputs: ClassVar[bool] = False
    """Whether outputs may be smaller than inferred (`check` then says how small)."""

    def __init_subclass__(cls, since: str = "", id: int = 0, name: str = "", abstract: bool = False) -> None:
        super().__init_subclass__()
        own = {key: value for key, value in vars(cls).items() if isinstance(value, TensorField | AttributeField)}
        for key in own:
            delattr(cls, key)
        cls.fields = cls.fields | {key: replace(value, name=key) for key, value in own.items()}
        counts: dict[str, tuple[str, ...]] = {}
        for field in cls.fields.values():
            if field.length:
                counts[field.length] = (*counts.get(field.length, ()), field.name)
        cls.counts = counts
        if abstract:
            return
        cls.dml_type, cls.dml_id, cls.since = name or upper(cls.__name__), id, FeatureLevel.parse(since)
        parameters = [Parameter(key, Parameter.KEYWORD_ONLY) for key in cls.fields]
        cls.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        OPERATORS[cls.dml_type] = cls

    def __init__(self, /, **values: Any) -> None:
        self._read(values, fused=False)

    @classmethod
    def fused(cls, /, **values: Any) -> Operator:
        """This activation as part of another operator: attributes alone, no tensors."""
        operator = cls.__new__(cls)
        operator._read(values, fused=True)
        return operator

    @property
    def is_fused(self) -> bool:
        return all(getattr(self, name) is None for name, f in self.fields.items() if isinstance(f, TensorField))

    # Reading

    def _read(self, values: Mapping[str, Any], fused: bool) -> None:
        violations: list[Violation] = []
        given = _by_field_name(type(self), values, violations)
        read: dict[str, Any] = {}
        for name, field in self.fields.items():
            if isinstance(field, TensorField) and fused:
                read[name] = None
                if given.get(name) is not None:
                    violations.append(FUSED_TENSORS(field.dml_name, "a tensor", "none", f"leaving {name} out"))
            else:
                read[name] = _read_field(field, given.get(name), violations, read)
        violations += _check_counts(type(self), given, read)
        missing = [name for name in self.fields if read[name] is None and not fused and self._is_missing_output(name)]
        raise_if_any(violations, subject=type(self).__name__)
        for name, value in read.items():
            object.__setattr__(self, name, value)
        for name in missing:
            object.__setattr__(self, name, self._fill(name))

    def _is_missing_output(self, name: str) -> bool:
        field = self.fields[name]
        return isinstance(field, TensorField) and not field.is_input and not field.optional

    def _fill(self, name: str) -> Any:
        """An output nobody described: packed, with the sizes and type that follow from the rest."""
        raise_if_any(self.own_violations(HIGHEST_LEVEL, trusting=False), subject=type(self).__name__)
        try:
            sizes, types = self.infer(), self.infer_types()
            return TensorDesc(types[name], sizes[name])
        except DmlError as error:
            raise type(error)(error.violations, f"{type(self).__name__}.{name}") from error
        except (LookupError, ArithmeticError, ValueError, TypeError, AttributeError) as error:
            fix = f"giving {name}"
            violation = INFER(pascal(name), "no description", "one, since it cannot be inferred here", fix)
            raise InvalidDescriptionError(violation, type(self).__name__) from error

    # Values

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; make a new one with other fields")

    def values(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.fields}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.values() == other.values()

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.values().values())))

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.values().items() if value is not None)
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.values())

    # Questions

    @classmethod
    def tensor_fields(cls) -> Iterator[TensorField]:
        return (field for field in cls.fields.values() if isinstance(field, TensorField))

    def points(self, role: str) -> list[BindingPoint]:
        """The binding points of a role in DirectML's order, lists spread out, absent ones included."""
        points = []
        for field in self.tensor_fields():
            if field.role != role:
                continue
            value = getattr(self, field.name)
            if field.is_list:
                points += [BindingPoint(f"{field.name}[{i}]", field, tensor) for i, tensor in enumerate(value or ())]
            else:
                points.append(BindingPoint(field.name, field, value))
        return points

    def all_points(self) -> list[BindingPoint]:
        return self.points("input") + self.points("output")

    def tensor(self, name: str) -> TensorDesc:
        """The description at a binding point, `input_tensors[1]` included."""
        bare, _, index = name.partition("[")
        value = getattr(self, bare)
        found = value[int(index[:-1])] if index else value
        assert isinstance(found, TensorDesc)
        return found

    def own_violations(self, level: FeatureLevel, trusting: bool) -> list[Violation]:
        """What `check` finds; unless all before it was right it may trip over that, and gives what it found so far."""
        found: list[Violation] = []
        try:
            for violation in islice(self.check(level), MOST_VIOLATIONS + 1):
                found.append(violation)
        except (LookupError, ArithmeticError, ValueError, TypeError, AttributeError):
            if trusting:
                raise
        return found

    # Meaning: subclasses override what applies

    def check(self, level: FeatureLevel) -> Iterable[Violation]:
        """What the declarative rules cannot say. Called when types, ranks and counts are right."""
        return ()

    def infer(self) -> dict[str, tuple[int, ...]]:
        """The sizes of each output, from the inputs and attributes."""
        return dict(self._agreed("Sizes", lambda tensor: tensor.sizes))

    def infer_types(self) -> dict[str, DataType]:
        """The data type of each output, where inputs decide it."""
        return dict(self._agreed("DataType", lambda tensor: tensor.data_type))

    def _agreed(self, prop: str, read: Any) -> Iterator[tuple[str, Any]]:
        for group in self.same:
            if prop not in group.properties:
                continue
            inputs = [getattr(self, name, None) for name in group.tensors if self.fields[name].role == "input"]  # type: ignore[union-attr]
            flat = [
                t for value in inputs if value is not None for t in (value if isinstance(value, tuple) else (value,))
            ]
            for name in group.tensors:
                if self.fields[name].role == "output" and flat:  # type: ignore[union-attr]
                    yield name, read(flat[0])


def _rebuild(cls: type[Operator], values: dict[str, Any]) -> Operator:
    operator = cls.__new__(cls)
    for name, value in values.items():
        object.__setattr__(operator, name, value)
    return operator


def _by_field_name(cls: type[Operator], values: Mapping[str, Any], violations: list[Violation]) -> dict[str, Any]:
    """The given values under their Python names; DirectML's spelling is welcome too."""
    known = {**{name: name for name in cls.fields}, **{pascal(name): name for name in cls.fields}}
    known |= {count: count for count in cls.counts} | {snake(count): count for count in cls.counts}
    found: dict[str, Any] = {}
    for key, value in values.items():
        name = known.get(key)
        if name is None:
            fix = suggest(key, [*cls.fields, *(pascal(n) for n in cls.fields)] if key[:1].islower() else [*known])
            violations.append(UNKNOWN(shortened(key), shown(key), f"a field of {cls.__name__}", fix))
        elif name in found:
            violations.append(TWICE(key, "two values", "one", "leaving one out"))
        else:
            found[name] = value
    return found


def _read_field(field: Field, value: Any, violations: list[Violation], known: Mapping[str, Any]) -> Any:
    path = field.dml_name
    if value is None:
        if not field.optional and not (isinstance(field, TensorField) and not field.is_input):
            violations.append(MISSING(path, "nothing", f"a value ({field.type_name})", f"giving {field.name}"))
        return None
    if isinstance(field, AttributeField):
        return field.kind.read(value, path, violations, known)
    if not field.is_list:
        return read_tensor(value, path, violations)
    if not isinstance(value, (list, tuple)):
        violations.append(NOT_A_LIST(path, type(value).__name__, "a list of tensors", "[...]"))
        return None
    tensors = enumerate(takewhile(lambda _: len(violations) <= MOST_VIOLATIONS, value))
    return tuple(read_tensor(item, f"{path}[{i}]", violations) for i, item in tensors)


def _check_counts(cls: type[Operator], given: Mapping[str, Any], read: Mapping[str, Any]) -> list[Violation]:
    """Lists that share a count have one length, and it is the count's if that was written down."""
    violations: list[Violation] = []
    for count, names in cls.counts.items():
        lengths = {name: len(read[name]) for name in names if read[name] is not None}
        told = given.get(count)
        wanted = read_integer(told, count, violations) if told is not None else _usual(list(lengths.values()))
        for name, length in lengths.items():
            if wanted is not None and length != wanted:
                source = f"{count} says" if told is not None else "the others have"
                violations.append(
                    COUNT(pascal(name), counted(length, "value"), f"{wanted} as {source}", counted(wanted, "value"))
                )
    return violations


def _usual(lengths: list[int]) -> int | None:
    """The length most lists have, so that the odd one out is blamed."""
    return max(lengths, key=lambda length: (lengths.count(length), -lengths.index(length)), default=None)
