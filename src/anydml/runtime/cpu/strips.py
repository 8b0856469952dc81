"""Squares one after the other, whose operands are turned by way of memory: many of them are read, and then computed.

The lanes of a strip are rows or columns. Those at the edges of a nest make up one strip: its first lanes are the last
rows or columns, its last lanes the very first ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from anydml.core.expression import Node, leaves
from anydml.runtime.cpu import vectors
from anydml.runtime.cpu.expressions import converted, emit
from anydml.runtime.cpu.loops import EVEN
from anydml.runtime.cpu.pointwise import Kernel, Shape
from anydml.runtime.cpu.tiling import turned_values
from anydml.runtime.cpu.turned import LINE_BYTES
from anydml.runtime.moves.kernels.lanes import Lanes as Square
from anydml.runtime.native.emit import SECOND_LEVEL, Emitter, Value, vector
from anydml.runtime.native.math.values import Vector

LOADED = 4
"""Rows that are loaded before the first of them is stored: processors hold loads back that might read what is stored
just before, and look at the last 12 bits of addresses alone."""

Places = Sequence[Sequence[str]]
"""Where a vector of every operand begins; at an edge, where either part of it would."""


class Part(NamedTuple):
    """Rows or columns of a nest: those of whole squares, and how many there are after them and before all."""

    first: Value
    last: Value
    after: Value = 0
    before: Value = 0
    closing: Value = 0
    """How many the last square of the nest has, if it is among these."""

    @classmethod
    def named(cls, name: str) -> Part:
        return cls(f"%first_{name}", f"%last_{name}", f"%after_{name}s", f"%before_{name}s", f"%closing_{name}s")


class EdgeLanes:
    """The lanes of a vector at an edge: the first are of the elements after whole squares, the last of those before."""

    def __init__(self, e: Emitter, count: int, part: Part) -> None:
        self.e, self.count, self.part = e, count, part
        first_mask = vectors.first_lanes(e, count, part.after)
        kept = vectors.first_lanes(e, count, e.subtract(count, part.before))
        last_mask = e.value(f"xor {vector(count, 'i1')} {kept}, {vectors.all_lanes(count)}")
        self.spans = (part.after, part.last, first_mask), (part.before, e.subtract(part.before, count), last_mask)
        """Of either part: how many elements it has, where that of lane 0 would be, and which lanes are used."""

    @property
    def used(self) -> Value:
        return self.e.add(self.part.after, self.part.before)

    def lane_and_place(self, number: Value) -> tuple[str, str]:
        """Those of one of the lanes that are used."""
        e, part = self.e, self.part
        early = e.subtract(number, part.after)
        is_after = e.value(f"icmp slt i64 {number}, {part.after}")
        last = e.add(early, e.subtract(self.count, part.before))
        lane = e.value(f"select i1 {is_after}, i64 {number}, i64 {last}")
        return lane, e.value(f"select i1 {is_after}, i64 {e.add(part.last, number)}, i64 {early}")


class StripKernel(Kernel):
    """What is computed of squares, and strips of them."""

    def __init__(self, e: Emitter, shape: Shape) -> None:
        super().__init__(e, shape)
        assert shape.tiling is not None
        self.tiling, self.nodes = shape.tiling, turned_values(shape)
        self.width = shape.vector_bytes // shape.lanes
        self.square = Square(self.width, shape.lanes)
        self.row_steps: list[str] = []
        self.column_steps: list[str] = []
        """Of all operands, in the function that is written."""

    def _read_steps(self) -> None:
        (_, self.row_steps), (_, self.column_steps) = self._loop(self.rows_loop), self._loop(self.columns_loop)

    @property
    def at_once(self) -> int:
        """Rows or columns that are walked before those beside them."""
        raise NotImplementedError

    @property
    def pitch(self) -> int:
        """Bytes from one staged row or column to the next: not a power of two, or these would share few places in
        caches."""
        return self.at_once * self.width + LINE_BYTES

    def _strip(self, corner: Sequence[str], count: Value, following: Sequence[str]) -> None:
        """So many rows or columns from a corner on; `following` is where the next ones are that will be staged."""
        if self.tiling.walks_rows:
            self._stage_columns(corner, count)
            self._turn_strip(corner, count, following)
        else:
            self._stage_rows(corner, count)
            self._finish_rows(corner, count, following)

    @contextmanager
    def _each_lane(self, edge: EdgeLanes | None) -> Iterator[tuple[Value, Value]]:
        """Lanes, and the places of their rows or columns, one after the other."""
        with self.e.loop(0, edge.used if edge else self.shape.lanes) as number:
            yield edge.lane_and_place(number) if edge else (number, number)

    # Along many rows

    def _stage_columns(self, corner: Sequence[str], rows: Value, edge: EdgeLanes | None = None) -> None:
        """Reads what is turned, a column of all squares at a time; where lines wrap, the first columns of next rows."""
        e = self.e
        with self._each_lane(edge) as (lane, column):
            start = self._moved(corner, self.column_steps, column)
            if edge and self.tiling.wraps:
                is_early = e.value(f"icmp sge i64 {lane}, {edge.part.after}")
                start = self._moved(start, self.row_steps, e.value(f"zext i1 {is_early} to i64"))
            with e.loop(0, rows, self.shape.lanes) as row:
                place = self._moved(start, self.row_steps, row)
                for number, node in enumerate(self.nodes):
                    vectors.store(self._value(node, [place]), self._staged_at(number, lane, row))

    def _turn_strip(
        self, corner: Sequence[str], rows: Value, following: Sequence[str] = (), edge: EdgeLanes | None = None
    ) -> None:
        """Turns a few rows at a time: of short parts of columns, which processors turn quickly."""
        e, size, count = self.e, self.shape.lanes, self.square.part.count
        with e.loop(0, rows, count) as row:
            for n in range(count):
                self._ask_for(following, e.mask(row, -size), e.add(e.mask(row, size - 1), n))
            turned = [self._short_rows(node, self._staged_at(number, 0, row)) for number, node in enumerate(self.nodes)]
            start = self._moved(corner, self.row_steps, row)
            self._compute_rows([self._moved(start, self.row_steps, n) for n in range(count)], turned, edge)

    def _short_rows(self, node: Node, start: str) -> list[Vector]:
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
            self._keep_turned([[self._moved(start, self.column_steps, n)] for n in range(size)], column)

    def _keep_turned(self, places: Sequence[Places], column: Value, rows: EdgeLanes | None = None) -> None:
        """One square, whose columns are at these places."""
        for number, node in enumerate(self.nodes):
            for row, value in enumerate(self._turned([self._value(node, place, rows) for place in places])):
                vectors.store(value, self._staged_at(number, row, column))

    def _finish_rows(
        self, corner: Sequence[str], columns: Value, following: Sequence[str] = (), edge: EdgeLanes | None = None
    ) -> None:
        """Computes one row after the other of those that are kept."""
        e, size = self.e, self.shape.lanes
        with self._each_lane(edge) as (lane, row):
            start = self._moved(corner, self.row_steps, row)
            asked = e.multiply(lane, e.value(f"udiv i64 {columns}, {size}"))
            with e.loop(0, columns, size) as column:
                self._ask_for(following, 0, e.add(asked, e.value(f"udiv i64 {column}, {size}")))
                self._compute_rows([self._moved(start, self.column_steps, column)], self._kept(lane, column))

    def _kept(self, lane: Value, column: Value, first: int = 0) -> list[list[Vector]]:
        """Of every expression, a vector of the row that was turned."""
        places = [self._staged_at(number, lane, column) for number in range(first, first + len(self.nodes))]
        return [[self._loaded(node, place)] for node, place in zip(self.nodes, places, strict=True)]

    # Memory

    def _staged_at(self, number: int, line: Value, place: Value) -> str:
        """The place in a staged row or column of an expression."""
        e, start = self.e, self.e.at("%staging", number * self.shape.lanes * self.pitch)
        return e.at(e.at(start, e.multiply(line, self.pitch)), e.multiply(place, self.width))

    def _ask_for(self, following: Sequence[str], row: Value, column: Value) -> None:
        """What is staged next, a vector of it: memory works meanwhile. Caches need no such help."""
        if following:
            place = self._moved(self._moved(following, self.row_steps, row), self.column_steps, column)
            for side in self.shape.turned:
                self.e.prefetch(place[side], SECOND_LEVEL)

    def _ask_for_rows(self, start: Sequence[str]) -> None:
        """The rows of a square that will be read one by one."""
        for side in (number for number, (_, step) in enumerate(self.shape.loads) if step == EVEN):
            for n in range(self.shape.lanes):
                self.e.prefetch(self._moved(start, self.row_steps, n)[side], SECOND_LEVEL)

    # Values

    def _value(self, node: Node, places: Places, rows: EdgeLanes | None = None) -> Vector:
        """An expression of turned operands in a vector of rows."""
        read = [leaf.value for leaf in leaves(node) if leaf.op == "load"]
        return emit(self.lanes, [node], {n: self._neighbours(n, places, rows) for n in read})[0]

    def _neighbours(self, side: int, places: Places, edge: EdgeLanes | None) -> Vector:
        data_type, found = self.shape.loads[side][0], None
        if edge is None:
            return vectors.load(self.lanes, data_type, places[0][side])
        for (_, _, mask), pointers in zip(edge.spans, places, strict=True):
            found = vectors.load(self.lanes, data_type, pointers[side], mask, found)
        assert found is not None
        return found

    def _at_edge(self, pointers: Sequence[str], steps: Sequence[Value], edge: EdgeLanes | None) -> Places:
        """Where the lanes begin of a vector along these steps."""
        return [self._moved(pointers, steps, place) for _, place, _ in edge.spans] if edge else [pointers]

    def _turned(self, columns: Sequence[Vector]) -> list[Vector]:
        """Columns as rows."""
        e, square = self.e, self.square
        bits = [e.value(f"bitcast {column.typed} to {square.kind}") for column in columns]
        return [self._from_bits(row, columns[0].type) for row in square.turn(e, bits)]

    def _from_bits(self, bits: str, kind: np.dtype[Any]) -> Vector:
        name = self.e.value(f"bitcast {self.square.kind} {bits} to {self.lanes.type_name(kind)}")
        return self.lanes.named(name, kind)

    def _loaded(self, node: Node, pointer: str) -> Vector:
        return self.lanes.named(self.e.load(self.lanes.type_name(node.type), pointer), node.type)

    # Rows

    def _compute_rows(
        self, places: Sequence[list[str]], turned: Sequence[Sequence[Vector]], columns: EdgeLanes | None = None
    ) -> None:
        """Rows at these places; `turned` are the vectors of every expression, one for each row."""
        pointers = self.pointers
        for first in range(0, len(places), LOADED):
            some = places[first : first + LOADED]
            loads = [self._loads(place, columns) for place in some]
            for row, self.pointers in enumerate(some):
                values = (rows[first + row] for rows in turned)
                self._compute_row(dict(zip(self.nodes, values, strict=True)), loads[row], columns)
        self.pointers = pointers

    def _loads(self, pointers: Sequence[str], columns: EdgeLanes | None) -> dict[int, Vector]:
        """A row of those operands that are not turned."""
        even = [number for number, (_, step) in enumerate(self.shape.loads) if step == EVEN]
        places = self._at_edge(pointers, self.column_steps, columns)
        return {number: self._neighbours(number, places, columns) for number in even}

    def _compute_row(self, turned: dict[Node, Vector], loads: dict[int, Vector], columns: EdgeLanes | None) -> None:
        """The row at the pointers."""
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
        vectors.store(value, pointer, mask, self.shape.stream)
