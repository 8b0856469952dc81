"""What the commands about models share: their options, and how text reaches the terminal."""

from __future__ import annotations

import math
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TextIO

from anydml.cli.usage import UsageError
from anydml.core.errors import DmlError
from anydml.core.integers import INT64_MAX
from anydml.core.levels import FeatureLevel
from anydml.frontends.printable import printable

_MOST_TIMES = 10**9
_LONGEST_NUMBER = 40


def add_model_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("models", metavar="MODEL.json", nargs="+", help="models in DxDispatch's format")
    parser.add_argument("--dml_feature_level", metavar="LEVEL", default="6.4", help="1.0 to 6.4 (the default)")
    parser.add_argument(
        "--input_path", metavar="FOLDER", type=Path, help="where models find files; beside them, if not given"
    )
    parser.add_argument("--json", action="store_true", help="print everything for machines instead")


def feature_level(args: Namespace) -> FeatureLevel:
    try:
        level = FeatureLevel.parse(args.dml_feature_level)
    except DmlError as error:
        raise UsageError(f"--dml_feature_level: {error}") from None
    if args.input_path is not None and not args.input_path.is_dir():
        raise UsageError(f"--input_path: found {str(args.input_path)!r}, expected a folder")
    return level


def natural(text: str) -> int:
    return _whole(text, 0, INT64_MAX)


def positive(text: str) -> int:
    return _whole(text, 1, _MOST_TIMES)


def _whole(text: str, least: int, most: int) -> int:
    is_number = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_NUMBER
    if not is_number or not least <= int(text) <= most:
        raise ArgumentTypeError(f"found {text[:_LONGEST_NUMBER]!r}, expected a whole number from {least} to {most}")
    return int(text)


def tolerance(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not number >= 0 or math.isinf(number):
        raise ArgumentTypeError(f"found {text[:_LONGEST_NUMBER]!r}, expected a number from 0")
    return number


def write(text: str, stream: TextIO | None = None) -> None:
    """Print what may hold any character, to a stream that may not have them all."""
    stream = sys.stdout if stream is None else stream
    encoding = stream.encoding
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding) if encoding else text)


def write_problems(error: DmlError, stream: TextIO) -> None:
    """One line for each violation, all of them."""
    subject = f"{error.subject}: " if error.subject else ""
    for violation in error.violations:
        plain = str(violation).removeprefix("value: ") if not violation.path else str(violation)
        write(printable(f"{subject}{plain}") + "\n", stream)
