"""Moves through NumPy: for small tensors, for what no kernel does, and where llvmlite is missing."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core.layout import Layout

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class View:
    """A layout as NumPy sees it."""

    sizes: tuple[int, ...]
    strides_bytes: tuple[int, ...]
    offset_bytes: int
    dtype: np.dtype[np.generic]
    first_byte: int
    """Where the lowest element starts."""
    end_byte: int
    """Where the highest element ends."""

    def of(self, data: Bytes) -> npt.NDArray[np.generic]:
        """The elements, inside an array that is a whole buffer."""
        return np.ndarray(self.sizes, self.dtype, data, self.offset_bytes, self.strides_bytes)

    def check(self, data: Bytes, is_written: bool = False) -> None:
        """Refuses anything that is not a buffer, or is too small for the elements."""
        if not data.flags.c_contiguous or (is_written and not data.flags.writeable):
            kind = "that may be written to" if data.flags.c_contiguous else "without gaps"
            raise ValueError(f"buffer: found strides {data.strides} and {_access(data)}, expected one {kind}")
        if self.first_byte < 0 or self.end_byte > data.nbytes:
            raise ValueError(
                f"buffer: found {data.nbytes} bytes, expected one with bytes {self.first_byte} to {self.end_byte}"
            )

    def at(self, address: int) -> npt.NDArray[np.generic]:
        """The elements of a buffer in memory."""
        memory = _memory(address + self.first_byte, self.end_byte - self.first_byte)
        offset = self.offset_bytes - self.first_byte
        return np.ndarray(self.sizes, self.dtype, memory, offset, self.strides_bytes)


def bytes_at(address: int, size: int) -> Bytes:
    """Memory as an array."""
    return np.ndarray((size,), np.uint8, _memory(address, size))


def _access(data: Bytes) -> str:
    return "write access" if data.flags.writeable else "read access only"


def _memory(address: int, size: int) -> Any:
    return (ctypes.c_char * size).from_address(address)


@lru_cache(maxsize=4096)
def view(layout: Layout, dtype: np.dtype[np.generic]) -> View:
    item = dtype.itemsize
    strides = tuple(stride * item for stride in layout.strides)
    reaches = [(size - 1) * stride for size, stride in zip(layout.sizes, strides, strict=True)]
    offset = layout.offset * item
    first = offset + sum(reach for reach in reaches if reach < 0)
    end = offset + sum(reach for reach in reaches if reach > 0) + item
    return View(layout.sizes, strides, offset, dtype, first, end)
