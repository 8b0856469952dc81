"""Resources as text: as DxDispatch prints them, element by element, or shaped and typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.errors import counted
from anydml.core.memory import Bytes
from anydml.core.tensor import TensorDesc
from anydml.frontends.dxdispatch.elements import from_bytes, to_text, to_texts
from anydml.frontends.dxdispatch.initial_values import Mixed
from anydml.frontends.dxdispatch.model import Resource
from anydml.frontends.printable import printable

Write = Callable[[str], None]
_CHUNK = 1 << 16
_SHOWN_ELEMENTS = 1000


def shown_values(resource: Resource, data: Bytes) -> np.ndarray[Any, Any]:
    """The elements `print` shows of a resource of one type: no padding at the end."""
    assert resource.data_type is not None
    return from_bytes(data[: resource.shown_bytes], resource.data_type)[: shown_count(resource)]


def shown_count(resource: Resource) -> int:
    """How many elements `print` shows of a resource of one type."""
    assert resource.data_type is not None
    return resource.initial_offset_in_bytes * 8 // resource.data_type.bits + resource.initial.element_count


def print_plain(resource: Resource, data: Bytes, write: Write) -> None:
    """`Resource 'output': 2, 4, 10, 12`."""
    write(f"Resource '{printable(resource.name)}': ")
    for i, texts in enumerate(_texts(resource, data)):
        write((", " if i else "") + ", ".join(texts))
    write("\n")


def print_indexed(resource: Resource, data: Bytes, write: Write) -> None:
    """A line for each element with its index, value and bits, as a print command with `verbose` asks for."""
    write(f"Resource '{printable(resource.name)}':\n")
    width = len(str(resource.initial.element_count))
    index = 0
    for texts, bits, digits in _with_bits(resource, data):
        for text, number in zip(texts, bits, strict=True):
            write(f"[{index:{width}}] {text} (0x{number:{digits}X})\n")
            index += 1
    write("\n")


def print_shaped(resource: Resource, data: Bytes, tensor: TensorDesc | None, offset: int, write: Write) -> None:
    """Type, sizes and strides, then the elements in rows: as the last tensor bound to the resource sees them."""
    if tensor is None:
        kind = resource.data_type
        write(f"Resource '{printable(resource.name)}': {kind.name if kind is not None else 'mixed types'}, ")
        write(f"{counted(resource.initial.element_count, 'element')}, {resource.size_in_bytes} bytes\n")
        write(_rows(shown_values(resource, data)) if kind is not None else ", ".join(_mixed_texts(resource, data)))
    else:
        strides = "" if tensor.has_implicit_strides else f", strides {list(tensor.strides)}"
        start = f", from byte {offset}" if offset else ""
        sizes = list(tensor.sizes)
        write(f"Resource '{printable(resource.name)}': {tensor.data_type.name} {sizes}{strides}{start}, ")
        write(f"{resource.size_in_bytes} bytes\n")
        write(_rows(tensor.view(data, offset)))
    write("\n")


def _rows(values: np.ndarray[Any, Any]) -> str:
    formatter: Any = {"all": lambda value: to_text(value.item())}
    return np.array2string(values, threshold=_SHOWN_ELEMENTS, separator=", ", max_line_width=100, formatter=formatter)


def _texts(resource: Resource, data: Bytes) -> Iterator[list[str]]:
    """The texts of all elements, some at a time: a large resource must not become one huge text."""
    if resource.data_type is None:
        yield _mixed_texts(resource, data)
        return
    values = shown_values(resource, data)
    for start in range(0, values.size, _CHUNK):
        yield to_texts(values[start : start + _CHUNK])


def _with_bits(resource: Resource, data: Bytes) -> Iterator[tuple[list[str], list[int], int]]:
    kind = resource.data_type
    if kind is None:
        for text, part in zip(_mixed_texts(resource, data), _mixed_parts(resource, data), strict=True):
            yield [text], [int.from_bytes(part[1].tobytes(), "little")], part[0].element_bytes * 2
        return
    values = shown_values(resource, data)
    unsigned = np.dtype(f"u{kind.element_bytes}")
    mask = (1 << kind.bits) - 1
    for start in range(0, values.size, _CHUNK):
        chunk = np.ascontiguousarray(values[start : start + _CHUNK])
        yield to_texts(chunk), [bits & mask for bits in chunk.view(unsigned).tolist()], max(kind.bits // 4, 1)


def _mixed_parts(resource: Resource, data: Bytes) -> Iterator[tuple[DataType, Bytes]]:
    assert isinstance(resource.initial, Mixed)
    at = resource.initial_offset_in_bytes
    for kind in resource.initial.types:
        yield kind, data[at : at + kind.element_bytes]
        at += kind.element_bytes


def _mixed_texts(resource: Resource, data: Bytes) -> list[str]:
    return [to_texts(from_bytes(part, kind))[0] for kind, part in _mixed_parts(resource, data)]
