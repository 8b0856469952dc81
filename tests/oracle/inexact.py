"""Numbers that know how far a computation in single precision may miss them.

Every operation adds one rounding, the distance of its result to the next float of single precision at most, and hands
on the errors of its operands. Formulas written with `+ - * /` work on plain numbers and on these alike; sums are taken
by `total` and `dot`, whose bounds hold for any order of addition.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

UNIT = 2.0**-23
"""One rounding, as a part of the rounded number; also where a result is not rounded to nearest."""


class Inexact:
    """A number and the largest distance at which a result in single precision may lie."""

    __slots__ = ("error", "value")

    def __init__(self, value: float, error: float = 0.0) -> None:
        self.value = value
        self.error = error

    def __repr__(self) -> str:
        return f"{self.value!r} ± {self.error:.3g}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Inexact) and (self.value, self.error) == (other.value, other.error)

    def __hash__(self) -> int:
        return hash((self.value, self.error))

    def __neg__(self) -> Inexact:
        return Inexact(-self.value, self.error)

    def __add__(self, other: Inexact | float) -> Inexact:
        b = lift(other)
        return rounded(self.value + b.value, self.error + b.error)

    def __sub__(self, other: Inexact | float) -> Inexact:
        return self + -lift(other)

    def __mul__(self, other: Inexact | float) -> Inexact:
        b = lift(other)
        spread = abs(self.value) * b.error + abs(b.value) * self.error + self.error * b.error
        return rounded(self.value * b.value, spread)

    def __truediv__(self, other: Inexact | float) -> Inexact:
        b = lift(other)
        quotient = self.value / b.value
        nearest = max(abs(b.value) - b.error, 0.0)
        return rounded(quotient, (self.error + abs(quotient) * b.error) / nearest if nearest else math.inf)

    def __radd__(self, other: float) -> Inexact:
        return self + other

    def __rsub__(self, other: float) -> Inexact:
        return -self + other

    def __rmul__(self, other: float) -> Inexact:
        return self * other

    def __rtruediv__(self, other: float) -> Inexact:
        return lift(other) / self


def lift(number: Inexact | float) -> Inexact:
    return number if isinstance(number, Inexact) else Inexact(float(number))


def rounded(value: float, error: float, roundings: int = 1) -> Inexact:
    return Inexact(value, error + roundings * UNIT * abs(value))


def apply(function: Callable[[float], float], number: Inexact | float, roundings: int = 6) -> Inexact:
    """A function of a number: as far off as at the ends of the number's range, plus the function's own roundings."""
    x = lift(number)
    value = function(x.value)
    ends = [abs(function(end) - value) for end in (x.value - x.error, x.value + x.error)] if x.error else [0.0]
    return rounded(value, max(ends), roundings)


def square_root(number: Inexact | float) -> Inexact:
    return apply(lambda x: math.sqrt(max(x, 0.0)), number, 2)


def total(numbers: Iterable[Inexact | float]) -> Inexact:
    """The sum in any order: every partial sum is at most the sum of the magnitudes."""
    found = [lift(number) for number in numbers]
    magnitude = math.fsum(abs(x.value) for x in found)
    error = math.fsum(x.error for x in found)
    return Inexact(math.fsum(x.value for x in found), error + len(found) * UNIT * magnitude)


def dot(weights: Sequence[float], numbers: Sequence[Inexact]) -> Inexact:
    """The sum of products, as `total` of the products would give it."""
    products = [w * x.value for w, x in zip(weights, numbers, strict=True)]
    error = math.fsum(abs(w) * x.error for w, x in zip(weights, numbers, strict=True))
    magnitude = math.fsum(map(abs, products))
    return Inexact(math.fsum(products), error + (len(products) + 1) * UNIT * magnitude)


def sum_of(value: float, magnitude: float, terms: int) -> Inexact:
    """A sum that was taken elsewhere, of so many products whose magnitudes add up to `magnitude`."""
    return Inexact(value, (terms + 2) * UNIT * magnitude)


def mean(numbers: Sequence[Inexact | float]) -> Inexact:
    return total(numbers) / len(numbers)


def softmax(numbers: Sequence[Inexact]) -> list[Inexact]:
    """e to each number, divided by the sum of all; the largest number is subtracted first."""
    highest = max(x.value for x in numbers)
    powers = [apply(math.exp, x - highest) for x in numbers]
    whole = total(powers)
    return [power / whole for power in powers]
