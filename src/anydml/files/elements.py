"""Elements of a data type: numbers, arrays and the bytes they take in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from anydml.core import nibbles
from anydml.core.datatype import DataType
from anydml.core.memory import Bytes

Array = np.ndarray[Any, Any]
_CHUNK = 1 << 16


def to_array(values: Any, kind: DataType) -> Array:
    """Numbers as elements of a type; 4-bit elements have a byte each."""
    if not kind.is_float:
        return np.asarray(values, kind.numpy_dtype)
    numbers = values if isinstance(values, np.ndarray) else np.asarray(values, np.float64)
    result = np.empty(numbers.size, kind.numpy_dtype)
    with np.errstate(over="ignore"):
        for start in range(0, numbers.size, _CHUNK):
            chunk = numbers[start : start + _CHUNK].astype(np.float64)
            # DxDispatch rounds to 32 bits first, and so do we: a half rounded twice can differ from one rounded once.
            result[start : start + _CHUNK] = chunk if kind is DataType.FLOAT64 else chunk.astype(np.float32)
    return result


def to_bytes(array: Array, kind: DataType) -> Bytes:
    """The elements in memory; two 4-bit elements share a byte."""
    return nibbles.pack(array) if kind.is_packed_pair else np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def from_bytes(data: Bytes, kind: DataType) -> Array:
    """The elements that lie in these bytes, as many as are whole; a view, except for 4-bit types."""
    if kind.is_packed_pair:
        return nibbles.unpack(data, kind)
    whole = data.size - data.size % kind.element_bytes
    return data[:whole].view(kind.numpy_dtype)
