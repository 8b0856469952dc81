"""Named axis orders: NCHW, NHWC, DHW, WHD and any other permutation of letters.

Sizes and strides are always written in the logical order of the axes (N, C, D, H, W, as DirectML fixes it);
the name says how memory is ordered, slowest axis first.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

from anydml.core.errors import InvalidDescriptionError, Violation, counted, shown
from anydml.core.fixes import Advice, Either, Fix, Use
from anydml.core.outside import as_text
from anydml.core.rules import rule

if TYPE_CHECKING:
    from anydml.core.layout import Layout

ORDER_LETTERS = rule("order.letters", "An order names each axis by one letter, once.")
ORDER_LENGTH = rule("order.length", "An order has as many letters as there are sizes.")
ORDER_AXES = rule("order.axes", "An order uses the letters of the logical axes it is given.")
ORDER_KNOWN = rule(
    "order.known",
    "Letters are N, C, D, H and W, or A, B, C, ... without a gap, unless `axes` tells which size each is of.",
)
DEFAULT_AXES = {1: "W", 2: "HW", 3: "DHW", 4: "NCHW", 5: "NCDHW"}
_CONVENTION = "NCDHW"
_ALPHABET = "ABCDEFGH"
_MANY = 24


def logical_axes(order: str) -> str:
    """The logical order of these letters: N, C, D, H, W where those are meant, else A, B, C, ..."""
    if set(order) <= set(_CONVENTION):
        return "".join(sorted(order, key=_CONVENTION.index))
    return "".join(sorted(order))


def _unknown_letters(letters: str) -> list[str]:
    """Letters whose place among the sizes nobody has told; guessing one would lay out memory wrongly."""
    if set(letters) == set(_ALPHABET[: len(letters)]):
        return []
    known = _CONVENTION if len(letters) <= len(_CONVENTION) else default_axes(len(letters))
    return sorted(set(letters) - set(known))


def default_axes(rank: int) -> str:
    """Letters for the axes of a tensor whose user named none."""
    return DEFAULT_AXES.get(rank) or _ALPHABET[:rank]


def check_order(order: object, rank: int, axes: object = None, path: str = "Order") -> list[Violation]:
    """Everything wrong with an order's name."""
    name = as_text(order) or ""
    if not (name.isalpha() and name.isascii()):
        return [ORDER_LETTERS(path, shown(order), "one letter for each axis", "'NCHW' or 'NHWC'")]
    letters = name.upper()
    violations = []
    repeated = sorted(letter for letter, count in Counter(letters).items() if count > 1)
    if repeated:
        found = f"{order!r} with {', '.join(repeated)} repeated"
        violations.append(ORDER_LETTERS(path, found, "each letter once", repr(default_axes(rank))))
    if len(letters) != rank:
        found = f"{order!r} ({counted(len(letters), 'letter')})"
        violations.append(ORDER_LENGTH(path, found, counted(rank, "letter"), _length_fix(letters, rank)))
    unknown = _unknown_letters(letters) if axes is None and not violations else []
    if unknown:
        known = _CONVENTION if rank <= len(_CONVENTION) else default_axes(rank)
        found = f"{order!r} with {', '.join(unknown)}"
        fix = f"{default_axes(rank)!r}, or axes=... with the letters in the order of Sizes"
        violations.append(ORDER_KNOWN(path, found, f"letters of {known}", fix))
    if axes is not None and not violations and sorted((as_text(axes) or "").upper()) != sorted(letters):
        fix = f"axes={logical_axes(letters)!r}"
        violations.append(ORDER_AXES("axes", shown(axes), f"the letters of {name!r} in the order of Sizes", fix))
    return violations


def _length_fix(letters: str, rank: int) -> Fix:
    """The letters without those that tensors of this rank have last need of, or as many sizes as there are letters."""
    if len(letters) < rank or len(set(letters)) < len(letters):
        return Use(default_axes(rank))
    usual = default_axes(rank)
    logical = logical_axes(letters) if set(letters) <= set(_CONVENTION) else logical_axes(letters)[::-1]
    needless = sorted(letters, key=lambda letter: (letter in usual, logical.index(letter)))
    kept = set(needless[len(letters) - rank :])
    shorter = "".join(letter for letter in letters if letter in kept)
    return Either((Use(shorter), Advice(counted(len(letters), "size"))))


