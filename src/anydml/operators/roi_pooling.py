"""ROI_POOLING: the largest pixels of regions of an image, in a fixed number of bins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Float, Operator, Size2D, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.roi_sampling import pixels_of
from anydml.operators.sliding import along
from anydml.operators.types import FLOAT_16_32

POOLED = rule("roi-pooling.size", "The pooled width and height are at least 1.")
_FLOATS = {"1.0": FLOAT_16_32}
_FARTHEST = 2**30
"""Corners beyond it, which no image reaches, are held there, so that sums of them stay exact."""


class RoiPooling(Operator, since="1.0", id=59):
    """Cuts each region of interest into bins, rounded to whole pixels, and takes the largest pixel of each."""

    rank = {"1.0": (4, 4)}
    input_tensor: TensorDesc = tensor_input(_FLOATS)
    roi_tensor: TensorDesc = tensor_input(_FLOATS)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    spatial_scale: float = attribute(Float(), default=1.0)
    pooled_size: tuple[int, int] = attribute(Size2D())
    same = (same("input_tensor roi_tensor output_tensor", "DataType"),)
    sizes_of = {
        "input_tensor": "batch channels height width",
        "roi_tensor": "1 1 regions 5",
        "output_tensor": "regions channels pooled_height pooled_width",
    }
    temporary_copies = 6

    @property
    def pooled_width(self) -> int:
        return self.pooled_size[0]

    @property
    def pooled_height(self) -> int:
        return self.pooled_size[1]

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        for name, size in zip(("Width", "Height"), self.pooled_size, strict=True):
            if size < 1:
                yield POOLED(f"PooledSize.{name}", size, "at least 1", Use(1))

    def compute(self, xp: Any, input_tensor: Any, roi_tensor: Any) -> Any:
        batch, channels, height, width = input_tensor.shape
        numbers = roi_tensor.reshape(-1, 5).astype(xp.float64)
        image = held(xp, numbers[:, 0], 0, batch - 1)[:, None, None]
        columns = self._bins(xp, numbers[:, 1], numbers[:, 3], self.pooled_width, width)
        rows = self._bins(xp, numbers[:, 2], numbers[:, 4], self.pooled_height, height)
        pixels = pixels_of(xp, input_tensor)
        best = xp.zeros((numbers.shape[0], self.pooled_height, self.pooled_width, channels), input_tensor.dtype)
        for reach_y, over_rows in _doubled_maxima(xp, pixels, 1):
            for reach_x, table in _doubled_maxima(xp, over_rows, 2):
                is_here = _is_reach(rows, reach_y)[:, :, None] & _is_reach(columns, reach_x)[:, None, :]
                found = _four_corners(xp, table, image, (rows, reach_y), (columns, reach_x))
                best = xp.where(is_here[..., None], found, best)
        return xp.moveaxis(best, 3, 1)

    def _bins(self, xp: Any, first: Any, last: Any, count: int, size: int) -> tuple[Any, Any]:
        """Where the bins of each region begin and end, in whole pixels inside the image."""
        start, stop = (
            held(xp, xp.floor(corner * self.spatial_scale + 0.5), -_FARTHEST, _FARTHEST)[:, None]
            for corner in (first, last)
        )
        length = xp.maximum(stop - start + 1, 1)
        number = xp.arange(count, dtype=xp.int64)
        low = number * length // count + start
        high = -(-(number + 1) * length // count) + start
        return xp.clip(low, 0, size), xp.clip(high, 0, size)


def held(xp: Any, numbers: Any, low: int, high: int) -> Any:
    """Floats as whole numbers inside a range; NaN as its lower end."""
    return xp.clip(xp.where(numbers == numbers, numbers, low), low, high).astype(xp.int64)


def _doubled_maxima(xp: Any, array: Any, axis: int) -> Iterator[tuple[int, Any]]:
    """The largest of each 1, 2, 4, ... neighbours along an axis, and how many they are."""
    reach = 1
    while True:
        yield reach, array
        if array.shape[axis] <= reach:
            return
        array = xp.fold_maximum(array[along(axis, slice(None, -reach))], array[along(axis, slice(reach, None))])
        reach *= 2


def _is_reach(bins: tuple[Any, Any], reach: int) -> Any:
    """Whether two runs of so many pixels cover a bin, and no shorter ones do."""
    length = bins[1] - bins[0]
    return (length >= reach) & (length < 2 * reach)


def _four_corners(
    xp: Any, table: Any, image: Any, rows: tuple[tuple[Any, Any], int], columns: tuple[tuple[Any, Any], int]
) -> Any:
    """The largest pixel of each bin, from the maxima of runs that begin at its start and that end at its end."""
    _, height, width, channels = table.shape
    flat = table.reshape(-1, channels)
    best = None
    for row in _starts(xp, *rows, height):
        for column in _starts(xp, *columns, width):
            found = xp.take(flat, (image * height + row[:, :, None]) * width + column[:, None, :], axis=0)
            best = found if best is None else xp.fold_maximum(best, found)
    return best


def _starts(xp: Any, bins: tuple[Any, Any], reach: int, count: int) -> tuple[Any, Any]:
    """Where the first and the last run of pixels of each bin begin."""
    low, high = bins
    return xp.clip(low, 0, count - 1), xp.clip(high - reach, 0, count - 1)
