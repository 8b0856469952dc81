"""Pointwise operators on strided tensors, against the same formulas on single numbers in double precision.

Tolerances in ULP follow the classes of the WebNN conformance tests, or are tighter; 0 where the result is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anydml as dml
import anydml.operators
from anydml.core.schema import OPERATORS, AttributeField
from tests.operators.layouts import FLOAT_TYPES, random_desc, random_sizes, random_value, randoms, tensor_of
from tests.operators.memory import DEVICES, Tensor, assert_exact, dispatch, place, place_filled, snapshot
from tests.operators.ulp import assert_close
from tests.oracle.formulas import ACTIVATIONS
from tests.oracle.numbers import convert, integer_range, is_float, round_float, wrap
from tests.oracle.pointwise import quantize

WITHOUT_FLOAT64 = ["FLOAT32", "FLOAT16", "INT64", "INT32", "INT16", "INT8", "UINT64", "UINT32", "UINT16", "UINT8"]
ULP = {
    "ELU": 4,
    "HARD_SIGMOID": 2,
    "LINEAR": 2,
    "PARAMETRIC_SOFTPLUS": 6,
    "SCALED_ELU": 4,
    "SCALED_TANH": 4,
    "SIGMOID": 4,
    "SOFTPLUS": 6,
    "SOFTSIGN": 2,
    "TANH": 4,
    "SHRINK": 1,
    "LEAKY_RELU": 1,
    "CELU": 6,
    "GELU": 2,
    "SWISH": 6,
    "HARD_SWISH": 4,
}
LIMITS = {
    **dict.fromkeys(("SIGMOID", "HARD_SIGMOID"), (0, 1)),
    **dict.fromkeys(("TANH", "SOFTSIGN"), (-1, 1)),
    **dict.fromkeys(("RELU", "GELU", "SWISH", "HARD_SWISH", "SOFTPLUS"), (0, math.inf)),
}


def parameters(name: str, random: Random) -> dict[str, float]:
    """An activation's attributes: powers of two, since e magnifies a rounding of scale * x by |scale * x|."""
    fields = OPERATORS[f"ACTIVATION_{name}"].fields
    names = [key for key, field in fields.items() if isinstance(field, AttributeField)]
    return {key: 2.0 ** random.randint(-2, 2) for key in names}


def run_close(operator: dml.Operator, inputs: Any, expected: Tensor, random: Random, ulp: float, near: float) -> None:
    output = operator.points("output")[0].name
    for device in DEVICES:
        result = place(operator.tensor(output), random)
        before = snapshot(result)
        dispatch(operator, inputs, {output: result}, device)
        assert_close(result, before, expected, ulp, near)


def wide_values(random: Random, data_type: str) -> float:
    scale = random.choice((1e-4, 0.1, 1.0, 8.0, 60.0, 1000.0))
    return round_float(random.uniform(-scale, scale), data_type)


@pytest.mark.parametrize("data_type", FLOAT_TYPES)
@pytest.mark.parametrize("name", ACTIVATIONS)
@settings(max_examples=14)
@given(random=randoms)
def test_activation__matches_its_formula(name: str, data_type: str, random: Random) -> None:
    sizes = random_sizes(random, random.randint(1, 8))
    source = place_filled(
        random_desc(random, data_type, sizes, broadcast=True), random, tensor_of(sizes, random, data_type, wide_values)
    )
    how = parameters(name, random)
    operator = OPERATORS[f"ACTIVATION_{name}"](
        input_tensor=source.desc, output_tensor=random_desc(random, data_type, sizes), **how
    )
    expected = {i: ACTIVATIONS[name](x, **how) for i, x in source.values().items()}
    # Sums that nearly cancel have no relative accuracy to speak of, nor have subnormals on the way.
    near = 1e-5 if name in ("LINEAR", "HARD_SIGMOID", "HARD_SWISH", "SHRINK") else 1e-36
    run_close(operator, {"input_tensor": source}, expected, random, ULP.get(name, 0), near)


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("data_type", FLOAT_TYPES)
def test_activation__at_the_ends_of_the_line(name: str, data_type: str) -> None:
    """Infinities give the limit, NaN gives NaN, and nothing warns on the way."""
    largest = 65504.0 if data_type == "FLOAT16" else 3.4028234663852886e38
    values = [-math.inf, -largest, -0.0, 0.0, largest, math.inf, math.nan]
    how = parameters(name, Random(7))
    operator = OPERATORS[f"ACTIVATION_{name}"](input_tensor=dml.TensorDesc(data_type, [7]), **how)
    source = np.array([*values, 0], operator.input_tensor.data_type.numpy_dtype)
    for device in DEVICES:
        result = np.zeros(8, source.dtype)
        dml.Device(device).compile(operator)(input_tensor=source, output_tensor=result)
        assert np.isnan(result[6]) or name in ("THRESHOLDED_RELU", "SHRINK")  # a comparison with NaN is false
        assert not np.isnan(result[:6]).any(), result
        if name in LIMITS:
            assert (result[0], result[5]) == LIMITS[name]


