"""Devices differ in speed, never in meaning: large tensors, where kernels are built, end byte for byte the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import anydml as dml
from tests.operators.layouts import ALL_TYPES, random_strides
from tests.operators.memory import GUARD, Placed, place

CASES = 12


def large_sizes(random: Random, rank: int) -> tuple[int, ...]:
    """Some tens of thousands of elements, spread unevenly."""
    sizes = [random.choice((1, 2, 3, 5, 8, 16, 33, 64)) for _ in range(rank)]
    while math.prod(sizes) > 60_000:
        sizes[random.randrange(rank)] = random.choice((1, 2, 3))
    while math.prod(sizes) < 8_000:
        sizes[random.randrange(rank)] *= 2
    return tuple(sizes)


def aligned_strides(random: Random, sizes: Any) -> list[int]:
    """Rows that start on whole cache lines, as programs like to lay them out."""
    strides, step = [1] * len(sizes), 1
    for axis in random.sample(range(len(sizes)), len(sizes)):
        strides[axis] = step
        multiple = random.choice((1, 1, 16, 32, 48, 64))
        step = -(-step * sizes[axis] // multiple) * multiple
    return strides


def desc(random: Random, data_type: str, sizes: Any, broadcast: bool = False) -> dml.TensorDesc:
    luck = random.random()
    if luck < 0.3:
        return dml.TensorDesc(data_type, sizes)
    strides = aligned_strides(random, sizes) if luck < 0.6 else random_strides(random, sizes, broadcast)
    return dml.TensorDesc(data_type, sizes, strides)


def slice1(random: Random, kind: str) -> dml.Operator:
    sizes = large_sizes(random, random.randint(1, 6))
    rows = []
    for n in sizes:
        size = random.randint(max(1, n - 2), n)
        stride = random.choice((1, 1, -1, 2, -2))
        rows.append((random.randint(0, n - size), size, stride, 1 + (size - 1) // abs(stride)))
    offsets, window, strides, output = zip(*rows, strict=True)
    return dml.Slice1(
        input_tensor=desc(random, kind, sizes, broadcast=True),
        output_tensor=desc(random, kind, output),
        input_window_offsets=offsets,
        input_window_sizes=window,
        input_window_strides=strides,
    )


def identity(random: Random, kind: str) -> dml.Operator:
    sizes = large_sizes(random, random.randint(1, 6))
    tensors = {"input_tensor": desc(random, kind, sizes, broadcast=True), "output_tensor": desc(random, kind, sizes)}
    return dml.ElementWiseIdentity(**tensors)


def join(random: Random, kind: str) -> dml.Operator:
    sizes = large_sizes(random, random.randint(1, 4))
    axis = random.randrange(len(sizes))
    parts = [(*sizes[:axis], random.randint(1, 9), *sizes[axis + 1 :]) for _ in range(3)] + [sizes]
    whole = (*sizes[:axis], sum(part[axis] for part in parts), *sizes[axis + 1 :])
    inputs = [desc(random, kind, part, broadcast=True) for part in parts]
    return dml.Join(input_tensors=inputs, output_tensor=desc(random, kind, whole), axis=axis)


def padding(random: Random, kind: str) -> dml.Operator:
    sizes = large_sizes(random, random.randint(1, 4))
    before, after = ([random.choice((0, 0, 1, 5)) for _ in sizes] for _ in range(2))
    output = [n + a + b for n, a, b in zip(sizes, before, after, strict=True)]
    return dml.Padding1(
        input_tensor=desc(random, kind, sizes),
        output_tensor=desc(random, kind, output),
        padding_mode=random.choice(list(dml.PaddingMode)),
        padding_value_data_type=kind,
        padding_value=7,
        start_padding=before,
        end_padding=after,
    )


def tile(random: Random, kind: str) -> dml.Operator:
    kind = "FLOAT32" if kind == "FLOAT64" else kind
    sizes = tuple(random.randint(1, 12) for _ in range(random.randint(2, 4)))
    repeats = [random.randint(1, 4) for _ in sizes]
    whole = [n * r for n, r in zip(sizes, repeats, strict=True)]
    tensors = {"input_tensor": desc(random, kind, sizes, broadcast=True), "output_tensor": desc(random, kind, whole)}
    return dml.Tile(**tensors, repeats=repeats)


def depth_to_space(random: Random, kind: str) -> dml.Operator:
    block, channels, height, width = 2, random.randint(1, 6), random.randint(20, 40), random.randint(20, 40)
    deep, wide = (1, channels * block * block, height, width), (1, channels, height * block, width * block)
    return dml.DepthToSpace1(
        input_tensor=desc(random, kind, deep),
        output_tensor=desc(random, kind, wide),
        block_size=block,
        order=random.choice(list(dml.DepthSpaceOrder)),
    )


def slice_grad(random: Random, kind: str) -> dml.Operator:
    operator: Any = slice1(random, kind)
    return dml.SliceGrad(
        input_gradient_tensor=desc(random, kind, operator.output_tensor.sizes, broadcast=True),
        output_gradient_tensor=desc(random, kind, operator.input_tensor.sizes),
        input_window_offsets=operator.input_window_offsets,
        input_window_sizes=operator.input_window_sizes,
        input_window_strides=operator.input_window_strides,
    )


def cast(random: Random, kind: str) -> dml.Operator:
    sizes = large_sizes(random, random.randint(1, 4))
    other = random.choice(ALL_TYPES)
    return dml.Cast(input_tensor=desc(random, kind, sizes, broadcast=True), output_tensor=desc(random, other, sizes))


def scaled(random: Random, kind: str) -> dml.Operator:
    sizes = large_sizes(random, random.randint(1, 4))
    tensors = {"input_tensor": desc(random, kind, sizes, broadcast=True), "output_tensor": desc(random, kind, sizes)}
    return dml.ElementWiseIdentity(**tensors, scale_bias=(1.25, -3.5))


def without_nan(placed: Placed) -> None:
    """A NaN's payload may change in arithmetic; everything else may not."""
    if placed.desc.data_type.is_float:
        values = placed.buffer.view(placed.desc.data_type.numpy_dtype)
        values[np.isnan(values)] = 1


