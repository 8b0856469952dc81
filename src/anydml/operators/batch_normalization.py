"""BATCH_NORMALIZATION: with given statistics, with those of the batch, and the gradients of both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.naming import pascal
from anydml.core.rules import rule
from anydml.core.schema import Boolean, Float, Operator, attribute, same, tensor_input, tensor_output
from anydml.core.schema.fusion import Activation
from anydml.core.tensor import TensorDesc
from anydml.operators.fused import apply_activation
from anydml.operators.types import FLOAT_16_32

SPATIAL = rule(
    "batch-normalization.spatial",
    "Before feature level 4.0, mean and variance of a normalization that is not spatial have the input's sizes from "
    "the third dimension on.",
)
_FLOATS, _FLOATS_3_1, _FLOATS_4_1 = ({level: FLOAT_16_32} for level in ("1.0", "3.1", "4.1"))


def average(xp: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """The mean over some axes, which keep a size of 1; summed in float64, which a million elements need."""
    return xp.mean(x, axis=axes, keepdims=True, dtype=xp.float64).astype(x.dtype)


def moments(xp: Any, x: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """Mean and population variance over some axes."""
    mean = average(xp, x, axes)
    return mean, average(xp, xp.square(x - mean), axes)


def _broadcast_axes(whole: Any, part: Any) -> tuple[int, ...]:
    """The dimensions along which the part, being 1 there, is broadcast."""
    return tuple(axis for axis in range(whole.ndim) if part.shape[axis] == 1)


class BatchNormalization(Operator, since="1.0", id=72):
    """activation(scale * (x - mean) / sqrt(variance + epsilon) + bias), with the given mean and variance."""

    rank = {"1.0": (4, 4), "3.1": (1, 8)}
    input_tensor: TensorDesc = tensor_input(_FLOATS)
    mean_tensor: TensorDesc = tensor_input(_FLOATS)
    variance_tensor: TensorDesc = tensor_input(_FLOATS)
    scale_tensor: TensorDesc = tensor_input(_FLOATS)
    bias_tensor: TensorDesc = tensor_input(_FLOATS)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    spatial: bool = attribute(Boolean())
    epsilon: float = attribute(Float())
    fused_activation: Operator | None = attribute(Activation(), optional=True)
    same = (
        same(
            "input_tensor mean_tensor variance_tensor scale_tensor bias_tensor output_tensor", "DataType DimensionCount"
        ),
        same("input_tensor output_tensor", "Sizes"),
    )
    sizes_of = {
        "input_tensor": "*sizes",
        "mean_tensor": "*sizes|1",
        "variance_tensor": "*sizes|1",
        "scale_tensor": "*sizes|1",
        "bias_tensor": "*sizes|1",
    }

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        if self.spatial or level >= FeatureLevel.LEVEL_4_0:
            return
        for name in ("mean_tensor", "variance_tensor"):
            sizes = getattr(self, name).sizes
            for axis in range(2, len(sizes)):
                wanted = self.input_tensor.sizes[axis]
                if sizes[axis] != wanted:
                    expected = f"{wanted} as InputTensor has, since Spatial is false"
                    yield SPATIAL(f"{pascal(name)}.Sizes[{axis}]", sizes[axis], expected, Use(wanted))

    def compute(
        self, xp: Any, input_tensor: Any, mean_tensor: Any, variance_tensor: Any, scale_tensor: Any, bias_tensor: Any
    ) -> Any:
        steepness = scale_tensor / xp.sqrt(variance_tensor + input_tensor.dtype.type(self.epsilon))
        result = (input_tensor - mean_tensor) * steepness + bias_tensor
        return apply_activation(xp, result, self.fused_activation)


class BatchNormalizationTraining(Operator, since="4.1", id=151):
    """BATCH_NORMALIZATION with the batch's own mean and variance, which are outputs too.

    They are taken over the dimensions in which the scale has a size of 1; the variance divides by the number of
    elements. A tensor may be added before the activation.
    """

    rank = {"4.1": (1, 8)}
    input_tensor: TensorDesc = tensor_input(_FLOATS_4_1)
    scale_tensor: TensorDesc = tensor_input(_FLOATS_4_1)
    bias_tensor: TensorDesc = tensor_input(_FLOATS_4_1)
    fused_add_tensor: TensorDesc | None = tensor_input(_FLOATS_4_1, optional=True)
    output_tensor: TensorDesc = tensor_output(_FLOATS_4_1)
    output_mean_tensor: TensorDesc = tensor_output(_FLOATS_4_1)
    output_variance_tensor: TensorDesc = tensor_output(_FLOATS_4_1)
    epsilon: float = attribute(Float())
    fused_activation: Operator | None = attribute(Activation(), optional=True)
    same = (
        same(
            "input_tensor scale_tensor bias_tensor fused_add_tensor output_tensor output_mean_tensor "
            "output_variance_tensor",
            "DataType DimensionCount",
        ),
        same("scale_tensor bias_tensor output_mean_tensor output_variance_tensor", "Sizes"),
        same("input_tensor fused_add_tensor output_tensor", "Sizes"),
    )
    sizes_of = {"input_tensor": "*sizes", "scale_tensor": "*sizes|1"}

    def compute(
        self, xp: Any, input_tensor: Any, scale_tensor: Any, bias_tensor: Any, fused_add_tensor: Any = None
    ) -> dict[str, Any]:
        mean, variance = moments(xp, input_tensor, _broadcast_axes(input_tensor, scale_tensor))
        steepness = scale_tensor / xp.sqrt(variance + input_tensor.dtype.type(self.epsilon))
        result = (input_tensor - mean) * steepness + bias_tensor
        if fused_add_tensor is not None:
            result = result + fused_add_tensor
        output = apply_activation(xp, result, self.fused_activation)
        return {"output_tensor": output, "output_mean_tensor": mean, "output_variance_tensor": variance}


_GRADIENT_SAME = (
    same(
        "input_tensor input_gradient_tensor mean_tensor variance_tensor scale_tensor output_gradient_tensor "
        "output_scale_gradient_tensor output_bias_gradient_tensor",
        "DataType DimensionCount",
    ),
    same("mean_tensor variance_tensor scale_tensor output_scale_gradient_tensor output_bias_gradient_tensor", "Sizes"),
    same("input_tensor input_gradient_tensor output_gradient_tensor", "Sizes"),
)
_GRADIENT_SIZES = {"input_tensor": "*sizes", "mean_tensor": "*sizes|1"}


class BatchNormalizationGrad(Operator, since="3.1", id=146):
    """The gradients of BATCH_NORMALIZATION by its input, scale and bias, for given mean and variance."""

    rank = {"3.1": (1, 8)}
    input_tensor: TensorDesc = tensor_input(_FLOATS_3_1)
    input_gradient_tensor: TensorDesc = tensor_input(_FLOATS_3_1)
    mean_tensor: TensorDesc = tensor_input(_FLOATS_3_1)
    variance_tensor: TensorDesc = tensor_input(_FLOATS_3_1)
    scale_tensor: TensorDesc = tensor_input(_FLOATS_3_1)
    output_gradient_tensor: TensorDesc = tensor_output(_FLOATS_3_1)
    output_scale_gradient_tensor: TensorDesc = tensor_output(_FLOATS_3_1)
    output_bias_gradient_tensor: TensorDesc = tensor_output(_FLOATS_3_1)
    epsilon: float | None = attribute(Float(), optional=True)
    same = _GRADIENT_SAME
    sizes_of = _GRADIENT_SIZES

    def compute(
        self,
        xp: Any,
        input_tensor: Any,
        input_gradient_tensor: Any,
        mean_tensor: Any,
        variance_tensor: Any,
        scale_tensor: Any,
    ) -> dict[str, Any]:
        deviation = xp.sqrt(variance_tensor + input_tensor.dtype.type(self.epsilon or 0))
        centered = input_tensor - mean_tensor
        return {
            "output_gradient_tensor": input_gradient_tensor * (scale_tensor / deviation),
            **_parameter_gradients(xp, centered, input_gradient_tensor, deviation),
        }


class BatchNormalizationTrainingGrad(Operator, since="4.1", id=152):
    """The gradients of BATCH_NORMALIZATION_TRAINING by its input, scale and bias.

    Mean and variance of the batch depend on the input, and the gradient by the input sees that.
    """

    rank = {"4.1": (1, 8)}
    input_tensor: TensorDesc = tensor_input(_FLOATS_4_1)
    input_gradient_tensor: TensorDesc = tensor_input(_FLOATS_4_1)
    mean_tensor: TensorDesc = tensor_input(_FLOATS_4_1)
    variance_tensor: TensorDesc = tensor_input(_FLOATS_4_1)
    scale_tensor: TensorDesc = tensor_input(_FLOATS_4_1)
    output_gradient_tensor: TensorDesc = tensor_output(_FLOATS_4_1)
    output_scale_gradient_tensor: TensorDesc = tensor_output(_FLOATS_4_1)
    output_bias_gradient_tensor: TensorDesc = tensor_output(_FLOATS_4_1)
    epsilon: float = attribute(Float())
    same = _GRADIENT_SAME
    sizes_of = _GRADIENT_SIZES

    def compute(
        self,
        xp: Any,
        input_tensor: Any,
        input_gradient_tensor: Any,
        mean_tensor: Any,
        variance_tensor: Any,
        scale_tensor: Any,
    ) -> dict[str, Any]:
        gradient, axes = input_gradient_tensor, _broadcast_axes(input_tensor, mean_tensor)
        spread = variance_tensor + input_tensor.dtype.type(self.epsilon)
        centered = input_tensor - average(xp, input_tensor, axes)
        along = average(xp, gradient * centered, axes) / spread
        flow = gradient - average(xp, gradient, axes) - centered * along
        return {
            "output_gradient_tensor": flow * (scale_tensor / xp.sqrt(spread)),
            **_parameter_gradients(xp, input_tensor - mean_tensor, gradient, xp.sqrt(spread)),
        }


def _parameter_gradients(xp: Any, centered: Any, gradient: Any, deviation: Any) -> dict[str, Any]:
    """The gradients by scale and bias: sums over the dimensions in which those are broadcast."""
    summed = {"axis": _broadcast_axes(gradient, deviation), "keepdims": True, "dtype": xp.float64}
    return {
        "output_scale_gradient_tensor": xp.sum(gradient * centered, **summed) / deviation,
        "output_bias_gradient_tensor": xp.sum(gradient, **summed),
    }
