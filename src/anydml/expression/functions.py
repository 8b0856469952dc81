"""One function for each operator: its parameters, their order and their defaults follow from its declaration.

Inputs lose the suffix `_tensor`; parameters without a default come before those with one, each in DirectML's order.
Outputs are inferred. A name without a number stands for the newest variant that the device has, as in DirectMLX.
"""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from inspect import Parameter, Signature
from itertools import takewhile
from typing import Any

import numpy as np

import anydml.operators  # noqa: F401 - declares them all
from anydml.core.calling import answering
from anydml.core.datatype import DataType
from anydml.core.errors import MOST_VIOLATIONS, InvalidDescriptionError, Violation, raise_if_any, shown
from anydml.core.fixes import Advice, suggest
from anydml.core.integers import require_integers
from anydml.core.levels import FeatureLevel
from anydml.core.outside import answer, as_values
from anydml.core.policy import Outline
from anydml.core.rules import rule
from anydml.core.schema import OPERATORS, Operator, TensorField
from anydml.core.schema.names import require_operator
from anydml.core.schema.validate import require_valid
from anydml.core.stored import as_array, as_elements
from anydml.core.tensor import TensorDesc
from anydml.expression.graph import Expression, Graph, name_or, require_desc
from anydml.expression.places import blamed_on

OPERAND = rule("expression.operand", "An operator's inputs are expressions of one graph.")
ARGUMENT = rule("expression.argument", "A function is called with its own parameters, each once.")
COMMON = ("name", "output_sizes", "output_data_type")
"""What every function takes besides the operator's own fields."""
_KEYWORDS = {"if": "if_"}
_LONGEST_NAME = 60
_FAMILIES = frozenset(
    {
        "AVERAGE_POOLING",
        "DEPTH_TO_SPACE",
        "GATHER_ND",
        "LP_POOLING",
        "MAX_POOLING",
        "RESAMPLE_GRAD",
        "ROI_ALIGN",
        "SLICE",
        "SPACE_TO_DEPTH",
        "TOP_K",
    }
)
"""Operators whose newest variant their name stands for; others have been given other fields since."""


# Names


def parameter_name(field: Any) -> str:
    """`input_tensor` -> `input`, `quantization_tensors` -> `quantization_tensors`."""
    return field.name.removesuffix("_tensor") if isinstance(field, TensorField) else str(field.name)


def function_name(cls: type[Operator]) -> str:
    """`MAX_POOLING2` -> `max_pooling2`, `ELEMENT_WISE_ADD` -> `add`, as DirectMLX has them."""
    name = cls.dml_type.lower().removeprefix("element_wise_")
    return _KEYWORDS.get(name, name)


def parameters_of(cls: type[Operator]) -> list[Parameter]:
    """The function's parameters: those without a default, those with one, outputs that may be asked for."""
    required, optional, outputs = [], [], []
    if not any(field.is_input for field in cls.tensor_fields()):
        required.append(Parameter("graph", Parameter.POSITIONAL_OR_KEYWORD))
    for field in cls.fields.values():
        name = parameter_name(field)
        if isinstance(field, TensorField) and not field.is_input:
            if field.optional:
                outputs.append(Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=False))
        elif field.optional or getattr(field, "default", None) is not None:
            default = None if field.optional or getattr(field, "dimensions", None) else getattr(field, "default", None)
            optional.append(Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default))
        else:
            required.append(Parameter(name, Parameter.POSITIONAL_OR_KEYWORD))
    rest = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in COMMON]
    return [*required, *optional, *outputs, *rest]


# Calling


def apply(cls: type[Operator], /, *arguments: Any, **named: Any) -> Any:
    """The expression, or named tuple of expressions, that an operator computes."""
    with blamed_on("apply"):
        cls = require_operator(cls, "cls")
    title = function_name(cls)
    with blamed_on(f"{title} {shown(named['name'])}" if isinstance(named.get("name"), str) else title):
        values = _arrange(cls, arguments, named)
        graph = graph_of(values, cls)
        operator = _describe(cls, graph, values)
        require_valid(operator, graph.feature_level)
        made = graph.add_step(operator, list(_reads(operator, values)), name_or(values.get("name"), title))
    return _outputs(cls, made)


