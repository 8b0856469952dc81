"""Powers of two: multiplying by them, and taking floats apart into mantissa and exponent.

AVX-512 has instructions for both; everywhere else the exponent is moved as an integer. The results are the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass

from anydml.runtime.native.math.parts import by_parts
from anydml.runtime.native.math.values import (
    FLOAT32,
    Lanes,
    Vector,
    multiply_add,
    select,
)

_SHIFT = 1.5 * 2**23
"""Added to a float32 below 2^22, this leaves its nearest integer in the low bits."""
_ONE, _THREE_QUARTERS, _ONE_AND_A_HALF = 0x3F800000, 0x3F400000, 0x3FC00000
"""Bits of these numbers."""
_WIDTHS = (4, 8, 16)
"""Lanes that AVX-512 has instructions for."""


@dataclass(frozen=True)
class Rounded:
    """A product rounded to a whole number: as a float, and with a bias in the low bits of an integer."""

    number: Vector
    biased: Vector


def nearest(x: Vector, factor: float, bias: int = 0) -> Rounded:
    """The whole number nearest to x * factor, which is below 2^21."""
    shift = _SHIFT + bias
    shifted = multiply_add(x, factor, shift)
    return Rounded(shifted - shift, shifted.bits)


POWER_BIAS = 127
"""Bias of a number for `power_of_two`."""
SCALE_BIAS = 2 * POWER_BIAS
"""Bias of a number for `scale`."""


def power_of_two(n: Rounded) -> Vector:
    """2^n for -127 < n < 128."""
    return (n.biased << 23).as_bits_of(FLOAT32)


def scale(x: Vector, n: Rounded) -> Vector:
    """x * 2^n, rounded once, for -254 < n < 256 and x near 1."""
    if _has_instructions(x.lanes):
        return _by_parts("scalef", [x, n.number], "")
    low = (n.biased << 22) & -(1 << 23)
    high = (n.biased << 23) - low
    return x * low.as_bits_of(FLOAT32) * high.as_bits_of(FLOAT32)


def split(x: Vector) -> tuple[Vector, Vector]:
    """A mantissa from 0.75 to 1.5 and the exponent's negative, as floats. Of what is not above 0 and finite, anything.

    With AVX-512: 0 has mantissa 1 and exponent -inf, infinity 1 and inf; negative numbers and NaN have NaN.
    """
    if _has_instructions(x.lanes):
        mantissa = _by_parts("getmant", [x], "i32 15")
        return mantissa, _exponent(mantissa) - _exponent(x)
    is_tiny = x < 2.0**-126
    normal = select(is_tiny, x * 2.0**24, x)
    exponent = (normal.bits - _THREE_QUARTERS) >> 23
    mantissa = (normal.bits - (exponent << 23)).as_bits_of(FLOAT32)
    return mantissa, (select(is_tiny, exponent.like(24), 0) - exponent).step("sitofp", FLOAT32)


def has_scaling(lanes: Lanes) -> bool:
    """Whether `split` knows 0, infinity, NaN and negative numbers, and `inverse_power` huge ones."""
    return _has_instructions(lanes)


def inverse_power(x: Vector) -> tuple[Vector, Vector]:
    """2^n and n as a float, such that x * 2^n is from 0.75 to 1.5; x is above 0, and below 2^126 without AVX-512."""
    exponent = (_ONE_AND_A_HALF - x.bits) >> 23
    number = exponent.step("sitofp", FLOAT32)
    if _has_instructions(x.lanes):
        return _by_parts("scalef", [number.like(1.0), number], ""), number
    return ((exponent << 23) + _ONE).as_bits_of(FLOAT32), number


def _exponent(x: Vector) -> Vector:
    return _by_parts("getexp", [x], "")


def _has_instructions(lanes: Lanes) -> bool:
    return lanes.machine.scales and (lanes.count in _WIDTHS or lanes.count % _WIDTHS[-1] == 0)


def _by_parts(instruction: str, operands: list[Vector], immediate: str) -> Vector:
    """An instruction of AVX-512 on vectors as wide as it takes."""
    return by_parts(operands, _WIDTHS, lambda parts: _instruction(parts[0].lanes, instruction, parts, immediate))


def _instruction(lanes: Lanes, instruction: str, operands: list[Vector], immediate: str) -> Vector:
    name = f"@llvm.x86.avx512.mask.{instruction}.ps.{32 * lanes.count}"
    kind = lanes.type_name(FLOAT32)
    written = [operand.typed for operand in operands] + [immediate] * bool(immediate) + [f"{kind} zeroinitializer"]
    written += ["i16 -1", "i32 4"] if lanes.count == 16 else ["i8 -1"]
    types = [text.rpartition(" ")[0] if text.startswith("<") else text.split()[0] for text in written]
    types = [kind if text.startswith("<") else text for text in types]
    lanes.e.declare(f"{kind} {name}({', '.join(types)})")
    return lanes.value(f"call {kind} {name}({', '.join(written)})", FLOAT32)
