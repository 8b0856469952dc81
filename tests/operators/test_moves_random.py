"""SLICE1, SLICE and IDENTITY on random types, ranks, strides and windows, against plain loops over indices.

Inputs hold noise, so NaNs with odd payloads travel too; every byte around and between output elements is noise
as well and must be left alone.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anydml as dml
from anydml.runtime.moves import engine
from anydml.runtime.native import llvm
from tests.operators.layouts import ALL_TYPES, random_desc, random_sizes, randoms, tensor_of
from tests.operators.memory import DEVICES, assert_exact, dispatch, place, place_filled, snapshot
from tests.oracle import moves
from tests.oracle.numbers import convert, is_float, round_float

types, ranks = st.sampled_from(ALL_TYPES), st.integers(1, 8)


def count_cases(check: Callable[[Random, str, int], None], examples: int) -> int:
    """Run a check on random cases; how many there were."""
    cases = 0

    @settings(max_examples=examples)
    @given(randoms, types, ranks)
    def run(random: Random, data_type: str, rank: int) -> None:
        nonlocal cases
        cases += 1
        check(random, data_type, rank)

    run()
    return cases


def random_window(random: Random, total: int) -> tuple[int, int, int, int]:
    """Offset, size, stride and output size of a window along one axis."""
    size = random.randint(1, total)
    stride = random.choice((1, -1)) * random.choice((1, 1, 2, 3, size + 3))
    limit = 1 + (size - 1) // abs(stride)
    return random.randint(0, total - size), size, stride, random.choice((limit, random.randint(1, limit)))


def check_slice1(random: Random, data_type: str, rank: int) -> None:
    sizes = random_sizes(random, rank)
    offsets, window, strides, output = zip(*(random_window(random, n) for n in sizes), strict=True)
    source = place(random_desc(random, data_type, sizes, broadcast=True), random)
    operator = dml.Slice1(
        input_tensor=source.desc,
        output_tensor=random_desc(random, data_type, output),
        input_window_offsets=offsets,
        input_window_sizes=window,
        input_window_strides=strides,
    )
    expected = moves.slice1(source.values(raw=True), output, offsets, window, strides)
    for device in DEVICES:
        result = place(operator.output_tensor, random)
        before = snapshot(result)
        dispatch(operator, {"input_tensor": source}, {"output_tensor": result}, device)
        assert_exact(result, before, expected, raw=True)


def check_slice(random: Random, data_type: str, rank: int) -> None:
    sizes = random_sizes(random, rank)
    rows = []
    for total in sizes:
        count, stride = random.randint(1, total), random.randint(1, 3)
        count = min(count, 1 + (total - 1) // stride)
        rows.append((random.randint(0, total - 1 - (count - 1) * stride), count, stride))
    offsets, output, strides = zip(*rows, strict=True)
    source = place(random_desc(random, data_type, sizes, broadcast=True), random)
    operator = dml.Slice(
        input_tensor=source.desc,
        output_tensor=random_desc(random, data_type, output),
        offsets=offsets,
        sizes=output,
        strides=strides,
    )
    expected = moves.slice_(source.values(raw=True), output, offsets, strides)
    for device in DEVICES:
        result = place(operator.output_tensor, random)
        before = snapshot(result)
        dispatch(operator, {"input_tensor": source}, {"output_tensor": result}, device)
        assert_exact(result, before, expected, raw=True)


def check_identity(random: Random, data_type: str, rank: int) -> None:
    sizes = random_sizes(random, rank)
    source = place(random_desc(random, data_type, sizes, broadcast=True), random)
    operator = dml.ElementWiseIdentity(
        input_tensor=source.desc, output_tensor=random_desc(random, data_type, sizes), scale_bias=None
    )
    for device in DEVICES:
        result = place(operator.output_tensor, random)
        before = snapshot(result)
        dispatch(operator, {"input_tensor": source}, {"output_tensor": result}, device)
        assert_exact(result, before, source.values(raw=True), raw=True)


def scaled(x: float | int, data_type: str, scale: float, bias: float) -> float | int:
    """x * scale + bias, each step rounded: in single precision for floats up to it, else in double."""
    wide = "FLOAT32" if data_type in ("FLOAT16", "FLOAT32") else "FLOAT64"
    start = convert(x, data_type, wide)
    result = round_float(round_float(start * scale, wide) + bias, wide)
    return convert(result, wide, data_type)


def check_scaled_identity(random: Random, data_type: str, rank: int) -> None:
    sizes = random_sizes(random, rank)
    scale, bias = (struct.unpack("f", struct.pack("f", random.uniform(-3, 3)))[0] for _ in range(2))
    source = place_filled(
        random_desc(random, data_type, sizes, broadcast=True), random, tensor_of(sizes, random, data_type)
    )
    operator = dml.ElementWiseIdentity(
        input_tensor=source.desc, output_tensor=random_desc(random, data_type, sizes), scale_bias=(scale, bias)
    )
    expected = {i: scaled(x, data_type, scale, bias) for i, x in source.values().items()}
    for device in DEVICES:
        result = place(operator.output_tensor, random)
        before = snapshot(result)
        dispatch(operator, {"input_tensor": source}, {"output_tensor": result}, device)
        assert_exact(result, before, expected)


@pytest.mark.parametrize(
    ("check", "examples"),
    [(check_slice1, 600), (check_slice, 300), (check_identity, 300), (check_scaled_identity, 300)],
    ids=["slice1", "slice", "identity", "identity with scale and bias"],
)
def test_random_cases__match_the_loop(check: Callable[..., None], examples: int) -> None:
    cases = count_cases(check, examples)
    print(f"{check.__name__}: {cases} cases on each of {len(DEVICES)} devices")
    assert cases >= examples


@pytest.mark.parametrize("check", [check_slice1, check_identity, check_scaled_identity])
def test_random_cases__match_the_loop_in_kernels(check: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same cases through the kernels that only larger tensors would go to."""
    if not llvm.is_available():
        pytest.skip("llvmlite is not installed, so there are no kernels")
    monkeypatch.setattr(engine, "SMALL_BYTES", 0)
    cases = count_cases(check, 200)
    print(f"{check.__name__}: {cases} cases in kernels")
    assert cases >= 200


