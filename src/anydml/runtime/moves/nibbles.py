"""Moves of 4-bit elements, two of which share a byte."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from anydml.core import nibbles
from anydml.core.convert import Array, convert
from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves.arrays import Bytes, view

PIECE_ELEMENTS = 1 << 20
"""Places are computed for so many elements at once, to bound the memory they take."""


def in_whole_bytes(source: Layout, destination: Layout) -> tuple[Layout, Layout] | None:
    """The same move as one of bytes, when no byte is shared between moved and other elements."""
    for axis, size in enumerate(source.sizes):
        if size % 2 == 0 and source.strides[axis] == destination.strides[axis] == 1:
            halves = _halved(source, axis), _halved(destination, axis)
            return None if halves[0] is None or halves[1] is None else (halves[0], halves[1])
    return None


def _halved(layout: Layout, axis: int) -> Layout | None:
    others = [stride for at, stride in enumerate(layout.strides) if at != axis and layout.sizes[at] > 1]
    if layout.offset % 2 or any(stride % 2 for stride in others):
        return None
    sizes = [size // 2 if at == axis else size for at, size in enumerate(layout.sizes)]
    strides = [1 if at == axis else stride // 2 for at, stride in enumerate(layout.strides)]
    return Layout(sizes, strides, layout.offset // 2)


def move(
    source: tuple[Layout, DataType, Bytes],
    destination: tuple[Layout, DataType, Bytes],
    scale_bias: tuple[float, float] | None,
) -> None:
    """Element by element, leaving the other half of every byte as it was."""
    for from_part, to_part in _pieces(source[0], destination[0]):
        values = _read(from_part, source[1], source[2])
        if source[1] is not destination[1] or scale_bias is not None:
            values = convert(values, source[1], destination[1], scale_bias)
        _write(to_part, destination[1], destination[2], values)


def _pieces(source: Layout, destination: Layout) -> Iterator[tuple[Layout, Layout]]:
    """Both layouts cut along their first dimensions until a piece is small."""
    if source.logical_element_count <= PIECE_ELEMENTS:
        yield source, destination
        return
    axis = next(at for at, size in enumerate(source.sizes) if size > 1)
    half = source.sizes[axis] // 2
    for start, size in ((0, half), (half, source.sizes[axis] - half)):
        yield from _pieces(_cut(source, axis, start, size), _cut(destination, axis, start, size))


def _cut(layout: Layout, axis: int, start: int, size: int) -> Layout:
    sizes = (*layout.sizes[:axis], size, *layout.sizes[axis + 1 :])
    return Layout(sizes, layout.strides, layout.offset + start * layout.strides[axis])


def _read(layout: Layout, data_type: DataType, data: Bytes) -> Array:
    if not data_type.is_packed_pair:
        return view(layout, data_type.numpy_dtype).of(data)
    places = layout.offsets()
    halves: Array = ((data[places >> 1] >> ((places & 1) << 2).astype(np.uint8)) & 15).astype(np.uint8)
    if data_type is DataType.INT4:
        # Moving the sign bit to bit 7 and back down lets the shift extend it.
        halves = (halves << 4).view(np.int8) >> 4
    return halves


def _write(layout: Layout, data_type: DataType, data: Bytes, values: Array) -> None:
    if not data_type.is_packed_pair:
        view(layout, data_type.numpy_dtype).of(data)[...] = values
        return
    nibbles.write(data, layout.offsets(), values)
