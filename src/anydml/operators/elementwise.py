"""What pointwise operators share: ranks, tensors, scale and bias, limits, fused activations."""

from __future__ import annotations

from typing import Any

from anydml.core.schema import Operator, ScaleBias, aliases, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.types import FLOAT_16_32

RANK_4 = {"1.0": (4, 4), "3.0": (1, 8)}
RANK_4_5 = {"1.0": (4, 5), "3.0": (1, 8)}
ANY_RANK = {"1.0": (1, 8)}
"""Of operators that came with feature level 3.0 or later, which allows every rank."""
FLOATS = {"1.0": FLOAT_16_32}
IN_PLACE_BINARY = aliases("a_tensor b_tensor", "output_tensor")


class Unary(Operator, abstract=True):
    """One tensor in, one of the same data type and sizes out; of floats, unless a subclass says otherwise."""

    rank = RANK_4
    input_tensor: TensorDesc = tensor_input(FLOATS)
    output_tensor: TensorDesc = tensor_output(FLOATS)
    same = (same("input_tensor output_tensor", "DataType DimensionCount Sizes"),)
    in_place = aliases("input_tensor", "output_tensor")


class ScaledUnary(Unary, abstract=True):
    """A function of x * scale + bias."""

    scale_bias: tuple[float, float] | None = attribute(ScaleBias(), optional=True)


class Binary(Operator, abstract=True):
    """Two tensors in, one out, all of one data type and of the same sizes."""

    rank = RANK_4
    a_tensor: TensorDesc = tensor_input(FLOATS)
    b_tensor: TensorDesc = tensor_input(FLOATS)
    output_tensor: TensorDesc = tensor_output(FLOATS)
    same = (same("a_tensor b_tensor output_tensor", "DataType DimensionCount Sizes"),)
    in_place = IN_PLACE_BINARY


def scaled(m: Any, x: Any, scale_bias: tuple[float, float] | None) -> Any:
    """x * scale + bias, each step rounded; integers are scaled as 64-bit floats, cut off and held in their range."""
    if scale_bias is None:
        return x
    scale, bias = scale_bias
    if x.dtype.kind == "f":
        return x * scale + bias
    return m.cast(x.astype("float64") * scale + bias, x.dtype)
