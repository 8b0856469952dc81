"""Powers, roots, exponentials, logarithms, and the error function."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Float, Operator, ScaleBias, aliases, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.elementwise import RANK_4, ScaledUnary, scaled
from anydml.operators.types import FLOAT_16_32, UP_TO_32_BIT

EXPONENT_TYPE = rule("pow.exponent-type", "Before feature level 3.0 the exponent has the data type of the input.")
_POWERS = {"1.0": FLOAT_16_32, "3.0": UP_TO_32_BIT}


class ElementWiseExp(ScaledUnary, since="1.0", id=11):
    """e to the power x."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.exp(scaled(m, x, self.scale_bias))


class ElementWiseLog(ScaledUnary, since="1.0", id=13):
    """The natural logarithm of x: minus infinity for 0, NaN below it."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.log(scaled(m, x, self.scale_bias))


class ElementWiseSqrt(ScaledUnary, since="1.0", id=29):
    """The square root of x; NaN below 0."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.sqrt(scaled(m, x, self.scale_bias))


class ElementWiseRecip(ScaledUnary, since="1.0", id=27):
    """1 / x."""

    def formula(self, m: Any, x: Any) -> Any:
        return 1 / scaled(m, x, self.scale_bias)


class ElementWiseErf(ScaledUnary, since="2.0", id=81):
    """The error function of x: 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x."""

    def formula(self, m: Any, x: Any) -> Any:
        return m.erf(scaled(m, x, self.scale_bias))


class ElementWisePow(Operator, since="1.0", id=25):
    """x to the power of an exponent: NaN for a fractional power of a negative number; exact for two integers."""

    rank = RANK_4
    input_tensor: TensorDesc = tensor_input(_POWERS)
    exponent_tensor: TensorDesc = tensor_input(_POWERS)
    output_tensor: TensorDesc = tensor_output(_POWERS)
    scale_bias: tuple[float, float] | None = attribute(ScaleBias(), optional=True)
    same = (
        same("input_tensor exponent_tensor output_tensor", "DimensionCount Sizes"),
        same("input_tensor output_tensor", "DataType"),
    )
    in_place = aliases("input_tensor", "output_tensor")

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        expected, found = self.input_tensor.data_type.name, self.exponent_tensor.data_type.name
        if found != expected and level < FeatureLevel.LEVEL_3_0:
            wanted = f"{expected} as InputTensor"
            yield EXPONENT_TYPE("ExponentTensor.DataType", found, wanted, Use(expected), feature_level="3.0")

    def formula(self, m: Any, x: Any, exponent: Any) -> Any:
        base = scaled(m, x, self.scale_bias)
        if base.dtype.kind != "f" and exponent.dtype.kind != "f":
            return m.integer_power(base.astype("int64"), exponent.astype("int64"))
        # 32-bit integers are not exact as 32-bit floats, and a power that should be whole is cut off in the end.
        is_wide = base.dtype.kind != "f" or (exponent.dtype.kind != "f" and exponent.dtype.itemsize == 4)
        computed = m.float64 if is_wide else base.dtype
        base, power = base.astype(computed), exponent.astype(computed)
        if exponent.dtype.kind != "f":
            return m.power(base, power)
        return m.where((base < 0) & (power != m.floor(power)), m.nan, m.power(base, power))


class ElementWiseConstantPow(ScaledUnary, since="1.0", id=26):
    """x to the power of one exponent; NaN for a fractional power of a negative number."""

    exponent: float = attribute(Float())

    def formula(self, m: Any, x: Any) -> Any:
        base, exponent = scaled(m, x, self.scale_bias), self.exponent
        # Exponents that are common, and cheaper without a logarithm.
        if exponent == 1:
            return base
        if exponent == 2:
            return base * base
        if exponent == 3:
            return base * base * base
        if exponent == 0.5:
            return m.sqrt(base)
        if exponent == -1:
            return 1 / base
        if math.isfinite(exponent) and exponent != math.floor(exponent):
            base = m.where(base < 0, m.nan, base)  # minus infinity too
        return m.power(base, base.dtype.type(exponent))
