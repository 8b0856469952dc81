"""Resources as text: as DxDispatch prints them, element by element, or shaped and typed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.errors import counted
from anydml.core.memory import Bytes
from anydml.core.tensor import TensorDesc
from anydml.core.text import printable
from anydml.files.elements import from_bytes
from anydml.files.text import bit_chunks, text_chunks, to_rows, to_texts
from anydml.frontends.dxdispatch.initial_values import Mixed
from anydml.frontends.dxdispatch.model import Resource

Write = Callable[[str], None]


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
        write(to_rows(shown_values(resource, data)) if kind is not None else ", ".join(_mixed_texts(resource, data)))
    else:
        strides = "" if tensor.has_implicit_strides else f", strides {list(tensor.strides)}"
        start = f", from byte {offset}" if offset else ""
        sizes = list(tensor.sizes)
        write(f"Resource '{printable(resource.name)}': {tensor.data_type.name} {sizes}{strides}{start}, ")
        write(f"{resource.size_in_bytes} bytes\n")
        write(to_rows(tensor.view(data, offset)))
    write("\n")


def _texts(resource: Resource, data: Bytes) -> Iterator[list[str]]:
    if resource.data_type is None:
        return iter([_mixed_texts(resource, data)])
    return text_chunks(shown_values(resource, data))


def _with_bits(resource: Resource, data: Bytes) -> Iterator[tuple[list[str], list[int], int]]:
    """Texts and bits of all elements, and how many hexadecimal digits their bits have."""
    kind = resource.data_type
    if kind is None:
        for text, part in zip(_mixed_texts(resource, data), _mixed_parts(resource, data), strict=True):
            yield [text], [int.from_bytes(part[1].tobytes(), "little")], part[0].element_bytes * 2
        return
    values = shown_values(resource, data)
    for texts, bits in zip(text_chunks(values), bit_chunks(values, kind), strict=True):
        yield texts, bits, max(kind.bits // 4, 1)


def _mixed_parts(resource: Resource, data: Bytes) -> Iterator[tuple[DataType, Bytes]]:
    assert isinstance(resource.initial, Mixed)
    at = resource.initial_offset_in_bytes
    for kind in resource.initial.types:
        yield kind, data[at : at + kind.element_bytes]
        at += kind.element_bytes


def _mixed_texts(resource: Resource, data: Bytes) -> list[str]:
    return [to_texts(from_bytes(part, kind))[0] for kind, part in _mixed_parts(resource, data)]
