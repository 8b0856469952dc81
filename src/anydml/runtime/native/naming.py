"""Names of kernels on disk: by their keys, so that a kernel which is there need not be written again.

Equal keys mean equal modules, as long as the same code writes them: the name holds a stamp of the package's sources.
Keys are named by their pickles, from which they could be made again: different keys have different names. Kernels that
other code writes, and those of packages without source files, are named by their text.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

_PACKAGE = __name__.partition(".")[0]
_FOLDERS = ("core", "runtime")
"""Those with code that kernels depend on."""
_LEFT_OUT = ("__pycache__", "cuda")


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
    """A stamp that changes with the sources of the package; empty where there are none."""
    folder = str(Path(__file__).parents[2])
    try:
        found = sorted(stamp for name in _FOLDERS for stamp in _stamps(f"{folder}/{name}"))
    except OSError:
        return b""
    return sha256(repr(found).encode()).digest() if found else b""


def _stamps(folder: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                about = entry.stat()
                yield entry.path, about.st_size, about.st_mtime_ns
            elif "." not in entry.name and entry.name not in _LEFT_OUT:
                yield from _stamps(entry.path)
