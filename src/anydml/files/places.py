"""Where something is wrong: a violation with its file, line and column, and paths into a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from anydml.core.errors import DmlError, Violation
from anydml.core.fixes import Spelling
from anydml.core.text import printable

_SIMPLE = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_STEP = re.compile(r'\.?(?:([A-Za-z_$][A-Za-z0-9_$-]*)|\[([0-9]+)\]|\["((?:[^"\\]|\\.)*)"\])')
_SHOWN_KEY = 64


@dataclass(frozen=True)
class LocatedViolation(Violation):
    """A violation in a file; line and column count from 1, 0 where the file as a whole is meant."""

    file: str = ""
    line: int = 0
    column: int = 0

    @classmethod
    def at(cls, violation: Violation, file: str, line: int, column: int) -> LocatedViolation:
        known = (violation.rule, violation.path, violation.found, violation.expected, violation.fix)
        return cls(*known, violation.feature_level, file, line, column)

    def __str__(self) -> str:
        place = f"{printable(self.file)}:{self.line}:{self.column}" if self.line else printable(self.file)
        plain = self.text(Spelling.MODEL)
        return f"{place}: {plain.removeprefix('value: ') if not self.path else plain}"

    def to_json(self, spelling: Spelling = Spelling.MODEL) -> dict[str, Any]:
        return {"file": self.file, "line": self.line, "column": self.column, **super().to_json(spelling)}


def join_path(keys: Iterable[str | int]) -> str:
    """`["resources", "a b", 3]` -> `resources["a b"][3]`."""
    path = ""
    for key in keys:
        if isinstance(key, int):
            path += f"[{key}]"
        elif _SIMPLE.fullmatch(key) and len(key) <= _SHOWN_KEY:
            path += f".{key}" if path else key
        else:
            shown = key if len(key) <= _SHOWN_KEY else key[:_SHOWN_KEY] + "..."
            quoted = printable("".join(c if c not in '"\\' else f"\\x{ord(c):x}" for c in shown))
            path += f'["{quoted}"]'
    return path


def split_path(path: str) -> list[str | int]:
    """The steps of a path that core rules wrote: names and indices."""
    return [int(index) if index else name or quoted for name, index, quoted in _STEP.findall(path)]


@contextmanager
def at_key(key: str) -> Iterator[None]:
    """Report every violation found inside under this key."""
    try:
        yield
    except DmlError as error:
        raise type(error)([replace(each, path=key) for each in error.violations], error.subject) from None
