"""Activations: pointwise ones, their gradient, and softmax with its relatives."""

from __future__ import annotations

from math import prod
from typing import Any

from tests.cases.element_wise_unary import draw_unary
from tests.cases.framework import HOSTILE, Accumulated, Case, Draw, answer, case, values
from tests.cases.fused import FUSABLE
from tests.oracle import softmax
from tests.oracle.formulas import ACTIVATIONS
from tests.oracle.moves import Index, Tensor
from tests.oracle.numbers import convert, is_float, wrap
from tests.oracle.pointwise import larger

PARAMETERS = {**FUSABLE, "SWISH": ("sigmoid_input_scale",), "HARD_SWISH": ("alpha", "beta")}
# Sums of two terms that may cancel: their error is one of the terms.
AFFINE = {"LINEAR", "HARD_SIGMOID", "HARD_SWISH", "SHRINK"}


def full(names: Any) -> list[str]:
    return [f"ACTIVATION_{name}" for name in names]


def parameters(draw: Draw, name: str) -> dict[str, float]:
    """Powers of two, so that a product is exact; e^x would magnify its rounding."""
    return {key: 2.0 ** draw.integer(-2, 2) for key in PARAMETERS[name]}


@case(*full(PARAMETERS), hostile=HOSTILE)
def activations(draw: Draw) -> None:
    name = draw.operator.removeprefix("ACTIVATION_")
    value = values.wide if draw.chance(0.5) else values.between(-8, 8, 1 / 64)
    if not is_float(draw.type("input_tensor")):
        value = values.between(-100, 100) if name == "SHRINK" else values.whole
        # Integers beyond 2^24 are not exact as floats, and SHRINK computes with floats.
        draw.hostile = draw.hostile and name != "SHRINK"
    draw_unary(draw, value, **parameters(draw, name))


@answer(*full(PARAMETERS))
def activations_answer(given: Case) -> Tensor:
    name, x = given.operator.removeprefix("ACTIVATION_"), given["input_tensor"]
    how = {key: given[key] for key in PARAMETERS[name]}
    if not is_float(x.data_type):
        return {i: integer_activation(name, v, how, x.data_type) for i, v in x.values.items()}
    return {i: activated(name, v, how) for i, v in x.values.items()}


def integer_activation(name: str, value: int, how: dict[str, float], data_type: str) -> int:
    """RELU is exact; SHRINK computes with floats and cuts off."""
    if name == "RELU":
        return int(larger(value, 0))
    return int(convert(ACTIVATIONS[name](float(value), **how), "FLOAT64", data_type))


def activated(name: str, value: float, how: dict[str, float]) -> Any:
    result = ACTIVATIONS[name](value, **how)
    if name not in AFFINE:
        return result
    terms = sum(how.values()) * max(1.0, abs(value)) + abs(value)
    scale = abs(value) if name == "HARD_SWISH" else 1.0
    return Accumulated(result, terms * scale, 1) if abs(terms * scale) < 2.0**100 else result


@case("ACTIVATION_PARAMETERIZED_RELU", hostile=HOSTILE)
def parameterized(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"))
    draw.input("input_tensor", sizes=sizes, value=values.wide)
    draw.input("slope_tensor", sizes=sizes, value=values.moderate)
    draw.output("output_tensor", sizes=sizes)


@answer("ACTIVATION_PARAMETERIZED_RELU")
def parameterized_answer(given: Case) -> Tensor:
    x, slope = given["input_tensor"], given["slope_tensor"].values
    found = {i: v if v >= 0 else slope[i] * v for i, v in x.values.items()}
    return found if is_float(x.data_type) else {i: wrap(v, x.data_type) for i, v in found.items()}


@case("ACTIVATION_RELU_GRAD", hostile=HOSTILE)
def relu_gradient(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"))
    draw.input("input_tensor", sizes=sizes, value=values.moderate)
    draw.input("input_gradient_tensor", sizes=sizes, value=values.wide)
    draw.output("output_gradient_tensor", sizes=sizes)


@answer("ACTIVATION_RELU_GRAD")
def relu_gradient_answer(given: Case) -> Tensor:
    gradient = given["input_gradient_tensor"].values
    return {i: gradient[i] if v > 0 else 0 for i, v in given["input_tensor"].values.items()}


# Softmax and its relatives

LAST_AXIS = ["SOFTMAX", "LOG_SOFTMAX", "HARDMAX"]
ANY_AXES = [f"{name}1" for name in LAST_AXIS]


def draw_softmax(draw: Draw, sizes: Index, axes: list[int] | None) -> None:
    """Multiples of 1/32, so that differences are exact; few of them for HARDMAX, so that equal ones are common."""
    hard = "HARDMAX" in draw.operator
    draw.input("input_tensor", sizes=sizes, value=values.between(-2, 2, 1) if hard else values.between(-8, 8))
    draw.output("output_tensor", sizes=sizes)
    draw.attributes(axes=axes)


@case(*full(LAST_AXIS))
def softmax_of_rows(draw: Draw) -> None:
    """At most two dimensions beyond leading 1s."""
    rank = draw.rank("input_tensor")
    rows, columns = draw.integer(1, 6), draw.integer(1, 9)
    draw_softmax(draw, ((1,) * rank + (rows, columns))[-rank:], None)


@case(*full(ANY_AXES))
def softmax_of_axes(draw: Draw) -> None:
    """Small groups for HARDMAX1, whose results are nearly all 0 otherwise."""
    sizes = draw.sizes(draw.rank("input_tensor"), most=72, longest=3 if "HARDMAX" in draw.operator else 5)
    axes = draw.axes(len(sizes))
    draw_softmax(draw, sizes, axes[:2] if "HARDMAX" in draw.operator else axes)


def softmax_axes(given: Case) -> list[int]:
    found: list[int] = given.get("axes", [given["input_tensor"].rank - 1])
    return found


def _count(given: Case) -> int:
    return prod(given["input_tensor"].sizes[axis] for axis in softmax_axes(given))


@answer("ACTIVATION_SOFTMAX", "ACTIVATION_SOFTMAX1")
def softmax_answer(given: Case) -> Tensor:
    x = given["input_tensor"]
    found = softmax.softmax(x.values, x.sizes, softmax_axes(given))
    return {i: Accumulated(v, v, _count(given)) for i, v in found.items()}


@answer("ACTIVATION_LOG_SOFTMAX", "ACTIVATION_LOG_SOFTMAX1")
def log_softmax_answer(given: Case) -> Tensor:
    x = given["input_tensor"]
    found = softmax.log_softmax(x.values, x.sizes, softmax_axes(given))
    return {i: Accumulated(v, abs(v) + abs(x.values[i]) + 1, _count(given)) for i, v in found.items()}


@answer("ACTIVATION_HARDMAX", "ACTIVATION_HARDMAX1")
def hardmax_answer(given: Case) -> Tensor:
    x = given["input_tensor"]
    return softmax.hardmax(x.values, x.sizes, softmax_axes(given))
