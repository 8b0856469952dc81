"""Convolution in both directions, of floats, of integers and of quantized numbers."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

from tests.cases.element_wise_limits import scale_value
from tests.cases.framework import Case, Draw, answer, case, values
from tests.cases.fused import LIMITED, draw_fused, fuse
from tests.cases.matrices import coarse, magnitudes, parameter
from tests.oracle.inexact import sum_of
from tests.oracle.moves import Index, Tensor
from tests.oracle.programs import convolution
from tests.oracle.quantized import quantize_real


class Filtering(NamedTuple):
    """How a filter moves over a tensor, in the words of the oracle."""

    groups: int
    forward: bool
    correlates: bool
    strides: Index
    dilations: Index
    before: Index
    after: Index
    output_padding: Index


class Shapes(NamedTuple):
    input: Index
    filter: Index
    output: Index


def output_length(length: int, window: int, how: Filtering, axis: int) -> int:
    """How long an axis of the output is, by the direction."""
    reach = (window - 1) * how.dilations[axis] + 1
    padding = how.before[axis] + how.after[axis]
    if how.forward:
        return (length + padding - reach) // how.strides[axis] + 1 + how.output_padding[axis]
    return (length - 1) * how.strides[axis] + reach - padding + how.output_padding[axis]


def draw_filtering(
    draw: Draw, rank: int, forward: bool, correlates: bool, may_extend: bool
) -> tuple[Shapes, Filtering]:
    """Sizes and steps such that the output has elements."""
    spatial, longest = rank - 2, (14 if rank < 5 else 6) if draw.is_large else (6 if rank < 5 else 4)
    while True:
        rows = [draw_axis(draw, longest, forward, may_extend) for _ in range(spatial)]
        sizes, window, strides, dilations, before, after, extra = map(tuple, zip(*rows, strict=True))
        groups = draw.choice(1, 1, 2, 3)
        how = Filtering(groups, forward, correlates, strides, dilations, before, after, extra)
        output = tuple(output_length(n, w, how, axis) for axis, (n, w) in enumerate(zip(sizes, window, strict=True)))
        if min(n - e for n, e in zip(output, extra, strict=True)) > 0 and prod(output) <= 250:
            break
    batch, read, written = draw.integer(1, 2), draw.integer(1, 2), draw.integer(1, 2)
    first, second = (groups * written, read) if forward else (groups * read, written)
    shapes = Shapes((batch, groups * read, *sizes), (first, second, *window), (batch, groups * written, *output))
    return shapes, how


def draw_axis(draw: Draw, longest: int, forward: bool, may_extend: bool) -> tuple[int, ...]:
    window, stride, dilation = draw.integer(1, 3), draw.integer(1, 3), draw.integer(1, 2)
    most = (window - 1) * dilation
    extend = may_extend and draw.chance(0.25 if forward else 0.5)
    extra = draw.integer(0, max(stride, dilation) - 1) if extend else 0
    return draw.integer(1, longest), window, stride, dilation, draw.integer(0, most), draw.integer(0, most), extra


def steps_of(how: Filtering) -> dict[str, Any]:
    return {
        "strides": list(how.strides),
        "dilations": list(how.dilations),
        "start_padding": list(how.before),
        "end_padding": list(how.after),
        "group_count": how.groups,
    }


def filtering_of(given: Case) -> Filtering:
    """Operators without these attributes go forward and correlate."""
    steps = [tuple(given[key]) for key in ("strides", "dilations", "start_padding", "end_padding")]
    return Filtering(
        given["group_count"],
        given.get("direction", "FORWARD") == "FORWARD",
        given.get("mode", "CROSS_CORRELATION") == "CROSS_CORRELATION",
        *steps,
        tuple(given.get("output_padding", (0,) * len(steps[0]))),
    )


# Floats


@case("CONVOLUTION", count=44)
def convolutions(draw: Draw) -> None:
    mode, direction = draw.cycle(
        "mode and direction", [(m, d) for m in ("CONVOLUTION", "CROSS_CORRELATION") for d in ("FORWARD", "BACKWARD")]
    )
    rank = draw.rank("input_tensor")
    shapes, how = draw_filtering(draw, rank, direction == "FORWARD", mode == "CROSS_CORRELATION", may_extend=True)
    draw.input("input_tensor", sizes=shapes.input)
    draw.input("filter_tensor", sizes=shapes.filter)
    if draw.optional("bias_tensor"):
        draw.input("bias_tensor", sizes=(1, shapes.output[1], *(1,) * (rank - 2)))
    draw.output("output_tensor", sizes=shapes.output)
    draw.attributes(mode=mode, direction=direction, **steps_of(how), output_padding=list(how.output_padding))
    draw.attributes(fused_activation=draw_fused(draw, [LIMITED]))


@answer("CONVOLUTION")
def convolutions_answer(given: Case) -> Tensor:
    x, weights, bias = given["input_tensor"], given["filter_tensor"], given.get("bias_tensor")
    sizes, how = given["output_tensor"].sizes, filtering_of(given)
    found = convolution(x.values, x.sizes, weights.values, weights.sizes, bias and bias.values, sizes, how)
    absolute = convolution(
        magnitudes(x.values),
        x.sizes,
        magnitudes(weights.values),
        weights.sizes,
        bias and magnitudes(bias.values),
        sizes,
        how,
    )
    terms = prod(weights.sizes[2:]) * x.sizes[1] // how.groups + 1
    return {i: fuse(given.get("fused_activation"), sum_of(v, absolute[i], terms)) for i, v in found.items()}


# Integers. A parameter of the filter is single or one per channel of the output.


def draw_channel_parameter(draw: Draw, field: str, rank: int, channels: int, value: Any) -> None:
    """A list, or of the tensors' rank; per channel where `channels` is above 1."""
    count = draw.choice(1, channels)
    draw.input(field, sizes=(count,) if rank == 1 else (1, count, *(1,) * (rank - 2)), value=value)


