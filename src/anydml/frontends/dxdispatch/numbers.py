"""Numbers of initial values: read from JSON, and checked against the data type they are given for."""

from __future__ import annotations

from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.fixes import unquoted
from anydml.core.rules import rule
from anydml.files.elements import to_array
from anydml.files.json_tree import SPECIAL, Chunk, Entries, Node, Numbers
from anydml.frontends.dxdispatch.fields import Notes

NUMBER = rule(
    "initial-values.number", 'Initial values are numbers of the data type; floats may be "nan", "inf" or "-inf".'
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
    notes.add(node, NUMBER, node.kind, f'a number, "nan", "inf" or "-inf" ({kind.name})', unquoted(value))
    return None


def read_elements(node: Node, kind: DataType, notes: Notes) -> Array | None:
    """The numbers of a list as an array; None, and a note for each, where some are wrong."""
    entries = node.value
    assert isinstance(entries, Entries)
    result = np.empty(len(entries), kind.numpy_dtype)
    before = len(notes.violations)
    for part, start in zip(entries.parts, entries.starts(), strict=False):
        if isinstance(part, Node):
            read_element(part, kind, notes)
            continue
        for chunk in notes.until_full(part.chunks):
            first = start + chunk.first
            if _all_fit(chunk, kind):
                result[first : first + chunk.values.size] = to_array(chunk.values, kind)
            else:
                _note_misfits(node, part, chunk, first, kind, notes)
    return result if len(notes.violations) == before and not notes.document.is_full else None


def _all_fit(chunk: Chunk, kind: DataType) -> bool:
    if kind.is_float:
        return not chunk.has_overflow
    low, high = kind.range
    return chunk.is_whole and low <= int(chunk.values.min()) and int(chunk.values.max()) <= high


def _note_misfits(node: Node, numbers: Numbers, chunk: Chunk, first: int, kind: DataType, notes: Notes) -> None:
    """A note for each number that an element cannot hold. Only its text tells how a number was written."""
    low, high = (None, None) if kind.is_float else kind.range
    for index, (offset, value) in enumerate(notes.until_full(numbers.written(chunk))):
        if low is None or high is None or type(value) is not int or not low <= value <= high:
            read_element(Node(value, offset, node, first + index), kind, notes)
