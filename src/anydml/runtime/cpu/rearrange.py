"""Tensors that lie badly for a kernel are copied before or after it: moves are fast whatever the strides.

Most kernels work on vectors of neighbours. Where a tensor has none, or only a few along each row, a copy in another
order takes a fraction of the time that is lost otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from typing import Any

from anydml.core.expression import load
from anydml.core.steps import Access, Nest, Program, Step, Store, View
from anydml.runtime.cpu.expand import Workspace

LEAST_ELEMENTS, MOST_BYTES = 4096, 1 << 28
"""Smaller tensors are not worth another step; larger ones are not worth the memory."""
Numbers = tuple[int, ...]
Order = Callable[[Numbers, Numbers], "Numbers | None"]
"""From the sizes and strides of a tensor: the order of its dimensions in a copy, outermost first; None for no copy."""


def rearranged(program: Program, workspace: Workspace) -> tuple[list[Step], Program, list[Step]]:
    """Copies of inputs, the program on those copies, and copies to its outputs; itself alone where all is well."""
    order = _order_for(program.operator)
    before: list[Step] = []
    after: list[Step] = []
    inputs = tuple(view and _input(view, order, workspace, before) for view in program.inputs)
    outputs = tuple(nest and _output(nest, order, workspace, after) for nest in program.outputs)
    return before, Program(program.operator, inputs, outputs), after


def _input(view: View, order: Order, workspace: Workspace, steps: list[Step]) -> View:
    # What is constant is packed once, however it lies.
    strides = None if workspace.is_constant(view.slot) else _strides_of_copy(view.access, view.sizes, order)
    if strides is None:
        return view
    sizes = tuple(size if stride else 1 for size, stride in zip(view.sizes, view.strides, strict=True))
    slot = workspace.temporary(prod(sizes) * view.type.element_bytes, "rearranged")
    steps.append(_copy(sizes, view.access, Access(slot, view.type, strides)))
    return View(slot, view.type, view.sizes, strides)


def _output(nest: Nest, order: Order, workspace: Workspace, steps: list[Step]) -> Nest:
    if len(nest.stores) != 1:
        return nest
    store = nest.stores[0]
    strides = _strides_of_copy(store.access, nest.sizes, order)
    if strides is None:
        return nest
    slot = workspace.temporary(nest.iterations * store.access.type.element_bytes, "rearranged")
    made = Access(slot, store.access.type, strides)
    steps.append(_copy(nest.sizes, made, store.access))
    return replace(nest, stores=(Store(made, store.value),))


def _copy(sizes: Numbers, source: Access, destination: Access) -> Nest:
    return Nest(sizes, (source,), (Store(destination, load(0, source.type.numpy_dtype)),))


def _strides_of_copy(access: Access, sizes: Numbers, order: Order) -> Numbers | None:
    """The strides of a packed copy in a better order; along what is repeated they stay 0."""
    strides = tuple(0 if size == 1 else stride for size, stride in zip(sizes, access.strides, strict=True))
    count = prod(size for size, stride in zip(sizes, strides, strict=True) if stride)
    is_worth_it = any(strides) and LEAST_ELEMENTS <= count <= MOST_BYTES // access.type.bits * 8
    wanted = order(sizes, strides) if is_worth_it and not access.type.is_packed_pair else None
    if wanted is None:
        return None
    found, reach = [0] * len(sizes), 1
    for axis in reversed(wanted):
        if strides[axis]:
            found[axis] = reach
            reach *= sizes[axis]
    return tuple(found)


# Which order is better


@dataclass(frozen=True)
class Fold:
    """How few neighbours are too few for an operator that folds: along a dimension that is folded, or along others."""

    least_folded: int
    least_kept: int = 0
    gathers: bool = False
    """Whether long rows are folded as quickly where no elements are neighbours."""

    def order(self, sizes: Numbers, strides: Numbers, folded: Sequence[int]) -> Numbers | None:
        """The dimension of neighbours outermost: then those of another dimension are neighbours, and they are many."""
        every = range(len(sizes))
        if 1 not in strides:
            unit = max(axis for axis in every if strides[axis])
            if sizes[unit] < self.least_folded:
                return _outermost(unit, every)
            return None if self.gathers and unit in folded else tuple(every)
        unit = strides.index(1)
        run, is_folded = 1, unit in folded
        for axis in sorted(every, key=lambda axis: strides[axis]):
            if strides[axis] == run and (axis in folded) == is_folded:
                run *= sizes[axis]
        least = self.least_folded if is_folded else self.least_kept
        return None if run >= least or 2 * run > prod(sizes) else _outermost(unit, every)


def _outermost(unit: int, every: Sequence[int]) -> Numbers:
    return (unit, *(axis for axis in every if axis != unit))


_SUMS, _WHOLE_ROWS, _RUNNING = Fold(24, gathers=True), Fold(24, 12), Fold(13, gathers=True)
"""Results for each row; for each element, after two or three walks; after one walk."""
_FOLDS = {
    **dict.fromkeys(("REDUCE", "ARGMAX", "ARGMIN"), _SUMS),
    **dict.fromkeys(("ACTIVATION_SOFTMAX", "ACTIVATION_LOG_SOFTMAX", "ACTIVATION_HARDMAX"), _WHOLE_ROWS),
    **dict.fromkeys(("ACTIVATION_SOFTMAX1", "ACTIVATION_LOG_SOFTMAX1", "ACTIVATION_HARDMAX1"), _WHOLE_ROWS),
    **dict.fromkeys(("MEAN_VARIANCE_NORMALIZATION2", "LP_NORMALIZATION"), _WHOLE_ROWS),
    **dict.fromkeys(("CUMULATIVE_PRODUCT", "CUMULATIVE_SUMMATION"), _RUNNING),
}
_POINTWISE = ("BATCH_NORMALIZATION",)
"""What becomes a nest reads any strides by itself."""


def _order_for(operator: Any) -> Order:
    if operator.dml_type in _FOLDS:
        return partial(_FOLDS[operator.dml_type].order, folded=_folded_axes(operator))
    return _never if operator.dml_type in _POINTWISE else _order_of_scattered


def _folded_axes(operator: Any) -> Sequence[int]:
    if hasattr(operator, "axes"):
        return tuple(operator.axes)
    return (operator.axis,) if hasattr(operator, "axis") else (operator.input_tensor.rank - 1,)


def _order_of_scattered(sizes: Numbers, strides: Numbers) -> Numbers | None:
    """As they are counted, where no two elements are neighbours."""
    return None if 1 in strides else tuple(range(len(sizes)))


def _never(sizes: Numbers, strides: Numbers) -> Numbers | None:
    return None
