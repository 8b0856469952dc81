"""Operators as data: the objects that model files have, and Python expressions that make them again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

from anydml.core.errors import InvalidDescriptionError, shown, told_as_json
from anydml.core.fixes import Spelling
from anydml.core.naming import pascal
from anydml.core.outside import as_entries, as_text
from anydml.core.rules import rule
from anydml.core.schema.attributes import ScaleBias, Size2D
from anydml.core.schema.fields import AttributeField
from anydml.core.schema.names import PREFIX, suggest_operator
from anydml.core.schema.operator import OPERATORS, Operator
from anydml.core.tensor import TensorDesc

WRITTEN = rule("operator.written", "An operator is written as its type and its desc, an object with its fields.")
_PAIRS = {ScaleBias: ("Scale", "Bias"), Size2D: ("Width", "Height")}


def to_dict(operator: Operator) -> dict[str, Any]:
    """The type and the fields, in DirectML's names and with plain values."""
    return {"type": PREFIX + operator.dml_type, "desc": _fields(operator)}


def _fields(operator: Operator) -> dict[str, Any]:
    found = {}
    for name, value in operator.values().items():
        field = operator.fields[name]
        pair = _PAIRS.get(type(field.type)) if isinstance(field, AttributeField) else None
        if value is not None:
            found[pascal(name)] = dict(zip(pair, map(_plain, value), strict=True)) if pair else _plain(value)
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, TensorDesc):
        return value.to_dict()
    if isinstance(value, Operator):
        return {"Type": value.dml_type, "Desc": _fields(value)}
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def from_dict(wanted: type[Operator], value: Mapping[str, Any]) -> Operator:
    """The operator that `to_dict` wrote; of this class, if it is one and not `Operator` itself."""
    name, desc = value.get("type"), as_entries(value.get("desc"))
    bare = (as_text(name) or "").strip().upper().removeprefix(PREFIX)
    found = OPERATORS.get(bare)
    if found is None or desc is None:
        where, wrong = ("type", name) if found is None else ("desc", value.get("desc"))
        expected = "an operator of DirectML" if found is None else "an object with the fields"
        # The type is written as in a model, in Python too.
        fix = suggest_operator(bare).text(Spelling.MODEL) if found is None else None
        raise InvalidDescriptionError(WRITTEN(where, shown(wrong), expected, fix), wanted.__name__)
    if not issubclass(found, wanted):
        expected = PREFIX + wanted.dml_type
        raise InvalidDescriptionError(WRITTEN("type", name, expected, f"{found.__name__}.from_dict"), wanted.__name__)
    with told_as_json():
        return found.from_model({as_text(key) or shown(key): entry for key, entry in desc.items()})


def expression(operator: Operator) -> str:
    """Python that makes this operator again, given the names of anydml."""
    fields = [f"{name}={_literal(value)}" for name, value in operator.values().items() if value is not None]
    return f"{type(operator).__name__}{'.fused' if operator.is_fused else ''}({', '.join(fields)})"


def _literal(value: Any) -> str:
    if isinstance(value, Enum):
        return repr(value.name)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    return repr(value)
