"""The comparers can fail: a comparer that cannot is no test."""

from __future__ import annotations

import math
from random import Random

import pytest

import anydml as dml
from tests.operators.memory import GUARD, assert_exact, place, place_filled, snapshot
from tests.operators.ulp import assert_close, distance, ordered


def test_distance__counts_floats_between() -> None:
    assert distance(1.0, 1.0, "FLOAT32") == 0
    assert distance(1 + 2**-23, 1.0, "FLOAT32") == 1
    assert distance(1 - 2**-24, 1.0, "FLOAT32") == 1
    assert distance(1 + 2**-10, 1.0, "FLOAT16") == 1
    assert distance(-(2.0**-149), 2.0**-149, "FLOAT32") == 2
    assert distance(0.0, -0.0, "FLOAT64") == 0
    assert distance(math.inf, 3.4028234663852886e38, "FLOAT32") == 1
    assert distance(math.nan, math.nan, "FLOAT32") == 0
    assert distance(math.nan, 1.0, "FLOAT32") == math.inf == distance(1.0, math.nan, "FLOAT32")


def test_distance__rounds_the_oracle_to_the_type_first() -> None:
    assert distance(0.10000000149011612, 0.1, "FLOAT32") == 0


def test_ordered__is_monotonic() -> None:
    values = [-math.inf, -2.0, -1.0, -1e-3, 0.0, 1e-3, 1.0, 65504.0, math.inf]
    places = [ordered(value, "FLOAT16") for value in values]
    assert places == sorted(places) and len(set(places)) == len(places)


def test_assert_close__fails_beyond_the_limit() -> None:
    placed = place_filled(dml.TensorDesc("FLOAT32", [2]), Random(0), {(0,): 1.0, (1,): 1 + 2**-22})
    expected = {(0,): 1.0, (1,): 1.0}
    assert_close(placed, snapshot(placed), expected, ulp=2)
    assert_close(placed, snapshot(placed), expected, ulp=0, absolute=1e-6)
    with pytest.raises(AssertionError, match="2 ULP of 1"):
        assert_close(placed, snapshot(placed), expected, ulp=1)


@pytest.mark.parametrize("offset", [0, GUARD - 1, GUARD + 4, -1])
def test_comparers__fail_when_a_guard_byte_changed(offset: int) -> None:
    random = Random(1)
    placed = place(dml.TensorDesc("FLOAT32", [2], [2]), random)
    placed = place_filled(placed.desc, random, {(0,): 1.0, (1,): 2.0})
    before = snapshot(placed)
    placed.memory[offset] ^= 1
    with pytest.raises(AssertionError, match="outside the elements"):
        assert_exact(placed, before, {(0,): 1.0, (1,): 2.0})
    with pytest.raises(AssertionError, match="outside the elements"):
        assert_close(placed, before, {(0,): 1.0, (1,): 2.0}, ulp=1000)


def test_assert_exact__fails_on_one_bit() -> None:
    placed = place_filled(dml.TensorDesc("UINT8", [3]), Random(2), {(0,): 1, (1,): 2, (2,): 3})
    assert_exact(placed, snapshot(placed), {(0,): 1, (1,): 2, (2,): 3})
    with pytest.raises(AssertionError, match="elements differ"):
        assert_exact(placed, snapshot(placed), {(0,): 1, (1,): 2, (2,): 2})
