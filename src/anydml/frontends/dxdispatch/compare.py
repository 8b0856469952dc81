"""Comparing a resource with expected values: distance in ULP, and what to call equal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anydml.core.errors import ModelError, counted
from anydml.core.rules import rule
from anydml.frontends.dxdispatch import npy
from anydml.frontends.dxdispatch.elements import to_text
from anydml.frontends.dxdispatch.files import SOURCE, is_regular

Array = np.ndarray[Any, Any]
_EXAMPLE = "dml.frontends.dxdispatch.compare.compare(np.zeros(4, np.float32), np.zeros({}), 0, 0, 0)"
SHAPE = rule("compare.size", "There are as many expected values as found ones.", _EXAMPLE.format("5, np.float32"))
TYPE = rule("compare.type", "Expected values have the data type of the resource.", _EXAMPLE.format("4, np.float64"))
_LISTED = 8
FAR = np.uint64((1 << 64) - 1)
"""The distance of a number from what is none."""


@dataclass(frozen=True)
class Comparison:
    count: int
    mismatches: int
    largest_ulp: int
    first: tuple[tuple[int, float, float, int], ...]
    """Index, found, expected and ULP of the first few mismatches."""

    @property
    def is_equal(self) -> bool:
        return self.mismatches == 0

    def lines(self) -> list[str]:
        ulp = "not a number on one side" if self.largest_ulp == int(FAR) else f"{self.largest_ulp} ULP at most"
        told = [f"{counted(self.count, 'element')}, {counted(self.mismatches, 'mismatch')}, {ulp}"]
        for index, found, expected, distance in self.first:
            away = "" if distance == int(FAR) else f", {distance} ULP away"
            told.append(f"  [{index}] found {_exact(found)}, expected {_exact(expected)}{away}")
        return told


def _exact(value: float) -> str:
    return repr(value) if isinstance(value, float) else to_text(value)


def read_expected(text: str) -> Array:
    """The array of an .npy file."""
    if not is_regular(Path(text)):
        what = "a folder" if Path(text).is_dir() else "no such file"
        raise ModelError(SOURCE("", what, "an .npy file", "another path"))
    return npy.read_array(Path(text))


def check_comparable(dtype: np.dtype[Any], count: int, expected: Array) -> None:
    """Whether expected values can be compared with so many of this type."""
    if expected.dtype != dtype:
        fix = f"saving them as {dtype}"
        raise ModelError(TYPE("", f"values of {expected.dtype}", f"{dtype} as the resource has", fix))
    if expected.size != count:
        raise ModelError(SHAPE("", counted(expected.size, "value"), f"{count} as the resource has"))


def compare(found: Array, expected: Array, ulp: int, absolute: float, relative: float) -> Comparison:
    """Elements agree when they are near in ULP, or near by the absolute and relative tolerance."""
    check_comparable(found.dtype, found.size, expected)
    found, expected = found.reshape(-1), expected.reshape(-1)
    distances = ulp_distance(found, expected)
    near = distances <= np.uint64(ulp)
    with np.errstate(all="ignore"):
        wide_found, wide_expected = found.astype(np.float64), expected.astype(np.float64)
        if absolute or relative:
            near |= np.abs(wide_found - wide_expected) <= absolute + relative * np.abs(wide_expected)
    wrong = np.flatnonzero(~near)
    first = tuple((int(i), found[i].item(), expected[i].item(), int(distances[i])) for i in wrong[:_LISTED])
    return Comparison(found.size, int(wrong.size), int(distances.max(initial=0)), first)


def ulp_distance(a: Array, b: Array) -> Array:
    """How many numbers of the type lie between; both zeros are one number, every NaN equals every other."""
    first, second = _ordered(a), _ordered(b)
    with np.errstate(over="ignore"):
        # Unsigned arithmetic wraps, so the difference is right however far the two are apart.
        apart = np.where(
            first > second,
            first.view(np.uint64) - second.view(np.uint64),
            second.view(np.uint64) - first.view(np.uint64),
        )
    if a.dtype.kind != "f":
        return apart
    not_a, not_b = np.isnan(a), np.isnan(b)
    return np.where(not_a & not_b, np.uint64(0), np.where(not_a | not_b, FAR, apart))


def _ordered(values: Array) -> Array:
    """Integers in the order of the numbers: the bits of a float count up from zero on both sides."""
    if values.dtype == np.uint64:
        return (values ^ np.uint64(1 << 63)).view(np.int64)
    if values.dtype.kind != "f":
        return values.astype(np.int64)
    bits = values.view(f"i{values.dtype.itemsize}").astype(np.int64)
    smallest = np.int64(np.iinfo(f"i{values.dtype.itemsize}").min)
    with np.errstate(over="ignore"):
        return np.where(bits < 0, smallest - bits, bits)
