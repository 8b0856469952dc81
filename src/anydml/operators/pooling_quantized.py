"""QUANTIZED_LINEAR_AVERAGE_POOLING: means of small integers that stand for real numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Boolean, Integer, attribute, per_dimension, same, tensor_input, tensor_output
from anydml.core.schema.fields import Same
from anydml.core.tensor import TensorDesc
from anydml.operators.pooling import Pooling
from anydml.operators.sliding import window_sizes, window_sums
from anydml.operators.types import FLOAT32, INTEGERS_8

PARAMETER = rule("quantized-pooling.parameter", "A scale or zero point is one number, or one for each channel.")
_SMALL = {"6.2": INTEGERS_8}
_SCALE = {"6.2": FLOAT32}
_ANY_RANK = {"6.2": (1, 5)}
_PARAMETERS = ("input_scale_tensor", "input_zero_point_tensor", "output_scale_tensor", "output_zero_point_tensor")


class QuantizedLinearAveragePooling(Pooling, since="6.2", id=169):
    """The mean of each dilated window of dequantized numbers, quantized again; halves round to even."""

    rank = {"6.2": (4, 5)}
    input_tensor: TensorDesc = tensor_input(_SMALL)
    input_scale_tensor: TensorDesc = tensor_input(_SCALE, rank=_ANY_RANK)
    input_zero_point_tensor: TensorDesc | None = tensor_input(_SMALL, rank=_ANY_RANK, optional=True)
    output_scale_tensor: TensorDesc = tensor_input(_SCALE, rank=_ANY_RANK)
    output_zero_point_tensor: TensorDesc | None = tensor_input(_SMALL, rank=_ANY_RANK, optional=True)
    output_tensor: TensorDesc = tensor_output(_SMALL)
    strides: tuple[int, ...] = per_dimension("input_tensor", Integer(minimum=1), skip=2, default=1)
    window_size: tuple[int, ...] = per_dimension("input_tensor", Integer(minimum=1), skip=2)
    start_padding: tuple[int, ...] = per_dimension("input_tensor", Integer(), skip=2, default=0)
    end_padding: tuple[int, ...] = per_dimension("input_tensor", Integer(), skip=2, default=0)
    dilations: tuple[int, ...] = per_dimension("input_tensor", Integer(minimum=1), skip=2, default=1)
    include_padding: bool = attribute(Boolean())
    same: ClassVar[tuple[Same, ...]] = (
        same("input_tensor output_tensor", "DimensionCount"),
        same("input_tensor input_zero_point_tensor", "DataType"),
        same("output_tensor output_zero_point_tensor", "DataType"),
    )

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        yield from super().check(level)
        _, channels, *spatial = self.input_tensor.sizes
        by_channel = (1, channels, *(1 for _ in spatial))
        for name in _PARAMETERS:
            tensor = getattr(self, name)
            if tensor is not None and max(tensor.sizes) > 1 and tensor.sizes != by_channel:
                path = f"{self.fields[name].dml_name}.Sizes"
                yield PARAMETER(path, tensor.sizes, f"{by_channel} or sizes of 1", Use(by_channel))

    def compute(
        self,
        xp: Any,
        input_tensor: Any,
        input_scale_tensor: Any,
        input_zero_point_tensor: Any,
        output_scale_tensor: Any,
        output_zero_point_tensor: Any,
    ) -> Any:
        """In float64, where sums of small integers are exact; storing holds the result inside its type's range."""
        rank = input_tensor.ndim
        in_scale, in_zero, out_scale, out_zero = (
            _aligned(xp, parameter, rank)
            for parameter in (
                input_scale_tensor,
                input_zero_point_tensor,
                output_scale_tensor,
                output_zero_point_tensor,
            )
        )
        total = window_sums(xp, input_tensor.astype(xp.float64) - in_zero, self.slides)
        mean = total * in_scale / window_sizes(xp, self.slides, self.include_padding)
        return xp.rint(mean / out_scale) + out_zero


def _aligned(xp: Any, parameter: Any, rank: int) -> Any:
    """A scale or zero point in float64, with the input's rank; 0 for one that is absent."""
    if parameter is None:
        return xp.zeros((1,) * rank, xp.float64)
    return parameter.astype(xp.float64).reshape(parameter.shape if parameter.ndim == rank else (1,) * rank)
