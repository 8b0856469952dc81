"""ONNX models of one operator, written as the few protobuf fields they need, so that the benchmark can run
ONNX Runtime without the `onnx` package."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from anydml.bench.patterns import Case

_IR_VERSION, _OPSET = 8, 17
_INT64, _ATTRIBUTE_INTS = 7, 7
ELEMENT_TYPES = {"uint8": 2, "uint16": 4, "float16": 10, "float32": 1, "float64": 11, "int64": 7}


def model(case: Case, type_name: str) -> bytes:
    """A model that reads `x` and writes `y`."""
    attributes, constants = [], []
    if case.onnx == "Transpose":
        attributes = [_message(5, _text(1, "perm") + _varints(8, case.axes) + _number(20, _ATTRIBUTE_INTS))]
    elif case.onnx == "Slice":
        columns = list(zip(*case.windows, strict=True))
        # ONNX counts a negative end from the axis's end: only a far one means "past the first element".
        ends = [end if end >= 0 else -(1 << 62) for end in columns[1]]
        axes = range(len(case.windows))
        constants = [("starts", columns[0]), ("ends", ends), ("axes", axes), ("steps", columns[2])]
    else:
        constants = [("shape", case.source.sizes)]
    names = ["x", *(name for name, _ in constants)]
    node = b"".join(_text(1, name) for name in names) + _text(2, "y") + _text(4, case.onnx or "")
    node += b"".join(attributes)
    kind = ELEMENT_TYPES[type_name]
    graph = (
        _message(1, node)
        + _text(2, "move")
        + b"".join(_message(5, _constant(name, values)) for name, values in constants)
        + _message(11, _value_info("x", kind, case.source_sizes))
        + _message(12, _value_info("y", kind, case.destination.sizes))
    )
    return _number(1, _IR_VERSION) + _message(7, graph) + _message(8, _number(2, _OPSET))


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


def _constant(name: str, values: Sequence[int]) -> bytes:
    data = struct.pack(f"<{len(values)}q", *values)
    return _number(1, len(values)) + _number(2, _INT64) + _text(8, name) + _message(9, data)


def _value_info(name: str, kind: int, sizes: Sequence[int]) -> bytes:
    dimensions = b"".join(_message(1, _number(1, size)) for size in sizes)
    tensor = _number(1, kind) + _message(2, dimensions)
    return _text(1, name) + _message(2, _message(1, tensor))
