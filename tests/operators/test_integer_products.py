"""Products of quantized numbers against plain integers, and quantization against its own inverse."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import anydml as dml
from tests.operators.arrays import WAYS, Array, described, outputs_of
from tests.operators.test_errata import rules

RANGES = {"int8": (-128, 127), "uint8": (0, 255)}


def numbers(seed: int, data_type: str, *sizes: int) -> Array:
    """Integers of the whole range; for wide types, of the ends too."""
    info = np.iinfo(data_type)
    random = np.random.default_rng([seed, *sizes])
    return random.integers(info.min, info.max, sizes, data_type, endpoint=True)


def scales(seed: int, *sizes: int) -> Array:
    return np.random.default_rng([seed, *sizes]).choice([0.25, 0.5, 1, 2], sizes).astype(np.float32)


def exact(a: Array, b: Array, a_zero: Array | None, b_zero: Array | None) -> Array:
    """The product in Python's integers; zero points broadcast as {rows, 1} and {columns}."""
    left, right = a.astype(object), b.astype(object)
    if a_zero is not None:
        left = left - a_zero.astype(object).reshape(-1, 1)
    if b_zero is not None:
        right = right - b_zero.astype(object).reshape(-1)
    return np.asarray(left @ right)


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("a_zeros", [None, (1,), (3,), (3, 1), (1, 3, 1)])
@pytest.mark.parametrize("b_zeros", [None, (1,), (2,), (1, 2), (1, 1, 2)])
def test_integer_product__is_exact(a_zeros: Any, b_zeros: Any, device: str) -> None:
    for first, second in (("int8", "uint8"), ("uint8", "int8")):
        given: dict[str, Any] = {
            "a_tensor": numbers(1, first, 2, 3, 4),
            "a_zero_point_tensor": None if a_zeros is None else numbers(2, first, *a_zeros),
            "b_tensor": numbers(3, second, 2, 4, 2),
            "b_zero_point_tensor": None if b_zeros is None else numbers(4, second, *b_zeros),
        }
        operator = dml.MatrixMultiplyInteger(**described(given))
        found = outputs_of(operator, given, device)["output_tensor"]
        expected = exact(*(given[f"{name}_tensor"] for name in ("a", "b", "a_zero_point", "b_zero_point")))
        assert found.dtype == np.int32 and np.array_equal(found, expected)


@pytest.mark.parametrize("device", WAYS)
def test_integer_product__wraps_at_32_bits(device: str) -> None:
    count = 2**31 // 255**2 + 7
    given = {"a_tensor": np.full((1, count), 255, np.uint8), "b_tensor": np.full((count, 1), 255, np.uint8)}
    found = outputs_of(dml.MatrixMultiplyInteger(**described(given)), given, device)["output_tensor"]
    assert found[0, 0] == 255**2 * count - 2**32


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("data_type", ["int8", "uint8", "int16", "uint16", "int32", "uint32"])
def test_integer_product_to_float__scales_rows_and_columns(data_type: str, device: str) -> None:
    given: dict[str, Any] = {
        "a_tensor": numbers(1, data_type, 3, 4),
        "a_scale_tensor": scales(2, 3, 1),
        "a_zero_point_tensor": numbers(3, data_type, 1, 1),
        "b_tensor": numbers(4, data_type, 4, 2),
        "b_scale_tensor": scales(5, 1, 2),
        "b_zero_point_tensor": numbers(6, data_type, 1, 2),
        "bias_tensor": scales(7, 3, 2),
    }
    found = outputs_of(dml.MatrixMultiplyIntegerToFloat(**described(given)), given, device)["output_tensor"]
    product = exact(*(given[f"{name}_tensor"] for name in ("a", "b", "a_zero_point", "b_zero_point")))
    for (i, j), whole in np.ndenumerate(product):
        factor = Fraction(float(given["a_scale_tensor"][i, 0])) * Fraction(float(given["b_scale_tensor"][0, j]))
        expected = float(whole * factor + Fraction(float(given["bias_tensor"][i, j])))
        # Sums of large products cancel: the error is that of the terms.
        assert abs(found[i, j] - expected) <= 1e-6 * abs(expected) + 1e-12 * np.iinfo(data_type).max ** 2


def requantized(value: Fraction, scale: Fraction, zero_point: int, data_type: str) -> int:
    low, high = RANGES[data_type]
    return min(max(round(value / scale) + zero_point, low), high)  # Python rounds halves to even


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("data_type", RANGES)
def test_quantized_product__rounds_once_and_saturates(data_type: str, device: str) -> None:
    for output_scale in (0.5, 8.0, 8192.0):
        given: dict[str, Any] = {
            "a_tensor": numbers(1, data_type, 5, 4),
            "a_scale_tensor": scales(2, 5, 1),
            "a_zero_point_tensor": numbers(3, data_type, 5, 1),
            "b_tensor": numbers(4, data_type, 4, 6),
            "b_scale_tensor": scales(5, 1, 6),
            "b_zero_point_tensor": numbers(6, data_type, 1, 1),
            "output_scale_tensor": np.full((5, 1), output_scale, np.float32),
            "output_zero_point_tensor": numbers(8, data_type, 1, 1),
        }
        found = outputs_of(dml.QuantizedLinearMatrixMultiply(**described(given)), given, device)["output_tensor"]
        product = exact(*(given[f"{name}_tensor"] for name in ("a", "b", "a_zero_point", "b_zero_point")))
        for (i, j), whole in np.ndenumerate(product):
            factor = Fraction(float(given["a_scale_tensor"][i, 0])) * Fraction(float(given["b_scale_tensor"][0, j]))
            zero_point = int(given["output_zero_point_tensor"][0, 0])
            assert found[i, j] == requantized(whole * factor, Fraction(output_scale), zero_point, data_type)


