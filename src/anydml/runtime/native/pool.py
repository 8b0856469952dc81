"""Threads that help with native work.

A caller publishes its work, takes part in it and waits for the helpers inside one native call (see `schedule`).
Helpers look for work natively for about a millisecond before they sleep. They sleep natively too where the system has a
semaphore for it, and are woken from there. A helper that sleeps in Python could not wake before it has the interpreter
lock, which may take milliseconds. Elsewhere they do so: then they are woken before the native call, and if an exception
arrives meanwhile, they find no work and go back to sleep.
"""

from __future__ import annotations

import ctypes
import os
import sys
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from itertools import count
from threading import RLock, get_ident, get_native_id
from time import monotonic, perf_counter_ns
from typing import Any

from anydml.runtime.native import llvm, schedule
from anydml.runtime.native.staging import staging_block
from anydml.runtime.native.threads import get_threads, processors

AWAKE_NANOSECONDS = 1_000_000
"""How long a helper looks for work before it sleeps."""
START_SECONDS = 0.1
"""A helper that is not there after this time is started again."""
_ROUNDS_TIMED = 1000
RUN_LIST = "alone"
"""The function that runs a list in one thread."""


class Functions:
    """The functions of `schedule`, compiled."""

    def __init__(self) -> None:
        self.code = request_functions()
        self.alone = self.code.function(RUN_LIST, 3)
        self.shared = self.code.function("shared", 5)
        self.help = self.code.function("help", 4)
        self.rest = self.code.function("rest", 2)


def request_functions() -> llvm.MachineCode:
    """Their code; in a batch, together with other kernels."""
    architecture = llvm.host().architecture
    write = partial(schedule.module_text, architecture)
    return llvm.compiled(("schedule", architecture), write, schedule.SYMBOLS, llvm.NO_EFFORT)


@cache
def functions() -> Functions:
    return Functions()


def run(bases: bytes, tasks: int, chunks: int, threads: int | None = None) -> None:
    """Runs a list of tasks, given by its address.

    `bases` are the addresses of the buffers, and `chunks` the most chunks that a task of the list has. Whatever
    exception arrives meanwhile is raised when no thread uses the buffers any more.
    """
    helpers = min(chunks, threads or get_threads(), schedule.MOST_THREADS) - 1
    if helpers < 1:
        staging = staging_block()
        functions().alone(bases, tasks, staging.address)
    else:
        _current_pool().run(bases, tasks, helpers)


@dataclass(eq=False)
class _Helper:
    bell: Any
    """A lock that the helper waits for; whoever releases it wakes the helper."""
    ident: int
    is_awake: bool = True
    number: int = 0
    """Counted from 1; helpers of other numbers begin with other chunks."""


