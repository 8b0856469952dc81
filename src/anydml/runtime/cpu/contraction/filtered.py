"""A convolution as a filter over windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from anydml.core.enums import ConvolutionMode
from anydml.core.steps import Nest, View
from anydml.runtime.cpu.contraction.cells import FLOATS, Cells, Source
from anydml.runtime.cpu.contraction.panels import Matrix, padded
from anydml.runtime.cpu.contraction.windows import SPATIAL, Windows

Three = tuple[int, int, int]


@dataclass(frozen=True)
class Filtered:
    """A filter over windows, for each image and group."""

    weights: Matrix
    """Lanes are output channels; depth runs over taps and channels."""
    windows: Windows
    batch: tuple[int, int]

    @classmethod
    def of(cls, operator: Any, x: View, weights: View, nest: Nest, cells: Cells = FLOATS) -> Filtered:
        groups = operator.group_count
        channels, filters = weights.sizes[1], weights.sizes[0] // groups
        batch = (nest.sizes[0], groups)
        is_flipped = getattr(operator, "mode", None) is ConvolutionMode.CONVOLUTION
        windows = Windows(
            x.slot,
            Source(x.type, cells),
            x.offset,
            batch,
            (x.strides[0], channels * x.strides[1]),
            channels,
            x.strides[1],
            three(nest.sizes[2:], 1),
            three(x.sizes[2:], 1),
            three(x.strides[2:], 0),
            three(operator.strides, 1),
            three([-before for before in operator.start_padding], 0),
            three(weights.sizes[2:], 1),
            three(operator.dilations, 1),
        )
        return cls(filters_of(weights, filters, batch, is_flipped), windows, batch)

    @property
    def pixels(self) -> int:
        return prod(self.windows.pixels)


def three(numbers: Sequence[int], filler: int) -> Three:
    a, b, c = padded(numbers, SPATIAL, filler)
    return a, b, c


def filters_of(view: View, filters: int, batch: tuple[int, int], is_flipped: bool) -> Matrix:
    taps, strides = view.sizes[2:], view.strides[2:]
    offset = view.offset
    if is_flipped:
        offset += sum((size - 1) * stride for size, stride in zip(taps, strides, strict=True))
        strides = tuple(-stride for stride in strides)
    depth = (*three(taps, 1), view.sizes[1])
    depth_strides = (*three(strides, 0), view.strides[1])
    batch_strides = (0, filters * view.strides[0])
    return Matrix(view.slot, view.type, offset, filters, view.strides[0], depth, depth_strides, batch, batch_strides)
