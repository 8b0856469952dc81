"""Activations: formulas of one input; each can also be fused into another operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.attributes import Float
from anydml.core.errors import Violation
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Operator, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.types import FLOAT_16_32, SMALL_SIGNED

STEEPNESS = rule(
    "softplus.steepness",
    "Before feature level 6.4 the steepness is at least 1.",
    "dml.Device(feature_level='6.3').compile("
    "dml.ActivationSoftplus(input_tensor=dml.TensorDesc('FLOAT32', [4]), steepness=0.5))",
)
_RANK = {"1.0": (4, 4), "2.0": (4, 5), "3.0": (1, 8)}
_FLOATS = {"1.0": FLOAT_16_32}
_SAME = (same("input_tensor output_tensor", "DataType DimensionCount Sizes"),)


class ActivationElu(Operator, since="1.0", id=35):
    """x where x >= 0, else alpha * (e^x - 1)."""

    rank = _RANK
    input_tensor: TensorDesc = tensor_input(_FLOATS)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    alpha: float = attribute(Float())
    same = _SAME
    in_place = True
    fusable = True

    def formula(self, m: Any, x: Any) -> Any:
        return m.where(x >= 0, x, self.alpha * m.expm1(m.minimum(x, 0)))


class ActivationRelu(Operator, since="1.0", id=44):
    """max(0, x)."""

    rank = _RANK
    input_tensor: TensorDesc = tensor_input({"1.0": FLOAT_16_32, "5.1": FLOAT_16_32 | SMALL_SIGNED})
    output_tensor: TensorDesc = tensor_output({"1.0": FLOAT_16_32, "5.1": FLOAT_16_32 | SMALL_SIGNED})
    same = _SAME
    in_place = True
    fusable = True

    def formula(self, m: Any, x: Any) -> Any:
        return m.maximum(x, x.dtype.type(0))


class ActivationSoftplus(Operator, since="1.0", id=49):
    """ln(1 + e^(steepness * x)) / steepness."""

    rank = _RANK
    input_tensor: TensorDesc = tensor_input(_FLOATS)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    steepness: float = attribute(Float())
    same = _SAME
    in_place = True
    fusable = True

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        if self.steepness < 1 and level < FeatureLevel.LEVEL_6_4:
            yield STEEPNESS("Steepness", self.steepness, "at least 1", "1", feature_level="6.4")

    def formula(self, m: Any, x: Any) -> Any:
        return m.logaddexp(x.dtype.type(0), x * x.dtype.type(self.steepness)) / x.dtype.type(self.steepness)
