"""Values from outside as elements of a data type: what the type has no number for is refused, and never changed."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core.datatype import DataType
from anydml.core.errors import DmlError, InvalidDescriptionError, Violation, shown
from anydml.core.fixes import Fix
from anydml.core.outside import answer, as_integer, as_number, told
from anydml.core.rules import rule

Array = npt.NDArray[Any]

READABLE = rule("values.array", "Values are numbers in lists of one length, or an array.")
NUMBERS = rule("values.numbers", "Values are real numbers.")
RANGE = rule(
    "values.range",
    "Values fit their data type: whole numbers in its range for integers, none that would become infinite for floats.",
)
SHAPE = rule("store.shape", "Stored values have the tensor's sizes, or broadcast to them.")
_WHOLE, _REAL = "bui", "buif"
"""NumPy's kinds of numbers: booleans and integers, and floats besides."""
_KINDS = {"c": "complex numbers", "M": "dates", "m": "times", "S": "bytes", "U": "texts", "V": "records"}


def as_array(values: Any, path: str, error: type[DmlError] = InvalidDescriptionError) -> Array:
    """Values as an array, which shares their memory where they are one; an error where they are none."""
    try:
        array = np.asarray(values)
    except Exception as reason:  # NumPy asks objects of anybody, and they may fail in any way; or too much is asked for
        found = shown(values) if isinstance(values, (list, tuple)) else f"{type(values).__name__} ({told(reason)})"
        fix = "lists of one length, or an array"
        raise error(READABLE(path, found, "numbers, or an array of them", fix)) from None
    if array.ndim == 0 and array.dtype.hasobject and as_number(array[()]) is None:
        raise error(READABLE(path, shown(values), "numbers, or an array of them", "np.array(list(...))"))
    return array


def as_elements(
    values: Any,
    kind: DataType,
    path: str,
    error: type[DmlError] = InvalidDescriptionError,
    sizes: tuple[int, ...] | None = None,
) -> Array:
    """Values as elements of a type, each the nearest number that it has; 4-bit elements have a byte each.

    Refused are fractions and numbers out of range where the type is an integer, NaN and infinities among them; where
    it is a float, finite numbers that are too large for it. Where sizes are given, values broadcast to those.
    """
    array = as_array(values, path, error)
    if sizes is not None and not _broadcasts(array.shape, sizes):
        found, expected = f"an array of shape {array.shape}", f"{sizes}, or what broadcasts to it"
        raise error(SHAPE(path, found, expected))
    if array.dtype == np.float64 and isinstance(values, (list, tuple)) and not kind.is_float:
        array = np.array(values, object)  # of integers beyond 63 bits NumPy makes floats
    if array.dtype == kind.numpy_dtype and not kind.is_packed_pair:
        return array
    if array.dtype.kind == "O":
        array = _of_objects(array, kind, path, error)
    if array.dtype.kind not in _REAL:
        found = f"{_KINDS.get(array.dtype.kind, 'values')} of type {array.dtype.name}"
        raise error(NUMBERS(path, found, "real numbers", _fix_of(array)))
    with np.errstate(all="ignore"):
        elements = array.astype(kind.numpy_dtype)
        unfit = _overflowing(array, elements) if kind.is_float else _unfit(array, kind)
    if unfit is not None and unfit.any():
        index = tuple(int(i) for i in np.argwhere(unfit)[0])
        raise error(_out_of_range(array[index], index, kind, path))
    return elements


def _broadcasts(shape: tuple[int, ...], sizes: tuple[int, ...]) -> bool:
    pairs = zip(reversed(shape), reversed(sizes), strict=False)
    return len(shape) <= len(sizes) and all(own in (1, wanted) for own, wanted in pairs)


def _of_objects(array: Array, kind: DataType, path: str, error: type[DmlError]) -> Array:
    """Python's numbers in an array of objects: integers of any size, and what else is a number."""
    numbers: list[Any] = []
    for index, value in zip(np.ndindex(array.shape), array.flat, strict=True):
        number = as_number(value)
        if number is None:
            raise error(NUMBERS(path, _at(shown(value), index), "real numbers", "np.array(..., np.float32) of numbers"))
        whole = _whole(value, number)
        is_too_large = np.isinf(number) and not answer(partial(_equal, value, number), True)
        if is_too_large or not (kind.is_float or (whole is not None and _fits(whole, kind))):
            raise error(_out_of_range(value, index, kind, path))
        numbers.append(number if kind.is_float else whole)
    return np.array(numbers, np.float64 if kind.is_float else kind.numpy_dtype).reshape(array.shape)


def _equal(value: Any, number: float) -> bool:
    return bool(value == number)


def _whole(value: Any, number: float) -> int | None:
    """The whole number that a value is, if it is one: 3, and 3.0, too."""
    whole = as_integer(value)
    return int(number) if whole is None and number.is_integer() else whole


def _fits(number: int, kind: DataType) -> bool:
    low, high = kind.range
    return low <= number <= high


def _overflowing(array: Array, elements: Array) -> Array | None:
    """Which finite values became infinite."""
    if array.dtype.kind == "f" and array.dtype.itemsize <= elements.dtype.itemsize:
        return None
    found: Array = np.isinf(elements) & np.isfinite(array)
    return found


def _unfit(array: Array, kind: DataType) -> Array | None:
    """Which values are no whole number in the range of an integer type."""
    low, high = kind.range
    if array.dtype.kind in _WHOLE:
        if not array.size or (low <= int(array.min()) and int(array.max()) <= high):
            return None
        widest = np.uint64 if array.dtype.kind == "u" else np.int64
        least, most = (min(max(limit, int(np.iinfo(widest).min)), int(np.iinfo(widest).max)) for limit in (low, high))
        whole = array.astype(widest)
        outside: Array = (whole < widest(least)) | (whole > widest(most))
        return outside
    wide = array if array.dtype.itemsize > 8 else array.astype(np.float64)
    # 2^63 and 2^64 are floats, the largest 64-bit integers are not: compare with the first value too large.
    found: Array = ~((wide >= float(low)) & (wide < float(high + 1)) & (wide == np.trunc(wide)))
    return found


def _out_of_range(value: Any, index: tuple[int, ...], kind: DataType, path: str) -> Violation:
    """A value that a type has no number for, with its place."""
    whole = as_integer(value)
    if whole is not None and whole.bit_length() > 64:
        found = _at(f"a number of {whole.bit_length()} bits", index)
    else:
        found = _at(shown(value.item() if isinstance(value, np.generic) else value), index)
    if kind.is_float:
        limit = float(np.finfo(kind.numpy_dtype).max)  # type: ignore[type-var]
        return RANGE(path, found, f"at most {limit} ({kind.name})", f"np.clip(..., {-limit}, {limit})")
    low, high = kind.range
    fix = f"np.clip(..., {low}, {high})"
    if whole is None:
        fix = (
            "np.rint(...)"
            if low <= (as_number(value) or 0) <= high
            else f"np.clip(np.nan_to_num(np.rint(...)), {low}, {high})"
        )
    return RANGE(path, found, f"whole numbers from {low} to {high} ({kind.name})", fix)


def _at(found: str, index: tuple[int, ...]) -> str:
    return f"{found} at {list(index)}" if index else found


def _fix_of(array: Array) -> Fix | str | None:
    """How what is stored becomes numbers."""
    if array.dtype.kind == "c":
        return "its .real or its .imag"
    if array.dtype.kind in "SU":
        return "np.array(..., float) where the texts spell numbers"
    return "np.array(..., np.float32) of numbers"
