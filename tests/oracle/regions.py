"""ROI align: sample points of every region, what lies there, and how that changes with input and region.

A sample lies at (s - output offset) * (region / samples) + region start - input offset, for each of both axes. Beyond
one pixel outside the input there is only the value for out of bounds; nearer, the edge is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from tests.oracle.inexact import UNIT, Inexact, total
from tests.oracle.moves import Index, Tensor, indices

NEARLY = Fraction(1, 2**12)
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Align:
    """What all regions share; pairs are for y and x."""

    scale: tuple[Fraction, Fraction]
    input_offset: Fraction
    output_offset: Fraction
    outside: float
    samples: tuple[int, int]
    """The least and the most samples per output element and axis."""
    to_corners: bool
    linear: bool
    maximum: bool


@dataclass(frozen=True)
class Sample:
    """A place on one axis: its two neighbours and the weight of the second, or neither where it is out of bounds.

    `slope` is how the coordinate changes with the start and with the end of the region.
    """

    coordinate: Fraction
    slope: tuple[Fraction, Fraction]
    low: int
    high: int
    weight: Fraction
    inside: bool = True

    @property
    def is_smooth(self) -> bool:
        """Whether the blend changes evenly here: not at a pixel itself, and not where the edge is shown."""
        return abs(self.coordinate - self.low - self.weight) == 0 and NEARLY < self.weight < 1 - NEARLY

    @property
    def taps(self) -> list[tuple[int, Fraction]]:
        return [(self.low, 1 - self.weight), (self.high, self.weight)] if self.weight else [(self.low, Fraction(1))]


Axis = list[list[Sample]]


def axis_samples(start: Fraction, end: Fraction, count: int, size: int, how: Align, scale: Fraction) -> Axis | None:
    """The samples of every output element along one axis; None where floats may decide otherwise."""
    region = (end - start) * scale
    per_output = samples_per_output(region / count, how.samples)
    if per_output is None:
        return None
    whole = count * per_output - (1 if how.to_corners else 0)
    rows: Axis = []
    for number in range(count):
        row = []
        for k in range(number * per_output, (number + 1) * per_output):
            part = (k - how.output_offset) / whole
            place = part * region + start * scale - how.input_offset
            found = located(place, size, how.linear)
            if found is None:
                return None
            row.append(Sample(place, (scale * (1 - part), scale * part), *found))
        rows.append(row)
    return rows


def samples_per_output(length: Fraction, limits: tuple[int, int]) -> int | None:
    """As many as the region has pixels per output element, rounded up, within the limits."""
    off = length - round(length)
    if 0 < abs(off) < NEARLY and limits[0] < limits[1]:
        return None
    return min(max(ceil(length), limits[0]), limits[1])


def located(x: Fraction, size: int, linear: bool) -> tuple[int, int, Fraction, bool] | None:
    """Neighbours, weight of the second, and whether inside; None where floats may decide otherwise."""
    if min(abs(x + 1), abs(x - size)) < NEARLY:
        return None
    if x < -1 or x > size:
        return 0, 0, Fraction(0), False
    held = min(max(x, Fraction(0)), Fraction(size - 1))
    if linear:
        low = min(floor(held), max(size - 2, 0))
        return low, min(low + 1, size - 1), held - low, True
    shifted = held - HALF
    if 0 < abs(shifted - round(shifted)) < NEARLY or (held != x and abs(held - x) >= HALF):
        return None
    place = ceil(shifted)
    return place, place, Fraction(0), True


@dataclass(frozen=True)
class Point:
    """One sample of an output element: input elements with weights, and the two axes it came from."""

    taps: list[tuple[tuple[int, int], Fraction]]
    y: Sample
    x: Sample

    @property
    def inside(self) -> bool:
        return self.y.inside and self.x.inside

    def value(self, image: Tensor, lead: Index, outside: float) -> Inexact:
        if not self.inside:
            return Inexact(outside)
        reads = [(image[(*lead, *place)], float(weight)) for place, weight in self.taps]
        largest = max(abs(v) for v, _ in reads)
        roundings = 0.0 if len(reads) == 1 else 16 + 6 * float(abs(self.y.coordinate) + abs(self.x.coordinate))
        return Inexact(sum(v * weight for v, weight in reads), roundings * UNIT * largest)


def points(region: list[Fraction], pooled: Index, sizes: Index, how: Align) -> list[list[list[Point]]] | None:
    """The samples of every output element of one region, by row and column."""
    left, top, right, bottom = region
    rows = axis_samples(top, bottom, pooled[0], sizes[0], how, how.scale[0])
    columns = axis_samples(left, right, pooled[1], sizes[1], how, how.scale[1])
    if rows is None or columns is None:
        return None
    return [[[_point(y, x) for y in row for x in column] for column in columns] for row in rows]


def _point(y: Sample, x: Sample) -> Point:
    return Point([((h, w), a * b) for h, a in y.taps for w, b in x.taps], y, x)


def align(
    image: Tensor, sizes: Index, regions: list[list[Fraction]], batches: list[int], pooled: Index, how: Align
) -> Tensor:
    """The mean or the largest of the samples of every output element; regions that floats may see otherwise are out."""
    result: Tensor = {}
    for roi, region in enumerate(regions):
        found = points(region, pooled, sizes[2:], how)
        for channel, row, column in indices((sizes[1], *pooled)) if found else ():
            values = [p.value(image, (batches[roi], channel), how.outside) for p in (found or [])[row][column]]
            result[roi, channel, row, column] = largest_of(values) if how.maximum else total(values) / len(values)
    return result


def largest_of(values: list[Inexact]) -> Inexact:
    return Inexact(max(v.value for v in values), max(v.error for v in values))


@dataclass
class Slopes:
    """Gradients by place: the parts that add up, and the places that no document defines."""

    parts: dict[Index, list[Inexact]]
    unknown: set[Index]

    @classmethod
    def of(cls, sizes: Index) -> Slopes:
        return cls({i: [] for i in indices(sizes)}, set())

    def add(self, place: Index, value: float, magnitude: float, point: Point) -> None:
        reach = 16 + 6 * float(abs(point.y.coordinate) + abs(point.x.coordinate))
        self.parts[place].append(Inexact(value, UNIT * abs(magnitude) * reach))

    def known(self) -> Tensor:
        return {i: total(v) for i, v in self.parts.items() if i not in self.unknown}


@dataclass(frozen=True)
class Gradients:
    """How the weighted sum of all outputs changes with the input and with the corners of every region."""

    image: Tensor | None
    gradient: Tensor
    sizes: Index
    batches: list[int]
    how: Align
    inputs: Slopes
    corners: Slopes

    def add(self, roi: int, region: list[Fraction], pooled: Index) -> None:
        found = points(region, pooled, self.sizes[2:], self.how)
        assert found is not None, "floats may decide otherwise"
        for channel, row, column in indices((self.sizes[1], *pooled)):
            lead, slope = (self.batches[roi], channel), self.gradient[roi, channel, row, column]
            samples = found[row][column]
            taking = self.taking(samples, lead)
            if taking is None:
                self.forget(roi, lead, samples)
                continue
            for point in taking:
                self.hand_on(roi, lead, point, slope / len(taking))

    def taking(self, samples: list[Point], lead: Index) -> list[Point] | None:
        """The samples that share an output's gradient: all, or the largest; None where that one is not certain."""
        if not self.how.maximum:
            return samples
        assert self.image is not None
        if not all(point.inside for point in samples):
            return None
        ranked = sorted(samples, key=lambda point: -self.value(point, lead))
        rivals = [p for p in ranked[1:] if self.value(ranked[0], lead) - self.value(p, lead) < float(NEARLY)]
        return None if any(sorted(p.taps) != sorted(ranked[0].taps) for p in rivals) else ranked[:1]

    def value(self, point: Point, lead: Index) -> float:
        return point.value(self.image or {}, lead, 0.0).value

    def forget(self, roi: int, lead: Index, samples: list[Point]) -> None:
        """Any of the samples may have been the largest."""
        for point in samples:
            self.inputs.unknown.update((*lead, *place) for place, _ in point.taps)
        self.corners.unknown.update((roi, corner) for corner in range(4))

    def hand_on(self, roi: int, lead: Index, point: Point, share: float) -> None:
        """A sample outside of the input depends on nothing."""
        if not point.inside:
            return
        for place, weight in point.taps:
            self.inputs.add((*lead, *place), share * float(weight), share, point)
        if self.image is None or not self.how.linear:
            return
        if not (point.y.is_smooth and point.x.is_smooth):
            self.corners.unknown.update((roi, corner) for corner in range(4))
        for corner, number in moves(point, self.image, lead):
            self.corners.add((roi, corner), share * number, share * number, point)


def moves(point: Point, image: Tensor, lead: Index) -> list[tuple[int, float]]:
    """How the blend at a point changes with x1, y1, x2 and y2 of its region."""
    y, x = point.y, point.x

    def difference(first: tuple[int, int], second: tuple[int, int]) -> Fraction:
        return Fraction(image[(*lead, *second)]) - Fraction(image[(*lead, *first)])

    left, right = (difference((y.low, w), (y.high, w)) for w in (x.low, x.high))
    top, bottom = (difference((h, x.low), (h, x.high)) for h in (y.low, y.high))
    down = (1 - x.weight) * left + x.weight * right
    across = (1 - y.weight) * top + y.weight * bottom
    slopes = (across * x.slope[0], down * y.slope[0], across * x.slope[1], down * y.slope[1])
    return [(corner, float(number)) for corner, number in enumerate(slopes)]
