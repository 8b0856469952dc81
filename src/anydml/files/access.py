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
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from anydml.core.errors import DmlError, ModelError, Violation, shortened, shown
from anydml.core.fixes import Option
from anydml.core.memory import Bytes
from anydml.core.outside import answer, as_text
from anydml.core.rules import rule
from anydml.core.text import printable

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
_LONGEST_TARGET = 1024
_LONGEST_NAME = 200
_MOST_FOLDERS = 64
# Names that mean devices on Windows, with any extension: the same model must be refused everywhere.
_DEVICES = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\..*)?", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[\x00-\x1f<>:"|?*\x7f]')
_KINDS = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
# How the system refuses a path: a name can hold a zero or characters the encoding lacks, links can go in circles.
_FAILURES = (OSError, ValueError, RuntimeError)
Part = bytes | memoryview
# A pipe that took a file's place must not be waited for.
_AT_ONCE = getattr(os, "O_NONBLOCK", 0)
_OPENS_BELOW = {os.open, os.stat} <= os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)


def as_path(value: object, name: str) -> Path:
    """A path given as an argument; an error for anything else."""
    text = as_text(value)
    if text is not None or answer(lambda: isinstance(value, os.PathLike), False):
        with suppress(Exception):  # a path of bytes, or of somebody else, which may fail in any way
            return Path(value if text is None else text)  # type: ignore[arg-type]
    raise ModelError(ARGUMENT(name, shown(value), "a path: text or a Path"))


# Reading


@dataclass(frozen=True)
class SourceFile:
    """A file that another file names. Whoever reads it gets the file inside its folder, or an error."""

    path: Path
    """As it was named, for messages and for its ending."""
    folder: Path | None = None
    """The folder it lies in, by a path without links; None where it may lie anywhere."""
    parts: tuple[str, ...] = ()
    """The way from there, without links too."""

    def __fspath__(self) -> str:
        return str(self.path)

    @property
    def is_there(self) -> bool:
        """Whether it is an ordinary file."""
        if self.folder is None:
            return is_regular(self.path)
        try:
            return stat.S_ISREG(self.place.lstat().st_mode)
        except _FAILURES:
            return False

    @property
    def place(self) -> Path:
        """Where it lies."""
        return self.path if self.folder is None else self.folder.joinpath(*self.parts)


AnyPath = str | os.PathLike[str]
"""A path that a user gave, or a `SourceFile`."""


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


def link_target(path: str | Path) -> str | None:
    """Where a link leads by its own words; None for what is no link."""
    try:
        return os.readlink(path)  # noqa: PTH115 - a Path would take longer to make than to follow
    except _FAILURES:
        return None


@contextmanager
def open_regular(path: AnyPath) -> Iterator[io.FileIO]:
    """An ordinary file, open for reading; nothing else is opened at all."""
    source = path if isinstance(path, SourceFile) else SourceFile(as_path(path, "path"))
    with _translated(_unreadable):
        file = io.FileIO(source.place, "rb", opener=lambda _, flags: _open_source(source, flags | _AT_ONCE))
    with file:
        _require_regular(os.fstat(file.fileno()).st_mode)  # another file may have taken its place
        yield file


def _open_source(source: SourceFile, flags: int) -> int:
    if source.folder is None:
        _require_regular(source.path.stat().st_mode)
        return os.open(source.path, flags)
    return _open_below(source, flags) if _OPENS_BELOW else _open_and_compare(source, flags)


