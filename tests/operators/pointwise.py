"""Every pointwise operator, described for every combination of data types and a few sets of attributes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import anydml.operators  # noqa: F401  declares them
from anydml.core.levels import HIGHEST_LEVEL
from anydml.core.schema import OPERATORS
from anydml.core.schema.validate import validate
from tests.cases.activations import PARAMETERS
from tests.cases.framework import Case, Operand, spec, values
from tests.operators.facts import enumerations
from tests.oracle.numbers import DIGITS, is_float

SINGLE = "ELEMENT_WISE_QUANTIZED_LINEAR_ADD"
"""Its scales and zero points are single elements."""
NAMES = [
    name
    for name, operator in OPERATORS.items()
    if operator.form == "formula" and name.startswith(("ELEMENT_WISE_", "ACTIVATION_"))
]


def groups(name: str) -> dict[str, list[str]]:
    """The fields of tensors by the first of those that share a data type."""
    found: dict[str, list[str]] = {}
    for role in ("input", "output"):
        for field in spec.tensors(name, role):
            found.setdefault(spec.type_group(name, field.name), []).append(field.name)
    return found


def type_choices(name: str) -> Iterator[dict[str, str]]:
    """Every legal combination of data types, by field."""
    grouped = groups(name)
    for chosen in product(*(spec.types(name, fields[0]) for fields in grouped.values())):
        kinds = zip(grouped.values(), chosen, strict=True)
        yield {field: kind for fields, kind in kinds for field in fields}


def attribute_choices(name: str, kind: str) -> list[dict[str, Any]]:
    """Sets of attributes for elements of this type; products with them are exact, and scaling rounds nothing."""
    short = name.removeprefix("ELEMENT_WISE_").removeprefix("ACTIVATION_")
    if name.startswith("ACTIVATION_"):
        return [dict.fromkeys(PARAMETERS.get(short, ()), number) for number in (1.0, 0.25, 4.0)]
    unscaled: list[dict[str, Any]] = [{}]
    if "CLIP" in short or short == "THRESHOLD":
        unscaled = [_limits(name, kind, *limits) for limits in _LIMITS]
    if short == "CONSTANT_POW":
        unscaled = [{"exponent": exponent} for exponent in _EXPONENTS]
    for field in spec.fields(name).values():
        if field.type_name in ("ENUM:DML_ROUNDING_MODE", "ENUM:DML_IS_INFINITY_MODE"):
            unscaled = [{field.name: mode} for mode in enumerations()[field.type_name.removeprefix("ENUM:")]]
    if "scale_bias" in spec.fields(name):
        return [*unscaled, *({**each, "scale_bias": (-1.0, 0.0)} for each in unscaled[:3])]
    return unscaled


_LIMITS = [(-1.5, 2.75), (3.0, 1.0), (-math.inf, math.inf), (math.nan, 1.0)]
_EXPONENTS = [1.0, 2.0, 3.0, 0.5, -1.0, 0.0, 1.5, -2.0, -3.0, -0.5, 40.0, math.inf, -math.inf]


def _limits(name: str, kind: str, low: float, high: float) -> dict[str, Any]:
    if not name.endswith("1"):
        return {"min": low, "max": high} if "CLIP" in name else {"min": low}
    if is_float(kind):
        return {"min_max_data_type": kind, "min": low, "max": high}
    held = [_as_integer(number, kind) for number in (low, high)]
    return {"min_max_data_type": kind, "min": held[0], "max": held[1]}


def _as_integer(number: float, kind: str) -> int:
    """A limit that the type can hold; for infinities the ends of its range."""
    low, high = values.specials(kind)[0], values.specials(kind)[2]
    return 0 if math.isnan(number) else int(min(max(number, low), high))


def elements(kind: str) -> list[float | int]:
    """Everything that breaks careless arithmetic, and some ordinary numbers."""
    if not is_float(kind):
        return [*values.specials(kind), 2, 3, 7, 100]
    below_half = 0.5 - 2.0 ** -(DIGITS[kind] + 1)
    ordinary = [3.0, -2.0, 0.25, 1.5, 2.0**-30, 100.0]
    return [*values.specials(kind), _LARGEST[kind], -_LARGEST[kind], 2.0**-126, below_half, -below_half, *ordinary]


_LARGEST = {"FLOAT16": 65504.0, "FLOAT32": (2 - 2.0**-23) * 2.0**127, "FLOAT64": (2 - 2.0**-52) * 2.0**1023}


def grid(name: str, kinds: dict[str, str], attributes: dict[str, Any], absent: tuple[str, ...] = ()) -> Case:
    """A case in which every element of the first input meets every element of the second, and some of the others."""
    present = [field.name for field in spec.tensors(name, "input") if field.name not in absent]
    whole = [field for field in present if name != SINGLE or field in ("a_tensor", "b_tensor")]
    pairs = list(product(*(elements(kinds[field]) for field in whole[:2])))
    fields: dict[str, Any] = {}
    for place, field in enumerate(whole):
        own = elements(kinds[field])
        column = [pair[place] if place < 2 else own[7 * n % len(own)] for n, pair in enumerate(pairs)]
        fields[field] = Operand.of(kinds[field], (len(pairs),), {(n,): v for n, v in enumerate(column)})
    for field in present:
        if field not in whole:
            fields[field] = Operand.of(kinds[field], (1,), {(0,): 0.5 if is_float(kinds[field]) else 3})
    (output,) = spec.tensors(name, "output")
    fields[output.name] = Operand(kinds[output.name], (len(pairs),))
    return Case(name, fields | attributes)


def cases_of(name: str) -> Iterator[Case]:
    """Hostile cases of every legal combination of types and every set of attributes, also without optional tensors."""
    optional = tuple(field.name for field in spec.tensors(name, "input") if field.optional)
    for kinds in type_choices(name):
        first = next(iter(kinds.values()))
        for attributes in attribute_choices(name, kinds.get("input_tensor", first)):
            for absent in dict.fromkeys([(), optional]):
                case = grid(name, kinds, attributes, absent)
                if not validate(case.build(), HIGHEST_LEVEL):
                    yield case
