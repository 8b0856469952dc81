"""Elements at places that data says: GATHER and its relatives, as machine code.

Loops walk over the result. Where an element of the source lies is the sum of what the loops say and of one distance for
each index, which is data itself. Indices are brought inside before they are used, whatever they are. The columns either
share their indices, then a row is copied as vectors, or have one each. Parameters of a chunk are those of a pointwise
nest (see `pointwise`) over the source, the indices and the result; the bounds are, for each index, how many places
there are and how many bytes one is from the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.expression import load
from anydml.core.steps import Access, Nest, Program, Step, Store, View
from anydml.runtime.cpu import vectors
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.cpu.formulas import into_nest
from anydml.runtime.cpu.loops import EVEN, STILL, Loops, cut, in_order_of_store
from anydml.runtime.cpu.pointwise import Kernel, Shape, native_task, pieces_of
from anydml.runtime.native import llvm
from anydml.runtime.native.emit import Emitter, Value
from anydml.runtime.native.math.values import lanes_of, scalar_name
from anydml.runtime.native.tasks import Task

Numbers = tuple[int, ...]
_BYTES_OF = {1: DataType.UINT8, 2: DataType.UINT16, 4: DataType.UINT32, 8: DataType.UINT64}
"""Elements only move: what they mean is of no account."""
_TOGETHER = 4
"""Elements, or vectors, that are moved at once."""


@dataclass(frozen=True)
class Index:
    """Numbers that say which of `size` places is meant; neighbouring ones are `step` elements of the source apart."""

    access: Access
    size: int
    step: int

    def renamed(self, slot: Callable[[int], int]) -> Index:
        return replace(self, access=replace(self.access, slot=slot(self.access.slot)))


@dataclass(frozen=True)
class Taken:
    """For each iteration, the element of the source that the indices say."""

    sizes: Numbers
    source: View
    strides: Numbers
    """Of the source along the loops, besides what indices say."""
    indices: tuple[Index, ...]
    result: Access

    def reads(self) -> Iterator[tuple[Access, Numbers]]:
        yield self.source.access, self.source.sizes
        yield from ((index.access, self.sizes) for index in self.indices)

    def writes(self) -> Iterator[tuple[Access, Numbers]]:
        yield self.result, self.sizes

    def renamed(self, slot: Callable[[int], int]) -> Taken:
        source = replace(self.source, slot=slot(self.source.slot))
        result = replace(self.result, slot=slot(self.result.slot))
        return replace(self, source=source, indices=tuple(i.renamed(slot) for i in self.indices), result=result)

    def describe(self, names: Callable[[int], str]) -> str:
        indices = ", ".join(names(index.access.slot) for index in self.indices)
        return f"take {list(self.sizes)} of {names(self.source.slot)} at {indices}: {names(self.result.slot)}"

    def tasks(self) -> Sequence[Task]:
        loops = self._loops()
        shape = _shape_of(loops)
        code = llvm.compiled(("take", shape), lambda: module_text(shape))
        size = self.source.type.element_bytes
        bounds = [word for index in self.indices for word in (index.size, index.step * size)]
        order = range(len(loops.sizes))
        pieces = pieces_of(loops.bytes_touched + loops.iterations * size)
        return (native_task(code, list(cut(loops, pieces, order, [*[1] * (len(order) - 1), 1024])), [bounds]),)

    def _loops(self) -> Loops:
        moved = _BYTES_OF[self.source.type.element_bytes]
        source = Access(self.source.slot, moved, self.strides, self.source.offset)
        store = Store(replace(self.result, type=moved), load(0, moved.numpy_dtype))
        return in_order_of_store(Nest(self.sizes, (source, *(index.access for index in self.indices)), (store,)))


# Operators


def expand_gather(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    source, indices = _views(program)
    before, after = operator.axis, len(source.sizes) - operator.axis - 1
    count = operator.index_dimensions
    taken = indices.strides[len(indices.sizes) - count :]
    sizes = (
        *source.sizes[:before],
        *indices.sizes[len(indices.sizes) - count :],
        *source.sizes[before + 1 :],
    )
    strides = (*source.strides[:before], *(0,) * count, *source.strides[before + 1 :])
    access = replace(indices.access, strides=((0,) * before + taken + (0,) * after))
    index = Index(access, source.sizes[before], source.strides[before])
    return _steps(program, workspace, sizes, strides, (index,))


def expand_gather_elements(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    source, indices = _views(program)
    strides = tuple(0 if axis == operator.axis else stride for axis, stride in enumerate(source.strides))
    index = Index(indices.access, source.sizes[operator.axis], source.strides[operator.axis])
    return _steps(program, workspace, indices.sizes, strides, (index,))


def expand_gather_nd(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    source, indices = _views(program)
    # Dimensions that only fill up the rank are left out.
    sizes, steps = operator.sizes, source.strides[-operator.input_dimension_count :]
    index_sizes, index_steps = operator.index_sizes, indices.strides[-operator.indices_dimension_count :]
    batch, slices = operator.batch_dimension_count, sizes[operator.indexed :]
    places = len(index_sizes) - 1
    strides = (*steps[:batch], *(0,) * (places - batch), *steps[operator.indexed :])
    along = (*index_steps[:-1], *(0,) * len(slices))
    found = tuple(
        Index(
            replace(indices.access, strides=along, offset=indices.offset + number * index_steps[-1]),
            sizes[batch + number],
            steps[batch + number],
        )
        for number in range(index_sizes[-1])
    )
    return _steps(program, workspace, (*index_sizes[:-1], *slices), strides, found)


def _views(program: Program) -> tuple[View, View]:
    source, indices = program.inputs
    assert source is not None and indices is not None
    return source, indices


def _steps(
    program: Program, workspace: Workspace, sizes: Numbers, strides: Numbers, indices: tuple[Index, ...]
) -> list[Step] | None:
    """What is taken, and what is made of it, if anything is."""
    source, _ = _views(program)
    (nest,) = program.outputs
    if nest is None or source.type.is_packed_pair:
        return None
    result, after = into_nest(nest, nest.sizes, source.type, workspace)
    taken = Taken(sizes, source, strides, indices, replace(result, strides=_last(result.strides, len(sizes))))
    return [taken, *after]


def _last(strides: Numbers, count: int) -> Numbers:
    """The strides of the last dimensions; sizes of 1 lead where there are more, or fewer, than are counted."""
    return (0,) * (count - len(strides)) + strides[max(0, len(strides) - count) :]


# Machine code


def _shape_of(loops: Loops) -> Shape:
    """Indices that stay as they are along the columns are read once for each row."""
    told = [(side.type, side.step) for side in loops.sides]
    return Shape((load(0, told[0][0].numpy_dtype),), tuple(told[:-1]), tuple(told[-1:]), llvm.vector_bytes(), False)


def module_text(shape: Shape) -> str:
    e = Emitter(shape.vector_bytes)
    _Taking(e, shape).emit()
    return e.module()


class _Taking(Kernel):
    """Writes the functions of a kernel that takes: its operands are the source, the indices and the result."""

    def __init__(self, e: Emitter, shape: Shape) -> None:
        super().__init__(e, shape)
        self.indices = range(1, len(shape.loads))
        self.bounds = self.rows_loop
        self.rows_loop += 2 * len(self.indices)
        self.columns_loop = self.rows_loop + self.loop_words
        self.result = len(shape.loads)
        self.bytes = shape.sides[0][0].element_bytes
        self.kind = scalar_name(shape.sides[0][0].numpy_dtype)
        self.lanes = lanes_of(e, shape.vector_bytes // self.bytes)

    def _emit_rows(self) -> None:
        with self.e.function("row", f"ptr %parameters, i64 %size, {self.arguments}"):
            self._row_of([self._stride(side) for side in self.sides], self._bounds())

    def _stride(self, side: int) -> Value:
        """From column to column."""
        data_type, step = self.shape.sides[side]
        if step in (EVEN, STILL):
            return data_type.element_bytes if step == EVEN else 0
        return self._word("%parameters", self.columns_loop + 1 + side)

    def _bounds(self) -> list[Sequence[str]]:
        """Of each index, how many places there are, and how far apart they are."""
        return [
            [self._word("%parameters", self.bounds + 2 * number + k) for k in (0, 1)]
            for number in range(len(self.indices))
        ]

    def _row_of(self, strides: Sequence[Value], bounds: Sequence[Sequence[str]]) -> None:
        e, result = self.e, self.pointers[self.result]
        is_shared = all(self.shape.sides[number][1] == STILL for number in self.indices)
        source = self._found("%p0", [0] * len(self.pointers), bounds) if is_shared else "%p0"
        if is_shared and all(self.shape.sides[side][1] == EVEN for side in (0, self.result)):
            self._copy(source, result)
            return

        def move(columns: Sequence[Value]) -> None:
            steps = [[e.multiply(column, stride) if stride else 0 for stride in strides] for column in columns]
            places = [e.at(source, each[0]) for each in steps]
            if not is_shared:
                places = [self._found(place, each, bounds) for place, each in zip(places, steps, strict=True)]
            values = [e.load(self.kind, place) for place in places]
            for value, each in zip(values, steps, strict=True):
                e.store(self.kind, value, e.at(result, each[self.result]))

        e.unrolled("%size", _TOGETHER, move)

    def _copy(self, source: str, result: str) -> None:
        """Elements that lie side by side."""
        e, lanes = self.e, self.lanes.count
        many, whole = (e.mask("%size", -count) for count in (_TOGETHER * lanes, lanes))
        with e.loop(0, many, _TOGETHER * lanes) as i:
            for more in range(_TOGETHER):
                self._copy_vector(source, result, e.add(i, more * lanes), None)
        with e.loop(many, whole, lanes) as i:
            self._copy_vector(source, result, i, None)
        with e.when(e.value(f"icmp slt i64 {whole}, %size")):
            self._copy_vector(source, result, whole, vectors.first_lanes(e, lanes, e.subtract("%size", whole)))

    def _copy_vector(self, source: str, result: str, place: Value, mask: str | None) -> None:
        distance = self.e.multiply(place, self.bytes)
        found = vectors.load(self.lanes, self.shape.sides[0][0], self.e.at(source, distance), mask)
        vectors.store(found, self.e.at(result, distance), mask)

    def _found(self, pointer: str, steps: Sequence[Value], bounds: Sequence[Sequence[str]]) -> str:
        """Where the indices of a column point, which lies these steps from the first."""
        e = self.e
        for number, (size, step) in zip(self.indices, bounds, strict=True):
            place = self._place(number, e.at(self.pointers[number], steps[number]), size)
            pointer = e.at(pointer, e.multiply(place, step))
        return pointer

    def _place(self, number: int, pointer: str, size: str) -> Value:
        """An index that counts from the start, and lies inside."""
        e, (data_type, _) = self.e, self.shape.sides[number]
        kind, last = scalar_name(data_type.numpy_dtype), e.subtract(size, 1)
        found = e.load(kind, pointer)
        is_signed = data_type in (DataType.INT32, DataType.INT64)
        if kind != "i64":
            found = e.value(f"{'sext' if is_signed else 'zext'} {kind} {found} to i64")
        if not is_signed:
            is_inside = e.value(f"icmp ult i64 {found}, {last}")
            return e.value(f"select i1 {is_inside}, i64 {found}, i64 {last}")
        is_before = e.value(f"icmp slt i64 {found}, 0")
        moved = e.value(f"select i1 {is_before}, i64 {e.add(found, size)}, i64 {found}")
        return e.maximum(e.minimum(moved, last), 0)
