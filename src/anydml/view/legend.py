"""What the marks of a picture mean: one wording for every renderer, and only for what the picture shows."""

from __future__ import annotations

from anydml.view.mapping import window_words
from anydml.view.picture import LETTERS, Kind, Picture, Reach

MEANINGS: dict[Kind | Reach, str] = {
    Kind.BROADCAST: "read by several indices (stride 0)",
    Kind.OVERLAP: "several indices meet here (overlap)",
    Kind.PADDING: "padding, belongs to no index",
    Kind.TAIL: "tail, up to a multiple of 4 bytes",
    Kind.BEFORE: "memory before the tensor",
    Reach.TAKEN: "taken by the window, numbered in the order of taking",
    Reach.SKIPPED: "in the window, stepped over",
    Reach.OUTSIDE: "outside the window",
}


def legend(picture: Picture) -> list[tuple[Kind | Reach, str]]:
    """The marks this picture uses, with their meanings."""
    used: set[Kind | Reach] = {cell.kind for cell in picture.memory_cells}
    used |= {cell.kind for cell in picture.grid.cells.values()}
    used |= {cell.reach for cell in picture.memory_cells if cell.reach}
    return [(mark, meaning) for mark, meaning in MEANINGS.items() if mark in used]


def window_legend(picture: Picture) -> str:
    """The window's three lists, told beside its outline."""
    window = picture.subject.window
    return f"the window: {window_words(window)}" if window else ""


def labels(picture: Picture) -> tuple[str, str]:
    """The text of a cell, and what it is where it is no letter; numbers look like offsets. Else two empty texts."""
    sample = next(iter(picture.grid.cells.values())).label
    if picture.subject.values is not None:
        return sample, "the value of an element"
    if picture.distinct is None:
        return sample, "the number of a place, counted from the first element"
    is_counted = picture.distinct > len(LETTERS)
    return (sample, "the number of an element, counted in row-major order") if is_counted else ("", "")
