"""Integers from outside: checked once, before anything is computed with them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from operator import index as as_index

from anydml.core.errors import InvalidDescriptionError, Violation, raise_if_any, shown
from anydml.core.fixes import Advice, Fix
from anydml.core.rules import rule

NOT_AN_INTEGER = rule("integer", "A number of elements or bytes is a whole number.")
TOO_MANY_BITS = rule("integer.bits", "A number has at most 64 bits.")
NOT_A_LIST = rule("list", "Sizes, strides and the like are lists of integers.")
INT64_MAX = (1 << 63) - 1


class Integers(list["int | None"]):
    """Integers that were read, None in the place of each that could not be: not to be read a second time."""


def read_integer(value: object, path: str, violations: list[Violation]) -> int | None:
    """The integer, or None with a violation noted. True and 2.5 are no integers here."""
    try:
        number = None if isinstance(value, bool) else as_index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None:
        violations.append(NOT_AN_INTEGER(path, shown(value), "an integer", "writing it as a whole number"))
    elif number.bit_length() > 64:
        found = f"a number of {number.bit_length()} bits"
        violations.append(TOO_MANY_BITS(path, found, "at most 64 bits", "a smaller number"))
        return None
    return number


def read_integers(values: object, path: str, violations: list[Violation]) -> Integers | None:
    """The integers of a list, None in the place of each that is none; every problem is noted."""
    if isinstance(values, Integers):
        return values
    # What has no length may never end, and what is read twice must be the same twice.
    unfit = isinstance(values, (str, bytes, Set, Mapping)) or getattr(values, "ndim", 1) == 0
    if unfit or not isinstance(values, Collection):
        fix: Fix = Advice(f"[{shown(values)}]" if isinstance(values, int) else "a list such as [2, 3]")
        violations.append(NOT_A_LIST(path, shown(values), "a list of integers", fix))
        return None
    return Integers(read_integer(value, f"{path}[{i}]", violations) for i, value in enumerate(values))


def all_integers(values: Integers | None) -> tuple[int, ...] | None:
    """The numbers as a tuple when every one could be read."""
    if values is None or None in values:
        return None
    return tuple(value for value in values if value is not None)


def require_integer(value: object, path: str) -> int:
    """The integer, or an error that says why it is none."""
    violations: list[Violation] = []
    number = read_integer(value, path, violations)
    if number is None:
        raise InvalidDescriptionError(violations)
    return number


def require_integers(values: object, path: str) -> tuple[int, ...]:
    """The integers of a list, or an error with everything that is wrong with it."""
    violations: list[Violation] = []
    found = all_integers(read_integers(values, path, violations))
    raise_if_any(violations)
    return found or ()
