"""How much memory a model may ask for, and what is said when there is too little."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from anydml.core.errors import DmlError

Result = TypeVar("Result")
_UNKNOWN_MACHINE = 4 << 30
_CGROUP_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def memory_budget() -> int:
    """Half of this machine's memory: running a model also needs room for what is computed."""
    return physical_memory() // 2


def physical_memory() -> int:
    """Bytes of memory this process could have; a modest guess where the system does not tell."""
    found = _windows() if sys.platform == "win32" else _posix()
    return min([size for size in (found, *_container_limits()) if size], default=_UNKNOWN_MACHINE)


def _posix() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _windows() -> int | None:
    import ctypes

    class MemoryStatus(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong)] + [
            (name, ctypes.c_ulonglong)
            for name in ("total", "free", "page_total", "page_free", "virtual_total", "virtual_free", "extended")
        ]

    status = MemoryStatus()
    status.length = ctypes.sizeof(status)
    library = getattr(ctypes, "windll", None)
    if library is None or not library.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.total)


def _container_limits() -> list[int]:
    """What a container allows on Linux, which may be far below what the machine has."""
    limits = []
    for name in _CGROUP_LIMITS:
        try:
            text = Path(name).read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            continue
        if text.isdecimal():
            limits.append(int(text))
    return limits


def guarded(action: Callable[[], Result], failure: Callable[[], DmlError]) -> Result:
    """What an action returns, or this failure where memory runs out."""
    try:
        return action()
    except MemoryError as error:
        if isinstance(error, DmlError):
            raise
    # The error held on to all that the action had allocated. Only now is there room again, to say what happened.
    gc.collect()
    raise failure()
