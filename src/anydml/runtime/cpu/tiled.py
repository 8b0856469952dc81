"""Pointwise kernels that turn operands within registers, a square of rows and columns at a time.

What is computed from operands that are far apart along the columns alone is computed along the rows, where they are
neighbours, and then turned: of two such operands, only the sum is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial, reduce
from typing import Any

import numpy as np

from anydml.core.expression import Node, leaves
from anydml.runtime.cpu import vectors
from anydml.runtime.cpu.expressions import converted, emit
from anydml.runtime.cpu.loops import EVEN
from anydml.runtime.cpu.pointwise import Kernel, Shape
from anydml.runtime.cpu.tiling import turned_values
from anydml.runtime.cpu.turned import NEAR_COLUMNS
from anydml.runtime.moves.kernels.lanes import Lanes as Square
from anydml.runtime.native.emit import SECOND_LEVEL, Emitter, Value, pointers_to, vector
from anydml.runtime.native.math.values import Vector

WALKED = 64
"""Rows or columns that are walked before those beside them."""
AHEAD = 128
"""Rows or columns that are streamed are asked for so many before they are read."""
LOADED = 4
"""Rows that are loaded before the first of them is stored: processors hold loads back that might read what is stored
just before, and look at the last 12 bits of addresses alone."""
LEAST_TRIMMED = 8
"""Squares beside one another from which on it pays to begin at a line of memory."""

Edge = tuple[Value, Value, Value]
"""Where the rows or columns after whole squares begin, how many there are, and how many there are before those."""


def _edge_named(name: str) -> Edge:
    return f"%{name}", f"%after_{name}s", f"%before_{name}s"


_EDGES = ", ".join(f"i64 {value}" for name in ("row", "column") for value in _edge_named(name))


class TiledKernel(Kernel):
    """Writes the functions of one kernel."""

    def __init__(self, e: Emitter, shape: Shape) -> None:
        super().__init__(e, shape)
        assert shape.tiling is not None
        self.tiling, self.nodes = shape.tiling, turned_values(shape)
        self.streams = True
        """Whether the function that is written streams results that are streamed, not gathers them first."""
        self.width = shape.vector_bytes // shape.lanes
        self.square = Square(self.width, shape.lanes)
        self.at_once = WALKED
        self.row_steps: list[str] = []
        self.column_steps: list[str] = []
        """Of all operands, in the function that is written."""
        self.following: Callable[[], list[str]] = list
        """Finds where the squares begin that are walked next."""

    def _emit_rows(self) -> None:
        """Functions that work on one row are not needed."""

    def _rows(self) -> None:
        e = self.e
        (rows, row_steps), (columns, column_steps) = self._loop(self.rows_loop), self._loop(self.columns_loop)
        turned, store = self.shape.turned[0], len(self.shape.loads)
        edge_columns = (columns, 0, 0) if self.tiling.gathers else self._edge_of(store, columns, row_steps[store])
        if self.shape.stream:
            # Operands need not be aligned: both parts of a line are in the caches when they are read.
            edge_rows, is_aligned = self._edge_from(rows, 0), self._is_aligned(edge_columns)
            with e.when(is_aligned):
                self._call("squares", edge_rows, edge_columns)
            with e.when(e.value(f"xor i1 {is_aligned}, true")):
                if self.tiling.gathers:
                    self._call("gathered", edge_rows, edge_columns)
                else:
                    self._all_edges(rows, columns)
        else:
            self._call("squares", self._edge_of(turned, rows, column_steps[turned]), edge_columns)
        self._emit("squares", lambda: self._squares(gathers=False))
        self._emit("edge", self._edge)
        if self.tiling.gathers:
            self._emit("gathered", lambda: self._squares(gathers=True))
            with e.function("stream", "ptr %from, ptr %to, i64 %bytes"):
                self._stream()

    def _emit(self, name: str, body: Callable[[], None]) -> None:
        with self.e.function(name, f"ptr %parameters, ptr %staging, {_EDGES}, {self.arguments}"):
            body()

    def _is_aligned(self, columns: Edge) -> str:
        """Whether whole squares begin where vectors of the result are aligned, as what is streamed must be."""
        e, store = self.e, len(self.shape.loads)
        size = self._bytes(store)
        first = e.at(self.pointers[store], e.multiply(columns[2], size))
        astray = e.mask(e.value(f"ptrtoint ptr {first} to i64"), self.shape.lanes * size - 1)
        return e.value(f"icmp eq i64 {astray}, 0")

    def _all_edges(self, rows: Value, columns: Value) -> None:
        """Everything as if at an edge: what is streamed must be aligned."""
        e, size = self.e, self.shape.lanes
        with e.loop(0, rows, size) as row, e.loop(0, columns, size) as column:
            counts = (e.minimum(e.subtract(rows, row), size), e.minimum(e.subtract(columns, column), size))
            self._call("edge", (row, counts[0], 0), (column, counts[1], 0))

    def _edge_of(self, side: int, count: Value, step: Value) -> Edge:
        """The rows or columns that are not of whole squares.

        Squares begin where an operand is aligned, if it is in all rows or columns, if these are long, and if what is
        left on both sides fits into one square.
        """
        e, size, element = self.e, self.shape.lanes, self._bytes(side)
        address = e.value(f"ptrtoint ptr {self.pointers[side]} to i64")
        before = e.value(f"udiv i64 {e.mask(e.subtract(0, address), element * size - 1)}, {element}")
        after = e.mask(e.subtract(count, before), size - 1)
        conditions = [
            e.value(f"icmp sge i64 {count}, {LEAST_TRIMMED * size}"),
            e.value(f"icmp eq i64 {e.mask(step, element * size - 1)}, 0"),
            e.value(f"icmp sle i64 {e.add(before, after)}, {size}"),
        ]
        is_trimmed = reduce(lambda one, other: e.value(f"and i1 {one}, {other}"), conditions)
        return self._edge_from(count, e.value(f"select i1 {is_trimmed}, i64 {before}, i64 0"))

    def _edge_from(self, count: Value, first: Value) -> Edge:
        """The same, of squares that begin here."""
        last = self.e.add(first, self.e.mask(self.e.subtract(count, first), -self.shape.lanes))
        return last, self.e.subtract(count, last), first

    def _when_some(self, edge: Edge) -> AbstractContextManager[None]:
        _, after, before = edge
        return self.e.when(self.e.value(f"icmp ne i64 {self.e.add(after, before)}, 0"))

    def _call(self, function: str, rows: Edge, columns: Edge) -> None:
        given = ", ".join(f"i64 {value}" for value in (*rows, *columns))
        self.e.do(f"call void @{function}(ptr %parameters, ptr %staging, {given}, {self.arguments})")

    # Whole squares

    def _squares(self, gathers: bool) -> None:
        """Some rows or columns of all squares beside one another, then the next ones; with them those at the edges."""
        e, size, tiling = self.e, self.shape.lanes, self.tiling
        (_, self.row_steps), (_, self.column_steps) = self._loop(self.rows_loop), self._loop(self.columns_loop)
        walk = [(_edge_named("row"), self.row_steps), (_edge_named("column"), self.column_steps)]
        (along, along_steps), (across, across_steps) = walk if tiling.walks_rows else reversed(walk)

        def call_edge(one: Edge, other: Edge) -> None:
            self._call("edge", *((one, other) if tiling.walks_rows else (other, one)))

        self._begin()
        gathered, self.streams = e.at("%staging", self.staged_bytes), not gathers
        with e.loop(along[2], along[0], self.at_once) as first:
            last = e.minimum(e.add(first, self.at_once), along[0])
            start = self._moved(self.pointers, along_steps, first)
            begin = [*start[:-1], gathered] if gathers else start
            with e.loop(across[2], across[0], size) as beside:
                self.following = partial(self._following, (start, along_steps), (beside, across, across_steps))
                self._walk(self._moved(begin, across_steps, beside), e.subtract(last, first), along_steps)
            if gathers:
                count = e.multiply(e.subtract(last, first), self.row_steps[-1])
                e.do(f"call void @stream({pointers_to(gathered, start[-1])}, i64 {count})")
            with self._when_some(across), e.loop(first, last, size) as place:
                call_edge((place, size, 0), across)
        with self._when_some(along):
            with e.loop(across[2], across[0], size) as beside:
                call_edge(along, (beside, size, 0))
            with self._when_some(across):
                call_edge(along, across)

    def _following(self, along: tuple[list[str], list[str]], across: tuple[Value, Edge, list[str]]) -> list[str]:
        """Where the next squares begin: beside these, or the first of those further along."""
        e, (start, along_steps), (beside, edge, across_steps) = self.e, along, across
        after, further = e.add(beside, self.shape.lanes), self._moved(start, along_steps, self.at_once)
        is_beside = e.value(f"icmp slt i64 {after}, {edge[0]}")
        pairs = zip(self._moved(start, across_steps, after), self._moved(further, across_steps, edge[2]), strict=True)
        return [e.value(f"select i1 {is_beside}, ptr {one}, ptr {other}") for one, other in pairs]

    @property
    def staged_bytes(self) -> int:
        """Memory that whole squares need."""
        return 0

    def _begin(self) -> None:
        """What squares have in common."""
        self.distances = self._distances()

    def _walk(self, corner: Sequence[str], count: Value, steps: Sequence[str]) -> None:
        """Squares of so many rows or columns, one after the other."""
        with self.e.loop(0, count, self.shape.lanes) as place:
            places = self._places(self._moved(corner, steps, place))
            if self.shape.stream:
                self._ask_ahead(places, steps)
            self._square(places)

    def _ask_ahead(self, places: Sequence[Sequence[str]], steps: Sequence[str]) -> None:
        """The operands of a later square, but for those that are contiguous all the way: machines foresee them."""
        even = [number for number, (_, step) in enumerate(self.shape.loads) if step == EVEN]
        for side in (*self.shape.turned, *(even if self.tiling.walks_rows else ())):
            ahead = self.e.multiply(steps[side], AHEAD)
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

    def _square(self, places: Sequence[list[str]]) -> None:
        """One square, at these places."""
        turned = [self._turned([self._value(node, place) for place in places]) for node in self.nodes]
        self._compute_rows(places, turned)

    def _compute_rows(self, places: Sequence[list[str]], turned: Sequence[Sequence[Vector]]) -> None:
        """Rows at these places; `turned` are the vectors of every expression, one for each row."""
        pointers = self.pointers
        for first in range(0, len(places), LOADED):
            some = places[first : first + LOADED]
            loads = [self._loads(place) for place in some]
            for row, self.pointers in enumerate(some):
                values = (rows[first + row] for rows in turned)
                self._compute_row(dict(zip(self.nodes, values, strict=True)), loads[row])
        self.pointers = pointers

    def _loads(self, pointers: Sequence[str], columns: _EdgeLanes | None = None) -> dict[int, Vector]:
        """A row of those operands that are not turned."""
        even = [number for number, (_, step) in enumerate(self.shape.loads) if step == EVEN]
        return {number: self._neighbours(number, pointers[number], columns) for number in even}

    def _value(self, node: Node, pointers: Sequence[str], rows: _EdgeLanes | None = None) -> Vector:
        """An expression of turned operands in a vector of rows."""
        read = [leaf.value for leaf in leaves(node) if leaf.op == "load"]
        return emit(self.lanes, [node], {n: self._neighbours(n, pointers[n], rows) for n in read})[0]

    def _neighbours(self, side: int, pointer: str, used: _EdgeLanes | None) -> Vector:
        e, data_type = self.e, self.shape.loads[side][0]
        if used is None:
            return vectors.load(self.lanes, data_type, pointer)
        found = [
            vectors.load(self.lanes, data_type, e.at(pointer, e.multiply(place, data_type.element_bytes)), mask)
            for _, place, mask in used.spans
        ]
        flags = vector(self.lanes.count, "i1")
        chosen = e.value(f"select {flags} {used.last_mask}, {found[1].typed}, {found[0].typed}")
        return self.lanes.named(chosen, data_type.numpy_dtype)

    def _turned(self, columns: Sequence[Vector]) -> list[Vector]:
        """Columns as rows."""
        e, square = self.e, self.square
        bits = [e.value(f"bitcast {column.typed} to {square.kind}") for column in columns]
        return [self._from_bits(row, columns[0].type) for row in square.turn(e, bits)]

    def _from_bits(self, bits: str, kind: np.dtype[Any]) -> Vector:
        name = self.e.value(f"bitcast {self.square.kind} {bits} to {self.lanes.type_name(kind)}")
        return self.lanes.named(name, kind)

    def _compute_row(
        self, turned: dict[Node, Vector], loads: dict[int, Vector], columns: _EdgeLanes | None = None
    ) -> None:
        """The row of a square at the pointers."""
        shape, still = self.shape, self._still_values()
        values = emit(self.lanes, shape.values, still.loads | loads, still.known | turned)
        for side, value in enumerate(values, len(shape.loads)):
            result = converted(value, shape.sides[side][0])
            if columns is None:
                self._store(side, result, 0, None)
                continue
            for count, place, mask in columns.spans:
                with self.e.when(self.e.value(f"icmp ne i64 {count}, 0")):  # storing no lane is slow
                    self._store(side, result, place, mask)

    def _store(self, side: int, value: Vector, place: Value, mask: str | None) -> None:
        pointer, _ = self._at(side, place)
        vectors.store(value, pointer, mask, self.shape.stream and self.streams)

    # Gathered rows

    def _stream(self) -> None:
        """Writes rows that follow one another past the caches, but for the first and last bytes."""
        e, vector_bytes = self.e, self.shape.vector_bytes
        address = e.value("ptrtoint ptr %to to i64")
        first = e.minimum(e.mask(e.subtract(0, address), vector_bytes - 1), "%bytes")
        last = e.add(first, e.mask(e.subtract("%bytes", first), -vector_bytes))
        kind = vector(vector_bytes // 4, "i32")
        for start, stop, step, type_name in (
            (0, first, 1, "i8"),
            (first, last, vector_bytes, kind),
            (last, "%bytes", 1, "i8"),
        ):
            with e.loop(start, stop, step) as i:
                value = e.load(type_name, e.at("%from", i))
                e.store(type_name, value, e.at("%to", i), step, stream=step > 1)

    def _bytes(self, side: int) -> int:
        return self.shape.sides[side][0].element_bytes

    # Squares at the edges

    def _edge(self) -> None:
        """A square of the rows and columns after the others and, in its last lanes, those before them."""
        e, size, nodes = self.e, self.shape.lanes, self.nodes
        (_, row_steps), (_, column_steps) = self._loop(self.rows_loop), self._loop(self.columns_loop)
        corner, rows, columns = self.pointers, _EdgeLanes(e, size, "row"), _EdgeLanes(e, size, "column")
        places = [self._moved(corner, column_steps, columns.place(column)) for column in range(size)]
        for number, node in enumerate(nodes):
            turned = self._turned([self._value(node, place, rows) for place in places])
            for lane, value in enumerate(turned):
                vectors.store(value, e.at("%staging", (number * size + lane) * self.shape.vector_bytes))
        with e.loop(0, e.add(rows.after, rows.before)) as count:
            used, row = rows.lane_and_place(count)
            self.pointers = self._moved(corner, row_steps, row)
            staged = e.at("%staging", e.multiply(used, self.shape.vector_bytes))
            starts = [e.at(staged, number * size * self.shape.vector_bytes) for number in range(len(nodes))]
            values = {node: self._loaded(node, at) for node, at in zip(nodes, starts, strict=True)}
            self._compute_row(values, self._loads(self.pointers, columns), columns)
        self.pointers = corner

    def _loaded(self, node: Node, pointer: str) -> Vector:
        return self.lanes.named(self.e.load(self.lanes.type_name(node.type), pointer), node.type)


class _EdgeLanes:
    """The lanes of a vector at an edge: the first are of elements from a place on, the last of the very first ones."""

    def __init__(self, e: Emitter, count: int, name: str) -> None:
        self.e, self.count = e, count
        self.start, self.after, self.before = _edge_named(name)
        first_mask = vectors.first_lanes(e, count, self.after)
        kept = vectors.first_lanes(e, count, e.subtract(count, self.before))
        self.last_mask = e.value(f"xor {vector(count, 'i1')} {kept}, {vectors.all_lanes(count)}")
        self.spans = (self.after, self.start, first_mask), (self.before, e.subtract(self.before, count), self.last_mask)
        """Of either part: how many elements it has, where that of lane 0 would be, and which lanes are used."""

    def place(self, lane: int) -> str:
        """Where the element of a lane is; that of lanes between is the very first one."""
        e = self.e
        early = e.maximum(e.subtract(lane, e.subtract(self.count, self.before)), 0)
        is_after = e.value(f"icmp slt i64 {lane}, {self.after}")
        return e.value(f"select i1 {is_after}, i64 {e.add(self.start, lane)}, i64 {early}")

    def lane_and_place(self, number: Value) -> tuple[str, str]:
        """Those of one of the lanes that are used."""
        e = self.e
        early = e.subtract(number, self.after)
        is_after = e.value(f"icmp slt i64 {number}, {self.after}")
        last = e.add(early, e.subtract(self.count, self.before))
        lane = e.value(f"select i1 {is_after}, i64 {number}, i64 {last}")
        return lane, e.value(f"select i1 {is_after}, i64 {e.add(self.start, number)}, i64 {early}")
