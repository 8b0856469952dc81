"""Sine, cosine and tangent of float32, for angles of any size."""

from __future__ import annotations

import math

from anydml.runtime.native.math.reduction import LARGEST, less_multiple, less_multiple_split, reduce_huge
from anydml.runtime.native.math.scaling import nearest
from anydml.runtime.native.math.values import (
    FLOAT32,
    Vector,
    absolute,
    branch,
    fused,
    multiply_add,
    polynomial,
    select,
)

_SIN = (-0.00019507882825564593, 0.008332106284797192, -0.16666653752326965)
_COS = (2.4412085622316226e-05, -0.0013887130189687014, 0.04166664183139801, -0.5, 1.0)
_TAN = (
    0.00955707672983408,
    0.0028326467145234346,
    0.024607332423329353,
    0.05336222052574158,
    0.13339383900165558,
    0.3333313465118408,
)


def sin(x: Vector) -> Vector:
    size = absolute(x)
    return _with_sign(_circular(size, quarters=0), x.bits)


def cos(x: Vector) -> Vector:
    return _circular(absolute(x), quarters=1)


def _circular(size: Vector, quarters: int) -> Vector:
    """The sine of `size` and so many quarters of a turn."""
    n = nearest(size, 2 / math.pi)
    usual = _quadrant(less_multiple(size, n.number), n.biased + quarters)
    return branch(size > LARGEST, usual, lambda: _huge(size, quarters))


def _huge(size: Vector, quarters: int) -> Vector:
    high, _, count = reduce_huge(size)
    return _quadrant(high, count + quarters)


def _quadrant(r: Vector, count: Vector) -> Vector:
    """The sine of r + count * pi / 2, for r up to pi / 4."""
    square = r * r
    sine = multiply_add(r * square, polynomial(square, _SIN), r)
    cosine = polynomial(square, _COS)
    result = select((count & 1).equals(0), sine, cosine)
    return _with_sign(result, count << 30)


def _with_sign(x: Vector, sign: Vector) -> Vector:
    """x, negated where the highest bit is set."""
    return (x.bits ^ (sign & -(1 << 31))).as_bits_of(FLOAT32)


def tan(x: Vector) -> Vector:
    """The tangent of x less the nearest multiple of pi / 2; of odd multiples -1 / tangent."""
    size = absolute(x)
    n = nearest(size, 2 / math.pi)
    usual = _tangent(*less_multiple_split(size, n.number), n.biased)
    return _with_sign(branch(size > LARGEST, usual, lambda: _tangent(*reduce_huge(size))), x.bits)


def _tangent(r: Vector, rest: Vector, count: Vector) -> Vector:
    square = r * r
    small = multiply_add(r * square, polynomial(square, _TAN), multiply_add(rest, square, rest))
    high = r + small
    low = small - (high - r)
    inverse = -1.0 / high
    error = multiply_add(inverse, low, fused(inverse, high, 1.0))
    return select((count & 1).equals(0), high, multiply_add(inverse, error, inverse))
