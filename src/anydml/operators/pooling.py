"""Pooling: every window of the input becomes one element, its mean, its norm or its maximum."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any, ClassVar

from anydml.core.datatype import DataType
from anydml.core.errors import Violation
from anydml.core.levels import FeatureLevel
from anydml.core.schema import Boolean, Integer, Operator, attribute, per_dimension, same, tensor_input, tensor_output
from anydml.core.schema.fields import Same
from anydml.core.tensor import TensorDesc
from anydml.operators.sliding import (
    NOWHERE,
    Slide,
    check_slides,
    counts_of,
    slides_of,
    window_maxima,
    window_places,
    window_sizes,
    window_sums,
)
from anydml.operators.types import FLOAT_16_32, INTEGERS_8, UINT32, UINT64, WITHOUT_FLOAT64

_FLOATS = {"1.0": FLOAT_16_32}
_MAXIMA = {"1.0": FLOAT_16_32, "3.0": FLOAT_16_32 | INTEGERS_8, "5.0": WITHOUT_FLOAT64}
_PLACES = {"1.0": UINT32, "5.0": UINT32 | UINT64}
_RANK = {"1.0": (4, 5)}

_WINDOW = per_dimension("input_tensor", Integer(minimum=1), skip=2)
_STEP = per_dimension("input_tensor", Integer(minimum=1), skip=2, default=1)
_PADDING = per_dimension("input_tensor", Integer(), skip=2, default=0)


class Pooling(Operator, abstract=True):
    """What all pooling has in common: windows over the input's spatial dimensions."""

    rank = _RANK
    same: ClassVar[tuple[Same, ...]] = (same("input_tensor output_tensor", "DataType DimensionCount"),)
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    window_size: tuple[int, ...]
    strides: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]

    @property
    def slides(self) -> tuple[Slide, ...]:
        dilations = getattr(self, "dilations", None)
        padding = self.start_padding, self.end_padding
        return slides_of(self.input_tensor.sizes, self.window_size, self.strides, *padding, dilations)

    @property
    def unit_dilations(self) -> tuple[int, ...]:
        return (1,) * len(self.window_size)

    def check(self, level: FeatureLevel) -> Iterable[Violation]:
        return check_slides(self.slides, "WindowSize")

    def infer(self) -> dict[str, tuple[int, ...]]:
        sizes = (*self.input_tensor.sizes[:2], *counts_of(self.slides))
        outputs = (field.name for field in self.tensor_fields() if not field.is_input)
        return dict.fromkeys(outputs, sizes)


class AveragePooling1(Pooling, since="6.2", id=166):
    """The mean of each dilated window; padding counts as zeros, or not at all."""

    input_tensor: TensorDesc = tensor_input(_FLOATS)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    strides: tuple[int, ...] = _STEP
    window_size: tuple[int, ...] = _WINDOW
    start_padding: tuple[int, ...] = _PADDING
    end_padding: tuple[int, ...] = _PADDING
    dilations: tuple[int, ...] = _STEP
    include_padding: bool = attribute(Boolean())

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        sizes = window_sizes(xp, self.slides, self.include_padding)
        return window_sums(xp, input_tensor, self.slides) / xp.asarray(sizes, input_tensor.dtype)


class AveragePooling(Pooling, since="1.0", id=56):
    """The mean of each window; padding counts as zeros, or not at all."""

    input_tensor: TensorDesc = tensor_input(_FLOATS)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    strides: tuple[int, ...] = _STEP
    window_size: tuple[int, ...] = _WINDOW
    start_padding: tuple[int, ...] = _PADDING
    end_padding: tuple[int, ...] = _PADDING
    include_padding: bool = attribute(Boolean())

    def equivalent(self) -> Operator:
        return AveragePooling1(**self.values(), dilations=self.unit_dilations)


