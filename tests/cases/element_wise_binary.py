"""Element-wise operators on two or three tensors of equal sizes."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from tests.cases.element_wise_unary import draw_scale_bias, full, in_domain, short, typed
from tests.cases.framework import HOSTILE, Bits, Case, Draw, answer, case, values
from tests.cases.fused import apply_fused, draw_fused
from tests.oracle.moves import Tensor
from tests.oracle.numbers import bits_of, convert, is_float
from tests.oracle.pointwise import BINARY, BITWISE, power, scaled, shift

ARITHMETIC = ["ADD", "SUBTRACT", "MULTIPLY", "MAX", "MIN", "DIFFERENCE_SQUARE"]
COMPARISONS = [
    *("LOGICAL_EQUALS", "LOGICAL_GREATER_THAN", "LOGICAL_LESS_THAN"),
    *("LOGICAL_GREATER_THAN_OR_EQUAL", "LOGICAL_LESS_THAN_OR_EQUAL"),
]
LOGIC = ["LOGICAL_AND", "LOGICAL_OR", "LOGICAL_XOR"]
DIVISIONS = ["DIVIDE", "MODULUS_TRUNCATE", "MODULUS_FLOOR"]


def draw_binary(draw: Draw, a: Any, b: Any) -> None:
    sizes = draw.sizes(draw.rank("a_tensor"))
    draw.input("a_tensor", sizes=sizes, value=a)
    draw.input("b_tensor", sizes=sizes, value=b)
    draw.output("output_tensor", sizes=sizes)


@case(*full(ARITHMETIC), hostile=HOSTILE)
def arithmetic(draw: Draw) -> None:
    draw_binary(draw, values.wide, values.wide)


@case("ELEMENT_WISE_MEAN")
def means(draw: Draw) -> None:
    draw_binary(draw, values.wide, values.wide)


@case("ELEMENT_WISE_ATAN_YX", hostile=HOSTILE)
def angles(draw: Draw) -> None:
    draw_binary(draw, values.wide, values.wide)


@case(*full(COMPARISONS), hostile=HOSTILE)
def comparisons(draw: Draw) -> None:
    value = values.between(-2, 2, 1 / 4) if draw.chance(0.7) else values.wide
    draw_binary(draw, value, value)


@case(*full(LOGIC), hostile=HOSTILE)
def logic(draw: Draw) -> None:
    draw_binary(draw, values.few(0, 0, 1, 2, 200), values.few(0, 0, 1, 3, 128))


def not_zero(random: Random, data_type: str) -> float | int:
    found = values.between(-8, 8, 1 / 16)(random, data_type)
    return found or 1


def dividend(random: Random, data_type: str) -> float | int:
    """Quotients of such floats are whole numbers, or far from them."""
    make = values.between(-60, 60, 1 / 16) if is_float(data_type) else values.whole
    return make(random, data_type)


@case(*full(DIVISIONS), hostile=HOSTILE)
def divisions(draw: Draw) -> None:
    """A divisor of 0 comes up among the hostile values; of integers it must do no harm, whatever it gives."""
    if draw.operator == "ELEMENT_WISE_DIVIDE" or not draw.hostile:
        draw_binary(draw, dividend, not_zero)
    else:
        # Remainders of floats as large as the hostile ones have no useful accuracy.
        draw.hostile = not is_float(draw.type("a_tensor"))
        draw_binary(draw, values.few(0, 5, 7, 100), values.few(0, 3, 4))


@answer(*full([*ARITHMETIC, "MEAN", "ATAN_YX", *COMPARISONS, *LOGIC, *DIVISIONS]))
def binary(given: Case) -> Tensor:
    function, a, b = BINARY[short(given.operator)], given["a_tensor"].values, given["b_tensor"].values
    return typed({i: function(a[i], b[i]) for i in a}, given["output_tensor"].data_type)


@case(*full(list(BITWISE)))
def bitwise(draw: Draw) -> None:
    draw_binary(draw, values.any_bits, values.any_bits)


@answer(*full(list(BITWISE)))
def bitwise_answer(given: Case) -> Tensor:
    a, b = given["a_tensor"].bits, given["b_tensor"].bits
    return Bits({i: BITWISE[short(given.operator)](a[i], b[i]) for i in a})


@case("ELEMENT_WISE_BIT_SHIFT_LEFT", "ELEMENT_WISE_BIT_SHIFT_RIGHT", hostile=HOSTILE)
def shifts(draw: Draw) -> None:
    """Hostile distances reach beyond the type's width: undefined, and harmless."""
    width = bits_of(draw.type("a_tensor"))
    draw_binary(draw, values.whole, values.between(0, width - 1))


