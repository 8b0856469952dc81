"""Published weights and images for the programs, where they are at hand, and weights of our own."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("ANYDML_PYDIRECTML_DATA", ROOT.parent / "shared" / "data" / "pydirectml"))
NEEDS_DATA = pytest.mark.skipif(
    not DATA.is_dir(), reason="the weights are not shipped: ANYDML_PYDIRECTML_DATA names their folder"
)
Arrays = dict[str, np.ndarray[Any, Any]]


def load_weights(folder: str) -> Arrays:
    """Every array of a folder by the name of its file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # written by Python 2
        return {path.stem: np.load(path) for path in sorted((DATA / folder).glob("*.npy"))}


def digit_image() -> np.ndarray[Any, Any]:
    """White on black, 28 by 28, from 0 to 1."""
    from PIL import Image, ImageOps

    image = ImageOps.fit(ImageOps.grayscale(Image.open(DATA / "mnist_image1.png")), (28, 28))
    if image.getpixel((0, 0)) >= 128:
        image = ImageOps.invert(image)
    pixels = np.array(image, np.float32)
    return (pixels / pixels.max())[None, None]


def photograph() -> np.ndarray[Any, Any]:
    """Normalized as SqueezeNet was trained."""
    from PIL import Image, ImageOps

    image = ImageOps.fit(Image.open(DATA / "dog2.jpg").convert("RGB"), (224, 224), centering=(0.5, 0.5))
    pixels = np.transpose(np.array(image, np.float32), [2, 0, 1]) / 255
    mean, deviation = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    normalized: np.ndarray[Any, Any] = (pixels - mean[:, None, None]) / deviation[:, None, None]
    return normalized


class Maker:
    """Random weights that keep the size of what flows through a network."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.arrays: Arrays = {}

    def filters(self, name: str, sizes: Sequence[int], outputs: int | None = None) -> None:
        scale = 1 / np.sqrt(np.prod(sizes[1:]))
        self.arrays[f"{name}_weight"] = (self.random.standard_normal(sizes) * scale).astype(np.float32)
        self.arrays[f"{name}_bias"] = self.vector(outputs or sizes[0])

    def vector(self, count: int, around: float = 0.0) -> np.ndarray[Any, Any]:
        return (self.random.standard_normal(count) * 0.1 + around).astype(np.float32)

    def normalization(self, name: str, count: int) -> None:
        self.arrays[f"{name}_mean"] = self.vector(count)
        self.arrays[f"{name}_variance"] = np.abs(self.vector(count, 1.0)) + np.float32(0.1)
        self.arrays[f"{name}_scale"] = self.vector(count, 1.0)
        self.arrays[f"{name}_shift"] = self.vector(count)


def style_weights() -> Arrays:
    maker = Maker(1)
    shapes = {"first": (8, 3, 9, 9), "down": (16, 8, 3, 3), "residual1": (16, 16, 3, 3), "residual2": (16, 16, 3, 3)}
    for name, sizes in shapes.items():
        maker.filters(name, sizes)
        maker.normalization(name, sizes[0])
    maker.filters("up", (16, 8, 3, 3), outputs=8)
    maker.normalization("up", 8)
    maker.filters("last", (3, 8, 3, 3))
    return maker.arrays | {"mean": np.array([103.939, 116.779, 123.68], np.float32)}


def mobile_weights() -> Arrays:
    maker = Maker(2)
    shapes: dict[str, tuple[int, ...]] = {"first": (16, 3, 3, 3)}
    narrow = 16
    for block, out in enumerate([8, 12, 12]):
        wide = narrow * 4
        shapes[f"block{block}_expand"] = (wide, narrow, 1, 1)
        shapes[f"block{block}_depth"] = (wide, 1, 3, 3)
        shapes[f"block{block}_project"] = (out, wide, 1, 1)
        narrow = out
    for name, sizes in shapes.items():
        maker.filters(name, sizes)
        maker.normalization(name, sizes[0])
    maker.arrays["classes"] = maker.random.standard_normal((10, narrow)).astype(np.float32)
    return maker.arrays | {"shift": maker.vector(10)}


def resolution_weights() -> Arrays:
    maker = Maker(3)
    for name, sizes in {"conv1": (16, 1, 5, 5), "conv2": (8, 16, 3, 3), "conv3": (9, 8, 3, 3)}.items():
        maker.filters(name, sizes)
    return maker.arrays
