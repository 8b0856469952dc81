"""Resampling along axes: where output elements lie in the input, what they take from it, and the way back.

Axes are resampled one after the other. An axis is a list of taps: for each output element the place of an input
element, and its weight. The transpose of resampling spreads each output element over the same taps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from anydml.core.enums import AxisDirection
from anydml.operators.indexing import add_at, flat_places, steps_along

Taps = Iterable[tuple[Any, Any]]
"""Places in the input and weights, one for each output element; None as weight means 1."""
_GRID = 2.0**20
"""Means of integers are whole numbers but for rounding errors when they are so close to one on a grid this fine."""


@dataclass(frozen=True)
class Scaling:
    """How one axis is resampled: output = (input + input_offset) * scale + output_offset, for places on the axis."""

    size: int
    count: int
    scale: float
    input_offset: float = 0.5
    output_offset: float = -0.5

    @property
    def is_identity(self) -> bool:
        return self.size == self.count and self.scale == 1 and self.input_offset == -self.output_offset

    def places(self, xp: Any) -> Any:
        """Where in the input each output element lies, in float64."""
        return (xp.arange(self.count, dtype=xp.float64) - self.output_offset) / self.scale - self.input_offset

    def nearest(self, xp: Any, direction: AxisDirection) -> Taps:
        """The element before or after each place; edges are held."""
        turn = xp.ceil if direction is AxisDirection.INCREASING else xp.floor
        return [(xp.clip(turn(self.places(xp)), 0, self.size - 1).astype(xp.int64), None)]

    def linear(self, xp: Any) -> Taps:
        """The two elements around each place; edges are held."""
        places = xp.clip(self.places(xp), 0, self.size - 1)
        low = xp.floor(places)
        weight = places - low
        high = xp.minimum(low + 1, self.size - 1)
        return [(low.astype(xp.int64), 1 - weight), (high.astype(xp.int64), weight)]

    def antialiased(self, xp: Any) -> Taps:
        """A triangle, wider than that of `linear` by 1 / scale: every input element under it counts; edges are held."""
        radius, places, last = 1 / self.scale, self.places(xp), self.size - 1
        total, before = (_triangle_sum(xp, places, radius, end) for end in (xp.inf, -1))
        after = _triangle_sum(xp, last - places, radius, -1)
        count = min(2 * ceil(min(radius, self.size)) + 1, self.size)
        first = xp.clip(xp.floor(places - radius) + 1, 0, self.size - count)
        for k in range(count):
            element = first + k
            weight = xp.maximum(1 - xp.abs(element - places) / radius, 0)
            # What lies outside repeats the edges.
            weight = weight + xp.where(element == 0, before, 0) + xp.where(element == last, after, 0)
            yield element.astype(xp.int64), weight / total


def _triangle_sum(xp: Any, center: Any, radius: float, end: float) -> Any:
    """The sum of max(0, 1 - |i - center| / radius) over all whole numbers i up to an end."""
    middle = xp.floor(center)
    rising = _arithmetic_sum(xp, center, radius, xp.ceil(center - radius), xp.minimum(middle, end), 1)
    return rising + _arithmetic_sum(xp, center, radius, middle + 1, xp.minimum(xp.floor(center + radius), end), -1)


def _arithmetic_sum(xp: Any, center: Any, radius: float, first: Any, last: Any, slope: int) -> Any:
    """The sum of 1 + slope * (i - center) / radius over the whole numbers from first to last, if there are any."""
    count = xp.maximum(last - first + 1, 0)
    return count * (1 + slope * ((first + last) / 2 - center) / radius)


def resample(xp: Any, array: Any, axes: Iterable[tuple[int, Taps]]) -> Any:
    """Every axis replaced by the weighted sum of its taps."""
    for axis, taps in axes:
        array = sum_of(_weighted(xp, xp.take(array, place, axis=axis), weight, axis) for place, weight in taps)
    return array


def spread(xp: Any, array: Any, axes: Iterable[tuple[int, Taps, int]]) -> Any:
    """The transpose of `resample`; each axis gets back the size that is given with its taps."""
    for axis, taps, size in axes:
        shape = [*array.shape[:axis], size, *array.shape[axis + 1 :]]
        steps = [steps_along(xp, k, array.ndim, n) for k, n in enumerate(array.shape)]
        parts = []
        for place, weight in taps:
            steps[axis] = place.reshape(steps[axis].shape)
            target = flat_places(xp, steps, shape)
            count = array.size // array.shape[axis] * size
            parts.append(add_at(xp, count, target, _weighted(xp, array, weight, axis)))
        array = sum_of(parts).reshape(shape)
    return array


def _weighted(xp: Any, array: Any, weight: Any, axis: int) -> Any:
    """The array times a weight for each place along an axis; what has no weight is 0, also where it is infinite."""
    if weight is None:
        return array
    shaped = weight.reshape([-1 if k == axis else 1 for k in range(array.ndim)]).astype(array.dtype)
    return xp.where(shaped != 0, array, array.dtype.type(0)) * shaped


def sum_of(parts: Iterable[Any]) -> Any:
    total = None
    for part in parts:
        total = part if total is None else total + part
    return total


def by_growth(scalings: Sequence[Scaling]) -> list[tuple[int, Scaling]]:
    """The axes that change, those that grow least first: no intermediate is larger than both input and output."""
    changing = [(axis, scaling) for axis, scaling in enumerate(scalings) if not scaling.is_identity]
    return sorted(changing, key=lambda item: item[1].count / item[1].size)


def cut_off(xp: Any, array: Any) -> Any:
    """Means of integers without the errors of computing them, which would be seen where a fraction is cut off."""
    return xp.rint(array * _GRID) / _GRID
