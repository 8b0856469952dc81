"""The lists a dialect is written in: one number for each axis or specification, all of one length."""

from __future__ import annotations

from collections.abc import Mapping

from anydml.core.errors import Violation, counted, raise_if_any
from anydml.core.integers import all_integers, read_integers
from anydml.core.rules import rule

COUNT = rule("slicing.count", "The lists of a slice have one length; windows have one number for each axis.")
STEP = rule("slicing.step", "A step is not 0.")


def count_of(values: object) -> int:
    """How many values a list from outside has; 0 for what is no list, which `read_lists` tells of."""
    return len(read_integers(values, "", []) or ())


def read_lists(given: Mapping[str, object], dialect: str, count: int | None = None) -> list[tuple[int, ...]]:
    """Lists of integers, each as long as the first, or `count` long where that is said."""
    violations: list[Violation] = []
    lists = {name: all_integers(read_integers(values, name, violations)) for name, values in given.items()}
    whole = {name: values for name, values in lists.items() if values is not None}
    first = next(iter(whole), "")
    wanted = len(whole.get(first, ())) if count is None else count
    source = f"as many as {first} has" if count is None else "one for each axis of the input"
    for name, values in whole.items():
        if len(values) != wanted:
            violations.append(
                COUNT(name, counted(len(values), "value"), f"{wanted}, {source}", counted(wanted, "value"))
            )
    raise_if_any(violations, subject=dialect)
    return list(whole.values())


def check_steps(name: str, steps: tuple[int, ...]) -> list[Violation]:
    return [STEP(f"{name}[{i}]", 0, "any other number", "1, or -1 to reverse") for i, s in enumerate(steps) if s == 0]
