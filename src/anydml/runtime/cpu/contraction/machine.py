"""What contractions need to know of the processor."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from anydml.runtime.native import llvm

CELL_BYTES = 4
"""A lane: one float32, one sum, or several small integers that are multiplied at once."""
LINE_BYTES = 64
"""Of a cache."""
FEW_REGISTERS = 16
"""Vector registers of processors without AVX-512, but for ARM's."""
_ARM = ("aarch64", "arm64")
_IN_HALVES = ("znver4",)
"""Processors whose units for products are half as wide as their vectors."""

_SECOND_LEVEL_BYTES = {"sapphirerapids": 2 << 20, "emeraldrapids": 2 << 20, "graniterapids": 2 << 20}
"""Where that is more than 1 MiB, which processors with AVX-512 have at least."""


@dataclass(frozen=True)
class Machine:
    """Vectors, registers and instructions. Machine code depends on it."""

    vector_bytes: int
    registers: int
    """Vector registers."""
    fuses: bool
    """a * b + c in one instruction."""
    has_half_floats: bool
    rounds: bool
    """Floats to whole floats in one instruction."""
    multiplies_words: bool
    """Sums of two products of 16-bit integers in one instruction."""

    stores_some: bool = False
    """Some lanes of a vector as quickly as all of them."""
    has_two_units: bool = False
    """Two products of vectors of 64 bytes at once: then loads would limit tiles that have one vector of columns."""

    second_level_bytes: int = 512 * 1024
    """Of the cache that a core has for itself."""

    @property
    def has_pointers(self) -> bool:
        """Whether tiles may have so few rows that each has a pointer: registers are few, or tiles are wide."""
        return self.fuses and (self.registers <= FEW_REGISTERS or self.has_two_units)

    @property
    def lanes(self) -> int:
        return self.vector_bytes // CELL_BYTES


def host_machine() -> Machine:
    """The machine that `llvm.compiled` makes code for."""
    host = llvm.host()
    return _machine(host.processor, host.architecture, host.enabled, llvm.vector_bytes(), llvm.has_half_floats())


@lru_cache(maxsize=8)
def _machine(
    processor: str, architecture: str, features: frozenset[str], vector_bytes: int, half_floats: bool
) -> Machine:
    if architecture in _ARM:
        return Machine(vector_bytes, 32, True, True, True, False)
    is_wide = vector_bytes == 64
    return Machine(
        vector_bytes,
        32 if is_wide else FEW_REGISTERS,
        fuses="fma" in features,
        has_half_floats=half_floats,
        rounds="sse4.1" in features,
        multiplies_words=architecture in ("x86_64", "amd64"),
        stores_some=is_wide,
        has_two_units=is_wide and processor not in _IN_HALVES,
        second_level_bytes=_SECOND_LEVEL_BYTES.get(processor, 1 << 20) if is_wide else 512 * 1024,
    )
