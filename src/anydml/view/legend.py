"""What the marks of a picture mean: one wording for every renderer, and only for what the picture shows."""

from __future__ import annotations

from anydml.view.picture import LETTERS, Kind, Picture, Reach

MEANINGS: dict[Kind | Reach, str] = {
    Kind.BROADCAST: "read by several indices (stride 0)",
    Kind.OVERLAP: "several indices meet here (overlap)",
    Kind.PADDING: "padding, belongs to no index",
    Kind.TAIL: "tail, after the last element",
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


def numbering(picture: Picture) -> str:
    """What the numbers in cells count, where there are more elements than letters; they look like offsets."""
    if picture.distinct is None:
        return "numbers in cells count places from the first element"
    return "numbers in cells count elements in row-major order" if picture.distinct > len(LETTERS) else ""
