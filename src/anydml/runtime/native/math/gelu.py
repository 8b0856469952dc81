"""x times the chance that a standard normal variable lies below x, for float32.

What counts is the tail: s = |x| times the chance that the variable lies beyond s, which is e^(-s^2 / 2) times a factor
that varies little. Where tables can be held in registers, the factor is a polynomial for each of 32 pieces; elsewhere
it is s / (s + 1) / 2 and a small part of that, a quotient of polynomials. Either way, a large and a small number are
added last. What LN2 is too large by, times the power of 2, is in the factors: that power is about -s^2 / 2 / ln 2.
"""

from __future__ import annotations

from anydml.runtime.native.math.exponential import EXPM1, LN2, LOG2_E
from anydml.runtime.native.math.lookup import Pieces, can_look_up, numbers
from anydml.runtime.native.math.scaling import POWER_BIAS, SCALE_BIAS, nearest, power_of_two, scale
from anydml.runtime.native.math.values import (
    Vector,
    absolute,
    at_least,
    at_most,
    fused,
    multiply_add,
    polynomial,
    select,
)

_LARGEST = 14.5
"""Tails from here on are 0."""

_ABOVE = (
    -0.0025429113302379847,
    -0.013185983523726463,
    -0.021068746224045753,
    0.04813363775610924,
    0.20211565494537354,
)
_BELOW = (
    0.01258162409067154,
    0.11489551514387131,
    0.5084835886955261,
    1.260914921760559,
    1.7120004892349243,
    1.0,
)
"""The factor is (1 + s above(s) / below(s)) s / (s + 1) / 2."""

_CENTRES = numbers(
    """
    0.0 0.09375268 0.18750152 0.31251028 0.43751186 0.5625113 0.68750113 0.81251305 0.93751866 1.06252 1.2500234
    1.5000461 1.7500457 2.0000536 2.2500055 2.500051 2.750051 3.0000205 3.3750198 3.8750196 4.375095 4.8750653
    5.375078 5.8751845 6.3750033 6.875136 7.625087 8.625141 9.625277 10.62525 11.62511 12.625251
    """
)
_COEFFICIENTS = (
    numbers(
        """
        -0.12570111 -0.10734491 -0.086602725 -0.06541944 -0.04985542 -0.03818316 -0.029463641 -0.022883182
        -0.017888116 -0.014063541 -0.009933283 -0.0063489326 -0.0041414183 -0.0027584222 -0.0018695901 -0.0012892414
        -0.0009038197 -0.00064250175 -0.00039751153 -0.00021759183 -0.00012461178 -7.423729e-5 -4.5823115e-5
        -2.919687e-5 -1.910868e-5 -1.2863562e-5 -7.399253e-6 -3.7659897e-6 -2.0414136e-6 -1.1685006e-6 -6.9938204e-7
        -4.3582696e-7
        """
    ),
    numbers(
        """
        0.24973714 0.20525764 0.16932784 0.13164623 0.10305091 0.081207305 0.064406924 0.05139653 0.041261505
        0.033317428 0.024480727 0.016483631 0.011321452 0.007920722 0.005638098 0.0040775114 0.0029933392 0.0022280912
        0.0014714272 0.0008758154 0.00054291915 0.000348807 0.00023121193 0.00015754317 0.000110029774 7.852516e-5
        4.933345e-5 2.7898617e-5 1.6669876e-5 1.0428338e-5 6.7811607e-6 4.5565707e-6
        """
    ),
    numbers(
        """
        -0.39893955 -0.33515477 -0.28269312 -0.22664748 -0.18292928 -0.14859562 -0.12145655 -0.09986359 -0.08258241
        -0.06866989 -0.052586544 -0.03748859 -0.027224997 -0.020111524 -0.015093732 -0.011492756 -0.0088698035
        -0.0069313366 -0.0048910016 -0.003183678 -0.0021469507 -0.0014930811 -0.0010664662 -0.0007797668
        -0.00058213936 -0.0004425408 -0.00030229663 -0.00019072685 -0.00012589945 -8.628473e-5 -6.1028266e-5
        -4.433174e-5
        """
    ),
    numbers(
        """
        0.5 0.43137306 0.37360865 0.31023014 0.25925514 0.2179849 0.18436205 0.15679583 0.13406807 0.11522326
        0.09264274 0.070370115 0.054352053 0.04262322 0.033894528 0.027295247 0.022238337 0.018312342 0.01393213
        0.00996829 0.007343739 0.0055478606 0.004282633 0.0033684652 0.0026936554 0.0021850965 0.0016346915
        0.0011521839 0.0008410546 0.0006319617 0.00048647518 0.0003822038
        """
    ),
    numbers(
        """
        0.0 0.043565985 0.08122225 0.12381939 0.15929896 0.18903702 0.21411107 0.2353793 0.25351414 0.26905882
        0.28845257 0.30867425 0.3241579 0.3362063 0.34571704 0.35332972 0.35949415 0.36454222 0.3705404 0.3764448
        0.38073045 0.38392603 0.386366 0.38826728 0.38977405 0.39098826 0.3924075 0.39378256 0.39476857 0.39549848
        0.39605343 0.39648506
        """
    ),
)
_FACTOR = Pieces(0.875, _LARGEST, _CENTRES, _COEFFICIENTS)
"""What lies beyond its last piece is hardly more than 0: the last polynomial is good enough for it."""
_POWER = tuple(coefficient * (-0.5) ** (6 - k) for k, coefficient in enumerate((*EXPM1, 1.0)))
"""e^(-r / 2) = 1 + r polynomial(r)."""
_RAISED = 25
"""Powers are made with so many more factors of 2: that of the largest number is 0 then, and no other is denormal."""


def gelu(x: Vector) -> Vector:
    size = at_most(absolute(x), _LARGEST)
    tail = _pieced_tail(size) if can_look_up(x.lanes) else _divided_tail(size)
    return at_least(x, -0.0) - tail


def _pieced_tail(size: Vector) -> Vector:
    large, slope, t = _FACTOR.around(size)
    square = size * size
    n = nearest(square, -0.5 * LOG2_E, SCALE_BIAS)
    r = fused(n.number, 2 * LN2, square) + fused(size, size, -square)
    grown = fused(slope, t, large) * r * polynomial(r, _POWER)
    # To lose all digits takes many times as long as to scale 0.
    return scale(select(size < _LARGEST, large + fused(slope, t, grown), 0), n)


def _divided_tail(size: Vector) -> Vector:
    """Large numbers are rounded as seldom as can be; what rounding took is put back with the small ones."""
    below = size + 1.0
    share = 0.5 / below
    lost = multiply_add(-share, size - (below - 1.0), fused(-share, below, 0.5))
    large = size * share
    part = size * polynomial(size, _ABOVE) / polynomial(size, _BELOW)
    half = size * -0.5
    square = half * size
    n = nearest(square, LOG2_E, POWER_BIAS + _RAISED)
    high, low = fused(n.number, -LN2, square), fused(half, size, -square)
    r = high + low
    bend = multiply_add(r * r, polynomial(r, EXPM1), low)  # e^r = 1 + high + bend
    small = multiply_add(part, high + bend, multiply_add(lost, 2.0, part)) + bend + high
    # Where the power is denormal, so is the tail, and rounded once.
    return (large + fused(large, small, fused(size, share, -large))) * (power_of_two(n) * 2.0**-_RAISED)
