"""Exponential functions of float32.

e^x = 2^n e^r with n the whole number nearest to x / ln 2, so that |r| is at most about ln(2) / 2.
"""

from __future__ import annotations

from dataclasses import dataclass

from anydml.runtime.native.math.scaling import (
    POWER_BIAS,
    SCALE_BIAS,
    Rounded,
    has_scaling,
    nearest,
    power_of_two,
    scale,
)
from anydml.runtime.native.math.values import (
    FLOAT32,
    Vector,
    absolute,
    at_least,
    at_most,
    copy_sign,
    multiply_add,
    polynomial,
    select,
)

LOG2_E = 1.4426950408889634
LN2 = 0.6931471824645996
"""The float32 nearest to ln 2."""
LN2_HIGH, LN2_LOW = 0.693359375, -2.121944400546905827679e-4
"""Multiples of the high part by whole numbers up to 2^14 are exact."""

_EXP = (0.0013820744352415204, 0.008369248360395432, 0.041668280959129333, 0.16666516661643982, 0.4999999403953552)
EXPM1 = (0.0013871878618374467, 0.008366876281797886, 0.041667431592941284, 0.16666541993618011, 0.4999999701976776)


def exp(x: Vector) -> Vector:
    held = at_least(at_most(x, 89.0), -104.0)
    n = nearest(held, LOG2_E, SCALE_BIAS)
    power = polynomial(_rest(held, n), [*_EXP, 1.0, 1.0])
    if has_scaling(x.lanes):
        # To lose all digits takes many times as long as to scale 0, on Intel's processors.
        power = select(held <= -104.0, 0, power)
    return scale(power, n)


def _rest(x: Vector, n: Rounded) -> Vector:
    """x - n ln 2."""
    return multiply_add(n.number, -LN2_LOW, multiply_add(n.number, -LN2_HIGH, x))


_RAISED = 23
"""Powers are made with so many more factors of 2: the least, for numbers from -104 down, is 0 then, and no other is
denormal. What comes out denormal takes up to 15 times as long, and masks hide elements by making them tiny."""
_RAISED_EXP = tuple(coefficient * 2.0**-_RAISED for coefficient in (*_EXP, 1.0, 1.0))


def exp_of_negative(x: Vector) -> Vector:
    """The same bits for -103.6 < x <= 0 with no more instructions, and 0 below."""
    held = at_least(x, -104.0)
    n = nearest(held, LOG2_E, POWER_BIAS + _RAISED)
    return polynomial(_rest(held, n), _RAISED_EXP) * power_of_two(n)


_UNIT_BITS = 24
_UNIT = 2.0**-_UNIT_BITS


def sigmoid(x: Vector) -> Vector:
    """1 / (1 + e^-x) = unit / (unit + unit e^-x): times the unit, the largest powers are finite, and none is denormal.

    Quotients that are denormal are rounded once.
    """
    held = at_least(at_most(x, 60.0), -104.5)
    n = nearest(held, -LOG2_E, POWER_BIAS - _UNIT_BITS)
    r = _rest(-held, n)
    grown = multiply_add(r * r, polynomial(r, EXPM1), r)
    power = power_of_two(n)
    return _UNIT / (multiply_add(power, grown, _UNIT) + power)


def expm1(x: Vector) -> Vector:
    """e^x - 1 = 2 (2^(n-1) - 1/2 + 2^(n-1) (e^r - 1)); halves keep 2^n from overflowing before the sum does."""
    held = at_least(at_most(x, 89.0), -18.0)
    n = nearest(held, LOG2_E, POWER_BIAS - 1)
    power = power_of_two(n)
    high, low = _remainder(held, n)
    r = high + low
    small = multiply_add(r * r, polynomial(r, EXPM1), low)
    half = multiply_add(power, small, multiply_add(power, high, power - 0.5))
    return _keep_tiny(x, half + half)


# Hyperbolic functions

_COSH = (0.0013931100256741047, 0.041666507720947266, 0.5)
_SINH = (0.00020156776008661836, 0.008332988247275352, 0.1666666716337204)


def sinh(x: Vector) -> Vector:
    """sinh(n ln 2) cosh(r) + cosh(n ln 2) sinh(r), halved until the end."""
    p = _hyperbolic_parts(x)
    exact = multiply_add(p.cosh_n, p.high, p.sinh_n)
    half = exact + multiply_add(p.cosh_n, p.sinh_small, p.sinh_n * p.cosh_small)
    return _keep_tiny(x, copy_sign(half + half, x))


def cosh(x: Vector) -> Vector:
    """cosh(n ln 2) cosh(r) + sinh(n ln 2) sinh(r), halved until the end.

    The leading term is sinh(n ln 2) = cosh(n ln 2) - 2^-n, which takes fewer bits.
    """
    p = _hyperbolic_parts(x)
    small = multiply_add(p.cosh_n, p.cosh_small, multiply_add(p.sinh_n, p.sinh_small, p.shrunk + p.shrunk))
    half = multiply_add(p.sinh_n, p.high, small) + p.sinh_n
    return half + half


@dataclass(frozen=True)
class _HyperbolicParts:
    """|x| = n ln 2 + r: halves of sinh(n ln 2) and cosh(n ln 2), r's high part, sinh(r) less that, cosh(r) - 1."""

    shrunk: Vector
    """2^(-n-2), or about 0 where that is much smaller than 2^(n-2)."""
    sinh_n: Vector
    cosh_n: Vector
    high: Vector
    sinh_small: Vector
    cosh_small: Vector


def _hyperbolic_parts(x: Vector) -> _HyperbolicParts:
    held = at_most(absolute(x), 89.5)
    n = nearest(held, LOG2_E, POWER_BIAS - 2)
    power = n.biased << 23
    inverse = (2 * (POWER_BIAS - 2) << 23) - power
    grown, shrunk = power.as_bits_of(FLOAT32), inverse.call("smax", 0).as_bits_of(FLOAT32)
    high, low = _remainder(held, n)
    r = high + low
    square = r * r
    sinh_small = multiply_add(r * square, polynomial(square, _SINH), low)
    cosh_small = square * polynomial(square, _COSH)
    return _HyperbolicParts(shrunk, grown - shrunk, grown + shrunk, high, sinh_small, cosh_small)


def _remainder(x: Vector, n: Rounded) -> tuple[Vector, Vector]:
    """x - n ln 2 in two parts; the first is exact."""
    return multiply_add(n.number, -LN2_HIGH, x), n.number * -LN2_LOW


def _keep_tiny(x: Vector, result: Vector) -> Vector:
    """x itself where it is so small that the function equals it: halving would have rounded denormal numbers."""
    return select(absolute(x) < 2.0**-26, x, result)