def packed_strides(sizes: tuple[int, ...], memory_order: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """Strides with no gaps, the axes lying in memory in this order, slowest first."""
    strides = [0] * len(sizes)
    step = 1
    for axis in reversed(memory_order if memory_order is not None else range(len(sizes))):
        strides[axis] = step
        step *= sizes[axis]
    return tuple(strides)


def order_strides(sizes: tuple[int, ...], order: str, axes: str | None = None) -> tuple[int, ...]:
    """Packed strides, in logical order, of a named memory order."""
    violations = check_order(order, len(sizes), axes)
    if violations:
        raise InvalidDescriptionError(violations)
    letters = order.upper()
    logical = axes.upper() if axes else logical_axes(letters)
    return packed_strides(sizes, tuple(logical.index(letter) for letter in letters))


@dataclass(frozen=True)
class OrderMatch:
    """Which named orders a layout has. More than one name fits when sizes of 1 leave an axis free."""

    axes: str
    names: tuple[str, ...]
    exact: tuple[str, ...]
    """The names whose packed strides equal the layout's in every number, sizes of 1 included."""
    total: int
    """How many names fit; `names` lists at most 24 of them."""

    @property
    def is_ambiguous(self) -> bool:
        return self.total > 1

    def __str__(self) -> str:
        if not self.names:
            return "no named order"
        if not self.is_ambiguous:
            return self.names[0]
        shown = " or ".join(self.names[:2]) + (f" or {self.total - 2} more" if self.total > 2 else "")
        told = f"; the strides as written are those of {self.exact[0]}" if len(self.exact) == 1 else ""
        return f"{shown} (ambiguous: sizes of 1 fit anywhere{told})"


def recognize_order(layout: Layout, axes: str | None = None) -> OrderMatch:
    """The named orders in which walking the elements only ever moves forward in memory."""
    letters = (axes or default_axes(layout.rank)).upper()
    moving = [axis for axis in range(layout.rank) if layout.sizes[axis] > 1]
    backbone = sorted(moving, key=lambda axis: -layout.strides[axis])
    reach = 0  # how far the axes inside go
    for axis in reversed(backbone):
        if layout.strides[axis] <= reach:
            return OrderMatch(letters, (), (), 0)
        reach += (layout.sizes[axis] - 1) * layout.strides[axis]
    unit = [axis for axis in range(layout.rank) if layout.sizes[axis] == 1]
    total = _count_interleavings(len(backbone), len(unit))
    candidates = _interleavings(tuple(backbone), unit)
    conventional = [name for name in ("NCHW", "NHWC", "NCDHW", "NDHWC") if sorted(name) == sorted(letters)]
    names: list[str] = []
    exact: list[str] = []
    for memory_order in candidates:
        name = "".join(letters[axis] for axis in memory_order)
        names.append(name)
        if packed_strides(layout.sizes, memory_order) == layout.strides:
            exact.append(name)
    names.sort(key=lambda name: (name not in conventional, name != letters))
    exact.sort(key=lambda name: (name not in conventional, name != letters))
    return OrderMatch(letters, tuple(names[:_MANY]), tuple(exact[:_MANY]), total)


def _count_interleavings(fixed: int, free: int) -> int:
    total = 1
    for placed in range(free):
        total *= fixed + placed + 1
    return total


def _interleavings(backbone: tuple[int, ...], unit: list[int]) -> list[tuple[int, ...]]:
    """Every memory order that keeps the backbone's order; the unit axes may stand anywhere."""
    rank = len(backbone) + len(unit)
    orders = []
    for places in permutations(range(rank), len(unit)):
        order = [-1] * rank
        for axis, place in zip(unit, places, strict=True):
            order[place] = axis
        rest = iter(backbone)
        orders.append(tuple(axis if axis >= 0 else next(rest) for axis in order))
    return orders
