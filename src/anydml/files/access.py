"""Regular files: opened without waiting, read no further than they reach, written whole or not at all."""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from anydml.core.errors import DmlError, ModelError, Violation, shortened, shown
from anydml.core.memory import Bytes
from anydml.core.outside import answer, as_text
from anydml.core.rules import rule

ARGUMENT = rule("argument.kind", "An argument has the type its function asks for.")
SOURCE = rule("file.source", "A file to read exists and is a regular file.")
READ = rule("file.read", "A file can be read.")
TARGET = rule(
    "file.target", "A file to write has a plain relative path inside the output folder, and no link is on its way."
)
EXTENSION = rule("file.extension", "A file to write ends in .npy, .dat, .bin, .png or .jpg.")
WRITE = rule("file.write", "A file to write can be written.")

ARRAY_EXTENSION = ".npy"
RAW_EXTENSIONS = (".dat", ".bin")
IMAGE_EXTENSIONS = (".png", ".jpg", ".jpeg")
EXTENSIONS = (ARRAY_EXTENSION, *RAW_EXTENSIONS, *IMAGE_EXTENSIONS)
_LONGEST_SOURCE = 4096
_LONGEST_TARGET = 1024
_LONGEST_NAME = 200
_MOST_FOLDERS = 64
# Names that mean devices on Windows, with any extension: the same model must be refused everywhere.
_DEVICES = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\..*)?", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[\x00-\x1f<>:"|?*\x7f]')
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
# How the system refuses a path: a name can hold a zero or characters the encoding lacks, links can go in circles.
_FAILURES = (OSError, ValueError, RuntimeError)
Part = bytes | memoryview


def as_path(value: object, name: str) -> Path:
    """A path given as an argument; an error for anything else."""
    text = as_text(value)
    if text is not None or answer(lambda: isinstance(value, os.PathLike), False):
        with suppress(Exception):  # a path of bytes, or of somebody else, which may fail in any way
            return Path(value if text is None else text)  # type: ignore[arg-type]
    raise ModelError(ARGUMENT(name, shown(value), "a path: text or a Path"))


# Reading


def find_source(text: str, folder: str | Path) -> Path:
    """The file a model reads: beside the model (or in --input_path), else in the current folder."""
    beside = as_path(folder, "folder")
    if not isinstance(text, str):
        raise ModelError(ARGUMENT("text", shown(text), "the name of a file"))
    if len(text) > _LONGEST_SOURCE:
        found = f"a path of {len(text)} characters"
        raise ModelError(SOURCE("", found, f"at most {_LONGEST_SOURCE}", "a shorter path, or --input_path"))
    for base in (beside, Path()):
        for spelling in dict.fromkeys((text, text.replace("\\", "/"))):
            path = base / spelling
            if is_regular(path):
                return path
    expected = f"a file in {shortened(str(beside))} or in the current folder"
    raise ModelError(SOURCE("", shortened(repr(text)), expected, "another name, or --input_path"))


def is_regular(path: Path) -> bool:
    """Whether this is an ordinary file; a pipe or a device could block its reader forever."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except _FAILURES:
        return False


def what_is(path: Path) -> str:
    """What a path leads to, for a message."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "no such file"
    except _FAILURES as error:
        return _reason(error)
    return _kind(mode)


def _kind(mode: int) -> str:
    return next((name for is_kind, name in _KINDS if is_kind(mode)), "a file")


@contextmanager
def open_regular(path: str | Path) -> Iterator[io.FileIO]:
    """An ordinary file, open for reading; nothing else is opened at all."""
    found = as_path(path, "path")
    with _translated(_unreadable):
        _require_regular(found.stat().st_mode)
    try:
        file = io.FileIO(found, "rb", opener=_open_at_once)
    except _FAILURES as error:
        raise ModelError(_unreadable(error)) from None
    with file:
        _require_regular(os.fstat(file.fileno()).st_mode)  # another file may have taken its place
        yield file


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _require_regular(mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise ModelError(SOURCE("", _kind(mode), "a regular file", "another path"))


@contextmanager
def _translated(describe: Callable[[BaseException], Violation]) -> Iterator[None]:
    """Turn errors of the operating system into a violation."""
    try:
        yield
    except DmlError:
        raise
    except _FAILURES as error:
        raise ModelError(describe(error)) from None


def _unreadable(error: BaseException) -> Violation:
    return READ("", _reason(error), "a file that can be read")


def _reason(error: BaseException) -> str:
    if isinstance(error, UnicodeError):
        return f"a name that the system's encoding ({sys.getfilesystemencoding()}) cannot write"
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()


def file_size(path: str | Path) -> int:
    found = as_path(path, "path")
    with _translated(_unreadable):
        return found.stat().st_size


def read_bytes(path: str | Path, most: int) -> bytes:
    """The first bytes of a file, at most this many.

    Reading stops at the file's size: some files of the system have size 0 and block their readers.
    """
    with open_regular(path) as file, _translated(_unreadable):
        left = min(os.fstat(file.fileno()).st_size, most)
        parts = []
        while left > 0 and (part := file.read(left)):
            parts.append(part)
            left -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)


