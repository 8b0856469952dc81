"""UPSAMPLE_2D: a larger image by whole factors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.enums import InterpolationMode
from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.layout import Layout
from anydml.core.levels import FeatureLevel
from anydml.core.moves import Move
from anydml.core.rules import rule
from anydml.core.schema import Enumeration, Operator, Size2D, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.types import FLOAT_16_32

SCALE = rule("upsample-2d.scale", "Both scales are at least 1, and the scaled height and width fit 32 bits.")


class Upsample2D(Operator, since="1.0", id=66, name="UPSAMPLE_2D"):
    """Repeats or blends pixels so that height and width grow by whole factors."""

    rank = {"1.0": (4, 5)}
    input_tensor: TensorDesc = tensor_input({"1.0": FLOAT_16_32})
    output_tensor: TensorDesc = tensor_output({"1.0": FLOAT_16_32})
    scale_size: tuple[int, int] = attribute(Size2D())
    interpolation_mode: InterpolationMode = attribute(Enumeration(InterpolationMode))
    same = (same("input_tensor output_tensor", "DataType DimensionCount"),)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        names = ("Width", "Height")
        for name, scale, size in zip(names, self.scale_size, self.input_tensor.sizes[:-3:-1], strict=True):
            if not 1 <= scale <= (2**32 - 1) // size:
                yield SCALE(f"ScaleSize.{name}", scale, f"1 to {(2**32 - 1) // size}", Use(1))

    def infer(self) -> dict[str, tuple[int, ...]]:
        *lead, height, width = self.input_tensor.sizes
        return {"output_tensor": (*lead, height * self.scale_size[1], width * self.scale_size[0])}

    def moves(self) -> Iterator[Move] | None:
        if self.interpolation_mode is not InterpolationMode.NEAREST_NEIGHBOR:
            return None
        source, whole = self.input_tensor.layout, self.output_tensor.layout
        (scale_x, scale_y), row, column = self.scale_size, source.rank - 2, source.rank - 1
        height, width = source.sizes[row:]
        # Whole factors put every output pixel's centre nearest to one input pixel: each is repeated, by stride 0.
        repeated = Layout(
            (*source.sizes[:row], height, scale_y, width, scale_x),
            (*source.strides[:row], source.strides[row], 0, source.strides[column], 0),
        )
        split = whole.split(column, (width, scale_x)).split(row, (height, scale_y))
        return iter((Move("input_tensor", repeated, "output_tensor", split),))

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        """Bilinear: along one axis, then along the other."""
        for axis, scale in ((-1, self.scale_size[0]), (-2, self.scale_size[1])):
            input_tensor = self._stretch(xp, input_tensor, axis, scale)
        return input_tensor

    def _stretch(self, xp: Any, array: Any, axis: int, scale: int) -> Any:
        size = array.shape[axis]
        # Pixel centres: output pixel i lies at (i + 0.5) / scale - 0.5 between input pixels; edges are held.
        place = xp.clip((xp.arange(size * scale) + 0.5) / scale - 0.5, 0, size - 1)
        low = xp.floor(place).astype(xp.int64)
        shape = [-1 if i == array.ndim + axis else 1 for i in range(array.ndim)]
        weight = (place - low).astype(array.dtype).reshape(shape)
        above = xp.take(array, xp.minimum(low + 1, size - 1), axis=axis)
        return xp.take(array, low, axis=axis) * (1 - weight) + above * weight
