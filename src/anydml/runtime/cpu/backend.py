"""The CPU device: moves by the strided-copy engine, expressions in blocks, everything else by its definition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.enums import ExecutionFlags
from anydml.core.expression import FLOAT32, FLOAT64, Node
from anydml.core.geometry import MAXIMUM_RANK
from anydml.core.layout import Layout
from anydml.core.schema import Operator
from anydml.core.steps import Access, Nest, Program, Step
from anydml.graph.plan import Plan
from anydml.runtime.backend import Memory, Run
from anydml.runtime.cpu.arrays import NumpyNest
from anydml.runtime.host import HostMemory
from anydml.runtime.moves import engine
from anydml.runtime.programs import converted, run_program
from anydml.runtime.reference import host_bytes

Arrays = Sequence[Any]
"""The bytes of each slot, None for those that are not used."""
Kernel = Callable[[Arrays], Run]
"""A step made ready: given its memory, it returns what runs it."""


@dataclass(frozen=True)
class CpuExecutable:
    once: tuple[Kernel, ...]
    kernels: tuple[Kernel, ...]
    scratch_size_in_bytes: int

    def bind_initialize(self, memory: Memory) -> Run:
        return _bound(self.once, memory)

    def bind(self, memory: Memory) -> Run:
        return _bound(self.kernels, memory)


def _bound(kernels: Sequence[Kernel], memory: Memory) -> Run:
    arrays = host_bytes(memory)
    if len(kernels) == 1:
        return kernels[0](arrays)
    return partial(_run_all, [kernel(arrays) for kernel in kernels])


def _run_all(runs: Sequence[Run]) -> None:
    for run in runs:
        run()


class CpuBackend(HostMemory):
    uses_passes = True

    def claims(self, operator: Operator) -> bool:
        return False

    def prepare(self, plan: Plan, flags: ExecutionFlags) -> CpuExecutable:
        prepared = [[_prepare(step) for step in steps] for steps in (plan.initialize, plan.steps)]
        scratch = max((size for steps in prepared for _, size in steps), default=0)
        once, kernels = (tuple(kernel for kernel, _ in steps) for steps in prepared)
        return CpuExecutable(once, kernels, scratch)


def _prepare(step: Step) -> tuple[Kernel, int]:
    """A kernel for a step, and the memory it takes besides its slots."""
    if isinstance(step, Program):
        return partial(_bind_program, step), step.operator.scratch_size_in_bytes
    assert isinstance(step, Nest)
    move = _move_of(step)
    if move is not None:
        return move, 0
    nest = NumpyNest(step)
    return nest.bind, nest.scratch_size_in_bytes


def _bind_program(step: Program, arrays: Arrays) -> Run:
    return partial(run_program, step, arrays, widest=False)


# Nests that only move or convert


def _move_of(nest: Nest) -> Kernel | None:
    """The strided-copy engine's way to run a nest, where it has one."""
    if len(nest.stores) != 1 or len(_without_units(nest.sizes)) > MAXIMUM_RANK:
        return None
    store = nest.stores[0]
    destination = _layout(nest.sizes, store.access)
    if store.value.op == "constant":
        element = converted(np.asarray(store.value.type.type(store.value.value)), store.access.type)
        fill = engine.fill(destination, store.access.type, element.item())
        return lambda arrays: partial(fill.run_arrays, arrays[store.access.slot])
    scale_bias = scale_bias_of(store.value, nest.loads[0].type) if len(nest.loads) == 1 else None
    if len(nest.loads) != 1 or (scale_bias is None and store.value.op != "load"):
        return None
    source = nest.loads[0]
    types = source.type, store.access.type
    move = engine.prepare(_layout(nest.sizes, source), destination, *types, scale_bias=scale_bias)
    return lambda arrays: partial(move.run_arrays, arrays[source.slot], arrays[store.access.slot])


def _without_units(sizes: Sequence[int]) -> list[int]:
    return [size for size in sizes if size > 1]


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


BACKEND = CpuBackend()
