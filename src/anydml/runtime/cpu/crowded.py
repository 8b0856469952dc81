"""Squares of registers whose lines share few places in caches, as of images whose rows are a power of two apart.

A square uses so many lines at once that they would displace one another. So many squares are taken together, and the
crowded operands are read, or the crowded results written, one row or column of all of them at a time; what has been
read or turned meanwhile is staged.
"""

from __future__ import annotations

from collections.abc import Sequence

from anydml.core.expression import Node
from anydml.runtime.cpu import vectors
from anydml.runtime.cpu.loops import EVEN
from anydml.runtime.cpu.pointwise import Shape
from anydml.runtime.cpu.tiled import TiledKernel
from anydml.runtime.cpu.turned import LINE_BYTES
from anydml.runtime.native.emit import SECOND_LEVEL, Emitter, Value
from anydml.runtime.native.math.values import Vector

ROWS, STREAMED_ROWS, COLUMNS = 128, 256, 256
"""Those of the squares that are taken together."""


class CrowdedKernel(TiledKernel):
    """Writes the functions of one kernel."""

    def __init__(self, e: Emitter, shape: Shape) -> None:
        super().__init__(e, shape)
        rows = STREAMED_ROWS if shape.stream else ROWS
        self.at_once = rows if self.tiling.walks_rows else COLUMNS
        self.pitch = self.at_once * self.width + LINE_BYTES
        """Bytes from one staged row or column to the next: not a power of two, or these would be crowded too."""

    @property
    def staged_bytes(self) -> int:
        return len(self.nodes) * self.shape.lanes * self.pitch

    def _begin(self) -> None:
        """Nothing: addresses are computed where they are needed."""

    def _walk(self, corner: Sequence[str], count: Value, steps: Sequence[str]) -> None:
        following = self.following() if self.shape.stream else []
        if self.tiling.walks_rows:
            self._stage_columns(corner, count)
            self._turn_strips(corner, following, count)
        else:
            self._stage_rows(corner, count)
            self._finish_rows(corner, following, count)

    # Along many rows

    def _stage_columns(self, corner: Sequence[str], rows: Value) -> None:
        """Reads what is turned, a column of all squares at a time."""
        e, size = self.e, self.shape.lanes
        with e.loop(0, size) as column, e.loop(0, rows, size) as row:
            place = self._moved(self._moved(corner, self.row_steps, row), self.column_steps, column)
            for number, node in enumerate(self.nodes):
                vectors.store(self._value(node, place), self._staged_at(number, column, row))

    def _turn_strips(self, corner: Sequence[str], following: Sequence[str], rows: Value) -> None:
        """Turns a few rows at a time: of short parts of columns, which processors turn quickly."""
        e, size, count = self.e, self.shape.lanes, self.square.part.count
        with e.loop(0, rows, count) as row:
            for n in range(count):
                self._ask_for(following, e.mask(row, -size), e.add(e.mask(row, size - 1), n))
            turned = [self._strip(node, self._staged_at(number, 0, row)) for number, node in enumerate(self.nodes)]
            start = self._moved(corner, self.row_steps, row)
            self._compute_rows([self._moved(start, self.row_steps, n) for n in range(count)], turned)

    def _strip(self, node: Node, start: str) -> list[Vector]:
        e, part = self.e, self.square.part
        parts = [part.load(e, e.at(start, n * self.pitch)) for n in range(self.shape.lanes)]
        return [self._from_bits(bits, node.type) for bits in self.square.turn_parts(e, parts)]

    # Along many columns

    def _stage_rows(self, corner: Sequence[str], columns: Value) -> None:
        """Turns squares, and keeps their rows."""
        e, size = self.e, self.shape.lanes
        with e.loop(0, columns, size) as column:
            start = self._moved(corner, self.column_steps, column)
            if self.shape.stream:
                self._ask_for_rows(start)
            places = [self._moved(start, self.column_steps, n) for n in range(size)]
            for number, node in enumerate(self.nodes):
                for row, value in enumerate(self._turned([self._value(node, place) for place in places])):
                    vectors.store(value, self._staged_at(number, row, column))

    def _finish_rows(self, corner: Sequence[str], following: Sequence[str], columns: Value) -> None:
        """Computes one row after the other of those that are kept."""
        e, size = self.e, self.shape.lanes
        with e.loop(0, size) as row:
            start = self._moved(corner, self.row_steps, row)
            asked = e.multiply(row, e.value(f"udiv i64 {columns}, {size}"))
            with e.loop(0, columns, size) as column:
                self._ask_for(following, 0, e.add(asked, e.value(f"udiv i64 {column}, {size}")))
                places = [self._staged_at(number, row, column) for number in range(len(self.nodes))]
                kept = [[self._loaded(node, place)] for node, place in zip(self.nodes, places, strict=True)]
                self._compute_rows([self._moved(start, self.column_steps, column)], kept)

    # Memory

    def _staged_at(self, number: int, line: Value, place: Value) -> str:
        """The place in a staged row or column of an expression."""
        e, start = self.e, self.e.at("%staging", number * self.shape.lanes * self.pitch)
        return e.at(e.at(start, e.multiply(line, self.pitch)), e.multiply(place, self.width))

    def _ask_for(self, following: Sequence[str], row: Value, column: Value) -> None:
        """What is staged next, a vector of it: memory works meanwhile. Caches need no such help."""
        if self.shape.stream:
            place = self._moved(self._moved(following, self.row_steps, row), self.column_steps, column)
            for side in self.shape.turned:
                self.e.prefetch(place[side], SECOND_LEVEL)

    def _ask_for_rows(self, start: Sequence[str]) -> None:
        """The rows of a square that will be read one by one."""
        for side in (number for number, (_, step) in enumerate(self.shape.loads) if step == EVEN):
            for n in range(self.shape.lanes):
                self.e.prefetch(self._moved(start, self.row_steps, n)[side], SECOND_LEVEL)
