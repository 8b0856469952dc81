"""Activations: formulas of one input element; most can also be fused into another operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Float, Operator, aliases, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.types import FLOAT_16_32, SMALL_SIGNED, UP_TO_32_BIT

STEEPNESS = rule("softplus.steepness", "Before feature level 6.4 the steepness is at least 1.")
_FLOATS = {"1.0": FLOAT_16_32}
_WITH_SIGNED = {"1.0": FLOAT_16_32, "5.1": FLOAT_16_32 | SMALL_SIGNED}


class _Activation(Operator, abstract=True):
    """What activations have in common: one tensor in, one of the same kind out."""

    rank = {"1.0": (4, 4), "2.0": (4, 5), "3.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input(_FLOATS)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    same = (same("input_tensor output_tensor", "DataType DimensionCount Sizes"),)
    in_place = aliases("input_tensor", "output_tensor")
    fusable = True


class _SignedActivation(_Activation, abstract=True):
    """Those that whole numbers can go through too."""

    input_tensor: TensorDesc = tensor_input(_WITH_SIGNED)
    output_tensor: TensorDesc = tensor_output(_WITH_SIGNED)


def _softplus_above_relu(m: Any, x: Any) -> Any:
    """ln(1 + e^x) - max(0, x); e is only raised to negative powers, so nothing overflows."""
    return m.log1p(m.exp(-m.abs(x)))


class ActivationElu(_Activation, since="1.0", id=35):
    """x where x >= 0, else alpha * (e^x - 1)."""

    alpha: float = attribute(Float(), default=1.0)

    def formula(self, m: Any, x: Any) -> Any:
        return m.where(x >= 0, x, self.alpha * m.expm1(x))


class ActivationHardSigmoid(_Activation, since="1.0", id=37):
    """alpha * x + beta, clamped to 0 to 1."""

    alpha: float = attribute(Float(), default=0.2)
    beta: float = attribute(Float(), default=0.5)

    def formula(self, m: Any, x: Any) -> Any:
        return m.clip(self.alpha * x + self.beta, 0, 1)


class ActivationIdentity(_Activation, since="1.0", id=38):
    """x."""

    def formula(self, m: Any, x: Any) -> Any:
        return x


class ActivationLeakyRelu(_Activation, since="1.0", id=39):
    """x where x >= 0, else alpha * x."""

    alpha: float = attribute(Float(), default=0.01)

    def formula(self, m: Any, x: Any) -> Any:
        return m.where(x >= 0, x, self.alpha * x)


class ActivationLinear(_Activation, since="1.0", id=40):
    """alpha * x + beta."""

    alpha: float = attribute(Float())
    beta: float = attribute(Float())

    def formula(self, m: Any, x: Any) -> Any:
        return self.alpha * x + self.beta


class ActivationParameterizedRelu(Operator, since="1.0", id=42):
    """x where x >= 0, else slope * x, with a slope for each element."""

    rank = _Activation.rank
    input_tensor: TensorDesc = tensor_input(_WITH_SIGNED)
    slope_tensor: TensorDesc = tensor_input(_WITH_SIGNED)
    output_tensor: TensorDesc = tensor_output(_WITH_SIGNED)
    same = (same("input_tensor slope_tensor output_tensor", "DataType DimensionCount Sizes"),)
    in_place = aliases("input_tensor slope_tensor", "output_tensor")

    def formula(self, m: Any, x: Any, slope: Any) -> Any:
        return m.where(x >= 0, x, slope * x)


class ActivationParametricSoftplus(_Activation, since="1.0", id=43):
    """alpha * ln(1 + e^(beta * x))."""

    alpha: float = attribute(Float())
    beta: float = attribute(Float())

    def formula(self, m: Any, x: Any) -> Any:
        steep = self.beta * x
        return self.alpha * (m.maximum(steep, 0) + _softplus_above_relu(m, steep))


class ActivationRelu(_SignedActivation, since="1.0", id=44):
    """max(0, x)."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.maximum(x, 0)


class ActivationScaledElu(_Activation, since="1.0", id=45):
    """gamma * x where x > 0, else gamma * alpha * (e^x - 1)."""

    alpha: float = attribute(Float(), default=1.67326319217681884765625)
    gamma: float = attribute(Float(), default=1.05070102214813232421875)

    def formula(self, m: Any, x: Any) -> Any:
        return self.gamma * m.where(x > 0, x, self.alpha * m.expm1(x))


class ActivationScaledTanh(_Activation, since="1.0", id=46):
    """alpha * tanh(beta * x)."""

    alpha: float = attribute(Float(), default=1.0)
    beta: float = attribute(Float(), default=0.5)

    def formula(self, m: Any, x: Any) -> Any:
        return self.alpha * m.tanh(self.beta * x)


