"""Pointwise operators where documents are silent or differ: known values of what docs/errata.md says."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import anydml as dml
from tests.operators.memory import DEVICES
from tests.operators.test_errata import rules, run, tensor

INF, NAN = math.inf, math.nan
on_devices = pytest.mark.parametrize("device", DEVICES)


def unary(cls: Any, kind: str, given: list[Any], device: str, **attributes: Any) -> Any:
    operator = cls(input_tensor=tensor(kind, len(given)), **attributes)
    return run(operator, device, input_tensor=given).tolist()


def binary(cls: Any, kind: str, a: list[Any], b: list[Any], device: str) -> Any:
    operator = cls(a_tensor=tensor(kind, len(a)), b_tensor=tensor(kind, len(b)))
    return run(operator, device, a_tensor=a, b_tensor=b).tolist()


def same(found: list[Any], wanted: list[Any]) -> bool:
    """Equal, NaN included, and zeros of one sign."""
    return str([float(x) for x in found]) == str([float(x) for x in wanted])


def test_same__can_fail() -> None:
    assert same([NAN, -0.0, 1], [NAN, -0.0, 1.0])
    assert not same([0.0], [-0.0]) and not same([NAN], [0.0]) and not same([1.0], [2.0])


# Arithmetic


@on_devices
def test_divide__of_integers_cuts_off(device: str) -> None:
    """By 0 it is 0, and the lowest integer by -1 is itself."""
    a, b = [7, -7, 7, -7, 5, -128], [2, 2, -2, -2, 0, -1]
    assert binary(dml.ElementWiseDivide, "INT8", a, b, device) == [3, -3, -3, 3, 0, -128]


@on_devices
def test_divide__of_64_bit_integers_is_exact(device: str) -> None:
    large = 2**63 - 25
    assert binary(dml.ElementWiseDivide, "INT64", [large, -large], [1, 3], device) == [large, -(large // 3)]
    assert binary(dml.ElementWiseDivide, "UINT64", [2**64 - 1], [10], device) == [(2**64 - 1) // 10]


@on_devices
def test_modulus__has_the_sign_of_dividend_or_divisor(device: str) -> None:
    a, b = [7, -7, 7, -7, 5, -128], [3, 3, -3, -3, 0, -1]
    assert binary(dml.ElementWiseModulusTruncate, "INT8", a, b, device) == [1, -1, 1, -1, 0, 0]
    assert binary(dml.ElementWiseModulusFloor, "INT8", a, b, device) == [1, 2, -2, -1, 0, 0]
    a, b = [5.5, -5.5, 5.5, 1.0, INF, 3.0], [2.0, 2.0, -2.0, 0.0, 2.0, INF]
    truncated = binary(dml.ElementWiseModulusTruncate, "FLOAT32", a, b, device)
    assert same(truncated, [1.5, -1.5, 1.5, NAN, NAN, 3.0])
    floored = binary(dml.ElementWiseModulusFloor, "FLOAT32", a, b, device)
    assert same(floored, [1.5, 0.5, -0.5, NAN, NAN, 3.0])
    assert binary(dml.ElementWiseModulusFloor, "FLOAT32", [-3.0], [INF], device) == [INF]


@on_devices
def test_mean__never_overflows(device: str) -> None:
    top = 2**31 - 1
    a, b = [top, -(2**31), 7, -7, -3], [top, -(2**31), 0, 0, 2]
    assert binary(dml.ElementWiseMean, "INT32", a, b, device) == [top, -(2**31), 3, -3, 0]
    assert binary(dml.ElementWiseMean, "UINT32", [2**32 - 1, 2**32 - 1], [2**32 - 1, 0], device) == [2**32 - 1, top]
    largest, smallest = float(np.finfo(np.float32).max), 2.0**-149
    floats = binary(dml.ElementWiseMean, "FLOAT32", [largest, smallest, INF], [largest, 3 * smallest, -INF], device)
    assert same(floats, [largest, 2 * smallest, NAN])


@on_devices
def test_sign__of_nan_and_zeros_is_zero(device: str) -> None:
    assert same(unary(dml.ElementWiseSign, "FLOAT32", [NAN, -0.0, 0.0, -INF, 1e-45], device), [0, 0, 0, -1, 1])
    assert unary(dml.ElementWiseSign, "UINT8", [0, 255], device) == [0, 1]


@on_devices
def test_lowest_integer__has_no_positive_counterpart(device: str) -> None:
    assert unary(dml.ElementWiseAbs, "INT8", [-128, -127, 127], device) == [-128, 127, 127]
    assert unary(dml.ElementWiseNegate, "INT64", [-(2**63), 5], device) == [-(2**63), -5]
    assert same(unary(dml.ElementWiseNegate, "FLOAT32", [0.0, -0.0], device), [-0.0, 0.0])


# Powers


def power(kinds: tuple[str, str], x: list[Any], exponents: list[Any], device: str, **rest: Any) -> Any:
    operator = dml.ElementWisePow(
        input_tensor=tensor(kinds[0], len(x)), exponent_tensor=tensor(kinds[1], len(x)), **rest
    )
    return run(operator, device, input_tensor=x, exponent_tensor=exponents).tolist()


@on_devices
def test_pow__of_integers_is_exact_and_wraps(device: str) -> None:
    x, e = [3, -3, 7, 2, 2, 0], [20, 19, 40, 31, 32, 0]
    wanted = [(v**k + 2**31) % 2**32 - 2**31 for v, k in zip(x, e, strict=True)]
    assert power(("INT32", "UINT8"), x, e, device) == wanted
    assert power(("UINT8", "UINT32"), [3, 255], [2**32 - 1, 2**32 - 1], device) == [pow(3, 2**32 - 1, 256), 255]


@on_devices
def test_pow__negative_exponents_of_integers_cut_off(device: str) -> None:
    found = power(("INT32", "INT32"), [1, -1, -1, 2, -5, 0], [-3, -3, -4, -1, -1, -1], device)
    assert found == [1, -1, 1, 0, 0, 0]


@on_devices
def test_pow__of_an_integer_and_a_float_is_cut_off_and_held(device: str) -> None:
    found = power(("INT8", "FLOAT32"), [4, 2, -2, 3, 100, -1], [0.5, -1, 3, 1.5, 2, 0.5], device)
    assert found == [2, 0, -8, 5, 127, 0]


@on_devices
def test_pow__of_a_negative_number(device: str) -> None:
    """Whole exponents are fine; fractions give NaN, also for minus infinity."""
    x = [-2.0, -2.0, -2.0, -INF, -INF, -0.0, -1.0, -2.0]
    e = [3.0, 2.0, 0.5, 0.5, 3.0, 0.5, INF, NAN]
    assert same(power(("FLOAT32", "FLOAT32"), x, e, device), [-8, 4, NAN, NAN, -INF, 0.0, 1.0, NAN])
    assert same(unary(dml.ElementWiseConstantPow, "FLOAT32", [-INF, -4, 4], device, exponent=0.5), [NAN, NAN, 2])
    assert same(unary(dml.ElementWiseConstantPow, "FLOAT32", [-INF, -1, 4], device, exponent=1.5), [NAN, NAN, 8])


@on_devices
def test_pow__with_an_integer_exponent_knows_odd_from_even(device: str) -> None:
    """2^24 + 1 is odd, and no 32-bit float."""
    assert power(("FLOAT32", "INT32"), [-1.0, -1.0], [2**24 + 1, 2**24], device) == [-1, 1]


@on_devices
def test_pow__to_the_power_0_is_1(device: str) -> None:
    given = [NAN, 0.0, -0.0, INF, -3.0]
    assert unary(dml.ElementWiseConstantPow, "FLOAT32", given, device, exponent=0.0) == [1] * 5
    assert power(("FLOAT16", "FLOAT32"), given, [0.0] * 5, device) == [1] * 5


@on_devices
def test_pow__scales_the_input_alone(device: str) -> None:
    assert power(("FLOAT32", "FLOAT32"), [1.0], [2.0], device, scale_bias=(2, 1)) == [9]


def test_pow__types_differ_from_3_0() -> None:
    four = (1, 1, 1, 4)
    operator = dml.ElementWisePow(input_tensor=tensor("FLOAT32", *four), exponent_tensor=tensor("FLOAT16", *four))
    assert rules(operator, "2.1") == ["pow.exponent-type"] and rules(operator, "3.0") == []


# Bits


@on_devices
def test_shifts__by_the_width_or_more_leave_nothing(device: str) -> None:
    assert binary(dml.ElementWiseBitShiftLeft, "UINT8", [255, 255, 255], [7, 8, 200], device) == [128, 0, 0]
    assert binary(dml.ElementWiseBitShiftRight, "UINT64", [2**64 - 1] * 3, [63, 64, 2**40], device) == [1, 0, 0]


@on_devices
def test_bits__of_floats_are_their_own(device: str) -> None:
    """Signs, exponents and payloads of NaNs: bits like others."""
    assert same(unary(dml.ElementWiseBitNot, "FLOAT16", [0.0], device), [NAN])
    assert same(binary(dml.ElementWiseBitXor, "FLOAT32", [1.0], [-1.0], device), [-0.0])
    assert same(binary(dml.ElementWiseBitAnd, "FLOAT64", [-1.5], [1.5], device), [1.5])
    counted = dml.ElementWiseBitCount(input_tensor=tensor("INT8", 2), output_tensor=tensor("UINT32", 2))
    assert run(counted, device, input_tensor=[-1, -128]).tolist() == [8, 1]


@on_devices
def test_if__keeps_bits(device: str) -> None:
    """Also those of a signalling NaN of half precision, which arithmetic would make quiet."""
    operator = dml.ElementWiseIf(
        condition_tensor=tensor("UINT8", 2), a_tensor=tensor("FLOAT16", 2), b_tensor=tensor("FLOAT16", 2)
    )
    noisy, output = np.array([0x7D01, 0xFD02], np.uint16).view(np.float16), np.zeros(2, np.float16)
    given = {"condition_tensor": np.array([255, 0, 0, 0], np.uint8), "a_tensor": noisy, "b_tensor": noisy}
    dml.Device(device).compile(operator)(**given, output_tensor=output)
    assert output.view(np.uint16).tolist() == [0x7D01, 0xFD02]


def test_if__has_the_types_of_its_table() -> None:
    def broken(kind: str, level: str) -> list[str]:
        parts = {name: tensor(kind, 1, 1, 1, 1) for name in ("a_tensor", "b_tensor")}
        return rules(dml.ElementWiseIf(condition_tensor=tensor("UINT8", 1, 1, 1, 1), **parts), level)

    assert broken("FLOAT16", "2.0") == [] and set(broken("INT32", "2.1")) == {"tensor.data-type"}
    assert broken("INT32", "3.0") == []


# Rounding, limits, comparison


@on_devices
def test_round__toward_infinity_is_to_nearest_with_halves_away_from_zero(device: str) -> None:
    given = [0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, 8388609.0, -0.2, INF, NAN]
    rounded = unary(dml.ElementWiseRound, "FLOAT32", given, device, rounding_mode="TOWARD_INFINITY")
    assert same(rounded, [1, -1, 2, 3, -3, 0, 8388609, -0.0, INF, NAN])
    even = unary(dml.ElementWiseRound, "FLOAT32", given[:5], device)
    assert same(even, [0, -0.0, 2, 2, -2])


@on_devices
def test_clip_gradient__is_0_at_the_limits(device: str) -> None:
    """Limits are those that CLIP holds to: whole for integers, and half precision for FLOAT16."""

    def gradient(kind: str, x: list[Any], low: float, high: float) -> Any:
        parts = {name: tensor(kind, len(x)) for name in ("input_tensor", "input_gradient_tensor")}
        operator = dml.ElementWiseClipGrad(**parts, min=low, max=high)
        return run(operator, device, input_tensor=x, input_gradient_tensor=[9] * len(x)).tolist()

    assert gradient("FLOAT32", [-1, -0.5, 0, 2, NAN], -1, 2) == [0, 9, 9, 0, 0]
    assert gradient("INT8", [-2, -1, 0, 1, 2, 3], -1.9, 2.9) == [0, 0, 9, 9, 0, 0]
    assert gradient("FLOAT16", [0.1, 0.0999], 0.05, 0.1) == [0, 9]


@on_devices
def test_threshold__cuts_limits_of_whole_numbers(device: str) -> None:
    assert unary(dml.ElementWiseThreshold, "INT8", [-5, -1, 3], device, min=-1.9) == [-1, -1, 3]
    assert same(unary(dml.ElementWiseThreshold, "FLOAT32", [NAN, -INF, 3], device, min=-1.5), [NAN, -1.5, 3])


@on_devices
def test_scale_bias__of_integers_comes_before_the_function(device: str) -> None:
    """-100 * 2 + 0.5 is held at -128, and the magnitude of that is itself."""
    assert unary(dml.ElementWiseAbs, "INT8", [-100, -3, 3], device, scale_bias=(2, 0.5)) == [-128, 5, 6]


@on_devices
def test_is_infinity__in_each_mode(device: str) -> None:
    given = [INF, -INF, NAN, 1.0]
    for mode, wanted in (("EITHER", [1, 1, 0, 0]), ("POSITIVE", [1, 0, 0, 0]), ("NEGATIVE", [0, 1, 0, 0])):
        assert unary(dml.ElementWiseIsInfinity, "FLOAT32", given, device, infinity_mode=mode) == wanted
    assert not dml.ElementWiseIsInfinity.in_place


@on_devices
@pytest.mark.parametrize("output", ["UINT8", "UINT32"])
def test_logic__writes_ones_and_zeros(output: str, device: str) -> None:
    """Any number but 0 is true; the result is 1 whatever was given."""
    a, b = [0, 0, 200, 3], [0, 5, 0, 128]
    assert binary(dml.ElementWiseLogicalAnd, output, a, b, device) == [0, 0, 0, 1]
    assert binary(dml.ElementWiseLogicalOr, output, a, b, device) == [0, 1, 1, 1]
    assert binary(dml.ElementWiseLogicalXor, output, a, b, device) == [0, 1, 1, 0]
    assert unary(dml.ElementWiseLogicalNot, output, a, device) == [1, 1, 0, 0]


def test_less_than_or_equal__came_with_3_0() -> None:
    parts = {name: tensor("FLOAT32", 1, 1, 1, 1) for name in ("a_tensor", "b_tensor")}
    assert rules(dml.ElementWiseLogicalLessThanOrEqual(**parts), "2.1") == ["operator.level"]


# Angles


@on_devices
def test_atan_yx__at_the_origin_and_at_infinity(device: str) -> None:
    y, x = [0.0, 0.0, -0.0, INF, -INF, 1.0, -1.0], [0.0, -0.0, -1.0, INF, -INF, 0.0, -INF]
    found = binary(dml.ElementWiseAtanYx, "FLOAT32", y, x, device)
    assert np.allclose(found, [math.atan2(a, b) for a, b in zip(y, x, strict=True)], rtol=1e-6)


# Quantization


@on_devices
def test_quantize__does_not_round_the_quotient(device: str) -> None:
    """Quotients next to a half, which 32-bit floats would round onto it."""
    assert np.float32(0.35) / np.float32(0.1) == 3.5 and float(np.float32(0.35)) / float(np.float32(0.1)) < 3.5

    def quantize(kind: str, x: list[Any], scale: float) -> Any:
        parts = {"input_tensor": tensor(kind, len(x)), "scale_tensor": tensor("FLOAT32", len(x))}
        operator = dml.ElementWiseQuantizeLinear(**parts, output_tensor=tensor("UINT8", len(x)))
        return run(operator, device, input_tensor=x, scale_tensor=[scale] * len(x)).tolist()

    assert quantize("FLOAT32", [0.35], 0.1) == [3]
    assert quantize("INT32", [2**25 + 1, 2**25], 2.0**26) == [1, 0]


@on_devices
def test_dequantize__subtracts_exactly(device: str) -> None:
    operator = dml.ElementWiseDequantizeLinear(
        input_tensor=tensor("UINT32", 2), scale_tensor=tensor("FLOAT32", 2), zero_point_tensor=tensor("UINT32", 2)
    )
    given = {"input_tensor": [2**32 - 1, 0], "zero_point_tensor": [2**32 - 6, 2**32 - 1], "scale_tensor": [0.5, 1]}
    assert run(operator, device, **given).tolist() == [2.5, -(2.0**32)]
    assert rules(operator.replace(zero_point_tensor=None), "6.2") == []


def test_dequantize__zero_point_is_optional_from_6_2() -> None:
    operator = dml.ElementWiseDequantizeLinear(input_tensor=tensor("UINT8", 4), scale_tensor=tensor("FLOAT32", 4))
    assert rules(operator, "6.2") == [] and rules(operator, "6.1") == ["tensor.required"]


def quantized_add(sizes: tuple[int, ...], scale_sizes: tuple[int, ...], zeros: bool = True) -> Any:
    sides = ("a", "b", "output")
    scales = {f"{side}_scale_tensor": tensor("FLOAT32", *scale_sizes) for side in sides}
    points = {f"{side}_zero_point_tensor": tensor("INT8", *scale_sizes) for side in sides} if zeros else {}
    values = {name: tensor("INT8", *sizes) for name in ("a_tensor", "b_tensor", "output_tensor")}
    return dml.ElementWiseQuantizedLinearAdd(**values, **scales, **points)


@on_devices
def test_quantized_add__rounds_once(device: str) -> None:
    """(5 * 0.1 + 5 * 0.1) / 2 is a half as a 32-bit float, but 0.1 was rounded up: the exact quotient is above it."""
    operator = quantized_add((2, 2), (1, 1), zeros=False)
    scales = {"a_scale_tensor": [0.1], "b_scale_tensor": [0.1], "output_scale_tensor": [2]}
    found = run(operator, device, a_tensor=[[5, 5], [0, 127]], b_tensor=[[5, 4], [0, 127]], **scales)
    assert found.tolist() == [[1, 0], [0, 13]]


def test_quantized_add__has_single_scales() -> None:
    assert rules(quantized_add((2, 3), (1, 1))) == []
    assert set(rules(quantized_add((2, 3), (2, 1)))) == {"tensor.sizes"}
    assert rules(quantized_add((2, 3), (1,)))[0] == "same.rank"
