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

from anydml.core.steps import Access, Nest, Program, Step, Store, View
from anydml.process.loading import load_module
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.cpu.pooling import FIRST_SPATIAL, is_whole

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
    inputs = [view and _input(view, order, workspace, before) for view in program.inputs]
    outputs = [nest and _output(nest, order, workspace, after) for nest in program.outputs]
    if inputs[0] is not None and _gathers_windows(program.operator):
        channels_last = (0, *range(FIRST_SPATIAL, len(inputs[0].sizes)), 1)
        inputs[0] = _input(inputs[0], partial(_in_order, channels_last), workspace, before)
    common = _common_order(program.operator, inputs[0], outputs[0])
    if common is not None and inputs[0] is not None and outputs[0] is not None:
        wanted = partial(_in_order, common)
        last: list[Step] = []
        inputs[0] = _input(inputs[0], wanted, workspace, before)
        outputs[0] = _output(outputs[0], wanted, workspace, last)
        after = last + after
    return before, Program(program.operator, tuple(inputs), tuple(outputs)), after


def _input(view: View, order: Order, workspace: Workspace, steps: list[Step]) -> View:
    # What is constant is packed once, however it lies.
    strides = None if workspace.is_constant(view.slot) else _strides_of_copy(view.access, view.sizes, order)
    if strides is None:
        return view
    sizes = tuple(size if stride else 1 for size, stride in zip(view.sizes, view.strides, strict=True))
    slot = workspace.temporary(prod(sizes) * view.type.element_bytes, "rearranged")
    steps.append(Nest.copy(sizes, view.access, Access(slot, view.type, strides)))
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
    steps.append(Nest.copy(nest.sizes, made, store.access))
    return replace(nest, stores=(Store(made, store.value),))


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
        run, is_folded = _run(sizes, strides, folded), unit in folded
        least = self.least_folded if is_folded else self.least_kept
        return None if run >= least or 2 * run > prod(sizes) else _outermost(unit, every)


def _run(sizes: Numbers, strides: Numbers, folded: Sequence[int]) -> int:
    """Neighbours in memory along dimensions that are all folded, or all not; 0 where there are none."""
    if 1 not in strides:
        return 0
    run, is_folded = 1, strides.index(1) in folded
    for axis in sorted(range(len(sizes)), key=lambda axis: strides[axis]):
        if strides[axis] == run and (axis in folded) == is_folded:
            run *= sizes[axis]
    return run


def _outermost(unit: int, every: Sequence[int]) -> Numbers:
    return (unit, *(axis for axis in every if axis != unit))


_SUMS, _WHOLE_ROWS, _RUNNING = Fold(24, 4, gathers=True), Fold(24, 12), Fold(13, gathers=True)
"""Results for each row; for each element, after two or three walks; after one walk."""
_FOLDS = {
    **dict.fromkeys(("REDUCE", "ARGMAX", "ARGMIN"), _SUMS),
    **dict.fromkeys(("ACTIVATION_SOFTMAX", "ACTIVATION_LOG_SOFTMAX", "ACTIVATION_HARDMAX"), _WHOLE_ROWS),
    **dict.fromkeys(("ACTIVATION_SOFTMAX1", "ACTIVATION_LOG_SOFTMAX1", "ACTIVATION_HARDMAX1"), _WHOLE_ROWS),
    **dict.fromkeys(("MEAN_VARIANCE_NORMALIZATION2", "LP_NORMALIZATION"), _WHOLE_ROWS),
    **dict.fromkeys(("CUMULATIVE_PRODUCT", "CUMULATIVE_SUMMATION"), _RUNNING),
}
_IN_PLACE = ("ADAM_OPTIMIZER", "BATCH_NORMALIZATION", "GATHER", "GATHER_ELEMENTS", "GATHER_ND1", "ONE_HOT", "TOP_K1")
"""What becomes a nest reads any strides by itself, and what is taken is a part of the input."""


def _order_for(operator: Any) -> Order:
    if operator.dml_type in _FOLDS:
        return partial(_FOLDS[operator.dml_type].order, folded=_folded_axes(operator))
    if operator.dml_type in _WINDOWS and is_whole(operator):
        return partial(_SUMS.order, folded=range(FIRST_SPATIAL, operator.input_tensor.rank))
    return _never if operator.dml_type in _IN_PLACE else _order_of_scattered


def _folded_axes(operator: Any) -> Sequence[int]:
    if hasattr(operator, "axes"):
        return tuple(operator.axes)
    return (operator.axis,) if hasattr(operator, "axis") else (operator.input_tensor.rank - 1,)


def _order_of_scattered(sizes: Numbers, strides: Numbers) -> Numbers | None:
    """As they are counted, where no two elements are neighbours."""
    return None if 1 in strides else tuple(range(len(sizes)))


def _never(sizes: Numbers, strides: Numbers) -> Numbers | None:
    return None


def _gathers_windows(operator: Any) -> bool:
    """Whether a convolution is faster on a copy of its input with the channels of each pixel side by side."""
    return bool(load_module("anydml.runtime.cpu.contraction.convolution").gains_from_copy(operator))


# One order for the input and the result


LEAST_CHANNELS = 8
"""Windows are worked on along channels where so many of them are neighbours, and sums run on along others too."""
_WINDOWS = ("AVERAGE_POOLING1", "LP_POOLING1", "MAX_POOLING2")


def _common_order(operator: Any, view: View | None, nest: Nest | None) -> Numbers | None:
    """The order in which a kernel reads and writes best, where the input and the result lie in two, or in a bad one."""
    if view is None or nest is None or len(nest.stores) != 1 or len(nest.sizes) != len(view.sizes):
        return None
    sides = (view.sizes, view.strides), (nest.sizes, nest.stores[0].access.strides)
    if not all(1 in strides for _, strides in sides):
        return None
    if (operator.dml_type in _WINDOWS and not is_whole(operator)) or _is_depthwise(operator):
        return _order_for_windows(view)
    fold = _FOLDS.get(operator.dml_type)
    if fold not in (_WHOLE_ROWS, _RUNNING) or _order_of(*sides[0]) == _order_of(*sides[1]):
        return None
    folded = _folded_axes(operator)

    def merit(side: tuple[Numbers, Numbers]) -> tuple[bool, int]:
        run, is_folded = _run(*side, folded), side[1].index(1) in folded
        return fold is _RUNNING and not is_folded and run >= LEAST_CHANNELS, run

    return _order_of(*max(sides, key=merit))


def _order_for_windows(view: View) -> Numbers:
    """Along channels where they are neighbours and many; else along rows."""
    if view.strides[1] == 1 and view.sizes[1] < LEAST_CHANNELS:
        return tuple(range(len(view.sizes)))
    return _order_of(view.sizes, view.strides)


def _is_depthwise(operator: Any) -> bool:
    return operator.dml_type == "CONVOLUTION" and bool(1 < operator.group_count == operator.input_tensor.sizes[1])


def _order_of(sizes: Numbers, strides: Numbers) -> Numbers:
    """The dimensions by falling distance."""
    distances = [0 if size == 1 else abs(stride) for size, stride in zip(sizes, strides, strict=True)]
    return tuple(sorted(range(len(sizes)), key=lambda axis: (-distances[axis], axis)))


def _in_order(wanted: Numbers, sizes: Numbers, strides: Numbers) -> Numbers | None:
    """The wanted order, unless a tensor is in it."""
    known = [axis for axis in wanted if sizes[axis] > 1]
    is_same = known == [axis for axis in _order_of(sizes, strides) if sizes[axis] > 1]
    return None if is_same else wanted
