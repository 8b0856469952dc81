"""`anydml`: finds the subcommand, and turns every failure into a message and an exit status."""

from __future__ import annotations

import json
import os
import re
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn, TextIO

from anydml import __version__
from anydml.cli.messages import (
    BROKEN_PIPE_STATUS,
    BUG_STATUS,
    FAILED_STATUS,
    INTERRUPTED_STATUS,
    USAGE_STATUS,
    UsageError,
    as_typed,
    describe_bug,
    write,
)
from anydml.cli.mistakes import told
from anydml.cli.terminal import RED, Terminal, standard_streams
from anydml.core.errors import DmlError, OutOfMemoryError
from anydml.core.text import printable, printable_lines

SUBCOMMANDS = ("explain", "size", "run", "check", "export", "ops", "rule", "bench", "devices", "completion")
"""One module each in this package; imported only when named."""
_NEGATIVE_LIST = re.compile(r"-\d+[,x×X*]")


class _Parser(ArgumentParser):
    """A parser that reports through `main`, so that usage errors look like all others."""

    def _print_message(self, message: str, file: object = None) -> None:
        write(message, sys.stdout)  # argparse would keep quiet about a stream that cannot be written

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{told(message, self)}\ntry '{self.prog} --help'")

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        found, rest = self.parse_known_args(args, namespace)
        if rest:
            # The command's own parser knows which option was meant.
            parser = getattr(found, "parser", self)
            parser.error(f"unrecognized arguments: {' '.join(rest)}")
        return found


def main(argv: list[str] | None = None) -> int:
    """Run one command line and return its exit status. No traceback ever reaches the user."""
    words = [_protect(word) for word in (sys.argv[1:] if argv is None else argv)]
    with standard_streams():
        return _run(words)


def _run(words: Sequence[str]) -> int:
    try:
        status = _obey(words)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED_STATUS)
    except BrokenPipeError:
        _silence(sys.stdout)
        return BROKEN_PIPE_STATUS
    except OutOfMemoryError as error:
        return _fail(str(error), FAILED_STATUS, words, error)
    except MemoryError:
        pass  # what was allocated is given back first
    except DmlError as error:
        typed = as_typed(error)
        return _fail(str(typed), USAGE_STATUS, words, typed)
    except UsageError as error:
        return _fail(str(error), USAGE_STATUS, words)
    except OSError as error:
        # Only the standard streams have no name: what was asked for was right, and telling it failed.
        where, status = (error.filename, USAGE_STATUS) if error.filename else ("output", FAILED_STATUS)
        return _fail(printable(f"{where}: {error.strerror or error}"), status, words)
    except Exception as error:
        return _fail(describe_bug(error), BUG_STATUS, words)
    return _fail("found too little memory, expected more; try smaller data", FAILED_STATUS, words)


def _obey(words: Sequence[str]) -> int:
    try:
        args = _parse(words)
        return int(args.run(args))
    except SystemExit as stop:  # --help and --version
        return stop.code if isinstance(stop.code, int) else USAGE_STATUS


def _parse(words: Sequence[str]) -> Namespace:
    named = next((word for word in words if not word.startswith("-")), None)
    parser = _Parser(
        prog="anydml",
        description="DirectML-compatible tensors and operators on any machine.",
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"anydml {__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    available = [name for name in SUBCOMMANDS if find_spec(f"anydml.cli.{name}")]
    # Only the named command is loaded, so that `explain` does not wait for what `bench` needs.
    for name in [named] if named in available else available:
        import_module(f"anydml.cli.{name}").add_parser(subparsers)
    for command in subparsers.choices.values():
        command.set_defaults(parser=command)
    return parser.parse_args(words)  # type: ignore[no-any-return]


def _protect(word: str) -> str:
    """A list that starts with a minus is a value, not an option: say so with a typographic minus."""
    return f"−{word[1:]}" if _NEGATIVE_LIST.match(word) else word


def _fail(message: str, status: int, words: Sequence[str] = (), error: DmlError | None = None) -> int:
    if "--json" in words:
        violations = [violation.to_json() for violation in error.violations] if error else []
        _tell(json.dumps({"error": message, "violations": violations}, indent=2), sys.stdout)
    _tell(f"{Terminal.of(sys.stderr).paint('error:', RED)} {printable_lines(message)}", sys.stderr)
    _flush(sys.stdout)
    return status


def _tell(text: str, stream: TextIO) -> None:
    with suppress(OSError, ValueError):  # the stream may be closed or full
        write(text + "\n", stream)
    _flush(stream)


def _flush(stream: TextIO) -> None:
    try:
        stream.flush()
    except (OSError, ValueError):
        _silence(stream)


def _silence(stream: TextIO) -> None:
    """Drop what could not be written, or the interpreter would complain about it at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
