"""Nests through NumPy: every block is computed, whatever the sizes, and nothing is written beside the elements."""

from __future__ import annotations

import numpy as np
import pytest

import anydml as dml
from anydml.core.steps import Nest
from anydml.graph.lower import lower
from anydml.runtime.cpu import arrays
from anydml.runtime.cpu.arrays import NumpyNest


@pytest.mark.parametrize(
    ("sizes", "most"),
    [((4, 5), 1 << 14), ((5, 9), 7), ((5, 9), 9), ((3, 7001), 1 << 14), ((40000,), 1 << 14), ((2, 2, 9000), 1 << 14)],
)
def test_blocks__cover_every_element(sizes: tuple[int, ...], most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "BLOCK_ELEMENTS", most)
    x = np.random.default_rng(1).normal(size=sizes).astype(np.float32)
    operator = dml.ElementWiseSubtract(
        a_tensor=dml.TensorDesc("FLOAT32", sizes), b_tensor=dml.TensorDesc("FLOAT32", sizes)
    )
    (step,) = lower(dml.Graph.of(operator)).steps
    assert isinstance(step, Nest)
    result = np.full(x.size + 8, np.nan, np.float32)
    memory = [x.reshape(-1).view(np.uint8), (2 * x).reshape(-1).view(np.uint8), result[:-8].view(np.uint8)]
    NumpyNest(step).bind(memory)()
    np.testing.assert_array_equal(result[:-8].reshape(sizes), -x)
    assert np.isnan(result[-8:]).all()
