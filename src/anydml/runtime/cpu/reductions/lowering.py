"""Reductions as native tasks: which loop is the vector's, how work is cut, and the parameters of each chunk.

Parameters of a chunk, in words:

    slot, offset                    of every operand
    size, stride of every operand   of the columns, then of the folded rows, then of the second folded loop
    size, stride of every operand   of each loop around them, outermost first, then a size of 0

The columns are the loop along which vectors lie: a reduced one (`along`), or one that is kept, so that each lane folds
elements of its own (`across`). Of short rows that lie side by side, the columns are the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from anydml.core.datatype import DataType
from anydml.core.expression import Node, leaves, walk
from anydml.process.loading import load_module
from anydml.runtime.cpu.expressions import can_emit, can_store
from anydml.runtime.cpu.loops import APART, EVEN, STILL, Side, cut, side_of
from anydml.runtime.cpu.loops import Loops as Bounds
from anydml.runtime.cpu.pointwise import OPERATION_WORK, STREAMED_BYTES, operations_of
from anydml.runtime.cpu.reductions.step import Reduction
from anydml.runtime.native import llvm
from anydml.runtime.native.tasks import Task

INNER_LOOPS = 3
MOST_FOLDED = 2
"""Reduced loops that a kernel has besides the columns."""
SHARED_WORK, CHUNK_WORK = 1 << 19, 1 << 18
FEWEST_CHUNKS, MOST_CHUNKS = 8, 128
LONGEST_ROW, LEAST_ROWS = 1024, 32
"""Rows that are folded several at once are at most so long, and at least so many."""
ACROSS_GRAIN, LEAST_ACROSS = 1024, 256
"""Columns of a chunk are a multiple of the first, or of the second where there are few."""


@dataclass(frozen=True)
class Shape:
    """All that the machine code depends on."""

    is_along: bool
    folds: tuple[str, ...]
    values: tuple[Node, ...]
    """The expression of each stage, then of each store."""
    loads: tuple[tuple[DataType, str], ...]
    """The data types of the operands that are read, and how each moves along the columns."""
    stores: tuple[tuple[DataType, str], ...]
    stores_all: bool
    keeps: int
    """The stage whose elements are staged for the store, -1 for none."""
    vector_bytes: int
    stream: bool
    scan: str = ""
    is_one_row: bool = False
    """Whether nothing but the columns is folded."""
    row: int | None = None
    """Where rows are folded several at once: the length of rows that lie side by side, or 0 for any rows."""

    @property
    def sides(self) -> tuple[tuple[DataType, str], ...]:
        return self.loads + self.stores

    @property
    def stage_values(self) -> tuple[Node, ...]:
        return self.values[: len(self.folds)]

    @property
    def store_values(self) -> tuple[Node, ...]:
        return self.values[len(self.folds) :]

    @property
    def lanes(self) -> int:
        widest = max(node.type.itemsize for node in walk(*self.values))
        return self.vector_bytes // max([widest, *(data_type.element_bytes for data_type, _ in self.sides)])

    @property
    def negative_powers(self) -> list[Node]:
        """Exponentials of elements less the greatest of them, as in softmax: of nothing above 0."""
        stages = enumerate(zip(self.folds, self.stage_values, strict=True), len(self.loads))
        greatest = {(number, value) for number, (fold, value) in stages if fold == "greatest"}
        powers = [node for node in walk(*self.values) if node.op == "exp" and node.args[0].op == "subtract"]
        return [node for node in powers if _less_result(*node.args[0].args) in greatest]


def _less_result(element: Node, result: Node) -> tuple[int, Node] | None:
    """The number of what is subtracted from an element, if that is read, and the element."""
    return (result.value, element) if result.op == "load" else None


@dataclass(frozen=True)
class Lowered:
    shape: Shape
    bounds: Bounds
    """Outer loops, second folded loop, folded rows, columns."""


def is_supported(reduction: Reduction) -> bool:
    """Whether there is a kernel for it."""
    values = [stage.value for stage in reduction.stages] + [store.value for store in reduction.stores]
    accesses = [*reduction.loads, *(store.access for store in reduction.stores)]
    if any(access.type.is_packed_pair for access in accesses) or not can_emit(*values):
        return False
    if not all(can_store(store.value, store.access.type) for store in reduction.stores):
        return False
    return lower(reduction) is not None


def task_of(reduction: Reduction) -> Task:
    lowered = lower(reduction)
    assert lowered is not None
    load_module(_writer(lowered.shape))  # now: nothing is loaded while code is compiled
    code = llvm.compiled(lowered.shape, lambda: module_text(lowered.shape))
    chunks = [words_of(part) for part in _chunks(lowered)]
    return Task(code, chunks, max(side.slot for side in lowered.bounds.sides) + 1)


def module_text(shape: Shape) -> str:
    return str(load_module(_writer(shape)).module_text(shape))


def _writer(shape: Shape) -> str:
    """The module that writes machine code of this shape."""
    name = "running" if shape.scan else "kernel" if shape.row is None else "rows"
    return f"anydml.runtime.cpu.reductions.{name}"


def lower(reduction: Reduction) -> Lowered | None:
    """The loops in order, or None where too many are reduced."""
    sides = [side_of(access, False) for access in reduction.loads]
    sides += [side_of(store.access, True) for store in reduction.stores]
    count = len(reduction.outer)
    outer = _merged(sides, range(count), reduction.sizes)
    folded = _merged(sides, range(count, len(reduction.sizes)), reduction.sizes)
    rows = _many_rows(reduction, sides, outer, folded)
    is_along, columns = (False, rows) if rows else _columns(sides, outer, folded)
    rest = [loop for loop in folded if loop is not columns]
    if len(rest) > MOST_FOLDED:
        return None
    rest = [_Loop(1, (0,) * len(sides))] * (MOST_FOLDED - len(rest)) + rest
    around = [loop for loop in outer if loop is not columns]
    loops = [*around, *rest, columns]
    chosen = tuple(replace(side, strides=tuple(loop.strides[n] for loop in loops)) for n, side in enumerate(sides))
    bounds = Bounds(tuple(loop.size for loop in loops), chosen)
    return Lowered(_shape_of(reduction, bounds, is_along, rows is not None), bounds)


@dataclass(frozen=True, eq=False)
class _Loop:
    size: int
    strides: tuple[int, ...]
    """Of every operand."""


def _merged(sides: Sequence[Side], numbers: Sequence[int], sizes: Sequence[int]) -> list[_Loop]:
    """Loops that run more than once, by falling distance in the first operand, merged where all operands run on."""
    found = [_Loop(sizes[n], tuple(side.strides[n] for side in sides)) for n in numbers if sizes[n] > 1]
    found.sort(key=lambda loop: -abs(loop.strides[0]))
    merged: list[_Loop] = []
    for loop in found:
        if merged and all(a == b * loop.size for a, b in zip(merged[-1].strides, loop.strides, strict=True)):
            merged[-1] = _Loop(merged[-1].size * loop.size, loop.strides)
        else:
            merged.append(loop)
    return merged


def _many_rows(
    reduction: Reduction, sides: Sequence[Side], outer: Sequence[_Loop], folded: Sequence[_Loop]
) -> _Loop | None:
    """The loop over rows that are not long, and many; None where there is none."""
    if len(reduction.stages) != 1 or reduction.stores_all or reduction.scan or len(folded) != 1 or not outer:
        return None
    (row,) = folded
    read, read_after = (
        {node.value for node in leaves(*values) if node.op == "load" and node.value < len(reduction.loads)}
        for values in ([reduction.stages[0].value], [store.value for store in reduction.stores])
    )
    if read & read_after or any(row.strides[n] != sides[n].element_bytes for n in read):
        return None
    rows = max(outer, key=lambda loop: loop.size)
    return rows if row.size <= LONGEST_ROW and rows.size >= LEAST_ROWS else None


def _columns(sides: Sequence[Side], outer: Sequence[_Loop], folded: Sequence[_Loop]) -> tuple[bool, _Loop]:
    """The loop for vectors: one that walks the first operand evenly, reduced or kept."""
    size = sides[0].element_bytes
    for is_along, loops in ((True, folded), (False, outer)):
        even = [loop for loop in loops if loop.strides[0] == size]
        if even:
            return is_along, even[-1]
    if folded:
        return True, folded[-1]
    return True, _Loop(1, tuple(0 if side.is_store else side.element_bytes for side in sides))


def _step(side: Side) -> str:
    stride = side.strides[-1]
    if stride == side.element_bytes:
        return EVEN
    return STILL if stride == 0 else APART


def _shape_of(reduction: Reduction, bounds: Bounds, is_along: bool, has_many_rows: bool) -> Shape:
    told = tuple((side.type, _step(side)) for side in bounds.sides)
    if has_many_rows:
        told = tuple(
            (side.type, EVEN if side.strides[-2] else step) for side, (_, step) in zip(bounds.sides, told, strict=True)
        )
    count = len(reduction.loads)
    values = tuple(stage.value for stage in reduction.stages) + tuple(store.value for store in reduction.stores)
    stores_all = reduction.stores_all or bool(reduction.scan)
    keeps = _kept_stage(reduction, bounds) if is_along and stores_all else -1
    can_stream = stores_all and is_along and not reduction.scan
    is_far = bounds.bytes_touched >= STREAMED_BYTES
    stream = can_stream and is_far and all(step == EVEN for _, step in told[count:])
    folds = tuple(stage.fold for stage in reduction.stages)
    moves = told[:count], told[count:]
    row = is_along and bounds.sizes[-2] == bounds.sizes[-3] == 1
    found = Shape(is_along, folds, values, *moves, stores_all, keeps, llvm.vector_bytes(), stream, reduction.scan, row)
    return replace(found, row=_packed_row(found, bounds)) if has_many_rows else found


def _packed_row(shape: Shape, bounds: Bounds) -> int:
    """The length of rows of which a vector holds several; 0 where it does not."""
    row = bounds.sizes[-2]
    is_packed = all(side.strides[-1] == row * side.element_bytes for side in bounds.sides if side.strides[-2])
    return row if is_packed and row <= shape.lanes else 0


def _kept_stage(reduction: Reduction, bounds: Bounds) -> int:
    """A stage whose elements take work to compute, are used again, and fit into the staging memory."""
    most = load_module("anydml.runtime.cpu.reductions.kernel").KEPT_BYTES
    used = set(walk(*(store.value for store in reduction.stores)))
    folded = prod(bounds.sizes[-INNER_LOOPS:])
    for number, stage in enumerate(reduction.stages):
        fits = folded * stage.value.type.itemsize <= most and bounds.sizes[-2] == bounds.sizes[-3] == 1
        if fits and stage.value in used and operations_of([stage.value]) > 8:
            return number
    return -1


def _chunks(lowered: Lowered) -> list[Bounds]:
    bounds, shape = lowered.bounds, lowered.shape
    work = bounds.bytes_touched + int(bounds.iterations * operations_of(shape.values) * OPERATION_WORK)
    if work < SHARED_WORK:
        return [bounds]
    pieces = min(max(FEWEST_CHUNKS, work // CHUNK_WORK), MOST_CHUNKS)
    order = [(loop, 1) for loop in range(len(bounds.sizes) - INNER_LOOPS)]
    if not shape.is_along:
        around = prod(bounds.sizes[:-INNER_LOOPS])
        is_enough = around * (bounds.sizes[-1] // ACROSS_GRAIN) >= FEWEST_CHUNKS
        grain = ACROSS_GRAIN if is_enough else LEAST_ACROSS
        order.append((len(bounds.sizes) - 1, grain if shape.row is None else shape.lanes))
    return list(cut(bounds, pieces, [loop for loop, _ in order], [grain for _, grain in order]))


def words_of(bounds: Bounds) -> list[int]:
    words = [word for side in bounds.sides for word in (side.slot, side.offset)]
    count = len(bounds.sizes)
    for loop in (count - 1, count - 2, count - 3, *range(count - INNER_LOOPS)):
        words += [bounds.sizes[loop], *(side.strides[loop] for side in bounds.sides)]
    return [*words, 0]
