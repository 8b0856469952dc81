"""Work that no interrupt and no fork may stop half-way: all calls of LLVM.

llvmlite guards LLVM by a lock that Python code takes and releases. An exception between those two steps (Ctrl-C,
or one raised into a thread from outside) would leave the lock taken, and every other thread would wait for ever.
Such exceptions arrive in the threads of the user, so the work is done in a thread of its own.

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
from threading import Lock, RLock, get_ident
from typing import Any, Generic, TypeVar

T = TypeVar("T")

PATIENCE_SECONDS = 30.0
"""How long a fork, or the end of the process, waits at most; compiling a kernel takes milliseconds."""
START_SECONDS = 0.2
"""A thread that has not begun after this time may never begin."""

_lock = RLock()
_worker: int | None = None
"""The thread that works now."""
_is_exiting = False


def run_uninterrupted(work: Callable[[], T]) -> T:
    """What `work` returns or raises. It runs to its end even if its caller is interrupted; one runs at a time."""
    if _worker == get_ident():
        return work()
    job = _Job(work)
    try:
        if _is_exiting:
            job.run()
        else:
            start_new_thread(job.run, ())
    except RuntimeError:  # the system has no more threads
        job.run()
    return job.wait()


class _Job(Generic[T]):
    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._results: list[T] = []
        self._error: BaseException | None = None
        self._unclaimed, self._running = Lock(), Lock()
        self._running.acquire()

    def run(self) -> None:
        global _worker
        if not self._unclaimed.acquire(blocking=False):
            return
        with _lock:
            _worker = get_ident()
            try:
                self._results.append(self._work())
            except BaseException as error:
                self._error = error
            finally:
                _worker = None
                # Still under the lock: a fork sees the work either not begun or known to be done.
                self._running.release()

    def wait(self) -> T:
        # Up to Python 3.11, an exception that is raised into this thread while it starts another one may end that
        # one before it begins.
        while not self._running.acquire(timeout=START_SECONDS):
            self.run()
        if self._error is not None:
            raise self._error
        return self._results[0]


def _before_fork() -> None:
    _lock.acquire(timeout=PATIENCE_SECONDS)


def _after_fork_in_parent() -> None:
    with suppress(RuntimeError):  # the wait was too long, and the lock is another thread's
        _lock.release()


def _after_fork_in_child() -> None:
    global _lock, _worker
    _lock, _worker = RLock(), None
    _free_lock_of_llvmlite()


def _free_lock_of_llvmlite() -> None:
    """Other users of llvmlite may have called LLVM from a thread that the child does not have."""
    found: Any = sys.modules.get("llvmlite.binding.ffi")
    for name in ("lib", "_lock", "_lock"):
        found = getattr(found, name, None)
    if hasattr(found, "acquire") and hasattr(found, "_at_fork_reinit"):
        if found.acquire(blocking=False):
            found.release()
        else:
            found._at_fork_reinit()


def _at_exit() -> None:
    """LLVM must not be torn down while it is used: what runs is waited for, and nothing begins but in this thread."""
    global _is_exiting
    _is_exiting = True
    _lock.acquire(timeout=PATIENCE_SECONDS)
    # llvmlite stops freeing objects when Python exits, but does not hear of it if it was imported meanwhile.
    tell = getattr(sys.modules.get("llvmlite.binding.common"), "_at_shutdown", None)
    if callable(tell):
        tell()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_in_parent, after_in_child=_after_fork_in_child)
