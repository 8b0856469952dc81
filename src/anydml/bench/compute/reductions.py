"""Reductions, softmax and normalization, over rows, columns and middle axes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import anydml as dml
from anydml.bench.compute.case import (
    NUMPY,
    ONNX,
    OURS,
    TORCH,
    Case,
    Family,
    Goal,
    Problem,
    onnx,
    ours,
    problem,
    random,
)
from anydml.bench.compute.case import torch as torch_work
from anydml.bench.onnx_model import OnnxNode
from anydml.core.enums import ReduceFunction

COLUMNS = 1024
NAME = "reductions"
_ROWS, _COLUMNS, _MIDDLE = "rows", "columns", "middle axes"


def _sizes(where: str, size: int) -> tuple[tuple[int, ...], int]:
    """Sizes of the input, and the axis that is reduced."""
    rows = max(1, size // 4 // COLUMNS)
    if where == _MIDDLE:
        return (max(1, rows // 64), 64, COLUMNS), 1
    return (rows, COLUMNS), 1 if where == _ROWS else 0


def _reduce(function: str, where: str, size: int, threads: int) -> Problem:
    sizes, axis = _sizes(where, size)
    x = random(sizes)
    kept = tuple(1 if n == axis else extent for n, extent in enumerate(sizes))
    mine, by_numpy, by_torch, by_onnx = (np.zeros(kept, np.float32) for _ in range(4))
    operator = dml.Reduce(function=ReduceFunction[function], input_tensor=dml.TensorDesc("FLOAT32", sizes), axes=[axis])
    of_numpy: Any = {"SUM": np.sum, "MAX": np.max, "AVERAGE": np.mean}[function]

    def in_torch(t: Any, o: Any, x: Any) -> None:
        if function == "MAX":
            t.amax(x, axis, keepdim=True, out=o)
        else:
            (t.sum if function == "SUM" else t.mean)(x, axis, keepdim=True, out=o)

    # The sum takes its axes as an input, which would be a constant; the others as an attribute.
    named = {"MAX": "ReduceMax", "AVERAGE": "ReduceMean", "SUM": "ReduceSum"}[function]
    attributes: dict[str, Any] = {"keepdims": 1} if function == "SUM" else {"axes": (axis,), "keepdims": 1}
    inputs = ("x", "axes") if function == "SUM" else ("x",)
    constants = [("axes", (axis,))] if function == "SUM" else []
    return problem(
        {
            OURS: ours(operator, [x], [mine], threads),
            NUMPY: partial(of_numpy, x, axis, keepdims=True, out=by_numpy),
            TORCH: torch_work(in_torch, by_torch, x, threads=threads),
            ONNX: onnx([OnnxNode(named, inputs, ("y",), attributes)], {"x": x}, {"y": by_onnx}, threads, constants),
        },
        {OURS: mine, NUMPY: by_numpy, TORCH: by_torch, ONNX: by_onnx},
        touched_bytes=x.nbytes + mine.nbytes,
        tolerance=1e-4,
    )


def _softmax(where: str, size: int, threads: int) -> Problem:
    sizes, axis = _sizes(where, size)
    x = random(sizes)
    mine, by_torch, by_onnx = (np.zeros(sizes, np.float32) for _ in range(3))
    operator = dml.ActivationSoftmax1(input_tensor=dml.TensorDesc("FLOAT32", sizes), axes=[axis])
    node = OnnxNode("Softmax", ("x",), ("y",), {"axis": axis})
    return problem(
        {
            OURS: ours(operator, [x], [mine], threads),
            TORCH: torch_work(lambda t, o, x: t.softmax(x, axis, out=o), by_torch, x, threads=threads),
            ONNX: onnx([node], {"x": x}, {"y": by_onnx}, threads),
        },
        {OURS: mine, TORCH: by_torch, ONNX: by_onnx},
        touched_bytes=x.nbytes + mine.nbytes,
    )


def _layer_normalization(size: int, threads: int) -> Problem:
    sizes, axis = _sizes(_ROWS, size)
    x, scale, bias = random(sizes), random(COLUMNS, 1), random(COLUMNS, 2)
    mine, by_onnx = (np.zeros(sizes, np.float32) for _ in range(2))
    row = dml.TensorDesc("FLOAT32", sizes, (0, 1))
    operator = dml.MeanVarianceNormalization2(
        input_tensor=dml.TensorDesc("FLOAT32", sizes),
        scale_tensor=row,
        bias_tensor=row,
        axes=[axis],
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


CASES = (
    *(
        Case(NAME, f"{function.lower()} of {where}", partial(_reduce, function, where))
        for function in ("SUM", "MAX", "AVERAGE")
        for where in (_ROWS, _COLUMNS, _MIDDLE)
    ),
    *(Case(NAME, f"softmax of {where}", partial(_softmax, where)) for where in (_ROWS, _COLUMNS, _MIDDLE)),
    Case(NAME, "layer normalization", _layer_normalization),
)
FAMILY = Family(NAME, CASES, {"": Goal(0.95, 1.3)})
