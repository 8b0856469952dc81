"""Every other operator that moves data, on random cases against plain loops, guard bytes included."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anydml as dml
from tests.operators.layouts import (
    ALL_TYPES,
    FLOAT_TYPES,
    random_desc,
    random_sizes,
    random_value,
    randoms,
    tensor_of,
)
from tests.operators.memory import DEVICES, Placed, Tensor, assert_exact, dispatch, place, place_filled, snapshot
from tests.operators.ulp import assert_close
from tests.oracle import moves, programs
from tests.oracle.numbers import integer_range, is_float, round_float, wrap

types, ranks = st.sampled_from(ALL_TYPES), st.integers(1, 8)
WITHOUT_FLOAT64 = tuple(name for name in ALL_TYPES if name != "FLOAT64")
MODES = ("CONSTANT", "EDGE", "REFLECTION", "SYMMETRIC", "WRAP")


def source_of(random: Random, data_type: str, sizes: Any) -> Placed:
    return place(random_desc(random, data_type, sizes, broadcast=True), random)


def run_exact(operator: dml.Operator, inputs: dict[str, Any], outputs: dict[str, Tensor], random: Random) -> None:
    """Both devices give these bits, and change no other byte."""
    for device in DEVICES:
        placed = {name: place(operator.tensor(name), random) for name in outputs}
        before = {name: snapshot(value) for name, value in placed.items()}
        bound: dict[str, Any] = {}
        for name, value in placed.items():
            bare, bracket, _ = name.partition("[")
            if bracket:
                bound.setdefault(bare, []).append(value)
            else:
                bound[bare] = value
        dispatch(operator, inputs, bound, device)
        for name, expected in outputs.items():
            assert_exact(placed[name], before[name], expected, raw=True)


@given(randoms, types, ranks)
def test_join_and_split__are_inverse_loops(random: Random, data_type: str, rank: int) -> None:
    axis, sizes = random.randrange(rank), random_sizes(random, rank, most=32)
    parts = [(*sizes[:axis], random.randint(1, 3), *sizes[axis + 1 :]) for _ in range(random.randint(1, 4))]
    placed = [source_of(random, data_type, part) for part in parts]
    whole = (*sizes[:axis], sum(part[axis] for part in parts), *sizes[axis + 1 :])
    joined = moves.join([(p.values(raw=True), part) for p, part in zip(placed, parts, strict=True)], axis)
    join = dml.Join(
        input_tensors=[p.desc for p in placed], output_tensor=random_desc(random, data_type, whole), axis=axis
    )
    run_exact(join, {"input_tensors": placed}, {"output_tensor": joined}, random)

    source = source_of(random, data_type, whole)
    split = dml.Split(
        input_tensor=source.desc, output_tensors=[random_desc(random, data_type, part) for part in parts], axis=axis
    )
    expected = moves.split(source.values(raw=True), parts, axis)
    names = [f"output_tensors[{k}]" for k in range(len(parts))]
    run_exact(split, {"input_tensor": source}, dict(zip(names, expected, strict=True)), random)
    again = moves.join(list(zip(expected, parts, strict=True)), axis)
    assert again == source.values(raw=True)


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=30)
@given(random=randoms, data_type=types, rank=st.integers(1, 4))
def test_padding__all_modes(mode: str, random: Random, data_type: str, rank: int) -> None:
    """Padding up to three times the size, so that mirrors fold back and forth."""
    sizes = random_sizes(random, rank, most=12, longest=4)
    before, after = ([random.choice((0, 0, 1, random.randint(0, 3 * n))) for n in sizes] for _ in range(2))
    while math.prod(n + a + b for n, a, b in zip(sizes, before, after, strict=True)) > 600:
        axis = random.randrange(rank)
        before[axis] = after[axis] = 0
    output = tuple(n + a + b for n, a, b in zip(sizes, before, after, strict=True))
    source, value = source_of(random, data_type, sizes), random_value(random, data_type)
    fields: dict[str, Any] = {
        "input_tensor": source.desc,
        "output_tensor": random_desc(random, data_type, output),
        "padding_mode": mode,
        "padding_value_data_type": data_type,
        "padding_value": value,
        "start_padding": before,
        "end_padding": after,
    }
    bits = place_filled(dml.TensorDesc(data_type, [1]), random, {(0,): value}).values(raw=True)[0,]
    expected = moves.padding(source.values(raw=True), sizes, tuple(before), output, mode, bits)
    run_exact(dml.Padding1(**fields), {"input_tensor": source}, {"output_tensor": expected}, random)
    if mode != "CONSTANT":
        older = {k: v for k, v in fields.items() if k != "padding_value_data_type"}
        run_exact(dml.Padding(**older), {"input_tensor": source}, {"output_tensor": expected}, random)


@pytest.mark.parametrize("mode", MODES[2:])
def test_padding__many_folds(mode: str) -> None:
    """More runs than moves are worth: the indexed copy gives the same."""
    random, sizes, output = Random(5), (3, 2), (3 + 3600, 2)
    source = place(dml.TensorDesc("UINT16", sizes, [1, 4]), random)
    operator = dml.Padding(
        input_tensor=source.desc, padding_mode=mode, padding_value=0, start_padding=[1801, 0], end_padding=[1799, 0]
    )
    assert operator.moves() is None
    expected = moves.padding(source.values(raw=True), sizes, (1801, 0), output, mode, 0)
    run_exact(operator, {"input_tensor": source}, {"output_tensor": expected}, random)


@pytest.mark.parametrize(
    ("data_type", "value", "expected"),
    [("INT8", 10.6, 10), ("INT8", -10.6, -10), ("UINT8", -3, 0), ("UINT8", 300, 255), ("INT32", math.nan, 0)],
)
def test_padding_value__is_cut_off_to_whole_numbers(data_type: str, value: float, expected: int) -> None:
    source = place_filled(dml.TensorDesc(data_type, [1]), Random(0), {(0,): 7})
    operator = dml.Padding(
        input_tensor=source.desc, padding_mode="CONSTANT", padding_value=value, start_padding=[1], end_padding=[0]
    )
    wanted = expected % 2**32 if data_type == "INT32" else expected % 256
    run_exact(operator, {"input_tensor": source}, {"output_tensor": {(0,): wanted, (1,): 7}}, Random(1))


@given(randoms, st.sampled_from(WITHOUT_FLOAT64), ranks)
def test_tile__up_to_rank_8(random: Random, data_type: str, rank: int) -> None:
    sizes = random_sizes(random, rank, most=16, longest=3)
    repeats = [random.choice((1, 2, 2, 3)) for _ in sizes]
    while math.prod(repeats) * math.prod(sizes) > 1200:
        repeats[random.randrange(rank)] = 1
    source = source_of(random, data_type, sizes)
    whole = tuple(n * r for n, r in zip(sizes, repeats, strict=True))
    operator = dml.Tile(input_tensor=source.desc, output_tensor=random_desc(random, data_type, whole), repeats=repeats)
    expected = moves.tile(source.values(raw=True), sizes, tuple(repeats))
    run_exact(operator, {"input_tensor": source}, {"output_tensor": expected}, random)


def test_tile__every_axis_of_rank_8_repeats() -> None:
    random, sizes = Random(3), (2,) * 8
    source = source_of(random, "UINT8", sizes)
    operator = dml.Tile(input_tensor=source.desc, repeats=[2, 1, 2, 2, 1, 2, 1, 2])
    expected = moves.tile(source.values(raw=True), sizes, tuple(operator.repeats))
    run_exact(operator, {"input_tensor": source}, {"output_tensor": expected}, random)


@pytest.mark.parametrize("order", ["DEPTH_COLUMN_ROW", "COLUMN_ROW_DEPTH"])
@given(random=randoms, data_type=types)
def test_depth_and_space__both_orders_and_the_inverse_law(order: str, random: Random, data_type: str) -> None:
    block = random.randint(1, 3)
    batch, channels, height, width = (random.randint(1, 3) for _ in range(4))
    deep, wide = (batch, channels * block * block, height, width), (batch, channels, height * block, width * block)
    choice = {"order": order, "block_size": block}
    source = source_of(random, data_type, deep)
    operator = dml.DepthToSpace1(input_tensor=source.desc, output_tensor=random_desc(random, data_type, wide), **choice)
    expected = moves.depth_to_space(source.values(raw=True), deep, block, order)
    run_exact(operator, {"input_tensor": source}, {"output_tensor": expected}, random)
    assert moves.space_to_depth(expected, wide, block, order) == source.values(raw=True)

    picture = source_of(random, data_type, wide)
    back = dml.SpaceToDepth1(input_tensor=picture.desc, output_tensor=random_desc(random, data_type, deep), **choice)
    gathered = moves.space_to_depth(picture.values(raw=True), wide, block, order)
    run_exact(back, {"input_tensor": picture}, {"output_tensor": gathered}, random)
    if order == "DEPTH_COLUMN_ROW":
        older = dml.SpaceToDepth(input_tensor=picture.desc, output_tensor=back.output_tensor, block_size=block)
        run_exact(older, {"input_tensor": picture}, {"output_tensor": gathered}, random)
        older_still = dml.DepthToSpace(input_tensor=source.desc, output_tensor=operator.output_tensor, block_size=block)
        run_exact(older_still, {"input_tensor": source}, {"output_tensor": expected}, random)


@given(random=randoms, data_type=st.sampled_from(FLOAT_TYPES), rank=st.integers(4, 5))
def test_upsample_2d__nearest_repeats_pixels(random: Random, data_type: str, rank: int) -> None:
    sizes, scales = random_sizes(random, rank, most=24, longest=3), (random.randint(1, 4), random.randint(1, 4))
    source = source_of(random, data_type, sizes)
    whole = (*sizes[:-2], sizes[-2] * scales[1], sizes[-1] * scales[0])
    operator = dml.Upsample2D(
        input_tensor=source.desc,
        output_tensor=random_desc(random, data_type, whole),
        scale_size=scales,
        interpolation_mode="NEAREST_NEIGHBOR",
    )
    expected = moves.upsample_nearest(source.values(raw=True), sizes, *scales)
    run_exact(operator, {"input_tensor": source}, {"output_tensor": expected}, random)


@settings(max_examples=30)
@given(random=randoms, data_type=st.sampled_from(FLOAT_TYPES), rank=st.integers(4, 5))
def test_upsample_2d__linear_blends_four_pixels(random: Random, data_type: str, rank: int) -> None:
    sizes, scales = random_sizes(random, rank, most=24, longest=3), (random.randint(1, 4), random.randint(1, 4))
    values = {i: float(random.randint(0, 64)) for i in tensor_of(sizes, random, data_type)}
    source = place_filled(random_desc(random, data_type, sizes), random, values)
    whole = (*sizes[:-2], sizes[-2] * scales[1], sizes[-1] * scales[0])
    operator = dml.Upsample2D(
        input_tensor=source.desc,
        output_tensor=random_desc(random, data_type, whole),
        scale_size=scales,
        interpolation_mode="LINEAR",
    )
    expected = programs.upsample_linear(source.values(), sizes, *scales)
    for device in DEVICES:
        result = place(operator.output_tensor, random)
        before = snapshot(result)
        dispatch(operator, {"input_tensor": source}, {"output_tensor": result}, device)
        assert_close(result, before, expected, ulp=4)


@given(randoms, types, ranks)
def test_fill_value_constant__reaches_every_element(random: Random, data_type: str, rank: int) -> None:
    sizes, value = random_sizes(random, rank), random_value(random, data_type)
    operator = dml.FillValueConstant(
        output_tensor=random_desc(random, data_type, sizes), value_data_type=data_type, value=value
    )
    bits = place_filled(dml.TensorDesc(data_type, [1]), random, {(0,): value}).values(raw=True)[0,]
    run_exact(operator, {}, {"output_tensor": dict.fromkeys(moves.indices(sizes), bits)}, random)


@given(randoms, st.sampled_from(WITHOUT_FLOAT64), ranks)
def test_fill_value_sequence__counts_and_wraps(random: Random, data_type: str, rank: int) -> None:
    sizes = random_sizes(random, rank)
    if is_float(data_type):
        start, delta = random.randint(-64, 64) / 4, random.randint(-64, 64) / 4
    else:
        low, high = integer_range(data_type)
        start, delta = random.randint(low, high), random.randint(min(low, -high), high)
    operator = dml.FillValueSequence(
        output_tensor=random_desc(random, data_type, sizes),
        value_data_type=data_type,
        value_start=start,
        value_delta=delta,
    )
    counted = {i: start + k * delta for k, i in enumerate(moves.indices(sizes))}
    expected = {
        i: round_float(v, data_type) if is_float(data_type) else wrap(int(v), data_type) for i, v in counted.items()
    }
    for device in DEVICES:
        result = place(operator.output_tensor, random)
        before = snapshot(result)
        dispatch(operator, {}, {"output_tensor": result}, device)
        assert_exact(result, before, expected)


@given(randoms, types, ranks, st.sampled_from(["UINT32", "UINT64"]))
def test_reverse_subsequences__each_by_its_length(random: Random, data_type: str, rank: int, length_type: str) -> None:
    sizes, axis = random_sizes(random, rank), random.randrange(rank)
    source = source_of(random, data_type, sizes)
    length_sizes = (*sizes[:axis], 1, *sizes[axis + 1 :])
    counts = {i: random.choice((0, 1, 2, sizes[axis], sizes[axis] + 9, 2**32 - 1)) for i in moves.indices(length_sizes)}
    lengths = place_filled(random_desc(random, length_type, length_sizes, broadcast=True), random, counts)
    operator = dml.ReverseSubsequences(
        input_tensor=source.desc,
        sequence_lengths_tensor=lengths.desc,
        output_tensor=random_desc(random, data_type, sizes),
        axis=axis,
    )
    expected = moves.reverse_subsequences(source.values(raw=True), sizes, lengths.values(), axis)
    inputs = {"input_tensor": source, "sequence_lengths_tensor": lengths}
    run_exact(operator, inputs, {"output_tensor": expected}, random)


@given(randoms, st.sampled_from(["INT32", "FLOAT32", "INT64"]), ranks)
def test_slice_grad__is_the_adjoint_of_slice1(random: Random, data_type: str, rank: int) -> None:
    """<slice(x), g> == <x, grad(g)> for whole numbers, and the loop agrees element by element."""
    sizes = random_sizes(random, rank)
    rows = []
    for total in sizes:
        size = random.randint(1, total)
        stride = random.choice((-3, -2, -1, 1, 2, 3))
        rows.append((random.randint(0, total - size), size, stride, random.randint(1, 1 + (size - 1) // abs(stride))))
    offsets, window, strides, part = zip(*rows, strict=True)
    small = {i: random.randint(-9, 9) for i in moves.indices(part)}
    gradient = place_filled(random_desc(random, data_type, part, broadcast=True), random, small)
    operator = dml.SliceGrad(
        input_gradient_tensor=gradient.desc,
        output_gradient_tensor=random_desc(random, data_type, sizes),
        input_window_offsets=offsets,
        input_window_sizes=window,
        input_window_strides=strides,
    )
    values = gradient.values()
    spread = moves.slice_grad(values, part, sizes, offsets, window, strides)
    x = {i: random.randint(-9, 9) for i in moves.indices(sizes)}
    sliced = moves.slice1(x, part, offsets, window, strides)
    assert sum(sliced[i] * values[i] for i in values) == sum(x[i] * spread[i] for i in x)
    for device in DEVICES:
        result = place(operator.output_gradient_tensor, random)
        before = snapshot(result)
        dispatch(operator, {"input_gradient_tensor": gradient}, {"output_gradient_tensor": result}, device)
        assert_exact(result, before, spread)
