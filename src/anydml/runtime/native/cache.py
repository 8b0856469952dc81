"""Compiled code kept on disk, so that a process need not compile what an earlier one did.

Machine code is only taken from a folder and a file that nobody but this user can write to, and only if it is what
was put there under that name. The folder never depends on the current one, whose files are the user's too, whoever
made them. When anything is in doubt the code is compiled anew: the cache saves time and nothing else. It is bounded:
what was used least recently goes.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

VARIABLE = "ANYDML_CACHE"
"""The folder to use instead of the user's own, as an absolute path; empty to keep nothing on disk."""
MOST_FILES = 512
MOST_BYTES = 32 * 1024 * 1024
LARGEST_FILE = 4 * 1024 * 1024
PRUNED_AT = 16
"""The bounds are kept at a process's first save, and whenever it has added this fraction of them: looking at every
file takes milliseconds."""
OLDEST_UNFINISHED_SECONDS = 600.0
"""Files that a process began to write and did not finish are removed after this time."""

_MAGIC = b"anydml code 2\n"
_DIGEST_BYTES = sha256().digest_size
_UNFINISHED = "new-"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_READ_FILE = _READ | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""Without waiting: opening a pipe would wait for somebody to write to it."""
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _READ_FILE


def key(parts: Iterable[str]) -> str:
    """A name for what all parts together describe."""
    return sha256("\0".join(parts).encode()).hexdigest()


def load(name: str) -> bytes | None:
    """What was kept under a name, if it is there, whole and safe to run."""
    try:
        with _open_folder() as folder:
            content = folder.read(name)
    except (OSError, RuntimeError):  # no home, nothing there, or not private
        return None
    start = len(_MAGIC) + _DIGEST_BYTES
    data = content[start:]
    return data if content[:start] == _header(name, data) else None


def save(name: str, data: bytes) -> None:
    """Keeps data under a name; others see all of it or nothing. A full disk is no error."""
    content = _header(name, data) + data
    if len(content) > LARGEST_FILE:
        return
    with suppress(OSError, RuntimeError), _open_folder() as folder:
        folder.write(name, content)
        if _unseen.is_due(len(content)):
            folder.prune()


class _Unseen:
    """What this process has added since it last looked at the whole folder."""

    def __init__(self) -> None:
        self._files = self._bytes = sys.maxsize

    def is_due(self, size: int) -> bool:
        """Counts a file; whether it is time to look again."""
        self._files, self._bytes = self._files + 1, self._bytes + size
        if self._files * PRUNED_AT <= MOST_FILES and self._bytes * PRUNED_AT <= MOST_BYTES:
            return False
        self._files = self._bytes = 0
        return True


_unseen = _Unseen()


def _header(name: str, data: bytes) -> bytes:
    """The name is part of the digest: a file that was renamed is not what its name says."""
    return _MAGIC + sha256(name.encode() + b"\0" + data).digest()


@contextmanager
def _open_folder() -> Iterator[_Folder]:
    """The folder, held open where systems can: no other can take its place between a check and its use."""
    path = _place()
    _make(path)
    _check_way(path)
    if not _HAS_DESCRIPTORS:
        _check(path.lstat(), stat.S_IFDIR)
        yield _Folder(path, {})
        return
    descriptor = os.open(path, _READ | os.O_DIRECTORY)
    try:
        _check(os.fstat(descriptor), stat.S_IFDIR)
        yield _Folder(Path(), {"dir_fd": descriptor})
    finally:
        os.close(descriptor)


_HAS_DESCRIPTORS = {os.open, os.stat, os.unlink, os.rename} <= os.supports_dir_fd and os.listdir in os.supports_fd


def _place() -> Path:
    """Where the folder is. One that depends on the current folder is refused."""
    wanted = os.environ.get(VARIABLE)
    if wanted == "":
        raise FileNotFoundError(VARIABLE)
    path = Path(wanted).expanduser() if wanted else _user_cache() / "anydml" / "kernels"
    if not path.is_absolute():
        raise FileNotFoundError("relative")
    return path


def _user_cache() -> Path:
    """As systems have it; the standard of the variable says that relative paths in it are ignored."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    variable, usual = ("LOCALAPPDATA", "AppData/Local") if sys.platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    chosen = Path(os.environ.get(variable, ""))
    return chosen if chosen.is_absolute() else Path.home() / usual


