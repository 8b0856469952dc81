"""Work that no interrupt and no fork may stop half-way: loading modules, and all calls of LLVM.

Exceptions from outside (Ctrl-C, or one raised into a thread by another) may arrive between any two steps of Python
code, and leave locks taken or modules half loaded. They arrive in the threads of the user, so such work is done in a
thread of its own.

A forked child has none of its parent's threads: what one of them had begun would stay half done, and its locks
taken. A fork therefore waits until the work is done.
"""

from __future__ import annotations

import atexit
import os
import sys
from _thread import start_new_thread
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, RLock, local
from time import monotonic, sleep
from types import FrameType
from typing import Generic, TypeVar

T = TypeVar("T")

PATIENCE_SECONDS = 30.0
"""How long a fork, or the end of the process, waits at most; compiling a kernel takes milliseconds."""
START_SECONDS = 0.2
"""A thread that has not begun after this time may never begin."""

_IMPORT_MACHINERY = "<frozen importlib"
_POLL_SECONDS = 0.001

is_exiting = False
at_exit: list[Callable[[], None]] = []
"""What is called when the process ends and no work is under way any more."""


class _Inside(local):
    """Whether a thread does a worker's work just now."""

    is_working = False


class Worker:
    """Does work in threads of its own, one piece at a time."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.inside = _Inside()

    def reset(self) -> None:
        """Forget what runs: its thread is not there any more, or waits for what never comes."""
        self.lock = RLock()

    def run(self, work: Callable[[], T], patience: float | None = None) -> T:
        """What `work` returns or raises. It runs to its end even if its caller is interrupted; one runs at a time.

        Work that may be done twice has a patience, in seconds: after it the caller does the work, too.
        """
        if self.inside.is_working:
            return work()
        job = _Job(self, work)
        try:
            if is_exiting:
                job.run()
            else:
                start_new_thread(job.run, ())
        except RuntimeError:  # the system has no more threads
            job.run()
        return job.wait(patience)


LIBRARIES, LOADER, COMPILER = Worker(), Worker(), Worker()
"""What loads NumPy, what loads modules, and what calls LLVM. None waits for one that comes after it."""
_WORKERS = (COMPILER, LOADER, LIBRARIES)
"""In the order in which their locks are taken together."""


class _Job(Generic[T]):
    def __init__(self, worker: Worker, work: Callable[[], T]) -> None:
        self._worker, self._work = worker, work
        self._results: list[T] = []
        self._error: BaseException | None = None
        self._unclaimed, self._running = Lock(), Lock()
        self._running.acquire()

    def run(self) -> None:
        if not self._unclaimed.acquire(blocking=False):
            return
        worker = self._worker
        with worker.lock:
            worker.inside.is_working = True
            try:
                self._results.append(self._work())
            except BaseException as error:
                self._error = error
            finally:
                worker.inside.is_working = False
                # Still under the lock: a fork sees the work either not begun or known to be done.
                self._running.release()

    def wait(self, patience: float | None) -> T:
        left = patience
        # Up to Python 3.11, an exception that is raised into this thread while it starts another one may end that
        # one before it begins.
        while not self._running.acquire(timeout=START_SECONDS):
            self.run()
            left = None if left is None else left - START_SECONDS
            if left is not None and left <= 0:
                return self._do_again()
        if self._error is not None:
            raise self._error
        return self._results[0]

    def _do_again(self) -> T:
        """The caller may be who keeps the work from its end: only that thread can do it, and others need not wait."""
        result = self._work()
        if not self._results and self._error is None:
            self._worker.reset()
        return result


def _before_fork() -> None:
    _wait_for_imports()
    for worker in _WORKERS:
        worker.lock.acquire(timeout=PATIENCE_SECONDS)


def _wait_for_imports() -> None:
    """Returns when no other thread loads modules of ours by an import statement: a child could not end that."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename.startswith(_IMPORT_MACHINERY):  # it would wait for itself
            return
        frame = frame.f_back
    end = monotonic() + PATIENCE_SECONDS
    while any(map(_is_loading, list(sys.modules))) and monotonic() < end:
        sleep(_POLL_SECONDS)


def _is_loading(name: str) -> bool:
    # Python's own import statement looks at the same attribute.
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return name.startswith("anydml") and getattr(spec, "_initializing", False)


def _after_fork_in_parent() -> None:
    for worker in reversed(_WORKERS):
        with suppress(RuntimeError):  # the wait was too long, and the lock is another thread's
            worker.lock.release()


def _after_fork_in_child() -> None:
    for worker in _WORKERS:
        worker.reset()


def _at_exit() -> None:
    """What runs is waited for, and nothing begins but in this thread."""
    global is_exiting
    is_exiting = True
    for worker in _WORKERS:
        worker.lock.acquire(timeout=PATIENCE_SECONDS)
    for action in at_exit:
        action()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
