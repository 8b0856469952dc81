"""Integers from outside: checked once, before anything is computed with them."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index as as_index

from anydml.core.errors import Violation
from anydml.core.rules import rule

NOT_AN_INTEGER = rule(
    "integer", "A number of elements or bytes is a whole number.", "dml.TensorDesc('FLOAT32', [2, 'x'])"
)
NOT_A_LIST = rule(
    "list", "Sizes, strides and the like are lists of integers.", "dml.TensorDesc('FLOAT32', 7)"
)
INT64_MAX = (1 << 63) - 1


def read_integer(value: object, path: str, violations: list[Violation]) -> int | None:
    """The integer, or None with a violation noted. True and 2.5 are no integers here."""
    if not isinstance(value, bool):
        try:
            return as_index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
    violations.append(NOT_AN_INTEGER(path, repr(value), "an integer", "writing it as a whole number"))
    return None


def read_integers(values: object, path: str, violations: list[Violation]) -> list[int | None] | None:
    """The integers of a list, None in the place of each that is none; every problem is noted."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        violations.append(NOT_A_LIST(path, repr(values), "a list of integers", f"[{values}]"))
        return None
    return [read_integer(value, f"{path}[{i}]", violations) for i, value in enumerate(values)]


def all_integers(values: list[int | None] | None) -> tuple[int, ...] | None:
    """The numbers as a tuple when every one could be read."""
    if values is None or None in values:
        return None
    return tuple(value for value in values if value is not None)
