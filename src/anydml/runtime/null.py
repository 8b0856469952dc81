"""The null device: prints the plan of what it is asked to run, and touches nothing."""

from __future__ import annotations

from dataclasses import dataclass

from anydml.core.enums import ExecutionFlags
from anydml.graph.plan import Plan
from anydml.runtime.definitions import Memory


@dataclass(frozen=True)
class NullProgram:
    plan: Plan

    def run(self, memory: Memory) -> None:
        print(self.plan.describe())


class NullBackend:
    def prepare(self, plan: Plan, flags: ExecutionFlags) -> NullProgram:
        return NullProgram(plan)


BACKEND = NullBackend()