@pytest.mark.parametrize("data_type", ["INT8", "INT16", "INT32"])
def test_signed_activations__take_whole_numbers(data_type: str) -> None:
    low, high = integer_range(data_type)
    values = [low, -7, -1, 0, 1, 7, high, 5]
    source = place_filled(dml.TensorDesc(data_type, [8]), Random(1), {(i,): v for i, v in enumerate(values)})
    slopes = place_filled(dml.TensorDesc(data_type, [8]), Random(2), {(i,): 3 for i in range(8)})
    relu = dml.ActivationRelu(input_tensor=source.desc)
    run_close_integers(relu, {"input_tensor": source}, [max(0, v) for v in values])
    prelu = dml.ActivationParameterizedRelu(input_tensor=source.desc, slope_tensor=slopes.desc)
    inputs = {"input_tensor": source, "slope_tensor": slopes}
    run_close_integers(prelu, inputs, [v if v >= 0 else wrap(3 * v, data_type) for v in values])
    gradient = dml.ActivationReluGrad(input_tensor=source.desc, input_gradient_tensor=slopes.desc)
    inputs = {"input_tensor": source, "input_gradient_tensor": slopes}
    run_close_integers(gradient, inputs, [3 if v > 0 else 0 for v in values])
    shrink = dml.ActivationShrink(input_tensor=source.desc, bias=1.5, threshold=4.0)
    cut = [int(v - 1.5) if v > 4 else int(v + 1.5) if v < -4 else 0 for v in values]
    run_close_integers(shrink, {"input_tensor": source}, cut)


def run_close_integers(operator: dml.Operator, inputs: Any, expected: list[int]) -> None:
    output = operator.points("output")[0].name
    for device in DEVICES:
        result = place(operator.tensor(output), Random(3))
        before = snapshot(result)
        dispatch(operator, inputs, {output: result}, device)
        assert_exact(result, before, {(i,): v for i, v in enumerate(expected)})


@given(randoms, st.sampled_from(WITHOUT_FLOAT64), st.integers(1, 8))
def test_add__is_exact_and_wraps(random: Random, data_type: str, rank: int) -> None:
    """One rounding of the exact sum for floats, two's complement for integers."""
    sizes = random_sizes(random, rank)
    a, b = (
        place_filled(random_desc(random, data_type, sizes, broadcast=True), random, tensor_of(sizes, random, data_type))
        for _ in range(2)
    )
    operator = dml.ElementWiseAdd(a_tensor=a.desc, b_tensor=b.desc, output_tensor=random_desc(random, data_type, sizes))
    left, right = a.values(), b.values()
    expected = {i: _rounded(left[i] + right[i], data_type) for i in left}
    for device in DEVICES:
        result = place(operator.output_tensor, random)
        before = snapshot(result)
        dispatch(operator, {"a_tensor": a, "b_tensor": b}, {"output_tensor": result}, device)
        assert_close(result, before, expected, 0) if is_float(data_type) else assert_exact(result, before, expected)


def _rounded(value: Any, data_type: str) -> Any:
    return round_float(value, data_type) if is_float(data_type) else wrap(value, data_type)


@pytest.mark.parametrize("name", [n for n in ACTIVATIONS if OPERATORS[f"ACTIVATION_{n}"].fusable])
@settings(max_examples=8)
@given(random=randoms)
def test_add1__fuses_every_activation(name: str, random: Random) -> None:
    """a + b and then the activation, rounded once at the end."""
    sizes, how = random_sizes(random, 3), parameters(name, random)
    values = [{i: random.randint(-400, 400) / 64 for i in tensor_of(sizes, random, "FLOAT32")} for _ in range(2)]
    a, b = (place_filled(random_desc(random, "FLOAT32", sizes), random, v) for v in values)
    operator = dml.ElementWiseAdd1(
        a_tensor=a.desc, b_tensor=b.desc, fused_activation={"Type": name, "Desc": pascal_keys(how)}
    )
    expected = {i: ACTIVATIONS[name](values[0][i] + values[1][i], **how) for i in values[0]}
    near = 1e-5 if name in ("LINEAR", "HARD_SIGMOID", "SHRINK") else 0.0
    run_close(operator, {"a_tensor": a, "b_tensor": b}, expected, random, ULP.get(name, 0), near)


def pascal_keys(how: dict[str, float]) -> dict[str, float]:
    return {"".join(word.capitalize() for word in key.split("_")): value for key, value in how.items()}


