"""Gradient operators against differences of the operator whose gradient they are.

With a loss of sum(weights * output), the gradient by an input element is what the loss changes by when that element
moves a little either way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anydml as dml
from tests.operators.arrays import WAYS, Array, described, outputs_of

STEP = 2.0**-6
# A difference is off by the square of the step, and by the rounding of FLOAT32 outputs divided by the step.
NEAR = 2e-3


def differences(operator: dml.Operator, arrays: dict[str, Array], name: str, weights: Array) -> Array:
    """The gradient of the loss by one input, one element at a time."""
    gradient = np.zeros(arrays[name].shape)
    for index in np.ndindex(gradient.shape):
        losses = []
        for step in (STEP, -STEP):
            moved = arrays[name].copy()
            moved[index] += step
            output = outputs_of(operator, {**arrays, name: moved})["output_tensor"]
            losses.append(np.sum(weights * output.astype(np.float64)))
        gradient[index] = (losses[0] - losses[1]) / (2 * STEP)
    return gradient


def random_arrays(seed: int, **sizes: tuple[int, ...]) -> dict[str, Array]:
    random = np.random.default_rng(seed)
    return {name: random.uniform(-2, 2, size).astype(np.float32) for name, size in sizes.items()}


def assert_near(found: Array, expected: Array) -> None:
    assert np.abs(found - expected).max() <= NEAR * (1 + np.abs(expected).max())


def test_assert_near__can_fail() -> None:
    with pytest.raises(AssertionError):
        assert_near(np.array([1.0, 2.0]), np.array([1.0, 2.02]))


GRADIENTS = {
    "input_tensor": "output_gradient_tensor",
    "scale_tensor": "output_scale_gradient_tensor",
    "bias_tensor": "output_bias_gradient_tensor",
}
of_sizes = pytest.mark.parametrize(
    ("sizes", "part"), [((2, 3, 2, 2), (1, 3, 1, 1)), ((4, 3), (1, 3)), ((3, 2, 3), (3, 1, 3)), ((5,), (1,))]
)


@pytest.mark.parametrize("device", WAYS)
@of_sizes
def test_batch_grad__is_that_of_given_statistics(sizes: Any, part: Any, device: str) -> None:
    arrays = random_arrays(1, input_tensor=sizes, mean_tensor=part, scale_tensor=part, bias_tensor=part)
    arrays["variance_tensor"] = random_arrays(2, x=part)["x"] ** 2 + np.float32(0.5)
    weights = random_arrays(3, x=sizes)["x"]
    forward = dml.BatchNormalization(**described(arrays), spatial=True, epsilon=0.25)
    given = {name: arrays[name] for name in arrays if name != "bias_tensor"} | {"input_gradient_tensor": weights}
    gradients = outputs_of(dml.BatchNormalizationGrad(**described(given), epsilon=0.25), given, device)
    for source, output in GRADIENTS.items():
        assert_near(gradients[output], differences(forward, arrays, source, weights))


@pytest.mark.parametrize("device", WAYS)
@of_sizes
def test_training_grad__is_that_of_the_batch(sizes: Any, part: Any, device: str) -> None:
    arrays = random_arrays(4, input_tensor=sizes, scale_tensor=part, bias_tensor=part)
    weights = random_arrays(5, x=sizes)["x"]
    forward = dml.BatchNormalizationTraining(**described(arrays), epsilon=0.25)
    statistics = outputs_of(forward, arrays)
    given = {
        "input_tensor": arrays["input_tensor"],
        "input_gradient_tensor": weights,
        "mean_tensor": statistics["output_mean_tensor"],
        "variance_tensor": statistics["output_variance_tensor"],
        "scale_tensor": arrays["scale_tensor"],
    }
    gradients = outputs_of(dml.BatchNormalizationTrainingGrad(**described(given), epsilon=0.25), given, device)
    for source, output in GRADIENTS.items():
        assert_near(gradients[output], differences(forward, arrays, source, weights))


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 2**32 - 1])
@pytest.mark.parametrize("cross_channel", [True, False])
def test_local_response_grad__also_for_windows_that_are_not_symmetric(
    cross_channel: bool, size: int, device: str
) -> None:
    arrays = random_arrays(size % 100, input_tensor=(1, 4, 3, 2))
    weights = random_arrays(7, x=(1, 4, 3, 2))["x"]
    attributes: dict[str, Any] = {
        "cross_channel": cross_channel,
        "local_size": size,
        "alpha": 0.5 * min(size, 100),
        "beta": 0.75,
        "bias": 2.0,
    }
    forward = dml.LocalResponseNormalization(**described(arrays), **attributes)
    given = {**arrays, "input_gradient_tensor": weights}
    backward = dml.LocalResponseNormalizationGrad(**described(given), **attributes)
    found = outputs_of(backward, given, device)["output_gradient_tensor"]
    assert_near(found, differences(forward, arrays, "input_tensor", weights))
