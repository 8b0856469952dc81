"""Tensors in memory with guard bytes around and between their elements, written and read one element at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

import anydml as dml
from tests.oracle.numbers import bits_of, decode, encode

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

    def offsets(self) -> npt.NDArray[np.intp]:
        """Offset of every element from the start of the buffer, in elements: the dot product of index and strides."""
        total = np.zeros(self.desc.sizes, np.intp)
        for place, stride in zip(np.indices(self.desc.sizes), self.desc.strides, strict=True):
            total += place * stride
        return total

    def _words(self, memory: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        """The buffer as numbers of the width of an element."""
        size = max(bits_of(self.type_name) // 8, 1)
        buffer = memory[GUARD:-GUARD]
        return buffer[: buffer.size // size * size].view(f"u{size}")

    def codes(self) -> Tensor:
        """The bits of every element, as unsigned numbers."""
        offsets, words = self.offsets(), self._words(self.memory)
        found = words[offsets // 2] >> (4 * (offsets % 2)) & 15 if bits_of(self.type_name) == 4 else words[offsets]
        return dict(zip(np.ndindex(self.desc.sizes), found.ravel().tolist(), strict=True))

    def values(self, raw: bool = False) -> Tensor:
        codes = self.codes()
        return codes if raw else {i: decode(code, self.type_name) for i, code in codes.items()}

    def with_codes(self, codes: Tensor) -> npt.NDArray[np.uint8]:
        """The whole memory as it should be once these elements are written, and not a bit more."""
        memory = self.memory.copy()
        words, offsets = self._words(memory), self.offsets()
        for index, code in codes.items():
            place = offsets[index]
            if bits_of(self.type_name) == 4:
                kept = words[place // 2] & (0x0F if place % 2 else 0xF0)
                words[place // 2] = kept | code << 4 * (place % 2)
            else:
                words[place] = code
        return memory

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
