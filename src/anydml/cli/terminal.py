"""What the terminal can show: its width, colours, and characters beyond ASCII."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TextIO

_BEYOND_ASCII = "─│┌┼┘░·×…→"
RED, BOLD, DIM = "31;1", "1", "2"


@dataclass(frozen=True)
class Terminal:
    """How to write to one stream."""

    width: int
    color: bool
    unicode: bool
    is_interactive: bool
    encoding: str = "utf-8"

    @classmethod
    def of(cls, stream: TextIO) -> Terminal:
        """What this stream can show; plain when it is a file or a pipe."""
        interactive = _is_interactive(stream)
        width = max(40, shutil.get_terminal_size((80, 24)).columns)
        return cls(width, interactive and _wants_color(), _can_encode(stream), interactive, stream.encoding or "utf-8")

    def paint(self, text: str, style: str) -> str:
        """The text in a style, when there are colours."""
        return f"\033[{style}m{text}\033[0m" if self.color else text


@contextmanager
def standard_streams() -> Iterator[None]:
    """Streams to nowhere in place of closed ones, which Python has as None: what nobody reads is no failure."""
    with ExitStack() as stack:
        for name, redirect in (("stdout", redirect_stdout), ("stderr", redirect_stderr)):
            if getattr(sys, name) is None:
                nowhere = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
                stack.enter_context(redirect(nowhere))
        yield


def _is_interactive(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except ValueError:  # a closed stream
        return False


def _wants_color() -> bool:
    """Colours unless the user says otherwise (https://no-color.org) or the terminal cannot."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return os.name != "nt" or _enable_windows_colors()


@lru_cache(maxsize=1)
def _enable_windows_colors() -> bool:
    # An empty command makes the Windows console interpret escape codes from then on.
    return os.system("") == 0


def _can_encode(stream: TextIO) -> bool:
    try:
        _BEYOND_ASCII.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
