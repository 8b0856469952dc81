"""Tensors in memory with guard bytes around and between their elements, written and read one element at a time."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

import anydml as dml
from tests.oracle.numbers import CODE_FORMATS, bits_of, decode, encode

GUARD = 2048  # long, so that a stray row is seen and not a crash elsewhere
DEVICES = ("cpu", "reference")
FORMATS = dict(
    zip(
        ["FLOAT64", "FLOAT32", "FLOAT16", "INT64", "INT32", "INT16", "INT8", "UINT64", "UINT32", "UINT16", "UINT8"],
        ["d", "f", "e", "q", "i", "h", "b", "Q", "I", "H", "B"],
        strict=True,
    )
)
Tensor = dict[tuple[int, ...], Any]


@dataclass(frozen=True)
class Placed:
    """A description, and memory of exactly its total size between two guards."""

    desc: dml.TensorDesc
    memory: npt.NDArray[np.uint8]

    @property
    def buffer(self) -> npt.NDArray[np.uint8]:
        return self.memory[GUARD:-GUARD]

    @property
    def type_name(self) -> str:
        return self.desc.data_type.name

    def offsets(self) -> Mapping[tuple[int, ...], int]:
        """Offset of every element from the start of the buffer, in elements: the dot product of index and strides."""
        return {
            index: sum(i * s for i, s in zip(index, self.desc.strides, strict=True))
            for index in product(*(range(n) for n in self.desc.sizes))
        }

    def codes(self) -> Tensor:
        """The bits of every element, as unsigned numbers."""
        bits, data = bits_of(self.type_name), self.memory.tobytes()
        if bits == 4:
            return {i: data[GUARD + offset // 2] >> 4 * (offset % 2) & 15 for i, offset in self.offsets().items()}
        form, size = CODE_FORMATS[bits], bits // 8
        return {i: struct.unpack_from(form, data, GUARD + size * o)[0] for i, o in self.offsets().items()}

    def values(self, raw: bool = False) -> Tensor:
        codes = self.codes()
        return codes if raw else {i: decode(code, self.type_name) for i, code in codes.items()}

    def with_codes(self, codes: Tensor) -> npt.NDArray[np.uint8]:
        """The whole memory as it should be once these elements are written, and not a bit more."""
        bits, data = bits_of(self.type_name), bytearray(self.memory.tobytes())
        for index, offset in self.offsets().items():
            if index not in codes:
                continue
            if bits == 4:
                kept = data[GUARD + offset // 2] & (0x0F if offset % 2 else 0xF0)
                data[GUARD + offset // 2] = kept | codes[index] << 4 * (offset % 2)
            else:
                struct.pack_into(CODE_FORMATS[bits], data, GUARD + bits // 8 * offset, codes[index])
        return np.frombuffer(bytes(data), np.uint8)

    def with_values(self, values: Tensor, raw: bool = False) -> npt.NDArray[np.uint8]:
        return self.with_codes(values if raw else {i: encode(v, self.type_name) for i, v in values.items()})


def place(desc: dml.TensorDesc, random: Random) -> Placed:
    """Memory full of noise, so that an untouched or an overwritten byte shows."""
    noise = np.frombuffer(random.randbytes(desc.total_tensor_size_in_bytes + 2 * GUARD), np.uint8)
    aligned = np.empty(noise.size + 64, np.uint8)
    start = -aligned.ctypes.data % 64
    memory = aligned[start : start + noise.size]
    memory[:] = noise
    return Placed(desc, memory)


def fill(placed: Placed, values: Tensor) -> Placed:
    """Write elements one by one; where a broadcast makes them share memory, the last one stays."""
    placed.memory[:] = placed.with_values(values)
    return placed


def place_filled(desc: dml.TensorDesc, random: Random, values: Tensor) -> Placed:
    return fill(place(desc, random), values)


def dispatch(operator: dml.Operator, inputs: Mapping[str, Any], outputs: Mapping[str, Any], device: str) -> None:
    """Run, and see that no input changed."""
    before = {name: [p.memory.copy() for p in _listed(value)] for name, value in inputs.items()}
    run = dml.Device(device).compile(operator)
    run(**{name: _buffers(value) for name, value in {**inputs, **outputs}.items()})
    for name, value in inputs.items():
        for placed, old in zip(_listed(value), before[name], strict=True):
            assert np.array_equal(placed.memory, old), f"{name} was written to"


def _listed(value: Any) -> Sequence[Placed]:
    return value if isinstance(value, list) else [value]


def _buffers(value: Any) -> Any:
    return [placed.buffer for placed in value] if isinstance(value, list) else value.buffer


def assert_exact(placed: Placed, before: Placed, expected: Tensor, raw: bool = False) -> None:
    """Every byte is what the expected elements, written into the noise, leave: 0 ULP and untouched guards."""
    wanted = before.with_values(expected, raw)
    if not np.array_equal(placed.memory, wanted):
        actual = placed.values(raw)
        wrong = {i: (actual[i], v) for i, v in expected.items() if actual[i] != v}
        assert not wrong, f"elements differ (index: found, expected): {wrong}"
        changed = np.flatnonzero(placed.memory != wanted) - GUARD
        raise AssertionError(f"bytes outside the elements changed, or a NaN's bits did, at {changed[:8]}")


def snapshot(placed: Placed) -> Placed:
    return Placed(placed.desc, placed.memory.copy())