class LpPooling1(Pooling, since="6.2", id=165):
    """The Lp norm of each dilated window: the P-th root of the sum of the P-th powers of magnitudes."""

    input_tensor: TensorDesc = tensor_input(_FLOATS)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    strides: tuple[int, ...] = _STEP
    window_size: tuple[int, ...] = _WINDOW
    start_padding: tuple[int, ...] = _PADDING
    end_padding: tuple[int, ...] = _PADDING
    dilations: tuple[int, ...] = _STEP
    p: int = attribute(Integer(minimum=1))

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        magnitude = xp.abs(input_tensor)
        if self.p == 1:
            return window_sums(xp, magnitude, self.slides)
        if self.p == 2:
            return xp.sqrt(window_sums(xp, magnitude * magnitude, self.slides))
        exponent = magnitude.dtype.type
        return window_sums(xp, magnitude ** exponent(self.p), self.slides) ** exponent(1 / self.p)


class LpPooling(Pooling, since="1.0", id=57):
    """The Lp norm of each window: the P-th root of the sum of the P-th powers of magnitudes."""

    input_tensor: TensorDesc = tensor_input(_FLOATS)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    strides: tuple[int, ...] = _STEP
    window_size: tuple[int, ...] = _WINDOW
    start_padding: tuple[int, ...] = _PADDING
    end_padding: tuple[int, ...] = _PADDING
    p: int = attribute(Integer(minimum=1))

    def equivalent(self) -> Operator:
        return LpPooling1(**self.values(), dilations=self.unit_dilations)


_WITH_PLACES = (
    same("input_tensor output_tensor output_indices_tensor", "DimensionCount"),
    same("input_tensor output_tensor", "DataType"),
)


class MaxPooling2(Pooling, since="2.1", id=110):
    """The largest element of each dilated window, and optionally its index in the flattened input."""

    input_tensor: TensorDesc = tensor_input(_MAXIMA)
    output_tensor: TensorDesc = tensor_output(_MAXIMA)
    output_indices_tensor: TensorDesc | None = tensor_output(_PLACES, optional=True, inferred_type=DataType.UINT32)
    strides: tuple[int, ...] = _STEP
    window_size: tuple[int, ...] = _WINDOW
    start_padding: tuple[int, ...] = _PADDING
    end_padding: tuple[int, ...] = _PADDING
    dilations: tuple[int, ...] = _STEP
    same = _WITH_PLACES

    def compute(self, xp: Any, input_tensor: Any) -> dict[str, Any]:
        if self.output_indices_tensor is None:
            return {"output_tensor": window_maxima(xp, input_tensor, self.slides)}
        values, places = window_places(xp, input_tensor, self.slides)
        batch, channels, *spatial = input_tensor.shape
        channel = xp.arange(batch * channels).reshape(batch, channels, *(1,) * len(spatial))
        indices = xp.where(places == NOWHERE, 0, channel * prod(spatial) + places)
        return {"output_tensor": values, "output_indices_tensor": indices}


class MaxPooling1(Pooling, since="2.0", id=91):
    """The largest element of each window, and optionally its index in the flattened input."""

    input_tensor: TensorDesc = tensor_input(_MAXIMA)
    output_tensor: TensorDesc = tensor_output(_MAXIMA)
    output_indices_tensor: TensorDesc | None = tensor_output(_PLACES, optional=True, inferred_type=DataType.UINT32)
    strides: tuple[int, ...] = _STEP
    window_size: tuple[int, ...] = _WINDOW
    start_padding: tuple[int, ...] = _PADDING
    end_padding: tuple[int, ...] = _PADDING
    same = _WITH_PLACES

    def equivalent(self) -> Operator:
        return MaxPooling2(**self.values(), dilations=self.unit_dilations)


class MaxPooling(Pooling, since="1.0", id=58):
    """The largest element of each window."""

    input_tensor: TensorDesc = tensor_input(_MAXIMA)
    output_tensor: TensorDesc = tensor_output(_MAXIMA)
    strides: tuple[int, ...] = _STEP
    window_size: tuple[int, ...] = _WINDOW
    start_padding: tuple[int, ...] = _PADDING
    end_padding: tuple[int, ...] = _PADDING

    def equivalent(self) -> Operator:
        return MaxPooling2(**self.values(), dilations=self.unit_dilations)