def convolution_fields(spatial: int) -> dict[str, Any]:
    """Two groups, strides, dilations, and padding that differs at both ends."""
    rows = {"strides": (1, 2), "dilations": (2, 1), "start_padding": (1, 0), "end_padding": (0, 2)}
    return {name: values[:spatial] for name, values in rows.items()} | {"group_count": 2}


def convolved(x: Array, weights: Array, how: dict[str, Any]) -> Array:
    """The groups' convolution of numbers whose zero points are off, in Python's integers; padding is 0."""
    spatial = x.ndim - 2
    pads = [(0, 0), (0, 0), *zip(how["start_padding"], how["end_padding"], strict=True)]
    x = np.pad(x, pads)
    extents = [1 + (k - 1) * d for k, d in zip(weights.shape[2:], how["dilations"], strict=True)]
    rows = zip(x.shape[2:], extents, how["strides"], strict=True)
    result = np.zeros((x.shape[0], weights.shape[0], *((n - e) // s + 1 for n, e, s in rows)), object)
    depth, per_group = weights.shape[1], weights.shape[0] // how["group_count"]
    for index in np.ndindex(result.shape):
        start = index[1] // per_group * depth
        window = [
            slice(i * s, i * s + e, d)
            for i, s, e, d in zip(index[2:], how["strides"], extents, how["dilations"], strict=True)
        ]
        result[index] = np.sum(x[(index[0], slice(start, start + depth), *window)] * weights[index[1]])
    assert spatial == len(how["strides"])
    return result


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("spatial", [1, 2])
def test_integer_convolution__is_exact(spatial: int, per_channel: bool, device: str) -> None:
    how = convolution_fields(spatial)
    zeros = (1, 6, *(1,) * spatial) if per_channel else (1,) * (spatial + 2)
    given = {
        "input_tensor": numbers(1, "uint8", 2, 4, *(6, 5)[:spatial]),
        "input_zero_point_tensor": numbers(2, "uint8", *(1,) * (spatial + 2)),
        "filter_tensor": numbers(3, "int8", 6, 2, *(3, 2)[:spatial]),
        "filter_zero_point_tensor": numbers(4, "int8", *zeros),
    }
    found = outputs_of(dml.ConvolutionInteger(**described(given), **how), given, device)["output_tensor"]
    filter_zero = given["filter_zero_point_tensor"].astype(object).reshape(-1, 1, *(1,) * spatial)
    expected = convolved(
        given["input_tensor"].astype(object) - given["input_zero_point_tensor"].astype(object),
        given["filter_tensor"].astype(object) - filter_zero,
        how,
    )
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("spatial", [1, 2])
def test_quantized_convolution__adds_the_bias_in_steps_of_both_scales(spatial: int, device: str) -> None:
    how, ones = convolution_fields(spatial), (1,) * spatial
    given: dict[str, Any] = {
        "input_tensor": numbers(1, "int8", 2, 4, *(6, 5)[:spatial]),
        "input_scale_tensor": scales(2, 1),
        "input_zero_point_tensor": numbers(2, "int8", 1),
        "filter_tensor": numbers(3, "uint8", 6, 2, *(3, 2)[:spatial]),
        "filter_scale_tensor": scales(4, 6),
        "filter_zero_point_tensor": numbers(5, "uint8", 1, 6, *ones),
        "bias_tensor": np.random.default_rng(6).integers(-9999, 9999, (1, 6, *ones), np.int32),
        "output_scale_tensor": np.full((1,), 256, np.float32),
        "output_zero_point_tensor": numbers(8, "uint8", 1),
    }
    found = outputs_of(dml.QuantizedLinearConvolution(**described(given), **how), given, device)["output_tensor"]
    filter_zero = given["filter_zero_point_tensor"].astype(object).reshape(-1, 1, *ones)
    sums = convolved(
        given["input_tensor"].astype(object) - int(given["input_zero_point_tensor"][0]),
        given["filter_tensor"].astype(object) - filter_zero,
        how,
    )
    for index, whole in np.ndenumerate(sums):
        channel = index[1]
        steps = whole + int(given["bias_tensor"].ravel()[channel])
        factor = Fraction(float(given["input_scale_tensor"][0])) * Fraction(
            float(given["filter_scale_tensor"][channel])
        )
        zero_point = int(given["output_zero_point_tensor"][0])
        assert found[index] == requantized(steps * factor, Fraction(256), zero_point, "uint8")


def test_rows__are_before_the_last_dimension() -> None:
    given = {"a_tensor": numbers(1, "int8", 3, 4), "b_tensor": numbers(2, "int8", 4, 2)}
    for sizes, expected in (((3,), []), ((3, 1), []), ((1, 1), []), ((1, 3), ["quantization.rows"])):
        fields = described(given) | {"output_tensor": dml.TensorDesc("INT32", [3, 2])}
        operator = dml.MatrixMultiplyInteger(**fields, a_zero_point_tensor=dml.TensorDesc("INT8", sizes))
        assert rules(operator) == expected
