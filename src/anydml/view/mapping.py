"""Where a window takes each element from: start + strides · index, element by element and in words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, product
from math import prod

from anydml.view.elements import Index
from anydml.view.picture import Picture
from anydml.view.subject import Window

MOST_ROWS = 16
_MOST_POSITIONS = 6


@dataclass(frozen=True)
class Row:
    """One element of a window's result."""

    output: Index
    computed: str
    source: Index
    label: str

    @property
    def text(self) -> str:
        shown = f" = {self.label}" if self.label else ""
        return f"output{_bracketed(self.output)} = {self.computed} = input{_bracketed(self.source)}{shown}"


def rows_of(picture: Picture) -> tuple[Row, ...]:
    """The chosen elements of the result, or the first ones."""
    window = picture.subject.window
    if window is None:
        return ()
    first = islice(product(*map(range, window.output_sizes)), MOST_ROWS)
    return tuple(_row(picture, window, index) for index in (picture.subject.indices or first))


def hidden_rows(picture: Picture) -> int:
    """How many elements of the result have no row."""
    window = picture.subject.window
    return 0 if window is None or picture.subject.indices else max(0, prod(window.output_sizes) - MOST_ROWS)


def _row(picture: Picture, window: Window, index: Index) -> Row:
    source = window.source(index)
    computed = f"{braced(window.starts)} + {braced(window.strides)} · {braced(index)}"
    return Row(index, computed, source, picture.label_at(source))


def window_words(window: Window) -> str:
    """Offsets, sizes and strides as DirectML writes them."""
    return f"offsets {braced(window.offsets)}, sizes {braced(window.sizes)}, strides {braced(window.strides)}"


def sentences(window: Window, axes: str) -> list[str]:
    """What the window does along each dimension that has more than one element."""
    found = []
    for axis, name in enumerate(axes):
        offset, size, stride = window.offsets[axis], window.sizes[axis], window.strides[axis]
        if size == 1 and window.output_sizes[axis] == 1 and offset == 0:
            continue
        taken = range(window.starts[axis], window.lasts[axis] + (1 if stride > 0 else -1), stride)
        back = f" at its end, {offset} + {size} - 1 = {window.starts[axis]}," if stride < 0 else f" at {offset}"
        covers = f"covers {offset} to {offset + size - 1}" if size > 1 else f"covers {offset}"
        found.append(f"Along {name} the window {covers}; stride {stride} starts{back} and takes {_few(taken)}.")
    return found


def _few(positions: range) -> str:
    if len(positions) <= _MOST_POSITIONS:
        return ", ".join(map(str, positions))
    return f"{', '.join(map(str, positions[:3]))}, …, {positions[-1]}"


def braced(numbers: Index) -> str:
    return "{" + ", ".join(map(str, numbers)) + "}"


def _bracketed(numbers: Index) -> str:
    return "[" + ", ".join(map(str, numbers)) + "]"
