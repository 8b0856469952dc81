"""The reference device: definitions only, floats in float64."""

from __future__ import annotations

from dataclasses import dataclass

from anydml.core.enums import ExecutionFlags
from anydml.graph.plan import Plan
from anydml.runtime.definitions import Memory, run_step


@dataclass(frozen=True)
class ReferenceProgram:
    plan: Plan

    def run(self, memory: Memory) -> None:
        for step in self.plan.steps:
            run_step(self.plan.operator, step, memory, widest=True)


class ReferenceBackend:
    def prepare(self, plan: Plan, flags: ExecutionFlags) -> ReferenceProgram:
        return ReferenceProgram(plan)


BACKEND = ReferenceBackend()
