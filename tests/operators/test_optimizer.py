"""ADAM_OPTIMIZER against the published algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anydml as dml
from tests.operators.arrays import DEVICES, WAYS, Array, outputs_of

RATE, FIRST, SECOND = 0.125, 0.875, 1 - 2.0**-10  # numbers that FLOAT32 has


def adam(step: float, step_type: str, device: str) -> tuple[dict[str, Array], dict[str, Array]]:
    random = np.random.default_rng(4)
    names = ["input_parameters", "input_first_moment", "input_second_moment", "gradient"]
    given: dict[str, Any] = {f"{name}_tensor": random.uniform(-1, 1, (1, 1, 3, 4)).astype("f4") for name in names}
    given["input_second_moment_tensor"] = np.abs(given["input_second_moment_tensor"])
    given["training_step_tensor"] = np.full((1, 1, 1, 1), step, step_type)
    operator = dml.AdamOptimizer(
        **{name: dml.TensorDesc.from_array(array) for name, array in given.items()},
        learning_rate=RATE,
        beta1=FIRST,
        beta2=SECOND,
        epsilon=1e-8,
    )
    return given, outputs_of(operator, given, device)


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("step_type", ["float32", "uint32", "float16"])
@pytest.mark.parametrize("step", [1, 2, 1000])
def test_adam__follows_corrected_averages(step: int, step_type: str, device: str) -> None:
    """By the algorithm's own form: averages divided by 1 - beta^t, then the step."""
    given, found = adam(step, step_type, device)
    x, m, v, g = (array.astype(np.float64) for array in list(given.values())[:4])
    first, second = FIRST * m + (1 - FIRST) * g, SECOND * v + (1 - SECOND) * g * g
    moved = x - RATE * (first / (1 - FIRST**step)) / np.sqrt(second / (1 - SECOND**step))
    for name, expected in (("parameters", moved), ("first_moment", first), ("second_moment", second)):
        assert np.allclose(found[f"output_{name}_tensor"], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("device", WAYS)
def test_adam__at_step_0_has_no_correction_to_divide_by(device: str) -> None:
    _, found = adam(0, "uint32", device)
    assert np.isnan(found["output_parameters_tensor"]).all()
    assert np.isfinite(found["output_first_moment_tensor"]).all()


@pytest.mark.parametrize("order", ["NCHW", "NHWC"])
@pytest.mark.parametrize("data_type", ["FLOAT32", "FLOAT16"])
def test_adam__of_many_parameters_in_place(order: str, data_type: str) -> None:
    """Outputs lie where inputs do, each where another would: all are read before any is written."""
    sizes = (2, 19, 33, 41)
    desc = dml.TensorDesc(data_type, sizes, order=order)
    names = ("input_parameters_tensor", "input_first_moment_tensor", "input_second_moment_tensor", "gradient_tensor")
    operator = dml.AdamOptimizer(
        **dict.fromkeys(names, desc),
        training_step_tensor=dml.TensorDesc("UINT32", (1, 1, 1, 1)),
        learning_rate=RATE,
        beta1=FIRST,
        beta2=SECOND,
        epsilon=1e-8,
    )
    random, found = np.random.default_rng(8), {}
    given = {name: random.random(desc.total_tensor_size_in_bytes // desc.data_type.element_bytes) for name in names}
    for device in DEVICES:
        buffers: dict[str, Any] = {name: x.astype(desc.data_type.numpy_dtype) for name, x in given.items()}
        written = {
            "output_parameters_tensor": buffers["gradient_tensor"],
            "output_first_moment_tensor": buffers["input_parameters_tensor"],
            "output_second_moment_tensor": buffers["input_first_moment_tensor"],
        }
        step = np.array([3], np.uint32)
        dml.Device(device).compile(operator)(**buffers, training_step_tensor=step, **written)
        found[device] = [x.astype(np.float64) for x in written.values()]
    bound = 2e-3 if data_type == "FLOAT16" else 1e-6
    for results in zip(*found.values(), strict=True):
        for other in results[1:]:
            np.testing.assert_allclose(other, results[0], rtol=bound, atol=bound)


def test_adam__rounds_to_its_own_type_before_what_follows() -> None:
    half = dml.TensorDesc("FLOAT16", (1, 1, 2, 3))
    names = ("input_parameters_tensor", "input_first_moment_tensor", "input_second_moment_tensor", "gradient_tensor")
    step = dml.TensorDesc("UINT32", (1, 1, 1, 1))
    options = {"learning_rate": RATE, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
    operator = dml.AdamOptimizer(**dict.fromkeys(names, half), training_step_tensor=step, **options)
    wide = dml.Cast(input_tensor=half, output_tensor=dml.TensorDesc("FLOAT32", half.sizes))
    inputs, outputs = [(n, 0, n) for n in range(5)], [(n + 1, 0, n) for n in range(3)]
    graph = dml.Graph([operator, wide, wide, wide], inputs, outputs, [(0, n, n + 1, 0) for n in range(3)])
    random = np.random.default_rng(6)
    given = [random.random(half.sizes).astype(np.float16) for _ in names]
    found = dml.Device().compile_graph(graph)(*given, np.array([[[[5]]]], np.uint32))
    assert all(np.array_equal(x, x.astype(np.float16).astype(np.float32)) for x in found)
