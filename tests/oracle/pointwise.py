"""Element-wise operators on single numbers: floats in double precision, integers without limit.

An operator that the documents leave undefined somewhere gives None there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tests.oracle.numbers import bits_of, convert, integer_range, is_float, wrap

Number = float | int
FAR_FROM_ZERO = 2.0**16


def larger(a: Number, b: Number) -> Number:
    """The larger number; a NaN wins."""
    return a if math.isnan(a) or a > b else b


def smaller(a: Number, b: Number) -> Number:
    """The smaller number; a NaN wins."""
    return a if math.isnan(a) or a < b else b


def _real(function: Callable[[float], float], poles: dict[float, float] | None = None) -> Callable[[float], float]:
    """A function of math that gives NaN outside its domain and infinity beyond the largest double."""

    def evaluate(x: float) -> float:
        if poles and x in poles:
            return poles[x]
        try:
            return function(x)
        except OverflowError:
            return math.copysign(math.inf, x) if function is math.sinh else math.inf
        except ValueError:
            return math.nan

    return evaluate


def _periodic(function: Callable[[float], float]) -> Callable[[float], float | None]:
    """No accuracy is promised for large arguments: they are left open."""
    return lambda x: None if math.isfinite(x) and abs(x) > FAR_FROM_ZERO else _real(function)(x)


def reciprocal(x: float) -> float:
    return 1 / x if x else math.copysign(math.inf, x)


def _whole(function: Callable[[float], int]) -> Callable[[float], float]:
    return lambda x: float(function(x)) if math.isfinite(x) else x


UNARY: dict[str, Callable[[Any], Any]] = {
    "IDENTITY": lambda x: x,
    "ABS": abs,
    "NEGATE": lambda x: -x,
    "ACOS": _real(math.acos),
    "ASIN": _real(math.asin),
    "ATAN": math.atan,
    "CEIL": _whole(math.ceil),
    "FLOOR": _whole(math.floor),
    "COS": _periodic(math.cos),
    "SIN": _periodic(math.sin),
    "TAN": _periodic(math.tan),
    "EXP": _real(math.exp),
    "LOG": _real(math.log, {0.0: -math.inf}),
    "RECIP": reciprocal,
    "SQRT": _real(math.sqrt),
    "ERF": math.erf,
    "SINH": _real(math.sinh),
    "COSH": _real(math.cosh),
    "TANH": math.tanh,
    "ASINH": math.asinh,
    "ACOSH": _real(math.acosh),
    "ATANH": _real(math.atanh, {1.0: math.inf, -1.0: -math.inf}),
    "SIGN": lambda x: int(x > 0) - int(x < 0),
    "IS_NAN": lambda x: int(math.isnan(x)),
    "LOGICAL_NOT": lambda x: int(x == 0),
}


def scaled(x: Number, scale_bias: tuple[float, float] | None, data_type: str) -> Number:
    """x * Scale + Bias; of an integer as a float, cut off and held in the type's range."""
    if scale_bias is None:
        return x
    return convert(x * scale_bias[0] + scale_bias[1], "FLOAT64", data_type if not is_float(data_type) else "FLOAT64")


def divide(a: Number, b: Number) -> Number | None:
    """The quotient; of integers cut off toward zero, and undefined for a divisor of 0."""
    if isinstance(a, float):
        if b == 0:
            return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
        return a / b
    if b == 0:
        return None
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def modulus_truncate(a: Number, b: Number) -> Number | None:
    """What is left of a after whole multiples of b; it has the sign of a."""
    if isinstance(a, float):
        return math.nan if math.isinf(a) or b == 0 else math.fmod(a, b)
    if b == 0:
        return None
    quotient = divide(a, b)
    assert quotient is not None
    return a - int(b * quotient)


def modulus_floor(a: Number, b: Number) -> Number | None:
    """What is left of a after whole multiples of b; it has the sign of b."""
    if isinstance(a, float):
        if math.isinf(b):  # a - b * floor(a / b) has no value there
            return None
        return math.nan if math.isinf(a) or b == 0 else a % b
    return None if b == 0 else a % b


def mean(a: Number, b: Number) -> Number:
    """Half the sum; of integers cut off toward zero, whatever the sum would have needed."""
    total = a + b
    return total / 2 if isinstance(total, float) else abs(total) // 2 * (1 if total >= 0 else -1)


