"""Normalization by statistics of the tensor itself: mean and variance, local response, Lp norm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.errors import Violation
from anydml.core.fixes import Add, Use
from anydml.core.levels import FeatureLevel
from anydml.core.naming import pascal
from anydml.core.rules import rule
from anydml.core.schema import (
    Axes,
    Axis,
    Boolean,
    Float,
    Integer,
    Operator,
    attribute,
    same,
    tensor_input,
    tensor_output,
)
from anydml.core.schema.fusion import Activation
from anydml.core.tensor import TensorDesc
from anydml.operators.batch_normalization import average
from anydml.operators.fused import apply_activation
from anydml.operators.types import FLOAT_16_32

SCALE_AND_BIAS = rule(
    "normalization.scale-and-bias", "Before feature level 5.2, scale and bias are both given, or neither."
)
CHANNELS = rule("normalization.channels", "Before feature level 4.0, scale and bias have the input's channels.")
ORDER = rule("lp-normalization.order", "The norm is of order 1 or 2.")
_FLOATS, _FLOATS_2_1, _FLOATS_3_1, _FLOATS_6_3 = ({level: FLOAT_16_32} for level in ("1.0", "2.1", "3.1", "6.3"))
_SAME = (same("input_tensor scale_tensor bias_tensor output_tensor", "DataType DimensionCount"),)
_SIZES = {
    "input_tensor": "*sizes",
    "scale_tensor": "*sizes|1",
    "bias_tensor": "*sizes|1",
    "output_tensor": "*sizes",
}


def _check_pair(
    operator: MeanVarianceNormalization | MeanVarianceNormalization1, level: FeatureLevel
) -> Iterator[Violation]:
    names = ("scale_tensor", "bias_tensor")
    absent = [name for name in names if getattr(operator, name) is None]
    if len(absent) == 1 and level < FeatureLevel.LEVEL_5_2:
        expected = "both ScaleTensor and BiasTensor, or neither"
        yield SCALE_AND_BIAS(pascal(absent[0]), "nothing", expected, Add(absent[0]), feature_level="5.2")


class MeanVarianceNormalization(Operator, since="1.0", id=73):
    """Moves each image's mean to 0 and its variance to 1, per channel or across channels; then scale and bias."""

    rank = {"1.0": (4, 4)}
    input_tensor: TensorDesc = tensor_input(_FLOATS)
    scale_tensor: TensorDesc | None = tensor_input(_FLOATS, optional=True)
    bias_tensor: TensorDesc | None = tensor_input(_FLOATS, optional=True)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    cross_channel: bool = attribute(Boolean())
    normalize_variance: bool = attribute(Boolean())
    epsilon: float = attribute(Float())
    fused_activation: Operator | None = attribute(Activation(), optional=True)
    same = (
        same("input_tensor output_tensor", "Sizes"),
        same("input_tensor scale_tensor bias_tensor output_tensor", "DataType"),
    )
    sizes_of = _SIZES

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        return _check_pair(self, level)

    def equivalent(self) -> Operator:
        return _newest(self, (1, 2, 3) if self.cross_channel else (2, 3))


class MeanVarianceNormalization1(Operator, since="2.1", id=115):
    """Moves the mean along some axes to 0 and, if asked, the variance to 1; then scale and bias."""

    rank = {"2.1": (4, 4), "3.1": (1, 8)}
    input_tensor: TensorDesc = tensor_input(_FLOATS_2_1)
    scale_tensor: TensorDesc | None = tensor_input(_FLOATS_2_1, optional=True)
    bias_tensor: TensorDesc | None = tensor_input(_FLOATS_2_1, optional=True)
    output_tensor: TensorDesc = tensor_output(_FLOATS_2_1)
    axes: tuple[int, ...] = attribute(Axes(), length="AxisCount")
    normalize_variance: bool = attribute(Boolean())
    epsilon: float = attribute(Float())
    fused_activation: Operator | None = attribute(Activation(), optional=True)
    same = _SAME
    sizes_of = _SIZES

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        yield from _check_pair(self, level)
        if level >= FeatureLevel.LEVEL_4_0 or self.input_tensor.rank < 2:
            return
        channels = self.input_tensor.sizes[1]
        for name in ("scale_tensor", "bias_tensor"):
            tensor = getattr(self, name)
            if tensor is not None and tensor.sizes[1] != channels:
                expected = f"{channels} as InputTensor has"
                path = f"{pascal(name)}.Sizes[1]"
                yield CHANNELS(path, tensor.sizes[1], expected, Use(channels), feature_level="4.0")

    def equivalent(self) -> Operator:
        return _newest(self, self.axes)


class MeanVarianceNormalization2(Operator, since="6.3", id=171):
    """Subtracts the mean along some axes and divides by the standard deviation, each if asked; then scale and bias.

    Without the mean, the deviation is taken about 0: the root of the mean square.
    """

    rank = {"6.3": (1, 8)}
    input_tensor: TensorDesc = tensor_input(_FLOATS_6_3)
    scale_tensor: TensorDesc | None = tensor_input(_FLOATS_6_3, optional=True)
    bias_tensor: TensorDesc | None = tensor_input(_FLOATS_6_3, optional=True)
    output_tensor: TensorDesc = tensor_output(_FLOATS_6_3)
    axes: tuple[int, ...] = attribute(Axes(), length="AxisCount")
    use_mean: bool = attribute(Boolean())
    use_variance: bool = attribute(Boolean())
    epsilon: float = attribute(Float())
    fused_activation: Operator | None = attribute(Activation(), optional=True)
    same = _SAME
    sizes_of = _SIZES

    def compute(self, xp: Any, input_tensor: Any, scale_tensor: Any = None, bias_tensor: Any = None) -> Any:
        result = input_tensor
        if self.use_mean:
            result = result - average(xp, result, self.axes)
        if self.use_variance:
            variance = average(xp, xp.square(result), self.axes)
            result = result / xp.sqrt(variance + result.dtype.type(self.epsilon))
        if scale_tensor is not None:
            result = result * scale_tensor
        if bias_tensor is not None:
            result = result + bias_tensor
        return apply_activation(xp, result, self.fused_activation)


