"""Every kernel moves the right bytes and no others, whatever the layouts, alignment, vectors and threads."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves.engine import PreparedMove, fill, prepare
from anydml.runtime.moves.lowering import KERNELS
from anydml.runtime.native import llvm
from tests.runtime.moves.support import TYPES, assert_same_bytes, buffer, moved, pairs, places

# Fixtures here only set limits, which hold for all examples alike.
FIXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
ELEMENTS = [1, 2, 4, 8]


def check(
    layouts: tuple[Layout, Layout], element: int, threads: int = 1, misaligned: tuple[int, int] = (0, 0)
) -> PreparedMove:
    """Moves through arrays and through addresses; both must give what the plain loop gives."""
    move = prepare(*layouts, TYPES[element], threads=threads)
    source = buffer(layouts[0], element, misaligned[0], seed=1)
    destination = buffer(layouts[1], element, misaligned[1], seed=2)
    expected = moved(source.tobytes(), destination.tobytes(), layouts, element)
    again = destination.copy()
    move.run_arrays(source, destination)
    about = f"{layouts[0]}\n{layouts[1]}\n{move.plan.describe()}"
    assert_same_bytes(destination, expected, about)
    move.run(source.ctypes.data, again.ctypes.data)
    assert_same_bytes(again, expected, about)
    return move


@FIXED
@given(pairs(), st.sampled_from(ELEMENTS), st.integers(1, 3), st.integers(0, 63), st.integers(0, 63))
@example((Layout((8, 9, 5), (1, 8, 72)), Layout((8, 9, 5))), 2, 1, 0, 0)
def test_random_layouts(
    natively: None,
    stores: str,
    layouts: tuple[Layout, Layout],
    element: int,
    threads: int,
    source_misaligned: int,
    destination_misaligned: int,
) -> None:
    check(layouts, element, threads, (source_misaligned, destination_misaligned))


@settings(FIXED, max_examples=35)
@given(pairs(), st.sampled_from(ELEMENTS), st.sampled_from([16, 32]))
def test_random_layouts__narrow_vectors(
    natively: None, stores: str, layouts: tuple[Layout, Layout], element: int, width: int
) -> None:
    """Machines without wide vectors run other code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(llvm, "vector_bytes", lambda: width)
        check(layouts, element)


