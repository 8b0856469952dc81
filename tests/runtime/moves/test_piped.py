"""What is staged and written meanwhile: large enough for several tiles and chunks, wherever the tensors begin."""

from __future__ import annotations

import numpy as np
import pytest

from anydml.core.layout import Layout
from anydml.runtime.moves import engine
from anydml.runtime.moves.engine import prepare
from anydml.runtime.native import llvm
from tests.runtime.moves.support import TYPES, Bytes, buffer

PADDINGS = [0, 3, 16]
"""Elements between rows: none, so that rows meet within lines, or a line and others."""


@pytest.fixture(autouse=True)
def streamed(natively: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "STREAMED_BYTES", 0)


def view(layout: Layout, element: int, data: Bytes) -> Bytes:
    strides = [stride * element for stride in layout.strides]
    return np.ndarray(layout.sizes, f"u{element}", data, layout.offset * element, strides)


def check(source: Layout, destination: Layout, element: int, threads: int, misaligned: tuple[int, int]) -> str:
    """Moves, and compares all bytes with NumPy's, those around and between the elements too."""
    data = buffer(source, element, misaligned[0], seed=threads)
    found = buffer(destination, element, misaligned[1], seed=9)
    expected = found.copy()
    view(destination, element, expected)[...] = view(source, element, data)
    move = prepare(source, destination, TYPES[element], threads=threads)
    move.run(data.ctypes.data, found.ctypes.data)
    assert np.array_equal(found, expected), f"{source}\n{destination}\n{move.plan.describe()}"
    return move.kernel


def turned(columns: int, rows: int, source_padding: int, padding: int) -> tuple[Layout, Layout]:
    source = Layout((columns, rows), (1, columns + source_padding))
    return source, Layout((columns, rows), (rows + padding, 1))


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("element", TYPES)
def test_tiles__write_what_numpy_writes(monkeypatch: pytest.MonkeyPatch, element: int, width: int) -> None:
    monkeypatch.setattr(llvm, "vector_bytes", lambda: width)
    rows = 3 * 512 // element + 5
    cases = [(threads, padding) for threads in (1, 2, 8) for padding in PADDINGS]
    for number, (threads, padding) in enumerate(cases):
        layouts = turned(300 + number, rows, PADDINGS[number % 2 * 2], padding)
        for misaligned in ((0, 0), (16, 16), (number, 5 * number), (48, 63)):
            assert check(*layouts, element, threads, misaligned) == "tile"


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("step", [3, -3, 5, -5])
def test_channels__write_what_numpy_writes(monkeypatch: pytest.MonkeyPatch, step: int, width: int) -> None:
    monkeypatch.setattr(llvm, "vector_bytes", lambda: width)
    for element in TYPES:
        for threads, pixels in ((1, 5000), (2, 4099), (8, 16401)):
            offset = 0 if step > 0 else -step * (pixels - 1)
            source = Layout((3, pixels), (1, step), offset)
            for padding, misaligned in ((0, (16, 16)), (1, (3, 61)), (7, (0, 4))):
                destination = Layout((3, pixels), (pixels + padding, 1))
                assert check(source, destination, element, threads, misaligned) == "pick"


@pytest.mark.parametrize("step", [4, -4])
def test_groups__write_what_numpy_writes(step: int) -> None:
    for element in TYPES:
        for threads, pixels in ((1, 999), (2, 1001), (8, 5003)):
            offset = 2 if step > 0 else 2 - step * (pixels - 1)
            source = Layout((2, pixels, 3), (4 * pixels, step, -1), offset)
            assert check(source, Layout((2, pixels, 3)), element, threads, (16, 16 + threads)) == "regroup"


def test_view__can_differ() -> None:
    data = np.arange(64, dtype=np.uint8)
    turned_view = view(Layout((2, 3), (1, 2)), 1, data)
    assert turned_view.tolist() == [[0, 2, 4], [1, 3, 5]]
    assert not np.array_equal(turned_view, view(Layout((2, 3)), 1, data))
