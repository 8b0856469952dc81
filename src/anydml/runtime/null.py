"""The null device: plans and allocates, prints the plan of what it is asked to run, and computes nothing."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from anydml.core.enums import ExecutionFlags
from anydml.core.schema import Operator
from anydml.core.text import encodable
from anydml.graph.plan import Plan
from anydml.runtime.backend import Memory, Run
from anydml.runtime.buffer import Buffer
from anydml.runtime.host import HostMemory


@dataclass(frozen=True)
class NullExecutable:
    plan: Plan
    scratch_size_in_bytes: int = 0

    def bind_initialize(self, memory: Memory) -> Run:
        return lambda: None

    def bind(self, memory: Memory) -> Run:
        return self._tell

    def _tell(self) -> None:
        print(encodable(self.plan.describe(), getattr(sys.stdout, "encoding", None)))


class NullBackend(HostMemory):
    uses_passes = True
    shares_executables = False

    def allocate(self, size_in_bytes: int) -> Buffer:
        """Zeros: what nothing computes should not look like results."""
        buffer = super().allocate(size_in_bytes)
        assert buffer.data is not None
        buffer.data.fill(0)
        return buffer

    def claims(self, operator: Operator) -> bool:
        return False

    def prepare(self, plan: Plan, flags: ExecutionFlags) -> NullExecutable:
        return NullExecutable(plan)


BACKEND = NullBackend()
