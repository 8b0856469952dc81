"""Laws of normalization, quantization and optimizers, and of numbers that know their errors."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.cases.framework import Case, Operand, answer_of, make_case, number_of, numbers_of
from tests.cases.framework.arrays import answer_array, array, close, without
from tests.cases.normalization import response_of
from tests.cases.test_laws import assert_near, differences, plain
from tests.oracle import normalization
from tests.oracle.inexact import dot, lift, softmax, square_root, total
from tests.oracle.moves import Tensor
from tests.oracle.numbers import round_float
from tests.oracle.quantized import quantize_real

# Numbers with errors


@pytest.mark.parametrize("number", range(40))
def test_inexact__holds_what_single_precision_gives(number: int) -> None:
    """The same formula in NumPy's float32 stays within the bound; in another order too."""
    random = Random(number)
    numbers = [round_float(random.uniform(-3, 3), "FLOAT32") for _ in range(12)]
    single = [np.float32(v) for v in numbers]
    exact = [lift(v) for v in numbers]
    pairs = [
        (total(exact), sum(single, np.float32(0))),
        (total(exact), sum(reversed(single), np.float32(0))),
        (dot(numbers, exact), sum((v * v for v in single), np.float32(0))),
        (exact[0] * exact[1] - exact[2] / 3.0, single[0] * single[1] - single[2] / np.float32(3)),
        (square_root(exact[3] * exact[3] + 1.0), np.sqrt(single[3] * single[3] + np.float32(1))),
        (2.0 - exact[4] / (exact[5] * exact[5] + 1.0), np.float32(2) - single[4] / (single[5] ** 2 + np.float32(1))),
    ]
    powers = np.exp(np.array(single) - max(single))
    pairs += list(zip(softmax(exact), powers / powers.sum(), strict=True))
    for bounded, found in pairs:
        assert abs(bounded.value - float(found)) <= bounded.error


def test_inexact__is_not_loose() -> None:
    """A sum of a hundred numbers around 1 is known to five digits."""
    assert total([1.0] * 100).error < 2e-3 and (lift(1.0) * 3.0).error < 1e-6


# Normalization


@pytest.mark.parametrize("number", range(0, 24, 3))
def test_response_gradient__is_the_derivative(number: int) -> None:
    case = make_case("LOCAL_RESPONSE_NORMALIZATION_GRAD", number)
    sizes, how = case["input_tensor"].sizes, response_of(case)
    x, gradient = case["input_tensor"].values, case["input_gradient_tensor"].values
    found = answer_of(case)["output_gradient_tensor"]
    wanted = differences(lambda x: plain(normalization.local_response(x, sizes, how)), x, gradient)
    assert close(found, wanted, 1e-5)


SMALL_ONES = [number for number in range(0, 24, 3) if number % 10 != 6]
"""Cases that are not large."""


def batch_forward(case: Case, trains: bool, changed: dict[str, Tensor]) -> Tensor:
    """Batch normalization of a gradient's case, with statistics that are given, or those of the input."""
    sizes, small = case["input_tensor"].sizes, case["mean_tensor"].sizes
    given = {name: changed.get(name, case[f"{name}_tensor"].values) for name in ("input", "mean", "variance", "scale")}
    result = {}
    for at, group in normalization.grouped(given["input"], sizes, small).items():
        mean, variance = lift(given["mean"][at]), lift(given["variance"][at])
        if trains:
            mean, variance = normalization.statistics([given["input"][i] for i in group])
        for i in group:
            ready = normalization.standardized(lift(given["input"][i]), mean, variance, case["epsilon"])
            result[i] = number_of(ready) * given["scale"][at] + changed.get("bias", {}).get(at, 0.0)
    return result


