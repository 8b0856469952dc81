"""Mutated .npy files: refused by a rule, or read as NumPy reads them."""

from __future__ import annotations

import io
import random
import tempfile
import warnings
from pathlib import Path

import numpy as np

import anydml as dml
from anydml.files import npy
from tests.fuzz.harness import Summary, run_cases
from tests.fuzz.mutate import mutate_bytes

HEADER_PIECES = [
    b"'descr'", b"'fortran_order'", b"'shape'", b"'<f4'", b"'>i8'", b"'|O'", b"'|V8'", b"'<U3'", b"[('a', '<f4')]",
    b"True", b"False", b"None", b"(1,)", b"(2, 3)", b"()", b"(0,)", b"(9" + b"9" * 30 + b",)", b"(-1,)", b"(1.5,)",
    b"(2L,)", b"{", b"}", b"(", b")", b"[", b"]", b",", b":", b"'", b'"', b"\\", b"\n", b"\0", b"(" * 300, b"-" * 300,
    b"lambda:", b"not ", b"1" * 5000, b"0x10", b"1_0", b"__import__('os')", b"#", b"\xe9",
]  # fmt: skip


def fuzz_arrays(seed: int, count: int | None = None, seconds: float | None = None) -> Summary:
    """Mutants of sound files, half of them with lengths that still fit their headers."""
    rng, summary = random.Random(seed), Summary("arrays", seed)
    sources = list(_sound_files())
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "a.npy"

        def case() -> None:
            data = rng.choice(sources)
            data = _mutate_header(data, rng) if rng.random() < 0.6 else mutate_bytes(data, rng)
            path.write_bytes(data)
            _read(summary, path, data)

        return run_cases(summary, case, count, seconds)


def _sound_files() -> list[bytes]:
    found = []
    for descr in ("<f4", ">f4", "<f2", "|u1", "|b1", "<i8", ">u2"):
        for shape in ((), (3,), (2, 3), (0, 2)):
            for version in ((1, 0), (2, 0), (3, 0)):
                buffer = io.BytesIO()
                array = np.arange(int(np.prod(shape)), dtype=descr.replace("b1", "u1")).reshape(shape).astype(descr)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # NumPy warns of version 3
                    np.lib.format.write_array(buffer, np.asarray(array, order="F"), version)
                found.append(buffer.getvalue())
    return found


def _mutate_header(data: bytes, rng: random.Random) -> bytes:
    """The text of the header changed, and its length with it."""
    digits = 2 if data[6] == 1 else 4
    start = 8 + digits
    end = start + int.from_bytes(data[8:start], "little")
    text = _nearly_sound_header(rng) if rng.random() < 0.6 else data[start:end]
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        at = rng.randrange(len(text) + 1)
        piece = rng.choice(HEADER_PIECES)
        text = text[:at] + piece + text[at + rng.choice([0, 0, 1, len(piece)]) :]
    return data[:8] + (len(text) % 256**digits).to_bytes(digits, "little") + text + data[end:]


def _nearly_sound_header(rng: random.Random) -> bytes:
    """All three keys in any order, with values that are often right."""
    descr = rng.choice(
        ["'<f4'", "'>f8'", "'|u1'", "'|b1'", "'<i2'", "'<c8'", "'|O'", "'<U2'", "[('a', '<f4')]", "'f4'"]
    )
    order = rng.choice(["True", "False", "False", "0", "'False'"])
    shape = rng.choice(
        ["()", "(2,)", "(1, 3)", "(2, 0, 9)", "(9999999,)", "(True,)", "(2L,)", "2", "(1" + ",1" * 40 + ")"]
    )
    entries = [f"'descr': {descr}", f"'fortran_order': {order}", f"'shape': {shape}"]
    if rng.random() < 0.3:
        rng.shuffle(entries)
    if rng.random() < 0.1:
        entries.pop()
    return ("{" + ", ".join(entries) + rng.choice([", }\n", "}", "}   \n", "} "])).encode()


def _read(summary: Summary, path: Path, data: bytes) -> None:
    try:
        header = npy.read_header(path)
        if header.element_count > 10**6:
            raise AssertionError(f"a file of {len(data)} bytes says it has {header.element_count} elements")
        array = npy.read_array(path, header)
    except dml.ModelError as error:
        summary.count(error.violations[0].rule)
        return
    summary.count("read")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            expected = np.load(io.BytesIO(data), allow_pickle=False)
        except ValueError:
            if (
                data[6] == 3
            ):  # NumPy takes odd spaces and numbers of Python 2 in the versions before, and so may we here
                return
            raise
    same = array.view(expected.dtype.newbyteorder("="))
    if expected.shape != array.shape or same.tobytes() != expected.astype(same.dtype).tobytes():
        summary.fail(f"{data!r} is {array!r}, NumPy reads {expected!r}")
