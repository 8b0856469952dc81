"""Powers of float32: 2 to the product of exponent and logarithm, in float64, whose digits and range suffice for all."""

from __future__ import annotations

import math

from anydml.runtime.native.math.values import (
    FLOAT32,
    FLOAT64,
    INT32,
    Vector,
    absolute,
    at_least,
    at_most,
    multiply_add,
    polynomial,
    select,
)

_THREE_QUARTERS = 0x3FE8000000000000
"""The bits of 0.75."""
_MANTISSA_BITS = 52
_LOG2 = tuple(2 / math.log(2) / (2 * k + 1) for k in reversed(range(8)))
"""log2((1 + s) / (1 - s)) / s, of s^2."""
_EXP2 = tuple(math.log(2) ** k / math.factorial(k) for k in reversed(range(11)))
_SHIFT = 1.5 * 2.0**52
"""Added to a float64 below 2^51, this leaves its nearest integer in the low bits."""
_EVEN = 2.0**24
"""From here on all float32 are even numbers."""


def power(x: Vector, y: Vector) -> Vector:
    """x^y as C defines it: 1 for y = 0 and for x = 1, NaN or not; NaN for negative x and broken y."""
    size = absolute(x)
    exponent = y.widened() * _log2(size.widened())
    exponent = select(size.equals(1.0), exponent.like(0.0), exponent)
    result = _signed(x, y, _exp2(at_least(at_most(exponent, 200.0), -200.0)).narrowed())
    result = select(x.compare("fcmp uno", y), x + y, result)
    return select(y.equals(0.0) | x.equals(1.0), x.like(1.0), result)


def _log2(x: Vector) -> Vector:
    """Of float64 from 0 to infinity."""
    k = (x.bits - _THREE_QUARTERS) >> _MANTISSA_BITS
    mantissa = (x.bits - (k << _MANTISSA_BITS)).as_bits_of(FLOAT64)
    s = (mantissa - 1.0) / (mantissa + 1.0)
    whole = k.step("trunc", INT32).step("sitofp", FLOAT64)
    result = multiply_add(s, polynomial(s * s, _LOG2), whole)
    result = select(x.equals(math.inf), x, result)
    return select(x.equals(0.0), x.like(-math.inf), result)


def _exp2(x: Vector) -> Vector:
    shifted = x + _SHIFT
    fraction = x - (shifted - _SHIFT)
    return (polynomial(fraction, _EXP2).bits + (shifted.bits << _MANTISSA_BITS)).as_bits_of(FLOAT64)


def _signed(x: Vector, y: Vector, magnitude: Vector) -> Vector:
    """The power of |x| as that of x."""
    size = absolute(y)
    is_small = size < _EVEN
    whole = select(is_small, y, 0.0).step("fptosi", INT32)
    is_broken = is_small & whole.step("sitofp", FLOAT32).differs(y)
    is_odd = (whole & 1).differs(0) & ~is_broken
    result = select(is_odd & (x.bits < 0), -magnitude, magnitude)
    is_undefined = is_broken & (x < 0) & (x > -math.inf)
    return select(is_undefined, x.like(math.nan), result)
