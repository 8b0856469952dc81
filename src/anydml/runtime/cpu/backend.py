"""The CPU device: plans as lists of native tasks; what has no kernel runs by its definition on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from struct import Struct
from typing import Any

from anydml.core.enums import ExecutionFlags
from anydml.core.schema import Operator
from anydml.core.steps import Nest, Program, Step
from anydml.graph.plan import Plan
from anydml.runtime.backend import Memory, Run
from anydml.runtime.cpu import pointwise
from anydml.runtime.cpu.arrays import NumpyNest
from anydml.runtime.cpu.contraction.machine import host_machine
from anydml.runtime.cpu.expand import expand
from anydml.runtime.cpu.moves import prepare_move
from anydml.runtime.host import HostMemory, require_room
from anydml.runtime.native import llvm
from anydml.runtime.native.pool import request_functions
from anydml.runtime.native.tasks import Task, TaskList
from anydml.runtime.programs import run_program
from anydml.runtime.reference import host_bytes

Arrays = Sequence[Any]
"""The bytes of each slot, None for those that are not used."""
_CONVERTED_BYTES = 32
"""Of each element, what NumPy holds at once while it converts: numbers of double precision, and a few flags."""
Kernel = Callable[[Arrays], Run]
"""A step made ready: given its memory, it returns what runs it."""


@dataclass(frozen=True)
class Prepared:
    """A step as native tasks, or as a kernel in Python."""

    tasks: tuple[Task, ...] = ()
    kernel: Kernel | None = None
    scratch_size_in_bytes: int = 0


class CpuExecutable:
    """Steps made ready; neighbouring native ones are one list, which one call runs."""

    def __init__(self, plan: Plan) -> None:
        with llvm.compile_together():
            once, steps = ([_prepare(step) for step in found] for found in (plan.initialize, plan.steps))
            if any(_uses_pool(prepared) for prepared in (once, steps)):
                request_functions()
        self.scratch_size_in_bytes = max((each.scratch_size_in_bytes for each in (*once, *steps)), default=0)
        self._slot_count = len(plan.slots)
        self._bases = Struct(f"={self._slot_count}Q")
        self._once, self._steps = self._segments(once), self._segments(steps)

    def _segments(self, prepared: Sequence[Prepared]) -> list[TaskList | Kernel]:
        segments: list[TaskList | Kernel] = []
        waiting: list[Task] = []
        for each in prepared:
            waiting += each.tasks
            if each.kernel is not None:
                segments += [*([TaskList(waiting, self._slot_count)] if waiting else []), each.kernel]
                waiting = []
        return [*segments, TaskList(waiting, self._slot_count)] if waiting else segments

    def bind_initialize(self, memory: Memory) -> Run:
        return self._bound(self._once, memory)

    def bind(self, memory: Memory) -> Run:
        return self._bound(self._steps, memory)

    def _bound(self, segments: Sequence[TaskList | Kernel], memory: Memory) -> Run:
        bases = self._bases.pack(*(0 if buffer is None else buffer.address for buffer in memory))
        arrays = host_bytes(memory)
        runs: list[Run] = []
        for each in segments:
            runs.append(partial(each.run_packed, bases) if isinstance(each, TaskList) else each(arrays))
        # The memory stays alive as long as what runs on it: native tasks know addresses alone.
        return runs[0] if len(runs) == 1 and not isinstance(segments[0], TaskList) else partial(_run_all, runs, arrays)


def _uses_pool(prepared: Sequence[Prepared]) -> bool:
    """Whether there are tasks that a list must run."""
    return sum(task.chunk_count for each in prepared for task in each.tasks) > 1


def _run_all(runs: Sequence[Run], owners: Arrays) -> None:
    for run in runs:
        run()


class CpuBackend(HostMemory):
    uses_passes = True
    shares_executables = True

    def claims(self, operator: Operator) -> bool:
        return False

    def expand(self, plan: Plan) -> Plan:
        return expand(plan)

    def plan_options(self) -> Hashable:
        return llvm.is_available(), llvm.is_available() and host_machine()

    def prepare(self, plan: Plan, flags: ExecutionFlags) -> CpuExecutable:
        executable = CpuExecutable(plan)
        require_room(plan, executable)
        return executable


def _prepare(step: Step) -> Prepared:
    if isinstance(step, Program):
        return Prepared(kernel=partial(_bind_program, step), scratch_size_in_bytes=step.operator.scratch_size_in_bytes)
    if not isinstance(step, Nest):
        return Prepared(tasks=tuple(step.tasks()))  # type: ignore[attr-defined]
    move = prepare_move(step)
    if move is not None:
        tasks, kernel = move
        scratch = 0 if tasks or step.is_copy or step.is_fill else step.iterations * _CONVERTED_BYTES
        return Prepared(tasks, None if tasks else kernel, scratch)
    tasks = pointwise.tasks_of(step)
    if tasks:
        return Prepared(tasks)
    nest = NumpyNest(step)
    return Prepared(kernel=nest.bind, scratch_size_in_bytes=nest.scratch_size_in_bytes)


def _bind_program(step: Program, arrays: Arrays) -> Run:
    return partial(run_program, step, arrays, widest=False)


BACKEND = CpuBackend()