def draw_integers(draw: Draw, value: Any) -> tuple[Shapes, int]:
    """Input and filter, the steps, and zero points of one rank."""
    rank = draw.rank("input_tensor")
    shapes, how = draw_filtering(draw, rank, forward=True, correlates=True, may_extend=False)
    draw.input("input_tensor", sizes=shapes.input, value=value)
    draw.input("filter_tensor", sizes=shapes.filter, value=value)
    draw.attributes(**steps_of(how))
    rank_of_zeros = draw.choice(1, rank)
    for side, channels in (("input", 1), ("filter", shapes.output[1])):
        if draw.optional(f"{side}_zero_point_tensor"):
            small = values.between(-9, 9)
            draw_channel_parameter(draw, f"{side}_zero_point_tensor", rank_of_zeros, channels, small)
    return shapes, rank


def integer_sums(given: Case) -> Tensor:
    """The convolution of both, each minus its zero points; padding adds nothing."""
    x, weights = given["input_tensor"], given["filter_tensor"]
    zero, zeros = given.get("input_zero_point_tensor"), given.get("filter_zero_point_tensor")
    centred = {i: v - parameter(zero, 0) for i, v in x.values.items()}
    filters = {i: v - parameter(zeros, i[0]) for i, v in weights.values.items()}
    how, sizes = filtering_of(given), given["output_tensor"].sizes
    found = convolution(centred, x.sizes, filters, weights.sizes, None, sizes, how)
    return {i: int(v) for i, v in found.items()}


@case("CONVOLUTION_INTEGER")
def whole_convolutions(draw: Draw) -> None:
    shapes, _ = draw_integers(draw, values.whole)
    draw.output("output_tensor", sizes=shapes.output)


@answer("CONVOLUTION_INTEGER")
def whole_convolutions_answer(given: Case) -> Tensor:
    return integer_sums(given)


@case("QUANTIZED_LINEAR_CONVOLUTION")
def quantized_convolutions(draw: Draw) -> None:
    """Scales are powers of two in most cases, so that halves are halves."""
    shapes, rank = draw_integers(draw, values.between(-60, 60))
    value = scale_value if draw.chance(0.7) else values.between(1 / 8, 2, 1 / 64)
    for side, channels in (("input", 1), ("filter", shapes.output[1]), ("output", 1)):
        made = coarse if side == "output" else value
        draw_channel_parameter(draw, f"{side}_scale_tensor", draw.choice(1, rank), channels, made)
    if draw.optional("output_zero_point_tensor"):
        draw_channel_parameter(draw, "output_zero_point_tensor", draw.choice(1, rank), 1, values.between(-9, 9))
    if draw.optional("bias_tensor"):
        draw.input("bias_tensor", sizes=(1, shapes.output[1], *(1,) * (rank - 2)), value=values.between(-900, 900))
    draw.output("output_tensor", sizes=shapes.output)


@answer("QUANTIZED_LINEAR_CONVOLUTION")
def quantized_convolutions_answer(given: Case) -> Tensor:
    """The bias is quantized too, with the product of the scales of input and filter, and no zero point."""
    result, kind = {}, given["output_tensor"].data_type
    zero = parameter(given.get("output_zero_point_tensor"), 0)
    for i, v in integer_sums(given).items():
        channel = i[1]
        scales = (
            parameter(given["input_scale_tensor"], 0),
            parameter(given["filter_scale_tensor"], channel),
            parameter(given["output_scale_tensor"], 0),
        )
        whole = Fraction(v + parameter(given.get("bias_tensor"), channel))
        found = quantize_real(whole, scales, zero, kind)
        if found is not None:
            result[i] = found
    return result