MAKERS = (slice1, identity, join, padding, tile, depth_to_space, slice_grad, cast, scaled)


@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_cpu_and_reference__leave_the_same_bytes(make: Callable[[Random, str], dml.Operator]) -> None:
    for case in range(CASES):
        random = Random(f"{make.__name__} {case}")
        operator = make(random, random.choice(ALL_TYPES))
        inputs = [place(point.tensor, random) for point in operator.points("input") if point.tensor is not None]
        if make in (cast, scaled):
            for placed in inputs:
                without_nan(placed)
        output = operator.points("output")[0]
        assert output.tensor is not None
        noise = place(output.tensor, random)
        results = [_run(operator, inputs, noise, output.name, device) for device in ("cpu", "reference")]
        assert np.array_equal(*results), f"case {case}: {operator}"


@pytest.mark.parametrize("element", ["UINT8", "FLOAT16", "FLOAT32", "UINT64"])
@pytest.mark.parametrize("row", [3, 6, 11, 17])
@pytest.mark.parametrize("padded_bytes", [192, 320, 384])
def test_short_rows_to_padded_rows__write_no_padding(element: str, row: int, padded_bytes: int) -> None:
    """A transpose to rows that lie as far apart as the kernel's own staging rows."""
    random, kind = Random(row), dml.DataType.parse(element)
    stride = padded_bytes // kind.element_bytes
    operator = dml.ElementWiseIdentity(
        input_tensor=dml.TensorDesc(element, [6000, row], [1, 6000]),
        output_tensor=dml.TensorDesc(element, [6000, row], [stride, 1]),
    )
    source, noise = place(operator.input_tensor, random), place(operator.output_tensor, random)
    results = [_run(operator, [source], noise, "output_tensor", device) for device in ("cpu", "reference")]
    assert np.array_equal(*results)


def _run(operator: dml.Operator, inputs: list[Placed], noise: Placed, output: str, device: str) -> Any:
    memory = noise.memory.copy()
    names = [field.name for field in operator.tensor_fields() if field.is_input]
    given: Any = [placed.buffer for placed in inputs]
    bound = {names[0]: given if isinstance(operator, dml.Join) else given[0]}
    dml.Device(device).compile(operator)(**bound, **{output: memory[GUARD:-GUARD]})
    return memory
