"""Memory of others: any buffer seen as a flat row of bytes, without a copy."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core.errors import BindingError, Violation, counted, raise_if_any, shown
from anydml.core.integers import read_integer
from anydml.core.outside import answer, told
from anydml.core.rules import rule

Bytes = npt.NDArray[np.uint8]
_SHORT = 60
_BYTES = re.compile(r"[@=<>!]?[?cbB]")
_NUMBERS = re.compile(r"[@=<>!]?(?:Z?[fd]|[hHiIlLqQnNeO])")
"""Formats of elements that NumPy reads as they are; it guesses at those of structures, and refuses pointers."""

NOT_A_BUFFER = rule(
    "buffer.kind", "A buffer is bytes, bytearray, memoryview, mmap, a NumPy array or a CPU tensor with __dlpack__."
)
NOT_CONTIGUOUS = rule(
    "buffer.contiguous",
    "A buffer's bytes lie in one piece, so that the tensor's own strides can say where elements are.",
)

NUMBER_TYPE = rule("buffer.data-type", "An array of numbers has the tensor's data type; bytes may hold anything.")
BUFFER_SHORT = rule("buffer.size", "A buffer reaches from the offset to the tensor's last element.")
BUFFER_ALIGNMENT = rule(
    "buffer.alignment", "A tensor starts at an address that its element, and its guaranteed alignment, divide."
)


def locate(
    buffer: Any, offset: object, size: int, element: int, promised: int = 0, described: Described | None = None
) -> Bytes:
    """`size` bytes of the buffer from this offset on, at an address that suits the element."""
    data = as_bytes(buffer, described=described)
    violations: list[Violation] = []
    start = read_integer(offset, "offset", violations)
    if start is None:
        raise BindingError(violations)
    if start < 0 or start + size > data.size:
        found = f"{data.size} bytes with offset {start}"
        fix = f"a buffer of {max(start, 0) + size} bytes or more" if start >= 0 else "an offset from 0 on"
        raise BindingError(BUFFER_SHORT("buffer", found, f"{size} bytes from the offset on", fix))
    address = address_of(data) + start
    if address % element:
        found = f"an element {counted(address % element, 'byte')} past a multiple of {element} (offset {start})"
        fix = f"an offset that is a multiple of {element}, in an aligned buffer"
        violations.append(BUFFER_ALIGNMENT("offset", found, f"a multiple of {element} bytes", fix))
    if promised and start % promised:
        fix = str(-(-start // promised) * promised)
        violations.append(BUFFER_ALIGNMENT("offset", start, f"a multiple of the guaranteed {promised} bytes", fix))
    raise_if_any(violations, BindingError)
    return data[start : start + size]


def as_bytes(
    buffer: Any,
    path: str = "buffer",
    described: Described | None = None,
    dtype: np.dtype[Any] | None = None,
    is_output: bool = False,
    in_order: bool = False,
) -> Bytes:
    """The buffer's memory as a one-dimensional uint8 array; writing to it writes to the buffer.

    An array that is not row-major, or not in one piece, is taken only where it is just what the tensor describes (its
    sizes and strides in bytes): with any other description its elements would be taken in the wrong order. Where a
    data type is asked for, numbers of another type are refused: they would be read as nonsense. Arrays of uint8 are
    bytes, whatever the tensor holds. `in_order` asks for row-major elements where nothing is known of the tensor.
    """
    # A subclass such as np.matrix would keep two dimensions whatever it is asked.
    array = np.asarray(buffer) if isinstance(buffer, np.ndarray) else _wrap(buffer, path, dtype)
    if array.dtype == np.uint8 and array.ndim == 1 and array.flags.c_contiguous:
        return array
    if array.dtype.hasobject:
        raise BindingError(NOT_A_BUFFER(path, "an array of Python objects", "plain numbers"))
    if dtype is not None and array.dtype != dtype and not _is_bytes(array.dtype):
        name = "" if hasattr(buffer, "astype") else "np.asarray(...)"
        raise BindingError(_other_type(path, array, dtype, is_output, name))
    if array.flags.c_contiguous:
        return array.reshape(-1).view(np.uint8)
    if described is not None and described == Described.of(array):
        return _reach(array)
    if dtype is None and not in_order and array.flags.f_contiguous:  # memory is asked for, not elements in their order
        return array.T.reshape(-1).view(np.uint8)
    found = f"an array with strides {array.strides}"
    raise BindingError(NOT_CONTIGUOUS(path, found, "contiguous memory", _contiguous_fix(array, is_output)))


def _is_bytes(dtype: np.dtype[Any]) -> bool:
    return dtype == np.uint8 or (dtype.kind in "SV" and dtype.itemsize == 1)


def _other_type(path: str, array: npt.NDArray[Any], dtype: np.dtype[Any], is_output: bool, name: str) -> Violation:
    swapped = "" if array.dtype.isnative else ", its bytes swapped"
    found = f"numbers of {array.dtype.name}{swapped}"
    # A converted copy of an output would be written in place of the array itself, and the result would be lost.
    cast = "array[...] = run(...) without this output" if is_output else f"{name}.astype(np.{dtype.name})"
    fix = f"{cast}, or {name}.view(np.uint8) for its bytes as they are"
    return NUMBER_TYPE(path, found, f"{dtype.name}, or bytes", fix)


def _contiguous_fix(array: npt.NDArray[Any], is_output: bool) -> str:
    """What to do with an array whose elements lie apart; a copy of an output would lose the result."""
    size = array.itemsize
    can_describe = all(s >= 0 and s % size == 0 for s, n in zip(array.strides, array.shape, strict=True) if n > 1)
    described = "describing the array as it is with TensorDesc.from_array(array)"
    if is_output:
        return f"array[...] = run(...) without this output{f', or {described}' if can_describe else ''}"
    return f"np.ascontiguousarray(array){f', or {described}' if can_describe else ''}"


@dataclass(frozen=True)
class Described:
    """Where elements lie, in bytes from the first: sizes above 1 with their strides, and an element's size."""

    element_bytes: int
    steps: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, array: npt.NDArray[Any]) -> Described:
        return cls.from_strides(array.shape, array.strides, array.itemsize)

    @classmethod
    def from_strides(cls, sizes: tuple[int, ...], strides: tuple[int, ...], element_bytes: int) -> Described:
        return cls(element_bytes, tuple((n, s) for n, s in zip(sizes, strides, strict=True) if n > 1))


