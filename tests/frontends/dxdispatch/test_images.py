"""Images: channels, scaling and clamping as DxDispatch does it; files that are none are refused."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import anydml as dml
from anydml.frontends.dxdispatch import images
from tests.frontends.dxdispatch.models import resource, run, violations


def picture(sizes: list[int] | None = None, kind: str = "FLOAT32", name: str = "p.png") -> dict[str, Any]:
    more = {} if sizes is None else {"resampleSize": sizes}
    return resource({"initialValuesDataType": kind, "initialValues": {"sourcePath": name}, **more})


@pytest.fixture
def colours(tmp_path: Path) -> np.ndarray[Any, Any]:
    pixels = np.array([[[255, 0, 51], [0, 255, 102]], [[1, 2, 3], [255, 255, 255]]], np.uint8)
    Image.fromarray(pixels).save(tmp_path / "p.png")
    return pixels


def test_read__is_channels_first_red_green_blue_from_zero_to_one(colours: Any, tmp_path: Path) -> None:
    read = images.read_image(tmp_path / "p.png", (3, 2, 2))
    expected = [
        [[float(np.float32(colours[y, x, c]) / np.float32(255)) for x in range(2)] for y in range(2)] for c in range(3)
    ]
    assert read.dtype == np.float32 and read.tolist() == expected


def test_read__adds_opacity_and_makes_grey(colours: Any, tmp_path: Path) -> None:
    four = images.read_image(tmp_path / "p.png", (4, 2, 2))
    assert (four[3] == 1).all() and np.array_equal(four[:3], images.read_image(tmp_path / "p.png", (3, 2, 2)))
    assert images.read_image(tmp_path / "p.png", (1, 2, 2)).shape == (1, 2, 2)


def test_read__scales_to_the_sizes_asked_for(tmp_path: Path) -> None:
    Image.new("RGB", (40, 20), (0, 128, 255)).save(tmp_path / "p.png")
    read = images.read_image(tmp_path / "p.png", (3, 5, 7))
    assert read.shape == (3, 5, 7)
    assert [set(channel.reshape(-1).tolist()) for channel in read] == [{0.0}, {float(np.float32(128) / 255)}, {1.0}]


def test_resource__has_the_pictures_own_sizes_unless_resampled(colours: Any, tmp_path: Path) -> None:
    from tests.frontends.dxdispatch.models import parse

    assert parse(picture(), folder=tmp_path).resources["a"].initial.element_count == 12
    assert parse(picture([1, 1, 3, 5], "FLOAT16"), folder=tmp_path).resources["a"].size_in_bytes == 32


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_write__clamps_and_cuts_off(channels: int) -> None:
    values = np.array([-1, 0, 0.5, 0.999, 1, 7, np.nan, np.inf], np.float32)
    data = images.to_image(np.broadcast_to(values, (channels, 1, 8)), ".png")
    read = np.asarray(Image.open(io.BytesIO(data))).reshape(8, channels)
    assert [tuple(pixel) for pixel in read.tolist()] == [(v,) * channels for v in [0, 0, 127, 254, 255, 255, 255, 255]]


def test_round_trip__keeps_every_byte(colours: Any, tmp_path: Path) -> None:
    data = images.to_image(images.read_image(tmp_path / "p.png", (3, 2, 2)), ".png")
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(data))), colours)


def test_jpeg__is_written_without_opacity() -> None:
    image = Image.open(io.BytesIO(images.to_image(np.full((4, 3, 5), 0.5, np.float32), ".jpg")))
    assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (5, 3))


def test_executor__writes_images_it_was_asked_for(tmp_path: Path) -> None:
    model = resource({"initialValuesDataType": "FLOAT16", "initialValues": [0, 1, 0.2, 0.4]})
    model["commands"] = [{"type": "writeFile", "resource": "a", "targetPath": "a.png", "dimensions": [1, 1, 2, 2]}]
    run(model, tmp_path)
    assert np.asarray(Image.open(tmp_path / "a.png")).tolist() == [[0, 255], [50, 101]]


def bomb() -> bytes:
    """A PNG of a few hundred bytes that claims 60000 x 60000 pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", 60000, 60000, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(99))) + chunk(b"IEND", b"")


def test_not_images__are_refused(tmp_path: Path) -> None:
    for name, data, rule in [
        ("p.png", b"not a picture", "image.format"),
        ("p.png", b"", "image.format"),
        ("p.png", bomb(), "image.size"),
        ("p.jpg", b"GIF89a" + bytes(40), "image.format"),
    ]:
        (tmp_path / name).write_bytes(data)
        assert [v.rule for v in violations(picture(name=name), folder=tmp_path)] == [rule]


def test_truncated_image__fails_the_run_with_a_message(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.effect_noise((64, 64), 90).save(buffer, "PNG")
    (tmp_path / "p.png").write_bytes(buffer.getvalue()[:1500])
    with pytest.raises(dml.ModelError) as caught:
        images.read_image(tmp_path / "p.png", (1, 64, 64))
    assert [violation.rule for violation in caught.value.violations] == ["image.format"]


@pytest.mark.parametrize(
    ("model", "rule"),
    [
        (picture([2, 3, 2, 2]), "resource.resample"),
        (picture([1, 2, 2, 2]), "resource.resample"),
        (picture([3, 2, 2]), "resource.resample"),
        (picture([1, 3, 0, 2]), "model.range"),
        (picture([1, 3, 2, 2], "UINT8"), "initial-values.type"),
    ],
)
def test_bad_sizes_and_types__are_told(model: Any, rule: str, colours: Any, tmp_path: Path) -> None:
    assert rule in [violation.rule for violation in violations(model, folder=tmp_path)]


def test_missing_pillow__names_the_extra() -> None:
    with pytest.raises(dml.UnsupportedError, match=r"anydml\[images\]"):
        images.find_pillow("no_such_module")
