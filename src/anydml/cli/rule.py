"""`anydml rule`: what the rule at the end of a message says."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from anydml.cli.messages import UsageError, write

if TYPE_CHECKING:
    from argparse import _SubParsersAction


def add_parser(subparsers: _SubParsersAction[ArgumentParser]) -> None:
    parser = subparsers.add_parser(
        "rule",
        help="what a rule says that a message names in brackets",
        description="Every message ends with the rule that was broken, in brackets, such as [strides.count].",
    )
    parser.add_argument("rules", metavar="RULE", nargs="*", help="such as strides.count; all of them when left out")
    parser.set_defaults(run=run)


def run(args: Namespace) -> int:
    from anydml.core.fixes import Rename, suggest
    from anydml.core.rules import RULES

    _load_all()
    wanted = [name.strip("[]") for name in args.rules] or sorted(RULES)
    for name in wanted:
        if name not in RULES:
            fix = suggest(name, RULES)
            near = f"; try {fix.name}" if isinstance(fix, Rename) else "; `anydml rule` lists them"
            raise UsageError(f"RULE: found {name!r}, expected the name of a rule{near}")
    write("".join(f"{name}: {RULES[name].says}\n" for name in wanted))
    return 0


def _load_all() -> None:
    """Import every module, so that every rule is declared."""
    from importlib import import_module
    from pkgutil import walk_packages

    import anydml

    for module in walk_packages(anydml.__path__, "anydml."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
