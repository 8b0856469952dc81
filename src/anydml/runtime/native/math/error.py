"""The error function of float32."""

from __future__ import annotations

from anydml.runtime.native.math.scaling import nearest
from anydml.runtime.native.math.values import (
    FLOAT32,
    Vector,
    absolute,
    at_most,
    multiply_add,
    polynomial,
    select,
    with_sign,
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


def erf(x: Vector) -> Vector:
    """Near 0 a polynomial; elsewhere 1 - 2^-y with y = -log2(1 - erf(|x|))."""
    square = x * x
    small = multiply_add(x, polynomial(square, _ERF), x)
    size = absolute(x)
    y = polynomial(at_most(size, 3.93), _LOG2_ERFC)
    n = nearest(y, 1.0)
    power = polynomial(n.number - y, _EXP2)
    rest = (power.bits - (n.biased << 23)).as_bits_of(FLOAT32)
    return select(size > 0.9, with_sign(1.0 - rest, x), small)
