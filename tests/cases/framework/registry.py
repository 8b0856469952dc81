"""Which function draws the cases of an operator, and which one answers them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.cases.framework.case import Case
from tests.cases.framework.draw import Draw

Generator = Callable[[Draw], None]
Answer = Callable[[Case], Any]
DEFAULT_COUNT = 24
HOSTILE = 6
"""How many cases with hostile values are usual: two types of float, and four of integers."""


@dataclass(frozen=True)
class Entry:
    """The cases of one operator: so many ordinary ones and, after them, so many with hostile values."""

    generator: Generator
    count: int
    hostile: int


_ENTRIES: dict[str, Entry] = {}
_ANSWERS: dict[str, Answer] = {}


def case(*operators: str, count: int = DEFAULT_COUNT, hostile: int = 0) -> Callable[[Generator], Generator]:
    """Declare the function that draws the cases of these operators.

    `hostile` adds so many cases whose inputs are NaN, infinities, -0, subnormals and the extremes of integers.
    """

    def declare(generator: Generator) -> Generator:
        for operator in operators:
            assert operator not in _ENTRIES, f"{operator} has a generator already"
            _ENTRIES[operator] = Entry(generator, count, hostile)
        return generator

    return declare


def answer(*operators: str) -> Callable[[Answer], Answer]:
    """Declare the function that computes what a case of these operators must give.

    It returns the output's values by index (numbers, `Accumulated`, or all of them as `Bits`), a dict of such by
    field where there are several outputs, and lists of such for lists of tensors. An element that the documents
    leave undefined is left out: any value is then accepted there.
    """

    def declare(function: Answer) -> Answer:
        for operator in operators:
            assert operator not in _ANSWERS, f"{operator} has an answer already"
            _ANSWERS[operator] = function
        return function

    return declare


@cache
def load() -> None:
    """Import every module of cases, so that all of them are declared."""
    for path in sorted(Path(__file__).parents[1].glob("*.py")):
        if not path.stem.startswith(("test_", "__")):
            import_module(f"tests.cases.{path.stem}")


def operators_with_cases() -> list[str]:
    load()
    return list(_ENTRIES)


def numbers_of(operator: str) -> range:
    load()
    entry = _ENTRIES[operator]
    return range(entry.count + entry.hostile)


def make_case(operator: str, number: int) -> Case:
    """The case of this number: the same one for everybody."""
    load()
    entry = _ENTRIES[operator]
    draw = Draw(operator, number, number - entry.count if number >= entry.count else None)
    entry.generator(draw)
    return draw.made()


def answer_of(made: Case) -> dict[str, Any]:
    """What must come out, by field; an entry for every output that the case asks for."""
    load()
    found = _ANSWERS[made.operator](made)
    by_field = isinstance(found, dict) and any(isinstance(key, str) for key in found)
    named = found if by_field else {made.outputs[0]: found}
    assert set(made.outputs) <= set(named), f"{made.operator}: no answer for {set(made.outputs) - set(named)}"
    return {name: named[name] for name in made.outputs}
