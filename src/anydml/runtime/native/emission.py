"""Object files from LLVM IR, several at a time.

llvmlite holds a lock during every call of LLVM. Modules that share nothing, each with a context and a target machine of
its own, need none: LLVM compiles them side by side. All other calls take the lock.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from ctypes import string_at
from heapq import heappop, heappush
from itertools import count
from threading import Lock, Semaphore, Thread
from typing import Any

from anydml.process.loading import load_module


def emit_object(machine: Any, module: Any) -> bytes:
    """What `machine.emit_object` returns, without the lock where llvmlite lets us do so."""
    ffi = load_module("llvmlite.binding.ffi")

    emit = getattr(getattr(ffi.lib, "LLVMPY_TargetMachineEmitToMemory", None), "_cfn", None)
    if emit is None:
        data: bytes = machine.emit_object(module)
        return data
    with ffi.OutputString() as error:
        buffer = emit(machine, module, 1, error)
        if not buffer:
            raise RuntimeError(str(error))
    try:
        return string_at(ffi.lib.LLVMPY_GetBufferStart(buffer), ffi.lib.LLVMPY_GetBufferSize(buffer))
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


class Crew:
    """Work shared with helper threads, which begin with it at once.

    The longest that waits is done first, so that nobody is left with it at the end.
    """

    def __init__(self, helpers: int) -> None:
        self._most_helpers = helpers
        self._helpers: list[Thread] = []
        self._waiting: list[tuple[int, int, Callable[[], None] | None]] = []
        self._lock, self._count, self._numbers = Lock(), Semaphore(0), count()
        self._errors: list[BaseException] = []

    def add(self, work: Callable[[], None], length: int = 0) -> None:
        self._put(work, length)
        if len(self._helpers) < self._most_helpers:
            helper = Thread(target=self._serve, daemon=True)
            with suppress(RuntimeError):  # the system has no more threads
                helper.start()
                self._helpers.append(helper)

    def finish(self) -> None:
        """Takes part, and returns when all is done; raises the first error."""
        while self._count.acquire(blocking=False):
            self._run(self._take())
        for _ in self._helpers:
            self._put(None, 0)
        for helper in self._helpers:
            helper.join()
        if self._errors:
            raise self._errors[0]

    def _put(self, work: Callable[[], None] | None, length: int) -> None:
        with self._lock:
            heappush(self._waiting, (-length, next(self._numbers), work))
        self._count.release()

    def _take(self) -> Callable[[], None] | None:
        with self._lock:
            return heappop(self._waiting)[2]

    def _serve(self) -> None:
        while True:
            self._count.acquire()
            work = self._take()
            if work is None:
                return
            self._run(work)

    def _run(self, work: Callable[[], None] | None) -> None:
        try:
            if work is not None:
                work()
        except BaseException as error:
            self._errors.append(error)
