"""Logarithms of float32: x = 2^k (1 + f), with f from -0.25 to 0.5."""

from __future__ import annotations

import math

from anydml.runtime.native.math.scaling import inverse_power, split, splits_specials
from anydml.runtime.native.math.values import Vector, copy_sign, multiply_add, polynomial, select

_LN2_HIGH, _LN2_LOW = 0.693115234375, 3.194618497218471467e-05
"""Both positive, so that an infinite k gives an infinite sum. Multiples of the high part up to 2^9 are exact."""
_LOG = (
    -0.044402286410331726,
    0.10391244292259216,
    -0.13148067891597748,
    0.14485569298267365,
    -0.16649220883846283,
    0.19990657269954681,
    -0.2500004470348358,
    0.3333345055580139,
    -0.5,
)


def log(x: Vector) -> Vector:
    mantissa, exponent = split(x)
    result = _log(mantissa - 1.0, exponent)
    return result if splits_specials(x.lanes) else _with_specials(x, result)


def log1p(x: Vector) -> Vector:
    """log(1 + x). Only k depends on 1 + x as rounded; f = (1 + x) 2^-k - 1 is computed exactly."""
    is_huge = x > 2.0**64
    held = select(is_huge, x * 2.0**-32, x)
    power, exponent = inverse_power(held + 1.0)
    fraction = multiply_add(held, power, power - 1.0)
    result = _log(fraction, select(is_huge, exponent + 32.0, exponent))
    return copy_sign(_with_specials(x + 1.0, result), x)


def _log(f: Vector, k: Vector) -> Vector:
    """log(1 + f) + k log(2)."""
    small = multiply_add(k, _LN2_LOW, f * f * polynomial(f, _LOG))
    return multiply_add(k, _LN2_HIGH, f + small)


def _with_specials(x: Vector, result: Vector) -> Vector:
    """The logarithm of x: `result` for positive numbers, else -inf, inf or NaN."""
    limit = select(x.equals(0.0), x.like(-math.inf), math.nan)
    return select(x > 0, select(x.equals(math.inf), x, result), limit)