@answer("ELEMENT_WISE_BIT_SHIFT_LEFT", "ELEMENT_WISE_BIT_SHIFT_RIGHT")
def shifts_answer(given: Case) -> Tensor:
    a, b = given["a_tensor"], given["b_tensor"].values
    left = given.operator.endswith("LEFT")
    return typed({i: shift(v, b[i], a.data_type, left) for i, v in a.values.items()}, a.data_type)


@case("ELEMENT_WISE_IF")
def choice(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("a_tensor"))
    draw.input("condition_tensor", sizes=sizes, value=values.few(0, 0, 1, 2, 255))
    draw.input("a_tensor", sizes=sizes, value=values.any_bits)
    draw.input("b_tensor", sizes=sizes, value=values.any_bits)
    draw.output("output_tensor", sizes=sizes)


@answer("ELEMENT_WISE_IF")
def choice_answer(given: Case) -> Tensor:
    a, b = given["a_tensor"].bits, given["b_tensor"].bits
    return Bits({i: a[i] if c != 0 else b[i] for i, c in given["condition_tensor"].values.items()})


# Powers

UNCERTAIN = 2.0**-10


def base(random: Random, data_type: str) -> float | int:
    return values.between(-3, 3, 1 / 8)(random, data_type)


@case("ELEMENT_WISE_POW", count=40)
def powers(draw: Draw) -> None:
    """Results stay within every type; of two integers they are exact."""
    scale_bias = None
    if is_float(draw.type("input_tensor")):
        scale_bias = draw_scale_bias(draw)
    sizes = draw.sizes(draw.rank("input_tensor"))
    fractions = draw.chance(0.5)
    draw.input("input_tensor", sizes=sizes, value=in_domain("POW", scale_bias) if scale_bias else base)
    draw.input("exponent_tensor", sizes=sizes, value=values.between(-2, 4, 1 / 2 if fractions else 1))
    draw.output("output_tensor", sizes=sizes)
    draw.attributes(scale_bias=scale_bias)


@answer("ELEMENT_WISE_POW")
def powers_answer(given: Case) -> Tensor:
    x, exponents, scale_bias = given["input_tensor"], given["exponent_tensor"].values, given.get("scale_bias")
    found = {i: power(scaled(v, scale_bias, x.data_type), exponents[i]) for i, v in x.values.items()}
    if is_float(x.data_type):
        return typed(found, x.data_type)
    return typed({i: _whole_power(v, x.data_type) for i, v in found.items()}, x.data_type)


def _whole_power(value: float | int | None, data_type: str) -> int | None:
    """A float power of an integer is cut off; left open where rounding might decide, and where it is no number."""
    if value is None or isinstance(value, int):
        return value
    if math.isnan(value) or (math.isfinite(value) and 0 < abs(value - round(value)) < UNCERTAIN):
        return None
    return int(convert(value, "FLOAT64", data_type))


@case("ELEMENT_WISE_CONSTANT_POW", hostile=HOSTILE)
def constant_powers(draw: Draw) -> None:
    scale_bias = draw_scale_bias(draw)
    sizes = draw.sizes(draw.rank("input_tensor"))
    draw.input("input_tensor", sizes=sizes, value=in_domain("POW", scale_bias))
    draw.output("output_tensor", sizes=sizes)
    draw.attributes(scale_bias=scale_bias, exponent=draw.cycle("exponent", (2.0, 3.0, 0.5, -1.0, 0.0, 1.5, -2.0, 1.0)))


@answer("ELEMENT_WISE_CONSTANT_POW")
def constant_powers_answer(given: Case) -> Tensor:
    x = given["input_tensor"].values
    return {i: power(scaled(v, given.get("scale_bias"), "FLOAT32"), given["exponent"]) for i, v in x.items()}


# Sums with a fused activation


@case("ELEMENT_WISE_ADD1", count=40)
def fused_sums(draw: Draw) -> None:
    draw_binary(draw, values.between(-4, 4, 1 / 32), values.between(-4, 4, 1 / 32))
    draw.attributes(fused_activation=draw_fused(draw))


@answer("ELEMENT_WISE_ADD1")
def fused_sums_answer(given: Case) -> Tensor:
    a, b = given["a_tensor"].values, given["b_tensor"].values
    return {i: apply_fused(given.get("fused_activation"), a[i] + b[i]) for i in a}
