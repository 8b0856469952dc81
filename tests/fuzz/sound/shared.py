"""What sound calls are made of: a few small tensors, and what is made for them."""

from __future__ import annotations

import atexit
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import anydml as dml
from anydml.frontends import serialized
from tests.fuzz.sound.surface import Call

Sound = dict[str, Callable[[], Call]]
LAYOUT = dml.Layout((2, 3), (5, 1), 7)
TENSOR = dml.TensorDesc("FLOAT32", [2, 3])
INTEGERS = dml.TensorDesc("INT8", [2, 3], strides=[4, 1])
RELU = dml.ActivationRelu(input_tensor=TENSOR)
SLICE = dml.Slice1(
    input_tensor=TENSOR, input_window_offsets=[0, 1], input_window_sizes=[2, 2], input_window_strides=[-1, 1]
)
WINDOW = dml.Window((0, 1), (2, 2), (1, -1), (2, 2))
VIOLATION = dml.Violation("list", "Sizes", "7", "a list", None, "2.0")


def call(function: Callable[..., Any], /, *positional: Any, **named: Any) -> Call:
    return Call(function, {f"*{i}": value for i, value in enumerate(positional)} | named)


def numbers(*sizes: int) -> np.ndarray[Any, Any]:
    return np.ones(sizes, np.float32)


def compiled() -> dml.CompiledOperator:
    return dml.Device().compile(RELU)


def owner() -> dml.CompiledOperator:
    return dml.Device().compile(dml.ActivationRelu(input_tensor=TENSOR.replace(flags=1), output_tensor=TENSOR))


def table() -> dml.BindingTable:
    return dml.Device().create_binding_table(compiled())


@cache
def folder() -> Path:
    """Where files are written, and a graph that is read; gone with the process."""
    made = tempfile.TemporaryDirectory()
    atexit.register(made.cleanup)
    serialized.write_graph(dml.Graph.of(RELU), Path(made.name) / "graph.dml")
    return Path(made.name)
