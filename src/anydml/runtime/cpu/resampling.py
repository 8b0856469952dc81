"""RESAMPLE and UPSAMPLE_2D of floats: one dimension after the other, each as weighted sums of whole rows.

A dimension whose elements are neighbours in memory is brought outwards first, by a move: the small tensor is moved, not
the large one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.expression import load, result
from anydml.core.orders import packed_strides
from anydml.core.steps import Access, Nest, Program, Step, Store
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.cpu.formulas import with_result
from anydml.runtime.cpu.pointwise import can_run
from anydml.runtime.cpu.taps import Taps

LEAST_INNER = 16
"""Rows that are shorter than this would waste most of a vector."""
MOST_ENTRIES = 1 << 22
"""Of a table: resampling that is described by larger ones is left to the definition."""
_TYPES = (DataType.FLOAT32, DataType.FLOAT16)
Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Grid:
    """A tensor in memory: a slot, strides and an offset in elements."""

    access: Access
    sizes: Numbers

    @property
    def order(self) -> Numbers:
        """Dimensions by falling distance."""
        strides = self.access.strides
        return tuple(sorted(range(len(self.sizes)), key=lambda axis: (-strides[axis], axis)))

    @property
    def is_dense(self) -> bool:
        """Whether elements of float32 follow one another in that order."""
        return self.access.type is DataType.FLOAT32 and self.lies(packed_strides(self.sizes, self.order))

    def lies(self, strides: Numbers) -> bool:
        """Whether elements lie as with these strides; those of a single element do not matter."""
        pairs = zip(self.sizes, self.access.strides, strides, strict=True)
        return all(size == 1 or own == other for size, own, other in pairs)


def expand_resample(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    source, target = program.inputs[0], program.outputs[0]
    if source is None or target is None or source.type not in _TYPES:
        return None
    tables = {axis: list(taps) for axis, taps in operator.taps(np)}
    entries = (len(taps) * taps[0][0].size for taps in tables.values())
    if not tables or max(entries) > MOST_ENTRIES:
        return None
    made = _Resampling(workspace, operator.dml_type)
    grid = Grid(source.access, source.sizes)
    for axis in sorted(tables, key=grid.order.index, reverse=True):
        grid = made.resample(made.ready(grid, axis), axis, tables[axis])
    final = with_result(target, [grid.access], load(0, DataType.FLOAT32.numpy_dtype))
    return made.finished(grid, final, target) if can_run(final) else None


class _Resampling:
    """The steps made so far."""

    def __init__(self, workspace: Workspace, name: str) -> None:
        self.workspace, self.name = workspace, name
        self.steps: list[Step] = []

    def ready(self, grid: Grid, axis: int) -> Grid:
        """The same elements in an order such that rows behind the axis are long; moved if need be."""
        order = grid.order
        inner = order[order.index(axis) + 1 :]
        if prod(grid.sizes[n] for n in inner) < LEAST_INNER:
            others = [n for n in order if n != axis]
            last = max(others, key=lambda n: grid.sizes[n], default=axis)
            order = tuple(dict.fromkeys([*(n for n in others if n != last), axis, last]))
        if grid.is_dense and order == grid.order:
            return grid
        return self._moved(grid, order)

    def _moved(self, grid: Grid, order: Numbers) -> Grid:
        moved = self._temporary(grid.sizes, order)
        value = result(grid.access.type.numpy_dtype)
        nest = Nest(grid.sizes, (), (Store(moved.access, value),))
        self.steps.append(with_result(nest, [grid.access], load(0, grid.access.type.numpy_dtype)))
        return moved

    def _temporary(self, sizes: Numbers, order: Numbers) -> Grid:
        slot = self.workspace.temporary(prod(sizes) * DataType.FLOAT32.element_bytes, f"part of {self.name}")
        return Grid(Access(slot, DataType.FLOAT32, packed_strides(sizes, order)), sizes)

    def resample(self, grid: Grid, axis: int, taps: list[tuple[Any, Any]]) -> Grid:
        """One dimension of a dense tensor."""
        order, count = grid.order, taps[0][0].size
        sizes = (*grid.sizes[:axis], count, *grid.sizes[axis + 1 :])
        made = self._temporary(sizes, order)
        at = order.index(axis)
        outer, inner = (prod(grid.sizes[n] for n in part) for part in (order[:at], order[at + 1 :]))
        row = inner * DataType.FLOAT32.element_bytes
        places = np.stack([place for place, _ in taps], axis=1).astype(np.int64) * row
        weights = None if taps[0][1] is None else np.stack([weight for _, weight in taps], axis=1).astype(np.float32)
        step = Taps(
            (grid.access.slot, grid.access.offset),
            (made.access.slot, 0),
            self.workspace.constant(places, "places"),
            None if weights is None else self.workspace.constant(weights, "weights"),
            len(taps),
            outer,
            grid.sizes[axis],
            count,
            inner,
        )
        self.steps.append(step)
        return made

    def finished(self, grid: Grid, final: Nest, target: Nest) -> list[Step]:
        """With what is done to the result; nothing, where it can be written to its place at once."""
        last, store = self.steps[-1], target.stores[0].access
        if not final.is_copy or not grid.lies(store.strides) or not isinstance(last, Taps):
            return [*self.steps, final]
        return [*self.steps[:-1], replace(last, result=(store.slot, store.offset))]
