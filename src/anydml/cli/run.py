"""`anydml run`: DxDispatch's models on any machine."""

from __future__ import annotations

import io
import json
import math
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anydml.cli.comparing import Expectation, add_compare_arguments, check_compare_arguments
from anydml.cli.messages import BUG_STATUS, write
from anydml.cli.models import (
    DEVICE_NAMES,
    add_model_arguments,
    attempt,
    feature_level,
    find_device,
    positive,
    read_named,
)
from anydml.cli.progress import Progress
from anydml.core.text import printable

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
    parser.add_argument("--device", metavar="NAME", default="cpu", help=DEVICE_NAMES)
    parser.add_argument(
        "--output_path",
        metavar="FOLDER",
        type=Path,
        default=Path(),
        help="where models write files; the current folder, if not given",
    )
    parser.add_argument("--print_commands", action="store_true", help="say when each command starts and ends")
    parser.add_argument(
        "-i", "--dispatch_iterations", metavar="N", type=positive, help="run each dispatch N times, and print the time"
    )
    parser.add_argument("--verbose", action="store_true", help="print resources with type, sizes and rows")
    add_compare_arguments(parser)
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    device = find_device(args.device, feature_level(args))
    check_compare_arguments(args)
    if not args.json:
        write(f"Running on '{device.name}'\n")
    reports = []
    for path in args.models:
        if len(args.models) > 1 and not args.json:
            write(f"Model '{printable(path)}'\n")
        reports.append(_run_model(path, device, args))
    if args.json:
        write(json.dumps({"device": device.name, "models": reports}, indent=2) + "\n")
    if any("error" in report for report in reports):
        return BUG_STATUS
    return 0 if all(report["ok"] for report in reports) else 1


def _run_model(path: str, device: Device, args: Namespace) -> dict[str, Any]:
    """Run one model and tell what happened; a failure is told, not raised, so that the next model has its turn."""
    report = {"model": path, "ok": False}
    return report | attempt(lambda: _outcome(path, device, args), path, None if args.json else sys.stderr)


def _outcome(path: str, device: Device, args: Namespace) -> dict[str, Any]:
    model = read_named(path, args, device.feature_level)
    expectations = [Expectation.read(text, model) for text in args.compare]
    outcome, printed = _execute(model, device, args)
    comparisons = [expectation.compare(outcome, args) for expectation in expectations]
    report: dict[str, Any] = {"ok": all(comparison["equal"] for comparison in comparisons)}
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
