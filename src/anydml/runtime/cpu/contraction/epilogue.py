"""The epilogue: what is done to finished sums before they are stored, and where they go.

A tile hands its sums over in one of two ways. A whole tile gives the vectors in its registers to `emit_vectors`. A part
of a tile is written to memory first; the function `finish` then walks over its elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from enum import Enum

from anydml.core.datatype import DataType
from anydml.core.expression import Node
from anydml.core.steps import Access
from anydml.runtime.cpu.contraction.expressions import (
    MOST_OPERATIONS,
    count_operations,
    emit_values,
    type_name,
)
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, LINE_BYTES, Machine
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.native.emit import FIRST_LEVEL, Value
from anydml.runtime.native.schedule import WORD

ROWS, COLUMNS = "rows", "columns"
FOLDS = 3
"""Loops that the folded axis of a result is made of: the pixels of an image, or one loop alone."""
_PLACE_WORDS = 2 + FOLDS
"""A place in a context: its address and its strides."""


class Lines(Enum):
    """How whole lines of results are stored."""

    ASKED_FOR = "asked for"
    """The next line of each column is asked for."""
    STREAMED = "streamed"
    """Past the caches; they are aligned."""


@dataclass(frozen=True)
class Place:
    """A tensor seen from the elements of the result, in elements."""

    slot: int
    type: DataType
    offset: int
    batch: tuple[int, ...]
    plain: int
    """Along the axis that is one loop."""
    folds: tuple[int, int, int]
    """Along the loops of the other axis, the innermost last."""

    def lane_stride(self, folded: str) -> int:
        """From column to column."""
        return self.folds[-1] if folded == COLUMNS else self.plain

    def row_stride(self, folded: str) -> int:
        return self.plain if folded == COLUMNS else self.folds[-1]

    def access(self) -> Access:
        return Access(self.slot, self.type, (*self.batch, self.plain, *self.folds), self.offset)


@dataclass(frozen=True)
class Epilogue:
    """Values of expressions, each stored to a place; loads of the expressions are places too."""

    loads: tuple[Place, ...]
    stores: tuple[Place, ...]
    values: tuple[Node, ...]
    folded: str
    """Which axis of the result may be several loops: rows or columns."""
    is_single: bool = False
    """Whether it is one loop after all."""

    @property
    def places(self) -> tuple[Place, ...]:
        return (*self.stores, *self.loads)

    def renamed(self, slot: Callable[[int], int]) -> Epilogue:
        """The same with other numbers of slots."""
        loads, stores = (
            tuple(replace(place, slot=slot(place.slot)) for place in places) for places in (self.loads, self.stores)
        )
        return replace(self, loads=loads, stores=stores)

    @property
    def turned(self) -> Epilogue:
        """The same seen from the transposed result."""
        return replace(self, folded=ROWS if self.folded == COLUMNS else COLUMNS)

    @property
    def is_vector(self) -> bool:
        """Whether whole vectors can be loaded and stored."""
        lanes = [place.lane_stride(self.folded) for place in self.loads]
        return all(stride in (0, 1) for stride in lanes) and all(p.lane_stride(self.folded) == 1 for p in self.stores)

    def can_stream(self, machine: Machine) -> bool:
        """Whether results that lie side by side along rows are whole lines of memory, in all columns at once."""
        if len(self.stores) > 1 or not self.is_single or machine.vector_bytes != LINE_BYTES:
            return False
        size = self.stores[0].type.element_bytes
        return size == CELL_BYTES and self.stores[0].plain * size % LINE_BYTES == 0

    @property
    def is_short(self) -> bool:
        """Whether it may be written out for every vector of a tile."""
        return self.is_vector and count_operations(*self.values) <= MOST_OPERATIONS

    @property
    def shape(self) -> tuple[object, ...]:
        """All that machine code depends on."""
        places = tuple((place.type, *self._stays(place)) for place in self.places)
        return (places, len(self.stores), self.values, self.folded, self.is_vector, self.is_single)

    def _stays(self, place: Place) -> tuple[bool, bool]:
        """Whether a place is the same for all columns, and for all rows, of a tile."""
        return place.lane_stride(self.folded) == 0, place.row_stride(self.folded) == 0

    def stays_down(self, place: Place) -> bool:
        return self._stays(place)[1]

    def words(self) -> list[str]:
        """The names of the words that describe its places."""
        names = ["fold_1", "fold_2"]
        for number, place in enumerate(self.places):
            name = f"place_{number}"
            names += [f"{name}_slot", f"{name}_offset", f"{name}_plain"]
            names += [f"{name}_fold_{fold}" for fold in range(FOLDS)]
            names += [f"{name}_batch_{loop}" for loop in range(len(place.batch))]
        return names

    def values_of_words(self, folds: tuple[int, int, int]) -> dict[str, int]:
        """The words, for an axis folded into loops of these sizes."""
        found = {"fold_1": folds[1], "fold_2": folds[2]}
        for number, place in enumerate(self.places):
            name, size = f"place_{number}", place.type.element_bytes
            found |= {
                f"{name}_slot": place.slot,
                f"{name}_offset": place.offset * size,
                f"{name}_plain": place.plain * size,
            }
            found |= {f"{name}_fold_{fold}": stride * size for fold, stride in enumerate(place.folds)}
            found |= {f"{name}_batch_{loop}": stride * size for loop, stride in enumerate(place.batch)}
        return found

    # --- the context: addresses for one index of the batch --------------------------------------

    @property
    def context_bytes(self) -> int:
        return (2 + _PLACE_WORDS * len(self.places)) * WORD

    def emit_context(self, e: Writer, words: Words, context: str, batch: Sequence[Value]) -> None:
        """Writes the addresses of all places, and how the axis is folded, for an index of the batch."""
        for number, name in enumerate(("fold_1", "fold_2")):
            e.store("i64", words.load(e, name), e.at(context, number * WORD), WORD)
        for number in range(len(self.places)):
            name, at = f"place_{number}", (2 + _PLACE_WORDS * number) * WORD
            pointer = words.load_address(e, name)
            for loop, index in enumerate(batch):
                pointer = e.step(pointer, (index, words.load(e, f"{name}_batch_{loop}")))
            e.store("ptr", pointer, e.at(context, at), WORD)
            strides = [f"{name}_plain", *(f"{name}_fold_{fold}" for fold in range(FOLDS))]
            for word, stride in enumerate(strides, 1):
                e.store("i64", words.load(e, stride), e.at(context, at + word * WORD), WORD)

    # --- whole tiles: sums in registers ----------------------------------------------------------

    def emit_vectors(
        self,
        e: Writer,
        context: str,
        row: Value,
        column: Value,
        sums: Sequence[Sequence[str]],
        mask: str | None = None,
        rows: Value | None = None,
        lines: Lines | None = None,
    ) -> None:
        """Stores vectors of sums, several for each row, of elements that lie in one run of the folded axis.

        Only lanes of the mask are stored, and only so many rows, where those are given.
        """
        folded, plain = (column, row) if self.folded == COLUMNS else (row, column)
        walk = _Walk(e, self, context, lines)
        pointers = walk.starts(*walk.unfold(folded), plain)
        # Without passes that would find it out: strides, and what all rows share, are loaded once.
        strides = [0 if self.stays_down(place) else walk.row_stride(n) for n, place in enumerate(self.places)]
        shared = [walk.load_shared(walk.moved(pointers, lane), mask) for lane in range(len(sums[0]))]
        for number, vectors in enumerate(sums):
            with nullcontext() if rows is None else e.when(e.compare("sgt", rows, number)):
                for lane, total in enumerate(vectors):
                    walk.emit(e.lanes, walk.moved(pointers, lane), total, mask, shared[lane])
            if number + 1 < len(sums):
                pointers = [e.at(pointer, stride) for pointer, stride in zip(pointers, strides, strict=True)]

    def fits_run(self, e: Writer, context: str, row: Value, column: Value, rows: Value, lanes: Value) -> str:
        """Whether the elements of a tile lie in one run of the folded axis."""
        if self.is_single:
            return "true"
        first, count = (column, lanes) if self.folded == COLUMNS else (row, rows)
        size = e.load("i64", e.at(context, WORD), WORD)
        _, place = e.split(first, size)
        return e.compare("sle", e.add(place, count), size)

    def rows_before_line(self, e: Writer, context: str, row: Value, column: Value) -> Value:
        """Of results that lie side by side along rows, how many there are before a vector of them is aligned."""
        walk, size = _Walk(e, self, context), self.stores[0].type.element_bytes
        folded, plain = (column, row) if self.folded == COLUMNS else (row, column)
        address = e.value(f"ptrtoint ptr {walk.starts(*walk.unfold(folded), plain)[0]} to i64")
        return e.divide(e.mask(e.subtract(0, address), e.lanes * size - 1), size)

    # --- parts of tiles: sums in memory ----------------------------------------------------------

    def emit_finish(self, e: Writer, element: str) -> None:
        """`finish(context, tile, pitch, row, column, rows, lanes)` stores the sums of a tile in memory."""
        parameters = "ptr %context, ptr %tile, i64 %pitch, i64 %row, i64 %column, i64 %rows, i64 %lanes"
        with e.function("finish", parameters):
            walk = _Walk(e, self, "%context")
            first, count = ("%column", "%lanes") if self.folded == COLUMNS else ("%row", "%rows")
            if self.is_single:
                self._emit_run(walk, element, 0, first, e.add(first, count), 0)
                return
            size = walk.sizes[1]
            after = e.add(first, count)
            last = e.add(e.divide(e.subtract(after, 1), size), 1)
            with e.loop(e.divide(first, size), last) as line:
                start = e.maximum(first, e.multiply(line, size))
                end = e.minimum(after, e.multiply(e.add(line, 1), size))
                self._emit_run(walk, element, line, start, end, e.subtract(start, first))

    def _emit_run(self, walk: _Walk, element: str, line: Value, start: Value, end: Value, done: Value) -> None:
        """Elements of one line of the folded axis; `done` of the tile's came before."""
        e = walk.e
        outer, middle = (0, 0) if self.is_single else e.split(line, walk.sizes[0])
        inner, count = e.subtract(start, e.multiply(line, walk.sizes[1])), e.subtract(end, start)
        rows: Value
        lanes: Value
        if self.folded == COLUMNS:
            rows, lanes = "%rows", count
            tile, plain = e.step("%tile", (done, CELL_BYTES)), "%row"
        else:
            rows, lanes = count, "%lanes"
            tile, plain = e.step("%tile", (done, "%pitch")), "%column"
        starts = walk.starts(outer, middle, inner, plain)
        with e.loop(0, rows) as row:
            pointers = [e.step(p, (row, walk.row_stride(place))) for place, p in enumerate(starts)]
            self._emit_row(walk, element, e.step(tile, (row, "%pitch")), pointers, lanes)

    def _emit_row(self, walk: _Walk, element: str, tile: str, pointers: Sequence[str], lanes: Value) -> None:
        e = walk.e
        if not self.is_vector:
            with e.loop(0, lanes) as lane:
                moved = [e.step(p, (lane, walk.lane_stride(place))) for place, p in enumerate(pointers)]
                walk.emit(1, moved, e.load(element, e.step(tile, (lane, CELL_BYTES))), None)
            return
        whole = e.mask(lanes, -e.lanes)
        for first, last, is_part in ((0, whole, False), (whole, lanes, True)):
            with e.loop(first, last, e.lanes) as lane:
                moved = [e.step(p, (lane, walk.lane_bytes(place))) for place, p in enumerate(pointers)]
                mask = e.first_lanes(e.subtract(lanes, lane)) if is_part else None
                # The tile has room for whole vectors.
                walk.emit(e.lanes, moved, e.load(e.kind(element), e.step(tile, (lane, CELL_BYTES))), mask)


