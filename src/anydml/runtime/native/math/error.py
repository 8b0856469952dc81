"""The error function of float32, and the chance that a normal variable lies below x.

Tails are e^-square times a factor that varies little: 1 / (x + c) times a polynomial of that fraction.
"""

from __future__ import annotations

from anydml.runtime.native.math.exponential import EXPM1, LN2_HIGH, LN2_LOW, LOG2_E
from anydml.runtime.native.math.scaling import SCALE_BIAS, Rounded, nearest, scale
from anydml.runtime.native.math.values import (
    FLOAT32,
    Vector,
    absolute,
    at_most,
    copy_sign,
    fused,
    multiply_add,
    polynomial,
    select,
)

_ERF = (
    -0.0006020799628458917,
    0.004998959135264158,
    -0.026770493015646935,
    0.11281921714544296,
    -0.3761250376701355,
    0.12837915122509003,
)
"""erf(x) / x - 1 of x^2, for x up to 0.9."""
_LOG2_ERFC = (
    -0.0002859686501324177,
    0.004422550555318594,
    -0.032193977385759354,
    0.1502041518688202,
    0.9189623594284058,
    1.6270674467086792,
    0.00024013406073208898,
)
"""-log2(1 - erf(x)), for x from 0.9 to 3.93."""
_EXP2 = (
    0.001352144405245781,
    0.00968555361032486,
    0.05550083518028259,
    0.2402191162109375,
    0.6931472420692444,
    1.0000001192092896,
)

_SHIFT, _CENTRE = 1.375, 0.3808901906013489
_TAIL = (
    3414.348876953125,
    8504.716796875,
    9090.1474609375,
    5274.33447265625,
    1605.5028076171875,
    74.28459930419922,
    -133.57745361328125,
    -38.77494430541992,
    8.452972412109375,
    6.887324810028076,
    -0.8042635321617126,
    -1.7029653787612915,
)
"""(x + shift) e^(x^2 / 2) erfc(x / sqrt(2)) = 1 + u polynomial(u) with u = x / 2 / (x + shift) - centre, up to 14.5."""


def erf(x: Vector) -> Vector:
    """Near 0 a polynomial; elsewhere 1 - 2^-y with y = -log2(1 - erf(|x|))."""
    square = x * x
    small = multiply_add(x, polynomial(square, _ERF), x)
    size = absolute(x)
    y = polynomial(at_most(size, 3.93), _LOG2_ERFC)
    n = nearest(y, 1.0)
    power = polynomial(n.number - y, _EXP2)
    rest = (power.bits - (n.biased << 23)).as_bits_of(FLOAT32)
    return select(size > 0.9, copy_sign(1.0 - rest, x), small)


def normal_cdf(x: Vector) -> Vector:
    """The chance that a standard normal variable lies below x: a tail, or 1 less a tail."""
    size = at_most(absolute(x), 14.5)
    below, lost = _sum(size, _SHIFT)
    share = 0.5 / below
    error = multiply_add(-share, lost, fused(-share, below, 0.5))
    n, grown = _negative_power(size * 0.5, size)
    grown = grown + (error + error)
    u = fused(share, -_SHIFT, 0.5 - _CENTRE)
    bent = u * polynomial(u, _TAIL)
    tail = scale(fused(share, multiply_add(bent, grown, grown) + bent, share), n)
    return select(x < 0, tail, 1.0 - tail)


def _sum(x: Vector, shift: float) -> tuple[Vector, Vector]:
    """x + shift, and what its rounding lost."""
    result = x + shift
    return result, x - (result - shift)


def _negative_power(left: Vector, right: Vector) -> tuple[Rounded, Vector]:
    """e^-(left * right) = 2^n (1 + q): n and q; the product is not rounded."""
    square = left * right
    rest = fused(left, right, -square)
    n = nearest(square, -LOG2_E, SCALE_BIAS)
    high = multiply_add(n.number, -LN2_HIGH, -square)
    r = high + multiply_add(n.number, -LN2_LOW, -rest)
    return n, multiply_add(r * r, polynomial(r, EXPM1), r)
