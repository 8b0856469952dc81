"""Matrix products, convolutions and attention, of fixed sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np

import anydml as dml
from anydml.bench.compute.case import (
    NUMPY,
    ONNX,
    OURS,
    TORCH,
    Array,
    Case,
    Family,
    Goal,
    Problem,
    onnx,
    ours,
    problem,
    random,
    zeros,
)
from anydml.bench.compute.case import torch as torch_work
from anydml.bench.onnx_model import OnnxNode
from anydml.graph.graph import ConstantNode, Graph

NAME = "products"
_SIZES = (
    *((size, size, size) for size in (16, 64, 128, 256, 512, 1024, 2048)),
    (64, 576, 3136),
    (512, 2048, 128),
    (3000, 3000, 300),
    (3136, 64, 256),
    (1024, 1024, 16),
    (1, 1024, 1024),
    (1, 512, 4096),
    (197, 768, 3072),
    (32, 4096, 1024),
    (128, 4096, 1024),
    (1024, 4096, 1024),
)
"""Rows, depth and columns."""


def _alone(operator: dml.Operator, inputs: int) -> Graph:
    """A graph of one operator that reads its first inputs, and no others."""
    return Graph([operator], [(number, 0, number) for number in range(inputs)], [(0, 0, 0)])


def _gemm(sizes: tuple[int, int, int], turned: str, _: int, threads: int) -> Problem:
    """`turned` names the operands that are stored transposed."""
    rows, depth, columns = sizes
    a, b = random((rows, depth)), random((depth, columns), 1)
    stored = {"a": a, "b": b}
    stored |= {name: np.ascontiguousarray(stored[name].T) for name in turned}
    mine, by_numpy, by_torch, by_onnx = (zeros((rows, columns)) for _ in range(4))
    descs = {name: dml.TensorDesc("FLOAT32", array.shape) for name, array in stored.items()}
    operator = dml.Gemm(
        a_tensor=descs["a"],
        b_tensor=descs["b"],
        trans_a="TRANSPOSE" if "a" in turned else "NONE",
        trans_b="TRANSPOSE" if "b" in turned else "NONE",
    )
    seen = {name: array.T if name in turned else array for name, array in stored.items()}
    node = OnnxNode("Gemm", ("a", "b"), ("y",), {"transA": int("a" in turned), "transB": int("b" in turned)})
    return problem(
        {
            OURS: ours(_alone(operator, 2), [stored["a"], stored["b"]], [mine], threads),
            NUMPY: partial(np.matmul, seen["a"], seen["b"], out=by_numpy),
            TORCH: torch_work(lambda t, o, a, b: t.mm(a, b, out=o), by_torch, seen["a"], seen["b"], threads=threads),
            ONNX: onnx([node], stored, {"y": by_onnx}, threads),
        },
        {OURS: mine, NUMPY: by_numpy, TORCH: by_torch, ONNX: by_onnx},
        operations=2 * rows * depth * columns,
    )


def _gemm_apart(size: int, padding: int, step: int, _: int, threads: int) -> Problem:
    """Both operands are parts of larger matrices: rows with padding behind them, or elements apart."""
    pitch = size * step + padding
    stored = [random((size, pitch), seed) for seed in range(2)]
    a, b = (whole[:, : size * step : step] for whole in stored)
    mine, by_numpy, by_torch = (zeros((size, size)) for _ in range(3))
    described = dml.TensorDesc("FLOAT32", (size, size), (pitch, step))
    operator = dml.Gemm(a_tensor=described, b_tensor=described)
    return problem(
        {
            OURS: ours(_alone(operator, 2), stored, [mine], threads),
            NUMPY: partial(np.matmul, a, b, out=by_numpy),
            TORCH: torch_work(lambda t, o, a, b: t.mm(a, b, out=o), by_torch, a, b, threads=threads),
        },
        {OURS: mine, NUMPY: by_numpy, TORCH: by_torch},
        operations=2 * size**3,
    )


def _integer_product(size: int, _: int, threads: int) -> Problem:
    """8-bit integers, summed in 32 bits."""
    generator = np.random.default_rng(0)
    a, b = (generator.integers(-128, 128, (size, size), np.int8) for _ in range(2))
    mine, by_onnx = (zeros((size, size), np.int32) for _ in range(2))
    described = dml.TensorDesc("INT8", (1, 1, size, size))
    operator = dml.MatrixMultiplyInteger(a_tensor=described, b_tensor=described)
    graph = Graph([operator], [(0, 0, 0), (1, 0, 2)], [(0, 0, 0)])
    node = OnnxNode("MatMulInteger", ("a", "b"), ("y",))
    return problem(
        {OURS: ours(graph, [a, b], [mine], threads), ONNX: onnx([node], {"a": a, "b": b}, {"y": by_onnx}, threads)},
        {OURS: mine, ONNX: by_onnx},
        operations=2 * size**3,
    )


@dataclass(frozen=True)
class _Convolution:
    """A layer of a network, square in space."""

    name: str
    channels: int
    size: int
    filters: int
    window: int
    stride: int = 1
    groups: int = 1

    @property
    def padding(self) -> int:
        return self.window // 2

    @property
    def outputs(self) -> int:
        return (self.size + 2 * self.padding - self.window) // self.stride + 1


_CONVOLUTIONS = (
    _Convolution("3x3 64-64 56x56", 64, 56, 64, 3),
    _Convolution("3x3 256-256 14x14", 256, 14, 256, 3),
    _Convolution("1x1 64-256 56x56", 64, 56, 256, 1),
    _Convolution("3x3/2 3-32 224x224", 3, 224, 32, 3, 2),
    _Convolution("depthwise 3x3 96 112x112", 96, 112, 96, 3, groups=96),
    _Convolution("7x7/2 3-64 224x224", 3, 224, 64, 7, 2),
    _Convolution("3x3/2 128-128 56x56", 128, 56, 128, 3, 2),
    _Convolution("1x1/2 256-512 56x56", 256, 56, 512, 1, 2),
    _Convolution("1x1 1024-256 14x14", 1024, 14, 256, 1),
    _Convolution("3x3 512-512 7x7", 512, 7, 512, 3),
    _Convolution("1x1 512-2048 7x7", 512, 7, 2048, 1),
    _Convolution("1x1 144-24 56x56", 144, 56, 24, 1),
    _Convolution("depthwise 3x3/2 96 112x112", 96, 112, 96, 3, 2, 96),
    _Convolution("depthwise 3x3 192 28x28", 192, 28, 192, 3, groups=192),
    _Convolution("depthwise 3x3 960 7x7", 960, 7, 960, 3, groups=960),
    _Convolution("depthwise 5x5 240 28x28", 240, 28, 240, 5, groups=240),
    _Convolution("depthwise 7x7 96 56x56", 96, 56, 96, 7, groups=96),
    _Convolution("1x1 320-1280 7x7", 320, 7, 1280, 1),
    _Convolution("3x3 64-64 256x256", 64, 256, 64, 3),
    _Convolution("3x3 512-512 32x32", 512, 32, 512, 3),
)


def _convolve(case: _Convolution, batch: int, order: str, _: int, threads: int) -> Problem:
    """With bias and ReLU; the weights are constants of ours and of ONNX Runtime's graph."""
    x_sizes = (batch, case.channels, case.size, case.size)
    y_sizes = (batch, case.filters, case.outputs, case.outputs)
    x, weights = random(x_sizes), random((case.filters, case.channels // case.groups, case.window, case.window), 1)
    weights *= np.float32(0.1)
    bias = random(case.filters, 2)
    by_torch: dict[str, Any] = {}
    mine, by_onnx = (zeros(y_sizes) for _ in range(2))
    graph = _graph(case, x_sizes, y_sizes, order, weights, bias)
    given, result = x, mine
    if order == "NHWC":
        given = np.ascontiguousarray(x.transpose(0, 2, 3, 1))
        result = zeros((batch, case.outputs, case.outputs, case.filters))
    attributes: dict[str, int | float | Sequence[int]] = {
        "kernel_shape": [case.window] * 2,
        "strides": [case.stride] * 2,
        "pads": [case.padding] * 4,
        "group": case.groups,
    }
    nodes = [OnnxNode("Conv", ("x", "w", "b"), ("c",), attributes), OnnxNode("Relu", ("c",), ("y",))]

    def in_torch(t: Any, x: Any, w: Any, b: Any) -> None:
        with t.no_grad():
            found = t.nn.functional.conv2d(x, w, b, case.stride, case.padding, 1, case.groups)
            by_torch["result"] = t.relu_(found)

    return problem(
        {
            OURS: ours(graph, [given], [result], threads),
            TORCH: torch_work(in_torch, x, weights, bias, threads=threads),
            ONNX: onnx(nodes, {"x": x}, {"y": by_onnx}, threads, [("w", weights), ("b", bias)]),
        },
        {
            OURS: lambda: result.transpose(0, 3, 1, 2) if order == "NHWC" else result,
            TORCH: lambda: by_torch["result"].numpy(),
            ONNX: by_onnx,
        },
        operations=2 * prod(y_sizes) * prod(weights.shape[1:]),
        tolerance=1e-4,
    )


def _graph(
    case: _Convolution, x: tuple[int, ...], y: tuple[int, ...], order: str, weights: Array, bias: Array
) -> Graph:
    operator = dml.Convolution(
        input_tensor=dml.TensorDesc("FLOAT32", x, order=order),
        filter_tensor=dml.TensorDesc("FLOAT32", weights.shape),
        bias_tensor=dml.TensorDesc("FLOAT32", (1, case.filters, 1, 1)),
        output_tensor=dml.TensorDesc("FLOAT32", y, order=order),
        strides=[case.stride] * 2,
        start_padding=[case.padding] * 2,
        end_padding=[case.padding] * 2,
        group_count=case.groups,
        fused_activation={"Type": "RELU"},
    )
    edges = [(1, 0, 0, 1), (2, 0, 0, 2)]
    return Graph([operator, ConstantNode(weights), ConstantNode(bias)], [(0, 0, 0)], [(0, 0, 0)], edges)


def _attention(tokens: int, heads: int, size: int, is_masked: bool, _: int, threads: int) -> Problem:
    sizes = (1, tokens, heads * size)
    query, key, value = (random(sizes, seed) for seed in range(3))
    hides = random((1, 1, tokens, tokens), 3) < -1
    hides[..., 0] = False
    operator = dml.MultiheadAttention(
        **dict.fromkeys(
            ("query_tensor", "key_tensor", "value_tensor", "output_tensor"), dml.TensorDesc("FLOAT32", sizes)
        ),
        mask_tensor=dml.TensorDesc("INT32", hides.shape) if is_masked else None,
        scale=size**-0.5,
        mask_filter_value=-1e4,
        head_count=heads,
        mask_type="BOOLEAN" if is_masked else "NONE",
    )
    mine = zeros(sizes)
    by_torch: dict[str, Any] = {}

    def in_torch(t: Any, *arrays: Any) -> None:
        split = [array.view(1, tokens, heads, size).transpose(1, 2) for array in arrays[:3]]
        found = t.nn.functional.scaled_dot_product_attention(*split, attn_mask=arrays[3] if is_masked else None)
        by_torch["result"] = found.transpose(1, 2).reshape(sizes)

    inputs = [query, key, value, (~hides).astype(np.int32)]
    return problem(
        {
            OURS: ours(_attending(operator, is_masked), inputs[: 3 + is_masked], [mine], threads),
            TORCH: torch_work(in_torch, query, key, value, ~hides, threads=threads),
        },
        {OURS: mine, TORCH: lambda: by_torch["result"].numpy()},
        operations=4 * tokens * tokens * heads * size,
    )


def _attending(operator: dml.Operator, is_masked: bool) -> Graph:
    """A graph whose inputs are queries, keys, values and perhaps a mask."""
    names = [field.name for field in operator.tensor_fields() if field.is_input]
    places = [0, 1, 2, *([names.index("mask_tensor")] if is_masked else [])]
    return Graph([operator], [(number, 0, place) for number, place in enumerate(places)], [(0, 0, 0)])


def _named(sizes: tuple[int, int, int]) -> str:
    return "GEMM " + "x".join(map(str, sizes))


CASES = (
    *(Case(NAME, _named(sizes), partial(_gemm, sizes, ""), is_sized=False) for sizes in _SIZES),
    *(
        Case(NAME, f"{_named((512, 512, 512))}, {turned} transposed", partial(_gemm, (512, 512, 512), turned), False)
        for turned in ("a", "b", "ab")
    ),
    Case(NAME, f"{_named((512, 512, 512))}, padded rows", partial(_gemm_apart, 512, 88, 1), is_sized=False),
    Case(NAME, f"{_named((512, 512, 512))}, every second column", partial(_gemm_apart, 512, 0, 2), is_sized=False),
    *(
        Case(
            NAME,
            f"int8 product {size}x{size}x{size}",
            partial(_integer_product, size),
            is_sized=False,
            beside=_named((size, size, size)),
            least_beside=1.5,
        )
        for size in (512, 1024)
    ),
    *(
        Case(NAME, f"convolution {case.name}, batch {batch}", partial(_convolve, case, batch, "NCHW"), is_sized=False)
        for batch in (1, 8)
        for case in _CONVOLUTIONS
    ),
    *(
        Case(
            NAME,
            f"convolution {case.name}, NHWC",
            partial(_convolve, case, 1, "NHWC"),
            is_sized=False,
            beside=f"convolution {case.name}, batch 1",
        )
        for case in _CONVOLUTIONS
    ),
    Case(NAME, "attention of 512 tokens, 12 heads", partial(_attention, 512, 12, 64, False), is_sized=False),
    Case(NAME, "attention of 512 tokens, 12 heads, masked", partial(_attention, 512, 12, 64, True), is_sized=False),
)
FAMILY = Family(NAME, CASES, {"GEMM": Goal(0.95), "convolution": Goal(0.9, 1.0), "attention": Goal(1.0, peer=TORCH)})
