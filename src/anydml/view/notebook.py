"""How layouts, descriptions and operators draw themselves in a notebook."""

from __future__ import annotations

from html import escape
from typing import Any

from anydml.core.layout import Layout
from anydml.core.schema import Operator
from anydml.core.tensor import TensorDesc
from anydml.graph.graph import Graph
from anydml.view import graph as graph_view
from anydml.view import svg
from anydml.view.subject import Subject, Window


def draw(value: Layout | TensorDesc) -> str:
    """An HTML fragment that holds the picture and nothing else."""
    return _scrolling(svg.render(Subject.of(value)))


def draw_operator(operator: Operator) -> str:
    """A window over its tensor where the operator is one; else the operator between its tensors; then its fields."""
    window = window_of(operator)
    picture = ""
    if window is not None:
        picture = svg.render(Subject.of(operator.tensor("input_tensor"), window=window))
    elif not operator.is_fused:
        picture = graph_view.to_svg(Graph.of(operator))
    rows = [
        f"<tr><td>{name}</td><td><code>{escape(_shown(value))}</code></td></tr>" for name, value in _fields(operator)
    ]
    table = f"<table><caption>{type(operator).__name__}</caption>{''.join(rows)}</table>"
    return _scrolling(picture + table)


def window_of(operator: Operator) -> Window | None:
    """The window that SLICE or SLICE1 takes of its input."""
    values = operator.values()
    if operator.is_fused:
        return None
    if operator.dml_type == "SLICE1":
        lists = (values[f"input_window_{name}"] for name in ("offsets", "sizes", "strides"))
        offsets, sizes, strides = lists
    elif operator.dml_type == "SLICE":
        offsets, strides = values["offsets"], values["strides"]
        sizes = tuple((n - 1) * s + 1 for n, s in zip(values["sizes"], strides, strict=True))
    else:
        return None
    return Window.of(values["input_tensor"].sizes, offsets, sizes, strides, values["output_tensor"].sizes)


def _fields(operator: Operator) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in operator.values().items() if value is not None]


def _shown(value: Any) -> str:
    return str(getattr(value, "name", None) or value)


def _scrolling(text: str) -> str:
    return f'<div style="max-width: 100%; overflow-x: auto">{text}</div>'
