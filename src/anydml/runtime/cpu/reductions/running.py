"""The machine code of running sums and products.

Along the axis, the fold of the elements of a vector takes as many steps as its lanes have bits; what was folded before
is added to the whole vector. Across it, every lane has a fold of its own. Neither depends on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anydml.core.enums import AxisDirection
from anydml.core.expression import cast, load, substitute
from anydml.core.steps import Access, Program, Step, Store
from anydml.graph.lower import computed_type
from anydml.runtime.cpu import vectors
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.cpu.expressions import emit
from anydml.runtime.cpu.reductions.kernel import Kernel
from anydml.runtime.cpu.reductions.lowering import Shape, is_supported
from anydml.runtime.cpu.reductions.step import EXCLUSIVE, INCLUSIVE, Reduction, Stage
from anydml.runtime.native.emit import Emitter, Value
from anydml.runtime.native.math.values import Vector, select

VECTORS_AT_ONCE = 4


# The operators


def expand_running_sum(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    return _expand(program, "add", operator.has_exclusive_sum)


def expand_running_product(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    return _expand(program, "multiply", operator.has_exclusive_product)


def _expand(program: Program, fold: str, is_exclusive: bool) -> list[Step] | None:
    operator: Any = program.operator
    source, (nest,) = program.inputs[0], program.outputs
    if source is None or nest is None or nest.loads or nest.sizes != source.sizes:
        return None
    axis, sizes = operator.axis, source.sizes
    is_backward = operator.axis_direction is AxisDirection.DECREASING

    def placed(access: Access) -> Access:
        """The axis last, walked from where the fold begins."""
        strides, offset = access.strides, access.offset
        step = strides[axis]
        if is_backward:
            step, offset = -step, offset + (sizes[axis] - 1) * step
        return Access(access.slot, access.type, (*strides[:axis], *strides[axis + 1 :], step), offset)

    kind = computed_type(source.type)
    stage = Stage(fold, cast(load(0, source.type.numpy_dtype), kind))
    stored = operator.output_tensor.data_type.numpy_dtype

    def running(node: Any) -> Any:
        return cast(cast(load(1, kind), stored), node.type) if node.op == "result" else None

    stores = tuple(Store(placed(store.access), substitute(store.value, running)) for store in nest.stores)
    outer = (*sizes[:axis], *sizes[axis + 1 :])
    how = EXCLUSIVE if is_exclusive else INCLUSIVE
    made = Reduction(outer, (sizes[axis],), (placed(source.access),), (stage,), stores, operator.dml_type, how)
    return [made] if is_supported(made) else None


# Machine code


def module_text(shape: Shape) -> str:
    e = Emitter(shape.vector_bytes)
    (_Along if shape.is_along else _Across)(e, shape).emit()
    return e.module()


class _Running(Kernel):
    """What both kinds have in common."""

    @property
    def is_exclusive(self) -> bool:
        return self.shape.scan == EXCLUSIVE

    def _element(self, pointers: Sequence[str], place: Value, mask: str | None) -> Vector:
        value = self.shape.stage_values[0]
        (found,) = emit(self.lanes, [value], {0: self._load(0, pointers, place, mask)})
        return found

    def _write(self, running: Vector, pointers: Sequence[str], place: Value, mask: str | None) -> None:
        for number, value in enumerate(emit(self.lanes, self.shape.store_values, {1: running})):
            self._store(number, value, pointers, place, mask)


class _Along(_Running):
    """Vectors lie along the axis."""

    def _inner(self) -> None:
        e, lanes = self.e, self.shape.lanes
        columns, self.column_steps = self._loop(0)
        start = self._neutral(0)
        whole = e.mask(columns, -lanes)

        def step(mask_of: Any) -> Any:
            def body(i: str, carried: list[str]) -> list[str]:
                before = self.lanes.named(carried[0], start.type)
                return [self._vector(before, i, mask_of(i)).name]

            return body

        (name,) = e.fold(0, whole, lanes, [(start.type_name, start.name)], step(lambda i: None))
        rest = step(lambda i: vectors.first_lanes(e, lanes, e.subtract(columns, i)))
        e.fold(whole, columns, lanes, [(start.type_name, name)], rest)

    def _vector(self, before: Vector, place: str, mask: str | None) -> Vector:
        """Stores the running fold of one vector; the fold of all so far, in every lane."""
        e, count = self.e, self.lanes.count
        found = self._element(self.pointers, place, mask)
        if mask is not None:
            found = select(self.lanes.named(mask, np.dtype(np.bool_)), found, self._neutral(0))
        distance = 1
        while distance < count:
            found = self._combine(0, self._shifted(found, distance), found)
            distance *= 2
        running = self._combine(0, before, self._shifted(found, 1) if self.is_exclusive else found)
        self._write(running, self.pointers, place, mask)
        last = e.value(f"extractelement {found.typed}, i64 {count - 1}")
        return self._combine(0, before, vectors.spread(self.lanes, found.type, last))

    def _shifted(self, x: Vector, distance: int) -> Vector:
        """Every lane's value some lanes further on; nothing comes into the first ones."""
        count = self.lanes.count
        lanes = [lane - distance if lane >= distance else count + lane for lane in range(count)]
        return self.lanes.named(self.e.shuffle(x.type_name, x.name, self._neutral(0).name, lanes), x.type)


class _Across(_Running):
    """Vectors lie along a loop that is kept."""

    def _inner(self) -> None:
        e, lanes = self.e, self.shape.lanes
        columns, self.column_steps = self._loop(0)
        first: Value = 0
        for count in (VECTORS_AT_ONCE, 1):
            whole = e.add(first, e.mask(e.subtract(columns, first), -lanes * count))
            with e.loop(first, whole, lanes * count) as i:
                self._rows([e.add(i, more * lanes) for more in range(count)], None)
            first = whole
        self._masked_loop(first, columns, lambda i, mask: self._rows([i], mask))

    def _rows(self, places: Sequence[Value], mask: str | None) -> None:
        """The running folds of some vectors of columns."""
        size, steps = self._loop(1)
        start = self._neutral(0)

        def row(i: str, carried: list[str]) -> list[str]:
            pointers = self._moved(self.pointers, steps, i)
            following = []
            for place, name in zip(places, carried, strict=True):
                before = self.lanes.named(name, start.type)
                after = self._combine(0, before, self._element(pointers, place, mask))
                self._write(before if self.is_exclusive else after, pointers, place, mask)
                following.append(after.name)
            return following

        self.e.fold(0, size, 1, [(start.type_name, start.name)] * len(places), row)
