"""What commands tell the user, and the errors that end a command line."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TextIO

from anydml.core.errors import DmlError
from anydml.core.text import encodable, printable

FAILED_STATUS, USAGE_STATUS, BUG_STATUS, BROKEN_PIPE_STATUS, INTERRUPTED_STATUS = 1, 2, 70, 141, 130


class UsageError(Exception):
    """What was typed cannot be understood; the message says what was expected."""


def write(text: str, stream: TextIO | None = None) -> None:
    """Print what may hold any character, to a stream that may not have them all."""
    stream = sys.stdout if stream is None else stream
    stream.write(encodable(text, stream.encoding))


def as_typed(error: DmlError) -> DmlError:
    """The same error, its fixes told to somebody who types a command line."""
    return type(error)([replace(each, fix=each.fix and each.fix.typed()) for each in error.violations], error.subject)


def write_problems(error: DmlError, stream: TextIO) -> None:
    """One line for each violation, all of them."""
    subject = f"{printable(error.subject)}: " if error.subject else ""
    for violation in error.violations:
        plain = str(violation).removeprefix("value: ") if not violation.path else str(violation)
        write(f"{subject}{plain}\n", stream)


def describe_bug(error: Exception) -> str:
    """What to say of an error that should not have happened; with ANYDML_TRACEBACK it is raised again."""
    if os.environ.get("ANYDML_TRACEBACK"):
        raise error
    return f"a bug in anydml: {type(error).__name__}: {error}\nset ANYDML_TRACEBACK=1 to see where"
