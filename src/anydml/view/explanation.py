"""`anydml.explain`: what `anydml explain` shows, as a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from anydml.core.calling import answering
from anydml.core.errors import InvalidDescriptionError, blamed, raise_if_any, shown
from anydml.core.fixes import Use
from anydml.core.integers import require_integer, require_integers, require_list
from anydml.core.layout import Layout
from anydml.core.orders import check_order
from anydml.core.outside import answer, as_integer
from anydml.core.rules import rule
from anydml.core.schema import Operator
from anydml.core.tensor import TensorDesc
from anydml.core.windows import check_window
from anydml.files.access import as_path, write_files
from anydml.graph.graph import Graph
from anydml.process.loading import load_module
from anydml.view.notebook import window_of
from anydml.view.subject import Subject, Window

NOT_EXPLAINED = rule("explain.kind", "What is explained is a Layout, a TensorDesc or a Slice1.")
WIDTH = rule("explain.width", "A text has room for at least 20 characters in a line.")
NO_WINDOW = rule("explain.window", "What a picture shows of a tensor is a Window over it.")
LEAST_WIDTH = 20
_LONGEST_STEM = 40
ENDING = rule("explain.file", "An explanation is saved as .svg, .html, .json or .txt.")


class Explanation:
    """Printed, it is text; in a notebook, a picture; `save` writes either to a file."""

    def __init__(self, subject: Subject) -> None:
        if not isinstance(subject, Subject):
            found, expected = shown(subject), "what `explain` has read"
            raise InvalidDescriptionError(NOT_EXPLAINED("subject", found, expected, "explain(...)"), "Explanation")
        self._subject = subject

    def to_text(self, width: int = 80) -> str:
        """The explanation for a terminal of this width, from 20 columns on."""
        columns = require_integer(width, "width")
        if columns < LEAST_WIDTH:
            raise InvalidDescriptionError(
                WIDTH("width", columns, f"at least {LEAST_WIDTH}", Use(LEAST_WIDTH)), "to_text"
            )
        text = load_module("anydml.view.text")
        return str(text.render(self._subject, text.Canvas(columns)))

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
        target = as_path(path, "path")
        writer = writers.get(target.suffix.lower())
        if writer is None:
            fix = f"{target.stem[:_LONGEST_STEM] or 'picture'}.svg"
            raise InvalidDescriptionError(
                ENDING("path", shown(target.name), f"one of {', '.join(writers)}", fix), "save"
            )
        write_files({target: [writer().encode()]})
        return target

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return f'<div style="max-width: 100%; overflow-x: auto">{self.to_svg()}</div>'


_HINTS = {
    name: f"explain(TensorDesc('FLOAT32', [2, 3], {name}=...))"
    for name in ("strides", "flags", "axes", "total_tensor_size_in_bytes", "guaranteed_base_offset_alignment")
} | {
    "sizes": "explain(TensorDesc('FLOAT32', sizes))",
    "data_type": "explain(TensorDesc(data_type, [2, 3]))",
    "offset": "explain(Layout([2, 3], offset=...))",
    "width": "explain(...).to_text(width)",
}
"""What a tensor is belongs to its description."""


@answering(_HINTS)
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
        fix = (
            "TensorDesc.from_array(array)"
            if answer(lambda: hasattr(value, "dtype"), False)
            else "TensorDesc('FLOAT32', [2, 3])"
        )
        fix = "graph.describe() or graph.to_svg()" if isinstance(value, Graph) else fix
        expected = "a Layout, a TensorDesc or a Slice1"
        raise InvalidDescriptionError(NOT_EXPLAINED("", type(value).__name__, expected, fix), "explain")
    if order is not None:
        raise_if_any(check_order(order, len(value.sizes), path="order"), subject="explain")
    with blamed("explain"):
        indices = _read_indices(index)
        chosen = None if window is None else _read_window(window, value.sizes)
        return Explanation(Subject.of(value, order=order, window=chosen, indices=indices, values=values))


def _read_indices(index: Any) -> list[tuple[int, ...]]:
    """One index, or several."""
    given = require_list(index, "index", "integers, or of lists of them", fix="(0, 1)")
    if not given or as_integer(given[0]) is not None:
        return [require_integers(given, "index")] if given else []
    return [require_integers(each, f"index[{i}]") for i, each in enumerate(given)]


def _read_window(window: Any, whole: tuple[int, ...]) -> Window:
    """A window that lies inside these sizes."""
    if not isinstance(window, Window):
        fix = "Window.of(sizes, offsets, sizes of the window, strides)"
        raise InvalidDescriptionError(NO_WINDOW("window", shown(window), "a Window", fix))
    fields = (window.offsets, window.sizes, window.strides, window.output_sizes)
    raise_if_any(each.under("window") for each in check_window(whole, *fields))
    return window
