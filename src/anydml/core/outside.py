"""Values from outside, asked with care: any method of somebody else's object may fail, and some lists have no end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from itertools import islice
from operator import index as as_index
from typing import Any, TypeVar

Answer = TypeVar("Answer")
MOST_VALUES = 1 << 20
"""More than this in one list is not read."""


class UnfitError(Exception):
    """Why something is no list: what was found instead, and what would be the limit of a list that is too long."""

    def __init__(self, found: str = "", limit: str = "") -> None:
        super().__init__(found)
        self.found, self.limit = found, limit


def answer(ask: Callable[[], Answer], otherwise: Answer) -> Answer:
    """What somebody else's object answers; something else where its method fails."""
    try:
        return ask()
    except Exception:  # whatever a method of somebody else may raise
        return otherwise


def as_integer(value: object) -> int | None:
    """The whole number that a value is. None for True and 2.5, which are none, and for all that fails to say it."""
    if type(value) is int:
        return value
    return None if isinstance(value, bool) else answer(lambda: as_index(value), None)  # type: ignore[arg-type]


def as_text(value: object) -> str | None:
    """The text that a value is, and not one that it can be turned into."""
    if type(value) is str:
        return value
    return str.__str__(value) if isinstance(value, str) else None


def as_number(value: object) -> float | None:
    """The number that a value is, as a float, infinite where it is too large for one. Texts and arrays are none."""
    kind = type(value)
    if hasattr(kind, "__len__") or not (hasattr(kind, "__float__") or hasattr(kind, "__index__")):
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return answer(lambda: float("inf") if value > 0 else float("-inf"), None)  # type: ignore[operator]
    except Exception:  # whatever a method of somebody else may raise
        return None


def as_entries(value: object) -> dict[Any, Any] | None:
    """The entries of an object such as {...}, read once; None for what is none, or fails to say them."""
    if type(value) is dict:
        return value
    if not isinstance(value, Mapping):
        return None
    return answer(lambda: dict(islice(value.items(), MOST_VALUES)), None)


def told(error: BaseException) -> str:
    """An exception in one line."""
    words = answer(lambda: " ".join(str(error).split()), "")
    return f"{type(error).__name__}: {words[:160]}" if words else type(error).__name__


def as_values(values: object, may_be_endless: bool = False) -> list[Any] | tuple[Any, ...]:
    """The values of a list, read once; an error that says why it is none.

    What has no length may never end: where such things are welcome, too, no more than MOST_VALUES are read.
    """
    if type(values) is list or type(values) is tuple:
        found: list[Any] | tuple[Any, ...] = values
    elif isinstance(values, (str, bytes, Set, Mapping)):
        raise UnfitError
    else:
        try:
            found = _collected(values, may_be_endless)
        except UnfitError:
            raise
        except Exception as error:  # whatever a method of somebody else may raise
            raise UnfitError(f"{type(values).__name__} ({told(error)})") from error
    if len(found) > MOST_VALUES:
        raise _too_long(MOST_VALUES)
    return found


def _too_long(count: int) -> UnfitError:
    return UnfitError(f"more than {count} values", f" of at most {count} values")


def _collected(values: object, may_be_endless: bool) -> list[Any]:
    # There is an array only where NumPy is loaded, and what needs no arrays does not load it.
    if isinstance(values, getattr(sys.modules.get("numpy"), "ndarray", ())) and values.ndim != 1:  # type: ignore[attr-defined]
        raise UnfitError
    if not isinstance(values, Collection):
        if may_be_endless and isinstance(values, Iterable):
            return list(islice(values, MOST_VALUES + 1))
        raise UnfitError
    count = len(values)
    if count > MOST_VALUES:
        raise _too_long(MOST_VALUES)
    found = list(islice(values, count + 1))
    if len(found) != count:
        raise UnfitError(f"{type(values).__name__} of length {count} with other than {count} values")
    return found