def arc_tangent(y: float, x: float) -> float | None:
    """The angle of the point (x, y); undefined at the origin, and where both are infinite."""
    if (x == 0 and y == 0) or (math.isinf(x) and math.isinf(y)):
        return None
    return math.atan2(y, x)


def product(a: Number, b: Number) -> Number:
    return a * b


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "ADD": lambda a, b: a + b,
    "SUBTRACT": lambda a, b: a - b,
    "MULTIPLY": product,
    "DIVIDE": divide,
    "MAX": larger,
    "MIN": smaller,
    "MEAN": mean,
    "DIFFERENCE_SQUARE": lambda a, b: (a - b) * (a - b),
    "MODULUS_TRUNCATE": modulus_truncate,
    "MODULUS_FLOOR": modulus_floor,
    "ATAN_YX": arc_tangent,
    "LOGICAL_AND": lambda a, b: int(a != 0 and b != 0),
    "LOGICAL_OR": lambda a, b: int(a != 0 or b != 0),
    "LOGICAL_XOR": lambda a, b: int((a != 0) != (b != 0)),
    "LOGICAL_EQUALS": lambda a, b: int(a == b),
    "LOGICAL_GREATER_THAN": lambda a, b: int(a > b),
    "LOGICAL_LESS_THAN": lambda a, b: int(a < b),
    "LOGICAL_GREATER_THAN_OR_EQUAL": lambda a, b: int(a >= b),
    "LOGICAL_LESS_THAN_OR_EQUAL": lambda a, b: int(a <= b),
}
BITWISE: dict[str, Callable[[int, int], int]] = {
    "BIT_AND": lambda a, b: a & b,
    "BIT_OR": lambda a, b: a | b,
    "BIT_XOR": lambda a, b: a ^ b,
}


def shift(a: int, b: int, data_type: str, left: bool) -> int | None:
    """Bits moved by b places, zeros moved in; undefined from the width of the type on."""
    if b >= bits_of(data_type):
        return None
    return wrap(a << b, data_type) if left else a >> b


def power(x: Number, exponent: Number) -> Number | None:
    """x to the exponent, NaN for a fractional power of a negative number.

    Integers exactly, and of a negative exponent what is left when cut off toward zero.
    """
    if isinstance(x, int) and isinstance(exponent, int):
        if exponent >= 0:
            return x**exponent
        return None if x == 0 else int(1 / x ** min(-exponent, 64))
    if x < 0 and math.isfinite(exponent) and exponent != math.floor(exponent):
        return math.nan
    try:
        return math.pow(x, exponent)
    except OverflowError:
        return -math.inf if x < 0 and exponent % 2 == 1 else math.inf
    except ValueError:  # 0 to a negative exponent
        return math.copysign(math.inf, x) if abs(exponent) % 2 == 1 else math.inf


def round_to(x: float, mode: str) -> float:
    """ROUND: to the nearest whole number or toward zero; TOWARD_INFINITY takes halves away from zero."""
    if not math.isfinite(x):
        return x
    if mode == "HALVES_TO_NEAREST_EVEN":
        return float(round(x))
    if mode == "TOWARD_ZERO":
        return float(math.trunc(x))
    whole = math.floor(abs(x))
    return math.copysign(whole + (abs(x) - whole >= 0.5), x)


def is_infinity(x: float, mode: str) -> int:
    return int(math.isinf(x) and (mode == "EITHER" or (x > 0) == (mode == "POSITIVE")))


def clip(x: Number, low: Number, high: Number) -> Number:
    return larger(smaller(x, high), low)


def clip_gradient(x: Number, gradient: Number, low: Number, high: Number) -> Number:
    """The gradient where x lies strictly between the limits, 0 elsewhere."""
    return gradient if low < x < high else type(gradient)(0)


def limit_of(value: float, data_type: str) -> Number:
    """A float attribute as a limit of this type: of integers cut off and held in range."""
    return value if is_float(data_type) else convert(value, "FLOAT64", data_type)


def quantize(x: Number, scale: float, zero_point: int, data_type: str) -> int:
    """x / scale to the nearest whole number, halves to even, plus the zero point, held in the type's range."""
    low, high = integer_range(data_type)
    return min(max(round(x / scale) + zero_point, low), high)


def dequantize(x: int, scale: float, zero_point: int) -> float:
    return (x - zero_point) * scale
