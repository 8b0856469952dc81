"""The documented facts, in the words of Python descriptions: fields in snake_case, roles, types and ranks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import anydml as dml
from tests.operators.facts import operators

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+\d*|[A-Z]+\d*|\d+")
Rows = list[tuple[set[str], tuple[int, int], list[str], dict[str, list[str]]]]


def snake(name: str) -> str:
    """`InputTensor` -> `input_tensor`, `ROITensor` -> `roi_tensor`, `ATensor` -> `a_tensor`."""
    return "_".join(word.lower() for word in _WORD.findall(name))


@dataclass(frozen=True)
class Field:
    """One field of a description; the counts that a list's length gives are left out."""

    name: str
    role: str
    type_name: str
    optional: bool

    @property
    def is_list(self) -> bool:
        return self.type_name.endswith("_ARRAY")


@cache
def fields(operator: str) -> dict[str, Field]:
    rows = operators()[operator]["fields"]
    counts = {row[2].split(" of ")[1].split()[0] for row in rows if " of " in row[2]}
    kept = [row for row in rows if row[0] not in counts]
    return {snake(n): Field(snake(n), role, type_.split()[0], type_.endswith(" optional")) for n, role, type_ in kept}


def tensors(operator: str, role: str) -> list[Field]:
    return [field for field in fields(operator).values() if field.role == role]


@cache
def _rows(operator: str) -> Rows:
    """The support table, oldest level first, as (tensors, ranks, types, condition)."""
    rows: Rows = []
    for _, names, ranks, types, *when in operators()[operator]["support"]:
        low, high = ranks.split("-")
        rows.append(({snake(n) for n in names.split()}, (int(low), int(high)), types.split(), when[0] if when else {}))
    return rows


def types(operator: str, field: str, function: str | None = None) -> list[str]:
    """The data types of a tensor at the highest level; those of REDUCE depend on its function."""
    return _last(operator, field, function)[2]


def ranks(operator: str, field: str) -> tuple[int, int]:
    return _last(operator, field, None)[1]


def _last(operator: str, field: str, function: str | None) -> Any:
    matching = [
        row
        for row in _rows(operator)
        if field in row[0] and (not row[3] or function is None or function in row[3]["Function"])
    ]
    return matching[-1]


@cache
def functions(operator: str) -> list[str | None]:
    """The functions that a support table tells apart; [None] where it tells none apart."""
    found = [name for row in _rows(operator) for name in row[3].get("Function", [])]
    return list(dict.fromkeys(found)) or [None]


@cache
def type_group(operator: str, field: str) -> str:
    """The first field that is documented to share this one's data type, or the field itself."""
    for properties, names in operators()[operator]["same"]:
        group = sorted(snake(name) for name in names.split())
        if "DataType" in properties.split() and field in group:
            return group[0]
    return field


@cache
def is_in_place(operator: str) -> bool:
    """Whether pages or schema let one buffer be input and output, and an input could lie in it."""
    says = operators()[operator]["in_place"]
    if not (says["pages"] or says["schema"]):
        return False
    outputs = {type_group(operator, field.name) for field in tensors(operator, "output")}
    return any(type_group(operator, field.name) in outputs for field in tensors(operator, "input"))


@cache
def _public_names() -> dict[str, str]:
    return {name.lower(): name for name in dir(dml) if name[0].isupper()}


def class_of(operator: str) -> Any | None:
    """The class that declares an operator, or None where nothing does yet."""
    name = _public_names().get(operator.replace("_", "").lower())
    return getattr(dml, name) if name else None


def declared() -> list[str]:
    return [name for name in operators() if class_of(name) is not None]
