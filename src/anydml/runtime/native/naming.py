"""Names of kernels on disk: by their keys, so that a kernel which is there need not be written again.

Equal keys mean equal modules, as long as the same code writes them: the name holds a stamp of the package's sources.
Keys are named by their pickles, from which they could be made again: different keys have different names. Kernels that
other code writes, and those of packages without source files, are named by their text. So are all kernels of a process
whose sources were replaced while it ran: what it has loaded is not what the stamp would say.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import time_ns

_PACKAGE = __name__.partition(".")[0]
_FOLDERS = ("core", "runtime")
"""Those with code that kernels depend on."""
_LEFT_OUT = ("__pycache__", "cuda")
_LOADED_AT = time_ns()


def name_of_key(key: Hashable, write: Callable[[], str]) -> str | None:
    """A name for the module that `write` writes; None where only its text can tell."""
    writer = getattr(write, "func", write)
    if not str(getattr(writer, "__module__", "")).startswith(f"{_PACKAGE}.") or not sources():
        return None
    try:
        pickled = pickle.dumps((writer.__module__, key), protocol=4)
    except (pickle.PicklingError, TypeError, AttributeError):
        return None
    return sha256(sources() + pickled).hexdigest()


@cache
def sources() -> bytes:
    """A stamp that changes with the sources of the package; empty where they cannot tell what is loaded."""
    folder = str(Path(__file__).parents[2])
    return stamp_of([f"{folder}/{name}" for name in _FOLDERS], _LOADED_AT)


def stamp_of(folders: Iterable[str], loaded_at: int) -> bytes:
    """A stamp of the sources in folders; empty where there are none, or newer ones than those that were loaded."""
    try:
        found = sorted(stamp for folder in folders for stamp in _stamps(folder))
    except OSError:
        return b""
    if not found or max(newest for *_, newest in found) > loaded_at:
        return b""
    return sha256(repr([stamp for *stamp, _ in found]).encode()).digest()


def _stamps(folder: str) -> Iterator[tuple[str, int, int, int]]:
    """Of each source its path, size and time, and when it came to be there: copies may keep an old time."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                about = entry.stat()
                yield entry.path, about.st_size, about.st_mtime_ns, max(about.st_mtime_ns, about.st_ctime_ns)
            elif "." not in entry.name and entry.name not in _LEFT_OUT:
                yield from _stamps(entry.path)
