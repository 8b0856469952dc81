"""Element-wise quantization: floats as small integers with a scale and a zero point.

Quotients are computed as 64-bit floats, which never round the quotient of two 32-bit numbers onto a half: the rounding
to a whole number is the only one that decides. Storing holds the result in the range of the output's type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Operator, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.elementwise import ANY_RANK, RANK_4
from anydml.operators.types import (
    FLOAT32,
    FLOAT_16_32,
    INT32,
    INTEGERS_8,
    INTEGERS_16,
    INTEGERS_32,
    UINT8,
)

SCALE_TYPE = rule("quantize.scale-type", "The scale has the input's data type, or FLOAT32 for an INT32 input.")
_SMALL = {"1.0": UINT8, "2.1": INTEGERS_8}
_INTEGERS = {"1.0": UINT8, "2.1": INTEGERS_8 | INTEGERS_16 | INTEGERS_32}
_SCALES = {"1.0": FLOAT32, "6.0": FLOAT_16_32}
_SUMMANDS = {"4.0": INTEGERS_8}
_SINGLE = {"4.0": FLOAT32}


def quantized(m: Any, x: Any, scale: Any, zero_point: Any) -> Any:
    """round(x / scale) + zero point, halves to even, not yet held in a range."""
    steps = m.rint(x / scale.astype("float64"))
    return steps if zero_point is None else steps + zero_point.astype("float64")


def dequantized(x: Any, scale: Any, zero_point: Any, computed: Any) -> Any:
    """(x - zero point) * scale, in a float type that holds the difference exactly."""
    steps = x.astype(computed) if zero_point is None else x.astype(computed) - zero_point.astype(computed)
    return steps * scale.astype(computed)


class ElementWiseQuantizeLinear(Operator, since="1.0", id=33):
    """round(x / scale) + zero point, clamped to the output's range; halves round to even."""

    rank = RANK_4
    input_tensor: TensorDesc = tensor_input({"1.0": FLOAT32, "2.1": FLOAT32 | INT32, "6.0": FLOAT_16_32 | INT32})
    scale_tensor: TensorDesc = tensor_input(_SCALES)
    zero_point_tensor: TensorDesc | None = tensor_input(_SMALL, optional_since="6.2")
    output_tensor: TensorDesc = tensor_output(_SMALL)
    same = (
        same("input_tensor scale_tensor zero_point_tensor output_tensor", "DimensionCount Sizes"),
        same("zero_point_tensor output_tensor", "DataType"),
    )

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        given = self.input_tensor.data_type
        expected = DataType.FLOAT32 if given is DataType.INT32 else given
        if self.scale_tensor.data_type is not expected:
            reason = f"{expected.name}, since InputTensor is {given.name}"
            yield SCALE_TYPE("ScaleTensor.DataType", self.scale_tensor.data_type.name, reason, Use(expected.name))

    def formula(self, m: Any, x: Any, scale: Any, zero_point: Any = None) -> Any:
        return quantized(m, x.astype("float64"), scale, zero_point)


class ElementWiseDequantizeLinear(Operator, since="1.0", id=34):
    """(x - zero point) * scale; the difference is exact."""

    rank = RANK_4
    input_tensor: TensorDesc = tensor_input(_INTEGERS)
    scale_tensor: TensorDesc = tensor_input(_SCALES)
    zero_point_tensor: TensorDesc | None = tensor_input(_INTEGERS, optional_since="6.2")
    output_tensor: TensorDesc = tensor_output(_SCALES)
    same = (
        same("input_tensor scale_tensor zero_point_tensor output_tensor", "DimensionCount Sizes"),
        same("input_tensor zero_point_tensor", "DataType"),
        same("scale_tensor output_tensor", "DataType"),
    )

    def formula(self, m: Any, x: Any, scale: Any, zero_point: Any = None) -> Any:
        # Differences of 32-bit integers need more digits than a 32-bit float has.
        return dequantized(x, scale, zero_point, m.float64 if x.dtype.itemsize == 4 else scale.dtype)


class ElementWiseQuantizedLinearAdd(Operator, since="4.0", id=147):
    """The sum of two quantized tensors, quantized again; each tensor has one scale and one zero point."""

    rank = ANY_RANK
    a_tensor: TensorDesc = tensor_input(_SUMMANDS)
    a_scale_tensor: TensorDesc = tensor_input(_SINGLE)
    a_zero_point_tensor: TensorDesc | None = tensor_input(_SUMMANDS, optional=True)
    b_tensor: TensorDesc = tensor_input(_SUMMANDS)
    b_scale_tensor: TensorDesc = tensor_input(_SINGLE)
    b_zero_point_tensor: TensorDesc | None = tensor_input(_SUMMANDS, optional=True)
    output_scale_tensor: TensorDesc = tensor_input(_SINGLE)
    output_zero_point_tensor: TensorDesc | None = tensor_input(_SUMMANDS, optional=True)
    output_tensor: TensorDesc = tensor_output(_SUMMANDS)
    same = (
        same(
            "a_tensor a_scale_tensor a_zero_point_tensor b_tensor b_scale_tensor b_zero_point_tensor "
            "output_scale_tensor output_zero_point_tensor output_tensor",
            "DimensionCount",
        ),
        same("a_tensor a_zero_point_tensor", "DataType"),
        same("b_tensor b_zero_point_tensor", "DataType"),
        same("output_tensor output_zero_point_tensor", "DataType"),
    )
    sizes_of = {
        "a_tensor": "*sizes",
        "a_scale_tensor": "1*",
        "a_zero_point_tensor": "1*",
        "b_tensor": "*sizes",
        "b_scale_tensor": "1*",
        "b_zero_point_tensor": "1*",
        "output_scale_tensor": "1*",
        "output_zero_point_tensor": "1*",
        "output_tensor": "*sizes",
    }

    def formula(
        self,
        m: Any,
        a: Any,
        a_scale: Any,
        a_zero_point: Any,
        b: Any,
        b_scale: Any,
        b_zero_point: Any,
        scale: Any,
        zero_point: Any,
    ) -> Any:
        total = dequantized(a, a_scale, a_zero_point, m.float64) + dequantized(b, b_scale, b_zero_point, m.float64)
        return quantized(m, total, scale, zero_point)
