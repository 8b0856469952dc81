"""Pooling of every kind, and its gradients."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from random import Random
from typing import Any

from tests.cases.element_wise_limits import scale_value, zero_points
from tests.cases.framework import Accumulated, Case, Draw, Operand, answer, case, values
from tests.oracle import pooling
from tests.oracle.moves import Index, Tensor, indices
from tests.oracle.numbers import integer_range
from tests.oracle.pooling import Windows


def draw_windows(draw: Draw, rank: int, dilated: bool) -> tuple[Index, Windows]:
    """Input sizes and windows such that every window holds an element."""
    spatial = rank - 2
    longest, most = ((20, 600) if spatial < 3 else (8, 600)) if draw.is_large else ((5, 40) if spatial < 3 else (3, 40))
    while True:
        rows = []
        for _ in range(spatial):
            window, dilation = draw.integer(1, 3), draw.integer(1, 2) if dilated else 1
            before, after = draw.integer(0, window - 1), draw.integer(0, window - 1)
            size = draw.integer(1, longest)
            rows.append((window, draw.integer(1, 3), before, after, dilation, size))
        window, strides, before, after, dilations, sizes = zip(*rows, strict=True)
        windows = Windows(window, strides, before, after, dilations)
        counts = windows.counts(sizes)
        if min(counts) > 0 and prod(counts) <= most and all(windows.inside(i, sizes) for i in indices(counts)):
            return (draw.integer(1, 2), draw.integer(1, 3), *sizes), windows


def attributes_of(windows: Windows, dilated: bool) -> dict[str, Any]:
    return {
        "strides": list(windows.strides),
        "window_size": list(windows.window),
        "start_padding": list(windows.before),
        "end_padding": list(windows.after),
        "dilations": list(windows.dilations) if dilated else None,
    }


def windows_of(given: Case) -> Windows:
    count = len(given["window_size"])
    found = [given[key] for key in ("window_size", "strides", "start_padding", "end_padding")]
    return Windows(*map(tuple, found), tuple(given.get("dilations", (1,) * count)))


def pooled_sizes(sizes: Index, windows: Windows) -> Index:
    return (*sizes[:2], *windows.counts(sizes[2:]))


DILATED = {"AVERAGE_POOLING1", "LP_POOLING1", "MAX_POOLING2", "MAX_POOLING_GRAD", "QUANTIZED_LINEAR_AVERAGE_POOLING"}


def draw_pooling(draw: Draw, value: Any, **more: Any) -> tuple[Index, Windows]:
    dilated = draw.operator in DILATED
    sizes, windows = draw_windows(draw, draw.rank("input_tensor"), dilated)
    draw.input("input_tensor", sizes=sizes, value=value)
    draw.output("output_tensor", sizes=pooled_sizes(sizes, windows))
    draw.attributes(**attributes_of(windows, dilated), **more)
    return sizes, windows


@case("AVERAGE_POOLING", "AVERAGE_POOLING1")
def average(draw: Draw) -> None:
    draw_pooling(draw, values.moderate, include_padding=draw.cycle("padding", (True, False)))


@answer("AVERAGE_POOLING", "AVERAGE_POOLING1")
def average_answer(given: Case) -> Tensor:
    x, how = given["input_tensor"], (windows_of(given), given["include_padding"])
    magnitudes = pooling.average({i: abs(v) for i, v in x.values.items()}, x.sizes, *how)
    terms = prod(given["window_size"])
    found = pooling.average(x.values, x.sizes, *how)
    return {i: Accumulated(v, magnitudes[i], terms) for i, v in found.items()}


@case("LP_POOLING", "LP_POOLING1")
def norms(draw: Draw) -> None:
    draw_pooling(draw, values.moderate, p=draw.cycle("p", (1, 2, 3)))


@answer("LP_POOLING", "LP_POOLING1")
def norms_answer(given: Case) -> Tensor:
    x, terms = given["input_tensor"], prod(given["window_size"])
    found = pooling.lp_norm(x.values, x.sizes, windows_of(given), given["p"])
    return {i: Accumulated(v, v, terms) for i, v in found.items()}


@case("MAX_POOLING", "MAX_POOLING1", "MAX_POOLING2")
def maximum(draw: Draw) -> None:
    """Few distinct values, so that equal ones are common: the first in memory order counts."""
    sizes, windows = draw_pooling(draw, values.between(-3, 3, 1))
    if draw.operator != "MAX_POOLING" and draw.optional("output_indices_tensor"):
        draw.output("output_indices_tensor", sizes=pooled_sizes(sizes, windows))


@answer("MAX_POOLING", "MAX_POOLING1", "MAX_POOLING2")
def maximum_answer(given: Case) -> dict[str, Tensor]:
    x = given["input_tensor"]
    places = pooling.maximum_places(x.values, x.sizes, windows_of(given))
    return {
        "output_tensor": {i: x.values[place] for i, place in places.items()},
        "output_indices_tensor": {i: pooling.flat(place, x.sizes) for i, place in places.items()},
    }


@case("MAX_UNPOOLING")
def unpooling(draw: Draw) -> None:
    """Distinct places anywhere in the output."""
    sizes = draw.sizes(4, most=24)
    output = tuple(n + draw.integer(0, 2) if axis > 1 else n for axis, n in enumerate(sizes))
    places = draw.random.sample(range(prod(output)), prod(sizes))
    draw.input("input_tensor", sizes=sizes, value=values.whole)
    draw.input("indices_tensor", sizes=sizes, value=dict(zip(indices(sizes), places, strict=True)))
    draw.output("output_tensor", sizes=output)


@answer("MAX_UNPOOLING")
def unpooling_answer(given: Case) -> Tensor:
    return pooling.unpool(given["input_tensor"].values, given["indices_tensor"].values, given["output_tensor"].sizes)


@case("AVERAGE_POOLING_GRAD")
def average_gradient(draw: Draw) -> None:
    sizes, windows = draw_windows(draw, draw.rank("input_gradient_tensor"), dilated=False)
    draw.input("input_gradient_tensor", sizes=pooled_sizes(sizes, windows))
    draw.output("output_gradient_tensor", sizes=sizes)
    draw.attributes(**attributes_of(windows, dilated=False), include_padding=draw.cycle("padding", (True, False)))


@answer("AVERAGE_POOLING_GRAD")
def average_gradient_answer(given: Case) -> Tensor:
    gradient, sizes = given["input_gradient_tensor"].values, given["output_gradient_tensor"].sizes
    how = (sizes, windows_of(given), given["include_padding"])
    magnitudes = pooling.average_gradient({i: abs(v) for i, v in gradient.items()}, *how)
    found = pooling.average_gradient(gradient, *how)
    return {i: Accumulated(v, magnitudes[i], prod(given["window_size"])) for i, v in found.items()}


@case("MAX_POOLING_GRAD")
def maximum_gradient(draw: Draw) -> None:
    sizes, windows = draw_windows(draw, draw.rank("input_tensor"), dilated=True)
    draw.input("input_tensor", sizes=sizes, value=values.between(-3, 3, 1 / 2))
    draw.input("input_gradient_tensor", sizes=pooled_sizes(sizes, windows))
    draw.output("output_gradient_tensor", sizes=sizes)
    draw.attributes(**attributes_of(windows, dilated=True))


@answer("MAX_POOLING_GRAD")
def maximum_gradient_answer(given: Case) -> Tensor:
    x, gradient = given["input_tensor"], given["input_gradient_tensor"].values
    found = pooling.maximum_gradient(x.values, x.sizes, gradient, windows_of(given))
    return {i: Accumulated(sum(parts), sum(map(abs, parts)), len(parts)) for i, parts in found.items()}


@case("ROI_POOLING")
def regions(draw: Draw) -> None:
    """Regions inside the input, with corners that no rounding rule moves differently."""
    sizes = (draw.integer(1, 2), draw.integer(1, 3), draw.integer(2, 6), draw.integer(2, 6))
    count, scale = draw.integer(1, 3), draw.choice(1.0, 0.5, 2.0)
    pooled = draw.integer(1, 3), draw.integer(1, 3)
    rois: Tensor = {}
    for roi in range(count):
        rows, columns = (sorted(draw.integer(0, n - 1) for _ in range(2)) for n in sizes[2:])
        corners = (columns[0], rows[0], columns[1], rows[1])
        row = (draw.integer(0, sizes[0] - 1), *((k + draw.choice(0.0, 0.25, -0.25)) / scale for k in corners))
        rois.update({(0, 0, roi, place): float(number) for place, number in enumerate(row)})
    draw.input("input_tensor", sizes=sizes, value=values.wide)
    draw.input("roi_tensor", sizes=(1, 1, count, 5), value=rois)
    draw.output("output_tensor", sizes=(count, sizes[1], *pooled))
    draw.attributes(spatial_scale=scale, pooled_size={"Width": pooled[1], "Height": pooled[0]})


@answer("ROI_POOLING")
def regions_answer(given: Case) -> Tensor:
    x, rois, pooled = given["input_tensor"], given["roi_tensor"], given["pooled_size"]
    size = pooled["Height"], pooled["Width"]
    return pooling.regions(x.values, x.sizes, rois.values, rois.sizes[2], given["spatial_scale"], size)


# Averages of quantized numbers


def draw_quantization(draw: Draw, side: str, rank: int, channels: int) -> None:
    """One scale (and zero point) for all elements or one per channel."""
    sizes = (1, channels, *(1,) * (rank - 2)) if draw.chance(0.5) else (1,) * rank
    draw.input(f"{side}_scale_tensor", sizes=sizes, value=scale_value)
    if draw.optional(f"{side}_zero_point_tensor"):
        draw.input(f"{side}_zero_point_tensor", sizes=sizes, value=small_zero_point)


def small_zero_point(random: Random, data_type: str) -> int:
    return int(values.between(-20, 140)(random, data_type))


@case("QUANTIZED_LINEAR_AVERAGE_POOLING")
def quantized_average(draw: Draw) -> None:
    sizes, _ = draw_pooling(draw, values.whole, include_padding=draw.cycle("padding", (True, False)))
    draw_quantization(draw, "input", len(sizes), sizes[1])
    draw_quantization(draw, "output", len(sizes), sizes[1])


@answer("QUANTIZED_LINEAR_AVERAGE_POOLING")
def quantized_average_answer(given: Case) -> Tensor:
    """Averages are fractions; where one lies halfway and is no exact float, the result is left open."""
    x, result = given["input_tensor"], {}
    zero = zero_points(given, "input_zero_point_tensor")
    real = {}
    for i, v in x.values.items():
        at = channel_index(given["input_scale_tensor"], i)
        real[i] = (v - zero.get(at, 0)) * Fraction(given["input_scale_tensor"].values[at])
    means = pooling.average(real, x.sizes, windows_of(given), given["include_padding"])
    low, high = integer_range(given["output_tensor"].data_type)
    zero = zero_points(given, "output_zero_point_tensor")
    for i, v in means.items():
        at = channel_index(given["output_scale_tensor"], i)
        quotient = Fraction(v) / Fraction(given["output_scale_tensor"].values[at])
        if quotient % 1 != Fraction(1, 2):
            result[i] = min(max(round(quotient) + zero.get(at, 0), low), high)
    return result


def channel_index(scales: Operand, index: Index) -> Index:
    """Where the scale of an element lies: its channel, or the only one."""
    return tuple(k if n > 1 else 0 for k, n in zip(index, scales.sizes, strict=True))
