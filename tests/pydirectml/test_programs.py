"""Programs written for PyDirectML give what an independent computation on the same weights gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.pydirectml import data, programs
from tests.pydirectml.data import DATA, NEEDS_DATA

SMALL = {"mobilenet": (3, 32, 32), "style_transfer": (3, 24, 32), "super_resolution": (1, 10, 14)}
WEIGHTS = {
    "mobilenet": data.mobile_weights,
    "style_transfer": data.style_weights,
    "super_resolution": data.resolution_weights,
}


def references() -> Any:
    pytest.importorskip("torch", reason="the independent computation is PyTorch's")
    from tests.pydirectml import references as module

    return module


@NEEDS_DATA
def test_mnist__reads_the_digit() -> None:
    chances = programs.mnist(data.digit_image(), data.load_weights("mnist-8_tensor_data"))
    assert chances.shape == (1, 1, 1, 10) and abs(chances.sum() - 1) < 1e-5
    assert chances.argmax() == 1 and chances.max() > 0.9


@NEEDS_DATA
def test_mnist__agrees_with_pytorch() -> None:
    image, weights = data.digit_image(), data.load_weights("mnist-8_tensor_data")
    expected = references().mnist(image, weights)
    np.testing.assert_allclose(programs.mnist(image, weights).reshape(-1), expected.reshape(-1), atol=1e-4)


@NEEDS_DATA
def test_squeezenet__knows_the_dog_and_agrees_with_pytorch() -> None:
    image, weights = data.photograph(), data.load_weights("squeezenet_tensor_data")
    chances = programs.squeezenet(image, weights).reshape(-1)
    names = (DATA / "imagenet_categories.txt").read_text("utf-8").splitlines()
    assert names[int(chances.argmax())] == "Labrador retriever"
    np.testing.assert_allclose(chances, references().squeezenet(image, weights).reshape(-1), atol=1e-4)


@pytest.mark.parametrize("name", sorted(SMALL))
def test_network__agrees_with_pytorch(name: str) -> None:
    image = np.random.default_rng(7).random((1, *SMALL[name])).astype(np.float32)
    image *= 255 if name == "style_transfer" else 1
    weights = WEIGHTS[name]()
    found = getattr(programs, name)(image, weights)
    expected = getattr(references(), name)(image, weights)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(found.reshape(expected.shape) / scale, expected / scale, atol=1e-4)
    assert np.ptp(expected) > 0.01 * scale, "a result that is the same everywhere would prove nothing"


def test_network__differs_when_a_weight_does() -> None:
    """The comparison can fail: one weight changes the result by more than is tolerated."""
    image = np.random.default_rng(7).random((1, *SMALL["mobilenet"])).astype(np.float32)
    weights = data.mobile_weights()
    before = programs.mobilenet(image, weights)
    weights["block1_depth_weight"] = weights["block1_depth_weight"] * np.float32(1.01)
    assert np.abs(programs.mobilenet(image, weights) - before).max() > 1e-4 * np.abs(before).max()