def _newest(operator: MeanVarianceNormalization | MeanVarianceNormalization1, axes: tuple[int, ...]) -> Operator:
    return MeanVarianceNormalization2(
        input_tensor=operator.input_tensor,
        scale_tensor=operator.scale_tensor,
        bias_tensor=operator.bias_tensor,
        output_tensor=operator.output_tensor,
        axes=axes,
        use_mean=True,
        use_variance=operator.normalize_variance,
        epsilon=operator.epsilon,
        fused_activation=operator.fused_activation,
    )


# Local response


class _LocalResponse(Operator, abstract=True):
    """What the normalization and its gradient have in common."""

    cross_channel: bool
    local_size: int
    alpha: float
    beta: float
    bias: float

    @property
    def _axes(self) -> tuple[int, ...]:
        """The dimensions in which a region extends."""
        return (1,) if self.cross_channel else (2, 3)

    def _bases(self, xp: Any, x: Any) -> Any:
        """bias + alpha / size * (the sum of squares in each element's region)."""
        sums = _window_sums(xp, xp.square(x), self._axes, (self.local_size - 1) // 2, self.local_size // 2)
        return x.dtype.type(self.bias) + x.dtype.type(self.alpha / self.local_size) * sums


def _window_sums(xp: Any, x: Any, axes: tuple[int, ...], before: int, after: int) -> Any:
    """Sums over windows from `before` elements before to `after` elements after each one, cut off at the borders."""
    for axis in axes:
        size = x.shape[axis]
        total = xp.zeros_like(x)
        for offset in range(-min(before, size - 1), min(after, size - 1) + 1):
            low, high = max(0, -offset), min(size, size - offset)
            _part(total, axis, low, high)[...] += _part(x, axis, low + offset, high + offset)
        x = total
    return x


def _part(x: Any, axis: int, low: int, high: int) -> Any:
    return x[(slice(None),) * axis + (slice(low, high),)]


class LocalResponseNormalization(_LocalResponse, since="1.0", id=74):
    """x / (bias + alpha / size * (sum of squares around x))^beta; the sum is over channels, or height and width."""

    rank = {"1.0": (4, 4)}
    input_tensor: TensorDesc = tensor_input(_FLOATS)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    cross_channel: bool = attribute(Boolean())
    local_size: int = attribute(Integer(minimum=1))
    alpha: float = attribute(Float())
    beta: float = attribute(Float())
    bias: float = attribute(Float())
    same = (same("input_tensor output_tensor", "DataType Sizes"),)

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        return input_tensor / self._bases(xp, input_tensor) ** input_tensor.dtype.type(self.beta)


class LocalResponseNormalizationGrad(_LocalResponse, since="3.1", id=144):
    """The gradient of LOCAL_RESPONSE_NORMALIZATION by its input."""

    rank = {"3.1": (4, 4)}
    input_tensor: TensorDesc = tensor_input(_FLOATS_3_1)
    input_gradient_tensor: TensorDesc = tensor_input(_FLOATS_3_1)
    output_gradient_tensor: TensorDesc = tensor_output(_FLOATS_3_1)
    cross_channel: bool = attribute(Boolean())
    local_size: int = attribute(Integer(minimum=1))
    alpha: float = attribute(Float())
    beta: float = attribute(Float())
    bias: float = attribute(Float())
    same = (same("input_tensor input_gradient_tensor output_gradient_tensor", "DataType Sizes"),)

    def compute(self, xp: Any, input_tensor: Any, input_gradient_tensor: Any) -> Any:
        """Each element acts through its own output, and through the region of every output that it lies in."""
        x, number = input_tensor, input_tensor.dtype.type
        bases = self._bases(xp, x)
        direct = input_gradient_tensor / bases ** number(self.beta)
        # The windows are mirrored: element i lies in the region of output c where c's window reaches i.
        around = _window_sums(xp, x * direct / bases, self._axes, self.local_size // 2, (self.local_size - 1) // 2)
        return direct - number(2 * self.alpha * self.beta / self.local_size) * x * around


class LpNormalization(Operator, since="1.0", id=75):
    """x divided by the L1 or L2 norm along an axis, but by no less than epsilon."""

    rank = {"1.0": (4, 4), "3.1": (1, 8)}
    input_tensor: TensorDesc = tensor_input(_FLOATS)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    axis: int = attribute(Axis())
    epsilon: float = attribute(Float())
    p: int = attribute(Integer())
    same = (same("input_tensor output_tensor", "DataType DimensionCount Sizes"),)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        if self.p not in (1, 2):
            yield ORDER("P", self.p, "1 or 2", Use(2))

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        x, summed = input_tensor, {"axis": self.axis, "keepdims": True}
        norm = xp.sum(xp.abs(x), **summed) if self.p == 1 else xp.sqrt(xp.sum(xp.square(x), **summed))
        return x / xp.maximum(norm, x.dtype.type(self.epsilon))