class _Walk:
    """Emits the work of one vector or element; strides are loaded once."""

    def __init__(self, e: Writer, epilogue: Epilogue, context: str, lines: Lines | None = None) -> None:
        self.e, self.epilogue, self.context, self.lines = e, epilogue, context, lines
        self.sizes = [e.load("i64", e.at(context, number * WORD), WORD) for number in range(2)]
        """Of the middle and of the inner loop."""

    def _word(self, place: int, word: int, kind: str = "i64") -> str:
        return self.e.load(kind, self.e.at(self.context, (2 + _PLACE_WORDS * place + word) * WORD), WORD)

    def row_stride(self, place: int) -> str:
        return self._word(place, 1 if self.epilogue.folded == COLUMNS else 1 + FOLDS)

    def lane_stride(self, place: int) -> str:
        return self._word(place, 1 + FOLDS if self.epilogue.folded == COLUMNS else 1)

    def lane_bytes(self, place: int) -> int:
        """The distance of columns where vectors are loaded: that of neighbours, or none."""
        found = self.epilogue.places[place]
        return found.type.element_bytes if found.lane_stride(self.epilogue.folded) else 0

    def unfold(self, index: Value) -> tuple[Value, Value, Value]:
        if self.epilogue.is_single:
            return 0, 0, index
        line, inner = self.e.split(index, self.sizes[1])
        outer, middle = self.e.split(line, self.sizes[0])
        return outer, middle, inner

    def starts(self, outer: Value, middle: Value, inner: Value, plain: Value) -> list[str]:
        """The address of every place at an index."""
        found = []
        for place in range(len(self.epilogue.places)):
            steps = [(plain, self._word(place, 1))]
            steps += [(index, self._word(place, 2 + fold)) for fold, index in enumerate((outer, middle, inner))]
            found.append(self.e.step(self._word(place, 0, "ptr"), *steps))
        return found

    def moved(self, pointers: Sequence[str], vector: int) -> list[str]:
        """The addresses of a vector of columns further on."""
        return [self.e.at(p, vector * self.e.lanes * self.lane_bytes(place)) for place, p in enumerate(pointers)]

    def load_shared(self, pointers: Sequence[str], mask: str | None) -> dict[int, str]:
        """By their numbers, the loads that are the same for all rows of a tile."""
        found, epilogue = {}, self.epilogue
        for number, place in enumerate(epilogue.loads):
            if epilogue.stays_down(place):
                is_spread = place.lane_stride(epilogue.folded) == 0
                element = type_name(place.type.numpy_dtype)
                pointer = pointers[len(epilogue.stores) + number]
                found[number] = self._load(element, pointer, self.e.lanes, is_spread, mask)
        return found

    def emit(
        self,
        lanes: int,
        pointers: Sequence[str],
        total: str,
        mask: str | None,
        shared: Mapping[int, str] | None = None,
    ) -> None:
        """The values at one vector of elements, computed and stored; some loads may be shared with others."""
        e, stores = self.e, self.epilogue.stores
        loads = pointers[len(stores) :]

        def leaf(node: Node) -> str:
            if node.op == "result":
                return total
            if shared and node.value in shared:
                return shared[node.value]
            place = self.epilogue.loads[node.value]
            is_spread = lanes > 1 and place.lane_stride(self.epilogue.folded) == 0
            return self._load(type_name(node.type), loads[node.value], lanes, is_spread, mask)

        values = emit_values(e, lanes, self.epilogue.values, leaf)
        for node, value, place, pointer in zip(self.epilogue.values, values, stores, pointers, strict=False):
            assert node.type == place.type.numpy_dtype, f"{node.type} is stored as {place.type.name}"
            element = type_name(node.type)
            if mask is None:
                is_streamed = self.lines is Lines.STREAMED
                if self.lines is Lines.ASKED_FOR:
                    e.prefetch(e.at(pointer, e.vector_bytes), FIRST_LEVEL, writes=True)
                e.store(e.kind(element, lanes), value, pointer, e.vector_bytes if is_streamed else 1, is_streamed)
            else:
                e.store_some(element, value, pointer, mask)

    def _load(self, element: str, pointer: str, lanes: int, is_spread: bool, mask: str | None) -> str:
        if is_spread:
            return self.e.splat(element, self.e.load(element, pointer))
        if mask is None:
            return self.e.load(self.e.kind(element, lanes), pointer)
        return self.e.load_some(element, pointer, mask)


def accesses(places: Sequence[Place]) -> Iterator[Access]:
    return (place.access() for place in places)
