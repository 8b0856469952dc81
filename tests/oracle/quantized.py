"""Quantized numbers, exactly: fractions until the one rounding at the end."""

from __future__ import annotations

from fractions import Fraction
from math import floor, prod

from tests.oracle.moves import Index, Tensor, indices
from tests.oracle.numbers import integer_range

NEARLY = Fraction(1, 4096)
"""A quotient this near to a half may be rounded either way, unless floats compute it exactly."""


def is_power_of_two(number: float | Fraction) -> bool:
    """Whether floats multiply and divide by it without rounding."""
    above, below = Fraction(number).as_integer_ratio()
    return above & (above - 1) == 0 and below & (below - 1) == 0


def quantize_real(number: Fraction, scales: tuple[float, ...], zero: int, data_type: str) -> int | None:
    """A product of all scales but the last, divided by the last and rounded to a whole number, halves to even, plus
    the zero point, held in range; None where floats may come to another result."""
    low, high = integer_range(data_type)
    *factors, divisor = map(Fraction, scales)
    quotient = prod(factors, start=number) / divisor
    off = abs(quotient % 1 - Fraction(1, 2))
    exact = off == 0 and all(map(is_power_of_two, scales))
    if not exact and off < NEARLY * (1 + abs(quotient) / 256) and low - 1 <= floor(quotient) + zero <= high:
        return None
    return min(max(round(quotient) + zero, low), high)


def block_index(index: Index, sizes: Index, blocks: Index) -> Index:
    """Which block an element belongs to: every dimension is cut into equal parts."""
    return tuple(k // (n // m) for k, n, m in zip(index, sizes, blocks, strict=True))


def middle(data_type: str) -> int:
    """The zero point that stands for none: of unsigned types the middle of their range."""
    low, high = integer_range(data_type)
    return (high + 1) // 2 if low == 0 else 0


def dynamic_parameters(x: Tensor, data_type: str) -> tuple[Fraction, Fraction]:
    """Scale and zero point, not yet rounded, that take the range of the elements, with 0 in it, to that of the type."""
    low, high = integer_range(data_type)
    least, most = (Fraction(v) for v in (min(0.0, *x.values()), max(0.0, *x.values())))
    scale = (most - least) / (high - low)
    return scale, low - least / scale


def blocks_of(values: Tensor, sizes: Index, blocks: Index) -> Tensor:
    """A value per block as a value per element."""
    return {i: values[block_index(i, sizes, blocks)] for i in indices(sizes)}