class ActivationSigmoid(_Activation, since="1.0", id=47):
    """1 / (1 + e^-x)."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.sigmoid(x)


class ActivationSoftplus(_Activation, since="1.0", id=49):
    """ln(1 + e^(steepness * x)) / steepness."""

    steepness: float = attribute(Float(), default=1.0)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        if self.steepness < 1 and level < FeatureLevel.LEVEL_6_4:
            yield STEEPNESS("Steepness", self.steepness, "at least 1", Use(1.0), feature_level="6.4")

    def formula(self, m: Any, x: Any) -> Any:
        straight = m.maximum(x, 0) if self.steepness >= 0 else m.minimum(x, 0)
        return straight + _softplus_above_relu(m, x * self.steepness) / self.steepness


class ActivationSoftsign(_Activation, since="1.0", id=50):
    """x / (1 + |x|)."""

    def formula(self, m: Any, x: Any) -> Any:
        largest = float(m.finfo(x.dtype).max)
        finite = m.clip(x, -largest, largest)  # infinity over infinity is no number, the limit is 1
        return finite / (1 + m.abs(finite))


class ActivationTanh(_Activation, since="1.0", id=51):
    """tanh(x)."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.tanh(x)


class ActivationThresholdedRelu(_Activation, since="1.0", id=52):
    """x where x > alpha, else 0."""

    alpha: float = attribute(Float(), default=1.0)

    def formula(self, m: Any, x: Any) -> Any:
        return m.where(x > self.alpha, x, 0)


class ActivationShrink(_Activation, since="2.0", id=90):
    """x - bias above the threshold, x + bias below its negative, 0 between."""

    rank = {"2.0": (4, 5), "3.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"2.0": FLOAT_16_32, "5.1": UP_TO_32_BIT})
    output_tensor: TensorDesc = tensor_output({"2.0": FLOAT_16_32, "5.1": UP_TO_32_BIT})
    bias: float = attribute(Float(), default=0.0)
    threshold: float = attribute(Float(), default=0.5)

    def formula(self, m: Any, x: Any) -> Any:
        if x.dtype.kind in "iu":
            x = x.astype("float64")  # the limits are floats; the result is cut off to a whole number
        below = m.where(x < -self.threshold, x + self.bias, 0)
        return m.where(x > self.threshold, x - self.bias, below)


class ActivationCelu(_Activation, since="3.0", id=128):
    """max(0, x) + min(0, alpha * (e^(x / alpha) - 1))."""

    rank = {"3.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"3.0": FLOAT_16_32})
    output_tensor: TensorDesc = tensor_output({"3.0": FLOAT_16_32})
    alpha: float = attribute(Float(), default=1.0)

    def formula(self, m: Any, x: Any) -> Any:
        below = m.minimum(self.alpha * m.expm1(x / self.alpha), 0)
        return m.maximum(x, 0) + below


class ActivationReluGrad(Operator, since="3.0", id=129):
    """The gradient where x > 0, else 0."""

    rank = {"3.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input(_WITH_SIGNED)
    input_gradient_tensor: TensorDesc = tensor_input(_WITH_SIGNED)
    output_gradient_tensor: TensorDesc = tensor_output(_WITH_SIGNED)
    same = (same("input_tensor input_gradient_tensor output_gradient_tensor", "DataType DimensionCount Sizes"),)

    def formula(self, m: Any, x: Any, gradient: Any) -> Any:
        return m.where(x > 0, gradient, 0)


class ActivationGelu(_Activation, since="5.1", id=157):
    """x times the standard normal distribution function of x: x / 2 * (1 + erf(x / sqrt(2)))."""

    rank = {"5.1": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"5.1": FLOAT_16_32})
    output_tensor: TensorDesc = tensor_output({"5.1": FLOAT_16_32})

    def formula(self, m: Any, x: Any) -> Any:
        return m.gelu(x)


class ActivationSwish(_Activation, since="6.2", id=167):
    """x * sigmoid(scale * x)."""

    rank = {"6.2": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"6.2": FLOAT_16_32})
    output_tensor: TensorDesc = tensor_output({"6.2": FLOAT_16_32})
    sigmoid_input_scale: float = attribute(Float())
    fusable = False

    def formula(self, m: Any, x: Any) -> Any:
        divisor = 1 + m.exp(x * -self.sigmoid_input_scale)
        return m.where(divisor == m.inf, 0, x / divisor)


class ActivationHardSwish(_Activation, since="6.2", id=168):
    """x * (alpha * x + beta, clamped to 0 to 1)."""

    rank = {"6.2": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"6.2": FLOAT_16_32})
    output_tensor: TensorDesc = tensor_output({"6.2": FLOAT_16_32})
    alpha: float = attribute(Float())
    beta: float = attribute(Float())
    fusable = False

    def formula(self, m: Any, x: Any) -> Any:
        weight = m.clip(self.alpha * x + self.beta, 0, 1)
        return m.where(weight == 0, 0, x * weight)
