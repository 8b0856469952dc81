"""Pointwise nests as machine code: loads, an expression on whole vectors, and stores, along the innermost loop.

A kernel depends on the expression, on the types of the operands and on how each moves along rows and columns; sizes
and strides are parameters. Parameters of a chunk, in words:

    slot, offset                    of every operand
    size, stride of every operand   of the rows, then of the columns
    size, stride of every operand   of each loop around them, outermost first, then a size of 0

Operands that are far apart along the columns but neighbours along the rows are staged: a block of them is read along
the rows, turned, and then read along the columns.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from anydml.core.datatype import DataType
from anydml.core.expression import Node, leaves, walk
from anydml.core.steps import Access, Nest
from anydml.process.loading import load_module
from anydml.runtime.cpu import vectors
from anydml.runtime.cpu.expressions import can_emit, can_store, converted, emit
from anydml.runtime.cpu.loops import APART, EVEN, PAIRED, STILL, TURNED, Loops, canonical, cut
from anydml.runtime.native import llvm, slots
from anydml.runtime.native.caches import far_bytes
from anydml.runtime.native.emit import Emitter, Value, pointers_to
from anydml.runtime.native.math.parts import joined, parts_of
from anydml.runtime.native.math.table import FUNCTIONS
from anydml.runtime.native.math.values import Lanes, Vector, lanes_of, scalar_name
from anydml.runtime.native.schedule import WORD
from anydml.runtime.native.tasks import Task, together

UNROLLED = ((12, 4), (40, 2))
"""Expressions of up to so many operations work on so many vectors at once; longer ones on one."""
NARROW_BYTES, LEAST_IN_STEP = 32, 2
"""Functions are long: vectors of up to so many bytes go through them in step, at least so many at once, instruction by
instruction. Processors do not look ahead far enough to find those of the next vector by themselves."""
MOST_TURNED = 16
"""Rows and columns that are turned at once."""
STRIP_VECTORS = 16
"""Vectors of a row that are staged at once."""
LEAST_STREAMED = 256
"""Columns of rows that are streamed, at least."""
LEAST_ALIGNED = 512
"""Columns from which on it pays to begin where vectors are aligned, even if nothing is streamed."""
SHARED_WORK, CHUNK_WORK = 1 << 19, 1 << 18
"""Work from which on more than one thread pays, and that of a chunk: bytes, and operations at their price in bytes."""
OPERATION_WORK = 0.25
FEWEST_CHUNKS, MOST_CHUNKS = 8, 128
"""More chunks than threads, so that a thread held up by others leaves work to the rest."""
STREAMED_BYTES = far_bytes()
"""Results of nests that touch so much memory are written past the caches: they would not stay there anyway."""
STREAMED_MIXED = 0.5
"""A part of that where operands lie in several orders: lines that are far apart leave caches earlier."""


@dataclass(frozen=True)
class Tiling:
    """How squares of registers follow one another."""

    walks_rows: bool
    """Whether the next square has the next rows, not the next columns."""
    is_staged: bool
    """Whether many squares are taken together: their lines share few places in caches."""
    wraps: bool = False
    """Whether the last columns of a row and the first ones of the next make up lines of the result: then squares begin
    at such lines, however it is aligned."""


@dataclass(frozen=True)
class Shape:
    """All that the machine code depends on."""

    values: tuple[Node, ...]
    loads: tuple[tuple[DataType, str], ...]
    """The data types of the operands that are read, and how each moves along the columns."""
    stores: tuple[tuple[DataType, str], ...]
    vector_bytes: int
    stream: bool
    tiling: Tiling | None = None
    """How operands are turned within registers, if they are."""

    @property
    def sides(self) -> tuple[tuple[DataType, str], ...]:
        return self.loads + self.stores

    @property
    def lanes(self) -> int:
        """As many elements as a vector of the widest type holds."""
        widest = max(node.type.itemsize for node in walk(*self.values))
        widest = max([widest, *(data_type.element_bytes for data_type, _ in self.sides)])
        return self.vector_bytes // widest

    @property
    def unrolled(self) -> int:
        return unrolled_for(self.values, self.is_in_step)

    @property
    def is_in_step(self) -> bool:
        """Whether vectors that are worked on at once take turns, instruction by instruction."""
        return self.vector_bytes <= NARROW_BYTES and any(node.op in FUNCTIONS for node in walk(*self.values))

    @property
    def may_repeat(self) -> bool:
        """Whether elements may be computed twice: no operand lies where the result does."""
        # With every second element read and written alike, the operator may work in place.
        apart = all(step == EVEN for _, step in self.sides[len(self.loads) :])
        return not self.stream and apart and all(step in (PAIRED, STILL) for _, step in self.loads)

    @property
    def turned(self) -> tuple[int, ...]:
        """The operands that are staged."""
        return tuple(number for number, (_, step) in enumerate(self.loads) if step == TURNED)

    @property
    def turned_at_once(self) -> int:
        widest = max((self.sides[number][0].element_bytes for number in self.turned), default=1)
        return min(MOST_TURNED, self.vector_bytes // widest)

    @property
    def block_columns(self) -> int:
        return STRIP_VECTORS * max(self.lanes, self.turned_at_once)


def operations_of(values: Sequence[Node]) -> int:
    return sum(FUNCTIONS[node.op].operations if node.op in FUNCTIONS else 1 for node in walk(*values) if node.args)


def unrolled_for(values: Sequence[Node], is_in_step: bool = False) -> int:
    """Vectors that are worked on at once: their instructions run side by side, as far as there are registers."""
    operations = operations_of(values)
    return next((times for most, times in UNROLLED if operations <= most), LEAST_IN_STEP if is_in_step else 1)


def can_run(nest: Nest) -> bool:
    """Whether this engine has a kernel for a nest."""
    accesses = [access for access, _ in (*nest.reads(), *nest.writes())]
    if not llvm.is_available() or any(access.type.is_packed_pair for access in accesses):
        return False
    can_compute = can_emit(*(store.value for store in nest.stores))
    return can_compute and all(can_store(store.value, store.access.type) for store in nest.stores)


def tasks_of(nest: Nest) -> tuple[Task, ...]:
    """The nest as native tasks; none where this engine has no kernel for it."""
    if not can_run(nest):
        return ()
    loops = canonical(nest)
    if loops.is_one_row:
        return (_task_of(nest, loops),)
    found = (load_module(f"anydml.runtime.cpu.{name}").task_of(nest, loops) for name in ("tiling", "blocks"))
    return (next(filter(None, found), None) or _task_of(nest, loops),)


def _task_of(nest: Nest, loops: Loops, pieces: int = 0) -> Task:
    """With a number of pieces, only the outermost loop is cut, into so many at most."""
    shape = shape_of(nest, loops, loops.iterations)
    code = code_of(shape)
    parts = list(cut(loops, pieces, [0], [1])) if pieces else _chunks(loops, shape)
    return native_task(code, parts)


def native_task(code: llvm.MachineCode, parts: Sequence[Loops], bounds: Sequence[Sequence[int]] = ((),)) -> Task:
    """A kernel that runs on each of these parts of a nest, and within each between all of these bounds."""
    words = [words_of(part, some) for part in parts for some in bounds]
    return Task(code, words, max(side.slot for side in parts[0].sides) + 1)


@dataclass(frozen=True)
class Together:
    """Nests that read about the same memory and write different elements: what one reads, the next finds in caches."""

    nests: tuple[Nest, ...]

    def reads(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        return (read for nest in self.nests for read in nest.reads())

    def writes(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        return (write for nest in self.nests for write in nest.writes())

    def renamed(self, slot: Callable[[int], int]) -> Together:
        return Together(tuple(nest.renamed(slot) for nest in self.nests))

    def describe(self, names: Callable[[int], str]) -> str:
        return "together: " + "; ".join(nest.describe(names) for nest in self.nests)

    def tasks(self) -> Sequence[Task]:
        work = sum(_work(canonical(nest), [store.value for store in nest.stores]) for nest in self.nests)
        return (together([_task_of(nest, canonical(nest), pieces_of(work)) for nest in self.nests]),)


def code_of(shape: Shape) -> llvm.MachineCode:
    kind = _kernel_of(shape)  # now: nothing is loaded while code is compiled
    return llvm.compiled(shape, lambda: module_text(shape, kind))


def shape_of(nest: Nest, loops: Loops, results: int) -> Shape:
    """What a kernel depends on that computes so many results in all, whether here or in other blocks."""
    values = tuple(store.value for store in nest.stores)
    told = [(side.type, side.step) for side in loops.sides]
    count = len(nest.loads)
    store = loops.sides[count]
    is_mixed = any(step == TURNED for _, step in told)
    stream = len(nest.stores) == 1 and store.step == EVEN and loops.sizes[-1] >= LEAST_STREAMED
    stream = stream and (is_far_mixed if is_mixed else is_far)(loops, results)
    return Shape(values, tuple(told[:count]), tuple(told[count:]), llvm.vector_bytes(), stream)


def is_far(loops: Loops, results: int, times: float = 1) -> bool:
    """Whether nests like this one that compute so many results touch so many times what caches hold."""
    return loops.bytes_touched * results >= times * STREAMED_BYTES * loops.iterations


def is_far_mixed(loops: Loops, results: int, times: float = 1) -> bool:
    """The same where operands lie in several orders."""
    return is_far(loops, results, times * STREAMED_MIXED)


def _work(loops: Loops, values: Sequence[Node]) -> int:
    return loops.bytes_touched + int(loops.iterations * operations_of(values) * OPERATION_WORK)


def pieces_of(work: int) -> int:
    """How many chunks work is cut into: as many for each of 2, 4 or 8 threads."""
    if work < SHARED_WORK:
        return 1
    return min(-(-work // (CHUNK_WORK * FEWEST_CHUNKS)) * FEWEST_CHUNKS, MOST_CHUNKS)


def _chunks(loops: Loops, shape: Shape) -> list[Loops]:
    """Parts for threads: outer loops are cut first, each in multiples of its grain."""
    rows, columns = len(loops.sizes) - 2, len(loops.sizes) - 1
    inner = [(rows, 1), (columns, 1024)]
    if shape.turned:
        inner = [(columns, shape.block_columns), (rows, shape.turned_at_once)]
    order = [*((loop, 1) for loop in range(rows)), *inner]
    return list(cut(loops, pieces_for(loops, shape), *zip(*order, strict=True)))


def pieces_for(loops: Loops, shape: Shape) -> int:
    return pieces_of(_work(loops, shape.values))


def words_of(loops: Loops, bounds: Sequence[int] = ()) -> list[int]:
    words = [*(word for side in loops.sides for word in (side.slot, side.offset)), *bounds]
    count = len(loops.sizes)
    for loop in (count - 2, count - 1, *range(count - 2)):
        words += [loops.sizes[loop], *(side.strides[loop] for side in loops.sides)]
    return [*words, 0]


# Machine code


def module_text(shape: Shape, kind: type[Kernel] | None = None) -> str:
    e = Emitter(shape.vector_bytes)
    (kind or _kernel_of(shape))(e, shape).emit()
    return e.module()


def _kernel_of(shape: Shape) -> type[Kernel]:
    if not shape.turned:
        return Kernel
    name = ("crowded" if shape.tiling.is_staged else "tiled") if shape.tiling else "turned"
    found: type[Kernel] = getattr(load_module(f"anydml.runtime.cpu.{name}"), f"{name.title()}Kernel")
    return found


@dataclass(frozen=True)
class Still:
    """Values that are the same for a whole row."""

    loads: dict[int, Vector]
    known: dict[Node, Vector]


def reads_only(node: Node, loads: Container[int]) -> bool:
    read = [leaf.value for leaf in leaves(node) if leaf.op == "load"]
    return bool(read) and all(number in loads for number in read)


class Kernel:
    """Writes the functions of one kernel."""

    def __init__(self, e: Emitter, shape: Shape) -> None:
        self.e, self.shape = e, shape
        self.sides = range(len(shape.sides))
        self.lanes: Lanes = lanes_of(e, shape.lanes)
        self.loop_words = 1 + len(shape.sides)
        self.rows_loop = 2 * len(shape.sides)
        self.columns_loop = self.rows_loop + self.loop_words
        self.pointers = [f"%p{side}" for side in self.sides]
        self.arguments = ", ".join(f"ptr {pointer}" for pointer in self.pointers)

    def emit(self) -> None:
        e = self.e
        self._emit_rows()
        with e.function("inner", f"ptr %parameters, ptr %staging, {self.arguments}"):
            self._rows()
        with e.function("nest", f"ptr %parameters, ptr %loop, ptr %staging, {self.arguments}", is_cold=True):
            self._nest()
        with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True, is_cold=True):
            starts = [self._start(side) for side in self.sides]
            outer = e.at("%parameters", (self.columns_loop + self.loop_words) * WORD)
            e.do(f"call void @nest({pointers_to('%parameters', outer, '%staging', *starts)})")
            if self.shape.stream:
                # Streaming stores are ordered with nothing: whoever waits for this call must see them.
                e.do("fence seq_cst")

    def _emit_rows(self) -> None:
        """The functions that work on one row."""
        e = self.e
        with e.function("some", f"ptr %parameters, i64 %first, i64 %last, {self.arguments}"):
            self._some()
        with e.function("row", f"ptr %parameters, i64 %size, {self.arguments}"):
            self._row()

    def _word(self, place: str, number: int) -> str:
        return self.e.load("i64", self.e.at(place, number * WORD), WORD)

    def _start(self, side: int) -> str:
        return slots.start(self.e, *(self._word("%parameters", 2 * side + k) for k in (0, 1)))

    def _loop(self, word: int) -> tuple[str, list[str]]:
        """The size of a loop, and its stride in every operand."""
        return self._word("%parameters", word), [self._word("%parameters", word + 1 + side) for side in self.sides]

    def _moved(self, pointers: Sequence[str], steps: Sequence[Value], count: Value) -> list[str]:
        e = self.e
        return [e.at(pointer, e.multiply(count, step)) for pointer, step in zip(pointers, steps, strict=True)]

    # Loops

    def _nest(self) -> None:
        """One outer loop, and by calling itself those within it."""
        e = self.e
        size = self._word("%loop", 0)
        with e.when(e.value(f"icmp eq i64 {size}, 0")):
            e.do(f"call void @inner({pointers_to('%parameters', '%staging', *self.pointers)})")
        following = e.at("%loop", self.loop_words * WORD)
        steps = [self._word("%loop", 1 + side) for side in self.sides]
        with e.loop(0, size) as i:
            moved = self._moved(self.pointers, steps, i)
            e.do(f"call void @nest({pointers_to('%parameters', following, '%staging', *moved)})")

    def _call_row(self, size: Value, pointers: Sequence[str]) -> None:
        self.e.do(f"call void @row(ptr %parameters, i64 {size}, {pointers_to(*pointers)})")

    def _rows(self) -> None:
        count, steps = self._loop(self.rows_loop)
        size = self._word("%parameters", self.columns_loop)
        with self.e.loop(0, count) as row:
            self._call_row(size, self._moved(self.pointers, steps, row))

    # One row

    def _row(self) -> None:
        """Whole vectors; what is left before and after them by `some`."""
        e, shape = self.e, self.shape
        start = self._head()
        step = shape.lanes * shape.unrolled
        whole = e.add(start, e.mask(e.subtract("%size", start), -step))
        still = self._still_values()
        with e.loop(start, whole, step) as i:
            self._compute([e.add(i, shape.lanes * k) for k in range(shape.unrolled)], still, None)
        if shape.unrolled > 1:
            first, whole = whole, e.add(whole, e.mask(e.subtract("%size", whole), -shape.lanes))
            with e.loop(first, whole, shape.lanes) as i:
                self._compute([i], still, None)
        if shape.may_repeat:
            whole = self._last(whole, still)
        self._call_some(whole, "%size")

    def _last(self, whole: Value, still: Still) -> Value:
        """The last whole vector of a row, some of whose elements are computed once more; where the rest begins."""
        e, lanes = self.e, self.shape.lanes
        is_left, is_long = (e.value(f"icmp s{how}") for how in (f"lt i64 {whole}, %size", f"ge i64 %size, {lanes}"))
        repeats = e.value(f"and i1 {is_left}, {is_long}")
        with e.when(repeats):
            self._compute([e.subtract("%size", lanes)], still, None)
        return e.value(f"select i1 {repeats}, i64 %size, i64 {whole}")

    def _call_some(self, first: Value, last: Value) -> None:
        with self.e.when(self.e.value(f"icmp slt i64 {first}, {last}")):
            self.e.do(f"call void @some(ptr %parameters, i64 {first}, i64 {last}, {self.arguments})")

    def _some(self) -> None:
        """The columns from `first` to `last`, by vectors of which only some lanes are used."""
        e, lanes = self.e, self.shape.lanes
        still = self._still_values()
        with e.loop("%first", "%last", lanes) as i:
            mask = vectors.first_lanes(e, lanes, e.minimum(e.subtract("%last", i), lanes))
            self._compute([i], still, mask)

    def _head(self) -> Value:
        """Writes the elements before the first whole vector of the destination, so that all others are aligned."""
        if not self.shape.stream and self.shape.stores[0][1] != EVEN:
            return 0
        count: Value = self._elements_before_line("%size")
        if not self.shape.stream:
            is_long = self.e.value(f"icmp sge i64 %size, {LEAST_ALIGNED}")
            count = self.e.value(f"select i1 {is_long}, i64 {count}, i64 0")
        self._call_some(0, count)
        return count

    def _elements_before_line(self, most: Value) -> Value:
        e, side = self.e, len(self.shape.loads)
        size = self.shape.sides[side][0].element_bytes
        address = e.value(f"ptrtoint ptr {self.pointers[side]} to i64")
        left = e.mask(e.subtract(0, address), self.shape.lanes * size - 1)
        return e.minimum(e.value(f"udiv i64 {left}, {size}"), most)

    def _still_values(self) -> Still:
        """What is the same for a whole row: elements, and what is computed from such elements alone."""
        found: dict[int, Vector] = {}
        for side, (data_type, step) in enumerate(self.shape.loads):
            if step == STILL:
                value = self.e.load(scalar_name(data_type.numpy_dtype), self.pointers[side])
                found[side] = vectors.spread(self.lanes, data_type.numpy_dtype, value)
        nodes = [node for node in walk(*self.shape.values) if node.args and reads_only(node, found)]
        return Still(found, dict(zip(nodes, emit(self.lanes, nodes, found), strict=True)))

    def _compute(self, places: Sequence[Value], still: Still, mask: str | None) -> None:
        """Loads, computes and stores the vectors that start at these columns."""
        shape, first = self.shape, len(self.shape.loads)
        moving = [n for n in range(first) if n not in still.loads]
        loaded = [still.loads | {n: self._load(n, i, mask) for n in moving} for i in places]
        for place, values in zip(places, self._values(loaded, still.known), strict=True):
            for side, value in enumerate(values, first):
                self._store(side, converted(value, shape.sides[side][0]), place, mask)

    def _values(
        self, loaded: Sequence[Mapping[int, Vector]], known: Mapping[Node, Vector]
    ) -> Iterable[Sequence[Vector]]:
        """For each of several vectors of operands, what is computed from them."""
        values, count = self.shape.values, len(loaded)
        if count == 1 or not self.shape.is_in_step:
            return [emit(self.lanes, values, operands, known) for operands in loaded]
        operands = {number: joined([some[number] for some in loaded]) for number in loaded[0]}
        lanes = lanes_of(self.e, count * self.shape.lanes)
        found = emit(lanes, values, operands, {node: joined([value] * count) for node, value in known.items()})
        return zip(*(parts_of(value, self.lanes) for value in found), strict=True)

    def _at(self, side: int, place: Value) -> tuple[str, Value]:
        """Where a column lies, and how far the next one is from it."""
        data_type, step = self.shape.sides[side]
        stride: Value = data_type.element_bytes
        if step == APART:
            stride = self._word("%parameters", self.columns_loop + 1 + side)
        elif step == PAIRED:
            stride = 2 * data_type.element_bytes
        return self.e.at(self.pointers[side], self.e.multiply(place, stride)), stride

    def _load(self, side: int, place: Value, mask: str | None) -> Vector:
        data_type, step = self.shape.sides[side]
        pointer, stride = self._at(side, place)
        if step == PAIRED and mask is None and self.lanes.count > 1:
            return vectors.every_second(self.lanes, data_type, pointer)
        if step in (APART, PAIRED):
            return vectors.gather(self.lanes, data_type, pointer, stride, mask)
        return vectors.load(self.lanes, data_type, pointer, mask)

    def _store(self, side: int, value: Vector, place: Value, mask: str | None) -> None:
        pointer, stride = self._at(side, place)
        if self.shape.sides[side][1] == APART:
            vectors.scatter(value, pointer, stride, mask)
        else:
            vectors.store(value, pointer, mask, self.shape.stream)
