"""A row, or a few, times a matrix: every element of the matrix is read once, so that memory sets the pace.

Nothing is packed. The matrix is cut along its depth and its columns; each part is read in the order in which it lies
in memory, and its sums are rows of their own. A second step adds up the rows of all parts and finishes the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product as combinations
from math import prod

from anydml.core.datatype import DataType
from anydml.core.steps import Access, Step
from anydml.core.tensor import round_up
from anydml.runtime.cpu.contraction.cells import FLOATS, Source
from anydml.runtime.cpu.contraction.epilogue import Epilogue, accesses
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, Machine
from anydml.runtime.cpu.contraction.packing import load_numbers
from anydml.runtime.cpu.contraction.panels import BATCH_LOOPS, Matrix, padded
from anydml.runtime.cpu.contraction.partition import ranges
from anydml.runtime.cpu.contraction.tile import even_part
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.native import llvm
from anydml.runtime.native.emit import SECOND_LEVEL, Value
from anydml.runtime.native.tasks import Task

Numbers = tuple[int, ...]
LEAST_ELEMENTS, LEAST_FOR_ROWS = 1 << 15, 1 << 13
"""Smaller matrices stay in near caches, where tiles are as quick: for one row, and for several."""
LEAST_DEPTH = 64
"""Shorter sums of several rows take longer to be added up across vectors than to be made."""
_PART_ELEMENTS = 1 << 17
"""Of the matrix, what a thread reads at once."""
_MOST_PARTS = 24
_FAR_BYTES = 3 << 23
"""Larger matrices come from memory, and are asked for before they are read; caches need no such help."""
_MOST_COLUMNS, _MOST_FAR_COLUMNS = 1024, 2048
"""Their sums stay in the nearest cache while rows pass by, near ones or those that come from memory."""
_TOGETHER = 4
"""Rows, or columns, that are read side by side. More would fall into the same part of a cache."""
_VECTORS = 4
"""Of a row, or of a column, that are read together."""
_MOST_SUMS = 16
"""Vectors of them, on processors with many registers."""
_GATHERED_LANES = 256
"""Columns whose parts are added up at a time."""
ACROSS, ALONG = "across", "along"
"""How the matrix lies: columns side by side, or steps in depth."""


def can_stream(rows: int, right: Matrix) -> bool:
    """Whether there is a kernel for so many rows times this matrix."""
    elements, is_along = prod(right.sizes[-2:]), right.depth_strides[-1] == 1
    if rows == 1:
        return elements >= LEAST_ELEMENTS and (right.lane_stride == 1 or is_along)
    is_worth_it = elements >= LEAST_FOR_ROWS and right.depth[-1] >= LEAST_DEPTH
    return is_worth_it and is_along and right.lane_stride != 1


def stream(
    left: Matrix, right: Matrix, batch: Numbers, epilogue: Epilogue, machine: Machine, sums: Callable[[int], int]
) -> list[Step]:
    """The steps of rows times a matrix; `sums` gives a slot of so many bytes."""
    columns, depth = right.lanes, right.depth[0]
    most = _MOST_FAR_COLUMNS if _is_far(right) else _MOST_COLUMNS
    deep, wide = _part_of(depth, columns, most if right.lane_stride == 1 else 0, _VECTORS * machine.lanes)
    parts = -(-depth // deep)
    slot = sums(prod(batch) * parts * left.lanes * columns * CELL_BYTES)
    first = Stream(left, right, batch, (deep, wide), slot, machine)
    return [first, Gather(slot, batch, parts, left.lanes, columns, epilogue, machine)]


def _is_far(matrix: Matrix) -> bool:
    return prod(matrix.sizes[-2:]) * matrix.type.element_bytes >= _FAR_BYTES


def _part_of(depth: int, columns: int, most_columns: int, unit: int) -> tuple[int, int]:
    """Depth and columns of a part: as much as possible of what lies side by side in memory, at most so many columns;
    0 where these do not lie so."""
    parts = max(1, min(_MOST_PARTS, columns * depth // _PART_ELEMENTS))
    if most_columns:
        wide = min(columns, round_up(even_part(columns, most_columns), unit))
        deep = -(-depth // max(1, parts // -(-columns // wide)))
        return min(depth, round_up(deep, _TOGETHER)), wide
    wide = min(columns, round_up(-(-columns // parts), _TOGETHER))
    deep = -(-depth // max(1, parts // -(-columns // wide)))
    return min(depth, round_up(deep, unit)), wide


_WORDS = Words(
    [
        *(f"{side}_{name}" for side in ("left", "right", "sums") for name in ("slot", "offset")),
        *("left_lane", "left_step", "right_lane", "right_step", "sums_lane", "depth", "columns"),
    ]
)


@dataclass(frozen=True)
class Stream:
    """The sums of each part of the matrix."""

    left: Matrix
    right: Matrix
    batch: Numbers
    part: tuple[int, int]
    """Depth and columns of a part."""
    sums: int
    """A slot: for each index of the batch and each part of the depth, rows of float32."""
    machine: Machine

    @property
    def _sizes_of_sums(self) -> Numbers:
        """The batch, parts of the depth, rows and columns."""
        return prod(self.batch), -(-self.right.depth[0] // self.part[0]), self.left.lanes, self.right.lanes

    def reads(self) -> Iterator[tuple[Access, Numbers]]:
        yield from ((each.access, each.sizes) for each in (self.left, self.right))

    def writes(self) -> Iterator[tuple[Access, Numbers]]:
        yield _access_of_sums(self.sums), (prod(self._sizes_of_sums),)

    def renamed(self, slot: Callable[[int], int]) -> Step:
        left, right = (each.moved(slot(each.slot)) for each in (self.left, self.right))
        return replace(self, left=left, right=right, sums=slot(self.sums))

    def describe(self, names: Callable[[int], str]) -> str:
        sizes = [*self.batch, self.left.lanes, self.right.depth[0], self.right.lanes]
        return f"stream {sizes} of {names(self.left.slot)} and {names(self.right.slot)}: {names(self.sums)}"

    @property
    def _way(self) -> str:
        return ACROSS if self.right.lane_stride == 1 else ALONG

    def tasks(self) -> Sequence[Task]:
        types = self.left.type, self.right.type
        shape = ("stream", self.machine, *types, self._way, self.left.lanes, _is_far(self.right))
        slots = (self.left.slot, self.right.slot, self.sums)
        return [Task(llvm.compiled(shape, self._write), [_WORDS.pack(each) for each in self._chunks()], max(slots) + 1)]

    def _chunks(self) -> Iterator[dict[str, int]]:
        left, right, (deep, wide) = self.left, self.right, self.part
        sizes = left.type.element_bytes, right.type.element_bytes
        common = {"left_slot": left.slot, "right_slot": right.slot, "sums_slot": self.sums}
        common |= {"left_step": left.depth_strides[0] * sizes[0], "right_step": right.depth_strides[0] * sizes[1]}
        common |= {"left_lane": left.lane_stride * sizes[0], "right_lane": right.lane_stride * sizes[1]}
        common["sums_lane"] = right.lanes * CELL_BYTES
        indices = list(combinations(*(range(size) for size in self.batch)))
        parts = combinations(enumerate(indices), enumerate(ranges(right.depth[0], deep)), ranges(right.lanes, wide))
        for (image, index), (row, depth), columns in parts:
            starts = [_start(each, index) + depth[0] * each.depth_strides[0] for each in (left, right)]
            place = (image * self._sizes_of_sums[1] + row) * left.lanes * right.lanes + columns[0]
            yield common | {
                "left_offset": starts[0] * sizes[0],
                "right_offset": (starts[1] + columns[0] * right.lane_stride) * sizes[1],
                "sums_offset": place * CELL_BYTES,
                "depth": depth[1] - depth[0],
                "columns": columns[1] - columns[0],
            }

    def _write(self) -> str:
        e = Writer(self.machine)
        emitter = _Across if self._way == ACROSS else _Along
        with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True):
            sources = Source(self.left.type, FLOATS), Source(self.right.type, FLOATS)
            emitter(e, *sources, self.left.lanes, _is_far(self.right)).emit()
        return e.module()


def _start(matrix: Matrix, index: Numbers) -> int:
    strides = padded(matrix.batch_strides, len(index), 0)
    return matrix.offset + sum(place * stride for place, stride in zip(index, strides, strict=True))


def _access_of_sums(slot: int) -> Access:
    return Access(slot, DataType.FLOAT32, (1,))


class _Emitter:
    """What both ways share: the words of a chunk."""

    def __init__(self, e: Writer, left: Source, right: Source, rows: int, is_far: bool) -> None:
        self.e, self.sources, self.rows, self.is_far = e, (left, right), rows, is_far
        self.left, self.right, self.sums = (_WORDS.load_address(e, side) for side in ("left", "right", "sums"))
        self.depth, self.columns = _WORDS.load(e, "depth"), _WORDS.load(e, "columns")

    def word(self, name: str) -> str:
        return _WORDS.load(self.e, name)

    def multiply_add(self, a: str, b: str, total: str) -> str:
        return FLOATS.multiply_add(self.e, a, b, total)

    def right_vector(self, pointer: str, mask: str | None) -> str:
        return load_numbers(self.e, self.sources[1], pointer, mask)


class _Across(_Emitter):
    """Columns side by side: a few rows at a time are scaled and added to the sums, which lie in memory."""

    def emit(self) -> None:
        e = self.e
        whole = e.mask(self.depth, -_TOGETHER)
        with e.loop(0, e.mask(e.add(self.columns, e.lanes - 1), -e.lanes), e.lanes) as column:
            mask = e.first_lanes(e.subtract(self.columns, column))
            e.store_some("float", "zeroinitializer", e.step(self.sums, (column, CELL_BYTES)), mask)
        with e.loop(0, whole, _TOGETHER) as row:
            self._emit_rows(row, _TOGETHER)
        with e.loop(whole, self.depth) as row:
            self._emit_rows(row, 1)

    def _emit_rows(self, row: Value, count: int) -> None:
        e, width = self.e, _VECTORS * self.e.lanes
        factors = [self._factor(e.add(row, more)) for more in range(count)]
        lines = [e.step(self.right, (e.add(row, more), self.word("right_step"))) for more in range(count)]
        whole = e.mask(self.columns, -width)
        with e.loop(0, whole, width) as column:
            for number in range(_VECTORS):
                self._emit_vector(lines, factors, e.add(column, number * e.lanes), None)
        with e.loop(whole, self.columns, e.lanes) as column:
            mask = e.first_lanes(e.subtract(self.columns, column))
            self._emit_vector(lines, factors, column, mask)

    def _factor(self, row: Value) -> str:
        e, source = self.e, self.sources[0]
        element = e.load(source.element, e.step(self.left, (row, self.word("left_step"))))
        return e.splat("float", source.numbers_of(e, element, 1))

    def _emit_vector(self, lines: list[str], factors: list[str], column: Value, mask: str | None) -> None:
        e, size = self.e, self.sources[1].element_bytes
        place = e.step(self.sums, (column, CELL_BYTES))
        total = e.load(e.kind("float"), place) if mask is None else e.load_some("float", place, mask)
        for line, factor in zip(lines, factors, strict=True):
            pointer = e.step(line, (column, size))
            if self.is_far and len(lines) > 1:  # the same columns of the rows that come next
                e.prefetch(e.step(pointer, (len(lines), self.word("right_step"))), SECOND_LEVEL)
            total = self.multiply_add(factor, self.right_vector(pointer, mask), total)
        if mask is None:
            e.store(e.kind("float"), total, place)
        else:
            e.store_some("float", total, place, mask)


class _Along(_Emitter):
    """Steps in depth side by side: the products of a few columns are added up in vectors, then across them."""

    def emit(self) -> None:
        e = self.e
        self.lefts = [e.step(self.left, (row, self.word("left_lane"))) for row in range(self.rows)]
        sums = _MOST_SUMS if e.machine.registers > 16 else _MOST_SUMS // 2
        count = min(_TOGETHER, 1 << (sums // self.rows).bit_length() - 1)  # a power of two
        whole = e.mask(self.columns, -count)
        with e.loop(0, whole, count) as column:
            self._emit_columns(column, count)
        with e.loop(whole, self.columns) as column:
            self._emit_columns(column, 1)

    def _emit_columns(self, column: Value, count: int) -> None:
        e, kind = self.e, self.e.kind("float")
        lines = [e.step(self.right, (e.add(column, more), self.word("right_lane"))) for more in range(count)]
        made = count * self.rows
        together = max(1, 8 // made)
        width = together * e.lanes
        whole = e.mask(self.depth, -width)

        def body(index: str, totals: list[str]) -> list[str]:
            places = [e.add(index, number * e.lanes) for number in range(together)]
            parts = [totals[number * made : (number + 1) * made] for number in range(together)]
            return [total for each in zip(places, parts, strict=True) for total in self._added(lines, *each, None)]

        def rest(index: str, totals: list[str]) -> list[str]:
            return self._added(lines, index, totals, e.first_lanes(e.subtract(self.depth, index)))

        totals = e.fold(0, whole, width, [(kind, "zeroinitializer")] * (made * together), body)
        joined = [self._joined(totals[number::made]) for number in range(made)]
        joined = e.fold(whole, self.depth, e.lanes, [(kind, each) for each in joined], rest)
        added = [self._lane_sums(joined[first : first + e.lanes]) for first in range(0, made, e.lanes)]
        for row in range(self.rows):
            place = e.step(self.sums, (column, CELL_BYTES), (row, self.word("sums_lane")))
            numbers = [more * self.rows + row for more in range(count)]
            if len(added) == 1:
                e.store(f"<{count} x float>", e.shuffle(kind, added[0], None, numbers), place, CELL_BYTES)
                continue
            for more, number in enumerate(numbers):
                total = e.value(f"extractelement {kind} {added[number // e.lanes]}, i32 {number % e.lanes}")
                e.store("float", total, e.at(place, more * CELL_BYTES), CELL_BYTES)

    def _added(self, lines: list[str], place: Value, totals: list[str], mask: str | None) -> list[str]:
        """A vector of every line times those of all rows, added to the sums of each line and row."""
        e, (left, right) = self.e, self.sources
        factors = [load_numbers(e, left, e.step(each, (place, left.element_bytes)), mask) for each in self.lefts]
        vectors = [self.right_vector(e.step(line, (place, right.element_bytes)), mask) for line in lines]
        pairs = [(vector, factor) for vector in vectors for factor in factors]
        return [self.multiply_add(factor, vector, total) for (vector, factor), total in zip(pairs, totals, strict=True)]

    def _joined(self, vectors: list[str]) -> str:
        """The sum of vectors, in pairs."""
        e, kind = self.e, self.e.kind("float")
        while len(vectors) > 1:
            pairs = zip(vectors[::2], vectors[1::2], strict=True)
            vectors = [e.value(f"fadd {kind} {a}, {b}") for a, b in pairs]
        return vectors[0]

    def _lane_sums(self, vectors: list[str]) -> str:
        """The sum of the lanes of each vector, one after the other: neighbours are added until each has one lane."""
        e, kind, lanes = self.e, self.e.kind("float"), self.e.lanes
        while len(vectors).bit_count() != 1:
            vectors = [*vectors, "zeroinitializer"]
        width = lanes
        while width > 1:
            pairs = zip(vectors[::2], vectors[1::2], strict=True) if len(vectors) > 1 else [(vectors[0], vectors[0])]
            halves = [[e.shuffle(kind, *pair, range(start, 2 * lanes, 2)) for start in (0, 1)] for pair in pairs]
            vectors = [e.value(f"fadd {kind} {even}, {odd}") for even, odd in halves]
            width //= 2
        return vectors[0]


@dataclass(frozen=True)
class Gather:
    """Adds up the rows of all parts, in their order, and finishes the results."""

    sums: int
    batch: Numbers
    parts: int
    """Of the depth."""
    rows: int
    columns: int
    epilogue: Epilogue
    machine: Machine

    @property
    def _result_sizes(self) -> Numbers:
        return (*self.batch, self.rows, 1, 1, self.columns)

    def reads(self) -> Iterator[tuple[Access, Numbers]]:
        yield _access_of_sums(self.sums), (prod(self.batch) * self.parts * self.rows * self.columns,)
        yield from ((access, self._result_sizes) for access in accesses(self.epilogue.loads))

    def writes(self) -> Iterator[tuple[Access, Numbers]]:
        yield from ((access, self._result_sizes) for access in accesses(self.epilogue.stores))

    def renamed(self, slot: Callable[[int], int]) -> Step:
        return replace(self, sums=slot(self.sums), epilogue=self.epilogue.renamed(slot))

    def describe(self, names: Callable[[int], str]) -> str:
        written = ", ".join(names(place.slot) for place in self.epilogue.stores)
        return f"gather {[*self.batch, self.parts, self.rows, self.columns]} of {names(self.sums)}: {written}"

    @property
    def _words(self) -> Words:
        names = ["sums_slot", "sums_offset", "parts", "rows", "pitch", "first", "last"]
        return Words([*names, *(f"batch_{n}" for n in range(BATCH_LOOPS)), *self.epilogue.words()])

    def tasks(self) -> Sequence[Task]:
        shape = ("gather", self.machine, self.epilogue.shape)
        code = llvm.compiled(shape, self._write)
        common = {"sums_slot": self.sums, "parts": self.parts, "rows": self.rows, "pitch": self.columns * CELL_BYTES}
        common |= self.epilogue.values_of_words((1, 1, self.columns))
        indices = enumerate(combinations(*(range(size) for size in padded(self.batch, BATCH_LOOPS, 1))))
        part = max(_GATHERED_LANES, round_up(_PART_ELEMENTS // (self.parts * self.rows), _GATHERED_LANES))
        words, chunks = self._words, []
        for (image, index), (first, last) in combinations(indices, ranges(self.columns, part)):
            own = {
                "sums_offset": image * self.parts * self.rows * self.columns * CELL_BYTES,
                "first": first,
                "last": last,
            }
            own |= {f"batch_{n}": place for n, place in enumerate(index)}
            chunks.append(words.pack(common | own))
        slots = [self.sums, *(place.slot for place in self.epilogue.places)]
        return [Task(code, chunks, max(slots) + 1)]

    def _write(self) -> str:
        e, words = Writer(self.machine), self._words
        self.epilogue.emit_finish(e, "float")
        with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True):
            context = e.room(self.epilogue.context_bytes, 8)
            memory = e.room((_GATHERED_LANES + e.lanes) * CELL_BYTES, e.vector_bytes)
            batch = [words.load(e, f"batch_{n}") for n in range(BATCH_LOOPS)]
            self.epilogue.emit_context(e, words, context, batch)
            source, last, pitch = words.load_address(e, "sums"), words.load(e, "last"), words.load(e, "pitch")
            with (
                e.loop(0, words.load(e, "rows")) as row,
                e.loop(words.load(e, "first"), last, _GATHERED_LANES) as column,
            ):
                lanes = e.minimum(_GATHERED_LANES, e.subtract(last, column))
                line = e.step(source, (row, pitch), (column, CELL_BYTES))
                with e.loop(0, lanes, e.lanes) as lane:
                    total = self._total(e, words, e.step(line, (lane, CELL_BYTES)), lanes, lane)
                    e.store(e.kind("float"), total, e.step(memory, (lane, CELL_BYTES)))
                numbers: list[Value] = [0, row, column, 1, lanes]
                e.call("finish", ("ptr", context), ("ptr", memory), *(("i64", number) for number in numbers))
        return e.module()

    def _total(self, e: Writer, words: Words, source: str, lanes: Value, lane: Value) -> str:
        kind, pitch = e.kind("float"), e.multiply(words.load(e, "rows"), words.load(e, "pitch"))
        mask = e.first_lanes(e.subtract(lanes, lane))

        def body(part: str, totals: list[str]) -> list[str]:
            found = e.load_some("float", e.step(source, (part, pitch)), mask)
            return [e.value(f"fadd {kind} {totals[0]}, {found}")]

        first = e.load_some("float", source, mask)
        return e.fold(1, words.load(e, "parts"), 1, [(kind, first)], body)[0]
