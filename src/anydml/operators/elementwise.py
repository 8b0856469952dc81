"""Pointwise arithmetic: each output element is a formula of the input elements at its index."""

from __future__ import annotations

from typing import Any

from anydml.core.datatype import DataType
from anydml.core.schema import (
    Float,
    Operator,
    Scalar,
    ScaleBias,
    TypeOf,
    aliases,
    attribute,
    same,
    tensor_input,
    tensor_output,
)
from anydml.core.schema.fusion import Activation
from anydml.core.tensor import TensorDesc
from anydml.operators.types import (
    FLOAT_16_32,
    INTEGERS_32,
    INTEGERS_64,
    UINT8,
    UINT32,
    UP_TO_32_BIT,
    WITHOUT_FLOAT64,
)

_RANK_4_5 = {"1.0": (4, 5), "3.0": (1, 8)}
_RANK_4 = {"1.0": (4, 4), "3.0": (1, 8)}
_SAME_TWO = (same("input_tensor output_tensor", "DataType DimensionCount Sizes"),)
_SAME_THREE = (same("a_tensor b_tensor output_tensor", "DataType DimensionCount Sizes"),)
_ADD = {
    "1.0": FLOAT_16_32,
    "2.1": FLOAT_16_32 | INTEGERS_32,
    "4.1": FLOAT_16_32 | INTEGERS_32 | INTEGERS_64,
    "5.1": WITHOUT_FLOAT64,
}
_CLIP = {"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "5.0": WITHOUT_FLOAT64}
_COMPARED = {"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "4.1": WITHOUT_FLOAT64}
_IN_PLACE_UNARY = aliases("input_tensor", "output_tensor")
_IN_PLACE_BINARY = aliases("a_tensor b_tensor", "output_tensor")


def scaled(x: Any, scale_bias: tuple[float, float] | None) -> Any:
    """x * scale + bias; whole numbers are scaled as floats."""
    if scale_bias is None:
        return x
    scale, bias = scale_bias
    return x.astype("float64") * scale + bias if x.dtype.kind in "iu" else x * x.dtype.type(scale) + x.dtype.type(bias)


class ElementWiseAdd(Operator, since="1.0", id=4):
    """a + b."""

    rank = _RANK_4_5
    a_tensor: TensorDesc = tensor_input(_ADD)
    b_tensor: TensorDesc = tensor_input(_ADD)
    output_tensor: TensorDesc = tensor_output(_ADD)
    same = _SAME_THREE
    in_place = _IN_PLACE_BINARY

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a + b


class ElementWiseAdd1(Operator, since="2.0", id=89):
    """a + b, then an activation."""

    rank = {"2.0": (4, 5), "3.0": (1, 8)}
    a_tensor: TensorDesc = tensor_input({"2.0": FLOAT_16_32})
    b_tensor: TensorDesc = tensor_input({"2.0": FLOAT_16_32})
    output_tensor: TensorDesc = tensor_output({"2.0": FLOAT_16_32})
    fused_activation: Operator | None = attribute(Activation(), optional=True)
    same = _SAME_THREE
    in_place = _IN_PLACE_BINARY

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return activated(m, a + b, self.fused_activation)


def activated(m: Any, x: Any, activation: Any) -> Any:
    """The activation of x, or x when there is none."""
    return x if activation is None else activation.formula(m, x)


def clamp(m: Any, x: Any, low: int | float, high: int | float) -> Any:
    """max(low, min(x, high)), the limits in x's own numbers."""
    if x.dtype.kind in "iu":
        first, last = m.iinfo(x.dtype).min, m.iinfo(x.dtype).max
        low, high = (int(min(max(v, first), last)) if v == v else 0 for v in (low, high))
    return m.maximum(x.dtype.type(low), m.minimum(x, x.dtype.type(high)))


class ElementWiseClip(Operator, since="1.0", id=8):
    """Holds each element between a minimum and a maximum."""

    rank = _RANK_4
    input_tensor: TensorDesc = tensor_input(_CLIP)
    output_tensor: TensorDesc = tensor_output(_CLIP)
    scale_bias: tuple[float, float] | None = attribute(ScaleBias(), optional=True)
    min: float = attribute(Float())
    max: float = attribute(Float())
    same = _SAME_TWO
    in_place = _IN_PLACE_UNARY
    fusable = True
    fuses_anywhere = False

    def formula(self, m: Any, x: Any) -> Any:
        return clamp(m, scaled(x, self.scale_bias), self.min, self.max)


class ElementWiseClip1(Operator, since="5.0", id=153):
    """CLIP with limits of the tensor's own data type."""

    rank = {"5.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"5.0": WITHOUT_FLOAT64})
    output_tensor: TensorDesc = tensor_output({"5.0": WITHOUT_FLOAT64})
    scale_bias: tuple[float, float] | None = attribute(ScaleBias(), optional=True)
    min_max_data_type: DataType = attribute(TypeOf())
    min: int | float = attribute(Scalar("min_max_data_type"))
    max: int | float = attribute(Scalar("min_max_data_type"))
    same = _SAME_TWO
    in_place = _IN_PLACE_UNARY

    def formula(self, m: Any, x: Any) -> Any:
        return clamp(m, scaled(x, self.scale_bias), self.min, self.max)


class ElementWiseLogicalLessThan(Operator, since="1.0", id=17):
    """1 where a < b, else 0."""

    rank = _RANK_4
    a_tensor: TensorDesc = tensor_input(_COMPARED)
    b_tensor: TensorDesc = tensor_input(_COMPARED)
    output_tensor: TensorDesc = tensor_output({"1.0": UINT32, "2.0": UINT32 | UINT8}, inferred_type=DataType.UINT8)
    same = (
        same("a_tensor b_tensor output_tensor", "DimensionCount Sizes"),
        same("a_tensor b_tensor", "DataType"),
    )

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a < b
