"""Files the command line writes: whole or not at all."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


def write_files(contents: Mapping[Path, str | bytes]) -> None:
    """Write every file aside, then rename them into place: an error leaves no half-written file behind."""
    staged: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            try:
                _stage(path.resolve(), content.encode() if isinstance(content, str) else content, staged)
            except OSError as error:  # told by the name the user gave
                raise OSError(error.errno, error.strerror or str(error), str(path)) from error
        for aside, target in staged.items():
            aside.replace(target)
    finally:
        for aside in staged:
            with suppress(OSError):
                aside.unlink()


def _stage(target: Path, data: bytes, staged: dict[Path, Path]) -> None:
    if target.is_dir():
        raise OSError(None, "found a folder, expected a file; try a name in that folder")
    if target.exists() and not target.is_file():
        raise OSError(None, "found a device or a pipe, expected a file; try another name")
    if not target.parent.is_dir():
        raise OSError(None, f"found no folder {target.parent.name!r}, expected one that exists; try making it first")
    aside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    staged[aside] = target
    with aside.open("xb") as file:
        file.write(data)
    if target.exists():
        aside.chmod(target.stat().st_mode)
