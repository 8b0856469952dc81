"""Sums of weighted elements along one dimension of a dense array, where tables say which elements and what weights.

The array is seen as rows of neighbours: [outer, along, inner] with `inner` contiguous. A row of the result is the sum
of some rows, each times one number, so all is done on whole vectors. Parameters of a chunk, in words:

    slot, offset      of the source, then of the result
    slot              of the table of places (bytes from the first row, 64 bits each), then of the weights (float32)
    outer, strides    how many, and how far apart in the source and in the result
    first, last       the rows of the result
    inner, taps       elements of a row, and rows that are summed
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32
from anydml.core.steps import Access
from anydml.runtime.cpu import vectors
from anydml.runtime.cpu.pointwise import pieces_of
from anydml.runtime.native import llvm, slots
from anydml.runtime.native.emit import Emitter, Value, vector
from anydml.runtime.native.math.values import lanes_of
from anydml.runtime.native.schedule import WORD
from anydml.runtime.native.tasks import Task

FEW = 2
"""Taps that are written out; more are a loop."""
_FLOAT = 4


@dataclass(frozen=True)
class Taps:
    """One dimension replaced by weighted sums of its elements; None as weights means one tap with the weight 1."""

    source: tuple[int, int]
    """A slot, and the element it begins with."""
    result: tuple[int, int]
    places: int
    weights: int | None
    taps: int
    outer: int
    size: int
    count: int
    inner: int

    def reads(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        slot, offset = self.source
        strides = self.size * self.inner, self.inner, 1
        yield Access(slot, DataType.FLOAT32, strides, offset), (self.outer, self.size, self.inner)
        tables = ((self.places, DataType.INT64), (self.weights, DataType.FLOAT32))
        for table, data_type in tables:
            if table is not None:
                yield Access(table, data_type, (1,)), (self.count * self.taps,)

    def writes(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        slot, offset = self.result
        strides = self.count * self.inner, self.inner, 1
        yield Access(slot, DataType.FLOAT32, strides, offset), (self.outer, self.count, self.inner)

    def renamed(self, slot: Callable[[int], int]) -> Taps:
        source, result = ((slot(number), offset) for number, offset in (self.source, self.result))
        weights = None if self.weights is None else slot(self.weights)
        return replace(self, source=source, result=result, places=slot(self.places), weights=weights)

    def describe(self, names: Callable[[int], str]) -> str:
        shape = f"{self.outer} x {self.size} -> {self.count} x {self.inner}"
        return f"taps {shape}, {self.taps} each, of {names(self.source[0])}: {names(self.result[0])}"

    def tasks(self) -> Sequence[Task]:
        shape = _Shape(self.taps if self.taps <= FEW else 0, self.weights is not None, llvm.vector_bytes())
        code = llvm.compiled(shape, lambda: module_text(shape))
        used = (self.source[0], self.result[0], self.places, self.weights or 0)
        return (Task(code, list(self._chunks()), max(used) + 1),)

    def _chunks(self) -> Iterator[list[int]]:
        """Outer ones first, then rows of the result."""
        work = self.outer * self.count * self.inner * _FLOAT * (1 + self.taps)
        pieces = pieces_of(work)
        around = min(pieces, self.outer)
        rows = min(-(-pieces // around), self.count)
        for number in range(around):
            first, last = (self.outer * n // around for n in (number, number + 1))
            for part in range(rows):
                bounds = [self.count * n // rows for n in (part, part + 1)]
                yield self._words(first, last - first, bounds)

    def _words(self, first: int, outer: int, bounds: Sequence[int]) -> list[int]:
        row = self.inner * _FLOAT
        apart = self.size * row, self.count * row
        starts = (offset * _FLOAT for _, offset in (self.source, self.result))
        (source, result), tables = (self.source[0], self.result[0]), (self.places, self.weights or 0)
        begins = [start + first * step for start, step in zip(starts, apart, strict=True)]
        return [source, begins[0], result, begins[1], *tables, outer, *apart, *bounds, self.inner, self.taps]


@dataclass(frozen=True)
class _Shape:
    """All that the machine code depends on."""

    taps: int
    """0: any number."""
    has_weights: bool
    vector_bytes: int


def module_text(shape: _Shape) -> str:
    e = Emitter(shape.vector_bytes)
    with e.function("row", "ptr %source, ptr %result, ptr %places, ptr %weights, i64 %inner, i64 %taps"):
        _Row(e, shape).emit()
    with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True):
        words = [e.load("i64", e.at("%parameters", number * WORD), WORD) for number in range(13)]
        source, result = (slots.start(e, words[n], words[n + 1]) for n in (0, 2))
        places, weights = (slots.start(e, words[n], 0) for n in (4, 5))
        outer, *apart = words[6:9]
        first, last, inner, taps = words[9:]
        with e.loop(0, outer) as i, e.loop(first, last) as row:
            begin = e.at(source, e.multiply(i, apart[0]))
            target = e.at(e.at(result, e.multiply(i, apart[1])), e.multiply(e.multiply(row, inner), _FLOAT))
            entry = e.multiply(row, taps)
            tables = e.at(places, e.multiply(entry, WORD)), e.at(weights, e.multiply(entry, _FLOAT))
            pointers = f"ptr {begin}, ptr {target}, ptr {tables[0]}, ptr {tables[1]}"
            e.do(f"call void @row({pointers}, i64 {inner}, i64 {taps})")
    return e.module()


class _Row:
    """Writes the function that computes one row of the result."""

    def __init__(self, e: Emitter, shape: _Shape) -> None:
        self.e, self.shape = e, shape
        self.lanes = lanes_of(e, shape.vector_bytes // _FLOAT)
        self.kind = vector(self.lanes.count, "float")

    def emit(self) -> None:
        e, count = self.e, self.lanes.count
        known = [self._tap(number) for number in range(self.shape.taps or 1)]
        whole = e.mask("%inner", -count)
        with e.loop(0, whole, count) as i:
            self._compute(i, known, None)
        with e.when(e.value(f"icmp slt i64 {whole}, %inner")):
            self._compute(whole, known, vectors.first_lanes(e, count, e.subtract("%inner", whole)))

    def _tap(self, number: Value) -> tuple[str, str, str]:
        """A row of the source, its weight in all lanes, and whether that is not 0."""
        e = self.e
        row = e.at("%source", e.load("i64", e.at("%places", e.multiply(number, WORD)), WORD))
        if not self.shape.has_weights:
            return row, "", ""
        weight = e.load("float", e.at("%weights", e.multiply(number, _FLOAT)), _FLOAT)
        counts = e.value(f"fcmp une float {weight}, 0.0")
        return row, vectors.spread_name(e, self.lanes.count, "float", weight), counts

    def _compute(self, place: Value, known: Sequence[tuple[str, str, str]], mask: str | None) -> None:
        e, kind = self.e, self.kind
        total = self._weighted(known[0], place, mask)
        for tap in known[1:]:
            total = e.value(f"fadd {kind} {total}, {self._weighted(tap, place, mask)}")
        if not self.shape.taps:

            def add(number: str, sums: list[str]) -> list[str]:
                return [e.value(f"fadd {kind} {sums[0]}, {self._weighted(self._tap(number), place, mask)}")]

            (total,) = e.fold(1, "%taps", 1, [(kind, total)], add)
        target = e.at("%result", e.multiply(place, _FLOAT))
        vectors.store(self.lanes.named(total, FLOAT32), target, mask)

    def _weighted(self, tap: tuple[str, str, str], place: Value, mask: str | None) -> str:
        """What has no weight is 0, also where it is infinite."""
        e, (row, weight, counts) = self.e, tap
        pointer = e.at(row, e.multiply(place, _FLOAT))
        found = vectors.load(self.lanes, DataType.FLOAT32, pointer, mask).name
        if not weight:
            return found
        chosen = e.value(f"select i1 {counts}, {self.kind} {found}, {self.kind} zeroinitializer")
        return e.value(f"fmul {self.kind} {chosen}, {weight}")