def _open_below(source: SourceFile, flags: int) -> int:
    """Go down from the folder, one name at a time and through no link, whatever is swapped for one meanwhile."""
    assert source.folder is not None
    *folders, name = source.parts
    folder = os.open(source.folder, _FOLDER)
    try:
        for each in folders:
            above, folder = folder, os.open(each, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(above)
        _require_regular(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
        return os.open(name, flags | os.O_NOFOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def _open_and_compare(source: SourceFile, flags: int) -> int:
    """Open by the whole path, then look whether it still leads to what was opened. Nothing is read before that.

    A link that comes and goes between these looks would not be seen; systems that open nothing below an open folder
    have no better way.
    """
    assert source.folder is not None
    place = source.place
    _require_regular(place.lstat().st_mode)
    descriptor = os.open(place, flags)
    try:
        steps = (place, *place.parents[: len(source.parts) - 1])
        is_same = os.path.samestat(place.lstat(), os.fstat(descriptor))
        if not is_same or any(link_target(step) is not None for step in steps):
            raise ModelError(SOURCE("", "a link", "a regular file", "another path"))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


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


def _named(path: Path) -> str:
    """A path in a message."""
    return shortened(printable(str(path)))


def _reason(error: BaseException) -> str:
    if isinstance(error, UnicodeError):
        return f"a name that the system's encoding ({sys.getfilesystemencoding()}) cannot write"
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()


def file_size(path: AnyPath) -> int:
    with open_regular(path) as file, _translated(_unreadable):
        return os.fstat(file.fileno()).st_size


def read_bytes(path: AnyPath, most: int) -> bytes:
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


def read_into(path: AnyPath, target: Bytes, start: int = 0) -> None:
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
        fix = Option("a shorter path, and output_path", "a shorter path, and --output_path")
        raise ModelError(TARGET("", found, f"at most {_LONGEST_TARGET}", fix))
    *folders, name = text.replace("\\", "/").split("/")
    parts = [*(folder for folder in folders if folder != "."), name]
    if len(parts) > _MOST_FOLDERS:
        raise ModelError(TARGET("", f"{len(parts) - 1} folders", f"fewer than {_MOST_FOLDERS}", "fewer folders"))
    if not all(is_plain_name(part) for part in parts):
        expected = "a relative path without '..', drive or special characters"
        words = "a name alone, and {} for the folder"
        fix = Option(words.format("output_path"), words.format("--output_path"))
        raise ModelError(TARGET("", shortened(repr(text)), expected, fix))
    if Path(name).suffix.lower() not in EXTENSIONS:
        expected = f"a name that ends in one of {' '.join(EXTENSIONS)}"
        raise ModelError(EXTENSION("", shortened(repr(text)), expected))
    return parts


def is_plain_name(part: str) -> bool:
    """Whether a name is no more than that, and can be written, on every system."""
    return bool(part) and len(part) <= _LONGEST_NAME and not _FORBIDDEN.search(part) and is_same_everywhere(part)


def is_same_everywhere(part: str) -> bool:
    """Whether a name means what it says on Windows too: no device, no stream, no dots and spaces that are dropped."""
    return part == part.rstrip(" .") and not {":", "\0"} & set(part) and not _DEVICES.fullmatch(part)


def find_target(text: str, folder: str | Path) -> Path:
    """Where to write: inside the folder, under exactly this name.

    A link would write under another name than the model says, with another ending, or over another file.
    """
    parts, root = check_target(text), resolved(as_path(folder, "folder"))
    target = root.joinpath(*parts)
    actual = resolved(target)
    if os.path.normcase(actual) != os.path.normcase(target):
        found = f"{shortened(repr(text))}, a link to {_named(actual)}"
        raise ModelError(TARGET("", found, f"a file inside {_named(root)}, not a link", "another name"))
    return target


def resolved(path: Path) -> Path:
    """Where a path to write leads in the end; an error if that cannot be told."""
    with _translated(lambda error: WRITE(_named(path), _reason(error), "a path that can be followed")):
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
        raise ModelError(WRITE(_named(target), _kind(mode), "a file", "another name"))
    if not target.parent.is_dir():
        found, fix = f"no folder {shown(str(target.parent))}", "making it first"
        raise ModelError(WRITE(_named(target), found, "one that exists", fix))
    with aside.open("xb") as file:
        file.writelines(parts)
    if mode is not None:
        aside.chmod(stat.S_IMODE(mode))


def _unwritable(path: Path, error: BaseException) -> Violation:
    found = f"{_reason(error)} for {_named(Path(path.parent.name, path.name))}"
    return WRITE(_named(path), found, "a file that can be written")
