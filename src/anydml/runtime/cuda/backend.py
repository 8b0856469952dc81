"""The CUDA device's way to run plans: kernels for nests, kernels or CuPy for programs, in the order of a stream."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Protocol

from anydml.core.enums import ExecutionFlags
from anydml.core.schema import Operator
from anydml.core.steps import Nest, Program, Step
from anydml.graph.plan import Plan, SlotKind
from anydml.runtime.backend import Memory, Run
from anydml.runtime.cuda.driver import Driver
from anydml.runtime.cuda.expand import expand
from anydml.runtime.cuda.moves import kernel_of
from anydml.runtime.cuda.programs import CudaProgram, HostProgram
from anydml.runtime.cuda.replay import Replay
from anydml.runtime.cuda.space import CudaMemory
from anydml.runtime.cuda.streams import PeerStream, Turns, has_peer

_KEPT_RUNS = 8
"""Sets of memory whose runs are kept."""


class Kernel(Protocol):
    """A step made ready: given its memory, it returns what runs it."""

    is_replayable: bool
    """Whether it starts the same kernels on the same addresses every time, and nothing else."""

    def bind(self, memory: Memory) -> Run: ...


class CudaNest:
    """A nest as one kernel."""

    is_replayable = True

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
    """Steps made ready. Runs on memory that was used lately are found again, with their recorded graphs."""

    scratch_size_in_bytes = 0
    """What programs take besides their slots comes from CuPy's pool."""

    def __init__(self, driver: Driver, plan: Plan, flags: ExecutionFlags) -> None:
        self.driver, self.name = driver, plan.name
        is_fast = ExecutionFlags.ALLOW_HALF_PRECISION_COMPUTATION in flags
        lists = (plan.initialize, plan.steps)
        self._once, self._steps = ([_prepare(driver, step, is_fast) for step in found] for found in lists)
        self._bound: OrderedDict[tuple[int, ...], Replay] = OrderedDict()
        self._lock = Lock()
        self._temporaries = plan.of_kind(SlotKind.TEMPORARY)
        self._turns, self._peer = Turns(driver), PeerStream(driver)

    def bind_initialize(self, memory: Memory) -> Run:
        return self._run(Replay(self.driver, self._once, memory, self.name), memory)

    def _run(self, replay: Replay, memory: Memory) -> Run:
        places = [buffer.address for buffer in (memory[n] for n in self._temporaries) if buffer is not None]
        peer = self._peer if has_peer(memory) else None
        return _Run(replay, memory, min(places, default=0), self._turns, peer)

    def bind(self, memory: Memory) -> Run:
        places = tuple(0 if buffer is None else buffer.address for buffer in memory)
        with self._lock:
            found = self._bound.get(places)
            if found is None:
                # Addresses alone are kept: the caller's memory is not held back from being freed.
                bare = [None if buffer is None else buffer._replace(owner=None) for buffer in memory]
                found = self._bound[places] = Replay(self.driver, self._steps, bare, self.name)
                if len(self._bound) > _KEPT_RUNS:
                    self._bound.popitem(last=False)
            self._bound.move_to_end(places)
        return self._run(found, memory)


class _Run:
    """A run with its memory, which lives as long as it does, in the order that streams need."""

    __slots__ = ("arena", "memory", "peer", "replay", "turns")

    def __init__(self, replay: Replay, memory: Memory, arena: int, turns: Turns, peer: PeerStream | None) -> None:
        self.replay, self.memory, self.arena, self.turns, self.peer = replay, memory, arena, turns, peer

    def __call__(self) -> None:
        if self.peer is None:
            self._run()
        else:
            self.peer.run(self._run)

    def _run(self) -> None:
        if not self.arena:
            self.replay.run()
            return
        self.turns.begin(self.arena)
        try:
            self.replay.run()
        finally:
            self.turns.end(self.arena)


def _prepare(driver: Driver, step: Step, is_fast: bool) -> Kernel:
    """`is_fast` lets products round their factors: TF32."""
    if isinstance(step, Program):
        return CudaProgram(driver, step, isinstance(step, HostProgram))
    if isinstance(step, Nest):
        return CudaNest(driver, step)
    made: Kernel = step.prepared(driver, is_fast)  # type: ignore[attr-defined]
    return made


class CudaBackend(CudaMemory):
    uses_passes = True
    shares_executables = False

    def claims(self, operator: Operator) -> bool:
        return False

    def expand(self, plan: Plan) -> Plan:
        return expand(plan, self.driver)

    def plan_options(self) -> Hashable:
        return None

    def prepare(self, plan: Plan, flags: ExecutionFlags) -> CudaExecutable:
        return CudaExecutable(self.driver, plan, flags)
