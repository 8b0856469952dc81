"""Functions that array libraries lack: the error function and its complement, to double precision."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

_TERMS = 28
_SERIES_TERMS = 20
# Where the half line 0 to infinity is folded onto -1 to 1: t = (x - FOLD) / (x + FOLD).
_FOLD = 3.75
# Beyond this e^(x^2) overflows long before the asymptotic series stops being exact.
_FAR = 12.0
# From here on erfc is 0 in double precision.
_ZERO = 40.0


def erfc(m: Any, x: Any) -> Any:
    """1 - erf(x), without the cancellation that writing it so would have for large x."""
    size = m.minimum(m.abs(x), _ZERO)
    tail = _clenshaw(_coefficients(), (size - _FOLD) / (size + _FOLD)) / (1 + 2 * size) * m.exp(-size * size)
    return m.where(x >= 0, tail, 2 - tail)


def erf(m: Any, x: Any) -> Any:
    """The error function; near 0, where 1 - erfc(x) would cancel, by its power series."""
    small = m.where(m.abs(x) < 1, x, 0)
    square, power, total = small * small, 1.0, 1.0
    for n in range(1, _SERIES_TERMS):
        power = power * square / -n
        total = total + power / (2 * n + 1)
    # A product at the end keeps the sign of zeros, which a sum would lose.
    return m.where(m.abs(x) < 1, small * (total * (2 / math.sqrt(math.pi))), 1 - erfc(m, x))


def _clenshaw(coefficients: tuple[float, ...], t: Any) -> Any:
    """The Chebyshev series at t, from its last term down."""
    first, second = 0 * t, 0 * t
    for coefficient in reversed(coefficients[1:]):
        first, second = 2 * t * first - second + coefficient, first
    return t * first - second + coefficients[0]


@lru_cache(maxsize=1)
def _coefficients() -> tuple[float, ...]:
    """The Chebyshev series of (1 + 2x) e^(x^2) erfc(x), which is smooth all the way to infinity."""
    angles = [math.pi * (k + 0.5) / _TERMS for k in range(_TERMS)]
    values = [_scaled_erfc(_FOLD * (1 + math.cos(a)) / (1 - math.cos(a))) for a in angles]
    series = [
        2 / _TERMS * math.fsum(v * math.cos(j * a) for v, a in zip(values, angles, strict=True)) for j in range(_TERMS)
    ]
    return (series[0] / 2, *series[1:])


def _scaled_erfc(x: float) -> float:
    if x < _FAR:
        return (1 + 2 * x) * math.exp(x * x) * math.erfc(x)
    term = total = 1.0
    for k in range(1, 12):
        term *= -(2 * k - 1) / (2 * x * x)
        total += term
    return (1 + 2 * x) / (x * math.sqrt(math.pi)) * total
