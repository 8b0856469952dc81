"""`anydml export`: the operators of a model in another form."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from anydml.cli.messages import BUG_STATUS, write
from anydml.cli.models import add_source_arguments, attempt, feature_level, read_named
from anydml.core.levels import FeatureLevel

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "export",
        help="print the operators of a model as C++",
        description="Print DirectML's structures for every dispatchable of a model, to paste into a C++ program.",
        epilog="exit status: 0 when all was printed, 1 when the model is wrong, 2 for a wrong command line",
    )
    parser.add_argument("model", metavar="MODEL.json", help="a model in DxDispatch's format")
    parser.add_argument("--cpp", action="store_true", help="as C++ (the default)")
    parser.add_argument("--dml_feature_level", metavar="LEVEL", default="6.4", help="1.0 to 6.4 (the default)")
    add_source_arguments(parser)
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    level = feature_level(args)
    report = attempt(lambda: {"text": _export(args, level)}, args.model, sys.stderr)
    if "text" not in report:
        return BUG_STATUS if "error" in report else 1
    write(report["text"])
    return 0


def _export(args: Namespace, level: FeatureLevel) -> str:
    from anydml.view.cpp import comment, identifier

    model = read_named(args.model, args, level)
    blocks: list[str] = []
    names: set[str] = set()
    for name, dispatchable in model.dispatchables.items():
        operator = dispatchable.operator
        body: Any = operator.to_cpp() if operator is not None else dispatchable.graph.to_cpp()
        lines = [f"    {line}" if line else "" for line in body.split("\n")]
        function = _unused(identifier(name), names)
        names.add(function)
        blocks.append("\n".join([f"// Dispatchable {comment(name)}", f"void {function}()", "{", *lines, "}", ""]))
    return "\n".join(blocks)


def _unused(name: str, taken: set[str]) -> str:
    """The name, numbered if another function has it."""
    number, unique = 2, name
    while unique in taken:
        number, unique = number + 1, f"{name}{number}"
    return unique
