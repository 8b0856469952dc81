"""`anydml.explain`: what `anydml explain` shows, as a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from anydml.core.errors import InvalidDescriptionError
from anydml.core.integers import require_integers
from anydml.core.layout import Layout
from anydml.core.rules import rule
from anydml.core.schema import Operator
from anydml.core.tensor import TensorDesc
from anydml.graph.graph import Graph
from anydml.process.loading import load_module
from anydml.view.notebook import window_of
from anydml.view.subject import Subject, Window

NOT_EXPLAINED = rule("explain.kind", "What is explained is a Layout, a TensorDesc or a Slice1.")
ENDING = rule("explain.file", "An explanation is saved as .svg, .html, .json or .txt.")


class Explanation:
    """Printed, it is text; in a notebook, a picture; `save` writes either to a file."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def to_text(self, width: int = 80) -> str:
        """The explanation for a terminal of this width."""
        text = load_module("anydml.view.text")
        return str(text.render(self._subject, text.Canvas(width)))

    def to_svg(self) -> str:
        """The picture."""
        return str(load_module("anydml.view.svg").render(self._subject))

    def to_html(self) -> str:
        """A page of its own, on which cells that belong together light up."""
        return str(load_module("anydml.view.html").render(self._subject))

    def to_dict(self) -> dict[str, Any]:
        """Every figure, sentence and cell, as plain data."""
        return dict(load_module("anydml.view.data").as_data(self._subject))

    def save(self, path: str | Path) -> Path:
        """Write the picture (.svg), the page (.html), the data (.json) or the text (.txt), by the name's ending."""
        from json import dumps

        writers: dict[str, Callable[[], str]] = {
            ".svg": self.to_svg,
            ".html": self.to_html,
            ".json": lambda: dumps(self.to_dict(), indent=2) + "\n",
            ".txt": self.to_text,
        }
        target = Path(path)
        writer = writers.get(target.suffix.lower())
        if writer is None:
            fix = target.with_suffix(".svg").name
            raise InvalidDescriptionError(ENDING("path", target.name, "one of " + ", ".join(writers), fix), "save")
        target.write_text(writer(), "utf-8")
        return target

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return f'<div style="max-width: 100%; overflow-x: auto">{self.to_svg()}</div>'


def explain(
    value: TensorDesc | Layout | Operator,
    *,
    index: Sequence[int] | Sequence[Sequence[int]] = (),
    values: Any = None,
    window: Window | None = None,
    order: str | None = None,
) -> Explanation:
    """What sizes and strides mean: kind, offsets, bytes, drawn.

    `index` is an index, or several, to work out; with a window, of its result. `values` are shown in cells: one for
    each index, or one for each place in memory. A Slice1 is explained by its window over its input.
    """
    if isinstance(value, Operator):
        window = window_of(value)
        if window is None:
            fix = "explain(operator.input_tensor)"
            raise InvalidDescriptionError(
                NOT_EXPLAINED("", type(value).__name__, "a Layout, a TensorDesc or a Slice1", fix), "explain"
            )
        value = value.tensor("input_tensor")
    elif not isinstance(value, (TensorDesc, Layout)):
        fix = "TensorDesc.from_array(array)" if hasattr(value, "dtype") else "TensorDesc('FLOAT32', [2, 3])"
        fix = "graph.describe() or graph.to_svg()" if isinstance(value, Graph) else fix
        expected = "a Layout, a TensorDesc or a Slice1"
        raise InvalidDescriptionError(NOT_EXPLAINED("", type(value).__name__, expected, fix), "explain")
    several = list(index)
    indices = [several] if several and not isinstance(several[0], Sequence) else several
    read = [require_integers(each, "index") for each in indices]
    return Explanation(Subject.of(value, order=order, window=window, indices=read, values=values))
