"""Pictures as tensors: NCHW, channels in the order R G B (A), black to white as 0 to 1. Needs Pillow."""

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
_DEEP_MODES = ("I;16", "I;16L", "I;16B", "I;16N", "I")
"""What Pillow calls grey of 16 bits; which of them depends on its version."""
_DEEPEST = 65535
_FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}


def image_sizes(path: Path) -> tuple[int, int, int]:
    """Channels, height and width, from the picture's header alone."""
    with _open(path) as image:
        return 3, image.height, image.width


def read_image(path: Path, sizes: tuple[int, int, int]) -> np.ndarray[Any, Any]:
    """The picture as float32 [channels, height, width], scaled to these sizes."""
    channels, height, width = sizes
    with _open(path) as image:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                decode = _decode_deep if image.mode in _DEEP_MODES else _decode
                return decode(image, channels, (width, height))
        except MemoryError:
            raise
        except Exception as error:  # truncated and broken files of every kind
            raise _not_an_image(path, error) from None


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


def check_pixels(width: int, height: int, path: str = "sourcePath") -> None:
    """Refuse a picture that would unpack to far too much."""
    if width * height > MAXIMUM_PIXELS:
        raise ModelError(_too_many(f"{width} x {height} pixels", path))


def _too_many(found: str, path: str = "sourcePath") -> Violation:
    return PIXELS(path, found, f"at most {MAXIMUM_PIXELS} pixels", "a smaller picture")


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


def _decode(image: Any, channels: int, size: tuple[int, int]) -> np.ndarray[Any, Any]:
    pixels = np.asarray(_resized(image.convert(MODES[channels]), size), np.uint8)
    planes = np.moveaxis(pixels.reshape(*pixels.shape[:2], channels), 2, 0)
    return planes.astype(np.float32) / np.float32(255)


def _decode_deep(image: Any, channels: int, size: tuple[int, int]) -> np.ndarray[Any, Any]:
    """Grey of 16 bits, which Pillow's own conversion would clip to 8."""
    pillow = find_pillow()
    levels = np.asarray(image)

    def plane(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        scaled = _resized(pillow.fromarray(values.astype(np.float32) / np.float32(_DEEPEST)), size)
        return np.clip(np.asarray(scaled, np.float32), 0, 1)  # a cubic filter overshoots at edges

    planes = [plane(levels)] * min(channels, 3)
    if channels == 4:
        # One grey may stand for a hole in the picture.
        planes.append(plane(np.where(levels == image.info.get("transparency"), 0, _DEEPEST)))
    return np.stack(planes)


def _resized(image: Any, size: tuple[int, int]) -> Any:
    return image if image.size == size else image.resize(size, find_pillow().Resampling.BICUBIC)


def _not_an_image(path: Path, error: Exception) -> ModelError:
    found = f"{path.name!r}, which cannot be decoded ({type(error).__name__})"
    return ModelError(FORMAT("sourcePath", found, "a PNG or JPEG picture"))
