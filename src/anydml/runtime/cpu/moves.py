"""Nests that only move, fill or convert: work for the strided-copy engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, FLOAT64, Node
from anydml.core.geometry import MAXIMUM_RANK
from anydml.core.layout import Layout
from anydml.core.steps import Access, Nest
from anydml.process.loading import load_module
from anydml.runtime.backend import Run
from anydml.runtime.moves import engine
from anydml.runtime.native.tasks import Task
from anydml.runtime.programs import converted

SLOW = 3.0
"""What takes so many times as long as a copy is worth a look for something better."""
Prepared = tuple[tuple[Task, ...], Callable[[Sequence[Any]], Run]]
"""Native tasks, none where NumPy is quicker, and a kernel in Python for that case."""


def prepare_move(nest: Nest) -> Prepared | None:
    """The engine's way to run a nest, where it has one."""
    if len(nest.stores) != 1 or sum(size > 1 for size in nest.sizes) > MAXIMUM_RANK:
        return None
    store = nest.stores[0]
    if store.value.op == "constant":
        return _fill(nest, store.access, store.value)
    if len(nest.loads) != 1:
        return None
    scale_bias = scale_bias_of(store.value, nest.loads[0].type)
    if scale_bias is None and store.value.op != "load":
        return None
    return _move(nest, store.access, scale_bias)


def _fill(nest: Nest, access: Access, value: Node) -> Prepared:
    element = converted(np.asarray(value.type.type(value.value)), access.type)
    fill = engine.fill(_layout(nest.sizes, access), access.type, element.item())
    return fill.tasks(access.slot), lambda arrays: partial(fill.run_arrays, arrays[access.slot])


def _move(nest: Nest, access: Access, scale_bias: tuple[float, float] | None) -> Prepared:
    source = nest.loads[0]
    layouts = _layout(nest.sizes, source), _layout(nest.sizes, access)
    move = engine.prepare(*layouts, source.type, access.type, scale_bias=scale_bias)
    tasks = move.tasks(source.slot, access.slot)
    if tasks and move.plan.slowness > SLOW:
        tasks = _quicker(nest) or tasks
    return tasks, lambda arrays: partial(move.run_arrays, arrays[source.slot], arrays[access.slot])


def _quicker(nest: Nest) -> tuple[Task, ...]:
    """Other tasks for a nest that one kernel moves slowly; none where there are none better."""
    if nest.is_copy:
        task = load_module("anydml.runtime.cpu.blocks").task_of_copy(nest)
        return () if task is None else (task,)
    found: tuple[Task, ...] = load_module("anydml.runtime.cpu.pointwise").tasks_of(nest)
    return found


def _layout(sizes: tuple[int, ...], access: Access) -> Layout:
    """An access as a layout, without loops that run once."""
    loops = [(size, stride) for size, stride in zip(sizes, access.strides, strict=True) if size > 1] or [(1, 1)]
    return Layout([size for size, _ in loops], [stride for _, stride in loops], access.offset)


def scale_bias_of(value: Node, data_type: DataType) -> tuple[float, float] | None:
    """Scale and bias, where an expression is x * scale + bias computed as the engine computes it."""
    wide = FLOAT32 if data_type in (DataType.FLOAT16, DataType.FLOAT32) else FLOAT64
    if value.op != "add" or value.type != wide or value.args[0].op != "multiply":
        return None
    product, bias = value.args
    x, scale = product.args
    inner = x.args[0] if x.op == "cast" and x.type == wide else x
    if inner.op != "load" or scale.op != "constant" or bias.op != "constant":
        return None
    return scale.value, bias.value
