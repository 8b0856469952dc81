"""Which files are opened, by what they are and not by what they are called: through links, folders or descriptors."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

Identity = tuple[int, int]
_watched: set[Identity] = set()
_seen: list[str] = []
_is_hooked = False
_is_below = False
"""Whether a name is being opened beside a folder's descriptor: then it means nothing in the current folder."""


@contextmanager
def watched(paths: Iterable[Path]) -> Iterator[list[str]]:
    """The names under which any of these files was opened, or asked to be, until the end."""
    global _is_hooked
    if not _is_hooked:  # a hook stays for as long as the process lives
        sys.addaudithook(_hook)
        _is_hooked = True
    _seen.clear()
    _watched.update(identity for path in paths for identity in _identities(path))
    try:
        with patch("os.open", _opening(os.open)):
            yield _seen
    finally:
        _watched.clear()


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _watched and event == "open" and not _is_below:
        _note(arguments[0])


def _opening(real: Any) -> Any:
    """Opens, and looks at what came of it."""

    def opens(*arguments: Any, **options: Any) -> int:
        global _is_below
        _is_below = options.get("dir_fd") is not None
        try:
            descriptor = int(real(*arguments, **options))
        finally:
            _is_below = False
        _note(descriptor, arguments[0])
        return descriptor

    return opens


def _note(thing: Any, name: object = None) -> None:
    if any(identity in _watched for identity in _identities(thing)):
        _seen.append(str(thing if name is None else name))


def _identities(thing: Any) -> list[Identity]:
    with suppress(OSError, ValueError, TypeError):
        found = os.stat(thing)  # noqa: PTH116 - a path or a descriptor
        return [(found.st_dev, found.st_ino)]
    return []
