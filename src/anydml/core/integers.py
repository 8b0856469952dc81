"""Integers from outside: checked once, before anything is computed with them."""

from __future__ import annotations

from typing import Any

from anydml.core.errors import MOST_VIOLATIONS, InvalidDescriptionError, Violation, raise_if_any, shown
from anydml.core.fixes import Advice, Fix
from anydml.core.outside import UnfitError, as_integer, as_values
from anydml.core.rules import Rule, rule

NOT_AN_INTEGER = rule("integer", "A number of elements or bytes is a whole number.")
TOO_MANY_BITS = rule("integer.bits", "A number has at most 64 bits.")
NOT_A_LIST = rule("list", "Sizes, strides and the like are lists of integers.")
INT64_MAX = (1 << 63) - 1
_UINT64_MAX = (1 << 64) - 1


class Integers(list["int | None"]):
    """Integers that were read, None in the place of each that could not be: not to be read a second time."""


def read_integer(value: object, path: str, violations: list[Violation]) -> int | None:
    """The integer, or None with a violation noted. True and 2.5 are no integers here."""
    number = as_integer(value)
    if number is None:
        violations.append(NOT_AN_INTEGER(path, shown(value), "an integer", "writing it as a whole number"))
    elif number.bit_length() > 64:
        found = f"a number of {number.bit_length()} bits"
        violations.append(TOO_MANY_BITS(path, found, "at most 64 bits", "a smaller number"))
        return None
    return number


def read_list(
    values: object,
    path: str,
    violations: list[Violation],
    of: str = "integers",
    *,
    fix: Fix | str | None = None,
    broken: Rule = NOT_A_LIST,
    may_be_endless: bool = False,
) -> list[Any] | tuple[Any, ...] | None:
    """The values of a list, or None with a violation noted. They are read once: a second time they may be others."""
    try:
        return as_values(values, may_be_endless)
    except UnfitError as error:
        if not error.found and isinstance(values, (int, str)):
            fix = fix or f"[{shown(values)}]"  # one value is meant as a list of it
        violations.append(broken(path, error.found or shown(values), f"a list of {of}{error.limit}", fix))
        return None


def read_integers(values: object, path: str, violations: list[Violation]) -> Integers | None:
    """The integers of a list, None in the place of each that is none; every problem is noted."""
    if isinstance(values, Integers):
        return values
    fix = f"[{shown(values)}]" if isinstance(values, int) else "a list such as [2, 3]"
    given = read_list(values, path, violations, fix=Advice(fix))
    if given is None:
        return None
    found = Integers()
    for value in given:
        if type(value) is not int or not -_UINT64_MAX <= value <= _UINT64_MAX:
            value = read_integer(value, f"{path}[{len(found)}]", violations)
            if len(violations) > MOST_VIOLATIONS:
                break
        found.append(value)
    return found


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


def require_list(values: object, path: str, of: str, *, fix: Fix | str | None = None) -> list[Any]:
    """The values of a list, or an error that says why it is none."""
    violations: list[Violation] = []
    found = read_list(values, path, violations, of, fix=fix)
    raise_if_any(violations)
    return list(found or ())
