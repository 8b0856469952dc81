"""Pictures as tensors: NCHW, channels in the order R G B (A), 0 to 255 as 0 to 1. Needs Pillow."""

from __future__ import annotations

import io
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from anydml.core.errors import ModelError, UnsupportedError, Violation
from anydml.core.rules import rule

PILLOW = rule(
    "image.pillow",
    "Images need Pillow, which the extra anydml[images] brings.",
    "dml.frontends.dxdispatch.images.find_pillow('no_such_module')",
)
FORMAT = rule(
    "image.format",
    "An image file is a PNG or JPEG picture.",
    "dml.frontends.dxdispatch.images.image_sizes(__import__('pathlib').Path(dml.__file__))",
)
PIXELS = rule(
    "image.size",
    "An image has at most 64 million pixels.",
    "dml.frontends.dxdispatch.images.check_pixels(10**5, 10**5)",
)

MODES = {1: "L", 3: "RGB", 4: "RGBA"}
"""Pillow's name for each number of channels."""
MAXIMUM_PIXELS = 64_000_000
_FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}


def image_sizes(path: Path) -> tuple[int, int, int]:
    """Channels, height and width, from the picture's header alone."""
    with _open(path) as image:
        return 3, image.height, image.width


def read_image(path: Path, sizes: tuple[int, int, int]) -> np.ndarray[Any, Any]:
    """The picture as float32 [channels, height, width], scaled to these sizes."""
    channels, height, width = sizes
    with _open(path) as image:
        pixels = _decode(path, image, MODES[channels], (width, height))
    return np.moveaxis(pixels.reshape(height, width, channels), 2, 0).astype(np.float32) / np.float32(255)


def to_image(values: np.ndarray[Any, Any], extension: str) -> bytes:
    """A float array [channels, height, width] as a PNG or JPEG file; what is outside 0 to 1 is clamped."""
    pillow = find_pillow()
    # DxDispatch cuts fractions off, and turns what is no number into white.
    clamped = np.clip(np.nan_to_num(values.astype(np.float32), nan=1.0, posinf=1.0, neginf=0.0), 0, 1)
    pixels = np.moveaxis((clamped * np.float32(255)).astype(np.uint8), 0, 2)
    channels = pixels.shape[2]
    image = pillow.fromarray(np.ascontiguousarray(pixels[:, :, 0] if channels == 1 else pixels), MODES[channels])
    if _FORMATS[extension] == "JPEG" and channels == 4:
        image = image.convert("RGB")  # JPEG has no transparency
    buffer = io.BytesIO()
    image.save(buffer, _FORMATS[extension], quality=90)
    return buffer.getvalue()


def find_pillow(module: str = "PIL.Image") -> Any:
    """Pillow, or an error that names the extra to install."""
    try:
        return import_module(module)
    except ImportError:
        fix = "pip install 'anydml[images]'"
        raise UnsupportedError(PILLOW("", "no Pillow", "Pillow for images", fix)) from None


def check_pixels(width: int, height: int) -> None:
    """Refuse a picture that would unpack to far too much."""
    if width * height > MAXIMUM_PIXELS:
        raise ModelError(_too_many(f"{width} x {height} pixels"))


def _too_many(found: str) -> Violation:
    return PIXELS("sourcePath", found, f"at most {MAXIMUM_PIXELS} pixels", "a smaller picture")


def _open(path: Path) -> Any:
    """The picture with only its header read."""
    pillow = find_pillow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # our own limit, just below, is the one that counts
            image = pillow.open(path, formats=("PNG", "JPEG"))
    except pillow.DecompressionBombError:
        raise ModelError(_too_many("far more pixels than a picture has")) from None
    except Exception as error:  # decoders meet bytes from outside, and fail in many ways
        raise _not_an_image(path, error) from None
    try:
        check_pixels(image.width, image.height)
    except ModelError:
        image.close()
        raise
    return image


def _decode(path: Path, image: Any, mode: str, size: tuple[int, int]) -> np.ndarray[Any, Any]:
    pillow = find_pillow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            converted = image.convert(mode)
            if converted.size != size:
                converted = converted.resize(size, pillow.Resampling.BICUBIC)
            return np.asarray(converted, np.uint8)
    except MemoryError:
        raise
    except Exception as error:  # as above: truncated and broken files of every kind
        raise _not_an_image(path, error) from None


def _not_an_image(path: Path, error: Exception) -> ModelError:
    found = f"{path.name!r}, which cannot be decoded ({type(error).__name__})"
    return ModelError(FORMAT("sourcePath", found, "a PNG or JPEG picture"))
