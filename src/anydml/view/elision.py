"""Which cells of something large are shown: edges and points of interest, never more than a limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Gap:
    """Cells left out."""

    hidden: int


Shown: TypeAlias = tuple[int | Gap, ...]


def elide(size: int, limit: int, focus: Sequence[int] = ()) -> Shown:
    """Positions from 0 to size - 1: all when they fit the limit, else those near the edges and the focus."""
    if size <= limit:
        return tuple(range(size))
    points = list(dict.fromkeys((0, size - 1, *focus)))
    return with_gaps(_near(points, size, limit), 0, size)


def _near(points: list[int], size: int, limit: int) -> set[int]:
    kept: set[int] = set()
    for distance in range(limit):
        for point in points:
            # An edge grows inwards only; a point of interest grows on both sides.
            for place in {point + distance, point - distance}:
                if 0 <= place < size and len(kept) < limit:
                    kept.add(place)
    return kept


def with_gaps(kept: Iterable[int], first: int, end: int) -> Shown:
    """The kept positions in order, each run of missing ones as a gap (a single one is shown instead)."""
    shown: list[int | Gap] = []
    expected = first
    for place in (*sorted(set(kept)), end):
        hidden = place - expected
        if hidden == 1:
            shown.append(expected)
        elif hidden > 1:
            shown.append(Gap(hidden))
        if place < end:
            shown.append(place)
        expected = place + 1
    return tuple(shown)


def positions(shown: Shown) -> list[int]:
    """The positions that are shown, without the gaps."""
    return [place for place in shown if not isinstance(place, Gap)]


def runs(shown: Shown) -> list[list[int] | Gap]:
    """Positions that follow one another together, and the gaps between them."""
    found: list[list[int] | Gap] = []
    for place in shown:
        if isinstance(place, Gap):
            found.append(place)
        elif found and isinstance(found[-1], list):
            found[-1].append(place)
        else:
            found.append([place])
    return found


def balanced(cells: int, most: int) -> int:
    """How many cells go on each line, so that no line is left with a few of them."""
    lines = -(-cells // most)
    return -(-cells // lines)
