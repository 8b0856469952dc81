"""BATCH_NORMALIZATION_TRAINING: a reduction for the statistics of the batch, then nests."""

from __future__ import annotations

from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, load
from anydml.core.orders import packed_strides
from anydml.core.steps import Access, Program, Step, Store, View
from anydml.core.tracing import TRACED, Traced
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.cpu.formulas import activated, element_of, has_formula, normalized, repeated, with_result
from anydml.runtime.cpu.reductions.lowering import is_supported
from anydml.runtime.cpu.reductions.step import Reduction, Stage


def expand_batch_normalization_training(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    x, scale, bias, added = program.inputs
    assert x is not None and scale is not None and bias is not None
    if not has_formula(operator.fused_activation):
        return None
    mean, variance = (_statistic(scale.sizes, workspace, name) for name in ("mean", "variance"))
    reduction = _statistics(x, mean, variance)
    if not is_supported(reduction):
        return None
    views = [x, mean, variance, scale, bias, *(() if added is None else (added,))]
    loads, elements = [repeated(view) for view in views], [element_of(view, n) for n, view in enumerate(views)]
    result = normalized(operator, *elements[:5])
    result = activated(operator.fused_activation, result if added is None else result + elements[5])
    values = (loads, result), ([mean.access], element_of(mean, 0)), ([variance.access], element_of(variance, 0))
    nests = [
        with_result(nest, read, value.node)
        for nest, (read, value) in zip(program.outputs, values, strict=True)
        if nest is not None
    ]
    return [reduction, *nests]


def _statistic(sizes: tuple[int, ...], workspace: Workspace, name: str) -> View:
    """Memory for one number of each channel."""
    slot = workspace.temporary(prod(sizes) * FLOAT32.itemsize, name)
    return View(slot, DataType.FLOAT32, sizes, packed_strides(sizes))


def _statistics(x: View, mean: View, variance: View) -> Reduction:
    """Mean and variance over the dimensions in which they have a size of 1."""
    axes = range(len(x.sizes))
    kept, folded = [n for n in axes if mean.sizes[n] > 1], [n for n in axes if mean.sizes[n] == 1]

    def seen(access: Access) -> Access:
        return Access(access.slot, access.type, tuple(access.strides[n] for n in (*kept, *folded)), access.offset)

    outer, reduced = (tuple(x.sizes[n] for n in some) for some in (kept, folded))
    element, count = element_of(x, 0), prod(reduced)
    near, rest, squares = (Traced(load(stage, FLOAT32)) / count for stage in range(1, 4))
    # Of millions of elements the sum lacks the last digits; the sum of their distances from what it says has them.
    average = TRACED.where(TRACED.isfinite(near), near + rest, near)
    distance = element - average
    stages = (element, element - near, distance * distance)
    stores = Store(seen(repeated(mean)), average.node), Store(seen(repeated(variance)), squares.node)
    folds = tuple(Stage("add", value.node) for value in stages)
    return Reduction(outer, reduced, (seen(x.access),), folds, stores, "statistics")
