"""Values that are stored: each is the number it was, or refused; the definitions are Python's exact arithmetic."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anydml as dml
from tests.core.checks import error_of, violations_of
from tests.oracle.numbers import integer_range, round_float, round_integer_to_float

INTEGERS = [kind for kind in dml.DataType if not kind.is_float]
FLOATS = [kind for kind in dml.DataType if kind.is_float]
NUMBERS = (
    st.integers(-(2**70), 2**70)
    | st.sampled_from([limit + step for kind in INTEGERS for limit in integer_range(kind.name) for step in (-1, 0, 1)])
    | st.floats(width=64)
    | st.fractions(-300, 300, max_denominator=4)
)


def stored(kind: dml.DataType, values: Any) -> Any:
    """What lies in memory after values were stored there, in the shape of one tensor."""
    desc, memory = dml.TensorDesc(kind, [2, 2]), bytearray(32)
    desc.store(memory, values)
    return desc.view(memory).tolist()


def refusal(kind: dml.DataType, values: Any) -> tuple[str, str]:
    memory = bytearray(b"\xa5" * 32)
    (found,) = violations_of(lambda: dml.TensorDesc(kind, [2, 2]).store(memory, values), dml.BindingError)
    assert memory == b"\xa5" * 32, "what is refused changes no memory"
    return found


def whole(number: Any) -> int | None:
    """The whole number that this is, exactly."""
    if isinstance(number, float) and not math.isfinite(number):
        return None
    exact = Fraction(number)
    return exact.numerator if exact.denominator == 1 else None


@pytest.mark.parametrize("kind", INTEGERS, ids=lambda kind: kind.name)
@given(NUMBERS)
def test_integers__hold_whole_numbers_in_range_and_no_others(kind: dml.DataType, number: Any) -> None:
    low, high = integer_range(kind.name)
    exact = whole(number)
    if exact is not None and low <= exact <= high:
        assert stored(kind, number) == stored(kind, [[number], [number]]) == [[exact, exact], [exact, exact]]
    else:
        assert refusal(kind, number) == refusal(kind, [[number, number]] * 2) == ("values.range", "values")


@pytest.mark.parametrize("kind", FLOATS, ids=lambda kind: kind.name)
@given(st.integers(-(2**63), 2**63 - 1) | st.floats(width=64))
def test_floats__hold_the_nearest_and_make_nothing_infinite(kind: dml.DataType, number: float) -> None:
    rounds = round_integer_to_float if isinstance(number, int) else round_float
    nearest = rounds(number, kind.name)  # type: ignore[operator]
    if math.isinf(nearest) and math.isfinite(number):
        assert refusal(kind, number) == ("values.range", "values")
    else:
        np.testing.assert_array_equal(stored(kind, [number]), np.full((2, 2), nearest))


@pytest.mark.parametrize(
    ("kind", "values", "exact"),
    [
        ("INT8", [True, np.int64(-128)], [1, -128]),
        ("UINT64", [2**64 - 1, 0], [2**64 - 1, 0]),
        ("INT64", [2**53 + 1, 1.0], [2**53 + 1, 1]),
        ("UINT64", np.array([2**64 - 1, 3], object), [2**64 - 1, 3]),
        ("INT32", np.array([2.0, -7.0], np.float16), [2, -7]),
        ("INT16", np.arange(2, dtype=">i4"), [0, 1]),
        ("INT4", [-8, 7.0], [-8, 7]),
        ("FLOAT64", [2**64, Fraction(1, 4)], [2.0**64, 0.25]),
        ("FLOAT32", [math.inf, Decimal("-Infinity")], [math.inf, -math.inf]),
    ],
)
def test_numbers_of_every_kind__are_exact(kind: str, values: Any, exact: list[Any]) -> None:
    assert stored(dml.DataType[kind], values) == [exact, exact]


NO_NUMBERS: list[tuple[Any, str]] = [
    (1j, "values.numbers"),
    ("7", "values.numbers"),
    ([b"7"], "values.numbers"),
    ([None, 1], "values.numbers"),
    ([Decimal("sNaN"), 1], "values.numbers"),
    (np.datetime64("2020-01-01"), "values.numbers"),
    (np.zeros(2, "f4,i4"), "values.numbers"),
    (None, "values.array"),
    (object(), "values.array"),
    ({1, 2}, "values.array"),
    ([[1], [2, 3]], "values.array"),
    (itertools.count(), "values.array"),
    (range(10**15), "values.array"),
    ([1, 2, 3], "store.shape"),
    (np.zeros((1, 2, 2)), "store.shape"),
    (np.zeros((0, 2)), "store.shape"),
    (np.broadcast_to(np.int64(1), (1 << 20, 1 << 30)), "store.shape"),
]


@pytest.mark.parametrize("kind", ["INT8", "UINT4", "FLOAT16", "UINT64"])
@pytest.mark.parametrize(("values", "rule"), NO_NUMBERS, ids=lambda each: str(each)[:20])
def test_what_is_no_number__is_refused(values: Any, rule: str, kind: str) -> None:
    assert refusal(dml.DataType[kind], values) == (rule, "values")


def test_deep_and_endless_lists__are_refused() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    own: list[Any] = [1]
    own.append(own)
    for values in (deep, [deep, 1], own):
        assert refusal(dml.DataType.INT8, values)[0] in ("values.array", "values.numbers", "store.shape")


@pytest.mark.parametrize(
    ("kind", "values"),
    [("INT8", [300.0, 2.5, math.nan, -math.inf]), ("UINT4", [-1, 16, 3, 0.5]), ("FLOAT16", [1e5, -1e39, 2, 10**30])],
)
def test_advice__is_followed_step_by_step(kind: str, values: list[Any]) -> None:
    """What the error says of a value is where it is, and doing what it advises leads to a tensor in the end."""
    desc, memory, array = dml.TensorDesc(kind, [4]), bytearray(16), np.array(values, np.float64)
    for _ in range(8):
        try:
            desc.store(memory, array)
            break
        except dml.BindingError:
            (violation,) = error_of(lambda: desc.store(memory, array)).violations
            place = int(violation.found.rpartition("[")[2].rstrip("]"))
            array[place] = eval(
                str(violation.fix).replace("...", repr(array[place])), {"np": np, "nan": math.nan, "inf": math.inf}
            )
    else:
        raise AssertionError(array)
    assert np.isfinite(desc.view(memory)).all()