@pytest.mark.parametrize(("operator", "number"), [*product(("", "_TRAINING"), SMALL_ONES)])
def test_batch_gradients__are_derivatives(operator: str, number: int) -> None:
    case = make_case(f"BATCH_NORMALIZATION{operator}_GRAD", number)
    trains = bool(operator)
    case = Case(case.operator, {**case.fields, "epsilon": 0.25})  # differences need a smooth function
    if trains:
        case = with_own_statistics(case)
    gradient = case["input_gradient_tensor"].values
    found = answer_of(case)
    zeros = dict.fromkeys(case["scale_tensor"].values, 0.0)
    for name, output, start in (
        ("input", "output_gradient_tensor", case["input_tensor"].values),
        ("scale", "output_scale_gradient_tensor", case["scale_tensor"].values),
        ("bias", "output_bias_gradient_tensor", zeros),
    ):
        wanted = differences(lambda t, name=name: batch_forward(case, trains, {name: t}), start, gradient)
        assert close(found[output], wanted, 1e-4), output


def with_own_statistics(case: Case) -> Case:
    """Mean and variance are those of the input, to the last digit."""
    x, small = case["input_tensor"], case["mean_tensor"].sizes
    groups = normalization.grouped(x.values, x.sizes, small).items()
    found = {at: normalization.statistics([x.values[i] for i in group]) for at, group in groups}
    tensors = {
        f"{name}_tensor": Operand.of("FLOAT64", small, {at: pair[place].value for at, pair in found.items()})
        for place, name in enumerate(("mean", "variance"))
    }
    return Case(case.operator, {**case.fields, **tensors})


def test_training__is_normalization_by_own_statistics() -> None:
    for number in numbers_of("BATCH_NORMALIZATION_TRAINING"):
        case = make_case("BATCH_NORMALIZATION_TRAINING", number)
        found = answer_of(case)
        small = case["scale_tensor"].sizes
        fields = {**without(case, "fused", "output"), "spatial": True, "output_tensor": case["output_tensor"]}
        for name in ("mean", "variance"):
            statistics = plain(found[f"output_{name}_tensor"])
            fields[f"{name}_tensor"] = Operand.of("FLOAT64", small, statistics)
        plain_case = Case(case.operator, without(case, "fused"))
        given = answer_of(Case("BATCH_NORMALIZATION", fields))["output_tensor"]
        assert close(given, answer_of(plain_case)["output_tensor"], 1e-7)


def test_mean_variance__of_numpy() -> None:
    for number in numbers_of("MEAN_VARIANCE_NORMALIZATION2"):
        case = make_case("MEAN_VARIANCE_NORMALIZATION2", number)
        x, axes = array(case["input_tensor"]), tuple(case["axes"])
        mean = x.mean(axes, keepdims=True) if case["use_mean"] else np.zeros_like(x)
        spread = np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + case["epsilon"])
        found = (x - mean) / (spread if case["use_variance"] else 1.0)
        bare = Case(case.operator, without(case, "fused", "scale", "bias"))
        assert close(answer_of(bare)["output_tensor"], found), number


def test_norms__are_1() -> None:
    for number in numbers_of("LP_NORMALIZATION"):
        case = make_case("LP_NORMALIZATION", number)
        found = answer_array(answer_of(case)["output_tensor"], case["input_tensor"].sizes)
        norms = np.linalg.norm(found, case["p"], case["axis"])
        assert np.all(np.isclose(norms, 1) | (norms == 0))


# Quantization


def test_dequantized_numbers__quantize_to_themselves() -> None:
    for number in numbers_of("DEQUANTIZE"):
        case = make_case("DEQUANTIZE", number)
        x, real = case["input_tensor"], answer_of(case)["output_tensor"]
        fields = {**case.fields, "input_tensor": Operand.of("FLOAT64", x.sizes, real)}
        fields["output_tensor"] = Operand(x.data_type, x.sizes)
        assert answer_of(Case("QUANTIZE", fields))["output_tensor"] == x.values


