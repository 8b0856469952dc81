"""Inverse circular functions of float32.

Each is a sum: a base such as pi / 2 in two parts, a signed argument, and the argument's odd polynomial.
"""

from __future__ import annotations

import math

from anydml.runtime.native.math.values import (
    Vector,
    absolute,
    at_least,
    copy_sign,
    multiply_add,
    polynomial,
    select,
    square_root,
)

_HALF_PI, _HALF_PI_REST = 1.5707963705062866, -4.371139000186241e-08
_PI, _PI_REST = 2 * _HALF_PI, 2 * _HALF_PI_REST
_ARCSIN = (0.042158398777246475, 0.02418474107980728, 0.04546915367245674, 0.074953094124794, 0.16666752099990845)
_ARCTAN = (
    0.002919393125921488,
    -0.016363102942705154,
    0.04320463538169861,
    -0.07551655918359756,
    0.10665768384933472,
    -0.14211001992225647,
    0.19993767142295837,
    -0.33333152532577515,
)


def arcsin(x: Vector) -> Vector:
    """Above 1/2: pi / 2 - 2 arcsin(sqrt((1 - x) / 2))."""
    size = absolute(x)
    is_large = size > 0.5
    half = multiply_add(size, -0.5, 0.5)
    square = select(is_large, half, size * size)
    argument = select(is_large, square_root(half) * -2.0, size)
    base, rest = select(is_large, x.like(_HALF_PI), 0.0), select(is_large, x.like(_HALF_PI_REST), 0.0)
    # Results just below 1 would suffer from the sum above 1 that they are a part of: what its rounding lost is added.
    lost = argument - (base + argument - base)
    return copy_sign(_sum(base, argument, rest + lost, square, _ARCSIN), x)


def arccos(x: Vector) -> Vector:
    """pi / 2 - arcsin(x); above 1/2 2 arcsin(sqrt((1 - x) / 2)), and below -1/2 pi less that of -x."""
    size = absolute(x)
    is_large = size > 0.5
    half = multiply_add(size, -0.5, 0.5)
    square = select(is_large, half, size * size)
    argument = select(is_large, copy_sign(square_root(half) * 2.0, x), -x)
    base = select(is_large, select(x < 0, x.like(_PI), 0.0), _HALF_PI)
    rest = select(is_large, select(x < 0, x.like(_PI_REST), 0.0), _HALF_PI_REST)
    return _sum(base, argument, rest, square, _ARCSIN)


def arctan(x: Vector) -> Vector:
    """Above 1: pi / 2 - arctan(1 / x)."""
    size = absolute(x)
    is_large = size > 1.0
    argument = select(is_large, -1.0 / size, size)
    base, rest = select(is_large, x.like(_HALF_PI), 0.0), select(is_large, x.like(_HALF_PI_REST), 0.0)
    return copy_sign(_sum(base, argument, rest, argument * argument, _ARCTAN), x)


def arctan2(y: Vector, x: Vector) -> Vector:
    """The angle of the point (x, y): that of the smaller coordinate over the larger, in the right eighth of a turn."""
    height, width = absolute(y), absolute(x)
    is_steep = height > width
    smaller, larger = select(is_steep, width, height), select(is_steep, height, width)
    # 0 / 0 is 0, and inf / inf is 1.
    ratio = select(smaller.equals(math.inf) & larger.equals(math.inf), 1.0, smaller / at_least(larger, 2.0**-149))
    is_left = x.bits < 0
    argument = select(is_steep ^ is_left, -ratio, ratio)
    base = select(is_steep, x.like(_HALF_PI), select(is_left, x.like(_PI), 0.0))
    rest = select(is_steep, x.like(_HALF_PI_REST), select(is_left, x.like(_PI_REST), 0.0))
    return copy_sign(_sum(base, argument, rest, argument * argument, _ARCTAN), y)


def _sum(base: Vector, argument: Vector, rest: Vector, square: Vector, coefficients: tuple[float, ...]) -> Vector:
    """base + rest + argument + argument * square * polynomial(square)."""
    small = multiply_add(argument * square, polynomial(square, coefficients), rest)
    return (base + argument) + small
