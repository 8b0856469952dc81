"""NumPy's .npy files: the header is bounded before NumPy reads it, and checked before the data is."""

from __future__ import annotations

import io
import re
import warnings
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.errors import DmlError, ModelError, counted, shortened, shown
from anydml.core.memory import Bytes
from anydml.core.rules import rule
from anydml.files.access import ARGUMENT, AnyPath, file_size, read_bytes
from anydml.files.access import read_into as read_bytes_into

FORMAT = rule("npy.format", "An .npy file starts with NumPy's header.")
PICKLE = rule("npy.pickle", "An .npy file holds plain numbers; one with Python objects would run code when read.")
TYPE = rule("npy.type", "An .npy file holds one of DirectML's data types.")
SIZE = rule("npy.size", "An .npy file holds as many bytes as its header says, in at most 32 dimensions.")

MAXIMUM_DIMENSIONS = 32
_LONGEST_HEADER = 10_000
_LONGEST_PREAMBLE = 12
_VERSIONS = (b"\x01\x00", b"\x02\x00", b"\x03\x00")
# NumPy evaluates the header as a Python literal. Only what NumPy writes gets that far: no operators, no words but
# these two, short numbers and texts, few brackets. Nothing of that can keep the interpreter busy or exhaust its stack.
_LITERAL = re.compile(
    rb"(?:[\s,:{}()\[\]]|(?:True|False|[0-9]{1,20}L?)(?![0-9A-Za-z_])|'[^'\\\n]{0,200}'|\"[^\"\\\n]{0,200}\")*"
)
_MOST_BRACKETS = 64


@dataclass(frozen=True)
class Header:
    """What an .npy file says of its array."""

    data_type: DataType
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_fortran_order: bool
    start: int

    @property
    def element_count(self) -> int:
        return prod(self.shape)


def read_header(path: AnyPath) -> Header:
    """The header of a file, checked against the file's size."""
    return parse_header(read_bytes(path, _LONGEST_HEADER + _LONGEST_PREAMBLE), file_size(path))


def parse_header(data: bytes, file_bytes: int) -> Header:
    """Type, shape and start of the data; an error for anything that NumPy would not have written."""
    if not isinstance(data, bytes):
        raise ModelError(ARGUMENT("data", shown(data), "bytes"))
    start = _header_end(data)
    shape, is_fortran_order, dtype = _read_by_numpy(data[:start])
    data_type = _data_type(dtype)
    if len(shape) > MAXIMUM_DIMENSIONS:
        raise ModelError(SIZE("", counted(len(shape), "dimension"), f"at most {MAXIMUM_DIMENSIONS}"))
    needed = data_type.bytes_for(prod(shape))
    if start + needed > file_bytes:
        found = counted(max(file_bytes - start, 0), "byte") + " of data"
        raise ModelError(SIZE("", found, shortened(f"{needed} for shape {shape}")))
    return Header(data_type, dtype, shape, is_fortran_order, start)


def _header_end(data: bytes) -> int:
    """Where the header ends and the data starts, once the header is known to be harmless."""
    version = data[6:8]
    if not data.startswith(np.lib.format.MAGIC_PREFIX) or version not in _VERSIONS:
        found = f"a file that starts with {data[:8]!r}" if data else "an empty file"
        raise ModelError(FORMAT("", found, "an .npy file of version 1 to 3", "a file that np.save wrote"))
    digits = 2 if version[0] == 1 else 4
    length = int.from_bytes(data[8 : 8 + digits], "little")
    end = 8 + digits + length
    if length > _LONGEST_HEADER or end > len(data):
        raise ModelError(FORMAT("", f"a header of {length} bytes", "a shorter one, inside the file"))
    text = data[8 + digits : end]
    brackets = sum(text.count(bracket) for bracket in (b"(", b"[", b"{"))
    if not _LITERAL.fullmatch(text) or brackets > _MOST_BRACKETS:
        raise ModelError(_not_a_header(text))
    return end


def _read_by_numpy(header: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    stream = io.BytesIO(header)
    version = np.lib.format.read_magic(stream)
    # Version 3 differs from 2 in its encoding alone, and only ASCII gets here.
    is_first = version == (1, 0)
    read = np.lib.format.read_array_header_1_0 if is_first else np.lib.format.read_array_header_2_0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # headers of Python 2 are as good as any
            shape, is_fortran_order, dtype = read(stream, max_header_size=_LONGEST_HEADER)
    except MemoryError:
        raise
    except Exception:  # NumPy meets text from outside, and fails in many ways
        raise ModelError(_not_a_header(header[stream.tell() :] or header)) from None
    if any(type(size) is not int for size in shape):  # NumPy lets True and False pass for 1 and 0, and stumbles later
        raise ModelError(_not_a_header(header))
    return shape, is_fortran_order, dtype


def _not_a_header(text: bytes) -> Any:
    return FORMAT("", shortened(repr(text)), "descr, fortran_order and shape as NumPy writes them")


def _data_type(dtype: np.dtype[Any]) -> DataType:
    if dtype.hasobject:
        fix = "saving an array of numbers"
        raise ModelError(PICKLE("", "an array of Python objects", "plain numbers", fix))
    if dtype == np.bool_:  # a byte that is 0 or 1
        return DataType.UINT8
    try:
        return DataType.parse(dtype.newbyteorder("="))
    except DmlError:
        raise ModelError(TYPE("", f"the type {shortened(str(dtype))}", "a type DirectML has")) from None


def read_into(path: AnyPath, header: Header, target: Bytes) -> None:
    """Fill memory with the array's elements, in C order and this machine's byte order."""
    read_bytes_into(path, target, header.start)
    values = target.view(header.data_type.numpy_dtype)
    if not header.dtype.isnative:
        values.byteswap(inplace=True)
    if header.is_fortran_order:
        values[:] = values.reshape(header.shape, order="F").copy(order="C").reshape(-1)


def read_array(path: AnyPath, header: Header | None = None) -> np.ndarray[Any, Any]:
    """The array in a file, whose header may have been read before."""
    known = read_header(path) if header is None else header
    data = np.empty(known.data_type.bytes_for(known.element_count), np.uint8)
    read_into(path, known, data)
    return data.view(known.data_type.numpy_dtype).reshape(known.shape)


def to_npy(array: np.ndarray[Any, Any]) -> tuple[bytes, memoryview]:
    """The two parts of an .npy file: its header, and the array's own memory."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, np.lib.format.header_data_from_array_1_0(array))
    return buffer.getvalue(), array.reshape(-1).view(np.uint8).data
