"""Angles brought near 0 by whole multiples of pi / 2.

Float32 angles up to `LARGEST` lose nothing by three fused steps with parts of pi. Larger ones are multiplied by 2 / pi
in float64, with only those digits of 2 / pi that matter: higher ones add whole turns, lower ones nothing.
"""

from __future__ import annotations

import math

from anydml.runtime.native.math.values import FLOAT32, FLOAT64, INT32, Vector, fused, select

_LARGEST_EXPONENT = 17
LARGEST = 2.0**_LARGEST_EXPONENT
"""Angles above take the slow way."""

_SINGLE_PARTS = (1.570796251296997, 7.549789415861596e-08, 5.390302529957765e-15)
"""Parts of pi / 2 with 24 bits each."""
_DOUBLE_PARTS = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
"""Parts of pi / 2: two with 33 bits, whose multiples up to 2^20 are exact, and the rest."""


def less_multiple(x: Vector, count: Vector) -> Vector:
    """x - count * pi / 2, for x up to `LARGEST`."""
    if not x.lanes.machine.fuses:
        return _less_multiple_in_double(x, count).narrowed()
    for part in _SINGLE_PARTS:
        x = fused(count, -part, x)  # the first difference is exact, the next is rounded, the last corrects it
    return x


def less_multiple_split(x: Vector, count: Vector) -> tuple[Vector, Vector]:
    """The same, as a float32 and what its rounding lost."""
    if not x.lanes.machine.fuses:
        return _split(_less_multiple_in_double(x, count))
    first, second, third = _SINGLE_PARTS
    exact, product = fused(count, -first, x), count * second
    high = exact - product
    low = exact - high - product
    return high, fused(count, -third, low - fused(count, second, -product))


def _less_multiple_in_double(x: Vector, count: Vector) -> Vector:
    wide, wide_count = x.widened(), count.widened()
    for part in _DOUBLE_PARTS:
        wide = wide - wide_count * part
    return wide


def _split(wide: Vector) -> tuple[Vector, Vector]:
    high = wide.narrowed()
    return high, (wide - high.widened()).narrowed()


# Huge angles

_TWO_OVER_PI = 0xA2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163AB
"""2 / pi times 2^224."""
_POINT = 224
_GROUP = 24
"""Exponents that share the digits they are multiplied with."""
_DIGITS = 29
"""Bits of a part of 2 / pi: their product with 24 bits is exact."""


def reduce_huge(x: Vector) -> tuple[Vector, Vector, Vector]:
    """x less the nearest multiple of pi / 2, for x >= LARGEST: as a float32 and what its rounding lost.

    The third is an integer with the low bits of the multiple.
    """
    wide = x.widened()
    first, second, third = (wide * part for part in _digits_for(wide))
    above, rest = _nearest(first)
    middle, rest_of_second = _nearest(second)
    last, rest = _nearest(rest + rest_of_second + third)
    count = (above + middle + last).step("trunc", INT32)
    return *_split(rest * (math.pi / 2)), count


def _nearest(x: Vector) -> tuple[Vector, Vector]:
    """The nearest whole number, in the low bits of an integer, and x less that."""
    shift = 1.5 * 2.0**52
    shifted = x + shift
    return shifted.bits, x - (shifted - shift)


def _digits_for(x: Vector) -> tuple[Vector, Vector, Vector]:
    """Three parts of 2 / pi, without the digits whose product with x is a multiple of 4."""
    assert x.type == FLOAT64
    first, second, third = (x.like(part) for part in _digits(0))
    for group in range(1, 5):
        is_larger = x >= LARGEST * 2.0 ** (_GROUP * group)
        parts = _digits(group)
        first, second, third = (select(is_larger, *pair) for pair in zip(parts, (first, second, third), strict=True))
    return first, second, third


def _digits(group: int) -> tuple[float, float, float]:
    """x of this group is a multiple of some power of two, whose product with higher digits is a multiple of 4."""
    power = _LARGEST_EXPONENT + _GROUP * group - 23
    top = _POINT + 2 - power
    left = _TWO_OVER_PI % (1 << top)
    parts = []
    for bits in (top - _DIGITS, top - 2 * _DIGITS, 0):
        part = left >> bits << bits
        parts.append(part / (1 << _POINT))
        left -= part
    return parts[0], parts[1], parts[2]


assert FLOAT32.itemsize == 4
