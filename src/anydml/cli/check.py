"""`anydml check`: everything that is wrong with models, without running them."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from functools import partial
from typing import TYPE_CHECKING, Any

from anydml.cli.messages import BUG_STATUS, write
from anydml.cli.models import add_model_arguments, attempt, feature_level, read_named
from anydml.core.text import printable

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from anydml.core.levels import FeatureLevel


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "check",
        help="list everything wrong with DxDispatch models",
        description="Check models without running them: every problem at once, with file, line and field.",
        epilog="exit status: 0 when all models are right, 1 when one is not, 2 for a wrong command line",
    )
    add_model_arguments(parser)
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    level = feature_level(args)
    reports: list[dict[str, Any]] = []
    for path in args.models:
        report = {"model": path, "problems": []}
        report |= attempt(partial(_check, path, args, level), path, None if args.json else sys.stdout)
        reports.append(report)
        if not args.json and "error" not in report:
            count = len(report["problems"])
            write(f"{printable(path)}: {f'{count} problem' + 's' * (count > 1) if count else 'no problems'}\n")
    if args.json:
        write(json.dumps({"models": reports}, indent=2) + "\n")
    if any("error" in report for report in reports):
        return BUG_STATUS
    return 1 if any(report["problems"] for report in reports) else 0


def _check(path: str, args: Namespace, level: FeatureLevel) -> dict[str, Any]:
    read_named(path, args, level)
    return {}
