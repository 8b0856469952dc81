"""QUANTIZE and DEQUANTIZE with blocks and 4-bit types, and quantization by the range of the input."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

from tests.cases.framework import Case, Draw, answer, case, values
from tests.cases.framework.draw import Value
from tests.oracle.inexact import UNIT, Inexact
from tests.oracle.moves import Index, Tensor
from tests.oracle.numbers import round_float
from tests.oracle.pointwise import dequantize
from tests.oracle.quantized import blocks_of, dynamic_parameters, middle, quantize_real

TYPES = ("SCALE", "SCALE_ZERO_POINT")
MOST_OF_A_BLOCK = 12


def draw_blocks(draw: Draw) -> tuple[Index, Index]:
    """Sizes, and how many blocks each dimension is cut into: one, one per element, or something between."""
    blocks, lengths = [], []
    for n in draw.sizes(draw.rank("input_tensor"), most=4 if draw.is_large else 16, longest=3):
        blocks.append(n)
        lengths.append(draw.choice(1, 1, 2, 3) if math.prod(lengths) < MOST_OF_A_BLOCK else 1)
    sizes = tuple(n * length for n, length in zip(blocks, lengths, strict=True))
    return sizes, tuple(draw.choice(m, m, 1) for m in blocks)


def draw_parameters(draw: Draw, blocks: Index, scale_type: str, zero_type: str, scale: Value) -> None:
    """Scales and, by the type of quantization, zero points."""
    kind = draw.cycle("quantization", TYPES)
    tensors = [draw.operand(scale_type, blocks, scale)]
    if kind == "SCALE_ZERO_POINT":
        tensors.append(draw.operand(zero_type, blocks, values.between(-6, 12)))
    draw.attributes(quantization_type=kind)
    draw.inputs("quantization_tensors", tensors)


def power_of_two(random: Random, data_type: str) -> float:
    return 2.0 ** random.randint(-2, 1)


def any_scale(random: Random, data_type: str) -> float:
    return round_float(random.uniform(0.1, 3.0), data_type)


def parameters_of(given: Case, sizes: Index, integer_type: str) -> tuple[Tensor, Tensor]:
    """Scale and zero point of every element."""
    scale, *rest = given["quantization_tensors"]
    zeros = blocks_of(rest[0].values, sizes, rest[0].sizes) if rest else {}
    scales = blocks_of(scale.values, sizes, scale.sizes)
    return scales, zeros or dict.fromkeys(scales, middle(integer_type))


@case("QUANTIZE", count=40)
def quantizing(draw: Draw) -> None:
    sizes, blocks = draw_blocks(draw)
    kind, output = draw.type("input_tensor"), draw.type("output_tensor")
    reach = 12 if output.endswith("4") else 150
    draw.input("input_tensor", kind, sizes, values.between(-reach, reach, 1 / 8))
    draw_parameters(draw, blocks, kind, output, power_of_two if draw.chance(0.6) else any_scale)
    draw.output("output_tensor", output, sizes)


@answer("QUANTIZE")
def quantizing_answer(given: Case) -> Tensor:
    x, kind = given["input_tensor"], given["output_tensor"].data_type
    scales, zeros = parameters_of(given, x.sizes, kind)
    found = {i: quantize_real(Fraction(v), (scales[i],), zeros[i], kind) for i, v in x.values.items()}
    return {i: v for i, v in found.items() if v is not None}


@case("DEQUANTIZE", count=40)
def dequantizing(draw: Draw) -> None:
    sizes, blocks = draw_blocks(draw)
    kind, output = draw.type("input_tensor"), draw.type("output_tensor")
    draw.input("input_tensor", kind, sizes, values.any_bits)
    draw_parameters(draw, blocks, output, kind, any_scale)
    draw.output("output_tensor", output, sizes)


@answer("DEQUANTIZE")
def dequantizing_answer(given: Case) -> Tensor:
    x = given["input_tensor"]
    scales, zeros = parameters_of(given, x.sizes, x.data_type)
    return {i: dequantize(v, scales[i], zeros[i]) for i, v in x.values.items()}


# The range of the input decides


@case("DYNAMIC_QUANTIZE_LINEAR")
def by_range(draw: Draw) -> None:
    """Numbers of both signs, of one, and around 0; some are not 0, and floats leave no choice of a zero point."""
    rank = draw.rank("input_tensor")
    sizes, one = draw.sizes(rank), (1,) * rank
    low, high = draw.choice((-4, 4), (1, 5), (-6, -1), (-0.5, 7), (0, 3))
    kind, found = draw.type("output_tensor"), None
    while found is None:
        x = draw.input("input_tensor", sizes=sizes, value=values.between(low, high, 1 / 64))
        found = zero_point_of(x.values, kind) if any(x.values.values()) else None
        high += 1
    draw.output("output_tensor", sizes=sizes)
    draw.output("output_scale_tensor", sizes=one)
    draw.output("output_zero_point_tensor", sizes=one)


def zero_point_of(x: Tensor, kind: str) -> int | None:
    """Rounded to a whole number; None where floats may round to the other side."""
    _, zero = dynamic_parameters(x, kind)
    return round(zero) if abs(zero % 1 - Fraction(1, 2)) > Fraction(1, 256) else None


@answer("DYNAMIC_QUANTIZE_LINEAR")
def by_range_answer(given: Case) -> dict[str, Tensor]:
    x, kind = given["input_tensor"], given["output_tensor"].data_type
    (scale, _), zero, only = dynamic_parameters(x.values, kind), zero_point_of(x.values, kind), (0,) * x.rank
    assert zero is not None, "floats may round the zero point to either side"
    found = {i: quantize_real(Fraction(v), (float(scale),), zero, kind) for i, v in x.values.items()}
    return {
        "output_tensor": {i: v for i, v in found.items() if v is not None},
        "output_scale_tensor": {only: Inexact(float(scale), UNIT * float(scale))},
        "output_zero_point_tensor": {only: zero},
    }
