"""4-bit elements: two share a byte, the even one in its low half; the other half is never touched."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves import nibbles
from anydml.runtime.moves.engine import fill, prepare
from tests.runtime.moves.support import Bytes, pairs, places


def half(data: Bytes, place: int) -> int:
    return int(data[place // 2]) >> (4 * (place % 2)) & 15


def halves(data: Bytes) -> list[int]:
    return [half(data, place) for place in range(data.size * 2)]


def random_bytes(layout: Layout, seed: int) -> Bytes:
    return np.random.default_rng(seed).integers(0, 256, max(places(layout)) // 2 + 3, dtype=np.uint8)


def check(layouts: tuple[Layout, Layout]) -> str:
    source, destination = random_bytes(layouts[0], 1), random_bytes(layouts[1], 2)
    expected = halves(destination)
    for start, target in zip(places(layouts[0]), places(layouts[1]), strict=True):
        expected[target] = half(source, start)
    move = prepare(*layouts, DataType.INT4)
    again = destination.copy()
    move.run_arrays(source, destination)
    move.run(source.ctypes.data, again.ctypes.data)
    assert halves(destination) == expected, move.plan.describe()
    assert halves(again) == expected, move.plan.describe()
    return move.kernel


@given(pairs())
def test_random_layouts(layouts: tuple[Layout, Layout]) -> None:
    check(layouts)


@pytest.mark.parametrize(
    ("source", "destination"),
    [
        (Layout((5, 64), (66, 1)), Layout((5, 64), (70, 1), 2)),
        (Layout((64, 5), (1, 64)), Layout((64, 5), (1, 80))),
        (Layout((5, 64), (-64, 1), 256), Layout((5, 64))),
    ],
)
def test_whole_bytes__are_moved_as_bytes(natively: None, source: Layout, destination: Layout) -> None:
    assert check((source, destination)) in ("runs", "regroup")


@pytest.mark.parametrize(
    ("source", "destination"),
    [
        (Layout((5, 64), (65, 1)), Layout((5, 64))),
        (Layout((5, 64), offset=1), Layout((5, 64))),
        (Layout((5, 63)), Layout((5, 63))),
        (Layout((4, 6), (1, 4)), Layout((4, 6))),
    ],
)
def test_shared_bytes__are_moved_by_halves(natively: None, source: Layout, destination: Layout) -> None:
    assert check((source, destination)) == "nibbles"


@given(pairs())
def test_pieces__are_moved_alike(layouts: tuple[Layout, Layout]) -> None:
    """Large tensors are cut so that their places fit into memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nibbles, "PIECE_ELEMENTS", 7)
        check(layouts)


@pytest.mark.parametrize(
    ("source_type", "destination_type", "values", "expected"),
    [
        (DataType.FLOAT32, DataType.INT4, [7.9, 8.0, -9.0, -1.5, float("nan")], [7, 7, -8, -1, 0]),
        (DataType.FLOAT32, DataType.UINT4, [15.5, 99.0, -1.0, 3.0, 2.5], [15, 15, 0, 3, 2]),
        (DataType.INT8, DataType.INT4, [7, 8, -9, 16, -1], [7, -8, 7, 0, -1]),
        (DataType.INT8, DataType.UINT4, [17, -1, 15, 0, 5], [1, 15, 15, 0, 5]),
    ],
)
def test_conversion__to_four_bits_and_back(
    source_type: DataType, destination_type: DataType, values: list[float], expected: list[int]
) -> None:
    source = np.array(values, source_type.numpy_dtype).view(np.uint8)
    packed = np.full(4, 0xFF, np.uint8)
    prepare(Layout((5,)), Layout((5,), (1,), 1), source_type, destination_type).run_arrays(source, packed)
    found = [half(packed, place) for place in range(1, 6)]
    assert found == [value & 15 for value in expected]
    assert half(packed, 0) == half(packed, 6) == 15
    back = np.zeros(5, np.int32)
    move = prepare(Layout((5,), (1,), 1), Layout((5,)), destination_type, DataType.INT32)
    move.run_arrays(packed, back.view(np.uint8))
    assert back.tolist() == expected


@given(st.integers(0, 3), st.integers(1, 40), st.integers(1, 3), st.integers(-8, 7))
def test_fill(offset: int, size: int, stride: int, value: int) -> None:
    layout = Layout((size,), (stride,), offset)
    data = random_bytes(layout, 3)
    expected = halves(data)
    for place in places(layout):
        expected[place] = value & 15
    fill(layout, DataType.INT4, value).run_arrays(data)
    assert halves(data) == expected
