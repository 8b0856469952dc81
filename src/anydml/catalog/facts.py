"""What an operator's declaration says, as plain data: for the command line, for the reference pages and for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from types import CodeType, FunctionType
from typing import Any

import anydml.core.schema.validate
import anydml.operators  # noqa: F401 - declares them all
from anydml.core.datatype import DataType
from anydml.core.enums import MEMBER_LEVELS
from anydml.core.levels import LEVELS, FeatureLevel
from anydml.core.naming import pascal
from anydml.core.rules import RULES, Rule
from anydml.core.schema import (
    Array,
    AttributeField,
    Axis,
    Enumeration,
    Integer,
    Operator,
    TensorField,
    TypeOf,
    When,
)
from anydml.core.schema.fusion import Activation

_WORDS = {
    **{name: name for name in ("UINT", "INT", "FLOAT", "BOOL")},
    "UINT_ARRAY": "list of UINT",
    "INT_ARRAY": "list of INT",
    "FLOAT_ARRAY": "list of FLOAT",
    "TENSOR_ARRAY": "tensors",
    "FUSED_ACTIVATION_ARRAY": "list of fused activations",
    "SIZE_2D": "width and height",
    "SCALE_BIAS": "scale and bias",
    "SCALAR_UNION": "number",
}


def family_of(operator: type[Operator]) -> str:
    """The module that declares it: operators of one kind stand together."""
    return operator.__module__.rpartition(".")[2]


def meaning_of(operator: type[Operator]) -> str:
    return operator.meaning()


def form_of(operator: type[Operator]) -> str:
    """How it runs: moves, a formula, a program or another operator."""
    words = {"compute": "program", "equivalent": "another operator"}
    main = words.get(operator.form, operator.form)
    return f"moves or {main}" if operator.form == "compute" and hasattr(operator, "moves") else main


# Fields


def field_type(field: TensorField | AttributeField) -> str:
    """The type of a field in words: `tensor`, `list of UINT`, `padding mode`."""
    name = field.type_name
    return _WORDS.get(name) or name.removeprefix("ENUM:DML_").replace("_", " ").lower()


def members_of(field: TensorField | AttributeField) -> list[str]:
    """The members of an enumeration, with the level of those that came later."""
    kind = getattr(field, "type", None)
    if not isinstance(kind, Enumeration) or kind.of is DataType:
        return []
    return [f"{each.name} (from {level.text})" if (level := _level_of(each)) else each.name for each in kind.of]


def _level_of(member: Enum) -> FeatureLevel | None:
    return MEMBER_LEVELS.get(member)


# Support


@dataclass(frozen=True)
class SupportRow:
    """What some tensors may be from a feature level on."""

    level: FeatureLevel
    tensors: tuple[str, ...]
    when: str
    """The members of an enumeration that it holds for; empty for all."""
    ranks: tuple[int, int]
    data_types: tuple[DataType, ...]


def support_rows(operator: type[Operator]) -> Iterator[SupportRow]:
    """A row for each level at which something changes, for each group of tensors that agree."""
    for when, fields in _members(operator):
        steps = sorted({step for pair in fields.values() for ladder in pair for step, _ in ladder.steps})
        last: dict[str, Any] = {}
        for level in sorted({max(step, operator.since) for step in steps}):
            groups: dict[Any, list[str]] = {}
            for name, (types, rank) in fields.items():
                now = types.at(level), rank.at(level)
                if last.get(name) != now:
                    groups.setdefault(now, []).append(pascal(name))
                last[name] = now
            for (types, rank), names in groups.items():
                yield SupportRow(level, tuple(names), when, rank, tuple(kind for kind in DataType if kind in types))


def _members(operator: type[Operator]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The ladders of all tensors; once for each group of an attribute's members that they depend on."""
    tensors = list(operator.tensor_fields())
    choices = {key for f in tensors if isinstance(f.types, When) for key in f.types.ladders}
    for choice in sorted(choices) or [""]:
        ladders = {f.name: (f.types.ladders[choice] if isinstance(f.types, When) else f.types) for f in tensors}
        yield choice.replace(" ", ", "), {f.name: (ladders[f.name], f.rank or operator.ranks) for f in tensors}


