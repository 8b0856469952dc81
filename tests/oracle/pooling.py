"""Pooling and its gradients: every output element looks at one window of the input."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.oracle.moves import Index, Tensor, indices


@dataclass(frozen=True)
class Windows:
    """Where windows lie, per spatial dimension."""

    window: Index
    strides: Index
    before: Index
    after: Index
    dilations: Index

    def counts(self, spatial: Sequence[int]) -> Index:
        """How many windows fit into the padded input."""
        rows = zip(spatial, self.window, self.strides, self.before, self.after, self.dilations, strict=True)
        return tuple((n + a + b - (1 + (w - 1) * d)) // s + 1 for n, w, s, a, b, d in rows)

    def taps(self, place: Index) -> Iterator[Index]:
        """The places in the input that one window reads, in row-major order; those in the padding too."""
        for tap in indices(self.window):
            rows = zip(place, tap, self.strides, self.before, self.dilations, strict=True)
            yield tuple(k * s + t * d - a for k, t, s, a, d in rows)

    def inside(self, place: Index, spatial: Sequence[int]) -> list[Index]:
        """Of the places that one window reads those that are not padding."""
        return [at for at in self.taps(place) if all(0 <= k < n for k, n in zip(at, spatial, strict=True))]


def average(x: Tensor, sizes: Index, windows: Windows, include_padding: bool) -> Tensor:
    result = {}
    for i in indices((*sizes[:2], *windows.counts(sizes[2:]))):
        places = windows.inside(i[2:], sizes[2:])
        count = math.prod(windows.window) if include_padding else len(places)
        result[i] = sum(x[(*i[:2], *at)] for at in places) / count
    return result


def average_gradient(gradient: Tensor, sizes: Index, windows: Windows, include_padding: bool) -> Tensor:
    """Every window hands its gradient to its elements in equal parts."""
    result: Tensor = dict.fromkeys(indices(sizes), 0.0)
    for i in indices((*sizes[:2], *windows.counts(sizes[2:]))):
        places = windows.inside(i[2:], sizes[2:])
        count = math.prod(windows.window) if include_padding else len(places)
        for at in places:
            result[(*i[:2], *at)] += gradient[i] / count
    return result


def lp_norm(x: Tensor, sizes: Index, windows: Windows, p: int) -> Tensor:
    """The p-th root of the sum of the p-th powers of magnitudes."""
    result = {}
    for i in indices((*sizes[:2], *windows.counts(sizes[2:]))):
        total = math.fsum(abs(x[(*i[:2], *at)]) ** p for at in windows.inside(i[2:], sizes[2:]))
        result[i] = total ** (1 / p)
    return result


def maximum_places(x: Tensor, sizes: Index, windows: Windows) -> dict[Index, Index]:
    """The index of the largest element of every window, the first of equal ones."""
    result = {}
    for i in indices((*sizes[:2], *windows.counts(sizes[2:]))):
        result[i] = max(((*i[:2], *at) for at in windows.inside(i[2:], sizes[2:])), key=lambda place: x[place])
    return result


def flat(place: Index, sizes: Index) -> int:
    """The number of an element when all are counted in row-major order."""
    number = 0
    for k, n in zip(place, sizes, strict=True):
        number = number * n + k
    return number


def maximum_gradient(x: Tensor, sizes: Index, gradient: Tensor, windows: Windows) -> dict[Index, list[float]]:
    """For every element the gradients of the windows whose largest element it is; they add up."""
    result: dict[Index, list[float]] = {i: [] for i in indices(sizes)}
    for i, place in maximum_places(x, sizes, windows).items():
        result[place].append(gradient[i])
    return result


def unpool(x: Tensor, places: Tensor, sizes: Index) -> Tensor:
    """Every element goes to its place in the row-major output; all others are 0."""
    by_number = {places[i]: value for i, value in x.items()}
    return {i: by_number.get(flat(i, sizes), 0) for i in indices(sizes)}


def regions(x: Tensor, sizes: Index, rois: Tensor, count: int, scale: float, pooled: tuple[int, int]) -> Tensor:
    """ROI pooling: a region of pixels, corners included, in `pooled` rows and columns of bins, the largest of each."""
    result = {}
    for roi, channel, row, column in indices((count, sizes[1], *pooled)):
        batch, left, top, right, bottom = (rois[0, 0, roi, k] for k in range(5))
        rows = _bin(top * scale, bottom * scale, row, pooled[0], sizes[2])
        columns = _bin(left * scale, right * scale, column, pooled[1], sizes[3])
        result[roi, channel, row, column] = max(x[int(batch), channel, h, w] for h in rows for w in columns)
    return result


def _bin(first: float, last: float, number: int, count: int, size: int) -> range:
    """The pixels of one bin: bins share the region's pixels as evenly as whole pixels allow, and may overlap."""
    start = math.floor(first + 0.5)
    length = math.floor(last + 0.5) - start + 1
    low = number * length // count + start
    high = ((number + 1) * length + count - 1) // count + start
    return range(max(low, 0), min(high, size))
