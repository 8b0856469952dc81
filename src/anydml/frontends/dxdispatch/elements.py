"""Elements of a data type from JSON numbers, and back to text as DxDispatch writes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from anydml.core import nibbles
from anydml.core.datatype import DataType
from anydml.core.memory import Bytes
from anydml.core.rules import rule
from anydml.frontends.dxdispatch.fields import Notes
from anydml.frontends.dxdispatch.json_reader import Node

_LIST = '{{"resources": {{"a": {{"initialValuesDataType": "UINT8", "initialValues": [{}]}}}}}}'
NUMBER = rule(
    "initial-values.number",
    'Initial values are numbers of the data type; floats may be "nan", "inf" or "-inf".',
    f"dml.frontends.dxdispatch.parse_model({_LIST.format(0.5)!r})",
)
SPECIAL = ("nan", "inf", "-inf")


def read_element(node: Node, kind: DataType, notes: Notes) -> int | float | None:
    """A number that an element of this type can hold; None, and a note, for anything else."""
    value = node.value
    if kind.is_float:
        return _read_float(node, kind, notes)
    low, high = kind.range
    if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
        return value
    fix = str(int(value)) if isinstance(value, float) and value == int(value) else ""
    notes.add(node, NUMBER, node.kind, f"a whole number from {low} to {high} ({kind.name})", fix)
    return None


def read_elements(nodes: list[Node], kind: DataType, notes: Notes) -> np.ndarray[Any, Any] | None:
    """Numbers as an array; None, and a note for each, where some are wrong."""
    values: list[Any] = [node.value for node in nodes]
    types = set(map(type, values))
    try:
        if kind.is_float and types <= {int, float}:
            return to_array(values, kind)
        if types == {int} and kind.range[0] <= min(values) and max(values) <= kind.range[1]:
            return to_array(values, kind)
    except OverflowError:
        pass  # an integer beyond every float: it is found below
    read = []
    for node in nodes:
        read.append(read_element(node, kind, notes))
        if notes.document.is_full:
            return None
    return None if None in read else to_array(read, kind)


def _read_float(node: Node, kind: DataType, notes: Notes) -> float | None:
    value = node.value
    if isinstance(value, str) and value.lower() in SPECIAL:
        return float(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            notes.add(node, NUMBER, node.kind, "a number that fits 64 bits", '"inf" in quotes for infinity')
            return None
    fix = "writing it without quotes" if isinstance(value, str) else ""
    notes.add(node, NUMBER, node.kind, f'a number, "nan", "inf" or "-inf" ({kind.name})', fix)
    return None


def to_array(values: Any, kind: DataType) -> np.ndarray[Any, Any]:
    """Numbers that were read as an array; 4-bit elements have a byte each."""
    if not kind.is_float:
        return np.asarray(values, kind.numpy_dtype)
    with np.errstate(over="ignore"):
        if kind is DataType.FLOAT64:
            return np.asarray(values, np.float64)
        # DxDispatch rounds to 32 bits first, and so do we: a half rounded twice can differ from one rounded once.
        return np.asarray(values, np.float64).astype(np.float32).astype(kind.numpy_dtype)


def to_bytes(array: np.ndarray[Any, Any], kind: DataType) -> Bytes:
    """The elements in memory; two 4-bit elements share a byte."""
    return nibbles.pack(array) if kind.is_packed_pair else np.ascontiguousarray(array).reshape(-1).view(np.uint8)


def from_bytes(data: Bytes, kind: DataType) -> np.ndarray[Any, Any]:
    """The elements that lie in these bytes, as many as are whole; a view, except for 4-bit types."""
    if kind.is_packed_pair:
        return nibbles.unpack(data, kind)
    whole = data.size - data.size % kind.element_bytes
    return data[:whole].view(kind.numpy_dtype)


def to_text(value: int | float) -> str:
    """As C++ prints a number: six digits of a float, `nan`, `inf`."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def to_texts(array: np.ndarray[Any, Any]) -> list[str]:
    values = array.reshape(-1).tolist()
    return [f"{value:g}" for value in values] if array.dtype.kind == "f" else list(map(str, values))
