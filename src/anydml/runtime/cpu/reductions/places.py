"""Places of extremes as reductions: the extreme is folded first, then the lowest or highest place that has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.enums import AxisDirection, ReduceFunction
from anydml.core.expression import Node, constant, load, operation
from anydml.core.steps import Access, Program, Step, Store
from anydml.core.tracing import Traced
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.cpu.reductions.lowering import is_supported
from anydml.runtime.cpu.reductions.operators import Builder, axes_of, expand_over, is_simple
from anydml.runtime.cpu.reductions.splitting import packed
from anydml.runtime.cpu.reductions.step import Reduction, Stage

MOST_PLACES, PART_PLACES = 1 << 20, 1 << 16
"""Elements that are folded into one, and those of a part where they can be cut into equal ones: a table of so many
numbers is read besides."""
MOST_PARTS = 1 << 12
_PLACE = DataType.INT32
_INTEGER = _PLACE.numpy_dtype


def expand_place(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    is_last = getattr(operator, "axis_direction", AxisDirection.INCREASING) is AxisDirection.DECREASING
    is_largest = getattr(operator, "finds_largest", False) or (
        getattr(operator, "function", None) is ReduceFunction.ARGMAX
    )

    def make(_: Any, b: Builder, x: Traced) -> Traced:
        return _place(b, x, _places(b, workspace), is_largest, is_last)

    parts = _Parts.of(program, operator.axes)
    if parts is not None:
        return parts.expand(program, workspace, is_largest, is_last)
    return _expand(program, workspace, operator.axes, make)


def expand_hardmax(program: Program, workspace: Workspace) -> list[Step] | None:
    def make(_: Any, b: Builder, x: Traced) -> Traced:
        places = _places(b, workspace)
        chosen = operation("equal", places.node, _place(b, x, places, True, False).node)
        one, zero = (constant(number, x.node.type) for number in (1, 0))
        return Traced(operation("where", chosen, one, zero))

    return _expand(program, workspace, axes_of(program.operator), make)


def _expand(program: Program, workspace: Workspace, axes: Any, make: Any) -> list[Step] | None:
    source = program.inputs[0]
    if source is None or prod(source.sizes[axis] for axis in axes) > MOST_PLACES:
        return None
    return expand_over(program, workspace, axes, make)


def _places(b: Builder, workspace: Workspace) -> Traced:
    """The number of an element among those that are folded into one."""
    slot = workspace.constant(np.arange(b.folded, dtype=_INTEGER), "places")
    return b.table(slot, _PLACE)


def _place(b: Builder, x: Traced, places: Traced, is_largest: bool, is_last: bool) -> Traced:
    """The first or last place of the extreme; NaN is extreme."""
    extreme = b.fold("maximum" if is_largest else "minimum", x)
    place = _place_if_extreme(x.node, extreme.node, places.node, is_last)
    return b.fold("maximum" if is_last else "minimum", Traced(place))


def _place_if_extreme(x: Node, extreme: Node, place: Node, is_last: bool) -> Node:
    is_extreme = operation("equal", x, extreme)
    if x.type.kind == "f":
        is_extreme = operation("bitwise_or", is_extreme, operation("not_equal", x, x))
    limits = np.iinfo(np.int32)
    nowhere = constant(int(limits.min if is_last else limits.max), _INTEGER)
    return operation("where", is_extreme, place, nowhere)


@dataclass(frozen=True)
class _Parts:
    """Many elements, folded part by part: an extreme and its place for each, then the extreme of those."""

    axes: Sequence[int]
    axis: int
    """The axis that is cut: the first that is folded, so that places of a part follow those of the part before."""
    count: int

    @classmethod
    def of(cls, program: Program, axes: Sequence[int]) -> _Parts | None:
        """The fewest equal parts; None where one is enough, or none are short enough."""
        source = program.inputs[0]
        if source is None or not is_simple(program):
            return None
        axis = next((axis for axis in sorted(axes) if source.sizes[axis] > 1), 0)
        size, folded = source.sizes[axis], prod(source.sizes[axis] for axis in axes)
        least = -(-folded // PART_PLACES)
        count = next((n for n in range(least, min(size, MOST_PARTS) + 1) if size % n == 0), 1)
        return cls(axes, axis, count) if least > 1 and count > 1 else None

    def expand(self, program: Program, workspace: Workspace, is_largest: bool, is_last: bool) -> list[Step] | None:
        b = Builder(program, self.axes)
        results = prod(b.sizes[axis] for axis in b.kept)
        types = DataType.parse(b.elements[b.loads[0].slot].node.type), _PLACE
        slots = [workspace.temporary(self.count * results * kind.element_bytes, "parts") for kind in types]
        first = self._first(b, workspace, slots, is_largest, is_last)
        # What is folded then has as many elements as there are parts.
        sizes = [self.count if axis == self.axis else 1 if axis in b.reduced else n for axis, n in enumerate(b.sizes)]
        strides = *packed([sizes[axis] for axis in b.kept]), *(results * (axis == self.axis) for axis in b.reduced)
        b.sizes = tuple(sizes)
        b.loads = [Access(slot, kind, strides) for slot, kind in zip(slots, types, strict=True)]
        x, place = (Traced(load(n, kind.numpy_dtype)) for n, kind in enumerate(types))
        second = b.build(_place(b, x, place, is_largest, is_last), workspace)
        return None if second is None or not is_supported(first) else [first, *second]

    def _first(
        self, b: Builder, workspace: Workspace, slots: Sequence[int], is_largest: bool, is_last: bool
    ) -> Reduction:
        """The extreme of each part and its place among all."""
        outer = (self.count, *(b.sizes[axis] for axis in b.kept))
        reduced = tuple(b.sizes[axis] // (self.count if axis == self.axis else 1) for axis in b.reduced)
        (source,) = b.loads
        length = b.sizes[self.axis] // self.count
        step = source.strides[len(b.kept) + b.reduced.index(self.axis)] * length
        tables = [np.arange(prod(reduced)), np.arange(self.count) * prod(reduced)]
        places, starts = (workspace.constant(t.astype(_INTEGER), "places") for t in tables)
        loads = (
            Access(source.slot, source.type, (step, *source.strides), source.offset),
            Access(places, _PLACE, (*(0 for _ in outer), *packed(reduced))),
            Access(starts, _PLACE, (1, *(0 for _ in (*outer, *reduced)[1:]))),
        )
        x = b.elements[source.slot].node
        place, start, extreme, found = (
            load(number, kind) for number, kind in enumerate((_INTEGER, _INTEGER, x.type, _INTEGER), 1)
        )
        stages = (
            Stage("maximum" if is_largest else "minimum", x),
            Stage("maximum" if is_last else "minimum", _place_if_extreme(x, extreme, place, is_last)),
        )
        strides = (*packed(outer), *(0 for _ in reduced))
        stores = tuple(
            Store(Access(slot, DataType.parse(value.type), strides), value)
            for slot, value in zip(slots, (extreme, operation("add", found, start)), strict=True)
        )
        return Reduction(outer, reduced, loads, stages, stores, f"parts of {b.program.operator.dml_type}")
