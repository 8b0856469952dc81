"""Operator: one class is the description's fields, its support by feature level, its rules and its meaning.

From that one declaration come reading (Python and JSON), validation, binding points, inference of outputs,
reference pages and tests of the support tables. A class lists its fields in DirectML's order; the counts that
DirectML's structures carry (DimensionCount and the like) are lengths of lists here and need no field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any, ClassVar, TypeVar

from anydml.core.datatype import DataType
from anydml.core.errors import DmlError, Violation, raise_if_any
from anydml.core.fixes import Add, Describe
from anydml.core.jsontext import read_json, require_object, to_json
from anydml.core.levels import HIGHEST_LEVEL, FeatureLevel
from anydml.core.naming import pascal, upper
from anydml.core.policy import DEFAULT, Outline, TensorPolicy
from anydml.core.rules import rule
from anydml.core.schema import sizes as patterns
from anydml.core.schema.documenting import BoundDoc, LazyDoc, LazySignature, default_of, own_text
from anydml.core.schema.fields import (
    AttributeField,
    CountField,
    Field,
    Ladder,
    RankLadder,
    RankSteps,
    Same,
    TensorField,
)
from anydml.core.schema.forms import form_of
from anydml.core.schema.reading import MISSING, read_fields
from anydml.core.tensor import TensorDesc

INFER = rule("output.infer", "An output that is left out can be told from the inputs.")
FUSED_TENSORS = rule("activation.tensors", "A fused activation has no tensors of its own.")

_WIDEST_ELEMENT_BYTES = 8
Self = TypeVar("Self", bound="Operator")
SHOWN_NAMES = (
    *("dml_type", "dml_id", "since", "meaning", "values", "is_fused", "fused"),
    *("replace", "to_cpp", "to_dict", "to_json", "from_dict", "from_json"),
)
"""What `dir` shows of an operator besides its fields; everything else is there for those who declare operators."""


@dataclass(frozen=True)
class BindingPoint:
    """One buffer an operator reads or writes: `input_tensors[1]`, `output_tensor`."""

    name: str
    field: TensorField
    tensor: TensorDesc | None

    @cached_property
    def dml_name(self) -> str:
        bare, bracket, rest = self.name.partition("[")
        return pascal(bare) + bracket + rest


OPERATORS: dict[str, type[Operator]] = {}
"""Every operator class, by its DirectML type without prefix."""


class OperatorType(type):
    __doc__ = BoundDoc(
        "The class of operator classes: `dir`, `help` and completion show what users need, not how it is declared."
    )

    def __dir__(cls) -> list[str]:
        special = [name for name in super().__dir__() if name.startswith("__")]
        fields: dict[str, Field] = getattr(cls, "fields", {})
        return sorted({*special, *fields, *SHOWN_NAMES})


class Operator(metaclass=OperatorType):
    """A frozen operator description. Subclasses declare; this class reads and answers.

    Fields are read on construction. How they fit together is checked when an output is inferred, and otherwise by
    `Device.create_operator`, `Device.compile` and `Device.compile_graph`, for the feature level of the device.

    A subclass gives its meaning in exactly one form, which is checked when the class is made:

    - `moves(self)` yields copies and fills between layouts, for operators that only move data;
    - `formula(self, m, *inputs)` is one expression over elements at equal indices;
    - `compute(self, xp, **inputs)` is an array program over logical arrays; lists of tensors come as tuples,
      absent ones as None;
    - `equivalent(self)` is another operator with the same tensors that means the same.

    Beside `compute`, an operator may have `moves` as a short cut that returns None where it does not apply.
    """

    fields: ClassVar[dict[str, Field]] = {}
    _tensor_fields: ClassVar[tuple[TensorField, ...]] = ()
    _attribute_fields: ClassVar[tuple[AttributeField, ...]] = ()
    counts: ClassVar[dict[str, tuple[str, ...]]] = {}
    dml_type: ClassVar[str] = ""
    """DirectML's name of the operator type, without `DML_OPERATOR_`."""
    dml_id: ClassVar[int] = 0
    """DirectML's number of the operator type."""
    since: ClassVar[FeatureLevel] = FeatureLevel.LEVEL_1_0
    """The feature level that brought the operator."""
    rank: ClassVar[RankSteps] = {}
    """The ranks all tensors may have from each level on; a field may have its own."""
    ranks: ClassVar[RankLadder] = Ladder(())
    same: ClassVar[tuple[Same, ...]] = ()
    sizes_of: ClassVar[Mapping[str, str]] = {}
    """Patterns of tensors' sizes, by field; see `anydml.core.schema.sizes`."""
    in_place: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Pairs of an input and an output that may be one buffer."""
    fusable: ClassVar[bool] = False
    """Whether it can be fused at all (`Activation.also` may narrow the hosts); its `check` then sees no tensors."""
    fuses_anywhere: ClassVar[bool] = True
    owned_inputs: ClassVar[bool] = True
    """Whether inputs may carry OWNED_BY_DML."""
    only_moves: ClassVar[bool] = False
    """Whether elements keep their bits: no type is widened for it, even where it is no list of moves."""
    works_on_bits: ClassVar[bool] = False
    """Whether a formula takes elements as bits: unsigned integers of their width, whatever the data types."""
    partial_outputs: ClassVar[bool] = False
    """Whether outputs may be smaller than inferred (`check` then says how small)."""
    temporary_copies: ClassVar[int] = 4
    """How many times the size of all its tensors, as numbers it computes with, a program holds at once at most."""
    form: ClassVar[str] = ""
    """Which of `forms.FORMS` gives the meaning."""
    pending_outputs: frozenset[str] = frozenset()
    """Outputs that are asked for and being inferred: None until that is done."""

    inferred_outputs: Mapping[str, Outline] = {}
    """Outputs that were inferred, with what was asked of them."""

    def __init_subclass__(cls, since: str = "", id: int = 0, name: str = "", abstract: bool = False) -> None:
        super().__init_subclass__()
        own = {key: value for key, value in vars(cls).items() if isinstance(value, TensorField | AttributeField)}
        for key in own:
            delattr(cls, key)
        cls.fields = cls.fields | {key: replace(value, name=key) for key, value in own.items()}
        cls._tensor_fields = tuple(f for f in cls.fields.values() if isinstance(f, TensorField))
        cls._attribute_fields = tuple(f for f in cls.fields.values() if isinstance(f, AttributeField))
        counts: dict[str, tuple[str, ...]] = {}
        for field in cls.fields.values():
            if field.length:
                counts[field.length] = (*counts.get(field.length, ()), field.name)
        cls.counts = counts
        if abstract:
            return
        cls.dml_type, cls.dml_id, cls.since = name or upper(cls.__name__), id, FeatureLevel.parse(since)
        cls.ranks = Ladder.parse(cls.rank)
        cls.form = form_of(cls)
        cls.__signature__ = LazySignature()  # type: ignore[attr-defined]
        cls.__doc__ = LazyDoc(cls.__doc__ or "")
        for pattern in cls.sizes_of.values():
            patterns.parse(pattern)
        OPERATORS[cls.dml_type] = cls

    @classmethod
    def meaning(cls) -> str:
        """What the operator means, in a sentence or two."""
        return own_text(cls)

    def __init__(self, /, *positional: Any, **values: Any) -> None:
        if positional:
            needed = [f"{f.name}=..." for f in self.fields.values() if default_of(f) is None]
            name = type(self).__name__
            raise TypeError(f"{name} takes its fields by name; try {name}({', '.join(needed)})")
        self._set(read_fields(type(self), values), fused=False)

    @classmethod
    def fused(cls, /, **values: Any) -> Operator:
        """This activation as part of another operator: attributes alone, no tensors."""
        operator = cls.__new__(cls)
        operator._set(read_fields(cls, values, fused=True), fused=True)
        return operator

    @classmethod
    def from_model(cls, values: Mapping[str, Any], fused: bool = False) -> Operator:
        """The operator a model file describes: no attribute has a default there, and no output is inferred."""
        operator = cls.__new__(cls)
        read = read_fields(cls, values, fused=fused, with_defaults=False)
        operator._set(read, fused=fused)
        absent = () if fused else operator._outputs_to_infer(read)
        fitting = {name: getattr(operator, name) for name in absent}
        raise_if_any(
            [
                MISSING(pascal(name), "nothing", "a description", Describe(desc.data_type.name, desc.sizes))
                for name, desc in fitting.items()
            ],
            subject=cls.__name__,
        )
        return operator

    def _set(self, read: dict[str, Any], fused: bool) -> None:
        wanted = {} if fused else self._outputs_to_infer(read)
        for name, value in read.items():
            object.__setattr__(self, name, None if name in wanted else value)
        if wanted:
            self._infer_outputs(wanted)

    @property
    def is_fused(self) -> bool:
        """Whether it is an activation that is part of another operator, and has no tensors."""
        return all(getattr(self, field.name) is None for field in self.tensor_fields())

    # Outputs that nobody described

    def _outputs_to_infer(self, read: Mapping[str, Any]) -> dict[str, Outline]:
        """Required outputs that were left out, and those asked for by `True`, a policy or an outline."""
        wanted: dict[str, Outline] = {}
        for field in self.tensor_fields():
            value = read[field.name]
            if isinstance(value, Outline):
                wanted[field.name] = value
            elif isinstance(value, TensorPolicy):
                wanted[field.name] = Outline(policy=value)
            elif not field.is_input and (value is True or (value is None and not field.optional)):
                wanted[field.name] = Outline()
        return wanted

    def _infer_outputs(self, wanted: Mapping[str, Outline]) -> None:
        from anydml.core.schema.validate import check_described

        subject = type(self).__name__
        self.__dict__["pending_outputs"] = frozenset(wanted)
        raise_if_any(check_described(self, HIGHEST_LEVEL), subject=subject)
        sizes = self.infer() | {name: known.sizes for name, known in wanted.items() if known.sizes is not None}
        types = self.infer_types() | {name: k.data_type for name, k in wanted.items() if k.data_type is not None}
        violations = [
            INFER(pascal(name), "no description", "one, since the inputs do not decide it", Add(name))
            for name in wanted
            if name not in sizes or name not in types
        ]
        raise_if_any(violations, subject=subject)
        for noted in ("_outputs", "_all_points", "pending_outputs"):
            self.__dict__.pop(noted, None)  # noted while outputs were absent
        self.__dict__["inferred_outputs"] = dict(wanted)
        for name, known in wanted.items():
            try:
                strides = None if known.policy is DEFAULT else known.policy(sizes[name]).strides
                object.__setattr__(self, name, TensorDesc(types[name], sizes[name], strides))
            except DmlError as error:
                raise type(error)(error.violations, f"{subject}.{name}") from error

    # Values

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; make a new one with other fields")

    def over(self, tensor: TensorDesc) -> Operator:
        """A fused activation as an operator of its own, from this tensor to one like it."""
        return _rebuild(type(self), self.values() | {"input_tensor": tensor, "output_tensor": tensor})

    def __dir__(self) -> list[str]:
        return dir(type(self))

    def values(self) -> dict[str, Any]:
        """Every field with its value, None where it is absent."""
        return {name: getattr(self, name) for name in self.fields}

    def replace(self: Self, /, **changes: Any) -> Self:
        """A copy with some fields changed: `op.replace(axis=1)`. Outputs that were inferred are inferred again."""
        kept = {name: value for name, value in self.values().items() if value is not None}
        return type(self)(**(kept | dict(self.inferred_outputs) | changes))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.values() == other.values()

    def __hash__(self) -> int:
        return hash((type(self), tuple(self.values().values())))

    def __repr__(self) -> str:
        from anydml.core.schema.writing import expression

        return expression(self)

    def __call__(self, /, *buffers: Any, **named: Any) -> Any:
        """Run on the default device, for a quick try: `y = Slice1(...)(x)`. The same as `anydml.run(operator, ...)`."""
        from importlib import import_module

        return import_module("anydml.runtime.quick").run(self, *buffers, **named)

    def _repr_html_(self) -> str:
        """In a notebook, an operator draws its tensors and what it takes of them."""
        from importlib import import_module

        return str(import_module("anydml.view.notebook").draw_operator(self))

    def to_dict(self) -> dict[str, Any]:
        """`{"type": "DML_OPERATOR_...", "desc": {...}}` with plain values, as model files have it."""
        from anydml.core.schema.writing import to_dict

        return to_dict(self)

    def to_json(self) -> str:
        """`to_dict` as text."""
        return to_json(self.to_dict())

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Operator:
        """The operator that `to_dict` wrote; `Operator.from_dict` finds the class by the type."""
        from importlib import import_module

        from anydml.core.schema.writing import from_dict

        import_module("anydml.operators")
        return from_dict(cls, require_object(value, cls.__name__))

    @classmethod
    def from_json(cls, text: str) -> Operator:
        """The operator that `to_json` wrote."""
        return cls.from_dict(read_json(text, cls.__name__))

    def to_cpp(self, name: str = "") -> str:
        """The operator as DirectML's structures in C++; a name tells the variables of several operators apart."""
        from importlib import import_module

        return str(import_module("anydml.view.cpp").to_cpp(self, name))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.values())

    # Questions

    @classmethod
    def tensor_fields(cls) -> tuple[TensorField, ...]:
        return cls._tensor_fields

    @classmethod
    def attribute_fields(cls) -> tuple[AttributeField, ...]:
        return cls._attribute_fields

    @classmethod
    def struct_fields(cls) -> Iterator[Field | CountField]:
        """The members of DirectML's structure in order; a count stands before the first list that it counts."""
        seen: set[str] = set()
        for field in cls.fields.values():
            if field.length and field.length not in seen:
                seen.add(field.length)
                yield CountField(field.length, cls.counts[field.length])
            yield field

    def count(self, field: CountField) -> int:
        """The length of the lists that a count is for."""
        lists = [getattr(self, name) for name in field.counted]
        return next((len(each) for each in lists if each is not None), 0)

    def points(self, role: str) -> tuple[BindingPoint, ...]:
        """The binding points of a role in DirectML's order, lists spread out, absent ones included."""
        return self._inputs if role == "input" else self._outputs

    def all_points(self) -> tuple[BindingPoint, ...]:
        return self._all_points

    @cached_property
    def _all_points(self) -> tuple[BindingPoint, ...]:
        return self._inputs + self._outputs

    @cached_property
    def _inputs(self) -> tuple[BindingPoint, ...]:
        return tuple(self._points("input"))

    @cached_property
    def _outputs(self) -> tuple[BindingPoint, ...]:
        return tuple(self._points("output"))

    def _points(self, role: str) -> Iterator[BindingPoint]:
        for field in self.tensor_fields():
            if field.role != role:
                continue
            value = getattr(self, field.name)
            if field.is_list:
                yield from (BindingPoint(f"{field.name}[{i}]", field, tensor) for i, tensor in enumerate(value or ()))
            else:
                yield BindingPoint(field.name, field, value)

    def tensor(self, name: str) -> TensorDesc:
        """The description at a binding point, `input_tensors[1]` included."""
        bare, _, index = name.partition("[")
        value = getattr(self, bare)
        found = value[int(index[:-1])] if index else value
        assert isinstance(found, TensorDesc)
        return found

    @property
    def element_count(self) -> int:
        """Elements of all its tensors."""
        return sum(prod(point.tensor.sizes) for point in self.all_points() if point.tensor is not None)

    @property
    def scratch_size_in_bytes(self) -> int:
        """The most memory that its array program takes besides its tensors."""
        return self.element_count * _WIDEST_ELEMENT_BYTES * self.temporary_copies

    @cached_property
    def _valid_levels(self) -> set[FeatureLevel]:
        """The levels at which everything was found right, so that it is not checked again."""
        return set()

    def check_attributes(self, level: FeatureLevel) -> Iterator[Violation]:
        """What a fused activation's attributes break."""
        for field in self.attribute_fields():
            value = getattr(self, field.name)
            if value is not None:
                yield from field.type.check(value, self, level, field.dml_name)
        yield from self.check(level)

    # Meaning: subclasses override what applies

    def check(self, level: FeatureLevel) -> Iterable[Violation]:
        """What declarations cannot say.

        Called when ranks, list lengths, axes and patterns of sizes are right. Outputs are None while they are being
        inferred.
        """
        return ()

    def infer(self) -> dict[str, tuple[int, ...]]:
        """The sizes of each output, from the inputs and attributes. Called when `check` found nothing."""
        inferred = dict(self._agreed("Sizes"))
        bound = bind_sizes(self, [])
        for field in self.tensor_fields():
            if not field.is_input and field.name in self.sizes_of:
                pattern = patterns.parse(self.sizes_of[field.name])
                built = pattern.build(_with_properties(self, pattern, bound))
                if built is not None:
                    inferred[field.name] = built
        return inferred

    def infer_types(self) -> dict[str, DataType]:
        """The data type of each output, where inputs or the declaration decide it."""
        declared = {f.name: f.inferred_type for f in self.tensor_fields() if f.inferred_type is not None}
        return dict(self._agreed("DataType")) | declared

    def _agreed(self, prop: str) -> Iterator[tuple[str, Any]]:
        for group in self.same:
            if prop not in group.properties:
                continue
            first = next(
                (point.tensor for point in self._inputs if point.field.name in group.tensors and point.tensor), None
            )
            for point in self.tensor_fields():
                if first is not None and not point.is_input and point.name in group.tensors:
                    yield point.name, first.sizes if prop == "Sizes" else first.data_type


