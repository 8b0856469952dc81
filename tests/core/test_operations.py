"""What operations mean where processors differ or leave it open: known values, and laws of Python's integers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from anydml.core.functions import NUMPY
from anydml.core.operations import OPERATIONS

INTEGERS = [np.dtype(name) for name in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")]


def apply(op: str, *args: npt.NDArray[Any]) -> list[Any]:
    with np.errstate(all="ignore"):
        found = OPERATIONS[op].define(*args)
    assert found.dtype in (args[-1].dtype, np.bool_)
    values: list[Any] = found.tolist()
    return values


def pairs(dtype: np.dtype[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Every pair of some ordinary and all extreme integers."""
    limits = np.iinfo(dtype)
    chosen = sorted(
        {limits.min, limits.min + 1, limits.max, limits.max - 1, 0, 1, 2, 7, 100, *((-1, -3) * (limits.min < 0))}
    )
    a, b = np.meshgrid(np.array(chosen, dtype), np.array(chosen, dtype))
    return a.ravel(), b.ravel()


def wrapped(value: int, dtype: np.dtype[Any]) -> int:
    bits = 8 * dtype.itemsize
    low = value % (1 << bits)
    return low - (1 << bits) if dtype.kind == "i" and low >> (bits - 1) else low


def truncated(a: int, b: int) -> int:
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_division__of_integers(dtype: np.dtype[Any]) -> None:
    """By 0 everything is 0; the lowest by -1 is itself; quotient and remainder make up the dividend."""
    a, b = pairs(dtype)
    expected = {
        "truncate_divide": truncated,
        "fmod": lambda a, b: a - b * truncated(a, b) if b else 0,
        "floor_divide": lambda a, b: a // b if b else 0,
        "remainder": lambda a, b: a % b if b else 0,
    }
    for op, define in expected.items():
        assert apply(op, a, b) == [wrapped(define(int(x), int(y)), dtype) for x, y in zip(a, b, strict=True)], op


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_sums_and_signs__keep_low_bits(dtype: np.dtype[Any]) -> None:
    a, b = pairs(dtype)
    binary = {"add": int.__add__, "subtract": int.__sub__, "multiply": int.__mul__}
    for op, define in binary.items():
        assert apply(op, a, b) == [wrapped(define(int(x), int(y)), dtype) for x, y in zip(a, b, strict=True)], op
    assert apply("negative", a) == [wrapped(-int(x), dtype) for x in a]
    assert apply("absolute", a) == [wrapped(abs(int(x)), dtype) for x in a]


@pytest.mark.parametrize("dtype", [each for each in INTEGERS if each.kind == "u"], ids=str)
def test_shifts__beyond_the_width_leave_nothing(dtype: np.dtype[Any]) -> None:
    a, b = pairs(dtype)
    width = 8 * dtype.itemsize
    shifts = list(zip(a.tolist(), b.tolist(), strict=True))
    assert apply("left_shift", a, b) == [wrapped(x << y, dtype) if y < width else 0 for x, y in shifts]
    assert apply("right_shift", a, b) == [x >> y if y < width else 0 for x, y in shifts]
    assert apply("bitwise_count", a) == [bin(x).count("1") for x in a.tolist()]


@pytest.mark.parametrize("dtype", [np.dtype("i8"), np.dtype("i4"), np.dtype("u4")], ids=str)
def test_integer_power__keeps_low_bits_and_cuts_off(dtype: np.dtype[Any]) -> None:
    a, b = pairs(dtype)
    expected = []
    for x, e in zip(a.tolist(), b.tolist(), strict=True):
        inverse = x ** (e % 2) if abs(x) == 1 else 0
        expected.append(wrapped(pow(x, e, 1 << 64), dtype) if e >= 0 else inverse)
    assert apply("integer_power", a, b) == expected


def test_erf__is_that_of_c() -> None:
    """With the signs of zeros."""
    x = np.array([*np.linspace(-7, 7, 301), -math.inf, math.inf, -0.0, 0.0, 5e-324, -1e-300])
    exact = np.array([math.erf(value) for value in x])
    np.testing.assert_allclose(NUMPY.erf(x), exact, rtol=1e-14, atol=0)
    assert np.array_equal(np.signbit(NUMPY.erf(x)), np.signbit(exact))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sigmoid__keeps_the_digits_of_both_tails(dtype: type[np.floating[Any]]) -> None:
    """Where e^-x overflows, e^x does not: results may be denormal numbers."""
    x = np.array([*np.linspace(-103, 40, 500), -math.inf, math.inf, 0.0], dtype)
    exact = [
        math.exp(value) / (1 + math.exp(value)) if value < 0 else 1 / (1 + math.exp(-value)) for value in x.tolist()
    ]
    smallest = float(np.finfo(dtype).smallest_subnormal)
    np.testing.assert_allclose(apply("sigmoid", x), exact, rtol=4 * float(np.finfo(dtype).eps), atol=smallest)
    assert math.isnan(apply("sigmoid", np.array([math.nan], dtype))[0])


def test_gelu__is_x_times_half_of_erfc() -> None:
    x = np.array([*np.linspace(-37, 9, 400), -math.inf, math.inf, 0.0, -0.0])
    found = apply("gelu", x)
    for value, result in zip(x.tolist(), found, strict=True):
        held = max(value, -1e300) * (math.erfc(-value / math.sqrt(2)) / 2)
        assert math.isclose(result, held, rel_tol=1e-12, abs_tol=1e-300)
    assert math.isnan(NUMPY.gelu(np.array([np.nan]))[0])


def test_gelu__keeps_the_digits_of_the_lower_tail() -> None:
    """Single precision in and out: as good as rounding the exact value."""
    x = np.linspace(-13, 0, 300, dtype=np.float32)
    exact = np.array([float(v) * math.erfc(-float(v) / math.sqrt(2)) / 2 for v in x])
    spacing = np.spacing(abs(exact).astype(np.float32)).astype(np.float64)
    assert (abs(NUMPY.gelu(x) - exact) <= 0.5001 * spacing).all()


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_cast__from_floats_holds_the_range(dtype: np.dtype[Any]) -> None:
    limits = np.iinfo(dtype)
    values = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 1.9, -1.9, 0.0, float(limits.max), float(limits.min)])
    expected = []
    for value in values.tolist():
        whole = 0 if math.isnan(value) else value if math.isinf(value) else int(value)
        expected.append(int(min(max(whole, int(limits.min)), int(limits.max))))
    with np.errstate(all="ignore"):
        found = NUMPY.cast(values, dtype)
    assert found.dtype == dtype and found.tolist() == expected
