"""Elements as text for people: as DxDispatch prints them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from anydml.core.datatype import DataType

Array = np.ndarray[Any, Any]
_CHUNK = 1 << 16
_SHOWN_ELEMENTS = 1000


def to_text(value: int | float) -> str:
    """As C++ prints a number: six digits of a float, `nan`, `inf`."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def to_texts(array: Array) -> list[str]:
    values = array.reshape(-1).tolist()
    return [f"{value:g}" for value in values] if array.dtype.kind == "f" else list(map(str, values))


def text_chunks(values: Array) -> Iterator[list[str]]:
    """The texts of all elements, some at a time: a large array must not become one huge text."""
    for start in range(0, values.size, _CHUNK):
        yield to_texts(values[start : start + _CHUNK])


def bit_chunks(values: Array, kind: DataType) -> Iterator[list[int]]:
    """The bits of all elements as unsigned numbers, in the same chunks."""
    mask = (1 << kind.bits) - 1
    for start in range(0, values.size, _CHUNK):
        chunk = np.ascontiguousarray(values[start : start + _CHUNK])
        yield [bits & mask for bits in chunk.view(f"u{kind.element_bytes}").tolist()]


def to_rows(values: Array) -> str:
    """The elements in rows and brackets, the middle of a large array left out."""
    formatter: Any = {"all": lambda value: to_text(value.item())}
    return np.array2string(values, threshold=_SHOWN_ELEMENTS, separator=", ", max_line_width=100, formatter=formatter)