def test_quantized_numbers__dequantize_to_near_ones() -> None:
    """Not further off than half a scale, where nothing is held in range."""
    compared = 0
    for number in numbers_of("QUANTIZE"):
        case = make_case("QUANTIZE", number)
        x, kind = case["input_tensor"], case["output_tensor"].data_type
        codes = answer_of(case)["output_tensor"]
        if len(codes) < x.element_count:
            continue
        fields = {**case.fields, "input_tensor": Operand.of(kind, x.sizes, codes)}
        fields["output_tensor"] = Operand("FLOAT64", x.sizes)
        back = answer_of(Case("DEQUANTIZE", fields))["output_tensor"]
        low, high = min(codes.values()), max(codes.values())
        largest = max(case["quantization_tensors"][0].values.values())
        for i, v in x.values.items():
            if low < codes[i] < high:
                assert abs(back[i] - v) <= largest / 2 + 1e-9
                compared += 1
    assert compared > 100


def test_ranges__hold_every_number() -> None:
    """By the range of the input: no number is further off than a scale, and 0 is exact."""
    for number in numbers_of("DYNAMIC_QUANTIZE_LINEAR"):
        case = make_case("DYNAMIC_QUANTIZE_LINEAR", number)
        x, found = case["input_tensor"], answer_of(case)
        (scale,), (zero,) = (plain(found[f"output_{name}_tensor"]).values() for name in ("scale", "zero_point"))
        for i, code in found["output_tensor"].items():
            assert abs((code - zero) * scale - x.values[i]) <= scale * (1 + 1e-6)
            assert x.values[i] or code == zero


def test_blocks__of_one_element_are_single_scales() -> None:
    """A scale per element is what ELEMENT_WISE_QUANTIZE_LINEAR takes."""
    for number in range(24):
        case = make_case("ELEMENT_WISE_QUANTIZE_LINEAR", number)
        if case["input_tensor"].data_type == "INT32" or "zero_point_tensor" not in case.fields:
            continue
        tensors = [case["scale_tensor"], case["zero_point_tensor"]]
        fields = {name: case[name] for name in ("input_tensor", "output_tensor")}
        blocks = Case("QUANTIZE", {**fields, "quantization_type": "SCALE_ZERO_POINT", "quantization_tensors": tensors})
        assert answer_of(blocks) == answer_of(case)


def test_fractions__are_not_floats() -> None:
    """A product of scales that floats would round stays exact until the end."""
    third = round_float(1 / 3, "FLOAT32")
    assert quantize_real(Fraction(6), (third, 1.0), 0, "INT8") == 2
    assert quantize_real(Fraction(3), (0.5, 1.0), 0, "INT8") == 2, "a half goes to even"
    assert quantize_real(Fraction(9), (third, 2.0), 0, "INT8") is None, "floats may see a half or not"


# Optimizers


def test_adam__first_step_is_the_learning_rate() -> None:
    """From moments of 0, every parameter moves by the rate against its gradient, however large that is."""
    x = {(0, 0, 0, k): 1.0 for k in range(4)}
    gradient = {(0, 0, 0, k): v for k, v in enumerate((0.001, -5.0, 300.0, -0.25))}
    tensors = {
        "input_parameters_tensor": x,
        "gradient_tensor": gradient,
        "input_first_moment_tensor": dict.fromkeys(x, 0.0),
        "input_second_moment_tensor": dict.fromkeys(x, 0.0),
    }
    fields: dict[str, Any] = {name: Operand.of("FLOAT64", (1, 1, 1, 4), values) for name, values in tensors.items()}
    fields["training_step_tensor"] = Operand.of("FLOAT32", (1, 1, 1, 1), {(0, 0, 0, 0): 1.0})
    for name in ("parameters", "first_moment", "second_moment"):
        fields[f"output_{name}_tensor"] = Operand("FLOAT64", (1, 1, 1, 4))
    case = Case("ADAM_OPTIMIZER", {**fields, "learning_rate": 0.125, "beta1": 0.75, "beta2": 0.875, "epsilon": 0.0})
    found = plain(answer_of(case)["output_parameters_tensor"])
    assert_near(found, {i: 1 - math.copysign(0.125, gradient[i]) for i in x})
