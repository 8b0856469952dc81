"""Samples of regions of interest: where they lie in an image, what they read there, and the way back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any

from anydml.core.enums import InterpolationMode


def pixels_of(xp: Any, images: Any) -> Any:
    """Images with their channels last, so that a pixel lies together in memory."""
    return xp.ascontiguousarray(xp.moveaxis(images, 1, 3))


@dataclass(frozen=True)
class Grid:
    """Attributes of one axis: output elements of each region, and input elements of the image."""

    count: int
    size: int
    scale: float
    input_offset: float
    output_offset: float
    least_samples: int
    most_samples: int
    reaches_corners: bool

    @property
    def sample_limits(self) -> tuple[int, int]:
        """The least and the most samples for each output element.

        A region as large as the image has one sample for each of its elements. Larger ones get no more than that: the
        work is bounded by the tensors, whatever the regions are.
        """
        least = max(self.least_samples, 1)
        enough = max(least, ceil((self.size + 2) / self.count))
        return least, max(min(self.most_samples, enough), least)


@dataclass(frozen=True)
class AxisSample:
    """One sample of every output element along one axis; arrays are by region and output element."""

    exists: Any
    """Whether the region has so many samples."""
    is_inside: Any
    """Whether the sample lies in the image, or at most one element beside it."""
    low: Any
    high: Any
    weight: Any
    """That of `high`; 0 for the nearest element."""
    slope: tuple[Any, Any]
    """The derivatives of the place by the region's start and by its end; 0 where the value does not follow it."""


class AxisSamples:
    """All samples of regions along one axis."""

    def __init__(self, xp: Any, grid: Grid, first: Any, last: Any, mode: InterpolationMode) -> None:
        self.xp, self.grid, self.mode = xp, grid, mode
        self.least, self.most = grid.sample_limits
        self.start, extent = first * grid.scale, (last - first) * grid.scale
        wanted = xp.ceil(extent / grid.count)
        self.samples = xp.clip(xp.where(wanted == wanted, wanted, self.least), self.least, self.most)
        steps = grid.count * self.samples
        self.steps = xp.maximum(steps - 1, 1) if grid.reaches_corners else steps
        self.step = extent / self.steps

    def __iter__(self) -> Iterator[AxisSample]:
        return (self._sample(number) for number in range(self.most))

    def _sample(self, number: int) -> AxisSample:
        xp, grid = self.xp, self.grid
        elements = xp.arange(grid.count, dtype=xp.float64)
        turn = elements * self.samples[:, None] + number - grid.output_offset
        place = turn * self.step[:, None] + self.start[:, None] - grid.input_offset
        is_inside = (place >= -1) & (place <= grid.size)
        follows = (place >= 0) & (place <= grid.size - 1)
        held = xp.clip(xp.where(is_inside, place, 0), 0, grid.size - 1)
        exists = xp.broadcast_to(number < self.samples[:, None], place.shape)
        if self.mode is InterpolationMode.NEAREST_NEIGHBOR:
            # Of two elements that are equally near, the first.
            low = xp.clip(xp.ceil(held - 0.5), 0, grid.size - 1).astype(xp.int64)
            nothing = xp.zeros_like(place)
            return AxisSample(exists, is_inside, low, low, nothing, (nothing, nothing))
        low = xp.floor(held)
        high = xp.minimum(low + 1, grid.size - 1)
        share = turn / self.steps[:, None]
        slope = xp.where(follows, (1 - share) * grid.scale, 0), xp.where(follows, share * grid.scale, 0)
        return AxisSample(exists, is_inside, low.astype(xp.int64), high.astype(xp.int64), held - low, slope)


@dataclass(frozen=True)
class Sample:
    """One sample of every output element; arrays are by region, row and column, those of values by channel too."""

    xp: Any
    image: Any
    """The image of each region."""
    y: AxisSample
    x: AxisSample

    @property
    def exists(self) -> Any:
        return (self.y.exists[:, :, None] & self.x.exists[:, None, :])[..., None]

    @property
    def is_inside(self) -> Any:
        return (self.y.is_inside[:, :, None] & self.x.is_inside[:, None, :])[..., None]

    def corners(self, height: int, width: int) -> Iterator[tuple[Any, Any, Any]]:
        """The four pixels around the sample, row by row: which of all pixels, and the two factors of its weight."""
        rows = ((self.y.low, 1 - self.y.weight), (self.y.high, self.y.weight))
        columns = ((self.x.low, 1 - self.x.weight), (self.x.high, self.x.weight))
        for row, down in rows:
            for column, right in columns:
                pixel = (self.image[:, None, None] * height + row[:, :, None]) * width + column[:, None, :]
                yield pixel, down[:, :, None, None], right[:, None, :, None]

    def pixels(self, image: Any) -> list[Any]:
        """The values of the four pixels; images are (batch, height, width, channels)."""
        _, height, width, channels = image.shape
        flat = image.reshape(-1, channels)
        return [self.xp.take(flat, pixel, axis=0) for pixel, _, _ in self.corners(height, width)]

    def value(self, image: Any, outside: float) -> Any:
        """The interpolated value; a given one outside the image."""
        top_left, top_right, bottom_left, bottom_right = self.pixels(image)
        right, down = self.x.weight[:, None, :, None], self.y.weight[:, :, None, None]
        top, bottom = self._blend(top_left, top_right, right), self._blend(bottom_left, bottom_right, right)
        inside = self._blend(top, bottom, down)
        return self.xp.where(self.is_inside, inside, inside.dtype.type(outside))

    def _blend(self, first: Any, second: Any, weight: Any) -> Any:
        """What has no weight does not count, also where it is infinite."""
        share = weight.astype(first.dtype)
        return first * (1 - share) + self.xp.where(share > 0, second, first.dtype.type(0)) * share

    def slopes(self, image: Any) -> tuple[Any, Any]:
        """The derivative of the value by the sample's column and by its row."""
        top_left, top_right, bottom_left, bottom_right = self.pixels(image)
        right, down = self.x.weight[:, None, :, None], self.y.weight[:, :, None, None]
        right, down = right.astype(image.dtype), down.astype(image.dtype)
        by_column = (1 - down) * (top_right - top_left) + down * (bottom_right - bottom_left)
        by_row = (1 - right) * (bottom_left - top_left) + right * (bottom_right - top_right)
        return by_column, by_row


class Regions:
    """The samples of all regions: those of their rows times those of their columns."""

    def __init__(self, xp: Any, rois: Any, images: Any, y: Grid, x: Grid, mode: InterpolationMode) -> None:
        corners = rois.reshape(-1, 4).astype(xp.float64)
        self.xp, self.images = xp, images
        self.x = AxisSamples(xp, x, corners[:, 0], corners[:, 2], mode)
        self.y = AxisSamples(xp, y, corners[:, 1], corners[:, 3], mode)

    @property
    def sample_count(self) -> Any:
        """How many samples each output element of a region has."""
        return (self.x.samples * self.y.samples)[:, None, None, None]

    def __iter__(self) -> Iterator[Sample]:
        for row in self.y:
            for column in self.x:
                yield Sample(self.xp, self.images, row, column)
