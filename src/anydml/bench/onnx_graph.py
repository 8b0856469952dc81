"""Whole ONNX models with weights, written as the few protobuf fields they need."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

from anydml.bench.networks import Array, Network, Value
from anydml.bench.onnx_model import _message, _number, _text, _varint, _varints

_IR_VERSION, _OPSET = 8, 17
_FLOAT32, _INT64 = 1, 7
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT, _ATTRIBUTE_INTS = 1, 2, 7
_FIXED_32 = 5


def network_model(network: Network, output: Value) -> bytes:
    """The model of a network, with one input `x` and one output."""
    graph = b"".join(_message(1, _node(*node)) for node in network.onnx) + _text(2, "network")
    graph += b"".join(_message(5, _initializer(name, array)) for name, array in network.constants.items())
    graph += _message(11, _described("x", network.input_sizes)) + _message(12, _described(output.name, output.sizes))
    return _number(1, _IR_VERSION) + _message(7, graph) + _message(8, _number(2, _OPSET))


def _node(operator: str, inputs: Sequence[str], outputs: Sequence[str], attributes: Mapping[str, Any]) -> bytes:
    names = b"".join(_text(1, name) for name in inputs) + b"".join(_text(2, name) for name in outputs)
    return names + _text(4, operator) + b"".join(_message(5, _attribute(*item)) for item in attributes.items())


def _attribute(name: str, value: float | int | Sequence[int]) -> bytes:
    if isinstance(value, float):
        number = _varint(2 << 3 | _FIXED_32) + struct.pack("<f", value)
        return _text(1, name) + number + _number(20, _ATTRIBUTE_FLOAT)
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _ATTRIBUTE_INT)
    return _text(1, name) + _varints(8, value) + _number(20, _ATTRIBUTE_INTS)


def _initializer(name: str, array: Array) -> bytes:
    kind = _INT64 if array.dtype.kind == "i" else _FLOAT32
    little = array.astype(array.dtype.newbyteorder("<"))
    return _varints(1, array.shape) + _number(2, kind) + _text(8, name) + _message(9, little.tobytes())


def _described(name: str, sizes: Sequence[int]) -> bytes:
    dimensions = b"".join(_message(1, _number(1, size)) for size in sizes)
    tensor = _number(1, _FLOAT32) + _message(2, dimensions)
    return _text(1, name) + _message(2, _message(1, tensor))
