"""Pictures as tensors: NCHW, channels in the order R G B (A), black to white as 0 to 1. Needs Pillow."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from anydml.core.errors import ModelError, UnsupportedError, Violation, shown
from anydml.core.integers import require_integers
from anydml.core.rules import rule
from anydml.files.access import ARGUMENT, AnyPath, open_regular
from anydml.process.loading import load_module

PILLOW = rule("image.pillow", "Images need Pillow, which the extra anydml[images] brings.")
FORMAT = rule("image.format", "An image file is a PNG or JPEG picture.")
PIXELS = rule("image.size", "An image has at most 64 million pixels.")

MODES = {1: "L", 3: "RGB", 4: "RGBA"}
"""Pillow's name for each number of channels."""
MAXIMUM_PIXELS = 64_000_000
_DEEP_MODES = ("I;16", "I;16L", "I;16B", "I;16N", "I")
"""What Pillow calls grey of 16 bits; which of them depends on its version."""
_DEEPEST = 65535
_MOST_BYTES_OF_PNG = 1100
"""How many bytes one byte of PNG stands for at most: its compression gets to 1032."""
_MOST_PIXELS_OF_JPEG = 2048
"""How many pixels one byte of JPEG stands for at most: 64 for each bit, or four times that if channels share them."""
_FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}


def image_sizes(path: AnyPath) -> tuple[int, int, int]:
    """Channels, height and width, from the picture's header alone."""
    with _open(path) as image:
        return 3, image.height, image.width


def read_image(path: AnyPath, sizes: tuple[int, int, int]) -> np.ndarray[Any, Any]:
    """The picture as float32 [channels, height, width], scaled to these sizes."""
    counts = require_integers(sizes, "sizes")
    if len(counts) != 3 or counts[0] not in MODES or min(counts) < 1:
        raise ModelError(ARGUMENT("sizes", shown(sizes), "1, 3 or 4 channels, a height and a width"))
    channels, height, width = counts
    check_pixels(width, height)
    with _open(path) as image, _decoding(path):
        decode = _decode_deep if image.mode in _DEEP_MODES else _decode
        return decode(image, channels, (width, height))


def to_image(values: np.ndarray[Any, Any], extension: str) -> bytes:
    """A float array [channels, height, width] as a PNG or JPEG file; what is outside 0 to 1 is clamped."""
    pillow = find_pillow()
    if getattr(values, "ndim", 0) != 3 or values.shape[0] not in MODES or values.size == 0:
        raise ModelError(ARGUMENT("values", shown(values), "an array [channels, height, width] of 1, 3 or 4 channels"))
    if not isinstance(extension, str) or extension not in _FORMATS:
        raise ModelError(ARGUMENT("extension", shown(extension), f"one of {' '.join(_FORMATS)}"))
    # DxDispatch cuts fractions off, and turns what is no number into white.
    clamped = np.clip(np.nan_to_num(values.astype(np.float32), nan=1.0, posinf=1.0, neginf=0.0), 0, 1)
    pixels = np.moveaxis((clamped * np.float32(255)).astype(np.uint8), 0, 2)
    channels = pixels.shape[2]
    image = pillow.fromarray(np.ascontiguousarray(pixels[:, :, 0] if channels == 1 else pixels), MODES[channels])
    if _FORMATS[extension] == "JPEG" and channels == 4:
        image = image.convert("RGB")  # JPEG has no transparency
    return _encode(image, _FORMATS[extension])


def _encode(image: Any, format_name: str) -> bytes:
    buffer = io.BytesIO()
    try:
        image.save(buffer, format_name, quality=90)
    except (OSError, ValueError, SystemError) as error:  # JPEG has at most 65500 pixels a side
        found = f"a picture of {image.width} x {image.height} pixels ({error})"
        raise ModelError(FORMAT("", found, f"one that {format_name} can hold", "a smaller picture")) from None
    return buffer.getvalue()


def find_pillow(module: str = "PIL.Image") -> Any:
    """Pillow, or an error that names the extra to install."""
    try:
        return load_module(module)
    except ImportError:
        fix = "pip install 'anydml[images]'"
        raise UnsupportedError(PILLOW("", "no Pillow", "Pillow for images", fix)) from None


def check_pixels(width: int, height: int) -> None:
    """Refuse a picture that would unpack to far too much."""
    if width * height > MAXIMUM_PIXELS:
        raise ModelError(_too_many(f"{width} x {height} pixels"))


def _too_many(found: str) -> Violation:
    return PIXELS("", found, f"at most {MAXIMUM_PIXELS} pixels", "a smaller picture")


@contextmanager
def _open(path: AnyPath) -> Iterator[Any]:
    """The picture with only its header read."""
    pillow = find_pillow()
    with open_regular(path) as file, io.BufferedReader(file) as buffered:
        size = os.fstat(file.fileno()).st_size
        if not size:  # some files of the system have no size and block their readers
            raise _not_an_image(path, "it is empty")
        with _decoding(path):
            image = pillow.open(buffered, formats=("PNG", "JPEG"))
        with image:
            check_pixels(image.width, image.height)
            if not _can_hold(size, image):
                raise _not_an_image(path, f"{size} bytes cannot hold {image.width} x {image.height} pixels")
            yield image


def _can_hold(size: int, image: Any) -> bool:
    """Whether a file of this many bytes can have so many pixels; one that cannot would take long to find out."""
    if image.format == "PNG":  # a row has a byte of its own and at least one bit for each pixel
        return bool(image.height * (1 + image.width // 8) <= size * _MOST_BYTES_OF_PNG)
    return bool(image.height * image.width <= size * _MOST_PIXELS_OF_JPEG)


@contextmanager
def _decoding(path: AnyPath) -> Iterator[None]:
    """Decoders meet bytes from outside, and fail in many ways."""
    pillow = find_pillow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # our own limit of pixels is the one that counts
            yield
    except MemoryError:
        raise
    except pillow.DecompressionBombError:
        raise ModelError(_too_many("far more pixels than a picture has")) from None
    except Exception as error:
        raise _not_an_image(path, type(error).__name__) from None


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


def _not_an_image(path: AnyPath, why: str) -> ModelError:
    return ModelError(FORMAT("", f"{Path(path).name!r}, which cannot be decoded ({why})", "a PNG or JPEG picture"))
