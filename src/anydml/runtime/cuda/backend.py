"""The CUDA device's way to run plans: kernels for nests, kernels or CuPy for programs, in the order of a stream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from anydml.core.enums import ExecutionFlags
from anydml.core.schema import Operator
from anydml.core.steps import Nest, Program, Step
from anydml.graph.plan import Plan
from anydml.runtime.backend import Memory, Run
from anydml.runtime.cuda.driver import Driver
from anydml.runtime.cuda.programs import CudaProgram, HostProgram
from anydml.runtime.cuda.space import CudaMemory
from anydml.runtime.cuda.moves import kernel_of


class Kernel(Protocol):
    """A step made ready: given its memory, it returns what runs it."""

    def bind(self, memory: Memory) -> Run: ...


class CudaNest:
    """A nest as one kernel."""

    def __init__(self, driver: Driver, nest: Nest) -> None:
        self.driver, self.kernel = driver, kernel_of(nest)

    def bind(self, memory: Memory) -> Run:
        addresses = []
        for access in self.kernel.accesses:
            buffer = memory[access.slot]
            assert buffer is not None
            addresses.append(buffer.address)
        return self.driver.launcher(self.kernel.launch(addresses))


class CudaExecutable:
    """Steps made ready."""

    scratch_size_in_bytes = 0
    """What programs take besides their slots comes from CuPy's pool."""

    def __init__(self, driver: Driver, plan: Plan) -> None:
        self.driver = driver
        self._once, self._steps = ([_prepare(driver, s) for s in found] for found in (plan.initialize, plan.steps))

    def bind_initialize(self, memory: Memory) -> Run:
        return _Run(self._once, memory)

    def bind(self, memory: Memory) -> Run:
        return _Run(self._steps, memory)


class _Run:
    """Steps with their memory, which lives as long as they do."""

    def __init__(self, kernels: Sequence[Kernel], memory: Memory) -> None:
        self.memory = memory
        self.runs = [kernel.bind(memory) for kernel in kernels]

    def __call__(self) -> None:
        for run in self.runs:
            run()


def _prepare(driver: Driver, step: Step) -> Kernel:
    if isinstance(step, Program):
        made = CudaProgram(driver, step)
        made.is_on_host = isinstance(step, HostProgram)
        return made
    assert isinstance(step, Nest)
    return CudaNest(driver, step)


class CudaBackend(CudaMemory):
    uses_passes = True

    def claims(self, operator: Operator) -> bool:
        return False

    def expand(self, plan: Plan) -> Plan:
        return plan

    def prepare(self, plan: Plan, flags: ExecutionFlags) -> CudaExecutable:
        return CudaExecutable(self.driver, plan)
