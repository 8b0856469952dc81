"""`anydml run`: DxDispatch's models on any machine."""

from __future__ import annotations

import io
import json
import math
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anydml.cli.models import add_model_arguments, feature_level, write, write_problems
from anydml.cli.progress import Progress
from anydml.cli.usage import UsageError
from anydml.core.errors import DmlError

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from anydml.frontends.dxdispatch.executor import Outcome
    from anydml.frontends.dxdispatch.model import Model
    from anydml.runtime.device import Device

_EPILOG = """\
examples:
  anydml run slice.json                        prints what DxDispatch prints
  anydml run *.json --device reference         several models, floats computed in 64 bits
  anydml run gemm.json -i 100                  how long each dispatch takes
  anydml run gemm.json --compare output=expected.npy --ulp 4

exit status: 0 when all models ran (and agreed), 1 when one did not, 2 for a wrong command line
"""


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "run",
        help="run DxDispatch models",
        description="Run models: resources, operators and commands in DxDispatch's JSON format.",
        epilog=_EPILOG,
        formatter_class=RawDescriptionHelpFormatter,
    )
    add_model_arguments(parser)
    parser.add_argument("--device", metavar="NAME", default="cpu", help="cpu (the default), reference or null")
    parser.add_argument(
        "--output_path",
        metavar="FOLDER",
        type=Path,
        default=Path(),
        help="where models write files; the current folder, if not given",
    )
    parser.add_argument("--print_commands", action="store_true", help="say when each command starts and ends")
    parser.add_argument(
        "-i", "--dispatch_iterations", metavar="N", type=_positive, help="run each dispatch N times, and print the time"
    )
    parser.add_argument("--verbose", action="store_true", help="print resources with type, sizes and rows")
    parser.add_argument(
        "--compare",
        metavar="[RESOURCE=]FILE.npy",
        action="append",
        default=[],
        help="compare a resource (the last printed or written one, if not named) with expected values",
    )
    parser.add_argument("--ulp", metavar="N", type=_natural, default=0, help="how far apart in ULP is still equal (0)")
    parser.add_argument("--atol", metavar="X", type=_tolerance, default=0.0, help="absolute tolerance (0)")
    parser.add_argument("--rtol", metavar="X", type=_tolerance, default=0.0, help="relative tolerance (0)")
    parser.set_defaults(run=run)


def _natural(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise ArgumentTypeError(f"found {text[:40]!r}, expected a whole number from 0")
    return int(text)


def _positive(text: str) -> int:
    number = _natural(text)
    if not number:
        raise ArgumentTypeError("found '0', expected a whole number from 1")
    return number


def _tolerance(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not number >= 0 or math.isinf(number):
        raise ArgumentTypeError(f"found {text[:40]!r}, expected a number from 0")
    return number


def run(args: Namespace) -> int:
    device = _device(args)
    if args.compare and len(args.models) > 1:
        raise UsageError(f"--compare: found {len(args.models)} models, expected one")
    if not args.json:
        write(f"Running on '{device.name}'\n")
    reports = []
    for path in args.models:
        if len(args.models) > 1 and not args.json:
            write(f"Model '{path}'\n")
        reports.append(_run_model(path, device, args))
    if args.json:
        write(json.dumps({"device": device.name, "models": reports}, indent=2) + "\n")
    return 0 if all(report["ok"] for report in reports) else 1


def _device(args: Namespace) -> Device:
    from anydml.runtime.device import Device

    level = feature_level(args)
    try:
        return Device(args.device, level)
    except DmlError as error:
        raise UsageError(f"--device: {error}") from None


def _run_model(path: str, device: Device, args: Namespace) -> dict[str, Any]:
    """Run one model and tell what happened; a failure is told, not raised, so that the next model has its turn."""
    from anydml.frontends.dxdispatch.parse import read_model

    report: dict[str, Any] = {"model": path, "ok": False}
    try:
        model = read_model(path, args.input_path, device.feature_level)
        outcome, printed = _execute(model, device, args)
        comparisons = [_compare(each, model, outcome, args) for each in args.compare]
    except DmlError as error:
        sys.stdout.flush()
        if not args.json:
            write_problems(error, sys.stderr)
        return {**report, "problems": [violation.to_json() for violation in error.violations]}
    report["ok"] = all(comparison["equal"] for comparison in comparisons)
    if args.json:
        report |= {"commands": outcome.commands, "resources": _values(model, outcome)}
        report |= {"compared": comparisons, "printed": printed}
    return report


def _execute(model: Model, device: Device, args: Namespace) -> tuple[Outcome, str]:
    from anydml.frontends.dxdispatch.executor import Executor, Options
    from anydml.frontends.dxdispatch.model import Dispatch

    iterations = args.dispatch_iterations or 1
    times = args.dispatch_iterations is not None
    options = Options(args.output_path, iterations, times, args.verbose, args.print_commands)
    dispatches = sum(isinstance(command, Dispatch) for command in model.commands)
    with Progress(dispatches * iterations, "running") as progress:

        def write_cleanly(text: str) -> None:
            progress.clear()
            write(text)

        executor = Executor(model, device, options, write_cleanly, progress.advance)
        if not args.json:
            return executor.run(), ""
        with redirect_stdout(io.StringIO()) as captured:
            return executor.run(), captured.getvalue()


def _values(model: Model, outcome: Outcome) -> dict[str, Any]:
    """The resources that were printed, as the model would write them."""
    from anydml.frontends.dxdispatch.printing import shown_values

    shown = [entry["resource"] for entry in outcome.commands if entry["type"] == "print"]
    found = {}
    for name in dict.fromkeys(shown):
        resource = model.resources[name]
        if resource.data_type is not None:
            values = shown_values(resource, outcome.resources[name]).reshape(-1).tolist()
            plain = [v if not isinstance(v, float) or math.isfinite(v) else str(v) for v in values]
            found[name] = {"data_type": resource.data_type.name, "values": plain}
    return found


def _compare(text: str, model: Model, outcome: Outcome, args: Namespace) -> dict[str, Any]:
    from anydml.frontends.dxdispatch.compare import compare, read_expected
    from anydml.frontends.dxdispatch.printing import shown_values

    name, separator, file = text.partition("=")
    if not separator:
        name, file = outcome.last_shown or "", text
    resource = model.resources.get(name)
    if resource is None or resource.data_type is None:
        raise UsageError(f"--compare: found {name!r}, expected a resource of one data type: RESOURCE=FILE.npy")
    values = shown_values(resource, outcome.resources[name])
    result = compare(values, read_expected(file), args.ulp, args.atol, args.rtol)
    if not args.json:
        verdict = "equal" if result.is_equal else "different"
        first, *rest = result.lines()
        write("\n".join([f"Compare '{name}' with '{file}': {verdict}, {first}", *rest]) + "\n")
    return {"resource": name, "file": file, "equal": result.is_equal, "lines": result.lines()}
