"""Normalizations by the statistics of what comes out, by their definitions, and by what they leave alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import anydml as dml
from tests.operators.arrays import WAYS, Array, described, outputs_of
from tests.operators.test_errata import rules


def random_array(seed: int, *sizes: int) -> Array:
    return np.random.default_rng([seed, *sizes]).uniform(-3, 5, sizes).astype(np.float32)


def tensor(*sizes: int) -> dml.TensorDesc:
    return dml.TensorDesc("FLOAT32", sizes)


@pytest.mark.parametrize("device", WAYS)
def test_batch_normalization__is_its_formula_for_any_broadcast(device: str) -> None:
    """Every parameter broadcasts on its own."""
    parts = {"mean": (1, 3, 1), "variance": (2, 1, 4), "scale": (1, 1, 1), "bias": (2, 3, 4)}
    given = {f"{name}_tensor": np.abs(random_array(1, *sizes)) for name, sizes in parts.items()}
    given = {"input_tensor": random_array(2, 2, 3, 4), **given}
    operator = dml.BatchNormalization(**described(given), spatial=True, epsilon=0.5, fused_activation="RELU")
    found = outputs_of(operator, given, device)["output_tensor"]
    for n, c, w in np.ndindex(2, 3, 4):
        x, mean, variance, scale, bias = (
            float(array[tuple(i if size > 1 else 0 for i, size in zip((n, c, w), array.shape, strict=True))])
            for array in given.values()
        )
        expected = max(scale * (x - mean) / math.sqrt(variance + 0.5) + bias, 0)
        assert abs(found[n, c, w] - expected) < 1e-5


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("part", [(1, 3, 1, 1), (1, 1, 1, 1), (4, 1, 5, 1), (4, 3, 5, 2)])
def test_training__leaves_mean_and_variance_of_scale_and_bias(part: Any, device: str) -> None:
    given = {"input_tensor": random_array(3, 4, 3, 5, 2)}
    given |= {"scale_tensor": random_array(4, *part), "bias_tensor": random_array(5, *part)}
    found = outputs_of(dml.BatchNormalizationTraining(**described(given), epsilon=0.0), given, device)
    axes = tuple(axis for axis, size in enumerate(part) if size == 1)
    assert np.allclose(found["output_mean_tensor"], given["input_tensor"].mean(axes, keepdims=True), atol=1e-5)
    assert np.allclose(found["output_variance_tensor"], given["input_tensor"].var(axes, keepdims=True), atol=1e-4)
    if axes:
        output = found["output_tensor"].astype(np.float64)
        assert np.allclose(output.mean(axes, keepdims=True), given["bias_tensor"], atol=1e-4)
        assert np.allclose(output.std(axes, keepdims=True), np.abs(given["scale_tensor"]), atol=1e-4)


@pytest.mark.parametrize("device", WAYS)
def test_training__adds_before_the_activation(device: str) -> None:
    given = {"input_tensor": random_array(3, 4, 2), "scale_tensor": random_array(4, 1, 2)}
    given |= {"bias_tensor": random_array(5, 1, 2), "fused_add_tensor": random_array(6, 4, 2)}
    plain, fused = (
        outputs_of(dml.BatchNormalizationTraining(**described(arrays), epsilon=0.1, **rest), arrays, device)
        for arrays, rest in (
            ({name: given[name] for name in list(given)[:3]}, {}),
            (given, {"fused_activation": "RELU"}),
        )
    )
    expected = np.maximum(plain["output_tensor"] + given["fused_add_tensor"], 0)
    assert np.allclose(fused["output_tensor"], expected, atol=1e-6)


def mvn2(x: Array, axes: Any, mean: bool = True, variance: bool = True, epsilon: float = 0.0) -> dml.Operator:
    return dml.MeanVarianceNormalization2(
        input_tensor=tensor(*x.shape), axes=axes, use_mean=mean, use_variance=variance, epsilon=epsilon
    )


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("axes", [(1,), (0, 2), (2, 0), (0, 1, 2)])
def test_mean_and_variance__are_normal_afterwards(axes: Any, device: str) -> None:
    x = random_array(7, 4, 5, 6)
    found = outputs_of(mvn2(x, axes), {"input_tensor": x}, device)["output_tensor"].astype(np.float64)
    assert np.abs(found.mean(axes)).max() < 1e-6 and np.abs(found.var(axes) - 1).max() < 1e-5


@pytest.mark.parametrize("device", WAYS)
def test_variance__without_the_mean_is_the_mean_square(device: str) -> None:
    x = random_array(8, 3, 7)
    found = outputs_of(mvn2(x, (1,), mean=False), {"input_tensor": x}, device)["output_tensor"]
    wide = x.astype(np.float64)
    assert np.allclose(found, wide / np.sqrt(np.mean(wide**2, axis=1, keepdims=True)), atol=1e-6)


@pytest.mark.parametrize("device", WAYS)
def test_neither_mean_nor_variance__leaves_scale_and_bias(device: str) -> None:
    x, scale, bias = random_array(9, 3, 4), random_array(10, 1, 4), random_array(11, 3, 1)
    operator = mvn2(x, (1,), mean=False, variance=False).replace(
        scale_tensor=tensor(1, 4), bias_tensor=tensor(3, 1), fused_activation="RELU"
    )
    given = {"input_tensor": x, "scale_tensor": scale, "bias_tensor": bias}
    found = outputs_of(operator, given, device)["output_tensor"]
    assert np.allclose(found, np.maximum(x * scale + bias, 0), atol=1e-5)


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("variance", [True, False])
@pytest.mark.parametrize("cross", [True, False])
def test_older_versions__are_the_newest(cross: bool, variance: bool, device: str) -> None:
    x = random_array(12, 2, 3, 4, 2)
    fields: dict[str, Any] = {"input_tensor": tensor(*x.shape), "normalize_variance": variance, "epsilon": 0.5}
    axes = (1, 2, 3) if cross else (2, 3)
    oldest = dml.MeanVarianceNormalization(**fields, cross_channel=cross)
    older = dml.MeanVarianceNormalization1(**fields, axes=axes)
    newest = mvn2(x, axes, variance=variance, epsilon=0.5)
    found = [outputs_of(op, {"input_tensor": x}, device)["output_tensor"] for op in (oldest, older, newest)]
    assert np.array_equal(found[0], found[2]) and np.array_equal(found[1], found[2])


def test_statistics__of_a_million_elements_keep_their_digits() -> None:
    """Summed in FLOAT32 along a strided axis, the mean of a million would be off by a hundredth."""
    x = np.full((2**20, 2), 1.1, np.float32)
    given = {"input_tensor": x, "scale_tensor": np.ones((1, 2), "f4"), "bias_tensor": np.zeros((1, 2), "f4")}
    found = outputs_of(dml.BatchNormalizationTraining(**described(given), epsilon=1.0), given)
    assert np.all(found["output_mean_tensor"] == np.float32(1.1)) and np.all(found["output_tensor"] == 0)


@pytest.mark.parametrize("device", WAYS)
def test_statistics__of_infinite_elements(device: str) -> None:
    x = np.array([[1, 2], [np.inf, 3], [2, np.nan], [5, 7]], np.float32)
    given = {"input_tensor": x, "scale_tensor": np.ones((1, 2), "f4"), "bias_tensor": np.zeros((1, 2), "f4")}
    found = outputs_of(dml.BatchNormalizationTraining(**described(given), epsilon=1.0), given, device)
    mean = found["output_mean_tensor"][0]
    assert mean[0] == np.inf and np.isnan(mean[1]) and np.isnan(found["output_variance_tensor"]).all()


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("size", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("cross", [True, False])
def test_local_response__sums_squares_around_each_element(cross: bool, size: int, device: str) -> None:
    x = random_array(13, 2, 5, 3, 4)
    operator = dml.LocalResponseNormalization(
        input_tensor=tensor(*x.shape), cross_channel=cross, local_size=size, alpha=0.5, beta=0.75, bias=1.5
    )
    found = outputs_of(operator, {"input_tensor": x}, device)["output_tensor"]
    before, after = math.floor((size - 1) / 2), math.ceil((size - 1) / 2)
    for n, c, h, w in np.ndindex(x.shape):
        region = [slice(max(0, i - before), i + after + 1) for i in (c, h, w)]
        near = x[n, region[0], h, w] if cross else x[n, c, region[1], region[2]]
        base = 1.5 + 0.5 / size * np.sum(near.astype(np.float64) ** 2)
        assert abs(found[n, c, h, w] - x[n, c, h, w] / base**0.75) < 1e-6


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("order", [1, 2])
def test_lp_norm__is_1_afterwards_or_held_by_epsilon(order: int, device: str) -> None:
    x = random_array(14, 3, 5, 2)
    x[:, :, 1] *= np.float32(1e-6)
    operator = dml.LpNormalization(input_tensor=tensor(*x.shape), axis=1, epsilon=0.01, p=order)
    found = outputs_of(operator, {"input_tensor": x}, device)["output_tensor"]
    assert np.allclose(np.linalg.norm(found[:, :, 0], order, axis=1), 1, atol=1e-6)
    assert np.allclose(found[:, :, 1], x[:, :, 1] / np.float32(0.01), rtol=1e-6)


def test_scale_and_bias__are_a_pair_before_5_2() -> None:
    fields: dict[str, Any] = {"input_tensor": tensor(1, 2, 3, 4), "normalize_variance": True, "epsilon": 1e-5}
    older = dml.MeanVarianceNormalization1(**fields, axes=[2, 3], scale_tensor=tensor(1, 2, 1, 1))
    oldest = dml.MeanVarianceNormalization(**fields, cross_channel=False, bias_tensor=tensor(1, 2, 1, 1))
    for operator in (older, oldest):
        assert rules(operator, "5.2") == [] and rules(operator, "5.1") == ["normalization.scale-and-bias"]


def test_scale_and_bias__have_the_channels_before_4_0() -> None:
    operator = dml.MeanVarianceNormalization1(
        input_tensor=tensor(1, 2, 3, 4),
        scale_tensor=tensor(1, 1, 1, 1),
        bias_tensor=tensor(1, 2, 1, 4),
        axes=[2, 3],
        normalize_variance=True,
        epsilon=1e-5,
    )
    assert rules(operator, "4.0") == [] and rules(operator, "3.1") == ["normalization.channels"]


def test_spatial__asks_for_whole_statistics_before_4_0() -> None:
    part = tensor(1, 2, 1, 1)
    operator = dml.BatchNormalization(
        input_tensor=tensor(1, 2, 3, 4),
        mean_tensor=part,
        variance_tensor=tensor(1, 2, 3, 4),
        scale_tensor=part,
        bias_tensor=part,
        spatial=False,
        epsilon=1e-5,
    )
    assert rules(operator, "4.0") == [] and set(rules(operator, "3.1")) == {"batch-normalization.spatial"}
    assert rules(operator.replace(spatial=True), "1.0") == []


def test_epsilon__of_a_gradient_is_0_if_left_out() -> None:
    arrays = {"input_tensor": np.array([3.0], "f4"), "input_gradient_tensor": np.array([8.0], "f4")}
    arrays |= {name: np.array([4.0], "f4") for name in ("mean_tensor", "variance_tensor", "scale_tensor")}
    found = outputs_of(dml.BatchNormalizationGrad(**described(arrays)), arrays)
    assert found["output_gradient_tensor"].tolist() == [8 * 4 / 2]