def _arrange(cls: type[Operator], arguments: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Each argument under the name of its parameter; an error with all that fit none."""
    names = [p.name for p in parameters_of(cls) if p.kind is not Parameter.KEYWORD_ONLY]
    violations: list[Violation] = []
    if len(arguments) > len(names):
        expected = f"at most {len(names)}: {', '.join(names)}"
        violations.append(ARGUMENT("", f"{len(arguments)} arguments", expected))
    values = dict(zip(names, arguments, strict=False))
    for key, value in named.items():
        if key in values:
            violations.append(ARGUMENT(key, "two values", "one", Advice("leaving one of them out")))
        elif key not in names and key not in COMMON:
            known = [*names, *COMMON]
            violations.append(ARGUMENT(key, shown(key), f"a parameter of {function_name(cls)}", suggest(key, known)))
        else:
            values[key] = value
    raise_if_any(violations)
    for name in (parameter_name(field) for field in cls.tensor_fields() if field.is_list):
        values[name] = answer(partial(_listed, values.get(name)), values.get(name))
    return values


def _listed(values: Any) -> list[Any]:
    return list(as_values(values))


def graph_of(values: Mapping[str, Any], cls: type[Operator]) -> Graph:
    """The one graph that all operands belong to."""
    violations: list[Violation] = []
    found: Graph | None = None
    if isinstance(values.get("graph"), Graph) or not any(field.is_input for field in cls.tensor_fields()):
        found = values.get("graph")
        if not isinstance(found, Graph):
            violations.append(OPERAND("graph", shown(found), "the graph to put it in", Advice("Graph()")))
    for path, operand in takewhile(lambda _: len(violations) <= MOST_VIOLATIONS, _operands(cls, values)):
        if not isinstance(operand, Expression):
            fix = Advice("input_tensor(graph, index, desc) or constant(graph, array)")
            violations.append(OPERAND(path, _described(operand), "an expression", fix))
        elif found is None:
            found = operand.graph
        elif operand.graph is not found:
            violations.append(OPERAND(path, f"{operand.name!r} of another graph", "an expression of the same graph"))
    if found is None and not violations:
        violations.append(OPERAND("", "no operand", "at least one expression"))
    raise_if_any(violations)
    assert found is not None
    return found


def _described(operand: Any) -> str:
    if operand is None:
        return "nothing"
    is_empty = type(operand).__name__ == "Expression"
    return "an empty expression" if is_empty else shown(operand)


def _operands(cls: type[Operator], values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for field in cls.tensor_fields():
        if not field.is_input:
            continue
        name = parameter_name(field)
        value = values.get(name)
        if field.is_list and type(value) is list:
            yield from ((f"{name}[{i}]", item) for i, item in enumerate(value))
        elif value is not None or not field.optional:
            yield name, value


def _describe(cls: type[Operator], graph: Graph, values: Mapping[str, Any]) -> Operator:
    """The operator with its inputs' descriptions and outlines of its outputs."""
    fields: dict[str, Any] = {}
    for field in cls.fields.values():
        value = values.get(parameter_name(field))
        if not isinstance(field, TensorField):
            is_empty = isinstance(value, (list, tuple)) and answer(partial(len, value), 1) == 0
            if value is not None and not (is_empty and getattr(field, "dimensions", None)):
                fields[field.name] = value
        elif field.is_input and isinstance(value, (list, tuple)):
            fields[field.name] = [item.desc for item in value]
        elif field.is_input and value is not None:
            fields[field.name] = value.desc
        elif not field.is_input and not isinstance(value, (TensorDesc, list, tuple)):
            if not field.optional or not (value is None or value is False):
                fields[field.name] = _outline(cls, field, graph, values)
        elif value is not None:
            fields[field.name] = value
    return cls(**fields)


def _outline(cls: type[Operator], field: TensorField, graph: Graph, values: Mapping[str, Any]) -> Outline:
    """What the caller said about an output: `output_sizes` and `output_data_type` are those of the first one."""
    first = next(each for each in cls.tensor_fields() if not each.is_input)
    sizes, kind = values.get("output_sizes"), values.get("output_data_type")
    if field is not first:
        sizes = kind = None
    numbers = None if sizes is None else require_integers(sizes, "output_sizes")
    return Outline(None if kind is None else DataType.parse(kind, "output_data_type"), numbers or None, graph.policy)


def _reads(operator: Operator, values: Mapping[str, Any]) -> Iterator[Expression | None]:
    for field in operator.tensor_fields():
        if field.is_input:
            value = values.get(parameter_name(field))
            yield from value if field.is_list and value is not None else (value,)


def _outputs(cls: type[Operator], made: Mapping[str, Expression]) -> Any:
    """One expression, a list of them, or a named tuple where an operator has several outputs, asked for or not."""
    fields = [field for field in cls.tensor_fields() if not field.is_input]
    if fields[0].is_list:
        return list(made.values())
    if len(fields) == 1:
        return made[fields[0].name]
    kind = namedtuple(f"{cls.__name__}Outputs", [parameter_name(field) for field in fields])  # type: ignore[misc]
    return kind(*(made.get(field.name) for field in fields))


# The functions


def function_of(cls: type[Operator], name: str) -> Callable[..., Any]:
    """The function that makes this operator; or its newest variant, where the name has no number."""
    variants = variants_of(cls) if name == function_name(cls) and not name[-1].isdigit() else [cls]

    def function(*arguments: Any, **named: Any) -> Any:
        chosen = cls if len(variants) == 1 else _newest(variants, arguments, named)
        return apply(chosen, *arguments, **named)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = variants[-1].__doc__
    function.__signature__ = Signature(parameters_of(variants[-1]))  # type: ignore[attr-defined]
    return function


def variants_of(cls: type[Operator]) -> list[type[Operator]]:
    """The operator and its numbered successors, oldest first, where DirectMLX has one name for all of them."""
    if cls.dml_type not in _FAMILIES:
        return [cls]
    pattern = re.compile(rf"{cls.dml_type}\d*")
    found = [each for each in OPERATORS.values() if pattern.fullmatch(each.dml_type)]
    return sorted(found, key=lambda each: (each.since, each.dml_type))


def _newest(variants: list[type[Operator]], arguments: Sequence[Any], named: Mapping[str, Any]) -> type[Operator]:
    """The newest variant of the level of the first expression's device."""
    for value in (*arguments, *named.values()):
        level = answer(partial(_level_of, value), None)
        if isinstance(level, FeatureLevel):
            return next((each for each in reversed(variants) if each.since <= level), variants[0])
    return variants[-1]


def _level_of(value: Any) -> Any:
    """The level of the device that an expression, or the first of several, is for; a graph has one itself."""
    first = value[0] if isinstance(value, (list, tuple)) else value
    holder: Any = getattr(first, "graph", first)
    return holder.feature_level


@answering(blame=blamed_on)
def input_tensor(graph: Graph, index: int, desc: TensorDesc, name: str | None = None) -> Expression:
    """The graph input of this index, described."""
    with blamed_on("input_tensor"):
        if not isinstance(graph, Graph):
            raise InvalidDescriptionError(OPERAND("graph", shown(graph), "a Graph", Advice("Graph()")))
        return graph.input(index, desc, name)


@answering(blame=blamed_on)
def constant(graph: Graph, data: Any, desc: TensorDesc | None = None, name: str | None = None) -> Expression:
    """An array, or bytes with a description, that is part of the graph (from feature level 6.2 on)."""
    with blamed_on("constant"):
        if not isinstance(graph, Graph):
            raise InvalidDescriptionError(OPERAND("graph", shown(graph), "a Graph", Advice("Graph()")))
        if desc is None:
            array = as_array(data, "data")
            desc = TensorDesc(array.dtype, array.shape or [1])
            data = np.ascontiguousarray(array)
        require_desc(desc).view(data)  # it fits, or an error tells
        return graph.constant(data, desc, name)


def filled_like(expression: Expression, value: float) -> Expression:
    """A constant with one element, read everywhere: strides of 0."""
    desc = expression.desc
    with blamed_on("constant"):
        data = as_elements(value, desc.data_type, "value").reshape(1)
    spread = TensorDesc(desc.data_type, desc.sizes, [0] * desc.rank)
    return constant(expression.graph, data, spread, name=f"constant {shown(value)}"[:_LONGEST_NAME])


def _make_all() -> dict[str, Callable[..., Any]]:
    made: dict[str, Callable[..., Any]] = {}
    for cls in OPERATORS.values():
        for name in dict.fromkeys((function_name(cls), _KEYWORDS.get(cls.dml_type.lower(), cls.dml_type.lower()))):
            made[name] = function_of(cls, name)
    for alias in ("equals", "greater_than", "greater_than_or_equal", "less_than", "less_than_or_equal"):
        made[alias] = made[f"logical_{alias}"]
    return made


DERIVED = _make_all()
globals().update(DERIVED)
