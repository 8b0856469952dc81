"""A few threads that wait for native work. Native calls hold no interpreter lock, so they run side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
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
    waiting = list(reversed(jobs))
    finished: SimpleQueue[BaseException | None] = SimpleQueue()
    helpers = min(threads, len(jobs)) - 1
    _ensure_workers(helpers)
    for _ in range(helpers):
        _queue.put(partial(_help, waiting, finished))
    taken = 0
    try:
        while own := _next(waiting):
            taken += 1
            own()
    finally:
        # Nothing may be freed while a helper still writes. A helper that has not even woken up holds nobody up.
        while _next(waiting):
            taken += 1
        failures = [finished.get() for _ in range(len(jobs) - taken)]
    for failure in failures:
        if failure is not None:
            raise failure


def _next(waiting: list[Job]) -> Job | None:
    try:
        return waiting.pop()
    except IndexError:
        return None


def _help(waiting: list[Job], finished: SimpleQueue[BaseException | None]) -> None:
    while job := _next(waiting):
        failure: BaseException | None = None
        try:
            job()
        except BaseException as error:
            failure = error
        finished.put(failure)


def _ensure_workers(count: int) -> None:
    with _lock:
        while len(_workers) < count:
            worker = Thread(target=_serve, args=(_queue,), daemon=True, name="anydml-move")
            worker.start()
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
