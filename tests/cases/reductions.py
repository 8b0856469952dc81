"""Reductions, arguments of extremes, cumulative operators and the largest elements."""

from __future__ import annotations

from math import prod
from typing import Any

from tests.cases.framework import Accumulated, Case, Draw, answer, case, spec, values
from tests.oracle import programs
from tests.oracle.moves import Index, Tensor
from tests.oracle.numbers import is_float, wrap

VARIANTS = [(name, kind) for name in spec.functions("REDUCE") for kind in spec.types("REDUCE", "input_tensor", name)]


def reduced_sizes(sizes: Index, axes: list[int]) -> Index:
    return tuple(1 if axis in axes else n for axis, n in enumerate(sizes))


def value_for(function: str | None, data_type: str) -> Any:
    if not is_float(data_type):
        return values.whole
    if function == "LOG_SUM":
        return values.between(1 / 32, 2)  # sums above 0
    if function == "MULTIPLY":
        return values.few(-2.0, -1.0, 1.0, 0.5, 1.5, 0.625)  # products of many stay near 1
    return values.between(-2, 2, 1 / 4 if str(function).startswith("ARG") else 1 / 32)


@case("REDUCE", count=len(VARIANTS))
def reductions(draw: Draw) -> None:
    """Every function with every type of its rows."""
    function, data_type = draw.cycle("function and type", VARIANTS)
    assert function is not None
    sizes = draw.sizes(draw.rank("input_tensor"))
    axes = draw.axes(len(sizes), least=0)
    draw.attributes(function=function, axes=axes)
    draw.input("input_tensor", data_type, sizes, value_for(function, data_type))
    types = spec.types("REDUCE", "output_tensor", function)
    output_type = types[VARIANTS.index((function, data_type)) % len(types)] if function.startswith("ARG") else data_type
    draw.output("output_tensor", output_type, reduced_sizes(sizes, axes))


@answer("REDUCE")
def reductions_answer(given: Case) -> Tensor:
    x, axes, function = given["input_tensor"], given["axes"], given["function"]
    found = programs.reduce(x.values, x.sizes, axes, function)
    if not is_float(given["output_tensor"].data_type):
        return {i: wrap(int(v), given["output_tensor"].data_type) for i, v in found.items()}
    if function in ("MIN", "MAX"):
        return found
    terms = prod(x.sizes[axis] for axis in axes)
    magnitudes = programs.reduce({i: abs(v) for i, v in x.values.items()}, x.sizes, axes, function)
    # A logarithm turns relative errors of the sum into absolute ones.
    least = 1.0 + max(map(abs, x.values.values())) if function.startswith("LOG") else 0.0
    return {i: Accumulated(v, abs(magnitudes[i]) + least, terms) for i, v in found.items()}


@case("ARGMIN", "ARGMAX")
def arguments(draw: Draw) -> None:
    """Few distinct values, so that equal ones are common."""
    sizes = draw.sizes(draw.rank("input_tensor"))
    axes = draw.axes(len(sizes))
    draw.input("input_tensor", sizes=sizes, value=values.between(0, 3, 1))
    draw.output("output_tensor", sizes=reduced_sizes(sizes, axes))
    draw.attributes(axes=axes, axis_direction=draw.cycle("direction", ("INCREASING", "DECREASING")))


@answer("ARGMIN", "ARGMAX")
def arguments_answer(given: Case) -> Tensor:
    x, first = given["input_tensor"], given["axis_direction"] == "INCREASING"
    return programs.arg_reduce(x.values, x.sizes, given["axes"], given.operator == "ARGMAX", first)


@case("TOP_K", "TOP_K1")
def largest(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"), longest=6)
    axis = draw.axis(len(sizes))
    k = draw.integer(1, sizes[axis])
    output = (*sizes[:axis], k, *sizes[axis + 1 :])
    draw.input("input_tensor", sizes=sizes, value=values.between(0, 4, 1) if draw.chance(0.5) else values.whole)
    draw.output("output_value_tensor", sizes=output)
    draw.output("output_index_tensor", sizes=output)
    directions = draw.cycle("direction", ("INCREASING", "DECREASING"))
    draw.attributes(axis=axis, k=k, axis_direction=directions if draw.operator == "TOP_K1" else None)


@answer("TOP_K", "TOP_K1")
def largest_answer(given: Case) -> dict[str, Tensor]:
    x, decreasing = given["input_tensor"], given.get("axis_direction", "DECREASING") == "DECREASING"
    chosen, places = programs.top_k(x.values, x.sizes, given["axis"], given["k"], decreasing)
    return {"output_value_tensor": chosen, "output_index_tensor": places}


@case("CUMULATIVE_SUMMATION", "CUMULATIVE_PRODUCT")
def running(draw: Draw) -> None:
    """Integers wrap; products of floats are of numbers near 1."""
    sizes = draw.sizes(draw.rank("input_tensor"), longest=7)
    is_product = draw.operator == "CUMULATIVE_PRODUCT"
    kind = draw.type("input_tensor")
    draw.input("input_tensor", sizes=sizes, value=value_for("MULTIPLY" if is_product else "SUM", kind))
    draw.output("output_tensor", sizes=sizes)
    exclusive = draw.chance(0.5)
    draw.attributes(
        axis=draw.axis(len(sizes)),
        axis_direction=draw.cycle("direction", ("INCREASING", "DECREASING")),
        **{"has_exclusive_product" if is_product else "has_exclusive_sum": exclusive},
    )


def _running(given: Case, scan: Any, exclusive: str) -> Tensor:
    x, axis = given["input_tensor"], given["axis"]
    how = (axis, given["axis_direction"] == "DECREASING", given[exclusive])
    found = scan(x.values, x.sizes, *how)
    if not is_float(x.data_type):
        return {i: wrap(v, x.data_type) for i, v in found.items()}
    magnitudes = scan({i: abs(v) for i, v in x.values.items()}, x.sizes, *how)
    return {i: Accumulated(v, magnitudes[i], x.sizes[axis]) for i, v in found.items()}


@answer("CUMULATIVE_SUMMATION")
def running_sums(given: Case) -> Tensor:
    return _running(given, programs.cumulative_sum, "has_exclusive_sum")


@answer("CUMULATIVE_PRODUCT")
def running_products(given: Case) -> Tensor:
    return _running(given, programs.cumulative_product, "has_exclusive_product")
