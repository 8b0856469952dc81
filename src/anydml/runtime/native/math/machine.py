"""What a processor does in one instruction, as far as emitted functions depend on it.

Nothing is left to LLVM that it would turn into a call of a library function: the library need not exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from anydml.runtime.native import llvm

_ARM = ("aarch64", "arm64")


@dataclass(frozen=True)
class Machine:
    """The instructions that emitted functions ask about."""

    fuses: bool
    """a * b + c with one rounding."""
    rounds: bool
    """Floats to whole floats, in every direction."""
    scales: bool
    """A float times a power of two, and a float taken apart into mantissa and exponent (AVX-512)."""
    looks_up: bool
    """An element of a table in registers for every lane (AVX-512)."""
    has_half_floats: bool
    """float16 to float32 and back."""


def host_machine() -> Machine:
    """The machine that `llvm.compiled` makes code for."""
    host = llvm.host()
    return _machine(host.architecture, host.enabled, llvm.has_half_floats())


@lru_cache(maxsize=8)
def _machine(architecture: str, features: frozenset[str], has_half_floats: bool) -> Machine:
    if architecture in _ARM:
        return Machine(fuses=True, rounds=True, scales=False, looks_up=False, has_half_floats=True)
    return Machine(
        fuses="fma" in features,
        rounds="sse4.1" in features,
        scales=features >= {"avx512f", "avx512vl", "avx512dq"},
        looks_up="avx512f" in features,
        has_half_floats=has_half_floats,
    )
