"""Mutated .png and .jpg files: refused by a rule, or decoded to numbers from 0 to 1."""

from __future__ import annotations

import io
import random
import struct
import tempfile
import zlib
from pathlib import Path

import numpy as np
from PIL import Image

import anydml as dml
from anydml.files import images
from tests.fuzz.harness import Summary, run_cases
from tests.fuzz.mutate import mutate_bytes

PNG_MODES = ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"]
JPEG_MODES = ["L", "RGB", "CMYK"]
PNG_MARK = b"\x89PNG\r\n\x1a\n"


def fuzz_images(seed: int, count: int | None = None, seconds: float | None = None) -> Summary:
    """Mutants of small pictures of every mode; those of PNG often with sums that are right again."""
    rng, summary = random.Random(seed), Summary("images", seed)
    sources = _sound_files()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def case() -> None:
            extension, data = rng.choice(sources)
            if extension == ".png" and rng.random() < 0.6:
                data = _mutate_chunks(data, rng)
            else:
                data = mutate_bytes(data, rng)
            path = folder / f"a{extension if rng.random() < 0.9 else '.jpeg'}"
            path.write_bytes(data)
            sizes = rng.choice([(3, 5, 7), (1, 8, 8), (4, 8, 8), (3, 1, 1)])
            _read(summary, path, sizes)

        return run_cases(summary, case, count, seconds)


def _sound_files() -> list[tuple[str, bytes]]:
    pixels = np.arange(64, dtype=np.uint8).reshape(8, 8) * 4
    found = []
    for extension, modes in ((".png", PNG_MODES), (".jpg", JPEG_MODES)):
        for mode in modes:
            deep = Image.fromarray(pixels.astype(np.uint16) * 257)
            image = deep if mode == "I;16" else Image.fromarray(pixels).convert(mode)
            for options in ({}, {"progressive": True}, {"optimize": True}):
                buffer = io.BytesIO()
                image.save(buffer, "PNG" if extension == ".png" else "JPEG", **options)
                found.append((extension, buffer.getvalue()))
    return found


def _mutate_chunks(data: bytes, rng: random.Random) -> bytes:
    """One chunk changed, dropped, repeated or renamed, with sums that are right: that goes deeper than flipped bits."""
    chunks, at = [], len(PNG_MARK)
    while at + 12 <= len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        chunks.append((data[at + 4 : at + 8], data[at + 8 : at + 8 + length]))
        at += 12 + length
    where = rng.randrange(len(chunks))
    name, body = chunks[where]
    kind = rng.randrange(6)
    if kind < 3:
        chunks[where] = name, mutate_bytes(body or b"\0", rng)
    elif kind == 3:
        del chunks[where]
    elif kind == 4:
        chunks.insert(rng.randrange(len(chunks)), (name, body))
    else:
        chunks[where] = rng.choice([b"tEXt", b"zTXt", b"iTXt", b"tRNS", b"PLTE", b"gAMA", b"acTL", b"eXIf"]), body
    return PNG_MARK + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )


def _read(summary: Summary, path: Path, sizes: tuple[int, int, int]) -> None:
    try:
        images.image_sizes(path)
        values = images.read_image(path, sizes)
    except dml.ModelError as error:
        summary.count(error.violations[0].rule)
        return
    summary.count("read")
    if values.shape != sizes or values.dtype != np.float32 or not (values >= 0).all() or not (values <= 1).all():
        summary.fail(f"{values.shape} {values.dtype} from {values.min()} to {values.max()}: {path.read_bytes()!r}")
