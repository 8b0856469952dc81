"""NumPy's .npy files: a header checked by us before anything is read, because it comes from outside."""

from __future__ import annotations

import io
import re
import sys
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.errors import ModelError, counted, shortened
from anydml.core.memory import Bytes
from anydml.core.rules import rule
from anydml.frontends.dxdispatch.files import file_size, read_start
from anydml.frontends.dxdispatch.files import read_into as read_bytes_into

_EXAMPLE = "dml.frontends.dxdispatch.npy.parse_header({!r}, {})"
FORMAT = rule("npy.format", "An .npy file starts with NumPy's header.", _EXAMPLE.format(b"RIFF....WAVE", 12))
PICKLE = rule(
    "npy.pickle",
    "An .npy file holds plain numbers; one with Python objects would run code when read.",
    _EXAMPLE.format(b"\x93NUMPY\x01\x00\x36\x00{'descr': '|O', 'fortran_order': False, 'shape': (1,)}\n", 70),
)
TYPE = rule(
    "npy.type",
    "An .npy file holds one of DirectML's data types.",
    _EXAMPLE.format(b"\x93NUMPY\x01\x00\x38\x00{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}\n", 99),
)
SIZE = rule(
    "npy.size",
    "An .npy file holds as many bytes as its header says.",
    _EXAMPLE.format(b"\x93NUMPY\x01\x00\x37\x00{'descr': '<f4', 'fortran_order': False, 'shape': (9,)}\n", 69),
)

_MAGIC = b"\x93NUMPY"
_LONGEST_HEADER = 1 << 16
_DESCR = re.compile(r"""['"]descr['"]\s*:\s*['"]([^'"]*)['"]""")
_ORDER = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)""")
_SHAPE = re.compile(r"""['"]shape['"]\s*:\s*\(([0-9,\s]*)\)""")
_FOREIGN_ORDER = ">" if sys.byteorder == "little" else "<"
_SIMPLE_TYPE = re.compile(r"[<>=|]?(b1|f[248]|[iu][1248])")  # b1 is NumPy's bool, a byte that is 0 or 1


@dataclass(frozen=True)
class Header:
    data_type: DataType
    dtype: str
    shape: tuple[int, ...]
    is_fortran_order: bool
    start: int

    @property
    def element_count(self) -> int:
        return prod(self.shape)


def read_header(path: Path) -> Header:
    """The header of a file, checked against the file's size."""
    return parse_header(read_start(path, _LONGEST_HEADER + 16), file_size(path))


def parse_header(data: bytes, file_bytes: int) -> Header:
    """Type, shape and start of the data; an error for anything that NumPy would not have written."""
    start, text = _split(data)
    descr, order, shape = _DESCR.search(text), _ORDER.search(text), _SHAPE.search(text)
    if not (descr and order and shape):
        raise ModelError(FORMAT("sourcePath", shortened(repr(text)), "descr, fortran_order and shape"))
    data_type = _data_type(descr[1])
    sizes = tuple(int(size[:20]) for size in shape[1].replace(",", " ").split())
    needed = data_type.bytes_for(prod(sizes))
    if len(sizes) > 32 or start + needed > file_bytes:
        found = counted(max(file_bytes - start, 0), "byte") + " of data"
        raise ModelError(SIZE("sourcePath", found, f"{needed} for shape {shortened(str(sizes))}"))
    return Header(data_type, descr[1], sizes, order[1] == "True", start)


def _split(data: bytes) -> tuple[int, str]:
    """Where the data starts, and the text of the header before it."""
    version = data[6:8]
    if not data.startswith(_MAGIC) or version not in (b"\x01\x00", b"\x02\x00", b"\x03\x00"):
        raise ModelError(FORMAT("sourcePath", shortened(repr(data[:8])), "an .npy file of version 1 to 3"))
    digits = 2 if version[0] == 1 else 4
    length = int.from_bytes(data[8 : 8 + digits], "little")
    start = 8 + digits + length
    if length > _LONGEST_HEADER or start > len(data):
        raise ModelError(FORMAT("sourcePath", f"a header of {length} bytes", "a shorter one, inside the file"))
    return start, data[8 + digits : start].decode("latin-1")


def _data_type(descr: str) -> DataType:
    simple = _SIMPLE_TYPE.fullmatch(descr)
    if simple:
        return DataType.UINT8 if simple[1] == "b1" else DataType.parse(simple[1])
    if "O" in descr:
        fix = "saving an array of numbers"
        raise ModelError(PICKLE("sourcePath", "an array of Python objects", "plain numbers", fix))
    raise ModelError(TYPE("sourcePath", f"the type {shortened(repr(descr))}", "a type DirectML has"))


def read_into(path: Path, header: Header, target: Bytes) -> None:
    """Fill memory with the array's elements, in C order and this machine's byte order."""
    read_bytes_into(path, target, header.start)
    if header.dtype.startswith(_FOREIGN_ORDER):
        target.view(header.data_type.numpy_dtype).byteswap(inplace=True)
    if header.is_fortran_order:
        values = target.view(header.data_type.numpy_dtype)
        values[:] = values.reshape(header.shape, order="F").copy(order="C").reshape(-1)


def read_array(path: Path) -> np.ndarray[Any, Any]:
    """The array in a file."""
    header = read_header(path)
    data = np.empty(header.data_type.bytes_for(header.element_count), np.uint8)
    read_into(path, header, data)
    return data.view(header.data_type.numpy_dtype).reshape(header.shape)


def to_npy(array: np.ndarray[Any, Any]) -> tuple[bytes, memoryview]:
    """The two parts of an .npy file: its header, and the array's own memory."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, np.lib.format.header_data_from_array_1_0(array))
    return buffer.getvalue(), array.reshape(-1).view(np.uint8).data
