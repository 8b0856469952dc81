"""Element-wise operators on one tensor, most of them with an optional scale and bias."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from tests.cases.framework import HOSTILE, Bits, Case, Draw, answer, case, values
from tests.oracle.moves import Tensor
from tests.oracle.numbers import bits_of, is_float, round_float, wrap
from tests.oracle.pointwise import UNARY, is_infinity, round_to, scaled

# Where the functions are interesting, and defined.
DOMAINS = {
    "ACOS": (-1.0, 1.0),
    "ASIN": (-1.0, 1.0),
    "ATANH": (-63 / 64, 63 / 64),
    "ACOSH": (1.0, 16.0),
    "LOG": (1 / 64, 16.0),
    "SQRT": (0.0, 16.0),
    "RECIP": (1 / 64, 8.0),
}
SCALED = [
    *("IDENTITY", "ABS", "ACOS", "ASIN", "ATAN", "CEIL", "COS", "EXP", "FLOOR", "LOG", "RECIP", "SIN", "SQRT", "TAN"),
    *("ERF", "SINH", "COSH", "TANH", "ASINH", "ACOSH", "ATANH"),
]
PLAIN = ["SIGN", "NEGATE", "LOGICAL_NOT"]


def full(names: list[str]) -> list[str]:
    return [f"ELEMENT_WISE_{name}" for name in names]


def short(operator: str) -> str:
    return operator.removeprefix("ELEMENT_WISE_")


def draw_scale_bias(draw: Draw) -> tuple[float, float] | None:
    """Numbers that multiply and add without rounding; none where the values themselves are the point."""
    if draw.hostile or draw.chance(0.5):
        return None
    return draw.choice(0.5, 1.0, 2.0, -1.0, -0.5), draw.integer(-8, 8) / 8


def in_domain(name: str, scale_bias: tuple[float, float] | None) -> Any:
    """Values that the scale and bias take into the function's domain."""
    low, high = DOMAINS.get(name, (-8.0, 8.0))
    scale, bias = scale_bias or (1.0, 0.0)

    def make(random: Random, data_type: str) -> float | int:
        if not is_float(data_type):
            return values.between(-20, 20)(random, data_type) if scale_bias else values.whole(random, data_type)
        if scale_bias:
            return (random.randint(int(low * 64), int(high * 64)) / 64 - bias) / scale
        nearer = random.choice((1.0, 1.0, 0.1, 0.001)) if low <= 0 else 1.0
        return round_float(random.uniform(low, high) * nearer, data_type)

    return make


def draw_unary(draw: Draw, value: Any, **attributes: Any) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"))
    draw.input("input_tensor", sizes=sizes, value=value)
    draw.output("output_tensor", sizes=sizes)
    draw.attributes(**attributes)


@case(*full(SCALED), hostile=HOSTILE)
def scaled_unary(draw: Draw) -> None:
    scale_bias = draw_scale_bias(draw)
    draw_unary(draw, in_domain(short(draw.operator), scale_bias), scale_bias=scale_bias)


@case(*full(PLAIN), hostile=HOSTILE)
def plain_unary(draw: Draw) -> None:
    draw_unary(draw, values.wide if draw.chance(0.5) else values.moderate)


@answer(*full([name for name in SCALED + PLAIN if name != "IDENTITY"]))
def unary(given: Case) -> Tensor:
    function, x = UNARY[short(given.operator)], given["input_tensor"]
    moved = {i: scaled(v, given.get("scale_bias"), x.data_type) for i, v in x.values.items()}
    return typed({i: function(v) for i, v in moved.items()}, given["output_tensor"].data_type)


def typed(found: Tensor, data_type: str) -> Tensor:
    """Elements without a defined value are left out; integers keep their low bits."""
    defined = {i: v for i, v in found.items() if v is not None}
    return defined if is_float(data_type) else {i: wrap(v, data_type) for i, v in defined.items()}


@answer("ELEMENT_WISE_IDENTITY")
def identity(given: Case) -> Tensor:
    """A copy, bit by bit, unless a scale and bias come in between."""
    x, scale_bias = given["input_tensor"], given.get("scale_bias")
    if scale_bias is None:
        return Bits(x.bits)
    return {i: scaled(v, scale_bias, x.data_type) for i, v in x.values.items()}


@case("ELEMENT_WISE_IS_NAN", hostile=HOSTILE)
def is_nan(draw: Draw) -> None:
    draw_unary(draw, values.few(math.nan, math.nan, math.inf, 0.0, 1.0))


@answer("ELEMENT_WISE_IS_NAN")
def is_nan_answer(given: Case) -> Tensor:
    return {i: UNARY["IS_NAN"](v) for i, v in given["input_tensor"].values.items()}


@case("ELEMENT_WISE_IS_INFINITY", hostile=HOSTILE)
def infinite(draw: Draw) -> None:
    mode = draw.cycle("mode", ("EITHER", "POSITIVE", "NEGATIVE"))
    draw_unary(draw, values.few(math.inf, -math.inf, 1.0, math.nan), infinity_mode=mode)


@answer("ELEMENT_WISE_IS_INFINITY")
def infinite_answer(given: Case) -> Tensor:
    return {i: is_infinity(v, given["infinity_mode"]) for i, v in given["input_tensor"].values.items()}


@case("ELEMENT_WISE_ROUND", hostile=HOSTILE)
def rounding(draw: Draw) -> None:
    mode = draw.cycle("mode", ("HALVES_TO_NEAREST_EVEN", "TOWARD_ZERO", "TOWARD_INFINITY"))
    draw_unary(draw, values.between(-8, 8, 1 / 4) if draw.chance(0.6) else values.wide, rounding_mode=mode)


@answer("ELEMENT_WISE_ROUND")
def rounding_answer(given: Case) -> Tensor:
    return {i: round_to(v, given["rounding_mode"]) for i, v in given["input_tensor"].values.items()}


@case("ELEMENT_WISE_BIT_NOT", "ELEMENT_WISE_BIT_COUNT")
def bits_of_one(draw: Draw) -> None:
    draw_unary(draw, values.any_bits)


@answer("ELEMENT_WISE_BIT_NOT")
def bit_not(given: Case) -> Tensor:
    x = given["input_tensor"]
    return Bits({i: code ^ ((1 << bits_of(x.data_type)) - 1) for i, code in x.bits.items()})


@answer("ELEMENT_WISE_BIT_COUNT")
def bit_count(given: Case) -> Tensor:
    return {i: bin(code).count("1") for i, code in given["input_tensor"].bits.items()}
