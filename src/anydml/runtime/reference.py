"""The reference device: definitions only, floats in float64."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from anydml.core.enums import ExecutionFlags
from anydml.core.memory import Bytes
from anydml.core.schema import Operator
from anydml.core.steps import Nest, Program, Step
from anydml.graph.plan import Plan
from anydml.runtime.backend import Memory, Run
from anydml.runtime.host import HostMemory, require_room
from anydml.runtime.programs import run_program, store_nest

_WIDEST_ELEMENT_BYTES = 8
_COPIES = 8
"""Arrays of float64 that a definition may hold at once, for each tensor it has, unless it tells of more."""


@dataclass(frozen=True)
class ReferenceExecutable:
    plan: Plan

    @property
    def scratch_size_in_bytes(self) -> int:
        return max((_scratch(step) for step in (*self.plan.initialize, *self.plan.steps)), default=0)

    def bind_initialize(self, memory: Memory) -> Run:
        return _Run(self.plan.initialize, host_bytes(memory))

    def bind(self, memory: Memory) -> Run:
        return _Run(self.plan.steps, host_bytes(memory))


@dataclass(frozen=True)
class _Run:
    steps: Sequence[Step]
    memory: list[Bytes | None]

    def __call__(self) -> None:
        for step in self.steps:
            if isinstance(step, Nest):
                store_nest(step, self.memory)
            else:
                assert isinstance(step, Program)
                run_program(step, self.memory, widest=True)


def host_bytes(memory: Memory) -> list[Bytes | None]:
    """The arrays of buffers in the host's memory."""
    return [None if buffer is None else buffer.data for buffer in memory]


def _scratch(step: Step) -> int:
    elements = sum(prod(sizes) for _, sizes in (*step.reads(), *step.writes()))
    copies = max(_COPIES, step.operator.temporary_copies) if isinstance(step, Program) else _COPIES
    return elements * _WIDEST_ELEMENT_BYTES * copies


class ReferenceBackend(HostMemory):
    uses_passes = False
    shares_executables = False

    def claims(self, operator: Operator) -> bool:
        """Everything that computes: expressions are for devices that compile them."""
        return operator.form in ("formula", "compute")

    def prepare(self, plan: Plan, flags: ExecutionFlags) -> ReferenceExecutable:
        executable = ReferenceExecutable(plan)
        require_room(plan, executable)
        return executable


BACKEND = ReferenceBackend()