@given(randoms, st.sampled_from(WITHOUT_FLOAT64), st.booleans(), st.booleans())
def test_clip__holds_between(random: Random, data_type: str, newer: bool, scales: bool) -> None:
    """max(Min, min(x, Max)) after the scale and bias; limits of whole-number tensors are whole."""
    sizes = random_sizes(random, random.randint(1, 8))
    source = place_filled(
        random_desc(random, data_type, sizes, broadcast=True), random, tensor_of(sizes, random, data_type)
    )
    low, high = sorted(random.randint(0, 100) for _ in range(2))
    scale_bias = (float(random.randint(-2, 3)), float(random.randint(-9, 9))) if scales else None
    shared: dict[str, Any] = {
        "input_tensor": source.desc,
        "output_tensor": random_desc(random, data_type, sizes),
        "scale_bias": scale_bias,
    }
    if newer:
        operator: dml.Operator = dml.ElementWiseClip1(**shared, min_max_data_type=data_type, min=low, max=high)
    else:
        operator = dml.ElementWiseClip(**shared, min=low + 0.75 * (not is_float(data_type)), max=high)
    scale, bias = scale_bias or (1.0, 0.0)
    expected = {}
    for i, x in source.values().items():
        moved = x if scale_bias is None else x * scale + bias
        expected[i] = max(low, min(moved, high))
    for device in DEVICES:
        result = place(operator.tensor("output_tensor"), random)
        before = snapshot(result)
        dispatch(operator, {"input_tensor": source}, {"output_tensor": result}, device)
        if is_float(data_type):
            assert_close(result, before, expected, ulp=1, absolute=1e-2 if scales else 0)
        else:
            assert_exact(result, before, {i: int(v) for i, v in expected.items()})


@pytest.mark.parametrize("output_type", ["UINT8", "UINT32"])
@given(random=randoms, data_type=st.sampled_from(WITHOUT_FLOAT64))
def test_less_than__is_one_or_zero(output_type: str, random: Random, data_type: str) -> None:
    sizes = random_sizes(random, random.randint(1, 8))
    a = place_filled(random_desc(random, data_type, sizes, broadcast=True), random, tensor_of(sizes, random, data_type))
    near = {i: v if random.random() < 0.3 else random_value(random, data_type) for i, v in a.values().items()}
    b = place_filled(random_desc(random, data_type, sizes), random, near)
    operator = dml.ElementWiseLogicalLessThan(
        a_tensor=a.desc, b_tensor=b.desc, output_tensor=random_desc(random, output_type, sizes)
    )
    left, right = a.values(), b.values()
    for device in DEVICES:
        result = place(operator.output_tensor, random)
        before = snapshot(result)
        dispatch(operator, {"a_tensor": a, "b_tensor": b}, {"output_tensor": result}, device)
        assert_exact(result, before, {i: int(left[i] < right[i]) for i in left})


@pytest.mark.parametrize("output_type", ["UINT8", "INT8"])
@pytest.mark.parametrize("input_type", ["FLOAT32", "INT32", "FLOAT16"])
@settings(max_examples=14)
@given(random=randoms, centred=st.booleans())
def test_quantize__rounds_halves_to_even_and_saturates(
    output_type: str, input_type: str, random: Random, centred: bool
) -> None:
    sizes, (low, high) = random_sizes(random, random.randint(1, 5)), integer_range(output_type)
    scale_type = "FLOAT32" if input_type == "INT32" else input_type
    half_steps = {i: random.randint(-900, 900) for i in tensor_of(sizes, random, "INT32")}
    scale = 2.0 ** random.randint(0, 3) * (2 if input_type == "INT32" else 1)
    xs = {i: int(k * scale / 2) if input_type == "INT32" else k * scale / 2 for i, k in half_steps.items()}
    x = place_filled(random_desc(random, input_type, sizes), random, xs)
    scales = place_filled(random_desc(random, scale_type, sizes, broadcast=True), random, dict.fromkeys(xs, scale))
    zero = random.randint(low, high) if centred else 0
    zeros = place_filled(random_desc(random, output_type, sizes, broadcast=True), random, dict.fromkeys(xs, zero))
    inputs = {"input_tensor": x, "scale_tensor": scales} | ({"zero_point_tensor": zeros} if centred else {})
    operator = dml.ElementWiseQuantizeLinear(
        **{name: placed.desc for name, placed in inputs.items()}, output_tensor=random_desc(random, output_type, sizes)
    )
    expected = {i: quantize(v, scale, zero, output_type) for i, v in x.values().items()}
    for device in DEVICES:
        result = place(operator.output_tensor, random)
        before = snapshot(result)
        dispatch(operator, inputs, {"output_tensor": result}, device)
        assert_exact(result, before, expected)


def convert_once(value: Callable[[], float]) -> float:
    return float(convert(value(), "FLOAT64", "FLOAT16"))


def test_float16__is_rounded_once() -> None:
    """Half precision in, single precision inside, one rounding out: ELU of a value where two would differ."""
    operator = dml.ActivationElu(input_tensor=dml.TensorDesc("FLOAT16", [64]), alpha=1.0)
    source = -np.linspace(0.001, 8, 64).astype(np.float16)
    result = np.zeros(64, np.float16)
    dml.Device().compile(operator)(input_tensor=source, output_tensor=result)
    assert result.tolist() == [convert_once(lambda x=x: math.expm1(float(x))) for x in source]
