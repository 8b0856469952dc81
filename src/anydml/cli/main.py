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
from typing import NoReturn

from anydml import __version__
from anydml.cli.terminal import RED, Terminal, standard_streams
from anydml.cli.usage import UsageError
from anydml.core.errors import DmlError
from anydml.frontends.printable import printable

FAILED_STATUS, USAGE_STATUS, BUG_STATUS, BROKEN_PIPE_STATUS, INTERRUPTED_STATUS = 1, 2, 70, 141, 130
SUBCOMMANDS = ("explain", "run", "check", "bench", "devices")
"""One module each in this package; imported only when named."""
_NEGATIVE_LIST = re.compile(r"-\d+[,x×X*]")


class _Parser(ArgumentParser):
    """A parser that reports through `main`, so that usage errors look like all others."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\n{self.format_usage().rstrip()}\ntry '{self.prog} --help'")


def main(argv: list[str] | None = None) -> int:
    """Run one command line and return its exit status. No traceback ever reaches the user."""
    words = [_protect(word) for word in (sys.argv[1:] if argv is None else argv)]
    with standard_streams():
        return _run(words)


def _run(words: Sequence[str]) -> int:
    try:
        args = _parse(words)
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except SystemExit as stop:  # --help and --version
        return stop.code if isinstance(stop.code, int) else USAGE_STATUS
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED_STATUS)
    except BrokenPipeError:
        return _silence_stdout()
    except DmlError as error:
        return _fail(str(error), USAGE_STATUS, words, error)
    except UsageError as error:
        return _fail(str(error), USAGE_STATUS, words)
    except OSError as error:
        # Only the standard streams have no name: what was asked for was right, and telling it failed.
        where, status = (error.filename, USAGE_STATUS) if error.filename else ("output", FAILED_STATUS)
        return _fail(f"{where}: {error.strerror or error}", status, words)
    except Exception as error:
        if os.environ.get("ANYDML_TRACEBACK"):
            raise
        told = f"a bug in anydml: {type(error).__name__}: {error}\nset ANYDML_TRACEBACK=1 to see where"
        return _fail(told, BUG_STATUS, words)


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
    return parser.parse_args(words)


def _protect(word: str) -> str:
    """A list that starts with a minus is a value, not an option: say so with a typographic minus."""
    return f"−{word[1:]}" if _NEGATIVE_LIST.match(word) else word


def _fail(message: str, status: int, words: Sequence[str] = (), error: DmlError | None = None) -> int:
    with suppress(OSError):  # nobody may be reading any more
        if "--json" in words:
            violations = [violation.to_json() for violation in error.violations] if error else []
            print(json.dumps({"error": message, "violations": violations}, indent=2), flush=True)
        plain = "\n".join(map(printable, message.split("\n")))
        text = f"{Terminal.of(sys.stderr).paint('error:', RED)} {plain}"
        # A message quotes what the user typed, which the stream may be unable to show.
        encoding = sys.stderr.encoding or "ascii"
        print(text.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr, flush=True)
    return status


def _silence_stdout() -> int:
    """The reader has left: give the interpreter nothing to complain about when it closes."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return BROKEN_PIPE_STATUS
