"""Layouts: names of orders, limits, and every way an operation can be asked wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.core.policy import DEFAULT, INTERLEAVED_CHANNEL
from tests.core.checks import violations_of

Layout = dml.Layout
HUGE = 10**5000


@pytest.mark.parametrize(
    ("sizes", "order", "strides"),
    [
        ((2, 3, 4, 5), "NCHW", (60, 20, 5, 1)),
        ((2, 3, 4, 5), "NHWC", (60, 1, 15, 3)),
        ((2, 3, 4, 5), "nhwc", (60, 1, 15, 3)),
        ((2, 3, 4, 5, 6), "NCDHW", (360, 120, 30, 6, 1)),
        ((2, 3, 4, 5, 6), "NDHWC", (360, 1, 90, 18, 3)),
        ((2, 3), "HW", (3, 1)),
        ((2, 3), "WH", (1, 2)),
        ((2, 3, 4), "DHW", (12, 4, 1)),
        ((2, 3, 4), "WHD", (1, 2, 6)),
        ((2, 3, 4), "NCW", (12, 4, 1)),
        ((2, 3, 4), "CBA", (1, 2, 6)),
    ],
)
def test_from_order__gives_strides_in_logical_order(
    sizes: tuple[int, ...], order: str, strides: tuple[int, ...]
) -> None:
    assert Layout.from_order(sizes, order).strides == strides
    assert dml.TensorDesc("FLOAT32", sizes, order=order).strides == strides


def test_order__is_told_with_its_ambiguity() -> None:
    plain = Layout((2, 3, 4, 5)).order
    assert (plain.names, plain.is_ambiguous, str(plain)) == (("NCHW",), False, "NCHW")
    both = Layout((1, 1, 3, 5), (15, 1, 5, 1)).order
    assert both.is_ambiguous and both.total == 12
    assert both.names[:2] == ("NCHW", "NHWC") and both.exact == ("NHWC",)
    assert "ambiguous" in str(both) and "NHWC" in str(both)
    assert str(Layout((2, 3), (0, 1)).order) == "no named order"
    assert Layout((2, 3), (3, 2)).order.names == (), "elements of two rows interleave"
    assert Layout((2, 3), (5, 1)).order.names == ("HW",), "padding keeps the order"
    assert Layout((2, 3), (-3, 1)).order.names == ()


def test_order__of_eight_sizes_of_one_is_counted_not_listed() -> None:
    match = Layout((1,) * 8).order
    assert match.total == 40320 and len(match.names) == 24 and match.names[0] == "ABCDEFGH"


@pytest.mark.parametrize("name", ["default", "interleaved_channel"])
def test_policies__leave_low_ranks_packed(name: str) -> None:
    policy = {"default": DEFAULT, "interleaved_channel": INTERLEAVED_CHANNEL}[name]
    assert policy([2, 3]) == Layout((2, 3)) and policy([5]) == Layout((5,))
    assert violations_of(lambda: policy([2, "x", 3, 4])) == [("integer", "Sizes[1]")]


def test_window__of_the_slice1_page() -> None:
    """A negative stride starts at the window's end; an output may take fewer elements than the window has."""
    layout = Layout((4, 4))
    assert [layout.window((0, 0), (4, 4), (2, -2))(i) for i in ((0, 0), (0, 1), (1, 0), (1, 1))] == [3, 1, 11, 9]
    assert Layout((5,)).window((1,), (4,), (-3,), (1,)) == Layout((1,), (1,), 4)


def test_window__takes_numpy_arrays() -> None:
    arrays = [np.array(values) for values in ((1, 0), (2, 3), (1, -1), (2, 2))]
    assert Layout((3, 3)).window(*arrays) == Layout((3, 3)).window((1, 0), (2, 3), (1, -1), (2, 2))


def test_layout__reads_any_integers() -> None:
    assert Layout(np.array([2, 3]), [np.int64(5), np.uint8(1)], np.int32(4)) == Layout((2, 3), (5, 1), 4)
    assert all(type(n) is int for n in Layout(np.array([2, 3])).sizes)


