"""Numbers of initial values: read from JSON, and checked against the data type they are given for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.rules import rule
from anydml.files.elements import to_array
from anydml.files.json_tree import SPECIAL, Entries, Node, Numbers
from anydml.frontends.dxdispatch.fields import Notes

_LIST = '{{"resources": {{"a": {{"initialValuesDataType": "UINT8", "initialValues": [{}]}}}}}}'
NUMBER = rule(
    "initial-values.number",
    'Initial values are numbers of the data type; floats may be "nan", "inf" or "-inf".',
    f"dml.frontends.dxdispatch.parse_model({_LIST.format(0.5)!r})",
)
Array = np.ndarray[Any, Any]


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


def read_elements(node: Node, kind: DataType, notes: Notes) -> Array | None:
    """The numbers of a list as an array; None, and a note for each, where some are wrong."""
    entries = node.value
    assert isinstance(entries, Entries)
    if len(entries.parts) == 1 and isinstance(entries.parts[0], Numbers) and _all_fit(entries.parts[0], kind):
        return to_array(entries.parts[0].values, kind)
    for part, start in zip(entries.parts, entries.starts(), strict=False):
        if isinstance(part, Node):
            read_element(part, kind, notes)
        else:
            _note_misfits(node, part, start, kind, notes)
        if notes.document.is_full:
            break
    return None


def _all_fit(numbers: Numbers, kind: DataType) -> bool:
    values = numbers.values
    if kind.is_float:
        return not numbers.has_overflow
    low, high = kind.range
    return values.dtype.kind in "iu" and low <= int(values.min()) and int(values.max()) <= high


def _note_misfits(node: Node, numbers: Numbers, start: int, kind: DataType, notes: Notes) -> None:
    """A note for each number of a run that an element cannot hold; those that fit are passed over quickly."""
    if _all_fit(numbers, kind):
        return
    for index, offset, value in _suspects(numbers, kind):
        read_element(Node(value, offset, node, start + index), kind, notes)
        if notes.document.is_full:
            return


def _suspects(numbers: Numbers, kind: DataType) -> Iterator[tuple[int, int, Any]]:
    """Index, offset and value of each number that may not fit."""
    values = numbers.values
    if kind.is_float:
        for index in np.flatnonzero(np.isinf(values)).tolist():
            yield index, *numbers.at(index)
        return
    low, high = kind.range
    if values.dtype.kind in "iu":
        for index in np.flatnonzero((values < low) | (values > high)).tolist():
            yield index, *numbers.at(index)
        return
    # Only its text tells whether a number was written as an integer.
    for index, (offset, value) in enumerate(numbers.written()):
        if type(value) is not int or not low <= value <= high:
            yield index, offset, value