def _reach(array: npt.NDArray[Any]) -> Bytes:
    """The bytes from an array's first element to its last; with strides from 0 on, all lie in the array's memory."""
    size = array.itemsize + sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True))
    first = array[(slice(0, 1),) * array.ndim].reshape(1).view(np.uint8)
    return np.lib.stride_tricks.as_strided(first, (size,), (1,), writeable=array.flags.writeable)


def _wrap(buffer: Any, path: str, dtype: np.dtype[Any] | None = None) -> npt.NDArray[Any]:
    try:
        view = memoryview(buffer)
    except TypeError:
        return _from_dlpack(buffer, path, dtype)
    except (BufferError, ValueError) as error:
        found = f"{type(buffer).__name__} ({told(error)})"
        raise BindingError(NOT_A_BUFFER(path, found, "memory that is open")) from error
    is_byte = view.itemsize == 1 and _BYTES.fullmatch(view.format)  # unions say "B", whatever their size
    if not is_byte and not _NUMBERS.fullmatch(view.format):
        found = f"{type(buffer).__name__} of {view.format!r}"
        raise BindingError(NOT_A_BUFFER(path, found, "numbers or bytes", "np.frombuffer(..., np.uint8) for its bytes"))
    if view.c_contiguous and is_byte:
        return np.frombuffer(view, np.uint8)
    return np.asarray(view)


def _from_dlpack(buffer: Any, path: str, dtype: np.dtype[Any] | None) -> npt.NDArray[Any]:
    if answer(lambda: hasattr(buffer, "__dlpack__"), False):
        try:
            return np.from_dlpack(buffer)
        except MemoryError:
            raise
        except Exception as error:  # whatever a method of somebody else may raise
            found = f"{type(buffer).__name__} ({told(error)})"
            raise BindingError(NOT_A_BUFFER(path, found, "a tensor in CPU memory")) from error
    found = type(buffer).__name__
    kind = f", np.{dtype.name}" if dtype is not None else ""
    value = shown(buffer) if isinstance(buffer, (int, float)) or len(shown(buffer)) <= _SHORT else "..."
    fix = f"np.array({value}{kind})" if isinstance(buffer, (list, tuple, int, float)) else None
    raise BindingError(NOT_A_BUFFER(path, found, "memory: bytes, bytearray, memoryview, mmap, NumPy or DLPack", fix))


def address_of(data: Bytes) -> int:
    """Where the bytes start in memory."""
    return int(data.ctypes.data)
