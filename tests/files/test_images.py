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
from anydml.files import images
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


DEEP = np.array([[0, 256, 32768, 65535]], np.uint16)


@pytest.mark.parametrize("order", ["<u2", ">u2"])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_read__keeps_16_bits_of_grey(channels: int, order: str, tmp_path: Path) -> None:
    Image.fromarray(DEEP.astype(order)).save(tmp_path / "p.png")
    read = images.read_image(tmp_path / "p.png", (channels, 1, 4))
    expected = [float(np.float32(level) / np.float32(65535)) for level in DEEP[0]]
    assert read[: min(channels, 3), 0].tolist() == [expected] * min(channels, 3) and read.dtype == np.float32
    assert channels < 4 or read[3, 0].tolist() == [1] * 4


@pytest.mark.parametrize("mode", ["I;16", "I;16B", "I"])
def test_decode_deep__takes_every_name_of_16_bits(mode: str) -> None:
    kinds = {"I;16": "<u2", "I;16B": ">u2", "I": "<i4"}
    image = Image.fromarray(DEEP.astype(kinds[mode]))
    assert image.mode == mode and mode in images._DEEP_MODES
    read = images._decode_deep(image, 1, (4, 1))
    assert np.allclose(read, [[[0, 256 / 65535, 32768 / 65535, 1]]], rtol=1e-6, atol=0)


def test_read__scales_16_bits_within_black_and_white(tmp_path: Path) -> None:
    Image.fromarray(np.repeat(DEEP[:, [0, 3]], 8, 1)).save(tmp_path / "p.png")
    read = images.read_image(tmp_path / "p.png", (1, 3, 40))
    assert read.shape == (1, 3, 40) and read.min() == 0 and read.max() == 1
    assert np.all(np.diff(read[0, 0, 15:25]) >= 0) and read[0, 0, 0] == 0 and read[0, 0, 39] == 1


def test_read__knows_a_grey_that_stands_for_a_hole(tmp_path: Path) -> None:
    Image.fromarray(DEEP).save(tmp_path / "p.png", transparency=256)
    assert images.read_image(tmp_path / "p.png", (4, 1, 4))[3, 0].tolist() == [1, 0, 1, 1]


def test_read__takes_greys_palettes_and_bits(tmp_path: Path) -> None:
    """Two pixels of each mode, as red, green, blue and opacity."""
    palette = Image.fromarray(np.array([[0, 1]], np.uint8), "P")
    palette.putpalette([255, 0, 51, 0, 255, 102])
    pictures = {
        "LA": (Image.fromarray(np.array([[[51, 0], [255, 102]]], np.uint8), "LA"), [51] * 3 + [0], [255] * 3 + [102]),
        "P": (palette, [255, 0, 51, 255], [0, 255, 102, 0]),
        "1": (Image.fromarray(np.array([[False, True]])), [0, 0, 0, 255], [255] * 4),
        "L": (Image.fromarray(np.array([[51, 102]], np.uint8)), [51] * 3 + [255], [102] * 3 + [255]),
    }
    for mode, (image, first, second) in pictures.items():
        assert image.mode == mode
        image.save(tmp_path / "p.png", **({"transparency": bytes([255, 0])} if mode == "P" else {}))
        read = images.read_image(tmp_path / "p.png", (4, 1, 2)) * 255
        assert read[:, 0].T.round().tolist() == [first, second], mode
        assert np.array_equal(images.read_image(tmp_path / "p.png", (3, 1, 2)) * 255, read[:3])


def test_read__takes_printers_colours(tmp_path: Path) -> None:
    Image.new("CMYK", (16, 16), (0, 255, 255, 0)).save(tmp_path / "p.jpg", quality=100)
    red = images.read_image(tmp_path / "p.jpg", (3, 16, 16))
    assert np.allclose(red.mean((1, 2)), [1, 0, 0], atol=0.03)


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


def bomb(width: int = 60000, height: int = 60000) -> bytes:
    """A PNG of a few hundred bytes that claims far more pixels than it has."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(99))) + chunk(b"IEND", b"")


def test_not_images__are_refused(tmp_path: Path) -> None:
    for name, data, rule in [
        ("p.png", b"not a picture", "image.format"),
        ("p.png", b"", "image.format"),
        ("p.png", bomb(), "image.size"),
        ("p.png", bomb(8, 7_900_000), "image.format"),
        ("p.png", bomb(7_900_000, 8), "image.format"),
        ("p.png", bomb(8000, 8000), "image.format"),
        ("p.jpg", b"GIF89a" + bytes(40), "image.format"),
    ]:
        (tmp_path / name).write_bytes(data)
        assert [v.rule for v in violations(picture(name=name), folder=tmp_path)] == [rule]


def test_small_file__may_hold_many_pixels_of_one_colour(tmp_path: Path) -> None:
    """Nothing compresses better, and the limit must let it pass."""
    for mode, size in (("1", (4000, 4000)), ("L", (2000, 2000)), ("1", (1, 100_000)), ("P", (100_000, 3))):
        Image.new(mode, size).save(tmp_path / "p.png", optimize=True)
        assert images.image_sizes(tmp_path / "p.png") == (3, size[1], size[0])
        assert not images.read_image(tmp_path / "p.png", (1, 2, 2)).any()
    for subsampling in (0, 1, 2):
        image = Image.new("RGB", (4000, 3000))
        image.save(tmp_path / "p.jpg", optimize=True, progressive=True, quality=1, subsampling=subsampling)
        assert images.image_sizes(tmp_path / "p.jpg") == (3, 3000, 4000)


def test_small_jpeg__that_claims_many_pixels_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.new("RGB", (16, 16)).save(buffer, "JPEG")
    data = bytearray(buffer.getvalue())
    frame = data.find(b"\xff\xc0") + 5
    data[frame : frame + 4] = struct.pack(">HH", 8000, 7990)
    (tmp_path / "p.jpg").write_bytes(data)
    assert [v.rule for v in violations(picture(name="p.jpg"), folder=tmp_path)] == ["image.format"]


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
        (picture([1, 3, 20000, 30000]), "image.size"),
        (picture([1, 3, 2, 2], "UINT8"), "initial-values.type"),
    ],
)
def test_bad_sizes_and_types__are_told(model: Any, rule: str, colours: Any, tmp_path: Path) -> None:
    assert rule in [violation.rule for violation in violations(model, folder=tmp_path)]


def test_too_many_pixels__are_told_where_they_are_asked_for(colours: Any, tmp_path: Path) -> None:
    (told,) = violations(picture([1, 1, 8000, 8001]), folder=tmp_path)
    assert (told.path, told.found) == ("resources.a.resampleSize", "8001 x 8000 pixels")
    assert not violations(picture([1, 1, 8000, 8000]), folder=tmp_path)


def test_missing_pillow__names_the_extra() -> None:
    with pytest.raises(dml.UnsupportedError, match=r"anydml\[images\]"):
        images.find_pillow("no_such_module")
