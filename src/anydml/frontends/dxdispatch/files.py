"""Files a model names: read from where they are, written only inside the output folder, and never by half."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from secrets import token_hex

from anydml.core.errors import ModelError, shortened
from anydml.core.memory import Bytes
from anydml.core.rules import rule

_SOURCE = '{"resources": {"a": {"initialValues": {"sourcePath": "no such file.npy"}}}}'
SOURCE = rule(
    "file.source",
    "A file to read exists and is a regular file.",
    f"dml.frontends.dxdispatch.parse_model({_SOURCE!r})",
)
_FILES = "dml.frontends.dxdispatch.files"
_PATH = "__import__('pathlib').Path"
READ = rule(
    "file.read", "A file stays readable while the model runs.", f"{_FILES}.read_start({_PATH}('no such file'), 1)"
)
_TARGET = _FILES + ".check_target({!r})"
TARGET = rule(
    "file.target",
    "A file to write has a plain relative path inside the output folder.",
    _TARGET.format("../out.npy"),
)
EXTENSION = rule("file.extension", "A file to write ends in .npy, .dat, .bin, .png or .jpg.", _TARGET.format("out.py"))
WRITE = rule(
    "file.write", "A file to write can be written.", f"{_FILES}.write_file({_PATH}(dml.__file__) / 'out.bin', b'')"
)

ARRAY_EXTENSION = ".npy"
RAW_EXTENSIONS = (".dat", ".bin")
IMAGE_EXTENSIONS = (".png", ".jpg", ".jpeg")
EXTENSIONS = (ARRAY_EXTENSION, *RAW_EXTENSIONS, *IMAGE_EXTENSIONS)
# Names that mean devices on Windows, with any extension: the same model must be refused everywhere.
_DEVICES = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(\..*)?", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[\x00-\x1f<>:"|?*\x7f]')


def find_source(text: str, folder: Path) -> Path:
    """The file a model reads: beside the model (or in --input_path), else in the current folder."""
    for base in (folder, Path()):
        for spelling in dict.fromkeys((text, text.replace("\\", "/"))):
            path = base / spelling
            if is_regular(path):
                return path
    expected = f"a file in {folder} or in the current folder"
    raise ModelError(SOURCE("sourcePath", shortened(repr(text)), expected, "another name, or --input_path"))


def is_regular(path: Path) -> bool:
    """Whether this is an ordinary file: a pipe or a device could keep us waiting for ever."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def file_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise ModelError(READ("sourcePath", _reason(error), "a file that can be read")) from None


def read_start(path: Path, most: int) -> bytes:
    """The first bytes of a file, at most this many."""
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise ModelError(READ("sourcePath", _reason(error), "a file that can be read")) from None


def read_into(path: Path, target: Bytes, start: int = 0) -> None:
    """Fill memory from a file without a copy between; a file may have shrunk since it was looked at."""
    done = 0
    try:
        with path.open("rb", buffering=0) as file:
            file.seek(start)
            while done < target.size and (count := file.readinto(target[done:].data)):
                done += count
    except OSError as error:
        raise ModelError(READ("sourcePath", _reason(error), "a file that can be read")) from None
    if done < target.size:
        raise ModelError(READ("sourcePath", f"{done} bytes", f"{target.size} bytes in {path.name}"))


def check_target(text: str) -> list[str]:
    """The parts of a path to write: relative, plain, of a kind we write. Both slashes separate, on every system."""
    *folders, name = text.replace("\\", "/").split("/")
    parts = [*(folder for folder in folders if folder != "."), name]
    if not all(_is_plain(part) for part in parts):
        expected = "a relative path without '..', drive or special characters"
        fix = "a name alone, and --output_path for the folder"
        raise ModelError(TARGET("targetPath", shortened(repr(text)), expected, fix))
    if Path(parts[-1]).suffix.lower() not in EXTENSIONS:
        expected = f"a name that ends in one of {' '.join(EXTENSIONS)}"
        raise ModelError(EXTENSION("targetPath", shortened(repr(text)), expected))
    return parts


def _is_plain(part: str) -> bool:
    """Whether a name is no more than that, on every system: Windows drops dots and spaces at the end."""
    if not part or part != part.rstrip(" .") or len(part) > 200:
        return False
    return not _FORBIDDEN.search(part) and not _DEVICES.fullmatch(part)


def find_target(text: str, folder: Path) -> Path:
    """Where to write: inside the folder even after links are followed."""
    parts = check_target(text)
    try:
        root = folder.resolve()
        target = root.joinpath(*parts).resolve()
    except (OSError, RuntimeError) as error:
        raise ModelError(WRITE("targetPath", _reason(error), "a path that can be followed")) from None
    if not target.is_relative_to(root) or target == root:
        found = f"{shortened(repr(text))}, which leads to {shortened(str(target))}"
        raise ModelError(TARGET("targetPath", found, f"a file inside {root}", "--output_path"))
    return target


def write_file(target: Path, *parts: bytes | memoryview) -> None:
    """All of the file or none of it: written aside, then renamed."""
    aside = target.with_name(f".{token_hex(6)}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with aside.open("xb") as file:
                file.writelines(parts)
            aside.replace(target)
        finally:
            aside.unlink(missing_ok=True)
    except OSError as error:
        expected = "a file that can be written"
        found = f"{_reason(error)} for {target.parent.name}/{target.name}"
        raise ModelError(WRITE("targetPath", found, expected)) from None


def _reason(error: BaseException) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()
