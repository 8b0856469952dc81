"""What `help(Slice1)` shows: an operator's fields with types and defaults, what each level allows, rules, an example.

The text is written when it is asked for, so that importing operators costs nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

from anydml.core.datatype import DataType
from anydml.core.schema.attributes import (
    Array,
    AttributeType,
    Boolean,
    Enumeration,
    Float,
    Integer,
    Scalar,
    ScaleBias,
    Size2D,
)
from anydml.core.schema.fields import Field, TensorField, When
from anydml.process.loading import load_module

if TYPE_CHECKING:
    from anydml.core.schema.operator import Operator

_WIDTH = 100
_SIMPLE_TYPES: dict[type[AttributeType], str] = {
    Float: "float",
    Boolean: "bool",
    Scalar: "float",
    Size2D: "tuple[int, int]",
    ScaleBias: "tuple[float, float]",
}


class LazyDoc:
    """A class's docstring: what its author wrote, and what its declarations say."""

    def __init__(self, own: str) -> None:
        self.own = own

    def __get__(self, instance: object, owner: type[Operator]) -> str:
        return document(owner, self.own)


class LazySignature:
    """A class's signature, made where somebody asks for it: most programs use few of the operators."""

    def __get__(self, instance: object, owner: type[Operator]) -> inspect.Signature:
        return signature_of(owner)


class BoundDoc:
    """The `__doc__` of a metaclass, whose classes then give theirs bound even where `pydoc` asks for the bare one."""

    def __init__(self, own: str) -> None:
        self.own = own

    def __get__(self, cls: type | None, metaclass: type) -> str | None:
        text: str | None = self.own if cls is None else vars(type)["__doc__"].__get__(cls)
        return text

    def __set__(self, cls: type, text: object) -> None:
        vars(type)["__doc__"].__set__(cls, text)


def own_text(operator: type[Operator]) -> str:
    """What the operator means, in its author's words and on one line."""
    found = vars(operator).get("__doc__")
    return " ".join((found.own if isinstance(found, LazyDoc) else str(found or "")).split())


def document(operator: type[Operator], own: str) -> str:
    """The whole text."""
    parts = [inspect.cleandoc(own), f"DML_OPERATOR_{operator.dml_type}, from feature level {operator.since.text}."]
    parts.append("Fields:\n" + "\n".join(f"    {line}" for f in operator.fields.values() for line in _field(f)))
    support = list(_support(operator))
    if support:
        parts.append("Tensors by feature level:\n" + "\n".join(support))
    rules = list(_rules(operator))
    if rules:
        parts.append("Rules:\n" + "\n".join(_wrapped(rule) for rule in rules))
    parts.append("Example:\n" + example(operator))
    return "\n\n".join(parts)


def _field(field: Field) -> list[str]:
    role = f"{field.role} " if isinstance(field, TensorField) else ""
    text = f"{field.name}: {type_text(field)}"
    default = default_of(field)
    text += f" = {default}" if default is not None else ""
    remark = f"{role}{field.dml_name}" + (f", {field.length} of them" if field.length else "")
    return [f"{text}  ({remark})"]


def default_of(field: Field) -> str | None:
    """The default as Python; None where the field has to be given."""
    if isinstance(field, TensorField):
        return "None" if field.optional or not field.is_input else None
    if field.default is None:
        return "None" if field.optional else None
    name = getattr(field.default, "name", None)
    value = repr(name) if name is not None and not isinstance(field.default, type) else repr(field.default)
    return f"[{value}, ...]" if field.dimensions is not None else value


def type_text(field: Field) -> str:
    """The type of a field's value, in a few words."""
    if isinstance(field, TensorField):
        base = "TensorDesc"
        many = f"tuple[{base}, ...]" if field.is_list else base
        return f"{many} | None" if field.optional else many
    text = _attribute_text(field.type)
    return f"{text} | None" if field.optional else text


def _attribute_text(kind: AttributeType) -> str:
    if isinstance(kind, Array):
        return f"tuple[{_attribute_text(kind.of)}, ...]"
    if isinstance(kind, Enumeration):
        return kind.of.__name__
    simple = {
        Float: "float",
        Boolean: "bool",
        Scalar: "float",
        Size2D: "tuple[int, int]",
        ScaleBias: "tuple[float, float]",
    }
    if isinstance(kind, Integer):
        return "int"
    return next((text for cls, text in simple.items() if isinstance(kind, cls)), "Operator")


# What levels allow


def _support(operator: type[Operator]) -> Iterator[str]:
    """For each level that changed something: dimensions and data types of each tensor."""
    for field in operator.tensor_fields():
        ladders = field.types.ladders if isinstance(field.types, When) else {"": field.types}
        for choice, ladder in ladders.items():
            ranks = field.rank or operator.ranks
            later = {level for level, _ in (*ladder.steps, *ranks.steps) if level > operator.since}
            levels = sorted({operator.since, *later})
            name = field.name + (f" ({choice.replace(' ', ', ')})" if choice else "")
            for level in levels:
                yield _wrapped(f"{name} from {level.text}: {_ranks(ranks.at(level))}, {_types(ladder.at(level))}")


def _ranks(found: tuple[int, int] | None) -> str:
    low, high = found or (1, 8)
    return f"{low} dimensions" if low == high else f"{low} to {high} dimensions"


def _types(found: Iterable[DataType] | None) -> str:
    return ", ".join(kind.name for kind in DataType if kind in set(found or ()))


def _rules(operator: type[Operator]) -> Iterator[str]:
    for group in operator.same:
        yield f"{', '.join(group.tensors)} have the same {', '.join(group.properties)}."
    for name, pattern in operator.sizes_of.items():
        yield f"{name} has sizes {pattern}."
    if operator.in_place:
        pairs = ", ".join(f"{output} on {source}" for source, output in operator.in_place)
        yield f"It may run in place: {pairs}."
    if not operator.owned_inputs:
        yield "No input may be OWNED_BY_DML."
    for each in load_module("anydml.catalog.facts").rules_of(operator):
        yield f"{each.says} [{each.id}]"


def _wrapped(text: str) -> str:
    return fill(text, _WIDTH, initial_indent="    ", subsequent_indent="        ")


# An example


def example(operator: type[Operator]) -> str:
    """A program that makes the operator and runs it."""
    examples = load_module("anydml.catalog.examples")
    if not examples.has_example(operator):
        needed = [f"{f.name}=..." for f in operator.fields.values() if default_of(f) is None]
        return f"    {operator.__name__}({', '.join(needed)})"
    return indent(str(examples.as_python(examples.example_of(operator))).rstrip(), "    ")


def signature_of(cls: type[Operator]) -> inspect.Signature:
    """Keyword-only parameters with their types and defaults."""
    parameters = []
    for field in cls.fields.values():
        default: Any = inspect.Parameter.empty
        if default_of(field) is not None:
            default = getattr(field, "default", None)
        annotation = type_text(field)
        parameters.append(
            inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        )
    return inspect.Signature(parameters)
