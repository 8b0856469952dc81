"""Comparing: ULP distances by their definition, and a comparison that can fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anydml as dml
from anydml.files.compare import FAR, compare, ulp_distance


def distance(a: Any, b: Any, dtype: Any) -> int:
    return int(ulp_distance(np.array([a], dtype), np.array([b], dtype))[0])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_distance__counts_numbers_in_between(dtype: Any) -> None:
    one, zero, infinity = dtype(1), dtype(0), dtype(np.inf)
    tiny = np.nextafter(zero, one)
    assert distance(one, one, dtype) == 0
    assert distance(one, np.nextafter(one, infinity), dtype) == 1
    assert distance(zero, -zero, dtype) == 0
    assert distance(-tiny, tiny, dtype) == 2
    assert distance(np.finfo(dtype).max, infinity, dtype) == 1
    assert distance(np.nan, np.nan, dtype) == 0
    assert distance(np.nan, one, dtype) == int(FAR)
    bits = np.dtype(dtype).itemsize * 8
    assert distance(-infinity, infinity, dtype) == 2 * int(np.array(infinity).view(f"u{bits // 8}"))


@given(st.floats(width=16, allow_nan=False), st.integers(0, 60))
def test_distance__is_the_number_of_steps(start: float, steps: int) -> None:
    value = np.float16(start)
    taken = 0
    for _ in range(steps):
        after = np.nextafter(value, np.float16(np.inf))
        taken += int(after != value)
        value = after
    assert distance(start, value, np.float16) == taken


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_distance__of_integers_is_their_difference(a: int, b: int) -> None:
    assert distance(a, b, np.int64) == abs(a - b)
    assert distance(a + 2**63, b + 2**63, np.uint64) == abs(a - b)


def test_compare__can_fail_and_says_where() -> None:
    found = np.array([1, 2, 3, np.nan], np.float32)
    expected = np.array([1, 2.0000002, 4, 0], np.float32)
    result = compare(found, expected, 0, 0, 0)
    assert not result.is_equal and result.mismatches == 3
    assert [entry.index for entry in result.first] == [1, 2, 3]
    assert "[1] found 2.0, expected 2.000000238418579, 1 ULP away" in "\n".join(result.lines())
    assert "not a number on one side" in result.lines()[0]
    assert compare(found, expected, 1, 0, 0).mismatches == 2
    assert compare(found, expected, 0, 1, 0).mismatches == 1
    assert compare(found, expected, 0, 0, 0.25).mismatches == 1


def test_compare__of_equal_values_is_equal() -> None:
    values = np.array([np.inf, -np.inf, np.nan, 0.1], np.float16)
    result = compare(values, values.reshape(2, 2), 0, 0, 0)
    assert result.is_equal and result.lines() == ["4 elements, 0 mismatches, 0 ULP at most"]


@pytest.mark.parametrize(
    ("expected", "rule"), [(np.zeros(3, np.float32), "compare.size"), (np.zeros(4), "compare.type")]
)
def test_compare__refuses_other_sizes_and_types(expected: Any, rule: str) -> None:
    with pytest.raises(dml.ModelError, match=rule):
        compare(np.zeros(4, np.float32), expected, 0, 0, 0)
