"""The helpers of these tests can fail, and the oracles give the documented examples."""

from __future__ import annotations

import numpy as np
import pytest

from anydml.slicing import DmlSlice, DmlSlice1, OnnxSlice, TensorFlowSlice, WebnnSlice
from tests.slicing import oracles
from tests.slicing.oracles import INT64_MIN, Refused, numbered, same


@pytest.mark.parametrize("other", [[2, 1, 0], [0, 1], [[0, 1, 2]], [0, 1, 3], []])
def test_same__can_fail(other: list[int]) -> None:
    assert same([0, 1, 2], np.arange(3))
    assert not same([0, 1, 2], np.array(other))


def test_same__tells_empty_shapes_apart() -> None:
    assert not same(np.zeros((0, 2)), np.zeros((2, 0)))


def test_oracles__documented_slice1_examples() -> None:
    image = np.arange(1, 17).reshape(1, 1, 4, 4)
    window = ((0, 0, 0, 1), (1, 1, 4, 3))
    forward = oracles.of_slice1(DmlSlice1(*window, (1, 1, 2, 2), (1, 1, 2, 2)), image)
    assert forward.tolist() == [[[[2, 4], [10, 12]]]]
    reverse = oracles.of_slice1(DmlSlice1(*window, (1, 1, -2, 2), (1, 1, 2, 2)), image)
    assert reverse.tolist() == [[[[14, 16], [6, 8]]]]


def test_oracles__each_by_hand() -> None:
    row = numbered((6,))
    assert oracles.of_onnx(OnnxSlice((-1,), (INT64_MIN,), (0,), (-2,)), row).tolist() == [5, 3, 1]
    assert oracles.of_onnx(OnnxSlice((0,), (5,), (0,), (-1,)), row).tolist() == []
    assert oracles.of_tensorflow(TensorFlowSlice((4,), (0,), (-2,), end_mask=1), row).tolist() == [4, 2, 0]
    assert oracles.of_webnn(WebnnSlice((1,), (4,), (3,)), row).tolist() == [1, 4]
    assert oracles.of_dml_slice(DmlSlice((1,), (2,), (3,)), row).tolist() == [1, 4]


@pytest.mark.parametrize(
    "window", [((0,), (7,), (1,), (1,)), ((0,), (6,), (0,), (1,)), ((0,), (6,), (-3,), (3,)), ((0,), (6,), (1,), (0,))]
)
def test_oracles__refuse_a_bad_window(window: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(Refused):
        oracles.of_slice1(DmlSlice1(*window), numbered((6,)))
