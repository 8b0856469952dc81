"""Who lives at a place in memory: the reverse of a layout, exact and with bounded work.

Nearly every layout is nested (each stride steps over all that the smaller ones reach), and there division
answers. Layouts that are not are listed when they are small; of large ones only both ends of memory are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Protocol

import numpy as np

from anydml.core.layout import Layout

LISTED_LIMIT = 1 << 20
ENDS = 64
Index = tuple[int, ...]


@dataclass(frozen=True)
class Element:
    """What lies at one place of memory."""

    readers: int | None
    """How many indices read it; None when that is not known."""
    collides: bool
    """Whether indices meet here that broadcasting does not explain."""
    number: int | None
    """Its place in the order in which row-major indices first reach elements; None when not known."""
    index: Index | None
    """The first index that reaches it."""


class Elements(Protocol):
    """The elements of a layout, found by offset."""

    @property
    def count(self) -> int | None:
        """How many distinct elements there are; None when not known."""

    @property
    def knows_everywhere(self) -> bool:
        """Whether any place can be asked for, or only the ends of the span."""

    def at(self, offset: int) -> Element | None:
        """The element there, or None where no index reaches."""


@dataclass(frozen=True)
class _Step:
    axis: int
    size: int
    stride: int


def _moving(layout: Layout) -> list[_Step]:
    """The dimensions that move through memory, widest stride first."""
    steps = [
        _Step(axis, size, stride)
        for axis, (size, stride) in enumerate(zip(layout.sizes, layout.strides, strict=True))
        if size > 1 and stride != 0
    ]
    return sorted(steps, key=lambda step: -abs(step.stride))


def _repeats(layout: Layout) -> int:
    """How often broadcasting alone repeats every element."""
    return prod(size for size, stride in zip(layout.sizes, layout.strides, strict=True) if stride == 0)


def _is_nested(steps: list[_Step]) -> bool:
    reach = 0
    for step in reversed(steps):
        if abs(step.stride) <= reach:
            return False
        reach += (step.size - 1) * abs(step.stride)
    return True


@lru_cache(maxsize=3)  # a picture asks for a layout, its window and what the window takes
def elements_of(layout: Layout) -> Elements:
    """The elements of any layout, by the cheapest exact way."""
    if _is_nested(_moving(layout)):
        return Nested(layout)
    if layout.logical_element_count <= LISTED_LIMIT:
        return Listed(layout)
    return Ends(layout)


class Nested:
    """Elements found by dividing the offset by each stride, widest first."""

    knows_everywhere = True

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._steps = _moving(layout)
        self._repeats = _repeats(layout)
        self.count = prod(step.size for step in self._steps)

    def at(self, offset: int) -> Element | None:
        rest = offset - self._layout.first_offset
        if rest < 0:
            return None
        index = [0] * self._layout.rank
        for step in self._steps:
            steps_taken, rest = divmod(rest, abs(step.stride))
            if steps_taken >= step.size:
                return None
            index[step.axis] = steps_taken if step.stride > 0 else step.size - 1 - steps_taken
        if rest:
            return None
        return Element(self._repeats, False, self._number(index), tuple(index))

    def _number(self, index: list[int]) -> int:
        number = 0
        for step in sorted(self._steps, key=lambda step: step.axis):
            number = number * step.size + index[step.axis]
        return number


class Listed:
    """Elements found by visiting every index once."""

    knows_everywhere = True

    def __init__(self, layout: Layout) -> None:
        self._sizes = layout.sizes
        self._repeats = _repeats(layout)
        # Counted from the first element, which keeps any offset within 64 bits.
        self._origin = layout.first_offset
        offsets = np.full(1, layout.offset - self._origin, np.int64)
        for size, stride in zip(layout.sizes, layout.strides, strict=True):
            offsets = (offsets[:, None] + np.arange(size, dtype=np.int64) * stride).reshape(-1)
        self._offsets, self._first, self._readers = np.unique(offsets, return_index=True, return_counts=True)
        self._numbers = np.argsort(np.argsort(self._first))
        self.count = len(self._offsets)

    def at(self, offset: int) -> Element | None:
        wanted = offset - self._origin
        if not 0 <= wanted <= self._offsets[-1]:
            return None
        place = int(np.searchsorted(self._offsets, wanted))
        if self._offsets[place] != wanted:
            return None
        readers = int(self._readers[place])
        index = tuple(int(i) for i in np.unravel_index(self._first[place], self._sizes))
        return Element(readers, readers > self._repeats, int(self._numbers[place]), index)


class Ends:
    """Elements near both ends of a large, tangled layout: sums of strides counted up to a short reach.

    The ways to reach an offset from below equal the ways to reach its mirror image from above.
    """

    knows_everywhere = False
    count = None

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._repeats = _repeats(layout)
        ways = [1] + [0] * (ENDS - 1)
        for step in _moving(layout):
            stride = abs(step.stride)
            ways = [
                sum(ways[place - i * stride] for i in range(min(step.size - 1, place // stride) + 1))
                for place in range(ENDS)
            ]
        self._ways = ways

    def at(self, offset: int) -> Element | None:
        below = offset - self._layout.first_offset
        depth = min(below, self._layout.last_offset - offset)
        if depth < 0:
            return None
        if depth >= ENDS:  # asked only for offsets that some index reaches
            return Element(None, self._layout.has_overlap, None, None)
        ways = self._ways[depth]
        return Element(ways * self._repeats, ways > 1, None, None) if ways else None
