"""Interrupts at random times: when an exception leaves a move, no thread may touch the buffers any more.

After each exception the buffers are protected for a moment: a thread that still reads or writes them ends the process.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock, Thread, get_ident
from time import perf_counter

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves import engine
from anydml.runtime.native.tasks import TaskList

ROOT = Path(__file__).parents[3]
SIDES = (96, 300, 700, 1500)
"""Of the transposed matrices: moves of some microseconds to some milliseconds."""
SHORTEST_SECONDS, LONGEST_SECONDS = 5e-6, 400e-6
PROTECTED_SECONDS = 30e-6
LOST_SECONDS = 20.0
"""An exception that has not arrived by then never will."""
MOST_HELPERS = 4


@dataclass(frozen=True)
class Tally:
    """What happened; `status` is how the process ended."""

    status: int
    interrupts: int
    lost: int = 0
    """Exceptions that did not arrive. Up to Python 3.11, one that is raised while a thread starts may go there."""
    moves: int = 0
    """Those that ended before they were interrupted."""
    wrong: int = 0
    """Results that differ from NumPy's, of the moves after all interrupts."""

    @property
    def is_good(self) -> bool:
        return self.status == 0 and self.interrupts > 0 and self.wrong == 0


def soak(interrupts: int, seed: int = 1, kind: str = "signal", broken: bool = False, timeout: float = 600.0) -> Tally:
    """Interrupts so many moves in a process of its own, by a timer's "signal" or by "async" exceptions.

    With `broken` the helpers are not waited for, to show that this is noticed.
    """
    arguments = json.dumps([interrupts, seed, kind, broken])
    program = f"from tests.runtime.native.soak import main; main(*{json.loads(arguments)!r})"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, timeout=timeout, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stderr[-2000:], file=sys.stderr)
        return Tally(done.returncode, 0)
    return Tally(**json.loads(done.stdout))


def main(interrupts: int, seed: int, kind: str, broken: bool) -> None:
    engine.SMALL_BYTES = engine.SHARED_BYTES = 0
    if broken:
        _leave_helpers_alone()
    interrupter = _Timer() if kind == "signal" else _Raiser()
    print(json.dumps(asdict(_interrupt_moves(interrupts, random.Random(seed), interrupter.arm))))


def _leave_helpers_alone() -> None:
    """Each run is handed to a thread that nobody waits for."""
    run = TaskList.run_packed

    def start(self: TaskList, bases: bytes, threads: int | None = None) -> None:
        thread = Thread(target=run, args=(self, bases, threads), daemon=True)
        thread.start()
        thread.join()

    TaskList.run_packed = start  # type: ignore[method-assign]


class _Timer:
    """A signal in the main thread, as Ctrl-C is."""

    def __init__(self) -> None:
        signal.signal(signal.SIGALRM, self._interrupt)

    def _interrupt(self, number: int, frame: object) -> None:
        raise KeyboardInterrupt

    def arm(self, seconds: float) -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds)


class _Raiser:
    """An exception raised into the thread by another one."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._idle = Lock()  # not an Event: an exception inside its Python code could leave it locked
        self._idle.acquire()
        self._target = ctypes.c_ulong(get_ident())
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            self._idle.acquire()
            _wait(self._seconds)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(self._target, ctypes.py_object(KeyboardInterrupt))

    def arm(self, seconds: float) -> None:
        self._seconds = seconds
        self._idle.release()


def _wait(seconds: float) -> None:
    end = perf_counter() + seconds
    while perf_counter() < end:
        pass


class _Buffer:
    """Memory that can be protected."""

    def __init__(self, size: int) -> None:
        self.size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        self._memory = mmap.mmap(-1, self.size)
        self._held = ctypes.c_char.from_buffer(self._memory)
        self.address = ctypes.addressof(self._held)
        self.values = np.frombuffer(self._memory, np.float32)
        self._protect = ctypes.CDLL(None, use_errno=True).mprotect

    def protect(self, access: int) -> None:
        assert self._protect(ctypes.c_void_p(self.address), ctypes.c_size_t(self.size), access) == 0


def _interrupt_moves(count: int, dice: random.Random, arm: Callable[[float], None]) -> Tally:
    source, destination = (_Buffer(max(SIDES) ** 2 * 4) for _ in range(2))
    source.values[:] = np.arange(source.values.size)
    moves = {side: _transpose(side, dice) for side in SIDES}
    finished = [0]
    interrupts = lost = 0

    def run_until_interrupted(move: engine.PreparedMove, seconds: float) -> None:
        """In a function of its own: Python 3.13 does not guard the jump back of a loop that stands inside `try`."""
        end = perf_counter() + LOST_SECONDS
        arm(seconds)
        while perf_counter() < end:
            move.run(source.address, destination.address)
            finished[0] += 1

    while interrupts < count:
        move, seconds = moves[dice.choice(SIDES)], dice.uniform(SHORTEST_SECONDS, LONGEST_SECONDS)
        try:
            run_until_interrupted(move, seconds)
            lost += 1
        except KeyboardInterrupt:
            interrupts += 1
        _forbid_for_a_moment(source, destination)
    wrong = sum(not _is_right(move, side, source, destination) for side, move in moves.items())
    return Tally(0, interrupts, lost, finished[0], wrong)


def _forbid_for_a_moment(*buffers: _Buffer) -> None:
    for buffer in buffers:
        buffer.protect(0)
    _wait(PROTECTED_SECONDS)
    for buffer in buffers:
        buffer.protect(mmap.PROT_READ | mmap.PROT_WRITE)


def _transpose(side: int, dice: random.Random) -> engine.PreparedMove:
    layouts = Layout((side, side), (1, side)), Layout((side, side))
    threads = dice.randint(2, max(MOST_HELPERS, os.cpu_count() or 1))
    return engine.prepare(*layouts, DataType.FLOAT32, threads=threads)


def _is_right(move: engine.PreparedMove, side: int, source: _Buffer, destination: _Buffer) -> bool:
    destination.values[:] = -1
    move.run(source.address, destination.address)
    found, given = (buffer.values[: side * side].reshape(side, side) for buffer in (destination, source))
    return bool((found == given.T).all())
