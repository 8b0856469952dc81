"""Pointwise kernels with operands that are far apart along the columns but neighbours along the rows.

Blocks of a few rows and columns are worked on at once. Such operands are read along the rows, turned in registers and
staged, so that the block can then be read along the columns: it is so small that it stays in the caches.
"""

from __future__ import annotations

from collections.abc import Sequence

from anydml.runtime.cpu import vectors
from anydml.runtime.cpu.loops import EVEN
from anydml.runtime.cpu.pointwise import Kernel
from anydml.runtime.moves.kernels.lanes import Lanes as Block
from anydml.runtime.native.emit import SECOND_LEVEL, Value, pointers_to

LINE_BYTES = 64
STAGED_ROWS = 64
"""As many neighbours as a staged block has: lines of memory are then read as a whole."""
AHEAD_LEVEL = SECOND_LEVEL
AHEAD_TURNS = 2
"""How far ahead, in blocks that are turned at once, memory is asked for."""


class TurnedKernel(Kernel):
    """Writes the functions of one kernel."""

    def _rows(self) -> None:
        """Columns block by block; where they are streamed, those after the first begin where vectors are aligned."""
        e, width = self.e, self.shape.block_columns
        count = self._word("%parameters", self.columns_loop)
        first: Value = 0
        if self.shape.stream:
            first = self._elements_before_line(count)
            self._call_block(0, first)
        with e.loop(first, count, width) as column:
            self._call_block(column, e.minimum(e.subtract(count, column), width))
        with e.function("block", f"ptr %parameters, ptr %staging, i64 %column, i64 %columns, {self.arguments}"):
            self._block()
        with e.function("strips", f"ptr %parameters, i64 %rows, i64 %columns, {self.arguments}"):
            self._strips()
        for side in self.shape.turned:
            self._turn(side)

    def _call_block(self, column: Value, columns: Value) -> None:
        given = f"ptr %parameters, ptr %staging, i64 {column}, i64 {columns}, {self.arguments}"
        self.e.do(f"call void @block({given})")

    def _block(self) -> None:
        """All rows of some columns: what lies apart is turned into the staging memory first."""
        e, height = self.e, STAGED_ROWS
        (row_count, row_steps), (_, column_steps) = self._loop(self.rows_loop), self._loop(self.columns_loop)
        is_aligned = self._is_aligned(row_steps)
        with e.loop(0, row_count, height) as row:
            corner = self._moved(self._moved(self.pointers, row_steps, row), column_steps, "%column")
            rows = e.minimum(e.subtract(row_count, row), height)
            for number, side in enumerate(self.shape.turned):
                staged = self._staged(number)
                counts = f"i64 {column_steps[side]}, i64 {rows}, i64 %columns"
                e.do(f"call void @turn{side}(ptr {corner[side]}, ptr {staged}, {counts})")
                corner[side] = staged
            if self.shape.stream:
                with e.when(e.value(f"xor i1 {is_aligned}, true")), e.loop(0, rows) as within:
                    self._call_row("%columns", self._moved(corner, self._row_steps(row_steps), within))
            with e.when(is_aligned):
                given = ", ".join(f"ptr {pointer}" for pointer in corner)
                e.do(f"call void @strips(ptr %parameters, i64 {rows}, i64 %columns, {given})")

    def _is_aligned(self, row_steps: Sequence[str]) -> str:
        """Whether the rows of this block are aligned, as those that are streamed must be; others need not."""
        e, shape = self.e, self.shape
        if not shape.stream:
            return "true"
        size = shape.stores[0][0].element_bytes
        address = e.value(f"ptrtoint ptr {self.pointers[len(shape.loads)]} to i64")
        start = e.add(address, e.multiply("%column", size))
        astray = e.mask(e.value(f"or i64 {start}, {row_steps[len(shape.loads)]}"), shape.lanes * size - 1)
        return e.value(f"icmp eq i64 {astray}, 0")

    def _row_steps(self, steps: Sequence[str]) -> list[Value]:
        return [self._pitch(side) if side in self.shape.turned else step for side, step in enumerate(steps)]

    def _staged(self, number: int) -> str:
        before = sum(self._pitch(side) * STAGED_ROWS for side in self.shape.turned[:number])
        return self.e.at("%staging", before)

    def _pitch(self, side: int) -> int:
        """Bytes from one staged row to the next: not a power of two, or all rows would share few places in caches."""
        return self.shape.block_columns * self.shape.sides[side][0].element_bytes + LINE_BYTES

    def _strips(self) -> None:
        """The rows of a block: whole vectors, then the rest."""
        e, shape = self.e, self.shape
        _, row_steps = self._loop(self.rows_loop)
        corner, arguments = self.pointers, self.arguments
        whole = e.mask("%columns", -shape.lanes * shape.unrolled)
        with e.loop(0, "%rows") as row:
            self.pointers = self._moved(corner, self._row_steps(row_steps), row)
            self.arguments = pointers_to(*self.pointers)
            self._ask_for_next()
            still = self._still_values()
            with e.loop(0, whole, shape.lanes * shape.unrolled) as i:
                self._compute([e.add(i, shape.lanes * k) for k in range(shape.unrolled)], still, None)
            self._call_some(whole, "%columns")
        self.pointers, self.arguments = corner, arguments

    def _ask_for_next(self) -> None:
        """The same row of the next block: rows of a block are too short for the machine to foresee."""
        for side, (data_type, step) in enumerate(self.shape.loads):
            if step == EVEN:
                width = self.shape.block_columns * data_type.element_bytes
                for offset in range(width, 2 * width, LINE_BYTES):
                    self.e.prefetch(self.e.at(self.pointers[side], offset), SECOND_LEVEL)

    def _turn(self, side: int) -> None:
        """Reads neighbours along the rows for some columns at once, and writes them row by row."""
        e, height = self.e, self.shape.turned_at_once
        size = self.shape.sides[side][0].element_bytes
        with e.function(f"turn{side}", "ptr %from, ptr %to, i64 %step, i64 %rows, i64 %columns"):
            last = e.subtract("%columns", 1)
            with e.loop(0, "%columns", height) as column:
                # Columns beyond the last are read as the last: what they give is staged and never used.
                places = [e.minimum(e.add(column, more), last) for more in range(height)]
                starts = [e.at("%from", e.multiply(place, "%step")) for place in places]
                target = e.at("%to", e.multiply(column, size))
                whole = e.mask("%rows", -height)
                with e.loop(0, whole, height) as row:
                    self._turn_block(side, starts, target, row, None)
                with e.loop(whole, "%rows", height) as row:
                    wanted = vectors.first_lanes(e, height, e.subtract("%rows", row))
                    self._turn_block(side, starts, target, row, wanted)

    def _turn_block(self, side: int, starts: Sequence[str], target: str, row: Value, mask: str | None) -> None:
        """Some rows, of which only those that the mask says are read."""
        e, height = self.e, self.shape.turned_at_once
        size = self.shape.sides[side][0].element_bytes
        pitch = self._pitch(side)
        block = Block(size, height)
        pointers = [e.at(start, e.multiply(row, size)) for start in starts]
        for pointer in pointers:
            # Machines do not foresee that the same rows of later columns are read.
            e.prefetch(e.at(pointer, e.multiply("%step", AHEAD_TURNS * height)), AHEAD_LEVEL)
        if mask is None:
            turned = block.turn_at(e, pointers)
        else:
            kind = f"i{8 * size}"
            turned = block.turn(e, [vectors.masked_load(e, kind, height, pointer, mask) for pointer in pointers])
        first = e.at(target, e.multiply(row, pitch))
        for number, values in enumerate(turned):
            block.store(e, values, e.at(first, number * pitch))
