"""Logarithms of float32: x = 2^k (1 + f), with f from -0.25 to 0.5."""

from __future__ import annotations

import math

from anydml.runtime.native.math.scaling import has_scaling, inverse_power, split
from anydml.runtime.native.math.values import (
    Vector,
    absolute,
    copy_sign,
    multiply_add,
    polynomial,
    select,
    square_root,
)

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
    mantissa, minus_k = split(x)
    result = _log(mantissa - 1.0, minus_k)
    return result if has_scaling(x.lanes) else _with_specials(x, result)


def log1p(x: Vector) -> Vector:
    return copy_sign(_with_specials(x + 1.0, _log_of_one_and(x)), x)


def _log(f: Vector, minus_k: Vector) -> Vector:
    """log(1 + f) + k log(2)."""
    small = multiply_add(minus_k, -_LN2_LOW, f * f * polynomial(f, _LOG))
    return multiply_add(minus_k, -_LN2_HIGH, f + small)


def _log_of_one_and(x: Vector, minus_k: float | Vector = 0.0) -> Vector:
    """log(1 + x) + k log(2). Only the power depends on 1 + x as rounded; f = (1 + x) 2^n - 1 is computed exactly."""
    if has_scaling(x.lanes):
        power, n = inverse_power(x + 1.0)
    else:
        is_huge = x > 2.0**64
        x = select(is_huge, x * 2.0**-32, x)
        power, n = inverse_power(x + 1.0)
        n = select(is_huge, n - 32.0, n)
    fraction = multiply_add(x, power, power - 1.0)
    return _log(fraction, n if minus_k == 0.0 else n + minus_k)


def _with_specials(x: Vector, result: Vector) -> Vector:
    """The logarithm of x: `result` for positive numbers, else -inf, inf or NaN."""
    limit = select(x.equals(0.0), x.like(-math.inf), math.nan)
    return select(x > 0, select(x.equals(math.inf), x, result), limit)


# Inverse hyperbolic functions: all are log(1 + g) of a positive g without cancellation


def arcsinh(x: Vector) -> Vector:
    """log(1 + a + a^2 / (1 + sqrt(1 + a^2))) with a = |x|; of huge a log(2 a)."""
    size = absolute(x)
    is_huge = size > 2.0**30
    square = size * size
    inner = size + square / (square_root(square + 1.0) + 1.0)
    result = _log_of_one_and(select(is_huge, size, inner), select(is_huge, x.like(-1.0), 0.0))
    return copy_sign(select(size < math.inf, result, size), x)


def arccosh(x: Vector) -> Vector:
    """log(1 + u + sqrt(u^2 + 2 u)) with u = x - 1; of huge x log(2 x)."""
    is_huge = x > 2.0**30
    above = x - 1.0
    inner = above + square_root(multiply_add(above, above, above + above))
    result = _log_of_one_and(select(is_huge, x, inner), select(is_huge, x.like(-1.0), 0.0))
    return select(x >= 1.0, select(x.equals(math.inf), x, result), math.nan)


def arctanh(x: Vector) -> Vector:
    """log(1 + 2 a + 2 a^2 / (1 - a)) / 2 with a = |x|."""
    size = absolute(x)
    double = size + size
    ratio = double + double * size / (1.0 - size)
    result = select(size < 1.0, _log_of_one_and(ratio) * 0.5, select(size.equals(1.0), x.like(math.inf), math.nan))
    return copy_sign(result, x)
