"""The machine code that folds rows of which there are many: as many at once as a vector has lanes, a lane for each.

First each row is folded to a vector. Then the even and the odd elements of the vectors of two rows are folded into one
vector, which has half as many elements of each row, and so on, until each row is one element.

Where rows lie side by side and are short, a vector holds several of them from the start.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from anydml.runtime.cpu import vectors
from anydml.runtime.cpu.expressions import emit
from anydml.runtime.cpu.reductions.kernel import Kernel
from anydml.runtime.cpu.reductions.lowering import Shape
from anydml.runtime.native.emit import Emitter, Value
from anydml.runtime.native.math.values import Vector, select

VECTORS_AT_ONCE = 4
"""Of a row: as many additions are under way."""


def module_text(shape: Shape) -> str:
    e = Emitter(shape.vector_bytes)
    (_Packed if shape.row else _Apart)(e, shape).emit()
    return e.module()


class _Rows(Kernel):
    """The columns are rows of the operand, a lane each."""

    def _inner(self) -> None:
        e, lanes = self.e, self.shape.lanes
        self.columns, self.column_steps = self._loop(0)
        whole = e.mask(self.columns, -lanes)
        with e.loop(0, whole, lanes) as first:
            self._block(first, None)
        with e.loop(whole, self.columns, lanes) as first:
            self._block(first, e.subtract(self.columns, first))

    def _block(self, first: Value, count: Value | None) -> None:
        """Rows from the first on: as many as there are lanes, or so many of them."""
        shape = self.shape
        total = self._folded(first, count)
        mask = None if count is None else vectors.first_lanes(self.e, shape.lanes, count)
        loaded = {side: self._load(side, self.pointers, first, mask) for side in self._needed(shape.store_values)}
        loaded[self.load_count] = total
        for number, value in enumerate(emit(self.lanes, shape.store_values, loaded)):
            self._store(number, value, self.pointers, first, mask)

    def _folded(self, first: Value, count: Value | None) -> Vector:
        """The folds of rows, in their order."""
        raise NotImplementedError

    def _turned(self, first: Vector, second: Vector) -> Vector:
        """The elements of two vectors, each folded with its neighbour."""
        names = [
            self.e.shuffle(first.type_name, first.name, second.name, range(start, 2 * self.shape.lanes, 2))
            for start in (0, 1)
        ]
        return self._combine(0, *(self.lanes.named(name, first.type) for name in names))

    def _elements(self, pointers: Sequence[str], place: Value, mask: str | None) -> Vector:
        """What is folded."""
        values = self.shape.stage_values
        loaded = {side: self._load(side, pointers, place, mask) for side in self._needed(values)}
        return emit(self.lanes, values, loaded)[0]


class _Packed(_Rows):
    """Rows of one length that lie side by side: a vector holds as many as it can, each with room for a power of two."""

    def __init__(self, e: Emitter, shape: Shape) -> None:
        super().__init__(e, shape)
        assert shape.row, "rows of any length are another kernel's"
        self.row = shape.row
        self.room = 1 << (self.row - 1).bit_length()
        self.rows = shape.lanes // self.room
        """Of a vector."""

    def _folded(self, first: Value, count: Value | None) -> Vector:
        return self._some(first, count, 0, self.room)

    def _some(self, first: Value, count: Value | None, begin: int, end: int) -> Vector:
        """Some of the vectors that hold the rows, as one. In this order few of them are alive at a time."""
        if end - begin == 1:
            return self._vector(first, count, begin * self.rows)
        middle = (begin + end) // 2
        return self._turned(self._some(first, count, begin, middle), self._some(first, count, middle, end))

    def _vector(self, first: Value, count: Value | None, number: int) -> Vector:
        """Rows from this number on."""
        e, lanes = self.e, self.shape.lanes
        held: Value = self.rows * self.row
        if count is not None:
            left = e.multiply(e.subtract(count, number), self.row)
            held = e.maximum(e.minimum(left, held), 0)
        mask = None if held == lanes else vectors.first_lanes(e, lanes, held)
        found = self._elements(self.pointers, e.multiply(e.add(first, number), self.row), mask)
        if self.row == self.room:
            return found
        # What lies between rows changes nothing.
        places = [divmod(lane, self.room) for lane in range(lanes)]
        spread = [row * self.row + place if place < self.row else lanes for row, place in places]
        name = e.shuffle(found.type_name, found.name, self._neutral(0).name, spread)
        return self.lanes.named(name, found.type)


class _Apart(_Rows):
    """Rows of any length at any distance, one after the other: so memory is read as it lies."""

    def _folded(self, first: Value, count: Value | None) -> Vector:
        e, lanes = self.e, self.shape.lanes
        self.type = self.shape.stage_values[0].type
        with e.loop(0, lanes if count is None else count) as number:
            row = self._row(self._moved(self.pointers, self.column_steps, e.add(first, number)))
            vectors.store(row, self._staged(number))
        return self._some(0, lanes)

    def _staged(self, number: Value) -> str:
        return self.e.at("%staging", self.e.multiply(number, self.shape.lanes * self.type.itemsize))

    def _row(self, pointers: Sequence[str]) -> Vector:
        """A row, some vectors at once while there are so many."""
        e, lanes = self.e, self.shape.lanes
        length, _ = self._loop(1)
        start = self._neutral(0)

        def whole(place: str, carried: list[str]) -> list[str]:
            places = [e.add(place, number * lanes) for number in range(len(carried))]
            return self._added(carried, [self._elements(pointers, each, None) for each in places])

        def rest(place: str, carried: list[str]) -> list[str]:
            mask = vectors.first_lanes(e, lanes, e.subtract(length, place))
            x = self._elements(pointers, place, mask)
            return self._added(carried, [select(self.lanes.named(mask, np.dtype(np.bool_)), x, start)])

        ends = [e.mask(length, -lanes * VECTORS_AT_ONCE), e.mask(length, -lanes)]
        parts = e.fold(0, ends[0], lanes * VECTORS_AT_ONCE, [(start.type_name, start.name)] * VECTORS_AT_ONCE, whole)
        total = self._tree(0, [self.lanes.named(part, self.type) for part in parts]).name
        (total,) = e.fold(ends[0], ends[1], lanes, [(start.type_name, total)], whole)
        (total,) = e.fold(ends[1], length, lanes, [(start.type_name, total)], rest)
        return self.lanes.named(total, self.type)

    def _added(self, carried: list[str], found: list[Vector]) -> list[str]:
        totals = [self.lanes.named(name, self.type) for name in carried]
        return [self._combine(0, total, x).name for total, x in zip(totals, found, strict=True)]

    def _some(self, begin: int, end: int) -> Vector:
        """Some of the rows in the staging memory, as one vector."""
        if end - begin == 1:
            return self.lanes.named(self.e.load(self.lanes.type_name(self.type), self._staged(begin)), self.type)
        middle = (begin + end) // 2
        return self._turned(self._some(begin, middle), self._some(middle, end))
