"""Indices over several axes, drawn with a fixed seed, against NumPy and the documented masks."""

from __future__ import annotations

import random

import pytest

import anydml as dml
from anydml.slicing import OnnxSlice, Selection, TensorFlowSlice
from tests.slicing import oracles
from tests.slicing.oracles import SENTINELS, Refused, numbered, same

CASES = 20_000
NUMBERS = (*range(-6, 7), *SENTINELS)


def draw_sizes(chance: random.Random) -> tuple[int, ...]:
    return tuple(chance.choice((0, 1, 2, 3, 4, 5)) for _ in range(chance.randint(0, 4)))


def draw_entry(chance: random.Random) -> int | slice | None:
    kind = chance.random()
    if kind < 0.15:
        return None
    if kind < 0.4:
        return chance.randint(-3, 2)
    step = chance.choice([s for s in NUMBERS if s])
    bounds = [chance.choice((*NUMBERS, None)) for _ in range(2)]
    return slice(bounds[0], bounds[1], chance.choice((step, None)))


def test_from_numpy__random_indices_as_numpy_has_them() -> None:
    chance, refused = random.Random(7), 0
    for _ in range(CASES):
        array = numbered(draw_sizes(chance))
        entries = [draw_entry(chance) for _ in range(chance.randint(0, array.ndim + 1))]
        for _ in range(chance.choice((0, 0, 0, 1, 1, 2))):
            entries.insert(chance.randint(0, len(entries)), ...)  # type: ignore[arg-type]
        index = tuple(entries)
        try:
            expected = array[index]
        except IndexError:
            refused += 1
            with pytest.raises(dml.DmlError):
                Selection.from_numpy(index, array.shape)
            continue
        selection = Selection.from_numpy(index, array.shape)
        assert selection.output_sizes == expected.shape
        assert same(oracles.of_selection(selection, array), expected), index
        assert same(array[selection.to_numpy()], expected), index
        assert Selection.from_tensorflow(*selection.to_tensorflow(), input_sizes=array.shape) == selection
        assert same(oracles.of_tensorflow(selection.to_tensorflow(), array), expected), index
    assert CASES // 4 < refused < CASES * 3 // 4


def test_from_tensorflow__random_masks_as_documented() -> None:
    chance, refused = random.Random(8), 0
    for _ in range(CASES):
        array = numbered(draw_sizes(chance))
        count = chance.randint(0, array.ndim + 1)
        begin, end = (tuple(chance.randint(-4, 4) for _ in range(count)) for _ in range(2))
        strides = [0 if chance.random() < 0.02 else chance.choice((-3, -2, -1, 1, 1, 1, 2, 3)) for _ in range(count)]
        # Sparse bits, so that most masks are sound; bits beyond the specifications mean nothing.
        masks = [sum(1 << bit for bit in range(6) if chance.random() < 0.2) for _ in range(5)]
        if chance.random() < 0.8:
            masks[2] &= -masks[2]
        spec = TensorFlowSlice(begin, end, tuple(strides), *masks)
        try:
            expected = oracles.of_tensorflow(spec, array)
        except Refused:
            refused += 1
            with pytest.raises(dml.DmlError):
                Selection.from_tensorflow(*spec, input_sizes=array.shape)
            continue
        selection = Selection.from_tensorflow(*spec, input_sizes=array.shape)
        assert same(oracles.of_selection(selection, array), expected), spec
    assert CASES // 10 < refused < CASES // 2


def test_from_onnx__random_axes_as_documented() -> None:
    chance = random.Random(9)
    for _ in range(CASES):
        array = numbered(draw_sizes(chance))
        axes = chance.sample(range(array.ndim), chance.randint(0, array.ndim))
        starts, ends = ([chance.choice(NUMBERS) for _ in axes] for _ in range(2))
        steps = [chance.choice([number for number in NUMBERS if number]) for _ in axes]
        expected = oracles.of_onnx(OnnxSlice(tuple(starts), tuple(ends), tuple(axes), tuple(steps)), array)
        signed = [axis - array.ndim if chance.random() < 0.5 else axis for axis in axes]
        selection = Selection.from_onnx(starts, ends, signed, steps, input_sizes=array.shape)
        assert same(oracles.of_selection(selection, array), expected)
        assert same(oracles.of_onnx(selection.to_onnx(), array), expected)
