"""Code for processors other than the one at hand, and for smaller caches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from random import Random

import pytest

from anydml.runtime.cpu.contraction import indirect
from anydml.runtime.cpu.contraction import machine as machine_module
from anydml.runtime.native import llvm

_WIDE = ("avx512", "avx10", "amx", "gfni", "vaes", "vpclmulqdq", "avxvnni", "avxifma", "avxneconvert")
MACHINES = {
    "sse2": ("x86-64", (*_WIDE, "avx", "fma", "f16c", "sse3", "ssse3", "sse4", "xop", "sha", "pclmul", "aes", "bmi")),
    "avx2": ("haswell", _WIDE),
}
"""Processors that know less than the one at hand may: their names, and how the names of what they lack begin."""
_WIDE_MACHINES = ("znver4", "skylake-avx512", "emeraldrapids", "znver5")
"""Processors with AVX-512 that differ in how fast they multiply and in their caches: so do their tiles."""


def make_caches_small(monkeypatch: pytest.MonkeyPatch, random: Random) -> None:
    """What is read through pointers is read in more parts, or in other ones."""
    monkeypatch.setattr(indirect, "_NEAR_BYTES", random.choice((1 << 10, 1 << 14, 1 << 18)))
    monkeypatch.setattr(indirect, "_NEAR_PANEL_BYTES", random.choice((0, 1 << 18)))
    monkeypatch.setattr(indirect, "_MOST_TAPS_BYTES", random.choice((1, 1 << 13, 1 << 17)))
    find, second_level = machine_module._machine, random.choice((1 << 12, 1 << 15, 1 << 21))
    monkeypatch.setattr(machine_module, "_machine", lambda *host: replace(find(*host), second_level_bytes=second_level))


@contextmanager
def machine(monkeypatch: pytest.MonkeyPatch, name: str) -> Iterator[None]:
    """Code for another processor of the same architecture, if it is that of all of them; nothing of it is kept."""
    processor, lacking = MACHINES[name]
    host = llvm.host()
    if host.architecture not in ("x86_64", "amd64"):
        pytest.skip("code for another architecture")
    features = {feature: has and not feature.startswith(lacking) for feature, has in host.features.items()}
    with _posing(monkeypatch, llvm.Host(host.triple, processor, features)):
        yield


@contextmanager
def wide_machine(monkeypatch: pytest.MonkeyPatch, number: int) -> Iterator[None]:
    """Code for one of the processors with AVX-512, with the features of the one at hand; for itself if it has none."""
    host = llvm.host()
    processor = _WIDE_MACHINES[number % len(_WIDE_MACHINES)] if llvm.vector_bytes() == 64 else host.processor
    with _posing(monkeypatch, llvm.Host(host.triple, processor, host.features)):
        yield


@contextmanager
def _posing(monkeypatch: pytest.MonkeyPatch, host: llvm.Host) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(llvm, "host", lambda: host)
        llvm._origin.cache_clear()
        yield
    llvm._origin.cache_clear()
