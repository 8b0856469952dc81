"""Buffers that overlap are moved as if they did not: all small layouts in one buffer, by every path."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves.engine import PreparedMove, prepare
from anydml.runtime.native import llvm
from tests.runtime.moves.support import assert_same_bytes, moved, places

STRIDES = (-2, -1, 0, 1, 2, 3)


def row_layouts(size: int, most_offset: int, may_repeat: bool) -> Iterator[Layout]:
    for stride, offset in product(STRIDES, range(most_offset + 1)):
        if offset + (size - 1) * stride >= 0 and (may_repeat or stride != 0):
            yield Layout((size,), (stride,), offset)


def matrix_layouts(sizes: tuple[int, int], may_repeat: bool) -> Iterator[Layout]:
    for strides in product((-3, -1, 0, 1, 2, 3, 4), repeat=2):
        lowest = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True) if stride < 0)
        for extra in (0, 1):
            layout = Layout(sizes, strides, extra - lowest)
            if may_repeat or len(set(places(layout))) == layout.logical_element_count:
                yield layout


def pairs() -> Iterator[tuple[Layout, Layout]]:
    for size in (1, 2, 4, 7):
        yield from product(row_layouts(size, 10, True), row_layouts(size, 10, False))
    for sizes in ((2, 3), (3, 2), (4, 4)):
        yield from product(matrix_layouts(sizes, True), matrix_layouts(sizes, False))


PAIRS = list(pairs())
LENGTH = 40
"""Elements of the buffer: more than any of the layouts reach."""


def check_bytes(layouts: tuple[Layout, Layout], data_type: DataType, shift: int = 0) -> None:
    """Source and destination are parts of one buffer that begin `shift` bytes apart."""
    element = data_type.element_bytes
    memory = np.arange(1, LENGTH * element + shift + 1, dtype=np.uint8)
    size = LENGTH * element
    source, destination = memory[shift : shift + size], memory[:size]
    expected = moved(source.tobytes(), destination.tobytes(), layouts, element)
    prepare(*layouts, data_type).run_arrays(source, destination)
    assert_same_bytes(destination, expected, f"{layouts}")


@pytest.mark.parametrize("part", range(8))
def test_numpy(part: int) -> None:
    for layouts in PAIRS[part::8]:
        check_bytes(layouts, DataType.UINT8)
        check_bytes(layouts, DataType.UINT16)


@pytest.mark.parametrize("part", range(8))
def test_kernels(natively: None, part: int) -> None:
    for layouts in PAIRS[part::8]:
        check_bytes(layouts, DataType.UINT16)


def test_buffers__that_overlap_by_parts_of_elements() -> None:
    for layouts in PAIRS[::11]:
        for shift in (1, 2, 3, 5):
            check_bytes(layouts, DataType.UINT32, shift)


def test_without_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "is_available", lambda: False)
    for layouts in PAIRS[::13]:
        check_bytes(layouts, DataType.UINT64)


def read(layout: Layout, data_type: DataType, memory: bytes) -> list[int]:
    """The elements, as the documentation of packed pairs says: the low half of a byte comes first."""
    if data_type.is_packed_pair:
        return [memory[place // 2] >> 4 * (place % 2) & 15 for place in places(layout)]
    kind, size = data_type.numpy_dtype, data_type.element_bytes
    return [int(np.frombuffer(memory, kind, 1, place * size)[0]) for place in places(layout)]


def written(layout: Layout, data_type: DataType, values: list[int], memory: bytes) -> bytearray:
    result = bytearray(memory)
    for place, value in zip(places(layout), values, strict=True):
        if data_type.is_packed_pair:
            shift = 4 * (place % 2)
            result[place // 2] = result[place // 2] & ~(15 << shift) & 255 | (value & 15) << shift
        else:
            size = data_type.element_bytes
            result[place * size : (place + 1) * size] = (value % (1 << 8 * size)).to_bytes(size, "little")
    return result


def check_values(layouts: tuple[Layout, Layout], types: tuple[DataType, DataType]) -> PreparedMove:
    memory = np.arange(1, LENGTH * max(data_type.element_bytes for data_type in types) + 1, dtype=np.uint8)
    values = read(layouts[0], types[0], memory.tobytes())
    expected = written(layouts[1], types[1], values, memory.tobytes())
    move = prepare(*layouts, *types)
    move.run_arrays(memory, memory)
    assert_same_bytes(memory, expected, f"{types} {layouts} {move.kernel}")
    return move


@pytest.mark.parametrize("part", range(4))
def test_four_bit_elements(part: int) -> None:
    kernels = {check_values(layouts, (DataType.UINT4, DataType.UINT4)).kernel for layouts in PAIRS[part::4]}
    assert "nibbles" in kernels


@pytest.mark.parametrize(
    "types",
    [
        (DataType.UINT4, DataType.UINT8),
        (DataType.UINT8, DataType.UINT4),
        (DataType.UINT8, DataType.UINT32),
        (DataType.UINT32, DataType.UINT8),
        (DataType.UINT16, DataType.INT16),
    ],
)
@pytest.mark.parametrize("way", ["numpy", "kernels"])
def test_conversions(request: pytest.FixtureRequest, types: tuple[DataType, DataType], way: str) -> None:
    if way == "kernels":
        request.getfixturevalue("natively")
    for layouts in PAIRS[::8]:
        check_values(layouts, types)


def test_long_rows_of_four_bits__are_moved_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece is read when earlier ones are written already."""
    from anydml.runtime.moves import nibbles

    monkeypatch.setattr(nibbles, "PIECE_ELEMENTS", 2)
    for layouts in PAIRS[::7]:
        check_values(layouts, (DataType.UINT4, DataType.UINT4))
        check_values(layouts, (DataType.UINT8, DataType.UINT4))


def test_seven_elements__from_stride_1_to_stride_2() -> None:
    memory = np.arange(1, 15, dtype=np.float32)
    prepare(Layout((7,), (1,)), Layout((7,), (2,)), DataType.FLOAT32).run_arrays(
        memory.view(np.uint8), memory.view(np.uint8)
    )
    assert memory[::2].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert memory[1::2].tolist() == [2, 4, 6, 8, 10, 12, 14]
