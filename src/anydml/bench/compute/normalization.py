"""Normalization by statistics of rows, of channels and of regions."""

from __future__ import annotations

from typing import Any

import numpy as np

import anydml as dml
from anydml.bench.compute.case import (
    ONNX,
    OURS,
    TORCH,
    Problem,
    onnx,
    ours,
    problem,
    random,
    zeros,
)
from anydml.bench.compute.case import torch as torch_work
from anydml.bench.onnx_model import OnnxNode
from anydml.graph.graph import Graph

COLUMNS = 1024


def image(size: int, side: int) -> tuple[int, int, int, int]:
    return 1, max(1, size // 4 // side // side), side, side


def layer_normalization(size: int, threads: int) -> Problem:
    sizes = max(1, size // 4 // COLUMNS), COLUMNS
    x, scale, bias = random(sizes), random(COLUMNS, 1), random(COLUMNS, 2)
    mine, by_onnx = (zeros(sizes) for _ in range(2))
    row = dml.TensorDesc("FLOAT32", sizes, (0, 1))
    operator = dml.MeanVarianceNormalization2(
        input_tensor=dml.TensorDesc("FLOAT32", sizes),
        scale_tensor=row,
        bias_tensor=row,
        axes=[1],
        use_mean=True,
        use_variance=True,
        epsilon=1e-5,
    )
    node = OnnxNode("LayerNormalization", ("x", "s", "b"), ("y",), {"axis": 1, "epsilon": 1e-5})

    kept: dict[str, Any] = {}

    def in_torch(t: Any, x: Any, s: Any, b: Any) -> None:
        kept["result"] = t.nn.functional.layer_norm(x, (COLUMNS,), s, b)

    return problem(
        {
            OURS: ours(operator, [x, scale, bias], [mine], threads),
            TORCH: torch_work(in_torch, x, scale, bias, threads=threads),
            ONNX: onnx([node], {"x": x, "s": scale, "b": bias}, {"y": by_onnx}, threads),
        },
        {OURS: mine, TORCH: lambda: kept["result"].numpy(), ONNX: by_onnx},
        touched_bytes=x.nbytes + mine.nbytes,
    )


def batch_normalization(size: int, threads: int) -> Problem:
    sizes = image(size, 64)
    x = random(sizes)
    mean, variance, scale, bias = (np.abs(random(sizes[1], seed)) + 0.5 for seed in range(1, 5))
    mine, by_onnx = (zeros(sizes) for _ in range(2))
    channel = dml.TensorDesc("FLOAT32", (1, sizes[1], 1, 1))
    operator = dml.BatchNormalization(
        input_tensor=dml.TensorDesc("FLOAT32", sizes),
        mean_tensor=channel,
        variance_tensor=channel,
        scale_tensor=channel,
        bias_tensor=channel,
        spatial=True,
        epsilon=1e-5,
    )
    node = OnnxNode("BatchNormalization", ("x", "s", "b", "m", "v"), ("y",), {"epsilon": 1e-5})
    named = {"x": x, "s": scale, "b": bias, "m": mean, "v": variance}
    kept: dict[str, Any] = {}

    def in_torch(t: Any, x: Any, m: Any, v: Any, s: Any, b: Any) -> None:
        kept["result"] = t.nn.functional.batch_norm(x, m, v, s, b, eps=1e-5)

    return problem(
        {
            OURS: ours(operator, [x, mean, variance, scale, bias], [mine], threads),
            TORCH: torch_work(in_torch, x, mean, variance, scale, bias, threads=threads),
            ONNX: onnx([node], named, {"y": by_onnx}, threads),
        },
        {OURS: mine, TORCH: lambda: kept["result"].numpy(), ONNX: by_onnx},
        touched_bytes=x.nbytes + mine.nbytes,
    )


def training(size: int, threads: int) -> Problem:
    """With the statistics of the batch, which are results too."""
    sizes = image(size, 64)
    x = random(sizes)
    scale, bias = (np.abs(random(sizes[1], seed)) + 0.5 for seed in range(1, 3))
    mine, mean, variance = zeros(sizes), zeros(sizes[1]), zeros(sizes[1])
    channel = dml.TensorDesc("FLOAT32", (1, sizes[1], 1, 1))
    operator = dml.BatchNormalizationTraining(
        input_tensor=dml.TensorDesc("FLOAT32", sizes), scale_tensor=channel, bias_tensor=channel, epsilon=1e-5
    )
    graph = Graph([operator], [(n, 0, n) for n in range(3)], [(0, n, n) for n in range(3)])
    kept: dict[str, Any] = {}

    def in_torch(t: Any, x: Any, s: Any, b: Any) -> None:
        kept["result"] = t.nn.functional.batch_norm(x, None, None, s, b, training=True, eps=1e-5)

    return problem(
        {
            OURS: ours(graph, [x, scale, bias], [mine, mean, variance], threads),
            TORCH: torch_work(in_torch, x, scale, bias, threads=threads),
        },
        {OURS: mine, TORCH: lambda: kept["result"].numpy()},
        touched_bytes=x.nbytes + mine.nbytes,
    )


def local_response(size: int, threads: int) -> Problem:
    """Regions of five channels, as in the first networks that won with images."""
    _, channels, side, _ = image(size, 56)
    sizes = 1, max(5, channels), side, side
    x = random(sizes)
    mine, by_onnx = (zeros(sizes) for _ in range(2))
    fields: dict[str, Any] = {"alpha": 1e-4, "beta": 0.75, "bias": 1.0}
    operator = dml.LocalResponseNormalization(
        input_tensor=dml.TensorDesc("FLOAT32", sizes), cross_channel=True, local_size=5, **fields
    )
    node = OnnxNode("LRN", ("x",), ("y",), {"size": 5, **fields})
    kept: dict[str, Any] = {}

    def in_torch(t: Any, x: Any) -> None:
        kept["result"] = t.nn.functional.local_response_norm(x, 5)

    return problem(
        {
            OURS: ours(operator, [x], [mine], threads),
            TORCH: torch_work(in_torch, x, threads=threads),
            ONNX: onnx([node], {"x": x}, {"y": by_onnx}, threads),
        },
        {OURS: mine, TORCH: lambda: kept["result"].numpy(), ONNX: by_onnx},
        touched_bytes=x.nbytes + mine.nbytes,
    )
