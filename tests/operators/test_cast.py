"""CAST between every pair of types, specials and saturation included, against conversion on plain numbers."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

import anydml as dml
from anydml.runtime.moves import engine
from tests.operators.layouts import ALL_TYPES, random_desc, random_value
from tests.operators.memory import DEVICES, assert_exact, dispatch, place, place_filled, snapshot
from tests.oracle.numbers import convert, integer_range, is_float, round_float

POWERS = [2**bits + extra for bits in (7, 8, 15, 16, 31, 32, 63, 64) for extra in (-1, 0, 1)]
EDGES = [float(sign * power) for sign in (1, -1) for power in POWERS]
FLOATS = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 255.5, 65504.0, 65520.0, 1e-8, 1e38, 1e300, math.inf, -math.inf, *EDGES]


def values_of(data_type: str, random: Random) -> list[float | int]:
    if is_float(data_type):
        special = [round_float(value, data_type) for value in FLOATS]
        return special + [random_value(random, data_type) for _ in range(40)]
    low, high = integer_range(data_type)
    inside = [int(value) for value in FLOATS if math.isfinite(value) and low <= value <= high]
    ties = [v for v in (2**24 + 1, 2**24 + 3, 2**53 + 1, 2**60 + 2**36, 2049, 2051) if v <= high]
    return [low, high, high - 1, *inside, *ties, *(random_value(random, data_type) for _ in range(40))]


@pytest.mark.parametrize("small", [0, 2**20], ids=["kernels", "NumPy"])
@pytest.mark.parametrize("destination", ALL_TYPES)
@pytest.mark.parametrize("source", ALL_TYPES)
def test_cast__every_pair(source: str, destination: str, small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through both ways a move can go: kernels (where llvmlite is there), and NumPy."""
    monkeypatch.setattr(engine, "SMALL_BYTES", small)
    random = Random(f"{source} {destination}")
    values = values_of(source, random)
    sizes = (len(values), 1)
    given = place_filled(random_desc(random, source, sizes), random, {(k, 0): v for k, v in enumerate(values)})
    operator = dml.Cast(input_tensor=given.desc, output_tensor=random_desc(random, destination, sizes))
    expected = {i: convert(v, source, destination) for i, v in given.values().items()}
    for device in DEVICES:
        result = place(operator.output_tensor, random)
        before = snapshot(result)
        dispatch(operator, {"input_tensor": given}, {"output_tensor": result}, device)
        assert_exact(result, before, expected)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("destination", ALL_TYPES)
@pytest.mark.parametrize("source", ["FLOAT16", "FLOAT32", "FLOAT64"])
def test_cast__nan_is_nan_or_zero(source: str, destination: str, device: str) -> None:
    operator = dml.Cast(input_tensor=dml.TensorDesc(source, [3]), output_tensor=dml.TensorDesc(destination, [3]))
    given = np.full(3, np.nan, operator.input_tensor.data_type.numpy_dtype)
    result = np.ones(8, operator.output_tensor.data_type.numpy_dtype)
    dml.Device(device).compile(operator)(input_tensor=np.append(given, given), output_tensor=result)
    assert np.isnan(result[:3]).all() if is_float(destination) else not result[:3].any()
    assert (result[3:] == 1).all()


def test_convert__the_documented_choices() -> None:
    """The oracle's own rules, spelt out: toward zero, held in range, NaN 0, low bits, nearest even."""
    assert [convert(v, "FLOAT32", "INT8") for v in (1.9, -1.9, 200.0, -200.0, math.nan)] == [1, -1, 127, -128, 0]
    assert [convert(v, "INT32", "UINT8") for v in (256, -1, 511)] == [0, 255, 255]
    assert [convert(v, "UINT8", "INT8") for v in (127, 128, 255)] == [127, -128, -1]
    assert [convert(v, "INT32", "FLOAT32") for v in (2**24 + 1, 2**24 + 3)] == [2.0**24, 2.0**24 + 4]
    assert [convert(v, "FLOAT32", "FLOAT16") for v in (65519.0, 65520.0)] == [65504.0, math.inf]
    assert convert(2**60 + 2**36 + 1, "INT64", "FLOAT32") == 2.0**60 + 2.0**37
