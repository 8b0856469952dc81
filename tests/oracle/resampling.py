"""Resampling: which input elements an output element is made of, with which weights, per dimension.

Coordinates are exact fractions. The output coordinate o lies at (o - output offset) / scale - input offset of the
input; reads beyond an edge show the edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor, prod

from tests.oracle.inexact import UNIT, Inexact, total
from tests.oracle.moves import Index, Tensor, indices
from tests.oracle.quantized import is_power_of_two

NEARLY = Fraction(1, 2**14)
"""Coordinates this near to where the nearest element changes may be rounded to either side."""
HALF = Fraction(1, 2)
Taps = list[tuple[int, Fraction]]


@dataclass(frozen=True)
class Sampling:
    """One dimension. `rounding` is how a coordinate becomes an element: "nearest" (halves down), "ceil", "floor", or
    "linear" for a blend of two, or "stretched" for one of all that a filter as wide as the shrinking reaches."""

    size: int
    scale: Fraction
    input_offset: Fraction
    output_offset: Fraction
    rounding: str

    def coordinate(self, place: int) -> Fraction:
        return (place - self.output_offset) / self.scale - self.input_offset

    def clamped(self, place: int) -> int:
        return min(max(place, 0), self.size - 1)

    def taps(self, place: int) -> Taps | None:
        """Elements and weights for one output coordinate; None where floats may choose another element."""
        x = self.coordinate(place)
        if self.rounding == "linear":
            low = floor(x)
            return merged([(self.clamped(low), 1 - (x - low)), (self.clamped(low + 1), x - low)])
        if self.rounding == "stretched":
            return self.stretched(x)
        chosen = {self.clamped(k) for k in candidates(x, self.rounding)}
        return [(chosen.pop(), Fraction(1))] if len(chosen) == 1 else None

    def stretched(self, x: Fraction) -> Taps:
        """A triangle as wide as 2 / scale, its weights brought to a sum of 1."""
        scale = min(self.scale, Fraction(1))
        places = range(floor(x - 1 / scale), ceil(x + 1 / scale) + 1)
        weights = [(k, max(1 - abs(k - x) * scale, Fraction(0))) for k in places]
        whole = sum(weight for _, weight in weights)
        return merged([(self.clamped(k), weight / whole) for k, weight in weights])


def candidates(x: Fraction, rounding: str) -> list[int]:
    """The element that a coordinate falls on; two of them next to, but not on, a place where that changes."""
    shifted = x - HALF if rounding == "nearest" else x
    function, other = (floor, -1) if rounding == "floor" else (ceil, 1)
    border = round(shifted)
    return [border, border + other] if 0 < abs(shifted - border) < NEARLY else [function(shifted)]


def merged(taps: Taps) -> Taps:
    """One weight per element, without those of weight 0."""
    found: dict[int, Fraction] = {}
    for place, weight in taps:
        found[place] = found.get(place, Fraction(0)) + weight
    return [(place, weight) for place, weight in found.items() if weight]


Weighted = list[tuple[Index, Fraction]]


def weights(samplings: Sequence[Sampling], index: Index) -> Weighted | None:
    """The input elements of one output element, with their weights."""
    taps = [sampling.taps(k) for sampling, k in zip(samplings, index, strict=True)]
    if any(each is None for each in taps):
        return None
    return [
        (tuple(place for place, _ in chosen), prod((weight for _, weight in chosen), start=Fraction(1)))
        for chosen in product(*(each or [] for each in taps))
    ]


def roundings(samplings: Sequence[Sampling], index: Index) -> float:
    """How many roundings the weights of an output element suffer: those of its coordinates, of each dimension."""
    return sum(3 * (1 + abs(float(s.coordinate(k)))) for s, k in zip(samplings, index, strict=True))


def resample(x: Tensor, samplings: Sequence[Sampling], sizes: Index) -> Tensor:
    """Floats; what is left to chance is left out."""
    result: Tensor = {}
    for i in indices(sizes):
        found = weights(samplings, i)
        if found is None:
            continue
        largest = max(abs(x[place]) for place, _ in found)
        value = float(sum(Fraction(x[place]) * weight for place, weight in found))
        exact = len(found) == 1
        result[i] = Inexact(value, 0.0 if exact else (roundings(samplings, i) + len(found)) * UNIT * largest)
    return result


def resample_whole(x: Tensor, samplings: Sequence[Sampling], sizes: Index) -> Tensor:
    """Integers: the blend is cut off toward zero; left out where a whole number is near."""
    result: Tensor = {}
    for i in indices(sizes):
        found = weights(samplings, i)
        if found is None:
            continue
        value = sum((x[place] * weight for place, weight in found), start=Fraction(0))
        exact = value.denominator == 1 and all(is_power_of_two(Fraction(1, w.denominator)) for _, w in found)
        if exact or abs(value - round(value)) > NEARLY:
            result[i] = int(value)
    return result


def spread(gradient: Tensor, samplings: Sequence[Sampling], sizes: Index, whole: Index) -> Tensor:
    """The transpose: every gradient goes to the elements its output was made of, by their weights."""
    parts: dict[Index, list[Inexact]] = {i: [] for i in indices(whole)}
    for i in indices(sizes):
        found = weights(samplings, i)
        assert found is not None, "floats may choose another element"
        error = abs(gradient[i]) * UNIT * roundings(samplings, i) if len(found) > 1 else 0.0
        for place, weight in found:
            parts[place].append(Inexact(gradient[i] * float(weight), error))
    return {i: total(each) for i, each in parts.items()}