def read_into(path: str | Path, target: Bytes, start: int = 0) -> None:
    """Fill memory from a file without a copy between; a file may have shrunk since it was looked at."""
    done = 0
    with open_regular(path) as file, _translated(_unreadable):
        file.seek(start)
        while done < target.size and (count := file.readinto(target[done:].data)):
            done += count
    if done < target.size:
        raise ModelError(READ("", f"{done} bytes", f"{target.size} bytes in {Path(path).name}"))


# Writing


def check_target(text: str) -> list[str]:
    """The parts of a path to write: relative, plain, of a known format. Both slashes separate, on every system."""
    if not isinstance(text, str):
        raise ModelError(ARGUMENT("text", shown(text), "the name of a file"))
    if len(text) > _LONGEST_TARGET:
        found = f"a path of {len(text)} characters"
        raise ModelError(TARGET("", found, f"at most {_LONGEST_TARGET}", "a shorter path, and --output_path"))
    *folders, name = text.replace("\\", "/").split("/")
    parts = [*(folder for folder in folders if folder != "."), name]
    if len(parts) > _MOST_FOLDERS:
        raise ModelError(TARGET("", f"{len(parts) - 1} folders", f"fewer than {_MOST_FOLDERS}", "fewer folders"))
    if not all(is_plain_name(part) for part in parts):
        expected = "a relative path without '..', drive or special characters"
        fix = "a name alone, and --output_path for the folder"
        raise ModelError(TARGET("", shortened(repr(text)), expected, fix))
    if Path(name).suffix.lower() not in EXTENSIONS:
        expected = f"a name that ends in one of {' '.join(EXTENSIONS)}"
        raise ModelError(EXTENSION("", shortened(repr(text)), expected))
    return parts


def is_plain_name(part: str) -> bool:
    """Whether a name is no more than that, on every system: Windows drops dots and spaces at the end."""
    if not part or part != part.rstrip(" .") or len(part) > _LONGEST_NAME:
        return False
    return not _FORBIDDEN.search(part) and not _DEVICES.fullmatch(part)


def find_target(text: str, folder: str | Path) -> Path:
    """Where to write: inside the folder, under exactly this name.

    A link would write under another name than the model says, with another ending, or over another file.
    """
    parts, root = check_target(text), resolved(as_path(folder, "folder"))
    target = root.joinpath(*parts)
    actual = resolved(target)
    if os.path.normcase(actual) != os.path.normcase(target):
        found = f"{shortened(repr(text))}, a link to {shortened(str(actual))}"
        raise ModelError(TARGET("", found, f"a file inside {shortened(str(root))}, not a link", "another name"))
    return target


def resolved(path: Path) -> Path:
    """Where a path to write leads in the end; an error if that cannot be told."""
    with _translated(lambda error: WRITE(shortened(str(path)), _reason(error), "a path that can be followed")):
        actual = path.resolve()
        # Where links go round in circles, some versions of Python raise an error and others stop at one of them.
        if any(each.is_symlink() for each in (actual, *actual.parents)):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        return actual


def write_file(target: Path, *parts: Part) -> None:
    """All of the file or none of it; folders on its way are made."""
    with _translated(lambda error: _unwritable(target, error)):
        _make_folders(target.parent)
    write_files({target: parts})


def _make_folders(folder: Path) -> None:
    missing = []
    while not folder.is_dir() and folder != folder.parent:
        missing.append(folder)
        folder = folder.parent
    for each in reversed(missing):
        each.mkdir(exist_ok=True)


def write_files(contents: Mapping[Path, Iterable[Part]]) -> None:
    """Write every file aside, then rename them into place: an error leaves no half-written file behind."""
    staged: list[tuple[Path, Path]] = []
    try:
        for path, parts in contents.items():
            with _translated(lambda error, path=path: _unwritable(path, error)):  # type: ignore[misc]
                target = resolved(path)
                staged.append((target.with_name(f".{token_hex(6)}.part"), target))
                _stage(*staged[-1], parts)
        for aside, target in staged:
            with _translated(lambda error, target=target: _unwritable(target, error)):  # type: ignore[misc]
                aside.replace(target)
    finally:
        for aside, _ in staged:
            with suppress(OSError):
                aside.unlink()


def _stage(aside: Path, target: Path, parts: Iterable[Part]) -> None:
    mode = target.stat().st_mode if target.exists() else None
    if mode is not None and not stat.S_ISREG(mode):
        raise ModelError(WRITE(shortened(str(target)), _kind(mode), "a file", "another name"))
    if not target.parent.is_dir():
        found, fix = f"no folder {shortened(str(target.parent))!r}", "making it first"
        raise ModelError(WRITE(shortened(str(target)), found, "one that exists", fix))
    with aside.open("xb") as file:
        file.writelines(parts)
    if mode is not None:
        aside.chmod(stat.S_IMODE(mode))


def _unwritable(path: Path, error: BaseException) -> Violation:
    found = f"{_reason(error)} for {shortened(f'{path.parent.name}/{path.name}')}"
    return WRITE(shortened(str(path)), found, "a file that can be written")