# Rules


def rules_of(operator: type[Operator]) -> list[Rule]:
    """The rules that the declarations state, and those that `check`, and whatever it calls, can report."""
    found = {id: RULES[id] for id in _declared_rules(operator)}
    seen: set[Any] = set()
    waiting: list[Any] = [operator.check]
    while waiting:
        function = waiting.pop()
        if function in seen or not isinstance(function, FunctionType):
            continue
        seen.add(function)
        for name in _names_in(function.__code__):
            value = function.__globals__.get(name, getattr(operator, name, None))
            if isinstance(value, Rule):
                found[value.id] = value
            elif getattr(value, "__module__", "").startswith("anydml.operators"):
                waiting.append(value)
    return [found[id] for id in sorted(found)]


def _declared_rules(operator: type[Operator]) -> Iterator[str]:
    for field in operator.attribute_fields():
        inner = field.type.of if isinstance(field.type, Array) else field.type
        if field.dimensions:
            yield "attribute.count"
        if isinstance(inner, Axis):
            yield "attribute.axis"
        if isinstance(inner, TypeOf):
            yield "scalar.data-type"
        if isinstance(inner, Integer) and inner.minimum is not None:
            yield "attribute.minimum"
        if isinstance(inner, Activation):
            yield from ("activation.fusable", "activation.tensors", "activation.host")
    if operator.sizes_of:
        yield "tensor.sizes"


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


# Everything


def summary(operator: type[Operator]) -> dict[str, Any]:
    """One operator of a list: its names, its level, and what its inputs may be (its outputs, if it has none)."""
    inputs = {field.dml_name for field in operator.tensor_fields() if field.is_input}
    rows = [row for row in support_rows(operator) if not inputs or inputs & set(row.tensors)]
    types = {kind for row in rows for kind in row.data_types}
    ranks = [limit for row in rows for limit in row.ranks]
    return {
        "name": operator.dml_type,
        "python": operator.__name__,
        "family": family_of(operator),
        "feature_level": operator.since.text,
        "directml_version": LEVELS[operator.since].directml_version,
        "data_types": [kind.name for kind in DataType if kind in types],
        "ranks": [min(ranks), max(ranks)],
        "meaning": meaning_of(operator),
    }


def describe(operator: type[Operator]) -> dict[str, Any]:
    """Everything that is declared of one operator."""
    return {
        **summary(operator),
        "id": operator.dml_id,
        "form": form_of(operator),
        "fields": [_field(field) for field in operator.fields.values()],
        "support": [_row(row) for row in support_rows(operator)],
        "same": [
            {"properties": list(group.properties), "tensors": [pascal(name) for name in group.tensors]}
            for group in operator.same
        ],
        "sizes": {pascal(name): pattern for name, pattern in operator.sizes_of.items()},
        "rules": [{"id": rule.id, "says": rule.says} for rule in rules_of(operator)],
        "in_place": [[pascal(source), pascal(target)] for source, target in operator.in_place],
        "fusable": operator.fusable,
        "owned_inputs": operator.owned_inputs,
    }


def _field(field: TensorField | AttributeField) -> dict[str, Any]:
    since = getattr(field, "optional_since", None)
    return {
        "name": field.dml_name,
        "python": field.name,
        "role": field.role if isinstance(field, TensorField) else "attribute",
        "type": field_type(field),
        "count": field.length,
        "optional": field.optional,
        "optional_since": since.text if since else None,
        "members": members_of(field),
    }


def _row(row: SupportRow) -> dict[str, Any]:
    return {
        "feature_level": row.level.text,
        "tensors": list(row.tensors),
        "when": row.when or None,
        "ranks": list(row.ranks),
        "data_types": [kind.name for kind in row.data_types],
    }
