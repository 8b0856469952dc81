"""The way back through pooling: AVERAGE_POOLING_GRAD, MAX_POOLING_GRAD and MAX_UNPOOLING."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Boolean, Integer, Operator, attribute, per_dimension, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.indexing import add_at, from_start, write_rows
from anydml.operators.sliding import (
    NOWHERE,
    Slide,
    check_slides,
    counts_of,
    slides_of,
    spread_sums,
    window_places,
    window_sizes,
)
from anydml.operators.types import FLOAT_16_32, UINT32, UINT64, WITHOUT_FLOAT64

GRADIENT = rule("pooling.gradient", "A gradient that comes in has the sizes that pooling gave.")
_FLOATS = {"3.0": FLOAT_16_32}
_VALUES = {"2.0": FLOAT_16_32, "5.0": WITHOUT_FLOAT64}
_WINDOW = per_dimension("input_gradient_tensor", Integer(minimum=1), skip=2)
_STEP = per_dimension("input_gradient_tensor", Integer(minimum=1), skip=2, default=1)
_PADDING = per_dimension("input_gradient_tensor", Integer(), skip=2, default=0)


def _check_gradient(whole: TensorDesc, slides: tuple[Slide, ...], gradient: TensorDesc) -> Iterator[Violation]:
    """Windows that fit, and a gradient with one element for each of them."""
    too_large = list(check_slides(slides, "WindowSize"))
    yield from too_large
    pooled = (*whole.sizes[:2], *counts_of(slides))
    if not too_large and gradient.sizes != pooled:
        yield GRADIENT("InputGradientTensor.Sizes", gradient.sizes, pooled, Use(pooled))


class AveragePoolingGrad(Operator, since="3.0", id=130):
    """The gradient of AVERAGE_POOLING: each window hands its gradient to its elements in equal parts."""

    rank = {"3.0": (4, 5)}
    input_gradient_tensor: TensorDesc = tensor_input(_FLOATS)
    output_gradient_tensor: TensorDesc = tensor_output(_FLOATS)
    strides: tuple[int, ...] = _STEP
    window_size: tuple[int, ...] = _WINDOW
    start_padding: tuple[int, ...] = _PADDING
    end_padding: tuple[int, ...] = _PADDING
    include_padding: bool = attribute(Boolean())
    same = (same("input_gradient_tensor output_gradient_tensor", "DataType DimensionCount"),)

    @property
    def slides(self) -> tuple[Slide, ...]:
        padding = self.start_padding, self.end_padding
        return slides_of(self.output_gradient_tensor.sizes, self.window_size, self.strides, *padding)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        if self.output_gradient_tensor is not None:
            yield from _check_gradient(self.output_gradient_tensor, self.slides, self.input_gradient_tensor)

    def compute(self, xp: Any, input_gradient_tensor: Any) -> Any:
        sizes = window_sizes(xp, self.slides, self.include_padding)
        return spread_sums(xp, input_gradient_tensor / xp.asarray(sizes, input_gradient_tensor.dtype), self.slides)


class MaxPoolingGrad(Operator, since="3.0", id=131):
    """The gradient of MAX_POOLING2: each window hands its gradient to its largest element, the first of equal ones."""

    rank = {"3.0": (4, 4), "4.0": (4, 5)}
    input_tensor: TensorDesc = tensor_input(_FLOATS)
    input_gradient_tensor: TensorDesc = tensor_input(_FLOATS)
    output_gradient_tensor: TensorDesc = tensor_output(_FLOATS)
    strides: tuple[int, ...] = _STEP
    window_size: tuple[int, ...] = _WINDOW
    start_padding: tuple[int, ...] = _PADDING
    end_padding: tuple[int, ...] = _PADDING
    dilations: tuple[int, ...] = _STEP
    same = (
        same("input_tensor input_gradient_tensor output_gradient_tensor", "DataType DimensionCount"),
        same("input_tensor output_gradient_tensor", "Sizes"),
    )

    @property
    def slides(self) -> tuple[Slide, ...]:
        padding = self.start_padding, self.end_padding
        return slides_of(self.input_tensor.sizes, self.window_size, self.strides, *padding, self.dilations)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        yield from _check_gradient(self.input_tensor, self.slides, self.input_gradient_tensor)

    def compute(self, xp: Any, input_tensor: Any, input_gradient_tensor: Any) -> Any:
        _, places = window_places(xp, input_tensor, self.slides)
        batch, channels, *spatial = input_tensor.shape
        channel = xp.arange(batch * channels).reshape(batch, channels, *(1,) * len(spatial))
        places = xp.where(places == NOWHERE, -1, channel * prod(spatial) + places)
        return add_at(xp, input_tensor.size, places, input_gradient_tensor).reshape(input_tensor.shape)


class MaxUnpooling(Operator, since="2.0", id=92):
    """Puts each element at its index in the flattened output, as MAX_POOLING1 gives it, and 0 everywhere else."""

    rank = {"2.0": (4, 4)}
    input_tensor: TensorDesc = tensor_input(_VALUES)
    indices_tensor: TensorDesc = tensor_input({"2.0": UINT32, "5.0": UINT32 | UINT64})
    output_tensor: TensorDesc = tensor_output(_VALUES)
    same = (same("input_tensor output_tensor", "DataType"),)
    sizes_of = {"input_tensor": "*sizes", "indices_tensor": "*sizes"}
    only_moves = True

    def compute(self, xp: Any, input_tensor: Any, indices_tensor: Any) -> Any:
        count = prod(self.output_tensor.sizes)
        places = from_start(xp, indices_tensor, count).reshape(-1)
        zeros = xp.zeros(count, input_tensor.dtype)
        return write_rows(xp, zeros, places, input_tensor.reshape(-1)).reshape(self.output_tensor.sizes)
