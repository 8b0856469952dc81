"""What the commands about models share: their options, and how the failure of one model is told."""

from __future__ import annotations

import math
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from anydml.cli.messages import UsageError, as_typed, describe_bug, write, write_problems
from anydml.core.errors import DmlError
from anydml.core.integers import INT64_MAX
from anydml.core.levels import HIGHEST_LEVEL, FeatureLevel
from anydml.core.text import printable, printable_lines
from anydml.files.places import at_key

if TYPE_CHECKING:
    from argparse import _ActionsContainer

    from anydml.frontends.dxdispatch.model import Model
    from anydml.runtime.device import Device

DEVICE_NAMES = "cpu (the default), cuda, reference, null or auto"
_MOST_TIMES = 10**9
_LONGEST_NUMBER = 40


def add_model_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("models", metavar="MODEL.json", nargs="+", help="models in DxDispatch's format")
    parser.add_argument("--dml_feature_level", metavar="LEVEL", default="6.4", help="1.0 to 6.4 (the default)")
    add_source_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print everything for machines instead")


def add_source_arguments(parser: _ActionsContainer) -> None:
    """Where a model finds files, and whether only there."""
    parser.add_argument(
        "--input_path", metavar="FOLDER", type=Path, help="where models find files; beside them, if not given"
    )
    parser.add_argument(
        "--allow-outside",
        action="store_true",
        help="let models read files outside their folder, --input_path and the current folder",
    )


def read_named(path: str, args: Namespace, level: FeatureLevel) -> Model:
    """The model in a file, which finds others as the options say."""
    from anydml.frontends.dxdispatch import parse

    return parse.read_model(path, args.input_path, level, allow_outside=args.allow_outside)


def check_source_arguments(args: Namespace) -> None:
    if args.input_path is not None and not args.input_path.is_dir():
        raise UsageError(f"--input_path: found {str(args.input_path)!r}, expected a folder")


def feature_level(args: Namespace) -> FeatureLevel:
    level = find_level(args.dml_feature_level)
    check_source_arguments(args)
    return level


def find_level(text: str, option: str = "--dml_feature_level") -> FeatureLevel:
    """The feature level that an option names."""
    with at_key(option):
        return FeatureLevel.parse(text)


def find_device(name: str, level: FeatureLevel = HIGHEST_LEVEL) -> Device:
    """The device that `--device` names."""
    from anydml.runtime.device import Device

    with at_key("--device"):
        return Device(name, level)


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


def attempt(action: Callable[[], dict[str, Any]], path: str, stream: TextIO | None) -> dict[str, Any]:
    """What an action reports of one model. A failure is written, if there is a stream, and reported too.

    What is wrong with the command line or with the output ends the whole command instead.
    """
    from anydml.frontends.dxdispatch.executor import out_of_memory
    from anydml.runtime.budget import guarded

    failure: DmlError
    try:
        return guarded(action, lambda: out_of_memory(path))
    except DmlError as error:
        failure = as_typed(error)
    except MemoryError:  # there was not even enough to start
        failure = out_of_memory(path)
    except UsageError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None:
            raise
        return {"problems": [], "error": _tell_bug(error, path, stream)}
    sys.stdout.flush()
    if stream is not None:
        write_problems(failure, stream)
    return {"problems": [violation.to_json() for violation in failure.violations]}


def _tell_bug(error: Exception, path: str, stream: TextIO | None) -> str:
    told = describe_bug(error)
    sys.stdout.flush()
    if stream is not None:
        write(f"{printable(path)}: {printable_lines(told)}\n", stream)
    return told