@pytest.mark.parametrize("data_type", ["UINT8", "FLOAT16", "FLOAT32", "FLOAT64"])
@pytest.mark.parametrize("stride", [1, -1, 2, -3])
def test_large_slice1__matches_numpy(data_type: str, stride: int) -> None:
    """Large enough for the kernels built at run time, transposed and padded on the way."""
    sizes, random = (3, 211, 389), np.random.default_rng(stride + 9)
    operator = dml.Slice1(
        input_tensor=dml.TensorDesc(data_type, sizes, [1, 3 * 400, 3]),
        output_tensor=dml.TensorDesc(data_type, (3, 1 + 200 // abs(stride), 1 + 380 // abs(stride))),
        input_window_offsets=[0, 5, 7],
        input_window_sizes=[3, 201, 381],
        input_window_strides=[-1, stride, -stride],
    )
    source = random.integers(0, 100, operator.input_tensor.layout.span).astype(
        operator.input_tensor.data_type.numpy_dtype
    )
    whole = operator.input_tensor.view(source)
    window = whole[:, 5:206, 7:388][::-1, ::stride, ::-stride]
    for device in DEVICES:
        result = np.zeros(operator.output_tensor.sizes, source.dtype)
        dml.Device(device).compile(operator)(input_tensor=source, output_tensor=result)
        assert np.array_equal(result, window)


def test_identity_in_place__keeps_its_input_as_output() -> None:
    """In place with other strides: every element is read before it is overwritten."""
    operator = dml.ElementWiseIdentity(
        input_tensor=dml.TensorDesc("UINT8", [4, 4]), output_tensor=dml.TensorDesc("UINT8", [4, 4], [1, 4])
    )
    for device in DEVICES:
        memory = np.arange(16, dtype=np.uint8)
        dml.Device(device).compile(operator)(input_tensor=memory, output_tensor=memory)
        assert np.array_equal(memory.reshape(4, 4), np.arange(16).reshape(4, 4).T)


def test_scaled__rounds_each_step_once() -> None:
    """The oracle itself: a case whose fused result differs."""
    assert is_float("FLOAT16")
    assert scaled(3, "UINT8", -1.0, 1.0) == 0 and scaled(200, "UINT8", 2.0, 0.0) == 255
