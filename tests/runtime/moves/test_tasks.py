"""Moves and fills as tasks of a list: a device runs those of a whole plan in one call."""

from __future__ import annotations

import numpy as np
import pytest

from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves.engine import fill, prepare
from anydml.runtime.native import llvm
from anydml.runtime.native.tasks import TaskList
from tests.runtime.moves.support import TYPES, assert_same_bytes, buffer, moved
from tests.runtime.moves.test_moves import CASES

pytest.importorskip("llvmlite.binding", reason="tasks are machine code")


@pytest.mark.parametrize("kernel", CASES)
def test_moves__between_slots_of_one_list(natively: None, stores: str, kernel: str) -> None:
    """All cases of a kernel, each between slots of its own, in one call."""
    tasks, addresses, expected = [], [], []
    for layouts in CASES[kernel]:
        move = prepare(*layouts, TYPES[4])
        source, destination = buffer(layouts[0], 4, 4, 1), buffer(layouts[1], 4, 12, 2)
        wanted = moved(source.tobytes(), destination.tobytes(), layouts, 4)
        # The destination's slot comes first, to show that neither has to.
        tasks += move.tasks(len(addresses) + 1, len(addresses))
        addresses += [destination.ctypes.data, source.ctypes.data]
        expected.append((source, destination, wanted, move))
    assert len(tasks) == len(expected)
    TaskList(tasks).run(addresses, threads=3)
    for _, destination, wanted, move in expected:
        assert_same_bytes(destination, wanted, repr(move))


@pytest.mark.parametrize("layout", [Layout((3, 400)), Layout((3, 400), (900, 2), 5), Layout((70, 9), (-1, 70), 69)])
@pytest.mark.parametrize(("data_type", "value"), [(DataType.UINT8, 200), (DataType.FLOAT16, 1.5), (DataType.INT64, -2)])
def test_fills__hold_their_value(
    natively: None, stores: str, layout: Layout, data_type: DataType, value: float
) -> None:
    element = np.array([value]).astype(data_type.numpy_dtype).tobytes()
    destination = buffer(layout, data_type.element_bytes, 8, 3)
    layouts = Layout(layout.sizes, (0,) * layout.rank), layout
    expected = moved(element, destination.tobytes(), layouts, data_type.element_bytes)
    tasks = TaskList(fill(layout, data_type, value).tasks(1), slot_count=3)
    assert tasks.tasks
    tasks.run([0, destination.ctypes.data, 0], threads=2)
    assert_same_bytes(destination, expected, repr(layout))


def test_fill_then_moves__in_order(natively: None) -> None:
    """A padded join: the fill comes first, the moves into its middle after it, through a slot in between."""
    whole, part = Layout((40, 50)), Layout((20, 50), (50, 1), 500)
    small = Layout((20, 50))
    tasks = [
        *fill(whole, DataType.INT32, 7).tasks(2),
        *prepare(Layout((20, 50), (1, 20)), small, DataType.INT32).tasks(0, 1),
        *prepare(small, part, DataType.INT32).tasks(1, 2),
    ]
    source = np.arange(1000, dtype=np.int32)
    between, result = np.zeros(1000, np.int32), np.zeros((40, 50), np.int32)
    TaskList(tasks).run([array.ctypes.data for array in (source, between, result)], threads=3)
    expected = np.full((40, 50), 7)
    expected[10:30] = source.reshape(50, 20).T
    assert np.array_equal(result, expected)


def test_tasks__are_none_where_numpy_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = Layout((8, 8)), Layout((800, 800))
    assert prepare(small, small, DataType.FLOAT32).tasks(0, 1) == ()
    assert fill(small, DataType.FLOAT32, 1).tasks(0) == ()
    assert prepare(Layout((7,), (3,)), Layout((7,)), DataType.UINT4).tasks(0, 1) == ()
    assert len(prepare(large, large, DataType.FLOAT32).tasks(0, 1)) == 1
    monkeypatch.setattr(llvm, "is_available", lambda: False)
    assert prepare(large, large, DataType.FLOAT32).tasks(0, 1) == ()


def test_tasks__refuse_negative_slots(natively: None) -> None:
    row = Layout((99,))
    for slots in ((-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="slot: found -1"):
            prepare(row, row, DataType.FLOAT32).tasks(*slots)
