"""Arithmetic: sums, products, quotients, remainders, means, extremes and signs."""

from __future__ import annotations

from typing import Any

from anydml.core.datatype import DataType
from anydml.core.schema import Operator, attribute, tensor_input, tensor_output
from anydml.core.schema.fusion import Activation
from anydml.core.tensor import TensorDesc
from anydml.operators.elementwise import (
    ANY_RANK,
    RANK_4_5,
    Binary,
    ScaledUnary,
    Unary,
    scaled,
)
from anydml.operators.types import (
    FLOAT_16_32,
    INTEGERS_32,
    INTEGERS_64,
    SMALL_SIGNED,
    UP_TO_32_BIT,
    WITHOUT_FLOAT64,
)

_WITH_32 = FLOAT_16_32 | INTEGERS_32
_SUMS = {"1.0": FLOAT_16_32, "2.1": _WITH_32, "4.1": _WITH_32 | INTEGERS_64, "5.1": WITHOUT_FLOAT64}
_QUOTIENTS = {"1.0": FLOAT_16_32, "2.1": _WITH_32, "5.1": UP_TO_32_BIT, "6.0": WITHOUT_FLOAT64}
_REMAINDERS = {"2.1": UP_TO_32_BIT, "6.0": WITHOUT_FLOAT64}
_EXTREMES = {"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "5.0": WITHOUT_FLOAT64}
_MEANS = {"1.0": FLOAT_16_32, "2.1": _WITH_32}
_SIGNED = FLOAT_16_32 | SMALL_SIGNED
_SIGNED_64 = _SIGNED | {DataType.INT64}


class _Sum(Binary, abstract=True):
    """Sums, differences and products: integers keep their low bits."""

    a_tensor: TensorDesc = tensor_input(_SUMS)
    b_tensor: TensorDesc = tensor_input(_SUMS)
    output_tensor: TensorDesc = tensor_output(_SUMS)


class ElementWiseAdd(_Sum, since="1.0", id=4):
    """a + b; integers keep their low bits."""

    rank = RANK_4_5

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a + b


class ElementWiseAdd1(Binary, since="2.0", id=89):
    """a + b, then an activation."""

    rank = RANK_4_5
    fused_activation: Operator | None = attribute(Activation(), optional=True)

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        activation: Any = self.fused_activation
        return a + b if activation is None else activation.formula(m, a + b)


class ElementWiseSubtract(_Sum, since="1.0", id=30):
    """a - b; integers keep their low bits."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a - b


class ElementWiseMultiply(_Sum, since="1.0", id=24):
    """a * b; integers keep their low bits."""

    rank = RANK_4_5

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a * b


class ElementWiseDivide(Binary, since="1.0", id=10):
    """a / b; of integers the quotient is cut off toward zero, and it is 0 for a divisor of 0."""

    a_tensor: TensorDesc = tensor_input(_QUOTIENTS)
    b_tensor: TensorDesc = tensor_input(_QUOTIENTS)
    output_tensor: TensorDesc = tensor_output(_QUOTIENTS)

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a / b if a.dtype.kind == "f" else m.truncate_divide(a, b)


class _Modulus(Binary, abstract=True):
    """Remainders; of integers they are 0 for a divisor of 0."""

    a_tensor: TensorDesc = tensor_input(_REMAINDERS)
    b_tensor: TensorDesc = tensor_input(_REMAINDERS)
    output_tensor: TensorDesc = tensor_output(_REMAINDERS)


class ElementWiseModulusTruncate(_Modulus, since="2.1", id=101):
    """The remainder of a divided by b, with the sign of a, as C's fmod."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return m.fmod(a, b)


class ElementWiseModulusFloor(_Modulus, since="2.1", id=102):
    """The remainder of a divided by b, with the sign of b, as Python's %."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return m.remainder(a, b)


class _Extreme(Binary, abstract=True):
    """The larger or the smaller of two numbers."""

    a_tensor: TensorDesc = tensor_input(_EXTREMES)
    b_tensor: TensorDesc = tensor_input(_EXTREMES)
    output_tensor: TensorDesc = tensor_output(_EXTREMES)


class ElementWiseMax(_Extreme, since="1.0", id=21):
    """The larger of a and b; NaN if one of them is NaN."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return m.maximum(a, b)


class ElementWiseMin(_Extreme, since="1.0", id=23):
    """The smaller of a and b; NaN if one of them is NaN."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return m.minimum(a, b)


class ElementWiseMean(Binary, since="1.0", id=22):
    """(a + b) / 2, also where the sum would overflow; of integers cut off toward zero."""

    a_tensor: TensorDesc = tensor_input(_MEANS)
    b_tensor: TensorDesc = tensor_input(_MEANS)
    output_tensor: TensorDesc = tensor_output(_MEANS)

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        if a.dtype.kind != "f":
            return m.truncate_divide(a.astype("int64") + b.astype("int64"), 2)
        total = a + b
        # Halving first would round subnormal numbers; halving last is wrong only where the sum is infinite.
        return m.where(m.isinf(total), a * 0.5 + b * 0.5, total * 0.5)


class ElementWiseDifferenceSquare(Binary, since="3.1", id=143):
    """(a - b) squared; integers keep their low bits."""

    rank = ANY_RANK
    a_tensor: TensorDesc = tensor_input({"3.1": _WITH_32})
    b_tensor: TensorDesc = tensor_input({"3.1": _WITH_32})
    output_tensor: TensorDesc = tensor_output({"3.1": _WITH_32})

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        difference = a - b
        return difference * difference


class ElementWiseAbs(ScaledUnary, since="1.0", id=2):
    """The magnitude of x; the lowest integer, which has no positive counterpart, stays itself."""

    input_tensor: TensorDesc = tensor_input({"1.0": FLOAT_16_32, "2.1": _SIGNED, "4.1": _SIGNED_64})
    output_tensor: TensorDesc = tensor_output({"1.0": FLOAT_16_32, "2.1": _SIGNED, "4.1": _SIGNED_64})

    def formula(self, m: Any, x: Any) -> Any:
        return m.abs(scaled(m, x, self.scale_bias))


class ElementWiseNegate(Unary, since="5.0", id=156):
    """-x; 0 becomes -0, and the lowest integer stays itself."""

    rank = ANY_RANK
    input_tensor: TensorDesc = tensor_input({"5.0": _SIGNED_64})
    output_tensor: TensorDesc = tensor_output({"5.0": _SIGNED_64})

    def formula(self, m: Any, x: Any) -> Any:
        return -x


class ElementWiseSign(Unary, since="2.0", id=79):
    """1 where x > 0, -1 where x < 0, else 0, also for NaN."""

    input_tensor: TensorDesc = tensor_input({"2.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "4.1": WITHOUT_FLOAT64})
    output_tensor: TensorDesc = tensor_output({"2.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "4.1": WITHOUT_FLOAT64})

    def formula(self, m: Any, x: Any) -> Any:
        above = (x > 0).astype(x.dtype)
        return above if x.dtype.kind == "u" else above - (x < 0).astype(x.dtype)
