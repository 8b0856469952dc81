"""Distances between floats in units in the last place, and the comparer built on them."""

from __future__ import annotations

import math
import struct

import numpy as np

from tests.operators.memory import Placed, Tensor
from tests.oracle.numbers import round_float

_INTEGERS = {"FLOAT16": "h", "FLOAT32": "i", "FLOAT64": "q"}
_FLOATS = {"FLOAT16": "e", "FLOAT32": "f", "FLOAT64": "d"}


def ordered(value: float, data_type: str) -> int:
    """The float's place among all floats of its type; -0 and 0 share one."""
    bits = struct.unpack(_INTEGERS[data_type], struct.pack(_FLOATS[data_type], value))[0]
    lowest = -(1 << (8 * struct.calcsize(_INTEGERS[data_type]) - 1))
    return bits if bits >= 0 else lowest - bits


def distance(actual: float, expected: float, data_type: str) -> float:
    """ULP from the expected value, rounded to the type, to the actual one."""
    if math.isnan(actual) or math.isnan(expected):
        return 0 if math.isnan(actual) and math.isnan(expected) else math.inf
    return abs(ordered(actual, data_type) - ordered(round_float(expected, data_type), data_type))


def assert_close(placed: Placed, before: Placed, expected: Tensor, ulp: float, absolute: float = 0.0) -> None:
    """Every element within `ulp` units or `absolute` of the oracle, and no byte outside the elements changed."""
    kind, actual = placed.desc.data_type.name, placed.values()
    for index, value in expected.items():
        near = abs(actual[index] - value) <= absolute
        found = distance(actual[index], value, kind)
        assert near or found <= ulp, f"{index}: found {actual[index]!r}, expected {value!r}, {found} ULP of {ulp}"
    assert np.array_equal(placed.memory, before.with_values(actual)), "bytes outside the elements changed"
