"""Rectangles of SVG shapes that are put beside and below one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SheetSize:
    """How wide a row of sheets may grow, and the space between them."""

    width: int
    gap: int


@dataclass(frozen=True)
class Sheet:
    """Shapes drawn from the origin, and the room they take."""

    width: int
    height: int
    shapes: tuple[str, ...]

    def at(self, x: int, y: int) -> list[str]:
        """The shapes moved to a place."""
        if (x, y) == (0, 0):
            return list(self.shapes)
        return [f'<g transform="translate({x} {y})">', *self.shapes, "</g>"]


def stack(sheets: Sequence[Sheet], gap: int) -> Sheet:
    """One under another."""
    shapes: list[str] = []
    y = 0
    for sheet in sheets:
        shapes += sheet.at(0, y)
        y += sheet.height + gap
    return Sheet(max(sheet.width for sheet in sheets), y - gap, tuple(shapes))


def beside(sheets: Sequence[Sheet], gap: int) -> Sheet:
    """In a row, tops aligned."""
    shapes: list[str] = []
    x = 0
    for sheet in sheets:
        shapes += sheet.at(x, 0)
        x += sheet.width + gap
    return Sheet(x - gap, max(sheet.height for sheet in sheets), tuple(shapes))


def flow(sheets: Sequence[Sheet], size: SheetSize) -> Sheet:
    """In a row while they fit, then on below."""
    rows: list[list[Sheet]] = []
    for sheet in sheets:
        used = sum(placed.width + size.gap for placed in rows[-1]) if rows else 0
        if rows and used + sheet.width <= size.width:
            rows[-1].append(sheet)
        else:
            rows.append([sheet])
    return stack([beside(row, size.gap) for row in rows], size.gap)
