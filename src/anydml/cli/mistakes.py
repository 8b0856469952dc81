"""What argparse finds wrong with a command line, said as everything else is: found, expected, what to try."""

from __future__ import annotations

import re
from argparse import ArgumentParser, _SubParsersAction

from anydml.core.fixes import Rename, suggest
from anydml.core.text import printable

EXAMPLES = {
    "explain": "anydml explain FLOAT32 2,3 --strides 5,1",
    "size": "anydml size FLOAT32 2,3 --strides 5,1",
    "run": "anydml run model.json",
    "check": "anydml check model.json",
    "bench": "anydml bench moves",
    "completion": "anydml completion bash",
}
"""A command line for each command, to show to somebody who left something out."""
_CHOICE = re.compile(r"argument (?P<name>\S+): invalid choice: '(?P<found>[^']*)' .*", re.S)
_REQUIRED = re.compile(r"the following arguments are required: (?P<names>.+)", re.S)
_UNKNOWN = re.compile(r"unrecognized arguments: (?P<first>\S+)(?P<rest>.*)", re.S)


def told(message: str, parser: ArgumentParser) -> str:
    """The message in our words, with what is nearest to what was typed."""
    # What argparse quotes is printable already.
    choice, required, unknown = (pattern.fullmatch(message) for pattern in (_CHOICE, _REQUIRED, _UNKNOWN))
    if choice:
        return _wrong_choice(choice["name"], choice["found"], parser)
    if required:
        example = EXAMPLES.get(parser.prog.split()[-1], EXAMPLES["explain"])
        names = required["names"].split(", ")
        return f"found no {' and no '.join(names)}, expected {'one' if len(names) == 1 else 'both'}; try {example}"
    if unknown:
        return _unknown(unknown["first"], parser)
    return printable(message.removeprefix("argument "))


def _wrong_choice(name: str, found: str, parser: ArgumentParser) -> str:
    known = _choices(parser)
    fix = suggest(found, known)
    near = f"; try {parser.prog} {fix.name}" if isinstance(fix, Rename) else ""
    return f"{name}: found '{found}', expected one of {', '.join(known)}{near}"


def _choices(parser: ArgumentParser) -> list[str]:
    """The commands that a parser has, or the choices of its first argument with any."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction) or action.choices:
            return list(map(str, action.choices or ()))
    return []


def _unknown(word: str, parser: ArgumentParser) -> str:
    options = [option for action in parser._actions for option in action.option_strings if option.startswith("--")]
    if not word.startswith("-"):
        return f"found {word!r}, expected nothing more after the arguments of {parser.prog}"
    bare = word.partition("=")[0]
    fix = suggest(bare, options)
    near = f"; try {fix.name}" if isinstance(fix, Rename) else f"; its options are {', '.join(options)}"
    return f"found {bare!r}, expected an option of {parser.prog}{near}"
