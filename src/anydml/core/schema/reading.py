"""Reading an operator's fields from what a user gave: Python values or JSON, in either spelling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from anydml.core.datatype import DataType
from anydml.core.errors import MOST_VIOLATIONS, Violation, counted, raise_if_any, shortened, shown
from anydml.core.fixes import REMOVE_ONE, Add, Advice, Remove, suggest
from anydml.core.integers import read_integer, read_list
from anydml.core.naming import pascal, snake
from anydml.core.policy import Outline, TensorPolicy
from anydml.core.rules import rule
from anydml.core.schema.attributes import Enumeration
from anydml.core.schema.fields import AttributeField, Field, TensorField
from anydml.core.schema.tensors import read_tensor
from anydml.core.tensor import TensorDesc
from anydml.process.loading import load_module

if TYPE_CHECKING:
    from anydml.core.schema.operator import Operator

MISSING = rule("field.missing", "Every field that is not optional is given.")
UNKNOWN = rule("field.unknown", "Every name is a field of the operator.")
TWICE = rule("field.twice", "A field is given once.")
COUNT = rule("field.count", "A count equals the length of the lists it counts.")


_KINDS = {
    "TENSOR": "a tensor description",
    "TENSOR_ARRAY": "a list of tensor descriptions",
    "UINT": "a whole number from 0",
    "UINT_ARRAY": "a list of whole numbers from 0",
    "INT": "a whole number",
    "INT_ARRAY": "a list of whole numbers",
    "FLOAT": "a number",
    "FLOAT_ARRAY": "a list of numbers",
    "BOOL": "true or false",
    "SCALAR_UNION": "a number",
    "SCALE_BIAS": "a scale and a bias",
    "SIZE_2D": "a width and a height",
    "FUSED_ACTIVATION": "a fused activation",
    "FUSED_ACTIVATION_ARRAY": "a list of fused activations",
    "ENUM:DML_TENSOR_DATA_TYPE": "a data type",
}
"""Types of fields in words."""


def read_fields(
    cls: type[Operator], values: Mapping[str, Any], *, fused: bool = False, with_defaults: bool = True
) -> dict[str, Any]:
    """Every field in Python form, None where it is absent; an error with all problems at once.

    Outputs to be inferred come as `True`, as a `TensorPolicy` or as an `Outline`. A fused activation has no tensors.
    """
    violations: list[Violation] = []
    given = _by_field_name(cls, values, violations)
    read: dict[str, Any] = {}
    for name, field in cls.fields.items():
        if isinstance(field, TensorField) and fused:
            read[name] = None
            if given.get(name) is not None:
                violations.append(_fused_tensor(field))
        else:
            read[name] = _read_field(field, given.get(name), violations, read, with_defaults)
    violations += _check_counts(cls, given, read)
    raise_if_any(violations, subject=cls.__name__)
    return read


def _fused_tensor(field: TensorField) -> Violation:
    rule = load_module("anydml.core.schema.operator").FUSED_TENSORS
    found: Violation = rule(field.dml_name, "a tensor", "none", Remove(field.name))
    return found


def _by_field_name(cls: type[Operator], values: Mapping[str, Any], violations: list[Violation]) -> dict[str, Any]:
    """The given values under their Python names; DirectML's spelling is welcome too."""
    known = {**{name: name for name in cls.fields}, **{pascal(name): name for name in cls.fields}}
    known |= {count: count for count in cls.counts} | {snake(count): count for count in cls.counts}
    found: dict[str, Any] = {}
    for key, value in values.items():
        name = known.get(key)
        if name is None:
            options = [*cls.fields, *(pascal(n) for n in cls.fields)] if key[:1].islower() else [*known]
            violations.append(UNKNOWN(shortened(key), shown(key), f"a field of {cls.__name__}", suggest(key, options)))
        elif name in found:
            violations.append(TWICE(key, "two values", "one", REMOVE_ONE))
        else:
            found[name] = value
    return found


def _read_field(
    field: Field, value: Any, violations: list[Violation], known: Mapping[str, Any], with_defaults: bool
) -> Any:
    path = field.dml_name
    if isinstance(field, AttributeField):
        if value is None and with_defaults:
            value = _default(field, known)
            if value is None and field.default is not None and violations:
                return None  # its length follows from a tensor that was wrong, which is reported
        if value is not None:
            return field.type.read(value, path, violations, known)
    elif value is not None:
        return _read_tensors(field, value, path, violations)
    if not field.optional and not (isinstance(field, TensorField) and not field.is_input):
        violations.append(MISSING(path, "nothing", _kind_of(field), Add(field.name)))
    return None


def _kind_of(field: Field) -> str:
    """What a field holds, in words."""
    if isinstance(field, AttributeField) and isinstance(field.type, Enumeration) and field.type.of is not DataType:
        return f"one of {', '.join(member.name for member in field.type.of)}"
    return _KINDS[field.type_name]


def _default(field: AttributeField, known: Mapping[str, Any]) -> Any:
    """The declared default; for lists, as many as the tensor has dimensions."""
    if field.dimensions is None or field.default is None:
        return field.default
    tensor, skip = field.dimensions
    described = known.get(tensor)
    return [field.default] * max(described.rank - skip, 0) if isinstance(described, TensorDesc) else None


def _read_tensors(field: TensorField, value: Any, path: str, violations: list[Violation]) -> Any:
    if not field.is_input and (value is True or isinstance(value, (TensorPolicy, Outline))):
        return value
    if not field.is_list:
        return read_tensor(value, path, violations)
    given = read_list(value, path, violations, "tensors", fix=Advice("[...]"))
    if given is None:
        return None
    tensors = enumerate(takewhile(lambda _: len(violations) <= MOST_VIOLATIONS, given))
    return tuple(read_tensor(item, f"{path}[{i}]", violations) for i, item in tensors)


def _check_counts(cls: type[Operator], given: Mapping[str, Any], read: Mapping[str, Any]) -> list[Violation]:
    """Lists that share a count have one length, and it is the count's if that was written down."""
    violations: list[Violation] = []
    for count, names in cls.counts.items():
        lengths = {name: len(read[name]) for name in names if isinstance(read[name], tuple)}
        told = given.get(count)
        wanted = read_integer(told, count, violations) if told is not None else _usual(lengths)
        for name, length in lengths.items():
            if wanted is not None and length != wanted:
                source = f"{count} says" if told is not None else "the others have"
                fix = counted(wanted, "value")
                violations.append(COUNT(pascal(name), counted(length, "value"), f"{wanted} as {source}", fix))
    return violations


def _usual(lengths: Mapping[str, int]) -> int | None:
    """The length most lists have, so that the odd one out is blamed; the first of equally common ones."""
    common = Counter(lengths.values()).most_common(1)
    return common[0][0] if common else None
