"""Compiled kernels kept on disk, so that a process need not compile what an earlier one did.

Machine code is only taken from a folder that nobody but this user can write to, and only if it is what was
put there. When anything is in doubt the kernel is compiled anew: the cache saves time and nothing else.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

VARIABLE = "ANYDML_CACHE"
"""The folder to use instead of the user's own; empty to keep nothing on disk."""

_MAGIC = b"anydml kernel 1\n"
_DIGEST_BYTES = sha256().digest_size


def key(parts: Iterable[str]) -> str:
    """A name for what all parts together describe."""
    return sha256("\0".join(parts).encode()).hexdigest()


def load(name: str) -> bytes | None:
    """What was kept under a name, if it is there, whole and safe to run."""
    folder = _folder()
    if folder is None:
        return None
    try:
        content = (folder / name).read_bytes()
    except OSError:
        return None
    start = len(_MAGIC) + _DIGEST_BYTES
    data = content[start:]
    return data if content[:start] == _MAGIC + sha256(data).digest() else None


def save(name: str, data: bytes) -> None:
    """Keeps data under a name; others see all of it or nothing. A full disk is no error."""
    folder = _folder()
    if folder is None:
        return
    try:
        handle, path = tempfile.mkstemp(dir=folder, prefix="new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + sha256(data).digest() + data)
            Path(path).replace(folder / name)
        except OSError:
            Path(path).unlink(missing_ok=True)
    except OSError:
        return


def _folder() -> Path | None:
    wanted = os.environ.get(VARIABLE)
    if wanted == "":
        return None
    try:
        folder = Path(wanted) if wanted else _user_cache() / "anydml" / "kernels"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder if _is_private(folder) else None
    except (OSError, RuntimeError):  # no home, or nothing may be written there
        return None


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _is_private(folder: Path) -> bool:
    """Whether the folder itself, not a link to it, is this user's alone."""
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode):
        return False
    if sys.platform == "win32":  # the user's local folder is private by its access list
        return True
    return about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
