"""Pointwise kernels that turn operands within registers, a square of rows and columns at a time.

What is computed from operands that are far apart along the columns alone is computed along the rows, where they are
neighbours, and then turned: of two such operands, only the sum is.

A chunk has some rows and columns of the nest. Before the parameters of its loops it has, in words:

    first, last     of its rows, then of its columns

Where squares begin at lines of memory, those of all chunks are as much further on, and the last has what is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial, reduce

from anydml.runtime.cpu import vectors
from anydml.runtime.cpu.loops import EVEN
from anydml.runtime.cpu.pointwise import Shape
from anydml.runtime.cpu.strips import EdgeLanes, Part, StripKernel
from anydml.runtime.cpu.turned import NEAR_COLUMNS
from anydml.runtime.native.emit import SECOND_LEVEL, Emitter, Value

WALKED, STREAMED = 64, 256
"""Rows or columns that are walked before those beside them: more where far operands run on."""
AHEAD = 128
"""Rows or columns that are streamed are asked for so many before they are read, or as many as are walked."""
LEAST_BESIDE, LEAST_ALONG, LEAST_WRAPPED = 4, 8, 16
"""Squares from which on it pays to begin at a line of memory: beside one another, one after the other, and the latter
where lines wrap."""
BOUNDS = 4
"""Words that say which rows and columns a chunk has."""

_PARTS = ", ".join(f"i64 {value}" for name in ("row", "column") for value in Part.named(name))


class TiledKernel(StripKernel):
    """Writes the functions of one kernel."""

    def __init__(self, e: Emitter, shape: Shape) -> None:
        super().__init__(e, shape)
        self.first_bound = self.rows_loop
        self.rows_loop, self.columns_loop = self.rows_loop + BOUNDS, self.columns_loop + BOUNDS
        self.following: Callable[[], list[str]] = list
        """Finds where the squares begin that are walked next."""

    @property
    def at_once(self) -> int:
        runs_on = self.tiling.walks_rows or any(step == EVEN for _, step in self.shape.loads)
        return STREAMED if self.shape.stream and runs_on else WALKED

    def _emit_rows(self) -> None:
        """Functions that work on one row are not needed."""

    def _rows(self) -> None:
        e, bounds = self.e, [self._word("%parameters", self.first_bound + number) for number in range(BOUNDS)]
        rows, columns = self._parts(bounds)
        if self.shape.stream:
            is_aligned = self._is_aligned(columns)
            with e.when(is_aligned):
                self._call("squares", rows, columns)
            with e.when(e.value(f"xor i1 {is_aligned}, true")):
                self._all_edges(*bounds)
        else:
            self._call("squares", rows, columns)
        self._emit("squares", self._squares)
        self._emit("side", self._side)
        self._emit("corner", self._corner)

    def _emit(self, name: str, body: Callable[[], None]) -> None:
        with self.e.function(name, f"ptr %parameters, ptr %staging, {_PARTS}, {self.arguments}"):
            self._read_steps()
            body()

    def _call(self, function: str, rows: Part, columns: Part) -> None:
        given = ", ".join(f"i64 {value}" for value in (*rows, *columns))
        self.e.do(f"call void @{function}(ptr %parameters, ptr %staging, {given}, {self.arguments})")

    # Which rows and columns

    def _parts(self, bounds: Sequence[Value]) -> tuple[Part, Part]:
        """The rows and columns of the chunk."""
        e, streams, turned, store = self.e, self.shape.stream, self.shape.turned[0], len(self.shape.loads)
        (rows, row_steps), (columns, column_steps) = self._loop(self.rows_loop), self._loop(self.columns_loop)
        least = (LEAST_ALONG, LEAST_BESIDE) if self.tiling.walks_rows else (LEAST_BESIDE, LEAST_ALONG)
        # Operands of what is streamed need not be aligned: both parts of a line are in the caches when they are read.
        before_rows = 0 if streams else self._before(turned, rows, column_steps[turned], least[0])
        before_columns = self._before(store, columns, row_steps[store], 1 if streams else least[1])
        if self.tiling.wraps and not streams:
            is_long = e.value(f"icmp sge i64 {rows}, {LEAST_WRAPPED * self.shape.lanes}")
            before_columns = e.value(f"select i1 {is_long}, i64 {before_columns}, i64 0")
        return self._part(bounds[:2], rows, before_rows), self._part(bounds[2:], columns, before_columns)

    def _before(self, side: int, count: Value, step: Value, least: int) -> Value:
        """How many rows or columns there are before whole squares.

        Squares begin where an operand is aligned, if it is in all rows or columns, if there are many, and if what is
        left on both sides fits into one square.
        """
        e, size, element = self.e, self.shape.lanes, self._bytes(side)
        address = e.value(f"ptrtoint ptr {self.pointers[side]} to i64")
        before = e.value(f"udiv i64 {e.mask(e.subtract(0, address), element * size - 1)}, {element}")
        after = e.mask(e.subtract(count, before), size - 1)
        conditions = [
            e.value(f"icmp sge i64 {count}, {least * size}"),
            e.value(f"icmp eq i64 {e.mask(step, element * size - 1)}, 0"),
            e.value(f"icmp sle i64 {e.add(before, after)}, {size}"),
        ]
        is_trimmed = reduce(lambda one, other: e.value(f"and i1 {one}, {other}"), conditions)
        return e.value(f"select i1 {is_trimmed}, i64 {before}, i64 0")

    def _part(self, bounds: Sequence[Value], count: Value, before: Value) -> Part:
        """Those of the chunk. All chunks but the last are multiples of squares, and that has one at least."""
        e, (first, last) = self.e, bounds
        end = e.add(before, e.mask(e.subtract(count, before), -self.shape.lanes))
        is_last = e.value(f"icmp eq i64 {last}, {count}")
        closing = e.minimum(e.subtract(end, before), self.shape.lanes)
        pairs = (end, e.add(last, before)), (e.subtract(count, end), 0), (before, 0), (closing, 0)
        chosen = (e.value(f"select i1 {is_last}, i64 {one}, i64 {other}") for one, other in pairs)
        return Part(e.add(first, before), *chosen)

    def _is_aligned(self, columns: Part) -> str:
        """Whether whole squares begin where vectors of the result are aligned, as what is streamed must be."""
        e, store = self.e, len(self.shape.loads)
        size = self._bytes(store)
        first = e.at(self.pointers[store], e.multiply(columns.first, size))
        astray = e.mask(e.value(f"ptrtoint ptr {first} to i64"), self.shape.lanes * size - 1)
        return e.value(f"icmp eq i64 {astray}, 0")

    def _all_edges(self, first_row: Value, last_row: Value, first_column: Value, last_column: Value) -> None:
        """Everything as if at an edge: what is streamed must be aligned."""
        e, size = self.e, self.shape.lanes
        with e.loop(first_row, last_row, size) as row, e.loop(first_column, last_column, size) as column:
            ends = (row, last_row), (column, last_column)
            counts = [e.minimum(e.subtract(last, place), size) for place, last in ends]
            self._call("corner", Part(0, row, counts[0]), Part(0, column, counts[1]))

    def _when_some(self, part: Part) -> AbstractContextManager[None]:
        return self.e.when(self.e.value(f"icmp ne i64 {self.e.add(part.after, part.before)}, 0"))

    # Whole squares

    def _squares(self) -> None:
        """Some rows or columns of all squares beside one another, then the next ones; with them those at the edges."""
        e, size, tiling = self.e, self.shape.lanes, self.tiling
        walk = [(Part.named("row"), self.row_steps), (Part.named("column"), self.column_steps)]
        (along, along_steps), (across, across_steps) = walk if tiling.walks_rows else reversed(walk)

        def call(function: str, one: Part, other: Part) -> None:
            self._call(function, *((one, other) if tiling.walks_rows else (other, one)))

        self._begin()
        with e.loop(along.first, along.last, self.at_once) as first:
            last = e.minimum(e.add(first, self.at_once), along.last)
            start = self._moved(self.pointers, along_steps, first)
            with e.loop(across.first, across.last, size) as beside:
                self.following = partial(self._following, (start, along_steps), (beside, across, across_steps))
                self._walk(self._moved(start, across_steps, beside), e.subtract(last, first), along_steps)
            with self._when_some(across):
                end = e.minimum(last, e.subtract(along.last, along.closing)) if tiling.wraps else last
                call("side", Part(first, end), across)
        if tiling.wraps:
            self._close(along, across)
        with self._when_some(along):
            with e.loop(across.first, across.last, size) as beside:
                call("corner", along, Part(0, beside, size))
            with self._when_some(across):
                call("corner", along, across)

    def _close(self, rows: Part, columns: Part) -> None:
        """What lines that wrap leave of whole squares: columns after which no row follows, or before which none is."""
        e, size = self.e, self.shape.lanes
        with e.when(e.value(f"icmp ne i64 {rows.closing}, 0")), self._when_some(columns):
            self._call("corner", Part(0, e.subtract(rows.last, size), size), columns._replace(before=0))
            early = columns._replace(after=0)
            self._call("corner", Part(0, e.subtract(rows.last, size - 1), size - 1), early)
            self._call("corner", Part(0, rows.before, 1), early)

    def _following(self, along: tuple[list[str], list[str]], across: tuple[Value, Part, list[str]]) -> list[str]:
        """Where the next squares begin: beside these, or the first of those further along."""
        e, (start, along_steps), (beside, part, across_steps) = self.e, along, across
        after, further = e.add(beside, self.shape.lanes), self._moved(start, along_steps, self.at_once)
        is_beside = e.value(f"icmp slt i64 {after}, {part.last}")
        pairs = zip(
            self._moved(start, across_steps, after), self._moved(further, across_steps, part.first), strict=True
        )
        return [e.value(f"select i1 {is_beside}, ptr {one}, ptr {other}") for one, other in pairs]

    def _begin(self) -> None:
        """What squares have in common."""
        self.distances = self._distances()

    def _walk(self, corner: Sequence[str], count: Value, steps: Sequence[str]) -> None:
        """Squares of so many rows or columns, one after the other."""
        with self.e.loop(0, count, self.shape.lanes) as place:
            places = self._places(self._moved(corner, steps, place))
            if self.shape.stream:
                self._ask_ahead(places, steps)
            turned = [self._turned([self._value(node, [place]) for place in places]) for node in self.nodes]
            self._compute_rows(places, turned)

    def _ask_ahead(self, places: Sequence[Sequence[str]], steps: Sequence[str]) -> None:
        """The operands of a later square, but for those that are contiguous all the way: machines foresee them."""
        even = [number for number, (_, step) in enumerate(self.shape.loads) if step == EVEN]
        for side in (*self.shape.turned, *(even if self.tiling.walks_rows else ())):
            ahead = self.e.multiply(steps[side], max(AHEAD, self.at_once))
            for place in places:
                self.e.prefetch(self.e.at(place[side], ahead), SECOND_LEVEL)

    def _distances(self) -> list[list[list[Value]]]:
        """From the corner of a square to some rows of each operand, or columns if it is turned, and to those between.

        Few addresses and few distances: processors add two of them while they load.
        """
        e, size, turned = self.e, self.shape.lanes, self.shape.turned
        steps = [self.column_steps[side] if side in turned else self.row_steps[side] for side in self.sides]
        counts = range(0, size, NEAR_COLUMNS), range(min(size, NEAR_COLUMNS))
        return [[[e.multiply(step, count) for step in steps] for count in many] for many in counts]

    def _places(self, corner: Sequence[str]) -> list[list[str]]:
        """Where the rows of every operand of a square begin, or its columns if it is turned."""
        e, places = self.e, [list(corner)]
        for some in self.distances:
            places = [[e.at(*pair) for pair in zip(place, more, strict=True)] for place in places for more in some]
        return places

    def _bytes(self, side: int) -> int:
        return self.shape.sides[side][0].element_bytes

    # Edges

    def _side(self) -> None:
        """The rows or columns beside whole squares, along some of these."""
        e, lanes, rows, columns = self.e, self.shape.lanes, Part.named("row"), Part.named("column")
        if self.tiling.walks_rows:
            corner, count = self._moved(self.pointers, self.row_steps, rows.first), e.subtract(rows.last, rows.first)
            edge = EdgeLanes(e, lanes, columns)
            self._stage_columns(corner, count, edge)
            if self.tiling.wraps:
                self._turn_strip(self._moved(corner, self.column_steps, columns.last), count)
            else:
                self._turn_strip(corner, count, edge=edge)
            return
        corner = self._moved(self.pointers, self.column_steps, columns.first)
        count = e.subtract(columns.last, columns.first)
        edge, self.distances = EdgeLanes(e, lanes, rows), self._distances()
        starts = self._at_edge(corner, self.row_steps, edge)
        with e.loop(0, count, lanes) as column:
            corners = [self._moved(start, self.column_steps, column) for start in starts]
            self._keep_turned(list(zip(*map(self._places, corners), strict=True)), column, edge)
        self._finish_rows(corner, count, edge=edge)

    def _corner(self) -> None:
        """A square of the rows and columns after the others and, in its last lanes, those before them."""
        e, size, count = self.e, self.shape.lanes, len(self.nodes)
        rows, columns = (EdgeLanes(e, size, Part.named(name)) for name in ("row", "column"))
        with self._each_lane(columns) as (lane, column):
            places = self._at_edge(self._moved(self.pointers, self.column_steps, column), self.row_steps, rows)
            for number, node in enumerate(self.nodes):
                vectors.store(self._value(node, places, rows), self._staged_at(number, lane, 0))
        with e.loop(0, size, self.square.part.count) as row:
            for number, node in enumerate(self.nodes):
                for n, value in enumerate(self._short_rows(node, self._staged_at(number, 0, row))):
                    vectors.store(value, self._staged_at(count + number, e.add(row, n), 0))
        with self._each_lane(rows) as (lane, row):
            self._compute_rows([self._moved(self.pointers, self.row_steps, row)], self._kept(lane, 0, count), columns)
