"""What a selection is, the traps between dialects, and what each refusal says."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.slicing import Selection, slice1
from tests.core.checks import error_of, violations_of
from tests.slicing.oracles import INT32_MAX, INT64_MAX, INT64_MIN, numbered, same

IMAGE = np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4)
WINDOW = ([0, 0, 0, 1], [1, 1, 4, 3])


@pytest.mark.parametrize(
    ("strides", "expected"),
    [([1, 1, 2, 2], [[2, 4], [10, 12]]), ([1, 1, -2, 2], [[14, 16], [6, 8]])],
)
def test_slice1__documented_examples_as_views(strides: list[int], expected: list[list[int]]) -> None:
    view = dml.slice1(IMAGE, *WINDOW, strides)
    assert view.tolist() == [[expected]]
    assert np.shares_memory(view, IMAGE)


def test_slice1__writes_through_and_takes_fewer_than_it_reaches() -> None:
    row = np.arange(6)
    slice1(row, [1], [5], [-2], [2])[...] = 0
    assert row.tolist() == [0, 1, 2, 0, 4, 0]


def test_slice1__an_array_without_axes_stays_a_view() -> None:
    scalar = np.array(7)
    assert np.shares_memory(slice1(scalar, [], [], []), scalar)


def test_equal__exactly_when_the_elements_are() -> None:
    assert Selection((5,), (range(3, 4, 9),)) == Selection((5,), (range(3, 2, -1),)) == Selection((5,), (range(3, 4),))
    assert Selection((5,), (range(4, 2),)) == Selection((5,), (range(0),))
    assert Selection((5,), (range(0, 5, 3),)) == Selection((5,), (range(0, 4, 3),))
    assert Selection((5,), (range(2),)) != Selection((6,), (range(2),))
    assert Selection((5,), (range(1),)) != Selection((5,), (range(1),), ())
    assert len({Selection((5,), (range(0, 5, 3),)), Selection((5,), (range(0, 4, 3),))}) == 1


def test_selection__is_frozen_and_picklable() -> None:
    selection = Selection.from_numpy(np.s_[3::-2, None, 0], (4, 4))
    assert pickle.loads(pickle.dumps(selection)) == selection
    with pytest.raises(AttributeError):
        selection.ranges = ()  # type: ignore[misc]


# The traps


def test_trap__onnx_backwards_from_0_is_empty_where_a_window_is_reversed() -> None:
    assert Selection.from_onnx([0], [5], steps=[-1], input_sizes=(5,)).is_empty
    assert Selection.from_slice1([0], [5], [-1], input_sizes=(5,)).ranges == (range(4, -1, -1),)


def test_trap__stepping_back_past_0_needs_a_sentinel() -> None:
    whole = Selection.from_numpy(np.s_[::-1], (5,))
    assert whole.to_onnx().ends == (INT64_MIN,)
    assert whole.to_numpy() == (slice(4, None, -1),)
    assert whole.to_tensorflow().end_mask == 1
    assert Selection.from_onnx([4], [-1], steps=[-1], input_sizes=(5,)).is_empty


def test_trap__a_start_before_0_is_0_in_onnx_and_nothing_in_numpy() -> None:
    assert Selection.from_onnx([-100], [INT64_MIN], steps=[-1], input_sizes=(5,)).ranges == (range(1),)
    assert Selection.from_numpy(np.s_[-100::-1], (5,)).is_empty


@pytest.mark.parametrize("end", [INT32_MAX, INT64_MAX])
def test_trap__the_largest_end_is_the_end_only_forwards(end: int) -> None:
    assert Selection.from_onnx([1], [end], input_sizes=(5,)).ranges == (range(1, 5),)
    assert Selection.from_onnx([1], [end], steps=[-1], input_sizes=(5,)).is_empty


def test_trap__sizes_of_webnn_are_a_window_and_those_of_dml_slice_a_count() -> None:
    assert Selection.from_webnn([0], [4], [2], input_sizes=(7,)).output_sizes == (2,)
    assert Selection.from_dml_slice([0], [4], [2], input_sizes=(7,)).output_sizes == (4,)


def test_trap__windows_are_not_unique_and_the_smallest_is_chosen() -> None:
    wide = Selection.from_slice1([0], [4], [-2], input_sizes=(4,))
    assert wide == Selection.from_slice1([1], [3], [-2], input_sizes=(4,))
    assert wide.to_slice1() == ((1,), (3,), (-2,), (2,))


def test_trap__shrinking_wins_over_masks_and_new_axes_over_shrinking() -> None:
    shrunk = Selection.from_tensorflow([-1], [0], [1], begin_mask=1, shrink_axis_mask=1, input_sizes=(5,))
    assert shrunk == Selection.from_numpy(-1, (5,))
    new = Selection.from_tensorflow([9], [0], [0], new_axis_mask=1, shrink_axis_mask=1, input_sizes=(5,))
    assert new == Selection.from_numpy(None, (5,))


# To the operator


@pytest.mark.parametrize("index", [np.s_[::-1, 1:4:2], np.s_[1:, ::-3], np.s_[2:3, 4:0:-2]])
def test_to_operator__reads_the_selected_elements(index: Any) -> None:
    array = numbered((3, 5))
    operator = Selection.from_numpy(index, (3, 5)).to_operator("INT64")
    window, flat = operator.window(), array.reshape(-1)
    found = np.array([flat[window(place)] for place in window.indices()]).reshape(window.sizes)
    assert same(found, array[index])
    assert operator.output_tensor.sizes == array[index].shape


def test_fields__are_those_of_the_operators() -> None:
    selection = Selection.from_numpy(np.s_[1:4:2], (5,))
    x = dml.TensorDesc("FLOAT32", [5])
    assert dml.Slice(input_tensor=x, **selection.to_dml_slice()._asdict()).output_tensor.sizes == (2,)
    assert set(selection.to_slice1()._fields) - {"output_sizes"} <= set(dml.Slice1.fields)


def test_describe__every_dialect_or_why_not() -> None:
    lines = Selection.from_numpy(np.s_[3::-2], (4,)).describe().splitlines()
    assert [line.split()[0] for line in lines] == [
        "sizes",
        "NumPy",
        "ONNX",
        "TensorFlow",
        "WebNN",
        "DML_SLICE",
        "DML_SLICE1",
    ]
    assert lines[1].split() == ["NumPy", "[3:0:-2]"]
    assert "WebNN reverse" in lines[4] and "to_slice1" in lines[5]
    assert Selection.from_numpy((), ()).describe().splitlines()[1].split() == ["NumPy", "[()]"]


# Refusals


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        ("Selection.from_numpy((True, [1], 1.5), (4,))", "slicing.index-kind index[0] index[1] index[2]"),
        ("Selection.from_numpy(slice('a', 2.5), (4,))", "slicing.index-kind index[0].start index[0].stop"),
        ("Selection.from_numpy(np.s_[::0], (4,))", "slicing.step index[0].step"),
        ("Selection.from_numpy(np.True_, (4,))", "slicing.index-kind index[0]"),
        ("Selection.from_numpy(np.array([1, 2]), (4,))", "slicing.index-kind index[0]"),
        ("Selection.from_numpy((4, ..., -6), (4, 2, 5))", "slicing.index-inside index[0] index[2]"),
        ("Selection.from_numpy(0, (0,))", "slicing.index-inside index[0]"),
        ("Selection.from_numpy(0, ())", "slicing.index-count index"),
        ("Selection.from_numpy(0, 4)", "list input_sizes"),
        ("Selection.from_onnx(0, [1.5], input_sizes=(4,))", "list starts, integer ends[0]"),
        ("Selection.from_onnx([0, 0], [1], [0], [0, 1], input_sizes=(4, 4))", "slicing.count ends axes"),
        (
            "Selection.from_onnx([0, 0], [1, 1], [2, -3], [0, 1], input_sizes=(4, 4))",
            "slicing.onnx-axes axes[0] axes[1], slicing.step steps[0]",
        ),
        ("Selection.from_onnx([0], [1], input_sizes=())", "slicing.onnx-axes axes[0]"),
        ("Selection.from_tensorflow([0], [1], [0], input_sizes=(4,))", "slicing.step strides[0]"),
        (
            "Selection.from_tensorflow([0, 0], [1, 1], ellipsis_mask=3, input_sizes=(4,))",
            "slicing.ellipsis ellipsis_mask",
        ),
        ("Selection.from_tensorflow([0], [1], begin_mask='x', input_sizes=(4,))", "integer begin_mask"),
        ("Selection.from_tensorflow([5], [1], shrink_axis_mask=1, input_sizes=(4,))", "slicing.index-inside begin[0]"),
        ("Selection.from_webnn([3], [2], [0], input_sizes=(4,))", "slicing.step strides[0], window.inside sizes[0]"),
        ("Selection.from_webnn([0, 0], [1], input_sizes=(4,))", "slicing.count starts"),
        ("Selection.from_dml_slice([3], [2], [-1], input_sizes=(4,))", "slicing.forward strides[0]"),
        ("Selection.from_dml_slice([1], [2], [3], input_sizes=(4,))", "slicing.inside sizes[0]"),
        ("Selection.from_dml_slice([0], [0], [1], input_sizes=(4,))", "slicing.empty sizes[0]"),
        (
            "Selection.from_slice1([1], [4], [0], input_sizes=(4,))",
            "window.inside input_window_sizes[0], window.stride input_window_strides[0]",
        ),
        ("Selection.from_slice1([0], [4], [-2], [3], input_sizes=(4,))", "window.output output_sizes[0]"),
        ("Selection.from_slice1([0], [4], [2**31], input_sizes=(4,))", "slicing.bits input_window_strides[0]"),
        ("Selection.from_numpy(np.s_[::2], (2**32,)).to_webnn()", "slicing.bits input_sizes[0]"),
        ("Selection.from_numpy(np.s_[::2], (2**32,)).to_slice1()", "sizes.product input_sizes"),
        ("Selection.from_numpy(..., (1,) * 9).to_slice1()", "sizes.count input_sizes"),
        ("Selection.from_numpy(..., ()).to_slice1()", "sizes.count input_sizes"),
        ("Selection.from_numpy(np.s_[1:1, ::-1], (4, 4)).to_webnn()", "slicing.empty axis-0, slicing.forward axis-1"),
        ("Selection.from_numpy(0, (4,)).to_onnx()", "slicing.axes-kept output_axes"),
        ("Selection((4,), 5)", "list ranges"),
        ("Selection((4,), ())", "slicing.count ranges"),
        ("Selection((4,), (range(5),))", "slicing.inside ranges[0]"),
        ("Selection((4,), (range(10**30),))", "slicing.inside ranges[0]"),
        ("Selection((4, 4), (range(4), range(4)), (1, 0))", "slicing.output-axes output_axes"),
    ],
)
def test_refusals__name_the_field(ask: str, expected: str) -> None:
    found = violations_of(lambda: eval(ask, {"np": np, "Selection": Selection}))
    rows = [row.split() for row in expected.split(", ")]
    assert found == [(rule, path.replace("axis-", "axis ")) for rule, *paths in rows for path in paths]


def test_refusals__say_what_to_try() -> None:
    dropped = Selection.from_numpy(np.s_[None, 2, ::-1], (4, 4))
    error = error_of(dropped.to_slice1)
    assert "keep_axes(), then a reshape to (1, 4)" in str(error)
    assert dropped.keep_axes().to_slice1() == ((2, 0), (1, 4), (1, -1), (1, 4))


def test_long_steps__are_said_where_they_fit() -> None:
    sizes = (2**32 - 1,)
    forwards = Selection.from_numpy(np.s_[:: 2**31], sizes)
    assert forwards.to_dml_slice().strides == (2**31,)
    assert violations_of(forwards.to_slice1) == [("slicing.bits", "strides[0]")]
    backwards = Selection.from_numpy(np.s_[:: -(2**31)], sizes)
    assert backwards.to_slice1().input_window_strides == (-(2**31),)


def test_numpy_slices__of_any_length_are_clamped() -> None:
    assert Selection.from_numpy(np.s_[-(10**30) : 10**30 : 2], (5,)).ranges == (range(0, 5, 2),)
