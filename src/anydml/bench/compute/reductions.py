"""Reductions and softmax over rows, columns and middle axes, normalization, pooling and upsampling."""

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
    zeros,
)
from anydml.bench.compute.case import torch as torch_work
from anydml.bench.compute.normalization import (
    COLUMNS,
    batch_normalization,
    image,
    layer_normalization,
    local_response,
    training,
)
from anydml.bench.onnx_model import OnnxNode
from anydml.core.enums import ReduceFunction

NAME = "reductions"
_ROWS, _COLUMNS, _MIDDLE, _SHORT = "rows", "columns", "middle axes", "rows of 8"
_SHORT_COLUMNS = 8


def _sizes(where: str, size: int) -> tuple[tuple[int, ...], int]:
    """Sizes of the input, and the axis that is reduced."""
    if where == _SHORT:
        return (max(1, size // 4 // _SHORT_COLUMNS), _SHORT_COLUMNS), 1
    rows = max(1, size // 4 // COLUMNS)
    if where == _MIDDLE:
        return (max(1, rows // 64), 64, COLUMNS), 1
    return (rows, COLUMNS), 1 if where == _ROWS else 0


def _reduce(function: str, where: str, size: int, threads: int) -> Problem:
    sizes, axis = _sizes(where, size)
    x = random(sizes)
    kept = tuple(1 if n == axis else extent for n, extent in enumerate(sizes))
    mine, by_numpy, by_torch, by_onnx = (zeros(kept) for _ in range(4))
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
    mine, by_torch, by_onnx = (zeros(sizes) for _ in range(3))
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


def _pooling(is_max: bool, side: int, window: tuple[int, int, int], size: int, threads: int) -> Problem:
    """Square images, and the size, the step and the padding of square windows."""
    sizes = image(size, side)
    x = random(sizes)
    width, step, padding = window
    count = (side + 2 * padding - width) // step + 1
    mine, by_onnx = (zeros((*sizes[:2], count, count)) for _ in range(2))
    fields = {"window_size": width, "strides": step, "start_padding": padding, "end_padding": padding}
    windows: dict[str, Any] = {name: (number, number) for name, number in fields.items()}
    desc = dml.TensorDesc("FLOAT32", sizes)
    if is_max:
        operator: dml.Operator = dml.MaxPooling(input_tensor=desc, **windows)
    else:
        operator = dml.AveragePooling(input_tensor=desc, include_padding=False, **windows)
    attributes: dict[str, Any] = {"kernel_shape": (width,) * 2, "strides": (step,) * 2, "pads": (padding,) * 4}
    node = OnnxNode("MaxPool" if is_max else "AveragePool", ("x",), ("y",), attributes)
    kept: dict[str, Any] = {}

    def in_torch(t: Any, x: Any) -> None:
        if is_max:
            kept["result"] = t.nn.functional.max_pool2d(x, *window)
        else:
            kept["result"] = t.nn.functional.avg_pool2d(x, *window, count_include_pad=False)

    return problem(
        {
            OURS: ours(operator, [x], [mine], threads),
            TORCH: torch_work(in_torch, x, threads=threads),
            ONNX: onnx([node], {"x": x}, {"y": by_onnx}, threads),
        },
        {OURS: mine, TORCH: lambda: kept["result"].numpy(), ONNX: by_onnx},
        touched_bytes=x.nbytes + mine.nbytes,
    )


def _upsampling(size: int, threads: int) -> Problem:
    """Bilinear, to twice as many rows and columns."""
    sizes = image(size, 56)
    x = random(sizes)
    mine, by_onnx = (zeros((*sizes[:2], 112, 112)) for _ in range(2))
    tensor = dml.TensorDesc("FLOAT32", sizes)
    operator = dml.Upsample2D(input_tensor=tensor, scale_size=(2, 2), interpolation_mode="LINEAR")
    node = OnnxNode("Resize", ("x", "", "scales"), ("y",), {"mode": "linear"})
    scales = np.array([1, 1, 2, 2], np.float32)
    kept: dict[str, Any] = {}

    def in_torch(t: Any, x: Any) -> None:
        kept["result"] = t.nn.functional.interpolate(x, scale_factor=2, mode="bilinear")

    return problem(
        {
            OURS: ours(operator, [x], [mine], threads),
            TORCH: torch_work(in_torch, x, threads=threads),
            ONNX: onnx([node], {"x": x, "scales": scales}, {"y": by_onnx}, threads),
        },
        {OURS: mine, TORCH: lambda: kept["result"].numpy(), ONNX: by_onnx},
        touched_bytes=x.nbytes + mine.nbytes,
    )


CASES = (
    *(
        Case(NAME, f"{function.lower()} of {where}", partial(_reduce, function, where))
        for function in ("SUM", "MAX", "AVERAGE")
        for where in (_ROWS, _COLUMNS, _MIDDLE, _SHORT)
    ),
    *(Case(NAME, f"softmax of {where}", partial(_softmax, where)) for where in (_ROWS, _COLUMNS, _MIDDLE, _SHORT)),
    Case(NAME, "layer normalization", layer_normalization),
    Case(NAME, "batch normalization", batch_normalization),
    Case(NAME, "batch normalization, training", training),
    Case(NAME, "local response normalization", local_response),
    Case(NAME, "max pooling 3x3/2", partial(_pooling, True, 112, (3, 2, 1))),
    Case(NAME, "average pooling 3x3/2", partial(_pooling, False, 112, (3, 2, 1))),
    Case(NAME, "average pooling 3x3/2, 14 x 14", partial(_pooling, False, 14, (3, 2, 1))),
    Case(NAME, "average of images, 7 x 7", partial(_pooling, False, 7, (7, 1, 0))),
    Case(NAME, "bilinear upsampling", _upsampling),
)
FAMILY = Family(NAME, CASES, {"": Goal(0.95, 1.3)})
