"""The loop over the depth of a tile: a number of each row times the vectors of the right operand, added to the sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anydml.runtime.cpu.contraction.machine import CELL_BYTES, LINE_BYTES
from anydml.runtime.cpu.contraction.writer import Writer
from anydml.runtime.native.emit import FIRST_LEVEL, SECOND_LEVEL, Value

if TYPE_CHECKING:
    from anydml.runtime.cpu.contraction.tile import Tile

_ROWS_PER_POINTER = 4
"""Rows of an operand in place: one pointer and multiples of the stride reach so many."""
_STEPS_AHEAD = 16
"""What packed operands hold so many steps later is asked for: the second-level cache answers in time."""
_LOADS_OF_TWO = 9, 10
"""Of the loads that fit beside the products of a step, the part that is used."""


class DepthLoop:
    """The sums of products of one tile.

    Processors that multiply two vectors at once are held up by the number of instructions they take in, the more so
    where another thread shares the core. So packed operands are walked two steps at a time, and of some rows the number
    is loaded by each of two multiplications, which is a part of that instruction, and not once by one of its own.
    Integers are not: LLVM would add the products of two steps first, and the instruction that multiplies and adds is
    lost.
    """

    def __init__(self, e: Writer, tile: Tile, masks: Sequence[str]) -> None:
        self.e, self.tile, self.masks = e, tile, masks
        self.element = tile.cells.element
        self.left = _PackedRows(e, tile) if tile.is_left_packed else _StridedRows(e, tile)
        self.widths = [e.lanes] * (tile.vectors - 1) + [e.lanes // 2 if tile.is_half else e.lanes]
        self.has_pairs = e.machine.has_two_units and tile.cells.is_float and _is_packed(tile)
        self.twice_loaded = _rows_loaded_twice(tile) if self.has_pairs and not tile.is_half else frozenset[int]()

    def emit(self) -> list[str]:
        e = self.e
        values = [("ptr", pointer) for pointer in (*self.left.starts, "%right")]
        values += [(e.kind(self.element, lanes), "zeroinitializer") for lanes in self.widths] * self.tile.rows
        following = self._loop(values, 2 if self.has_pairs else 1)
        sums = following[len(self.left.starts) + 1 :]
        pairs = zip(sums, self.widths * self.tile.rows, strict=True)
        return [_whole(e, self.element, total, lanes) for total, lanes in pairs]

    def _loop(self, values: list[tuple[str, str]], steps: int) -> list[str]:
        """So many steps at a time. The values are pointers to rows, one to the right operand, and sums."""
        e, count = self.e, len(self.left.starts)
        with e.carried(0, "%depth", steps, values) as loop:
            rows, right, sums = loop.values[:count], loop.values[count], loop.values[count + 1 :]
            # Of pointers whose distances it knows LLVM keeps one, which it moves on from row to row within a step: each
            # load waits for the one before.
            rows = [e.unknown("ptr", pointer) for pointer in rows]
            if self.has_pairs:
                right = e.unknown("ptr", right)
            again = e.unknown("ptr", rows[0]) if self.twice_loaded else ""
            for step in range(steps):
                if step:
                    is_over = e.compare("sge", e.add(loop.index, step), "%depth")
                    e.leave(loop, is_over, [*loop.values[: count + 1], *sums])
                place = e.at(right, step * self.tile.vectors * e.vector_bytes) if step else right
                self._ask_ahead(e.add(loop.index, step) if step else loop.index, rows, place, step)
                sums = self._step(rows, again, place, step, sums)
            moved = [e.at(pointer, _times(e, self.left.depth_stride, steps)) for pointer in rows]
            loop.following = [*moved, e.at(right, _times(e, "%pitch", steps)), *sums]
        return loop.following

    def _step(self, rows: Sequence[str], again: str, right: str, step: int, sums: Sequence[str]) -> list[str]:
        e, tile = self.e, self.tile
        vectors = self._vectors(right)
        following = []
        for row in range(tile.rows):
            cell = e.load(self.element, self.left.address(rows, row, step), CELL_BYTES)
            spread = {lanes: e.splat(self.element, cell, lanes) for lanes in dict.fromkeys(self.widths)}
            for number, (vector, lanes) in enumerate(zip(vectors, self.widths, strict=True)):
                numbers = spread[lanes]
                if number and row in self.twice_loaded:
                    cell = e.load(self.element, self.left.address([again], row, step), CELL_BYTES)
                    numbers = e.splat(self.element, cell, lanes)
                total = sums[row * tile.vectors + number]
                following.append(tile.cells.multiply_add(e, numbers, vector, total, lanes))
        return following

    def _vectors(self, right: str) -> list[str]:
        e = self.e
        places = [e.at(right, number * e.vector_bytes) for number in range(self.tile.vectors)]
        if self.masks:
            return [e.load_some(self.element, *pair) for pair in zip(places, self.masks, strict=True)]
        pairs = zip(places, self.widths, strict=True)
        return [e.load(e.kind(self.element, lanes), place) for place, lanes in pairs]

    def _ask_ahead(self, index: Value, rows: Sequence[str], right: str, step: int) -> None:
        """Asks for what is read later: by this tile, or by the next one."""
        e, tile = self.e, self.tile
        size = tile.vectors * e.vector_bytes
        if tile.is_streamed:
            for number in range(tile.vectors):
                e.prefetch(e.at(right, size + number * e.vector_bytes), FIRST_LEVEL)
        for line in range(tile.lines_ahead):
            ahead = e.step("%ahead", (index, tile.lines_ahead * LINE_BYTES))
            e.prefetch(e.at(ahead, line * LINE_BYTES), SECOND_LEVEL)
        if self.has_pairs:
            for number in range(tile.vectors):
                e.prefetch(e.at(right, _STEPS_AHEAD * size + number * e.vector_bytes), FIRST_LEVEL)
            e.prefetch(self.left.address(rows, 0, step + _STEPS_AHEAD), FIRST_LEVEL)


def _is_packed(tile: Tile) -> bool:
    """Both operands are: their rows and vectors lie side by side."""
    return tile.is_left_packed and not tile.is_right_in_place


def _rows_loaded_twice(tile: Tile) -> frozenset[int]:
    """The rows whose numbers two multiplications load: as many as there is time for, spread evenly."""
    if tile.vectors != 2:
        return frozenset()
    used, of = _LOADS_OF_TWO
    count = min(tile.rows, max(0, used * 2 * tile.rows // of - tile.rows - 2))
    return frozenset(row for row in range(tile.rows) if row * count // tile.rows != (row + 1) * count // tile.rows)


def _times(e: Writer, stride: Value, steps: int) -> Value:
    return stride if steps == 1 else e.multiply(stride, steps)


def _whole(e: Writer, element: str, vector: str, lanes: int) -> str:
    """A vector of so many lanes as a whole one; the others are 0."""
    if lanes == e.lanes:
        return vector
    return e.shuffle(e.kind(element, lanes), vector, "zeroinitializer", [min(lane, lanes) for lane in range(e.lanes)])


class _PackedRows:
    """The rows of a panel lie side by side."""

    def __init__(self, e: Writer, tile: Tile) -> None:
        self.e = e
        self.starts = ["%left"]
        self.depth_stride = tile.left_pitch_bytes(e.machine)

    def address(self, pointers: Sequence[str], row: int, step: int) -> str:
        return self.e.at(pointers[0], step * self.depth_stride + row * CELL_BYTES)


class _StridedRows:
    """Rows of an operand where it is, any distance apart."""

    def __init__(self, e: Writer, tile: Tile) -> None:
        self.e = e
        self.depth_stride: Value = "%depth_stride"
        self._offsets = [e.multiply("%row_stride", row) if row else 0 for row in range(_ROWS_PER_POINTER)]
        self.starts = [e.step("%left", (row, "%row_stride")) for row in range(0, tile.rows, _ROWS_PER_POINTER)]

    def address(self, pointers: Sequence[str], row: int, step: int) -> str:
        assert step == 0
        return self.e.at(pointers[row // _ROWS_PER_POINTER], self._offsets[row % _ROWS_PER_POINTER])
