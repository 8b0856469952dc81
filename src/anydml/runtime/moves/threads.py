"""A few threads that wait for native work. Native calls hold no interpreter lock, so they run side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Lock, Thread

VARIABLE = "ANYDML_THREADS"

Job = Callable[[], None]

_lock = Lock()
_count: int | None = None
_queue: SimpleQueue[Job] = SimpleQueue()
_workers: list[Thread] = []


def set_threads(count: int) -> None:
    """How many threads a large move is shared among."""
    global _count
    if count < 1:
        raise ValueError(f"threads: found {count}, expected at least 1")
    _count = count


def get_threads() -> int:
    """What was set, else the environment variable ANYDML_THREADS, else the processors at hand."""
    if _count is not None:
        return _count
    wanted = os.environ.get(VARIABLE, "")
    usable = wanted.isdecimal() and len(wanted) <= 4 and int(wanted) > 0
    return int(wanted) if usable else _processors()


def _processors() -> int:
    # Containers often grant fewer processors than the machine has; not every system can tell.
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def share(jobs: Sequence[Job], threads: int) -> None:
    """Runs every job, on up to `threads` threads, this one among them; returns when all are done."""
    if threads == 1 or len(jobs) == 1:
        for job in jobs:
            job()
        return
    batch = _Batch(list(reversed(jobs)))
    helpers = min(threads, len(jobs)) - 1
    _ensure_workers(helpers)
    for _ in range(helpers):
        _queue.put(batch.help)
    batch.finish()


class _Batch:
    """Jobs that several threads take from. Whoever started them waits for those at work, and for nobody who has
    not woken up yet."""

    def __init__(self, waiting: list[Job]) -> None:
        self._waiting = waiting
        self._helpers: list[None] = []
        """One for each helper that may have taken a job: noted before it takes one."""
        self._results: list[BaseException | None] = []
        self._wake: SimpleQueue[None] = SimpleQueue()

    def _work(self) -> BaseException | None:
        try:
            while job := self._next():
                job()
        except BaseException as error:
            return error
        return None

    def _next(self) -> Job | None:
        try:
            return self._waiting.pop()
        except IndexError:
            return None

    def help(self) -> None:
        self._helpers.append(None)
        self._results.append(self._work())
        self._wake.put(None)

    def finish(self) -> None:
        """Takes jobs until none is left, waits for the helpers, and raises what went wrong."""
        failure = self._work()
        self._waiting.clear()
        # Nothing may be freed while a helper still writes: an interrupt must not end the waiting either.
        while len(self._results) < len(self._helpers):
            try:
                self._wake.get()
            except BaseException as error:
                failure = failure or error
        for problem in (failure, *self._results):
            if problem is not None:
                raise problem


def _ensure_workers(count: int) -> None:
    with _lock:
        while len(_workers) < count:
            worker = Thread(target=_serve, args=(_queue,), daemon=True, name="anydml-move")
            try:
                worker.start()
            except RuntimeError:  # the system grants no more; those who wait for work do it all
                return
            _workers.append(worker)


def _serve(queue: SimpleQueue[Job]) -> None:
    while True:
        queue.get()()


def _forget() -> None:
    """A forked child has none of its parent's threads, and perhaps a lock that one of them held."""
    global _lock, _queue
    _lock, _queue = Lock(), SimpleQueue()
    _workers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
