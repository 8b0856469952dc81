"""Pointwise kernels that turn operands within registers, a square of rows and columns at a time.

What is computed from operands that are far apart along the columns alone is computed along the rows, where they are
neighbours, and then turned: of two such operands, only the sum is.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import reduce

from anydml.core.expression import Node, leaves
from anydml.runtime.cpu import vectors
from anydml.runtime.cpu.expressions import converted, emit
from anydml.runtime.cpu.loops import EVEN
from anydml.runtime.cpu.pointwise import Kernel, Shape
from anydml.runtime.cpu.tiling import turned_values
from anydml.runtime.cpu.turned import LINE_BYTES, NEAR_COLUMNS
from anydml.runtime.moves.kernels.lanes import Lanes as Square
from anydml.runtime.native.emit import Emitter, Value, pointers_to, vector
from anydml.runtime.native.math.values import Vector

WALKED, STAGED = 64, 256
"""Rows or columns that are walked before those beside them, and those that are staged before they are turned."""
LEAST_TRIMMED = 3
"""Squares beside one another from which on it pays to begin at a line of memory."""

Edge = tuple[Value, Value, Value]
"""Where the rows or columns after whole squares begin, how many there are, and how many there are before those."""
_EDGES = "i64 %row, i64 %after_rows, i64 %before_rows, i64 %column, i64 %after_columns, i64 %before_columns"


class TiledKernel(Kernel):
    """Writes the functions of one kernel."""

    def __init__(self, e: Emitter, shape: Shape) -> None:
        super().__init__(e, shape)
        self.nodes = turned_values(shape)
        self.width = shape.vector_bytes // shape.lanes
        self.pitch = STAGED * self.width + LINE_BYTES
        """Bytes from one staged column to the next: not a power of two, or all would share few places in caches."""

    def _emit_rows(self) -> None:
        """Functions that work on one row are not needed."""

    def _rows(self) -> None:
        """Whole squares, and those at the edges."""
        e, size = self.e, self.shape.lanes
        (rows, row_steps), (columns, column_steps) = self._loop(self.rows_loop), self._loop(self.columns_loop)
        turned, store = self.shape.turned[0], len(self.shape.loads)
        top, bottom = self._inner(turned, rows, column_steps[turned])
        left, right = self._inner(store, columns, row_steps[store])
        corner = self._moved(self._moved(self.pointers, row_steps, top), column_steps, left)
        counts = f"i64 {e.subtract(bottom, top)}, i64 {e.subtract(right, left)}"
        e.do(f"call void @squares(ptr %parameters, ptr %staging, {counts}, {pointers_to(*corner)})")
        edge_rows, edge_columns = (bottom, e.subtract(rows, bottom), top), (right, e.subtract(columns, right), left)
        with self._when_some(edge_columns), e.loop(top, bottom, size) as row:
            self._call_edge((row, size, 0), edge_columns)
        with self._when_some(edge_rows):
            with e.loop(left, right, size) as column:
                self._call_edge(edge_rows, (column, size, 0))
            with self._when_some(edge_columns):
                self._call_edge(edge_rows, edge_columns)
        with e.function("squares", f"ptr %parameters, ptr %staging, i64 %rows, i64 %columns, {self.arguments}"):
            self._squares()
        with e.function("edge", f"ptr %parameters, ptr %staging, {_EDGES}, {self.arguments}"):
            self._edge()

    def _inner(self, side: int, count: Value, step: Value) -> tuple[Value, Value]:
        """The rows or columns of whole squares.

        They begin where an operand is aligned, if it is in all rows or columns, if these are long, and if what is left
        on both sides fits into one square.
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
        first = e.value(f"select i1 {is_trimmed}, i64 {before}, i64 0")
        return first, e.add(first, e.mask(e.subtract(count, first), -size))

    def _when_some(self, edge: Edge) -> AbstractContextManager[None]:
        _, after, before = edge
        return self.e.when(self.e.value(f"icmp ne i64 {self.e.add(after, before)}, 0"))

    def _call_edge(self, rows: Edge, columns: Edge) -> None:
        given = ", ".join(f"i64 {value}" for value in (*rows, *columns))
        self.e.do(f"call void @edge(ptr %parameters, ptr %staging, {given}, {self.arguments})")

    # Whole squares

    def _squares(self) -> None:
        """Some rows or columns of all squares beside one another, then the next ones."""
        e, size, tiling = self.e, self.shape.lanes, self.shape.tiling
        assert tiling is not None
        (_, row_steps), (_, column_steps) = self._loop(self.rows_loop), self._loop(self.columns_loop)
        walk = [("%rows", row_steps), ("%columns", column_steps)]
        (along, along_steps), (across, across_steps) = walk if tiling.walks_rows else reversed(walk)
        distances = self._distances(row_steps, column_steps)
        at_once = STAGED if tiling.is_staged else WALKED
        with e.loop(0, along, at_once) as first, e.loop(0, across, size) as beside:
            last = e.minimum(e.add(first, at_once), along)
            corner = self._moved(self.pointers, across_steps, beside)
            if tiling.is_staged:
                self._stage(self._moved(corner, along_steps, first), e.subtract(last, first), column_steps)
            with e.loop(first, last, size) as place:
                places = self._places(self._moved(corner, along_steps, place), distances)
                staged = e.at("%staging", e.multiply(e.subtract(place, first), self.width))
                self._square(places, staged if tiling.is_staged else None)

    def _distances(self, row_steps: Sequence[str], column_steps: Sequence[str]) -> list[list[list[Value]]]:
        """From the corner of a square to some rows of each operand, or columns if it is turned, and to those between.

        Few addresses and few distances: processors add two of them while they load.
        """
        e, size, turned = self.e, self.shape.lanes, self.shape.turned
        steps = [column_steps[side] if side in turned else row_steps[side] for side in self.sides]
        counts = range(0, size, NEAR_COLUMNS), range(min(size, NEAR_COLUMNS))
        return [[[e.multiply(step, count) for step in steps] for count in many] for many in counts]

    def _places(self, corner: Sequence[str], distances: Sequence[Sequence[Sequence[Value]]]) -> list[list[str]]:
        """Where the rows of every operand of a square begin, or its columns if it is turned."""
        e, places = self.e, [list(corner)]
        for some in distances:
            places = [[e.at(*pair) for pair in zip(place, more, strict=True)] for place in places for more in some]
        return places

    def _square(self, places: Sequence[list[str]], staged: str | None) -> None:
        nodes, pointers = self.nodes, self.pointers
        if staged is None:
            turned = [self._turned([self._value(node, place) for place in places]) for node in nodes]
        else:
            turned = [self._turned(self._staged(staged, number, node)) for number, node in enumerate(nodes)]
        for row, self.pointers in enumerate(places):
            self._compute_row(dict(zip(nodes, (rows[row] for rows in turned), strict=True)))
        self.pointers = pointers

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
        e, kind, square = self.e, columns[0].type, Square(columns[0].type.itemsize, self.shape.lanes)
        bits = [e.value(f"bitcast {column.typed} to {square.kind}") for column in columns]
        name = self.lanes.type_name(kind)
        rows = [e.value(f"bitcast {square.kind} {row} to {name}") for row in square.turn(e, bits)]
        return [self.lanes.named(row, kind) for row in rows]

    def _compute_row(self, turned: dict[Node, Vector], columns: _EdgeLanes | None = None) -> None:
        """The row of a square at the pointers."""
        shape, still = self.shape, self._still_values()
        even = [number for number, (_, step) in enumerate(shape.loads) if step == EVEN]
        loads = still.loads | {number: self._neighbours(number, self.pointers[number], columns) for number in even}
        for side, value in enumerate(emit(self.lanes, shape.values, loads, still.known | turned), len(shape.loads)):
            result = converted(value, shape.sides[side][0])
            if columns is None:
                self._store(side, result, 0, None)
                continue
            for count, place, mask in columns.spans:
                with self.e.when(self.e.value(f"icmp ne i64 {count}, 0")):  # storing no lane is slow
                    self._store(side, result, place, mask)

    # Staged columns

    def _stage(self, corner: Sequence[str], rows: Value, column_steps: Sequence[str]) -> None:
        """Reads the turned operands along many rows, a column of all squares at a time."""
        e, size = self.e, self.shape.lanes
        with e.loop(0, size) as column, e.loop(0, rows, size) as row:
            along = e.multiply(row, self.width)
            moved = [e.at(pointer, e.multiply(row, self._bytes(side))) for side, pointer in enumerate(corner)]
            place = self._moved(moved, column_steps, column)
            for number, node in enumerate(self.nodes):
                target = e.at("%staging", e.add(along, e.multiply(e.add(column, number * size), self.pitch)))
                vectors.store(self._value(node, place), target)

    def _staged(self, start: str, number: int, node: Node) -> list[Vector]:
        """The values of an expression, column by column."""
        size = self.shape.lanes
        return [self._loaded(node, self.e.at(start, (number * size + n) * self.pitch)) for n in range(size)]

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
            self._compute_row({node: self._loaded(node, at) for node, at in zip(nodes, starts, strict=True)}, columns)
        self.pointers = corner

    def _loaded(self, node: Node, pointer: str) -> Vector:
        return self.lanes.named(self.e.load(self.lanes.type_name(node.type), pointer), node.type)


class _EdgeLanes:
    """The lanes of a vector at an edge: the first are of elements from a place on, the last of the very first ones."""

    def __init__(self, e: Emitter, count: int, name: str) -> None:
        self.e, self.count = e, count
        self.start, self.after, self.before = (f"%{name}", f"%after_{name}s", f"%before_{name}s")
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
