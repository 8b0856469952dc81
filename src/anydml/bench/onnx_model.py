"""ONNX models of few operators, written as the few protobuf fields they need, so that the benchmark can run
ONNX Runtime without the `onnx` package."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.bench.patterns import Case

_IR_VERSION, _OPSET = 8, 17
_ATTRIBUTE_FLOAT, _ATTRIBUTE_INT, _ATTRIBUTE_STRING, _ATTRIBUTE_INTS = 1, 2, 3, 7
ELEMENT_TYPES = {
    "uint8": 2,
    "uint16": 4,
    "int8": 3,
    "int32": 6,
    "int64": 7,
    "float16": 10,
    "float32": 1,
    "float64": 11,
    "bool": 9,
}


Constant = Sequence[int] | npt.NDArray[Any]
"""Integers, or an array."""
Tensor = tuple[str, str, Sequence[int]]
"""Name, element type and sizes of an input or output."""


@dataclass(frozen=True)
class OnnxNode:
    """An operator of a model, by the names of its inputs and outputs."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, int | float | str | Sequence[int]] = field(default_factory=dict)


def model(case: Case, type_name: str) -> bytes:
    """A model that reads `x` and writes `y`."""
    attributes: dict[str, int | float | str | Sequence[int]] = {}
    constants: list[tuple[str, Constant]] = []
    if case.onnx == "Transpose":
        attributes = {"perm": case.axes}
    elif case.onnx == "Slice":
        columns = list(zip(*case.windows, strict=True))
        # ONNX counts a negative end from the axis's end: only a far one means "past the first element".
        ends = [end if end >= 0 else -(1 << 62) for end in columns[1]]
        axes = range(len(case.windows))
        constants = [("starts", columns[0]), ("ends", ends), ("axes", axes), ("steps", columns[2])]
    else:
        constants = [("shape", case.source.sizes)]
    names = ("x", *(name for name, _ in constants))
    node = OnnxNode(case.onnx or "", names, ("y",), attributes)
    inputs, outputs = [("x", type_name, case.source_sizes)], [("y", type_name, case.destination.sizes)]
    return write_model([node], inputs, outputs, constants)


def write_model(
    nodes: Sequence[OnnxNode],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    constants: Sequence[tuple[str, Constant]] = (),
) -> bytes:
    """A model of these nodes."""
    graph = (
        b"".join(_message(1, _node(node)) for node in nodes)
        + _text(2, "graph")
        + b"".join(_message(5, _constant(name, values)) for name, values in constants)
        + b"".join(_message(11, _value_info(*tensor)) for tensor in inputs)
        + b"".join(_message(12, _value_info(*tensor)) for tensor in outputs)
    )
    return _number(1, _IR_VERSION) + _message(7, graph) + _message(8, _number(2, _OPSET))


def _node(node: OnnxNode) -> bytes:
    names = b"".join(_text(1, name) for name in node.inputs) + b"".join(_text(2, name) for name in node.outputs)
    return (
        names + _text(4, node.operator) + b"".join(_message(5, _attribute(*item)) for item in node.attributes.items())
    )


def _attribute(name: str, value: int | float | str | Sequence[int]) -> bytes:
    if isinstance(value, str):
        return _text(1, name) + _text(4, value) + _number(20, _ATTRIBUTE_STRING)
    if isinstance(value, float):
        return _text(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, _ATTRIBUTE_FLOAT)
    if isinstance(value, int):
        return _text(1, name) + _number(3, value) + _number(20, _ATTRIBUTE_INT)
    return _text(1, name) + _varints(8, value) + _number(20, _ATTRIBUTE_INTS)


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    result = bytearray()
    while value >= 0x80:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*result, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode())


def _varints(field: int, values: Sequence[int]) -> bytes:
    return b"".join(_number(field, value) for value in values)


def _constant(name: str, values: Constant) -> bytes:
    array = np.asarray(values, None if isinstance(values, np.ndarray) else np.int64)
    data = array.astype(array.dtype.newbyteorder("<")).tobytes()
    sizes = b"".join(_number(1, size) for size in array.shape)
    return sizes + _number(2, ELEMENT_TYPES[array.dtype.name]) + _text(8, name) + _message(9, data)


def _value_info(name: str, type_name: str, sizes: Sequence[int]) -> bytes:
    dimensions = b"".join(_message(1, _number(1, size)) for size in sizes)
    tensor = _number(1, ELEMENT_TYPES[type_name]) + _message(2, dimensions)
    return _text(1, name) + _message(2, _message(1, tensor))
