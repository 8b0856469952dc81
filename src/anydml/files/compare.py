"""Comparing values with expected ones: distance in ULP, and what to call equal."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anydml.core.datatype import DataType, DataTypeLike
from anydml.core.errors import ModelError, counted, shown
from anydml.core.integers import require_integer
from anydml.core.rules import rule
from anydml.files import npy
from anydml.files.access import ARGUMENT, SOURCE, as_path, is_regular, what_is
from anydml.files.text import to_text

Array = np.ndarray[Any, Any]
SHAPE = rule("compare.size", "There are as many expected values as found ones.")
TYPE = rule("compare.type", "Expected values have the data type of those found.")
_LISTED = 8
_CHUNK = 1 << 18
_LARGEST_DISTANCE = (1 << 64) - 1
FAR = np.uint64(_LARGEST_DISTANCE)
"""The distance of a number from what is none."""


@dataclass(frozen=True)
class Mismatch:
    index: int
    found: float
    expected: float
    ulp: int


@dataclass(frozen=True)
class Comparison:
    count: int
    mismatches: int
    largest_ulp: int
    first: tuple[Mismatch, ...]
    """The first few."""

    @property
    def is_equal(self) -> bool:
        return self.mismatches == 0

    def lines(self) -> list[str]:
        ulp = "not a number on one side" if self.largest_ulp == int(FAR) else f"{self.largest_ulp} ULP at most"
        told = [f"{counted(self.count, 'element')}, {counted(self.mismatches, 'mismatch')}, {ulp}"]
        for each in self.first:
            away = "" if each.ulp == int(FAR) else f", {each.ulp} ULP away"
            told.append(f"  [{each.index}] found {_exact(each.found)}, expected {_exact(each.expected)}{away}")
        return told


def _exact(value: float) -> str:
    return repr(value) if isinstance(value, float) else to_text(value)


def read_expected(file: str | Path, data_type: DataTypeLike, count: int) -> Array:
    """The array of an .npy file, if it has this type and as many values: read only once its header says so."""
    wanted = DataType.parse(data_type, "data_type").numpy_dtype
    path = as_path(file, "file")
    if not is_regular(path):
        raise ModelError(SOURCE("", what_is(path), "an .npy file", "another path"))
    header = npy.read_header(path)
    _check(header.data_type.numpy_dtype, header.element_count, wanted, require_integer(count, "count"))
    return npy.read_array(path, header)


def _check(dtype: np.dtype[Any], count: int, wanted_dtype: np.dtype[Any], wanted_count: int) -> None:
    if dtype != wanted_dtype:
        fix = f"saving them as {wanted_dtype}"
        raise ModelError(TYPE("", f"values of {dtype}", f"{wanted_dtype} as the resource has", fix))
    if count != wanted_count:
        raise ModelError(SHAPE("", counted(count, "value"), f"{wanted_count} as the resource has"))


def compare(found: Array, expected: Array, ulp: int, absolute: float, relative: float) -> Comparison:
    """Elements agree when they are near in ULP, or near by the absolute and relative tolerance."""
    _check_arguments(found, expected, ulp, absolute, relative)
    _check(expected.dtype, expected.size, found.dtype, found.size)
    flat, wanted = found.reshape(-1), expected.reshape(-1)
    mismatches, largest = 0, 0
    first: list[Mismatch] = []
    # A few elements at a time: the distances of a small type take far more memory than its values.
    for start in range(0, flat.size, _CHUNK):
        a, b = flat[start : start + _CHUNK], wanted[start : start + _CHUNK]
        distances = ulp_distance(a, b)
        wrong = np.flatnonzero(~_near(a, b, distances, ulp, absolute, relative))
        mismatches, largest = mismatches + int(wrong.size), max(largest, int(distances.max()))
        for i in wrong[: _LISTED - len(first)]:
            first.append(Mismatch(start + int(i), a[i].item(), b[i].item(), int(distances[i])))
    return Comparison(flat.size, mismatches, largest, tuple(first))


def _check_arguments(found: object, expected: object, ulp: object, absolute: object, relative: object) -> None:
    for name, array in (("found", found), ("expected", expected)):
        if not (isinstance(array, np.ndarray) and _is_comparable(array.dtype)):
            raise ModelError(ARGUMENT(name, shown(array), "an array of numbers"))
    if not isinstance(ulp, (int, np.integer)) or not 0 <= ulp <= _LARGEST_DISTANCE:
        raise ModelError(ARGUMENT("ulp", shown(ulp), "a whole number from 0 to 2^64 - 1"))
    for name, number in (("absolute", absolute), ("relative", relative)):
        if not isinstance(number, (int, float, np.number)) or not 0 <= number < math.inf:
            raise ModelError(ARGUMENT(name, shown(number), "a number from 0"))


def _is_comparable(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "fiu" and dtype.itemsize <= 8 and dtype.isnative


def _near(a: Array, b: Array, distances: Array, ulp: int, absolute: float, relative: float) -> Array:
    near: Array = distances <= np.uint64(ulp)
    if absolute or relative:
        with np.errstate(all="ignore"):
            wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
            near |= np.abs(wide_a - wide_b) <= absolute + relative * np.abs(wide_b)
    return near


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
