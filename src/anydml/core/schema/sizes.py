"""Patterns of sizes: `1 channels 1*`, `batch sequence 4*hidden`; they check tensors, and infer outputs.

| term        | matches                                                                             |
|-------------|-------------------------------------------------------------------------------------|
| `3`         | a size of 3                                                                         |
| `rows`      | any size; the same wherever the name stands again                                   |
| `4*rows`    | four times that size (any whole number before the star)                             |
| `rows|1`    | that size, or 1                                                                     |
| `[1]`       | a leading size of 1 that may be left out                                            |
| `*spatial`  | any number of sizes; the same wherever the name stands again                        |
| `*spatial|1`| as many sizes, each the same or 1                                                   |
| `1*`        | any number of 1s                                                                    |

A name that no tensor has bound yet is asked of the operator: a property of that name gives the size, or the sizes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

_TERM = re.compile(
    r"(?P<optional>\[1\])|(?P<ones>1\*)|(?P<rest>\*)?(?:(?P<factor>\d+)\*)?(?P<name>[a-z_]\w*)(?P<one>\|1)?|\d+"
)


@dataclass(frozen=True)
class Term:
    """One term of a pattern; see the table above."""

    name: str | None = None
    literal: int = 1
    factor: int = 1
    or_one: bool = False
    is_rest: bool = False
    is_optional: bool = False

    def __str__(self) -> str:
        if self.name is None:
            return "1..." if self.is_rest else "[1]" if self.is_optional else str(self.literal)
        words = self.name.replace("_", " ")
        product = f"{self.factor} * {words}" if self.factor > 1 else words
        return product + (" or 1" if self.or_one else "") + ("..." if self.is_rest else "")


class Mismatch(NamedTuple):
    """Where sizes do not fit: the dimension (None for all of them), and what would."""

    dimension: int | None
    expected: str
    size: int | None


Bound = dict[str, Any]
"""Names with their sizes: a number, or a tuple for those of `*name`."""


@dataclass(frozen=True)
class Pattern:
    """The sizes of one tensor."""

    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self.terms)) + "}"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(term.name for term in self.terms if term.name is not None)

    def match(self, sizes: Sequence[int], bound: Bound) -> list[Mismatch]:
        """Everything that does not fit; names that are new are bound."""
        placed = self._placed(len(sizes))
        if placed is None:
            return [Mismatch(None, str(self), None)]
        found: list[Mismatch] = []
        for term, start, stop in placed:
            if term.is_rest:
                found += _match_rest(term, sizes[start:stop], start, bound)
            elif start < stop:
                found += _match_one(term, sizes[start], start, bound)
        return found

    def build(self, bound: Mapping[str, Any]) -> tuple[int, ...] | None:
        """The sizes, where all names are bound; optional leading 1s are left out."""
        sizes: list[int] = []
        for term in self.terms:
            if term.name is not None and term.name not in bound:
                return None
            value: Any = bound[term.name] if term.name is not None else term.literal
            if term.is_rest:
                sizes += value if term.name is not None else ()
            elif not term.is_optional:
                sizes.append(value * term.factor)
        return tuple(sizes)

    def _placed(self, rank: int) -> list[tuple[Term, int, int]] | None:
        """The range of dimensions of each term; None where there are too few or too many."""
        optional = sum(term.is_optional for term in self.terms)
        rest = any(term.is_rest for term in self.terms)
        required = sum(not term.is_optional and not term.is_rest for term in self.terms)
        spare = rank - required
        if spare < 0 or (not rest and spare > optional):
            return None
        leading, place, placed = min(spare, optional), 0, []
        for term in self.terms:
            count = 1
            if term.is_optional:
                count, leading = (1, leading - 1) if leading else (0, 0)
            elif term.is_rest:
                count = spare - min(spare, optional)
            placed.append((term, place, place + count))
            place += count
        return placed


def _match_one(term: Term, size: int, place: int, bound: Bound) -> list[Mismatch]:
    if term.name is None:
        return [] if size == term.literal else [Mismatch(place, str(term.literal), term.literal)]
    if term.or_one and size == 1:
        return []
    if term.name not in bound:
        if size % term.factor:
            return [Mismatch(place, f"a multiple of {term.factor}", None)]
        bound[term.name] = size // term.factor
        return []
    wanted = bound[term.name] * term.factor
    if size == wanted:
        return []
    return [Mismatch(place, f"{wanted} ({term})", wanted)]


def _match_rest(term: Term, sizes: Sequence[int], start: int, bound: Bound) -> list[Mismatch]:
    if term.name is None:
        return [Mismatch(start + i, "1", 1) for i, size in enumerate(sizes) if size != 1]
    if term.name not in bound:
        bound[term.name] = tuple(sizes)
        return []
    wanted = tuple(bound[term.name])
    if len(wanted) != len(sizes):
        return [Mismatch(None, f"{wanted} ({term}) from dimension {start} on", None)]
    pairs = enumerate(zip(sizes, wanted, strict=True))
    return [
        Mismatch(start + i, f"{size} ({term})", size)
        for i, (found, size) in pairs
        if found != size and not (term.or_one and found == 1)
    ]


@cache
def parse(text: str) -> Pattern:
    """A pattern from its text."""
    return Pattern(tuple(_parse_term(word) for word in text.split()))


def _parse_term(word: str) -> Term:
    found = _TERM.fullmatch(word)
    if found is None:
        raise ValueError(f"no term of a pattern of sizes: {word!r}")
    if found["optional"]:
        return Term(is_optional=True)
    if found["ones"]:
        return Term(is_rest=True)
    if found["name"] is None:
        return Term(literal=int(word))
    return Term(
        found["name"],
        factor=int(found["factor"] or 1),
        or_one=found["one"] is not None,
        is_rest=found["rest"] is not None,
    )