class Pool:
    """Helpers, and the memory through which work is shared with them."""

    def __init__(self) -> None:
        self._functions = functions()
        self._memory = ctypes.create_string_buffer(schedule.POOL_BYTES + 128)
        start = ctypes.addressof(self._memory)
        self._address = start + -start % 128
        _write(self._address + schedule.TABLE, _yield_address())
        _write(self._address + schedule.PROCESSORS, processors())
        self._make_semaphore = _semaphores()
        if self._make_semaphore is not None:
            library = ctypes.CDLL(None)
            for number, name in enumerate(schedule.FUNCTIONS):
                _write(self._address + schedule.TABLE + number * schedule.WORD, _address_of(getattr(library, name)))
        self._lock = RLock()
        self._helpers: list[_Helper] = []
        self._most_helpers = 0
        self._asked, self._retry_at = 0, 0.0
        """How many helpers should be there, and when to look for them again."""
        self._spins = self._count_spins()

    def _count_spins(self) -> int:
        """How many looks for work take as long as a helper stays awake."""
        times = []
        for _ in range(3):
            start = perf_counter_ns()
            self._functions.rest(self._address, _ROUNDS_TIMED)
            times.append(perf_counter_ns() - start)
        return max(1, AWAKE_NANOSECONDS * _ROUNDS_TIMED // max(1, min(times)))

    def run(self, bases: bytes, tasks: int, helpers: int) -> None:
        self._wake(helpers)
        staging = staging_block()
        self._functions.shared(bases, tasks, staging.address, self._address, helpers)

    def _wake(self, count: int) -> None:
        """An exception that arrives in here leaves helpers awake or asleep, and all will be found by the next call."""
        if len(self._helpers) < count:
            self._start(count)
        if self.sleeps_natively:
            return  # whoever takes the pool wakes them
        for helper in self._helpers[:count]:
            if not helper.is_awake:
                with suppress(RuntimeError):  # another caller was faster
                    helper.bell.release()

    def _start(self, count: int) -> None:
        """Helpers add themselves when they run; those that are one too many end."""
        now = monotonic()
        present = max(len(self._helpers), self._asked if now < self._retry_at else 0)
        self._most_helpers = max(self._most_helpers, count)
        if present < count:
            self._asked, self._retry_at = count, now + START_SECONDS
            with suppress(RuntimeError):  # the system has no more threads: callers do with fewer
                for _ in range(count - present):
                    start_new_thread(_serve, (self,))

    def add(self, helper: _Helper) -> bool:
        """Whether the helper is one of the pool's now."""
        with self._lock:
            if helper not in self._helpers and len(self._helpers) < self._most_helpers:
                self._helpers.append(helper)
                self._register(helper)
            return helper in self._helpers

    def _register(self, helper: _Helper) -> None:
        used = {other.number for other in self._helpers}
        helper.number = next(number for number in count(1) if number not in used)
        if self._make_semaphore is not None:
            place = self._address + schedule.helper_offset(helper.number)
            self._make_semaphore(place + schedule.SEMAPHORE)
            ctypes.c_int32.from_address(place + schedule.THREAD).value = get_native_id()

    @property
    def sleeps_natively(self) -> bool:
        return self._make_semaphore is not None

    def remove(self, helper: _Helper) -> None:
        with self._lock, suppress(ValueError):
            self._helpers.remove(helper)

    def help(self, number: int) -> None:
        staging = staging_block()
        self._functions.help(self._address, staging.address, self._spins, number)


def _serve(pool: Pool) -> None:
    """What a helper does. Its frame keeps the pool's memory and code alive even while Python exits."""
    helper = _Helper(allocate_lock(), get_ident())
    helper.bell.acquire()
    try:
        while pool.add(helper):
            pool.help(helper.number)
            if not pool.sleeps_natively:
                helper.is_awake = False
                helper.bell.acquire()
                helper.is_awake = True
    finally:  # an exception was raised into this thread
        pool.remove(helper)


def _yield_address() -> int:
    """The system's function that lets another thread run on this processor; 0 if it is not found."""
    try:
        if sys.platform == "win32":
            function = ctypes.WinDLL("kernel32").SwitchToThread
        else:
            function = ctypes.CDLL(None).sched_yield
    except (OSError, AttributeError):
        return 0
    return _address_of(function)


def _address_of(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _semaphores() -> Callable[[int], int] | None:
    """What makes a semaphore at an address, where the system has all that native sleep takes."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        library = ctypes.CDLL(None)
        make = library.sem_init
    except (OSError, AttributeError):
        return None
    if not all(hasattr(library, name) for name in schedule.FUNCTIONS):
        return None
    return lambda place: int(make(ctypes.c_void_p(place), 0, 0))


def _write(address: int, value: int) -> None:
    ctypes.c_void_p.from_address(address).value = value


_pool: Pool | None = None
_lock = RLock()
"""A signal handler may run work while its thread holds the lock, so it can be taken again."""


def _current_pool() -> Pool:
    global _pool
    found = _pool
    if found is None:
        with _lock:
            found = _pool = _pool or Pool()
    return found


def _after_fork_in_child() -> None:
    """A child has none of its parent's threads, and perhaps a lock that one of them held."""
    global _pool, _lock
    _pool, _lock = None, RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
