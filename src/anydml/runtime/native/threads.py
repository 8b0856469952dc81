"""How many threads large work is shared among."""

from __future__ import annotations

import os

VARIABLE = "ANYDML_THREADS"
_count: int | None = None


def set_threads(count: int) -> None:
    """How many threads large work is shared among."""
    global _count
    if count < 1:
        raise ValueError(f"threads: found {count}, expected at least 1")
    _count = count


def get_threads() -> int:
    """What was set, else the environment variable ANYDML_THREADS, else the number of available processors."""
    if _count is not None:
        return _count
    wanted = os.environ.get(VARIABLE, "")
    usable = wanted.isdecimal() and len(wanted) <= 4 and int(wanted) > 0
    return int(wanted) if usable else processors()


def processors() -> int:
    # Containers often grant fewer processors than the machine has; not every system can tell.
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