def test_limits__are_exact() -> None:
    assert Layout((2**32 - 1,)).span == 2**32 - 1
    assert Layout((2, 1), (2**32 - 2, 0)).span == 2**32 - 1
    assert violations_of(lambda: Layout((2**32,))) == [("sizes.product", "Sizes")]
    assert violations_of(lambda: Layout((2,), (2**32 - 1,))) == [("layout.span", "Strides")]
    assert violations_of(lambda: Layout((2,), (-(2**32 - 1),))) == [("layout.span", "Strides")]
    assert Layout((1,), (1,), 2**63 - 1).last_offset == 2**63 - 1


BAD: list[tuple[Callable[[], Any], list[tuple[str, str]]]] = [
    (lambda: Layout(()), [("sizes.count", "Sizes")]),
    (lambda: Layout((1,) * 9), [("sizes.count", "Sizes")]),
    (lambda: Layout((0, 2, -1)), [("sizes.positive", "Sizes[0]"), ("sizes.positive", "Sizes[2]")]),
    (lambda: Layout((2, 3), (1,)), [("strides.count", "Strides")]),
    (lambda: Layout((2, 3), ()), [("strides.count", "Strides")]),
    (lambda: Layout((2, 2.5)), [("integer", "Sizes[1]")]),
    (lambda: Layout((2, True)), [("integer", "Sizes[1]")]),
    (lambda: Layout((2,), ("a",), None), [("integer", "Strides[0]"), ("integer", "Offset")]),
    (lambda: Layout("23"), [("list", "Sizes")]),
    (lambda: Layout({2, 3}), [("list", "Sizes")]),
    (lambda: Layout(n for n in (2, 3)), [("list", "Sizes")]),
    (lambda: Layout(np.array(3)), [("list", "Sizes")]),
    (lambda: Layout(HUGE), [("list", "Sizes")]),
    (lambda: Layout((HUGE,), (-HUGE,), HUGE), [("integer.bits", p) for p in ("Sizes[0]", "Strides[0]", "Offset")]),
    (lambda: Layout((2,), (1,), -(2**63)), [("layout.offset", "Offset")]),
    (lambda: Layout((2**32, 2), (2**32, 1)), [("sizes.product", "Sizes"), ("layout.span", "Strides")]),
    (lambda: Layout((2, 3))((1,)), [("layout.index", "index")]),
    (lambda: Layout((2, 3))((0, -1)), [("layout.index", "index")]),
    (lambda: Layout((2, 3))((2, 0)), [("layout.index", "index")]),
    (lambda: Layout((2, 3))(3), [("list", "index")]),
    (lambda: Layout((2, 3))((HUGE, 0)), [("integer.bits", "index[0]")]),
    (lambda: Layout((2, 3)).permute((0, 0)), [("permute.axes", "axes")]),
    (lambda: Layout((2, 3)).permute((0, 1, 2)), [("permute.axes", "axes")]),
    (lambda: Layout((2, 3)).permute((0, 1.0)), [("integer", "axes[1]")]),
    (lambda: Layout((2, 3)).permute(0), [("list", "axes")]),
    (lambda: Layout((2, 3)).broadcast_to((3,)), [("broadcast.sizes", "sizes")]),
    (lambda: Layout((2, 3)).broadcast_to((2, 6)), [("broadcast.sizes", "sizes")]),
    (lambda: Layout((2, 1)).broadcast_to((2, 0)), [("sizes.positive", "Sizes[1]")]),
    (lambda: Layout((2, 3)).broadcast_to((1,) * 7 + (2, 3)), [("sizes.count", "Sizes")]),
    (lambda: Layout((2, 3)).pad((1,)), [("pad.amount", "amounts")]),
    (lambda: Layout((2, 3)).pad((-1, 0)), [("pad.amount", "amounts")]),
    (lambda: Layout((2, 3), (0, 1)).pad((0, 1)), [("pad.amount", "amounts")]),
    (lambda: Layout((2, 3)).pad(()), [("pad.amount", "amounts")]),
    (
        lambda: Layout((2, 3)).window((0,), (2, 3), (1, 1, 1)),
        [("window.count", "offsets"), ("window.count", "strides")],
    ),
    (
        lambda: Layout((2, 3)).window((2, -1), (1, 0), (0, 0)),
        [
            ("window.inside", "offsets[0]"),
            ("window.stride", "strides[0]"),
            ("window.inside", "offsets[1]"),
            ("window.stride", "strides[1]"),
        ],
    ),
    (lambda: Layout((5,)).window((0,), (5,), (2,), (4,)), [("window.output", "output_sizes[0]")]),
    (lambda: Layout((5,)).window((0,), (5,), (-2,), (0,)), [("window.output", "output_sizes[0]")]),
    (lambda: Layout((5,)).window((0,), (5,), (1,), ()), [("window.count", "output_sizes")]),
    (lambda: Layout((5,)).window("0", (5,), (1,)), [("list", "offsets")]),
    (lambda: Layout((5,)).window((0,), ("5",), (1,)), [("integer", "sizes[0]")]),
    (lambda: Layout((6,)).split(0, (2, 2)), [("split.factors", "factors")]),
    (lambda: Layout((6,)).split(0, (-2, -3)), [("split.factors", "factors")]),
    (lambda: Layout((1,)).split(0, ()), [("split.factors", "factors")]),
    (lambda: Layout((2, 6)).split(-1, (2, 3)), [("axis.inside", "axis")]),
    (lambda: Layout((2, 6)).split("1", (2, 3)), [("integer", "axis")]),
    (lambda: Layout((2, 6)).split(2, (2, 3)), [("axis.inside", "axis")]),
    (lambda: Layout((2, 3)).reshape((4,)), [("reshape.count", "sizes")]),
    (lambda: Layout((2, 3)).reshape((6, 0)), [("sizes.positive", "Sizes[1]")]),
    (lambda: Layout((2, 3), (5, 1)).reshape((3, 2)), [("reshape.strides", "sizes[1]")]),
    (lambda: Layout.from_order((2, 3), "HH"), [("order.letters", "Order")]),
    (lambda: Layout.from_order((2, 3), "H?"), [("order.letters", "Order")]),
    (lambda: Layout.from_order((2, 3), "HÄ"), [("order.letters", "Order")]),
    (lambda: Layout.from_order((2, 3), 7), [("order.letters", "Order")]),
    (lambda: Layout.from_order((2, 3), "NHHC"), [("order.letters", "Order"), ("order.length", "Order")]),
    (lambda: Layout.from_order((2, 3), "HW", axes="HHW"), [("order.axes", "axes")]),
    (lambda: Layout.from_order((2, 3), "HW", axes=7), [("order.axes", "axes")]),
]


@pytest.mark.parametrize(("ask", "expected"), BAD)
def test_bad_input__is_named(ask: Callable[[], Any], expected: list[tuple[str, str]]) -> None:
    assert violations_of(ask) == expected


def test_offsets__that_find_no_room_are_no_error_of_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*given: Any, **named: Any) -> Any:
        raise MemoryError

    layout = Layout((2, 3), (5, 1))
    assert layout.offsets().tolist() == [[0, 1, 2], [5, 6, 7]]
    monkeypatch.setattr(np, "full", nothing)
    assert violations_of(layout.offsets, dml.OutOfMemoryError) == [("memory.host", "offsets")]


def test_slices__are_read_by_name() -> None:
    layout = Layout((4, 5))
    assert layout[1:3, ::-2] == Layout((2, 3), (5, -2), 9) and layout[np.int64(1) :] == layout[1:]
    for index, path in (
        (slice(None, None, 0), "index[0].step"),
        ((0, slice("a", None)), "index[1].start"),
        ((slice(None), slice(None, 2.5)), "index[1].stop"),
    ):
        assert violations_of(lambda index=index: layout[index])[0][1] == path