@FIXED
@given(pairs(), st.sampled_from(ELEMENTS))
def test_random_layouts__numpy(layouts: tuple[Layout, Layout], element: int) -> None:
    """Small moves, and all without llvmlite, go through NumPy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(llvm, "is_available", lambda: False)
        assert check(layouts, element).kernel == "numpy"


def _packed(sizes: tuple[int, ...], *strides: int, offset: int = 0) -> tuple[Layout, Layout]:
    return Layout(sizes, strides, offset), Layout(sizes)


# Sizes are past a vector, a line and a tile, and end unevenly.
CASES: dict[str, list[tuple[Layout, Layout]]] = {
    "runs": [
        (Layout((3, 1500), (1503, 1)), Layout((3, 1500), (1501, 1))),
        (Layout((5, 40, 6, 21), (5040, 21, 840, 1)), Layout((5, 40, 6, 21))),
        (Layout((7, 701), (-701, 1), 6 * 701), Layout((7, 701))),
        (Layout((9, 701), (0, 1)), Layout((9, 701))),
        # Short rows are copied by code made for their size.
        *(_packed((50, row), row + 9, 1) for row in (3, 9, 15, 17, 31, 33, 63)),
        *((Layout((50, row)), Layout((50, row), (row + 1, 1))) for row in (17, 31, 63)),
    ],
    "fill": [_packed((3, 1501), 1, 0), _packed((3, 7, 301), 7, 1, 0)],
    "pick": [
        _packed((3, 999), 999, -1, offset=998),
        *(_packed((2, 301), 301 * step, step) for step in (2, 3, 5, 8)),
        *(_packed((2, 301), 301 * step, -step, offset=300 * step) for step in (2, 3, 7)),
        *(_packed((2, channels, 333), channels * 333, 1, channels) for channels in (2, 3, 4, 5)),
        _packed((2, 3, 333), 4 * 333, -1, 4, offset=2),
        _packed((2, 3, 333), 4 * 333, 1, -4, offset=332 * 4),
        (Layout((3, 512), (1, 3)), Layout((3, 512), (1024, 1))),
    ],
    "weave": [
        *(_packed((2, 333, channels), channels * 333, 1, 333) for channels in (2, 3, 4, 8)),
        _packed((500, 3), 1, 0),
    ],
    "regroup": [
        _packed((400, 3), 3, -1, offset=2),
        _packed((5, 333, 3), 999, -3, 1, offset=996),
        _packed((401, 3), 4, 1),
        _packed((401, 3), 4, -1, offset=2),
        _packed((401, 3), -4, 1, offset=1600),
        _packed((401, 3), -5, -1, offset=2002),
        _packed((301, 5), 7, 1),
        _packed((301, 5), -7, 1, offset=2100),
        _packed((301, 3), 7, 2),
        _packed((301, 2), -8, -3, offset=2403),
        _packed((7, 2, 3), 40, 8, -2, offset=4),
        (Layout((9, 77, 3), (400, 3, -1), 2), Layout((9, 77, 3), (300, 3, 1))),
    ],
    "tile": [
        _packed((70, 77), 1, 70),
        _packed((70, 77), -1, 70, offset=69),
        _packed((70, 77), 1, -70, offset=76 * 70),
        _packed((20, 300), 1, 20),
        _packed((300, 20), 1, 300),
        _packed((11, 7, 9, 10), 1, 770, 11, 77),
        _packed((40, 21, 5), 1, 200, 40),
        (Layout((33, 130), (1, 40)), Layout((33, 130), (140, 1))),
        # Destination rows as far apart as staged ones, for one element size each.
        *((Layout((33, 70), (1, 40)), Layout((33, 70), (apart, 1))) for apart in (88, 112, 160, 192)),
    ],
    "gather": [_packed((3, 500), 9 * 500, 9), _packed((40, 50), 3, 200), _packed((700,), -11, offset=699 * 11)],
    "scatter": [
        (Layout((3, 333)), Layout((3, 333), (1000, 3))),
        (Layout((40, 33), (1, 40)), Layout((40, 33), (66, 2))),
        *((Layout((3, 333)), Layout((3, 333), (333 * step + 1, step))) for step in (2, 5, 8, 9)),
    ],
    "spread": [
        *((Layout((333, row)), Layout((333, row), (row + 1, 1))) for row in (3, 5, 7)),
        *((Layout((333, 3), (apart, 1)), Layout((333, 3), (7, 1))) for apart in (4, 7, 15)),
        (Layout((333, 3), (4, 1)), Layout((333, 3), (4, 1))),
        *((Layout((333, row), (1, 333)), Layout((333, row), (row + 1, 1))) for row in (2, 3, 5, 8)),
        *((Layout((9, 70, 3), (300, 1, 80)), Layout((9, 70, 3), (900, apart, 1))) for apart in (4, 5, 8, 9, 16)),
        (Layout((40, 3), (1, -50), 100), Layout((40, 3), (4, 1))),
        *((Layout((333, row), (0, 0)), Layout((333, row), (row + 1, 1))) for row in (2, 3, 8)),
        (Layout((333, 3), (1, 0)), Layout((333, 3), (4, 1))),
    ],
}


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("kernel", CASES)
def test_each_kernel(natively: None, stores: str, kernel: str, element: int) -> None:
    for layouts in CASES[kernel]:
        for threads, misaligned in ((1, (0, 0)), (1, (1, element)), (3, (8, 33))):
            assert check(layouts, element, threads, misaligned).kernel == kernel


def test_each_kernel__is_named_above() -> None:
    assert set(CASES) == set(KERNELS), "a kernel without a case would never be used by a test"


@pytest.mark.parametrize("kernel", CASES)
@pytest.mark.parametrize("width", [16, 32, 64])
def test_each_kernel__with_every_vector_width(
    natively: None, stores: str, monkeypatch: pytest.MonkeyPatch, kernel: str, width: int
) -> None:
    monkeypatch.setattr(llvm, "vector_bytes", lambda: width)
    for layouts in CASES[kernel]:
        check(layouts, 4)


@pytest.mark.parametrize("element", ELEMENTS)
def test_large_move__is_streamed_and_shared_as_it_is_by_default(element: int) -> None:
    """Nothing is forced here: what users get for a large tensor."""
    side = 3001
    layouts = _packed((side, side), 1, side)
    source = np.random.default_rng(5).integers(0, 256, side * side * element, dtype=np.uint8)
    destination = np.zeros_like(source)
    move = prepare(*layouts, TYPES[element])
    move.run_arrays(source, destination)
    assert move.kernel == "tile"
    columns = source.reshape(side, side, element)
    rows = destination.reshape(side, side, element)
    for i, j in [(0, 0), (0, 3000), (3000, 0), (17, 2999), (1500, 1499), (64, 128), (2047, 2048)]:
        assert bytes(rows[i, j]) == bytes(columns[j, i])
    assert np.array_equal(rows, columns.transpose(1, 0, 2))


def test_elements_past_4_gib(natively: None, stores: str, tmp_path: Path) -> None:
    """Offsets and strides that no 32-bit number holds, in files that take hardly any disk."""
    layouts = Layout((2, 40, 30), (1 << 29, 1, 40), 1 << 28), Layout((2, 40, 30), (1 << 29, 60, 2), 1 << 28)
    files = [np.memmap(f"{tmp_path}/{name}", np.uint8, "w+", shape=(7 << 30,)) for name in ("from", "to")]
    start = (1 << 28) * 8
    for far in (start, start + (1 << 32)):
        files[0][far : far + 40 * 30 * 8] = np.random.default_rng(3).integers(0, 256, 9600, dtype=np.uint8)
    prepare(*layouts, DataType.UINT64).run(files[0].ctypes.data, files[1].ctypes.data)
    for source, target in zip(places(layouts[0]), places(layouts[1]), strict=True):
        moved_bytes = files[1][target * 8 : target * 8 + 8]
        assert np.array_equal(moved_bytes, files[0][source * 8 : source * 8 + 8])
        assert not files[1][target * 8 + 8 : target * 8 + 16].any()


def test_run_arrays__refuses_a_short_buffer(natively: None) -> None:
    move = prepare(*_packed((70, 77), 1, 70), DataType.FLOAT32)
    whole = np.zeros(70 * 77 * 4, np.uint8)
    with pytest.raises(ValueError, match="found 21559 bytes"):
        move.run_arrays(whole, whole[1:].copy())


def test_run_arrays__refuses_what_is_no_buffer(natively: None) -> None:
    move = prepare(*_packed((70, 77), 1, 70), DataType.FLOAT32)
    size = 70 * 77 * 4
    whole, fixed = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="expected one that may be written to"):
        move.run_arrays(whole, fixed)
    with pytest.raises(ValueError, match="expected one without gaps"):
        move.run_arrays(np.zeros(2 * size, np.uint8)[::2], whole)
    with pytest.raises(ValueError, match="expected one without gaps"):
        move.run_arrays(np.zeros(size, np.uint8)[::-1], whole)


def test_run_arrays__may_overlap(natively: None, stores: str) -> None:
    layouts = _packed((70, 77), 1, 70)
    memory = np.random.default_rng(9).integers(0, 256, 70 * 77 * 4 + 40, dtype=np.uint8)
    source, destination = memory[40:], memory[:-40]
    expected = moved(source.tobytes(), destination.tobytes(), layouts, 4)
    prepare(*layouts, DataType.FLOAT32).run_arrays(source, destination)
    assert_same_bytes(destination, expected, "overlapping")


def test_small_moves__go_to_numpy() -> None:
    assert prepare(Layout((8, 8), (1, 8)), Layout((8, 8)), DataType.FLOAT32).kernel == "numpy"


@pytest.mark.parametrize("size", [(3, 5), (300, 500)])
def test_prepared__is_the_same_after_pickling(size: tuple[int, int]) -> None:
    layouts = _packed(size, 1, size[0])
    move = prepare(*layouts, DataType.UINT16, threads=2)
    source, destination = buffer(layouts[0], 2, 0, 1), buffer(layouts[1], 2, 0, 2)
    expected = moved(source.tobytes(), destination.tobytes(), layouts, 2)
    move.run_arrays(source, np.copy(destination))
    copied = pickle.loads(pickle.dumps(move))
    copied.run_arrays(source, destination)
    assert_same_bytes(destination, expected, repr(copied))
    assert copied.plan == move.plan
    assert "Layout" in repr(copied)


@pytest.mark.parametrize(
    ("data_type", "value", "element"),
    [
        (DataType.FLOAT32, 1.5, b"\x00\x00\xc0\x3f"),
        (DataType.FLOAT16, -2.0, b"\x00\xc0"),
        (DataType.UINT8, 200, b"\xc8"),
        (DataType.INT64, -2, b"\xfe" + b"\xff" * 7),
    ],
)
@pytest.mark.parametrize("layout", [Layout((3, 400)), Layout((3, 400), (900, 2), 5), Layout((70, 9), (-1, 70), 69)])
def test_fill(natively: None, stores: str, layout: Layout, data_type: DataType, value: float, element: bytes) -> None:
    size = data_type.element_bytes
    destination = buffer(layout, size, 3, seed=4)
    expected = moved(element, destination.tobytes(), (Layout(layout.sizes, (0,) * layout.rank), layout), size)
    again = destination.copy()
    prepared = pickle.loads(pickle.dumps(fill(layout, data_type, value)))
    prepared.run_arrays(destination)
    assert_same_bytes(destination, expected, prepared.plan.describe())
    prepared.run(again.ctypes.data)
    assert_same_bytes(again, expected, prepared.kernel)
