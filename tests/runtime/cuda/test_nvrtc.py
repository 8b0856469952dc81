"""Every shape of kernel compiles: NVRTC needs no GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from anydml.bench.gpu import nest_of
from anydml.bench.patterns import PATTERNS
from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, cast, load, operation
from anydml.core.operations import OPERATIONS
from anydml.core.steps import Access, Nest, Store
from anydml.runtime.cuda.compiler import KernelError, compile_text
from anydml.runtime.cuda.moves import kernel_of
from anydml.runtime.cuda.text.depthwise import DepthwiseKernel, Taps, Tensors
from anydml.runtime.cuda.text.pointwise import PointwiseKernel
from anydml.runtime.cuda.text.prelude import PRELUDE
from anydml.runtime.cuda.text.rows import Phase, RowKernel, RowWork

CAPABILITY = "90"


def test_mistakes__are_told() -> None:
    with pytest.raises(KernelError, match="undefined"):
        compile_text(PRELUDE + 'extern "C" __global__ void kernel() { undefined(); }', CAPABILITY)


@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_moves__compile(size: int) -> None:
    kind = {1: DataType.UINT8, 2: DataType.FLOAT16, 4: DataType.FLOAT32, 8: DataType.FLOAT64}[size]
    texts = set()
    for pattern in PATTERNS:
        kernel = kernel_of(nest_of(pattern.build((1 << 18) // size, size), kind))
        texts |= {kernel.launch((1 << 30, (1 << 31) + shift * size)).text for shift in (0, 1)}
    assert len(texts) > 8
    for text in texts:
        assert compile_text(text, CAPABILITY)


_UNARY = """negative absolute sqrt floor ceil trunc rint invert bitwise_count exp expm1 log log1p sin cos tan arcsin
arccos arctan sinh cosh tanh arcsinh arccosh arctanh erf sigmoid gelu"""
UNARY = frozenset(_UNARY.split())


def expression(op: str, dtype: np.dtype[Any]) -> Any:
    first, second = load(0, dtype), load(1, dtype)
    if op == "where":
        return operation("where", operation("less", first, second), first, second)
    return operation(op, first) if op in UNARY else operation(op, first, second)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "uint16", "int32", "uint64"])
def test_operations__compile(dtype: str) -> None:
    """All operations that the type takes, in one kernel."""
    kind = np.dtype(dtype)
    stores = []
    for op in OPERATIONS:
        if kind.kind not in OPERATIONS[op].takes:
            continue
        value = expression(op, kind)
        target = DataType.UINT8 if OPERATIONS[op].returns_truth else DataType.parse(kind)
        stores.append(Store(Access(2 + len(stores), target, (1,)), value))
    assert len(stores) > 15
    loads = tuple(Access(number, DataType.parse(kind), (1,)) for number in range(2))
    kernel = PointwiseKernel(Nest((1000,), loads, tuple(stores)))
    assert compile_text(kernel.launch([1 << 30] * len(kernel.accesses)).text, CAPABILITY)


@pytest.mark.parametrize("source", list(DataType), ids=lambda kind: kind.name)
def test_conversions__compile(source: DataType) -> None:
    stores = tuple(Store(Access(1 + n, kind, (1,)), load(0, source.numpy_dtype)) for n, kind in enumerate(DataType))
    kernel = PointwiseKernel(Nest((1000,), (Access(0, source, (1,)),), stores))
    assert compile_text(kernel.launch([1 << 30] * len(kernel.accesses)).text, CAPABILITY)


@pytest.mark.parametrize("length", [9, 100, 4096, 100000])
@pytest.mark.parametrize("kind", [DataType.FLOAT16, DataType.FLOAT32], ids=lambda kind: kind.name)
def test_rows__compile(length: int, kind: DataType) -> None:
    x = load(0, kind.numpy_dtype)
    x = cast(x, FLOAT32)
    top = load(1, FLOAT32)
    phases = (Phase("maximum", x), Phase("sum", operation("exp", operation("subtract", x, top))))
    access = Access(0, kind, (length, 1))
    stored = Store(Access(1, kind, (length, 1)), operation("divide", x, load(2, FLOAT32)))
    work = RowWork((512,), (length,), (access,), phases, stores=(stored,))
    assert compile_text(RowKernel(work).launch([1 << 30, 1 << 31]).text, CAPABILITY)


@pytest.mark.parametrize("kind", [DataType.FLOAT16, DataType.FLOAT32], ids=lambda kind: kind.name)
@pytest.mark.parametrize("window", [3, 7])
def test_depthwise__compiles(window: int, kind: DataType) -> None:
    taps = Taps((window, window), (1, 2), (1, 1))
    tensors = Tensors(2, 8, (64, 64), (64, 32), (1, 1), (32768, 4096, 64, 1), (9, 3, 1), 1, (16384, 2048, 32, 1))
    value = operation("maximum", operation("add", load(0, FLOAT32), load(1, FLOAT32)), load(0, FLOAT32))
    kernel = DepthwiseKernel((kind, kind, kind, kind), taps, tensors, value)
    assert compile_text(kernel.launch([1 << 30, 1 << 31, 1 << 32, 1 << 33]).text, CAPABILITY)
