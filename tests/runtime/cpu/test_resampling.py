"""Resampling by machine code beside its definition, in any layout, and beside NumPy's interpolation."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import anydml as dml
import anydml.expression as dmlx
from anydml.runtime.cpu.taps import Taps
from tests.runtime.cpu.machines import MACHINES, machine
from tests.runtime.cpu.support import assert_threads_change_no_bit
from tests.runtime.cpu.test_rearrange import GUARD

ORDERS = ("NCHW", "NHWC", "gaps")


def described(data_type: str, sizes: tuple[int, ...], order: str) -> dml.TensorDesc:
    if order == "gaps":
        strides, step = [0, 0, 0, 0], 2
        for axis in (2, 3, 1, 0):
            strides[axis] = step
            step = step * sizes[axis] + 1
        return dml.TensorDesc(data_type, sizes, strides)
    return dml.TensorDesc(data_type, sizes, order=order)


def random_operator(random: Random) -> dml.Operator:
    sizes = random.choice((1, 2)), random.choice((1, 3, 20)), random.randint(1, 40), random.randint(1, 40)
    scales = [1.0, random.choice((1.0, 1.0, 1.5)), *(random.choice((0.3, 0.5, 1.0, 1.37, 2.0, 3.0)) for _ in range(2))]
    data_type = random.choice(("FLOAT32", "FLOAT32", "FLOAT16"))
    result = tuple(max(1, int(size * scale)) for size, scale in zip(sizes, scales, strict=True))
    return dml.Resample3(
        input_tensor=described(data_type, sizes, random.choice(ORDERS)),
        output_tensor=described(data_type, result, random.choice(ORDERS)),
        interpolation_mode=random.choice(("LINEAR", "LINEAR", "NEAREST_NEIGHBOR")),
        rounding_direction=random.choice(("INCREASING", "DECREASING")),
        scales=scales,
        input_pixel_offsets=[random.choice((0.5, 0.0, 0.25)) for _ in sizes],
        output_pixel_offsets=[random.choice((-0.5, 0.0)) for _ in sizes],
        antialiased=random.random() < 0.4,
    )


def taps_of(operator: dml.Operator) -> int:
    return sum(isinstance(step, Taps) for step in dml.Device("cpu").compile(operator).plan.steps)


def assert_as_defined(operator: Any, seed: int) -> None:
    generator = np.random.default_rng(seed)
    source, target = operator.input_tensor, operator.output_tensor
    kind = source.data_type.numpy_dtype
    x = generator.standard_normal(source.sizes).astype(kind)
    x.flat[generator.integers(0, x.size, 2)] = (np.inf, np.nan)
    memory = np.zeros(source.total_tensor_size_in_bytes, np.uint8)
    source.view(memory)[...] = x
    results = []
    for device in ("cpu", "reference"):
        output = np.full(target.total_tensor_size_in_bytes, GUARD, np.uint8)
        dml.Device(device).compile(operator)(memory, output_tensor=output)
        results.append(target.view(output).copy())
        target.view(output)[...] = np.full((), GUARD, np.uint8).repeat(kind.itemsize).view(kind)
        assert (output == GUARD).all(), "bytes between elements were written"
    tolerance = 1e-5 if kind == np.float32 else 4e-3
    np.testing.assert_allclose(results[0], results[1], rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("seed", range(80))
def test_resampling__is_as_defined(seed: int) -> None:
    assert_as_defined(random_operator(Random(seed)), seed)


def test_resampling__is_native() -> None:
    assert sum(taps_of(random_operator(Random(seed))) > 0 for seed in range(80)) > 60


@pytest.mark.parametrize("name", MACHINES)
def test_resampling__is_as_defined_on_every_machine(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with machine(monkeypatch, name):
        for seed in range(100, 110):
            assert_as_defined(random_operator(Random(seed)), seed)


@pytest.mark.parametrize("order", ORDERS)
def test_linear__agrees_with_numpy(order: str) -> None:
    sizes, result = (1, 5, 30, 50), (1, 5, 60, 150)
    operator = dml.Upsample2D(
        input_tensor=described("FLOAT32", sizes, order),
        output_tensor=dml.TensorDesc("FLOAT32", result),
        scale_size=(3, 2),
        interpolation_mode="LINEAR",
    )
    assert taps_of(operator) == 2
    x = np.random.default_rng(1).standard_normal(sizes).astype(np.float32)
    wanted = x.astype(np.float64)
    for axis in (2, 3):
        scale = result[axis] // sizes[axis]
        places = (np.arange(result[axis]) + 0.5) / scale - 0.5
        known = np.arange(sizes[axis])
        wanted = np.apply_along_axis(lambda row, at=places, xs=known: np.interp(at, xs, row), axis, wanted)
    memory = np.zeros(operator.input_tensor.total_tensor_size_in_bytes, np.uint8)
    operator.input_tensor.view(memory)[...] = x
    found = dml.Device("cpu").compile(operator)(memory)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_chain__goes_on_from_the_result() -> None:
    """What follows in a graph is computed while the result is moved to its place."""
    small, large = dml.TensorDesc("FLOAT32", (1, 3, 20, 30)), dml.TensorDesc("FLOAT32", (1, 3, 40, 60))
    generator = np.random.default_rng(2)
    given = [generator.standard_normal(tensor.sizes).astype(np.float32) for tensor in (small, large)]
    results = []
    for device in ("cpu", "reference"):
        graph = dmlx.Graph(dml.Device(device))
        x, y = (dmlx.input_tensor(graph, n, tensor) for n, tensor in enumerate((small, large)))
        graph.compile(dmlx.upsample_2d(x, (2, 2), "LINEAR") + y)
        results.append(graph(*given))
    np.testing.assert_allclose(*results, rtol=1e-5, atol=1e-5)


def test_threads__change_no_bit() -> None:
    operator = dml.Resample2(
        input_tensor=dml.TensorDesc("FLOAT32", (2, 16, 61, 67)), interpolation_mode="LINEAR", scales=[1, 1, 2.5, 1.7]
    )
    x = np.random.default_rng(3).standard_normal((2, 16, 61, 67), np.float32)
    assert_threads_change_no_bit(lambda: dml.run(operator, x))
