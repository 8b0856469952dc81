"""Operators on plain arrays: inputs as lists or arrays, outputs as arrays, guards around every output."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

import anydml as dml
from tests.operators.memory import GUARD, Placed, place, snapshot

Array = npt.NDArray[Any]


def run_all(operator: dml.Operator, device: str = "cpu", **inputs: Any) -> dict[str, Array]:
    """Every output by name; fails when a byte beside an output changed. All tensors are packed."""
    buffers = {
        name: np.ascontiguousarray(np.asarray(value).astype(operator.tensor(name).data_type.numpy_dtype))
        for name, value in inputs.items()
    }
    outputs = {p.name: place(p.tensor, Random(p.name)) for p in operator.points("output") if p.tensor is not None}
    before = {name: snapshot(placed) for name, placed in outputs.items()}
    dml.Device(device).compile(operator)(**buffers, **{name: placed.buffer for name, placed in outputs.items()})
    found = {}
    for name, placed in outputs.items():
        assert_guards(placed, before[name])
        kind, sizes = placed.desc.data_type.numpy_dtype, placed.desc.sizes
        count = int(np.prod(sizes)) * kind.itemsize
        found[name] = placed.buffer[:count].view(kind).reshape(sizes)
    return found


def assert_guards(after: Placed, before: Placed) -> None:
    """No byte before or after the buffer changed."""
    for part in (slice(0, GUARD), slice(-GUARD, None)):
        assert np.array_equal(after.memory[part], before.memory[part]), "bytes beside the buffer changed"


def run(operator: dml.Operator, device: str = "cpu", **inputs: Any) -> Array:
    """The only output."""
    (found,) = run_all(operator, device, **inputs).values()
    return found


def tensor(data_type: str, *sizes: int) -> dml.TensorDesc:
    return dml.TensorDesc(data_type, sizes)


def floats(*sizes: int) -> dml.TensorDesc:
    return dml.TensorDesc("FLOAT32", sizes)


def inner(a: Array, b: Array) -> float:
    """The sum of products, in float64."""
    assert a.shape == b.shape
    return float(np.sum(a.astype(np.float64) * b.astype(np.float64)))
