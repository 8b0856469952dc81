"""How a layout or a description draws itself in a notebook."""

from __future__ import annotations

from anydml.core.layout import Layout
from anydml.core.tensor import TensorDesc
from anydml.view import svg
from anydml.view.subject import Subject


def draw(value: Layout | TensorDesc) -> str:
    """An HTML fragment that holds the picture and nothing else."""
    return f'<div style="max-width: 100%; overflow-x: auto">{svg.render(Subject.of(value))}</div>'
