"""Element-wise operators with limits, and those between real and quantized numbers."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.cases.element_wise_unary import draw_scale_bias, draw_unary
from tests.cases.framework import HOSTILE, Case, Draw, answer, case, values
from tests.oracle.moves import Index, Tensor
from tests.oracle.numbers import is_float, round_float
from tests.oracle.pointwise import clip, clip_gradient, dequantize, larger, limit_of, quantize, scaled


def draw_limits(draw: Draw, data_type: str, whole: bool) -> tuple[Any, Any]:
    """A lower and an upper limit; fractions for integer types too, where the attribute is a float."""
    low = values.between(-3, 1, 1 / 4)(draw.random, data_type)
    high = values.between(2, 5, 1 / 4)(draw.random, data_type)
    if whole or is_float(data_type):
        return low, high
    return low + (0.75 if low >= 0 else -0.75) * draw.chance(0.5), high + 0.75


def draw_limited(draw: Draw, scale_bias: tuple[float, float] | None, **limits: Any) -> None:
    value = values.between(-6, 6, 1 / 8) if scale_bias or draw.chance(0.5) else values.whole
    draw_unary(draw, value, scale_bias=scale_bias, **limits)


@case("ELEMENT_WISE_CLIP", hostile=HOSTILE)
def clips(draw: Draw) -> None:
    low, high = draw_limits(draw, draw.type("input_tensor"), whole=False)
    draw_limited(draw, draw_scale_bias(draw), min=low, max=high)


@case("ELEMENT_WISE_CLIP1", hostile=HOSTILE)
def clips1(draw: Draw) -> None:
    data_type = draw.type("input_tensor")
    low, high = draw_limits(draw, data_type, whole=True)
    draw_limited(draw, draw_scale_bias(draw), min_max_data_type=data_type, min=low, max=high)


@answer("ELEMENT_WISE_CLIP", "ELEMENT_WISE_CLIP1")
def clips_answer(given: Case) -> Tensor:
    x = given["input_tensor"]
    low, high = limit_of(given["min"], x.data_type), limit_of(given["max"], x.data_type)
    return {i: clip(scaled(v, given.get("scale_bias"), x.data_type), low, high) for i, v in x.values.items()}


@case("ELEMENT_WISE_THRESHOLD", hostile=HOSTILE)
def thresholds(draw: Draw) -> None:
    low, _ = draw_limits(draw, draw.type("input_tensor"), whole=False)
    draw_limited(draw, draw_scale_bias(draw), min=low)


@answer("ELEMENT_WISE_THRESHOLD")
def thresholds_answer(given: Case) -> Tensor:
    x = given["input_tensor"]
    low = limit_of(given["min"], x.data_type)
    return {i: larger(scaled(v, given.get("scale_bias"), x.data_type), low) for i, v in x.values.items()}


@case("ELEMENT_WISE_CLIP_GRAD", "ELEMENT_WISE_CLIP_GRAD1")
def clip_gradients(draw: Draw) -> None:
    """Values at the limits themselves are common: the gradient is 0 there."""
    sizes = draw.sizes(draw.rank("input_tensor"))
    data_type = draw.type("input_tensor")
    newer = draw.operator.endswith("1")
    low, high = draw_limits(draw, data_type, whole=newer)
    draw.input("input_tensor", sizes=sizes, value=values.between(-4, 6, 1 / 4))
    draw.input("input_gradient_tensor", sizes=sizes, value=values.wide)
    draw.output("output_gradient_tensor", sizes=sizes)
    draw.attributes(min_max_data_type=data_type if newer else None, min=low, max=high)


@answer("ELEMENT_WISE_CLIP_GRAD", "ELEMENT_WISE_CLIP_GRAD1")
def clip_gradients_answer(given: Case) -> Tensor:
    x, gradient = given["input_tensor"], given["input_gradient_tensor"].values
    low, high = limit_of(given["min"], x.data_type), limit_of(given["max"], x.data_type)
    return {i: clip_gradient(v, gradient[i], low, high) for i, v in x.values.items()}


# Quantized numbers. Scales are powers of two, so that quotients are exact and halves are halves.


def scale_value(random: Random, data_type: str) -> float:
    return 2.0 ** random.randint(-2, 2)


@case("ELEMENT_WISE_QUANTIZE_LINEAR")
def quantizing(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"))
    input_type, output_type = draw.type("input_tensor"), draw.type("output_tensor")
    draw.input("input_tensor", input_type, sizes, values.between(-300, 300, 1 / 2))
    draw.input("scale_tensor", "FLOAT32" if input_type == "INT32" else input_type, sizes, scale_value)
    if draw.optional("zero_point_tensor"):
        draw.input("zero_point_tensor", output_type, sizes, values.whole)
    draw.output("output_tensor", output_type, sizes)


@answer("ELEMENT_WISE_QUANTIZE_LINEAR")
def quantizing_answer(given: Case) -> Tensor:
    scale, zero = given["scale_tensor"].values, zero_points(given, "zero_point_tensor")
    kind = given["output_tensor"].data_type
    return {i: quantize(v, scale[i], zero.get(i, 0), kind) for i, v in given["input_tensor"].values.items()}


def zero_points(given: Case, name: str) -> Tensor:
    """The zero points by index; none stand for 0."""
    return given[name].values if given.get(name) else {}


@case("ELEMENT_WISE_DEQUANTIZE_LINEAR")
def dequantizing(draw: Draw) -> None:
    """Wide integers stay below 2^20, so that differences are exact floats."""
    sizes = draw.sizes(draw.rank("input_tensor"))
    value = values.between(-(2**20), 2**20) if draw.chance(0.5) else values.between(-100, 100)
    draw.input("input_tensor", sizes=sizes, value=value)
    draw.input("scale_tensor", sizes=sizes, value=lambda random, kind: round_float(random.uniform(0.1, 4), kind))
    if draw.optional("zero_point_tensor"):
        draw.input("zero_point_tensor", draw.type("input_tensor"), sizes, value)
    draw.output("output_tensor", sizes=sizes)


@answer("ELEMENT_WISE_DEQUANTIZE_LINEAR")
def dequantizing_answer(given: Case) -> Tensor:
    scale, zero = given["scale_tensor"].values, zero_points(given, "zero_point_tensor")
    return {i: dequantize(v, scale[i], zero.get(i, 0)) for i, v in given["input_tensor"].values.items()}


@case("ELEMENT_WISE_QUANTIZED_LINEAR_ADD")
def quantized_sums(draw: Draw) -> None:
    """One scale and one zero point per tensor."""
    rank = draw.rank("a_tensor")
    sizes, one = draw.sizes(rank), (1,) * rank
    for side in ("a", "b"):
        draw.input(f"{side}_tensor", sizes=sizes, value=values.whole)
    for side in ("a", "b", "output"):
        draw.input(f"{side}_scale_tensor", sizes=one, value=scale_value)
        if draw.optional(f"{side}_zero_point_tensor"):
            draw.input(f"{side}_zero_point_tensor", sizes=one, value=values.whole)
    draw.output("output_tensor", sizes=sizes)


@answer("ELEMENT_WISE_QUANTIZED_LINEAR_ADD")
def quantized_sums_answer(given: Case) -> Tensor:
    a, b = given["a_tensor"].values, given["b_tensor"].values
    kind = given["output_tensor"].data_type
    (a_scale, a_zero), (b_scale, b_zero), (scale, zero) = (single(given, side) for side in ("a", "b", "output"))
    real = {i: dequantize(a[i], a_scale, a_zero) + dequantize(b[i], b_scale, b_zero) for i in a}
    return {i: quantize(v, scale, zero, kind) for i, v in real.items()}


def single(given: Case, side: str) -> tuple[float, int]:
    """The only scale and zero point of a tensor."""
    only: Index = (0,) * given[f"{side}_scale_tensor"].rank
    return given[f"{side}_scale_tensor"].values[only], zero_points(given, f"{side}_zero_point_tensor").get(only, 0)