def bind_sizes(operator: Operator, mismatches: list[tuple[BindingPoint, patterns.Mismatch]]) -> patterns.Bound:
    """The names in the patterns with the sizes that tensors give them; whatever does not fit is noted."""
    bound: patterns.Bound = {}
    if not operator.sizes_of:
        return bound
    for point in operator._all_points:
        text = operator.sizes_of.get(point.field.name)
        if text is None or point.tensor is None:
            continue
        pattern = patterns.parse(text)
        if point.field.is_input or all(name in bound for name in pattern.names):
            known = _with_properties(operator, pattern, bound) if point.field.is_input else bound
            mismatches += [(point, mismatch) for mismatch in pattern.match(point.tensor.sizes, known)]
            bound |= known
    return bound


def _with_properties(operator: Operator, pattern: patterns.Pattern, bound: patterns.Bound) -> patterns.Bound:
    """Names that the operator itself knows, beside those that tensors have bound."""
    own = {n: getattr(operator, n) for n in pattern.names if n not in bound and hasattr(type(operator), n)}
    return {**bound, **own}


def _rebuild(cls: type[Operator], values: dict[str, Any]) -> Operator:
    operator = cls.__new__(cls)
    for name, value in values.items():
        object.__setattr__(operator, name, value)
    return operator
