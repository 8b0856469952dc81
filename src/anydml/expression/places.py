"""Where in the user's program an expression was made, for errors that point there."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from anydml.core.errors import DmlError

_PLACED = re.compile(r".*:\d+: ")
"""A subject that names a line already."""
_SOURCE = Path(__file__).resolve().parents[2]
_OWN_FOLDERS = tuple(f"{_SOURCE / name}{separator}" for name in ("anydml", "pydirectml") for separator in "/\\")


@dataclass(frozen=True)
class Place:
    """A line of the user's program."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def user_place() -> Place:
    """The innermost line that is not part of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_OWN_FOLDERS):
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno)


class blamed_on:
    """Errors inside name the expression, and the user's line where it was made."""

    def __init__(self, subject: str) -> None:
        self.subject = subject

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, DmlError) and not _PLACED.match(error.subject):
            raise type(error)(error.violations, f"{user_place()}: {self.subject}") from None
