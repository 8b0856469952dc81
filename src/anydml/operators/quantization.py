"""Quantization: floats as small integers with a scale and a zero point."""

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
from anydml.operators.types import FLOAT32, FLOAT_16_32, INT32, INTEGERS_8, UINT8

SCALE_TYPE = rule("quantize.scale-type", "The scale has the input's data type, or FLOAT32 for an INT32 input.")
_SMALL = {"1.0": UINT8, "2.1": INTEGERS_8}


class ElementWiseQuantizeLinear(Operator, since="1.0", id=33):
    """round(x / scale) + zero point, held inside the output's range; halves round to even."""

    rank = {"1.0": (4, 4), "3.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"1.0": FLOAT32, "2.1": FLOAT32 | INT32, "6.0": FLOAT_16_32 | INT32})
    scale_tensor: TensorDesc = tensor_input({"1.0": FLOAT32, "6.0": FLOAT_16_32})
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
        low, high = self.output_tensor.data_type.range
        steps = m.rint(x.astype(scale.dtype) / scale)
        shifted = steps if zero_point is None else steps + zero_point.astype(scale.dtype)
        return m.clip(m.nan_to_num(shifted, nan=0.0, posinf=m.inf, neginf=-m.inf), low, high)
