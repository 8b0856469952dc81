"""The error function of float32, its complement, and GELU, which is made of it.

Tails are e^-square times a factor that varies little: num / (x + c) times a polynomial of that fraction.
"""

from __future__ import annotations

from anydml.runtime.native.math.exponential import EXPM1, LN2_HIGH, LN2_LOW, LOG2_E
from anydml.runtime.native.math.scaling import SCALE_BIAS, Rounded, nearest, scale
from anydml.runtime.native.math.values import (
    FLOAT32,
    Vector,
    absolute,
    at_least,
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

_ERFC_SHIFT, _ERFC_CENTRE = 1.25, 0.48493239283561707
_ERFC = (
    -4.819588661193848,
    -1.0987694263458252,
    3.1267104148864746,
    -0.941920816898346,
    -0.45272424817085266,
    0.9635556936264038,
    -0.7400828003883362,
    -0.012582769617438316,
    0.6447262763977051,
    -0.5493605732917786,
    -0.3050087094306946,
    0.9255878329277039,
)
"""(x + shift) e^(x^2) erfc(x) = 1 + u polynomial(u) with u = 1 / (x + shift) - centre, for x from 0 to 10.06."""

_GELU_SHIFT, _GELU_CENTRE = 1.375, 0.3808901906013489
_GELU = (
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


def erfc(x: Vector) -> Vector:
    size = at_most(absolute(x), 10.06)
    below, lost = _sum(size, _ERFC_SHIFT)
    inverse = 1.0 / below
    error = multiply_add(-inverse, lost, fused(-inverse, below, 1.0))
    n, grown = _negative_power(size, size)
    grown = grown + error
    u = inverse - _ERFC_CENTRE
    bent = u * polynomial(u, _ERFC)
    tail = scale(multiply_add(inverse, multiply_add(bent, grown, grown) + bent, inverse), n)
    return select(x < 0, 2.0 - tail, tail)


def gelu(x: Vector) -> Vector:
    """x times the chance that a normal variable is below x: x less its multiple by the chance to be above."""
    size = at_most(absolute(x), 14.5)
    half = size * 0.5
    below, lost = _sum(size, _GELU_SHIFT)
    ratio = half / below
    error = multiply_add(-ratio, lost, fused(-ratio, below, half))
    error = error * multiply_add(ratio, -2 / _GELU_SHIFT, 1 / _GELU_SHIFT)
    n, grown = _negative_power(half, size)
    u = ratio - _GELU_CENTRE
    bent = u * polynomial(u, _GELU)
    tail = scale(multiply_add(ratio, multiply_add(bent, grown, grown) + bent, error) + ratio, n)
    return copy_sign(at_least(x, 0.0) - tail, x)


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
