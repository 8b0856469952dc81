"""Nests made canonical for the processor: few loops, in the order of memory, strides in bytes.

The two innermost loops are called rows and columns; a kernel works on vectors of columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, starmap
from math import prod

from anydml.core.datatype import DataType
from anydml.core.steps import Access, Nest

EVEN, STILL, PAIRED, TURNED, APART = "even", "still", "paired", "turned", "apart"
"""How an operand moves along the columns: to the neighbouring element, not at all, to the next but one, far but to the
neighbouring element along the rows, or far along both."""


@dataclass(frozen=True)
class Side:
    """An operand of a nest: how far each loop steps in it, and where it starts, in bytes."""

    slot: int
    type: DataType
    strides: tuple[int, ...]
    offset: int
    is_store: bool

    @property
    def element_bytes(self) -> int:
        return self.type.element_bytes

    def moved_on(self, distance: int) -> Side:
        return Side(self.slot, self.type, self.strides, self.offset + distance, self.is_store)

    @property
    def step(self) -> str:
        rows, columns = self.strides[-2:]
        if columns == 0 and not self.is_store:
            return STILL
        if columns == self.element_bytes:
            return EVEN
        if columns == 2 * self.element_bytes and not self.is_store:
            return PAIRED
        return TURNED if rows == self.element_bytes and not self.is_store else APART


@dataclass(frozen=True)
class Loops:
    """Loops, outermost first, and the operands they walk over: loads in order, then stores."""

    sizes: tuple[int, ...]
    sides: tuple[Side, ...]

    @property
    def is_one_row(self) -> bool:
        """Whether all elements are neighbours, or the same."""
        is_flat = prod(self.sizes[:-1]) == 1
        return is_flat and all(side.strides[-1] in (0, side.element_bytes) for side in self.sides)

    @property
    def iterations(self) -> int:
        return prod(self.sizes)

    @property
    def bytes_touched(self) -> int:
        """About how much memory is read and written, repeated reads of one element counted once."""
        return sum(
            side.element_bytes * prod(n for n, s in zip(self.sizes, side.strides, strict=True) if s != 0)
            for side in self.sides
        )

    def part(self, loop: int, start: int, stop: int) -> Loops:
        """Some iterations of one loop."""
        sizes = (*self.sizes[:loop], stop - start, *self.sizes[loop + 1 :])
        return Loops(sizes, tuple(side.moved_on(start * side.strides[loop]) for side in self.sides))

    def reordered(self, order: Sequence[int]) -> Loops:
        sides = tuple(replace(side, strides=tuple(side.strides[loop] for loop in order)) for side in self.sides)
        return Loops(tuple(self.sizes[loop] for loop in order), sides)


def canonical(nest: Nest) -> Loops:
    """The loops of a nest: those that run once dropped, ordered for memory, merged where all operands run on."""
    sides = _sides_of(nest)
    if all(_is_dense(side, nest.sizes) for side in sides):
        return _one_row(nest.iterations, sides)
    return with_rows(_rows_chosen(merged(_ordered(forward(nest)))))


def in_order_of_store(nest: Nest) -> Loops:
    """The same, whatever most operands are walked evenly in: the last result is."""
    loops = forward(nest)
    return with_rows(_rows_chosen(merged(loops.reordered(order_of(loops.sides[-1])))))


def forward(nest: Nest) -> Loops:
    """The loops of a nest but those that run once, each in the direction of memory."""
    return _forward(Loops(nest.sizes, _sides_of(nest)).reordered([n for n, size in enumerate(nest.sizes) if size > 1]))


def _sides_of(nest: Nest) -> tuple[Side, ...]:
    loads = (side_of(access, False) for access in nest.loads)
    return (*loads, *(side_of(store.access, True) for store in nest.stores))


def side_of(access: Access, is_store: bool) -> Side:
    size = access.type.element_bytes
    return Side(access.slot, access.type, tuple(s * size for s in access.strides), access.offset * size, is_store)


def _is_dense(side: Side, sizes: tuple[int, ...]) -> bool:
    """Whether elements follow one another in the order of the loops."""
    step = side.element_bytes
    for size, stride in zip(reversed(sizes), reversed(side.strides), strict=True):
        if size > 1 and stride != step:
            return False
        step *= size
    return True


def _one_row(columns: int, sides: Sequence[Side]) -> Loops:
    """One row of all elements, of operands that are dense."""
    told = ((side.slot, side.type, (0, side.element_bytes), side.offset, side.is_store) for side in sides)
    return Loops((1, columns), tuple(starmap(Side, told)))


def _forward(loops: Loops) -> Loops:
    """Every loop walks the first store, or the first operand it moves at all, towards higher addresses."""
    sides = list(loops.sides)
    for loop, size in enumerate(loops.sizes):
        ranked = sorted(sides, key=lambda side: not side.is_store)
        lead = next((side.strides[loop] for side in ranked if side.strides[loop]), 1)
        if lead < 0:
            sides = [_turned(side, loop, size) for side in sides]
    return Loops(loops.sizes, tuple(sides))


def _turned(side: Side, loop: int, size: int) -> Side:
    stride = side.strides[loop]
    strides = (*side.strides[:loop], -stride, *side.strides[loop + 1 :])
    return replace(side, strides=strides, offset=side.offset + (size - 1) * stride)


def _ordered(loops: Loops) -> Loops:
    """Loops in the order of an operand, such that most operands are walked evenly."""
    ranked = sorted(loops.sides, key=lambda side: not side.is_store)
    orders = [order_of(side) for side in ranked if side.is_store or 0 not in side.strides]
    return loops.reordered(min(orders, key=lambda order: _cost(loops, order)))


def order_of(side: Side) -> tuple[int, ...]:
    """The loops by falling distance in one operand."""
    return tuple(sorted(range(len(side.strides)), key=lambda loop: (-abs(side.strides[loop]), loop)))


def _cost(loops: Loops, order: Sequence[int]) -> int:
    """Bytes that are not walked evenly along the innermost loop."""
    return sum(
        side.element_bytes * (1 + side.is_store)
        for side in loops.sides
        if order and side.strides[order[-1]] not in (0, side.element_bytes)
    )


def merged(loops: Loops) -> Loops:
    """Neighbouring loops become one where every operand runs on evenly."""
    sizes: list[int] = []
    strides: list[list[int]] = [[] for _ in loops.sides]
    for loop, size in enumerate(loops.sizes):
        own = [side.strides[loop] for side in loops.sides]
        if sizes and all(found[-1] == stride * size for found, stride in zip(strides, own, strict=True)):
            sizes[-1] *= size
            for found, stride in zip(strides, own, strict=True):
                found[-1] = stride
        else:
            sizes.append(size)
            for found, stride in zip(strides, own, strict=True):
                found.append(stride)
    sides = tuple(replace(side, strides=tuple(s)) for side, s in zip(loops.sides, strides, strict=True))
    return Loops(tuple(sizes), sides)


def _rows_chosen(loops: Loops) -> Loops:
    """The loop that most operands which are far apart along the columns walk evenly becomes the rows."""
    outer = range(len(loops.sizes) - 1)
    far = [side for side in loops.sides if side.strides and side.strides[-1] not in (0, side.element_bytes)]

    def gain(loop: int) -> int:
        return sum(side.element_bytes for side in far if side.strides[loop] == side.element_bytes)

    best = max(outer, key=lambda loop: (gain(loop), loop), default=0)
    if not outer or gain(best) == 0:
        return loops
    return loops.reordered([*(loop for loop in outer if loop != best), best, len(loops.sizes) - 1])


def with_rows(loops: Loops) -> Loops:
    """At least two loops: those that are missing run once, and a lone column is walked evenly."""
    missing = 2 - len(loops.sizes)
    if missing <= 0:
        return loops
    added = [((0, side.element_bytes) if missing == 2 else (0,)) for side in loops.sides]
    sides = (replace(side, strides=(*more, *side.strides)) for side, more in zip(loops.sides, added, strict=True))
    return Loops((1,) * missing + loops.sizes, tuple(sides))


def cut(loops: Loops, pieces: int, order: Sequence[int], grains: Sequence[int]) -> Iterator[Loops]:
    """About so many parts: loops are cut in this order, each in multiples of its grain."""
    if pieces <= 1 or not order:
        yield loops
        return
    bounds = spans(loops.sizes[order[0]], pieces, grains[0])
    for start, stop in bounds:
        yield from cut(loops.part(order[0], start, stop), -(-pieces // len(bounds)), order[1:], grains[1:])


def spans(size: int, pieces: int, grain: int) -> list[tuple[int, int]]:
    """So many spans of a loop at most, all but the last multiples of the grain, and none less if there is so much."""
    units = max(1, size // grain)
    count = min(pieces, units)
    return list(pairwise([*(units * number // count * grain for number in range(count)), size]))
