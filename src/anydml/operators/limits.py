"""Limits: elements held between a minimum and a maximum, and the gradients of that."""

from __future__ import annotations

from typing import Any

from anydml.core.datatype import DataType
from anydml.core.schema import Float, Operator, Scalar, TypeOf, aliases, attribute, same, tensor_input, tensor_output
from anydml.core.schema.attributes import round_to
from anydml.core.tensor import TensorDesc
from anydml.operators.elementwise import ANY_RANK, ScaledUnary, scaled
from anydml.operators.types import FLOAT_16_32, UP_TO_32_BIT, WITHOUT_FLOAT64

_CLIP = {"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "5.0": WITHOUT_FLOAT64}
_GRADIENT = {"3.1": UP_TO_32_BIT, "5.0": WITHOUT_FLOAT64}


def limit(m: Any, value: int | float, dtype: Any) -> int | float:
    """A limit in the tensor's own numbers: for integers cut off toward zero and held in range, NaN as 0."""
    if dtype.kind == "f":
        return value
    first, last = int(m.iinfo(dtype).min), int(m.iinfo(dtype).max)
    return int(min(max(value, first), last)) if value == value else 0


def clamped(m: Any, x: Any, low: int | float, high: int | float) -> Any:
    """max(low, min(x, high)): NaN stays NaN, and the minimum wins where the limits cross."""
    return m.maximum(m.minimum(x, limit(m, high, x.dtype)), limit(m, low, x.dtype))


class ElementWiseClip(ScaledUnary, since="1.0", id=8):
    """Clamps each element to a minimum and a maximum; NaN stays NaN."""

    input_tensor: TensorDesc = tensor_input(_CLIP)
    output_tensor: TensorDesc = tensor_output(_CLIP)
    min: float = attribute(Float())
    max: float = attribute(Float())
    fusable = True
    fuses_anywhere = False

    def formula(self, m: Any, x: Any) -> Any:
        return clamped(m, scaled(m, x, self.scale_bias), self.min, self.max)


class ElementWiseClip1(ScaledUnary, since="5.0", id=153):
    """CLIP with limits of the tensor's own data type."""

    rank = ANY_RANK
    input_tensor: TensorDesc = tensor_input({"5.0": WITHOUT_FLOAT64})
    output_tensor: TensorDesc = tensor_output({"5.0": WITHOUT_FLOAT64})
    min_max_data_type: DataType = attribute(TypeOf())
    min: int | float = attribute(Scalar("min_max_data_type"))
    max: int | float = attribute(Scalar("min_max_data_type"))

    def formula(self, m: Any, x: Any) -> Any:
        return clamped(m, scaled(m, x, self.scale_bias), self.min, self.max)


class ElementWiseThreshold(ScaledUnary, since="1.0", id=32):
    """The larger of x and a minimum; NaN stays NaN."""

    input_tensor: TensorDesc = tensor_input({"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT})
    output_tensor: TensorDesc = tensor_output({"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT})
    min: float = attribute(Float())

    def formula(self, m: Any, x: Any) -> Any:
        return m.maximum(scaled(m, x, self.scale_bias), limit(m, self.min, x.dtype))


class _ClipGradient(Operator, abstract=True):
    """The gradient where the limits let x through."""

    rank = ANY_RANK
    input_tensor: TensorDesc = tensor_input(_GRADIENT)
    input_gradient_tensor: TensorDesc = tensor_input(_GRADIENT)
    output_gradient_tensor: TensorDesc = tensor_output(_GRADIENT)
    same = (same("input_tensor input_gradient_tensor output_gradient_tensor", "DataType DimensionCount Sizes"),)
    in_place = aliases("input_tensor input_gradient_tensor", "output_gradient_tensor")
    min: int | float
    max: int | float

    def _limit(self, m: Any, value: int | float, x: Any) -> int | float:
        """As CLIP holds x: limits of FLOAT16 tensors are numbers of that type, whatever they are computed in."""
        if x.dtype.kind == "f":
            return float(round_to(value, self.input_tensor.data_type.numpy_dtype.type))
        return limit(m, value, x.dtype)

    def formula(self, m: Any, x: Any, gradient: Any) -> Any:
        inside = (x > self._limit(m, self.min, x)) & (x < self._limit(m, self.max, x))
        return m.where(inside, gradient, gradient.dtype.type(0))


class ElementWiseClipGrad(_ClipGradient, since="3.1", id=142):
    """The gradient where min < x < max, else 0."""

    min: float = attribute(Float())
    max: float = attribute(Float())


class ElementWiseClipGrad1(_ClipGradient, since="5.0", id=154):
    """CLIP_GRAD with limits of the tensor's own data type."""

    input_tensor: TensorDesc = tensor_input({"5.0": WITHOUT_FLOAT64})
    input_gradient_tensor: TensorDesc = tensor_input({"5.0": WITHOUT_FLOAT64})
    output_gradient_tensor: TensorDesc = tensor_output({"5.0": WITHOUT_FLOAT64})
    min_max_data_type: DataType = attribute(TypeOf(tensor="output_gradient_tensor"))
    min: int | float = attribute(Scalar("min_max_data_type"))
    max: int | float = attribute(Scalar("min_max_data_type"))
