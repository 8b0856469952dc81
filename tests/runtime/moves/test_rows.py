"""Short rows: any size is copied by a few kernels."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves import lowering
from anydml.runtime.moves.engine import prepare
from anydml.runtime.moves.kernels.rows import short_row_steps
from anydml.runtime.moves.kernels.runs import STEPPED_ROW_BYTES
from anydml.runtime.moves.plan import plan_move
from anydml.runtime.native import llvm

WIDTHS = (16, 32, 64)
SIZES = range(1, STEPPED_ROW_BYTES + 20)


@pytest.mark.parametrize("width", WIDTHS)
def test_steps__cover_the_row_and_nothing_else(width: int) -> None:
    for size in range(1, STEPPED_ROW_BYTES + 1):
        *first, last = short_row_steps(size, width)
        assert sum(first) + last >= size
        assert sum(first) <= size
        assert 0 <= size - last <= sum(first)
        assert all(step & (step - 1) == 0 and step <= width for step in (*first, last))


@pytest.mark.parametrize(("width", "most"), [(16, 44), (32, 30), (64, 24)])
def test_kernels__are_few(width: int, most: int) -> None:
    """One for each size would be hundreds."""

    def shape(size: int) -> object:
        plan = plan_move(Layout((50, size), (size + 9, 1)), Layout((50, size), (size + 1, 1)), 1)
        return lowering.lower(plan, width, False).shape

    assert len({shape(size) for size in range(1, 5000)}) <= most


@pytest.mark.parametrize("width", WIDTHS)
def test_rows__of_every_size(natively: None, stores: str, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setattr(llvm, "vector_bytes", lambda: width)
    rows = 5
    data = np.random.default_rng(4).integers(0, 256, rows * (max(SIZES) + 20), dtype=np.uint8)
    for size in SIZES:
        for gap in (0, 3):
            result = np.zeros(rows * (size + gap) + 64, np.uint8)
            layouts = Layout((rows, size), (size + 7, 1), 1), Layout((rows, size), (size + gap, 1), 2)
            prepare(*layouts, DataType.UINT8).run_arrays(data, result)
            expected = np.zeros_like(result)
            for row in range(rows):
                start, target = 1 + row * (size + 7), 2 + row * (size + gap)
                expected[target : target + size] = data[start : start + size]
            assert np.array_equal(result, expected), (size, gap)


def test_moves__without_llvmlite() -> None:
    """Everything works through NumPy where llvmlite cannot be imported."""
    program = """
import sys
sys.modules["llvmlite"] = None
import numpy as np
from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves.engine import fill, prepare
side = 600
data, result = np.arange(side * side, dtype=np.float32), np.zeros(side * side, np.float32)
move = prepare(Layout((side, side), (1, side)), Layout((side, side)), DataType.FLOAT32)
move.run_arrays(data.view(np.uint8), result.view(np.uint8))
assert (result.reshape(side, side) == data.reshape(side, side).T).all()
assert move.kernel == "numpy" and move.tasks(0, 1) == ()
filled = fill(Layout((side, side)), DataType.FLOAT32, 2.5)
filled.run_arrays(result.view(np.uint8))
assert (result == 2.5).all() and filled.tasks(0) == ()
"""
    done = subprocess.run([sys.executable, "-c", program], timeout=60, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
