"""Pointwise kernels with operands that are far apart along the columns but neighbours along the rows.

Blocks of a few rows and columns are worked on at once. Such operands are read along the rows, turned in registers and
staged, so that the block can then be read along the columns: it is so small that it stays in the caches.
"""

from __future__ import annotations

from collections.abc import Sequence

from anydml.runtime.cpu import vectors
from anydml.runtime.cpu.loops import EVEN
from anydml.runtime.cpu.pointwise import Kernel, Still
from anydml.runtime.moves.kernels.lanes import Lanes as Block
from anydml.runtime.native.emit import FIRST_LEVEL, SECOND_LEVEL, Value, pointers_to

LINE_BYTES = 64
NEAR_COLUMNS = 4
"""Columns whose distances are kept in registers."""
NEAR_AHEAD, FAR_AHEAD = (1, FIRST_LEVEL), (8, SECOND_LEVEL)
"""How far ahead, in blocks that are turned at once, memory is asked for, and into which cache: what is in the caches
already, and what is streamed."""


class TurnedKernel(Kernel):
    """Writes the functions of one kernel."""

    def _rows(self) -> None:
        """Columns block by block; those after the first begin where the results are aligned."""
        e, width = self.e, self.shape.block_columns
        count = self._word("%parameters", self.columns_loop)
        first = self._columns_before_line(self._loop(self.rows_loop)[1], count)
        first = e.minimum(e.add(first, width), count)
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
        """All rows of some columns, a line of memory of the first operand that is turned at a time."""
        e = self.e
        (row_count, row_steps), (_, column_steps) = self._loop(self.rows_loop), self._loop(self.columns_loop)
        can_align = self._can_align(row_steps)
        corner = self._moved(self.pointers, column_steps, "%column")
        first = self._rows_before_line(corner, column_steps, row_count)
        with e.when(e.value(f"icmp sgt i64 {first}, 0")):
            self._group(corner, first, row_steps, column_steps, can_align)
        with e.loop(first, row_count, self.staged_rows) as row:
            rows = e.minimum(e.subtract(row_count, row), self.staged_rows)
            self._group(self._moved(corner, row_steps, row), rows, row_steps, column_steps, can_align)

    @property
    def staged_rows(self) -> int:
        """The rows that are staged at once: as many as neighbours of the narrowest operand are on a line of memory."""
        return LINE_BYTES // min(self.shape.sides[side][0].element_bytes for side in self.shape.turned)

    def _rows_before_line(self, corner: Sequence[str], column_steps: Sequence[str], count: Value) -> Value:
        """Rows before a line begins, where it begins at the same row for all columns."""
        e, side = self.e, self.shape.turned[0]
        size = self.shape.sides[side][0].element_bytes
        address = e.value(f"ptrtoint ptr {corner[side]} to i64")
        left = e.mask(e.subtract(0, address), LINE_BYTES - 1)
        is_same = e.value(f"icmp eq i64 {e.mask(column_steps[side], LINE_BYTES - 1)}, 0")
        before = e.value(f"select i1 {is_same}, i64 {left}, i64 0")
        return e.minimum(e.value(f"udiv i64 {before}, {size}"), count)

    def _group(
        self,
        corner: Sequence[str],
        rows: Value,
        row_steps: Sequence[str],
        column_steps: Sequence[str],
        can_align: str,
    ) -> None:
        """A few rows: what lies apart is turned into the staging memory first."""
        e, pointers = self.e, list(corner)
        for number, side in enumerate(self.shape.turned):
            staged = self._staged(number)
            counts = f"i64 {column_steps[side]}, i64 {rows}, i64 %columns"
            e.do(f"call void @turn{side}(ptr {pointers[side]}, ptr {staged}, {counts})")
            pointers[side] = staged
        if self.shape.stream:
            with e.when(e.value(f"xor i1 {can_align}, true")), e.loop(0, rows) as within:
                self._call_row("%columns", self._moved(pointers, self._row_steps(row_steps), within))
        with e.when(can_align):
            e.do(f"call void @strips(ptr %parameters, i64 {rows}, i64 %columns, {pointers_to(*pointers)})")

    def _can_align(self, row_steps: Sequence[str]) -> str:
        """Whether vectors in all rows can be aligned, as those that are streamed must be; others need not."""
        e, shape, store = self.e, self.shape, len(self.shape.loads)
        if not shape.stream:
            return "true"
        size = shape.stores[0][0].element_bytes
        address = e.mask(e.value(f"ptrtoint ptr {self.pointers[store]} to i64"), size - 1)
        astray = e.value(f"or i64 {address}, {e.mask(row_steps[store], shape.lanes * size - 1)}")
        return e.value(f"icmp eq i64 {astray}, 0")

    def _row_steps(self, steps: Sequence[str]) -> list[Value]:
        return [self._pitch(side) if side in self.shape.turned else step for side, step in enumerate(steps)]

    def _staged(self, number: int) -> str:
        before = sum(self._pitch(side) * self.staged_rows for side in self.shape.turned[:number])
        return self.e.at("%staging", before)

    def _pitch(self, side: int) -> int:
        """Bytes from one staged row to the next: not a power of two, or all rows would share few places in caches."""
        return self.shape.block_columns * self.shape.sides[side][0].element_bytes + LINE_BYTES

    def _strips(self) -> None:
        """The rows of a block: whole vectors, aligned in the result where they can be, and what is left beside them."""
        e, lanes, unrolled = self.e, self.shape.lanes, self.shape.unrolled
        _, row_steps = self._loop(self.rows_loop)
        corner, arguments = self.pointers, self.arguments
        first = self._columns_before_line(row_steps, "%columns")
        many = e.add(first, e.mask(e.subtract("%columns", first), -lanes * unrolled))
        whole = e.add(first, e.mask(e.subtract("%columns", first), -lanes))
        left = e.subtract("%columns", whole)
        masks = [vectors.first_lanes(e, lanes, count) for count in (first, left)]
        with e.loop(0, "%rows") as row:
            self.pointers = self._moved(corner, self._row_steps(row_steps), row)
            self.arguments = pointers_to(*self.pointers)
            self._ask_for_next()
            still = self._still_values()
            self._compute_some(0, first, still, masks[0])
            with e.loop(first, many, lanes * unrolled) as i:
                self._compute([e.add(i, lanes * k) for k in range(unrolled)], still, None)
            if unrolled > 1:
                with e.loop(many, whole, lanes) as i:
                    self._compute([i], still, None)
            self._compute_some(whole, left, still, masks[1])
        self.pointers, self.arguments = corner, arguments

    def _compute_some(self, place: Value, count: Value, still: Still, mask: str) -> None:
        """A few columns, if any."""
        with self.e.when(self.e.value(f"icmp sgt i64 {count}, 0")):
            self._compute([place], still, mask)

    def _columns_before_line(self, row_steps: Sequence[str], most: Value) -> Value:
        """Columns before the results are aligned in every row; none where rows differ, or results lie apart."""
        e, shape = self.e, self.shape
        if shape.stores[0][1] != EVEN:
            return 0
        vector = shape.lanes * shape.stores[0][0].element_bytes
        astray = e.mask(row_steps[len(shape.loads)], vector - 1)
        before = self._elements_before_line(most)
        return e.value(f"select i1 {e.value(f'icmp eq i64 {astray}, 0')}, i64 {before}, i64 0")

    def _ask_for_next(self) -> None:
        """The same row of the next block: rows of a block are too short for the machine to foresee."""
        for side, (data_type, step) in enumerate(self.shape.loads):
            if step == EVEN:
                width = self.shape.block_columns * data_type.element_bytes
                for offset in range(width, 2 * width, LINE_BYTES):
                    self.e.prefetch(self.e.at(self.pointers[side], offset), SECOND_LEVEL)

    def _turn(self, side: int) -> None:
        """Reads neighbours along the rows for some columns at once, and writes them row by row."""
        e, count = self.e, self._turned_block(side).count
        with e.function(f"turn{side}", "ptr %from, ptr %to, i64 %step, i64 %rows, i64 %columns"):
            near = [e.multiply("%step", more) for more in range(min(count, NEAR_COLUMNS))]
            far = [e.multiply("%step", more) for more in range(0, count, NEAR_COLUMNS)]
            whole = e.mask("%columns", -count)
            with e.loop(0, whole, count) as column:
                source = e.at("%from", e.multiply(column, "%step"))
                starts = [(e.at(source, distance), step) for distance in far for step in near]
                self._turn_columns(side, column, starts)
            with e.loop(whole, "%columns", count) as column:
                # Columns beyond the last are read as the last: what they give is staged and never used.
                last = e.subtract("%columns", 1)
                places = [e.minimum(e.add(column, more), last) for more in range(count)]
                self._turn_columns(side, column, [("%from", e.multiply(place, "%step")) for place in places])

    def _turned_block(self, side: int) -> Block:
        return Block(self.shape.sides[side][0].element_bytes, self.shape.turned_at_once)

    def _turn_columns(self, side: int, column: Value, starts: Sequence[tuple[str, Value]]) -> None:
        """Some columns, each of which starts at an address and a distance from there."""
        e, block = self.e, self._turned_block(side)
        part, on_line = block.part.count, LINE_BYTES // block.element_bytes
        turns, level = FAR_AHEAD if self.shape.stream else NEAR_AHEAD
        ahead = e.multiply("%step", turns * block.count)
        target = e.at("%to", e.multiply(column, block.element_bytes))
        whole = e.mask("%rows", -part)
        with e.loop(0, whole, on_line) as line:
            for start, distance in starts:
                # Machines do not foresee that the same rows of later columns are read.
                place = e.at(e.at(start, ahead), e.multiply(line, block.element_bytes))
                e.prefetch(e.at(place, distance), level)
            with e.loop(line, e.minimum(whole, e.add(line, on_line)), part) as row:
                self._turn_rows(side, starts, target, row, None)
        with e.loop(whole, "%rows", part) as row:
            self._turn_rows(side, starts, target, row, vectors.first_lanes(e, part, e.subtract("%rows", row)))

    def _turn_rows(
        self, side: int, starts: Sequence[tuple[str, Value]], target: str, row: Value, mask: str | None
    ) -> None:
        """Some rows, of which only those that the mask says are read."""
        e, block = self.e, self._turned_block(side)
        part, size, pitch = block.part, block.element_bytes, self._pitch(side)
        # Few addresses and few distances: processors add two of them while they load.
        pointers = [e.at(e.at(start, e.multiply(row, size)), distance) for start, distance in starts]
        if mask is None:
            found = [part.load(e, pointer) for pointer in pointers]
        else:
            found = [vectors.masked_load(e, f"i{8 * size}", part.count, pointer, mask) for pointer in pointers]
        first = e.at(target, e.multiply(row, pitch))
        for number, values in enumerate(block.turn_parts(e, found)):
            block.store(e, values, e.at(first, number * pitch))
