"""Resampling of every version, its gradients, upsampling, and scaling of values."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.cases.framework import HOSTILE, Accumulated, Case, Draw, answer, case, values
from tests.oracle.moves import Index, Tensor
from tests.oracle.numbers import is_float, round_float
from tests.oracle.resampling import Sampling, resample, resample_whole, spread

MODES = ("NEAREST_NEIGHBOR", "LINEAR")
SCALES = (0.5, 2.0, 1.0, 1.5, 0.75, 3.0, 0.25, 4.0)
SHRINKING = (0.25, 0.375, 0.125)
"""Scales that stretch the filter by more than 2: pages differ on whether it is stretched by less."""


def float_of(number: float) -> float:
    """As the attribute, a single-precision float, has it."""
    return round_float(number, "FLOAT32")


def draw_scales(draw: Draw, sizes: Index, allowed: tuple[float, ...]) -> tuple[list[float], Index]:
    """Scales, and output sizes that may crop the result or reach beyond it."""
    scales, output = [], []
    for n in sizes:
        scale = draw.choice(*allowed)
        length = max(int(n * scale) + draw.choice(0, 0, 1, -1), 1)
        if draw.chance(0.25) and 1.0 in allowed:
            scale, length = 1.0, n
        elif draw.chance(0.2) and 1.5 in allowed:
            scale = float_of(length / n)
        scales.append(scale)
        output.append(length)
    return scales, tuple(output)


def draw_offsets(draw: Draw, rank: int) -> dict[str, list[float]]:
    """Centres of pixels in half of the cases, corners and more in the rest."""
    if draw.chance(0.5):
        return {"input_pixel_offsets": [0.5] * rank, "output_pixel_offsets": [-0.5] * rank}
    return {
        "input_pixel_offsets": draw.each(rank, 0.0, 0.5, 1.0, 0.25),
        "output_pixel_offsets": draw.each(rank, 0.0, -0.5, -0.25),
    }


def draw_resampling(draw: Draw, field: str, allowed: tuple[float, ...] = SCALES) -> tuple[Index, Index, dict[str, Any]]:
    """Sizes of the image and of the resampled one, and the attributes of this version."""
    sizes = draw.sizes(draw.rank(field), most=24 if draw.is_large else 60, longest=4)
    scales, output = draw_scales(draw, sizes, allowed)
    how: dict[str, Any] = {"interpolation_mode": draw.cycle("mode", MODES), "scales": scales}
    if draw.operator != "RESAMPLE":
        how.update(draw_offsets(draw, len(sizes)))
    if "rounding_direction" in directed(draw.operator):
        how["rounding_direction"] = draw.cycle("direction", ("INCREASING", "DECREASING"))
    return sizes, output, how


def directed(operator: str) -> tuple[str, ...]:
    return ("rounding_direction",) if operator in ("RESAMPLE2", "RESAMPLE3", "RESAMPLE_GRAD1") else ()


def samplings_of(given: Case, sizes: Index) -> list[Sampling]:
    rounding = "nearest"
    if given["interpolation_mode"] == "LINEAR":
        rounding = "stretched" if given.get("antialiased") else "linear"
    elif "rounding_direction" in given.fields:
        rounding = "ceil" if given["rounding_direction"] == "INCREASING" else "floor"
    inputs = given.get("input_pixel_offsets", [0.5] * len(sizes))
    outputs = given.get("output_pixel_offsets", [-0.5] * len(sizes))
    rows = zip(sizes, given["scales"], inputs, outputs, strict=True)
    return [Sampling(n, *map(Fraction, (scale, before, behind)), rounding) for n, scale, before, behind in rows]


@case("RESAMPLE", "RESAMPLE1", "RESAMPLE2", count=36)
def resamplings(draw: Draw) -> None:
    sizes, output, how = draw_resampling(draw, "input_tensor")
    draw.input("input_tensor", sizes=sizes, value=values.wide)
    draw.output("output_tensor", sizes=output)
    draw.attributes(**how)


@case("RESAMPLE3", count=44)
def smooth_resamplings(draw: Draw) -> None:
    """With a filter against aliasing, an axis grows, stays, or shrinks to less than half."""
    smooth = draw.cycle("antialiased", (True, False))
    sizes, output, how = draw_resampling(draw, "input_tensor", (*SHRINKING, 1.0, 2.0) if smooth else SCALES)
    draw.input("input_tensor", sizes=sizes, value=values.wide)
    draw.output("output_tensor", sizes=output)
    draw.attributes(**how, antialiased=smooth)


@answer("RESAMPLE", "RESAMPLE1", "RESAMPLE2", "RESAMPLE3")
def resamplings_answer(given: Case) -> Tensor:
    x = given["input_tensor"]
    function = resample if is_float(x.data_type) else resample_whole
    return function(x.values, samplings_of(given, x.sizes), given["output_tensor"].sizes)


@case("RESAMPLE_GRAD", "RESAMPLE_GRAD1", count=36)
def resampling_gradients(draw: Draw) -> None:
    sizes, output, how = draw_resampling(draw, "input_gradient_tensor", (0.5, 2.0, 1.0, 0.25, 4.0))
    draw.input("input_gradient_tensor", sizes=output)
    draw.output("output_gradient_tensor", sizes=sizes)
    draw.attributes(**how)


@answer("RESAMPLE_GRAD", "RESAMPLE_GRAD1")
def resampling_gradients_answer(given: Case) -> Tensor:
    gradient, sizes = given["input_gradient_tensor"], given["output_gradient_tensor"].sizes
    return spread(gradient.values, samplings_of(given, sizes), gradient.sizes, sizes)


@case("UPSAMPLE_2D")
def upsampling(draw: Draw) -> None:
    rank = draw.rank("input_tensor")
    sizes = draw.sizes(rank, most=24 if draw.is_large else 40, longest=4)
    height, width = draw.integer(1, 4), draw.integer(1, 4)
    draw.input("input_tensor", sizes=sizes, value=values.wide)
    draw.output("output_tensor", sizes=(*sizes[:-2], sizes[-2] * height, sizes[-1] * width))
    draw.attributes(scale_size={"Width": width, "Height": height}, interpolation_mode=draw.cycle("mode", MODES))


@answer("UPSAMPLE_2D")
def upsampling_answer(given: Case) -> Tensor:
    x, scale = given["input_tensor"], given["scale_size"]
    rounding = "linear" if given["interpolation_mode"] == "LINEAR" else "nearest"
    factors = (*(1,) * (x.rank - 2), scale["Height"], scale["Width"])
    half = Fraction(1, 2)
    samplings = [Sampling(n, Fraction(k), half, -half, rounding) for n, k in zip(x.sizes, factors, strict=True)]
    return resample(x.values, samplings, given["output_tensor"].sizes)


@case("VALUE_SCALE_2D", hostile=HOSTILE)
def value_scaling(draw: Draw) -> None:
    channels = draw.cycle("channels", (1, 3))
    sizes = (draw.integer(1, 2), channels, draw.integer(2, 5), draw.integer(3, 6))
    if draw.hostile:
        sizes = (2, channels, 5, 6)
    draw.input("input_tensor", sizes=sizes, value=values.wide)
    draw.output("output_tensor", sizes=sizes)
    bias = [draw.integer(-16, 16) / 8 for _ in range(channels)]
    draw.attributes(scale=draw.choice(0.5, 2.0, -1.0, float_of(1 / 255), 0.3125), bias=bias)


@answer("VALUE_SCALE_2D")
def value_scaling_answer(given: Case) -> Tensor:
    scale, bias, result = given["scale"], given["bias"], {}
    for i, v in given["input_tensor"].values.items():
        product = v * scale
        result[i] = Accumulated(product + bias[i[1]], abs(product) + abs(bias[i[1]]), 1)
    return result