def _make(path: Path) -> None:
    """The folder and all that lead to it, each for this user alone where it was not there."""
    if not path.is_dir():
        if path != path.parent:
            _make(path.parent)
        with suppress(FileExistsError):  # another process was faster
            path.mkdir(mode=0o700)


def _check_way(path: Path) -> None:
    """Refuses a folder below one in which anybody may put another in its place."""
    if sys.platform == "win32":
        return
    real = os.path.realpath(path)
    ways = [path] if real == str(path) else [path, Path(real)]
    for each in {str(parent) for way in ways for parent in way.parents}:
        mode = os.stat(each).st_mode  # noqa: PTH116 a third of the time
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise PermissionError("not private")


def _check(about: os.stat_result, kind: int) -> None:
    """Refuses all but a folder, or a file, that is this user's alone."""
    if stat.S_IFMT(about.st_mode) != kind:
        raise PermissionError("not of the right kind")
    if sys.platform == "win32":  # the user's local folder is private by its access list
        return
    if about.st_uid != os.geteuid() or about.st_mode & _OTHERS_WRITE:
        raise PermissionError("not private")


@dataclass(frozen=True)
class _File:
    name: str
    bytes: int
    used: float


@dataclass(frozen=True)
class _Folder:
    """Files by their names, either below a path or relative to an open folder."""

    path: Path
    at: dict[str, Any]

    def read(self, name: str) -> bytes:
        descriptor = os.open(self.path / name, _READ_FILE, **self.at)
        try:
            about = os.fstat(descriptor)
            _check(about, stat.S_IFREG)
            if about.st_size > LARGEST_FILE:
                raise OSError("too large")
            with suppress(OSError):  # what was used is kept longest
                os.utime(descriptor if os.utime in os.supports_fd else self.path / name)
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read(LARGEST_FILE)
        finally:
            os.close(descriptor)

    def write(self, name: str, content: bytes) -> None:
        unfinished = f"{_UNFINISHED}{os.getpid()}-{time.monotonic_ns():x}"
        descriptor = os.open(self.path / unfinished, _CREATE, 0o600, **self.at)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
            folders = {"src_dir_fd": self.at["dir_fd"], "dst_dir_fd": self.at["dir_fd"]} if self.at else {}
            os.replace(self.path / unfinished, self.path / name, **folders)  # noqa: PTH105 relative to the folder
        except BaseException:
            self._remove(unfinished)
            raise

    def _remove(self, name: str) -> None:
        """Another process may have removed it already, or on Windows still read it."""
        with suppress(OSError):
            os.unlink(self.path / name, **self.at)

    def _files(self) -> Iterator[_File]:
        for name in os.listdir(self.at.get("dir_fd", self.path)):  # noqa: PTH208 relative to the folder
            with suppress(OSError):
                about = os.stat(self.path / name, follow_symlinks=False, **self.at)  # noqa: PTH116
                if stat.S_ISREG(about.st_mode):
                    yield _File(name, about.st_size, about.st_mtime)

    def prune(self) -> None:
        """Removes what was used least recently until the rest is within bounds."""
        files = sorted(self._files(), key=lambda file: file.used, reverse=True)
        count = size = 0
        for file in files:
            if file.name.startswith(_UNFINISHED):
                if time.time() - file.used > OLDEST_UNFINISHED_SECONDS:
                    self._remove(file.name)
                continue
            count, size = count + 1, size + file.bytes
            if count > MOST_FILES or size > MOST_BYTES:
                self._remove(file.name)
