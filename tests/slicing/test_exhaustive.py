"""Every slice of small arrays, in every dialect and back. The numbers of cases are asserted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import chain, product
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.slicing import DmlSlice, DmlSlice1, OnnxSlice, Selection, TensorFlowSlice, WebnnSlice, slice1
from tests.slicing import oracles
from tests.slicing.oracles import INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, SENTINELS, Refused, numbered, same

SIZES = range(7)
BOUNDS = (*range(-9, 10), *SENTINELS)
STEPS = (*range(-7, 0), *range(1, 8), INT32_MIN, INT32_MAX, INT64_MIN, INT64_MAX)
BOUNDS_OR_NONE = (*BOUNDS, None)


@cache
def selections(size: int) -> list[Selection]:
    """Every selection there is of one axis, in an order of its own."""
    slices = (slice(*bounds) for bounds in product((None, *range(-9, 10)), (None, *range(-9, 10)), range(-7, 8)))
    every = {Selection.from_numpy(part, (size,)) for part in slices if part.step != 0}
    return sorted(every, key=lambda selection: of_range(selection) or [-1])


def test_from_numpy__every_slice() -> None:
    cases = 0
    for size in SIZES:
        array = numbered((size,))
        for start, stop, step in product(BOUNDS_OR_NONE, BOUNDS_OR_NONE, (*STEPS, None)):
            index = slice(start, stop, step)
            selection = Selection.from_numpy(index, (size,))
            assert same(of_range(selection), array[index]), (size, index)
            cases += 1
    assert cases == 7 * 24 * 24 * 19 == 76_608


def of_range(selection: Selection) -> list[int]:
    """One axis of numbered elements: each element is its own place."""
    (part,) = selection.ranges
    return [part.start + i * part.step for i in range(selection.counts[0])]


def test_from_onnx__every_slice() -> None:
    cases = 0
    for size in SIZES:
        array = numbered((size,))
        for start, end, step in product(BOUNDS, BOUNDS, STEPS):
            spec = OnnxSlice((start,), (end,), (0,), (step,))
            selection = Selection.from_onnx(*spec, input_sizes=(size,))
            assert same(of_range(selection), oracles.of_onnx(spec, array)), (size, spec)
            cases += 1
    assert cases == 7 * 23 * 23 * 18 == 66_654


def test_from_tensorflow__every_slice() -> None:
    cases = 0
    for size in SIZES:
        array = numbered((size,))
        for begin, end, stride in product(BOUNDS_OR_NONE, BOUNDS_OR_NONE, STEPS):
            spec = TensorFlowSlice((begin or 0,), (end or 0,), (stride,), int(begin is None), int(end is None))
            selection = Selection.from_tensorflow(*spec, input_sizes=(size,))
            assert same(of_range(selection), oracles.of_tensorflow(spec, array)), (size, spec)
            cases += 1
    assert cases == 7 * 24 * 24 * 18 == 72_576


def agree(read: Callable[[], Selection], oracle: Callable[[], Any], case: object) -> bool:
    """The same elements, or a refusal on both sides; whether there were elements."""
    try:
        expected = oracle()
    except Refused:
        with pytest.raises(dml.DmlError):
            read()
        return False
    assert same(of_range(read()), expected), case
    return True


def test_agree__can_fail() -> None:
    whole = Selection((3,), (range(3),))

    def refuse() -> None:
        raise Refused

    with pytest.raises(pytest.fail.Exception):
        agree(lambda: whole, refuse, "")
    with pytest.raises(AssertionError):
        agree(lambda: whole, lambda: [0, 1], "")


@pytest.mark.parametrize(
    ("value", "read", "oracle", "valid"),
    [
        (WebnnSlice, Selection.from_webnn, oracles.of_webnn, 392),
        (DmlSlice, Selection.from_dml_slice, oracles.of_dml_slice, 205),
    ],
)
def test_from_forward_windows__every_window(value: Any, read: Any, oracle: Any, valid: int) -> None:
    cases = accepted = 0
    for size in range(1, 7):
        array = numbered((size,))
        for offset, count, stride in product(range(-1, 8), range(-1, 9), range(-2, 8)):
            spec = value((offset,), (count,), (stride,))
            accepted += agree(partial(read, *spec, input_sizes=(size,)), partial(oracle, spec, array), spec)
            cases += 1
    assert (cases, accepted) == (6 * 9 * 10 * 10, valid)


def test_from_slice1__every_window() -> None:
    cases = accepted = 0
    for size in range(1, 7):
        array = numbered((size,))
        for offset, count, stride, output in product(range(-1, 8), range(8), range(-8, 9), range(8)):
            spec = DmlSlice1((offset,), (count,), (stride,), (output,))
            read = partial(Selection.from_slice1, *spec, input_sizes=(size,))
            accepted += agree(read, partial(oracles.of_slice1, spec, array), spec)
            cases += 1
    assert (cases, accepted) == (6 * 9 * 8 * 17 * 8, 1114)


def test_slice1__every_window_without_output_sizes_takes_all_it_reaches() -> None:
    cases = 0
    for size in range(1, 7):
        array = numbered((size,))
        for offset, stride in product(range(size), (*range(-8, 0), *range(1, 9))):
            for window in range(1, size - offset + 1):
                found = slice1(array, [offset], [window], [stride])
                inside = array[offset : offset + window]
                assert same(found, inside[::stride])
                assert np.shares_memory(found, array)
                cases += 1
    assert cases == 16 * (1 + 3 + 6 + 10 + 15 + 21)


DIALECTS: dict[str, tuple[Any, Any, Any]] = {
    "numpy": (Selection.to_numpy, lambda said, sizes: Selection.from_numpy(said, sizes), lambda said, x: x[said]),
    "onnx": (Selection.to_onnx, lambda said, sizes: Selection.from_onnx(*said, input_sizes=sizes), oracles.of_onnx),
    "tensorflow": (
        Selection.to_tensorflow,
        lambda said, sizes: Selection.from_tensorflow(*said, input_sizes=sizes),
        oracles.of_tensorflow,
    ),
    "webnn": (Selection.to_webnn, lambda said, sizes: Selection.from_webnn(*said, input_sizes=sizes), oracles.of_webnn),
    "dml_slice": (
        Selection.to_dml_slice,
        lambda said, sizes: Selection.from_dml_slice(*said, input_sizes=sizes),
        oracles.of_dml_slice,
    ),
    "slice1": (
        Selection.to_slice1,
        lambda said, sizes: Selection.from_slice1(*said, input_sizes=sizes),
        oracles.of_slice1,
    ),
}


def refusals(selection: Selection, dialect: str) -> set[str]:
    """The rules a dialect breaks that is asked to say this; none when it can."""
    if dialect in ("numpy", "tensorflow"):
        return set()
    if selection.output_axes != tuple(range(len(selection.ranges))):
        return {"slicing.axes-kept"}
    rules = set()
    if selection.is_empty and dialect != "onnx":
        rules.add("slicing.empty")
    if any(len(part) > 1 and part[1] < part[0] for part in selection.ranges) and dialect in ("webnn", "dml_slice"):
        rules.add("slicing.forward")
    if 0 in selection.input_sizes and dialect in ("dml_slice", "slice1"):
        rules.add("sizes.positive")
    return rules


def check_round_trip(selection: Selection, dialect: str) -> bool:
    """Said in the dialect it selects the same elements, and read back it is the same selection."""
    write, read, oracle = DIALECTS[dialect]
    expected = refusals(selection, dialect)
    if expected:
        with pytest.raises(dml.DmlError) as caught:
            write(selection)
        assert {violation.rule for violation in caught.value.violations} == expected
        return False
    said = write(selection)
    array = numbered(selection.input_sizes)
    assert same(oracle(said, array), oracles.of_selection(selection, array)), said
    assert read(said, selection.input_sizes) == selection
    return True


def test_check_round_trip__can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, part = Selection((3,), (range(3),)), Selection((3,), (range(2),))
    assert check_round_trip(whole, "slice1")
    write, read, oracle = DIALECTS["slice1"]
    monkeypatch.setitem(DIALECTS, "slice1", (lambda _: part.to_slice1(), read, oracle))
    with pytest.raises(AssertionError):
        check_round_trip(whole, "slice1")
    monkeypatch.setitem(DIALECTS, "slice1", (write, lambda *_: part, oracle))
    with pytest.raises(AssertionError):
        check_round_trip(whole, "slice1")


@pytest.mark.parametrize(
    ("dialect", "said"),
    [("numpy", 144), ("onnx", 144), ("tensorflow", 144), ("webnn", 79), ("dml_slice", 79), ("slice1", 137)],
)
def test_round_trip__every_selection_of_one_axis(dialect: str, said: int) -> None:
    every = [*chain.from_iterable(selections(size) for size in SIZES)]
    assert len(every) == 7 + 21 + 2 * 58  # empty, single, and longer ones in both directions
    assert sum(check_round_trip(selection, dialect) for selection in every) == said


@pytest.mark.parametrize("dialect", DIALECTS)
def test_round_trip__two_axes_sampled(dialect: str) -> None:
    pairs = list(product(selections(4), selections(5)))
    chosen = np.random.default_rng(1).permutation(len(pairs))[:1000]
    shapes = [(0, 1), (None, 0, None, 1), (0,), (1,), (), (None,)]
    cases = 0
    for first, second in (pairs[i] for i in chosen):
        for axes in shapes:
            ranges = (*first.ranges, *second.ranges)
            if any(axis not in axes and len(part) != 1 for axis, part in enumerate(ranges)):
                continue
            check_round_trip(Selection((4, 5), ranges, axes), dialect)
            cases += 1
    assert cases == 2155


def test_to_slice1__the_window_is_the_smallest() -> None:
    cases = 0
    for size in range(1, 7):
        array = numbered((size,))
        smallest: dict[tuple[int, ...], int] = {}
        for offset, window, stride in product(range(size), range(1, size + 1), (*range(-6, 0), *range(1, 7))):
            if offset + window > size:
                continue
            reach = 1 + (window - 1) // abs(stride)
            for count in range(1, reach + 1):
                spec = DmlSlice1((offset,), (window,), (stride,), (count,))
                elements = tuple(oracles.of_slice1(spec, array).tolist())
                smallest[elements] = min(window, smallest.get(elements, window))
        for selection in selections(size):
            if selection.is_empty:
                continue
            said = selection.to_slice1()
            assert said.input_window_sizes[0] == smallest.pop(tuple(of_range(selection)))
            reach = 1 + (said.input_window_sizes[0] - 1) // abs(said.input_window_strides[0])
            assert said.output_sizes == (reach,)
            cases += 1
        assert not smallest  # the windows say nothing that slices cannot
    assert cases == 137
