"""Kernels of products, convolutions and recurrent networks compile for aarch64."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from anydml.core.schema import Operator
from anydml.runtime.native.objects import read_symbols
from tests.runtime.cpu.attention import attention
from tests.runtime.cpu.elements import images, rows
from tests.runtime.cpu.foreign import AARCH64, emit_objects, foreign, prepare
from tests.runtime.cpu.products import (
    backward_convolution,
    convolution,
    gemm,
    integer_convolution,
    integer_gemm,
    thin_product,
    vector_product,
)
from tests.runtime.cpu.recurrent import network
from tests.runtime.cpu.taking import gather, gather_nd, top_k
from tests.runtime.cpu.test_pools import average_pooling, max_pooling

pytest.importorskip("llvmlite.binding", reason="only llvmlite can compile")
MAKERS: dict[str, Callable[[Random], Operator]] = {
    "gemm": lambda random: gemm(random).operator,
    "half": lambda random: gemm(random, "FLOAT16").operator,
    "vectors": lambda random: vector_product(random).operator,
    "thin": lambda random: thin_product(random).operator,
    "convolution": lambda random: convolution(random).operator,
    "depthwise": lambda random: convolution(random, is_depthwise=True).operator,
    "backward": lambda random: backward_convolution(random).operator,
    "integers": lambda random: integer_gemm(random).operator,
    "integer convolution": lambda random: integer_convolution(random).operator,
    "maxima": lambda random: max_pooling(random).operator,
    "averages": lambda random: average_pooling(random).operator,
    "images": lambda random: images(random).operator,
    "rows": lambda random: rows(random).operator,
    "attention": lambda random: attention(random)[0],
    "gather": lambda random: gather(random).operator,
    "gathered tuples": lambda random: gather_nd(random).operator,
    "best": lambda random: top_k(random).operator,
    "LSTM": lambda random: network(random, "LSTM").operator,
    "GRU": lambda random: network(random, "GRU").operator,
}


@pytest.mark.parametrize("name", MAKERS)
def test_kernels__compile_for_aarch64(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with foreign(monkeypatch, AARCH64) as texts:
        for seed in range(4):
            prepare(MAKERS[name](Random(f"foreign {name} {seed}")))
    assert len(texts) >= 2
    for data in emit_objects(list(texts.values()), AARCH64):
        assert not read_symbols(data, AARCH64.triple).needed - {"memcpy", "memset"}, "code calls what may not be there"
