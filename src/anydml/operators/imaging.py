"""UPSAMPLE_2D and VALUE_SCALE_2D: larger images, and images with other values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.enums import InterpolationMode
from anydml.core.errors import Violation, counted
from anydml.core.fixes import Use
from anydml.core.layout import Layout
from anydml.core.levels import FeatureLevel
from anydml.core.moves import Move
from anydml.core.rules import rule
from anydml.core.schema import Array, Enumeration, Float, Operator, Size2D, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.interpolation import Scaling, Taps, resample
from anydml.operators.types import FLOAT_16_32

SCALE = rule("upsample-2d.scale", "Both scales are at least 1, and the scaled height and width fit 32 bits.")
CHANNELS = rule("value-scale-2d.channels", "There is a bias for each channel, and there are 1 or 3 channels.")


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

    def taps(self, xp: Any) -> list[tuple[int, Taps]]:
        """What the elements of rows and columns are made of: bilinear, seen from the centres of pixels."""
        sizes = self.input_tensor.sizes
        axes = zip((len(sizes) - 1, len(sizes) - 2), self.scale_size, strict=True)
        return [(axis, Scaling(sizes[axis], sizes[axis] * scale, scale).linear(xp)) for axis, scale in axes]

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        return resample(xp, input_tensor, self.taps(xp))


class ValueScale2D(Operator, since="1.0", id=65):
    """Multiplies pixels by a scale and adds a bias for their channel."""

    rank = {"1.0": (4, 4)}
    input_tensor: TensorDesc = tensor_input({"1.0": FLOAT_16_32})
    output_tensor: TensorDesc = tensor_output({"1.0": FLOAT_16_32})
    scale: float = attribute(Float())
    bias: tuple[float, ...] = attribute(Array(Float()), length="ChannelCount")
    same = (same("input_tensor output_tensor", "DataType Sizes"),)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        channels = self.input_tensor.sizes[1]
        if channels not in (1, 3):
            yield CHANNELS("InputTensor.Sizes[1]", channels, "1 or 3 channels")
        elif len(self.bias) != channels:
            found, expected = counted(len(self.bias), "value"), f"{channels}, one for each channel"
            yield CHANNELS("Bias", found, expected, counted(channels, "value"))

    def moves(self) -> Iterator[Move]:
        source, destination = self.input_tensor.layout, self.output_tensor.layout
        batch, _, height, width = source.sizes
        for channel, bias in enumerate(self.bias):
            window = (0, channel, 0, 0), (batch, 1, height, width), (1, 1, 1, 1)
            part = source.window(*window), destination.window(*window)
            yield Move("input_tensor", part[0], "output_tensor", part[1], (self.scale, bias))
