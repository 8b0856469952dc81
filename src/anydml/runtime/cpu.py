"""The CPU device: moves by the strided-copy engine, everything else by its definition on NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anydml.core.enums import ExecutionFlags
from anydml.core.moves import Fill, Move
from anydml.core.schema import Operator
from anydml.graph.plan import Compute, Plan, Step
from anydml.runtime.definitions import Memory, compute, fill_value, run_step
from anydml.runtime.moves import engine

Kernel = Callable[[Memory], None]


@dataclass(frozen=True)
class CpuProgram:
    kernels: tuple[Kernel, ...]

    def run(self, memory: Memory) -> None:
        for kernel in self.kernels:
            kernel(memory)


class CpuBackend:
    def prepare(self, plan: Plan, flags: ExecutionFlags) -> CpuProgram:
        return CpuProgram(tuple(_kernel(plan.operator, step) for step in plan.steps))


def _kernel(operator: Operator, step: Step) -> Kernel:
    if isinstance(step, Compute):
        return lambda memory: compute(operator, memory, widest=False)
    if isinstance(step, Fill):
        return _fill_kernel(operator, step)
    return _move_kernel(operator, step)


def _fill_kernel(operator: Operator, step: Fill) -> Kernel:
    kind = operator.tensor(step.destination).data_type
    prepared = engine.fill(step.destination_layout, kind, fill_value(step.value, kind).item())
    name = step.destination
    return lambda memory: prepared.run_arrays(memory[name])


def _move_kernel(operator: Operator, step: Move) -> Kernel:
    kinds = operator.tensor(step.source).data_type, operator.tensor(step.destination).data_type
    layouts = step.source_layout, step.destination_layout
    prepared = engine.prepare(*layouts, *kinds, scale_bias=step.scale_bias)
    source, destination = step.source, step.destination

    def run(memory: Memory) -> None:
        prepared.run_arrays(memory[source], memory[destination])

    def run_in_place_too(memory: Memory) -> None:
        """Where both are one memory, other strides would overwrite elements before they are read."""
        if memory[source].ctypes.data == memory[destination].ctypes.data:
            run_step(operator, step, memory, widest=False)
        else:
            run(memory)

    return run_in_place_too if operator.in_place and layouts[0] != layouts[1] else run


BACKEND = CpuBackend()
