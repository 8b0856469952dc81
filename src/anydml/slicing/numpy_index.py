"""NumPy's basic indexing: integers, slices, Ellipsis and None, nothing that copies."""

from __future__ import annotations

from types import EllipsisType
from typing import Any

from anydml.core.errors import Violation, raise_if_any, shown
from anydml.core.outside import as_integer
from anydml.core.rules import rule
from anydml.slicing.lists import STEP

KIND = rule("slicing.index-kind", "Basic indexing is made of integers, slices of integers, Ellipsis and None.")
INSIDE = rule("slicing.index-inside", "An integer index lies inside its axis.")
TOO_MANY = rule("slicing.index-count", "There are no more indices than axes.")
ELLIPSIS = rule("slicing.ellipsis", "An index has at most one Ellipsis.")

Entry = int | slice | EllipsisType | None
Picked = tuple[list[range], list[int | None]]
"""What each axis of the input gives, and which of them each axis of the output is (None: a new one)."""


def read_index(index: Any, sizes: tuple[int, ...]) -> Picked:
    """What `array[index]` selects from an array of these sizes."""
    violations: list[Violation] = []
    given = index if isinstance(index, tuple) else (index,)
    entries = [_read_entry(entry, f"index[{i}]", violations) for i, entry in enumerate(given)]
    if sum(entry is ... for entry in entries) > 1:
        violations.append(ELLIPSIS("index", "more than one Ellipsis", "one", "':' for all but one of them"))
    raise_if_any(violations, subject="NumPy index")
    return resolve(entries, sizes, "index", "NumPy index")


def resolve(entries: list[Entry], sizes: tuple[int, ...], name: str, dialect: str) -> Picked:
    """Sound entries met with sizes; `name` is the list to blame, entry by entry."""
    ranges: list[range] = []
    output_axes: list[int | None] = []
    violations: list[Violation] = []
    for place, entry in _spread(entries, sizes, name, dialect):
        if entry is None:
            output_axes.append(None)
            continue
        axis, size = len(ranges), sizes[len(ranges)]
        if isinstance(entry, slice):
            output_axes.append(axis)
            ranges.append(range(*entry.indices(size)))
            continue
        start = entry + size if entry < 0 else entry
        ranges.append(range(start, start + 1))
        if not 0 <= start < size:
            expected = f"{-size} to {size - 1} for axis {axis}" if size else f"no index: axis {axis} is empty"
            violations.append(INSIDE(f"{name}[{place}]", entry, expected, "a slice, whose ends may lie outside"))
    raise_if_any(violations, subject=dialect)
    return ranges, output_axes


def write_index(ranges: tuple[range, ...], output_axes: tuple[int | None, ...]) -> tuple[int | slice | None, ...]:
    """The index that selects these ranges: dropped axes as integers, new ones as None."""
    index: list[int | slice | None] = []
    axis = 0
    for output in (*output_axes, len(ranges)):
        if output is None:
            index.append(None)
            continue
        index += [ranges[dropped].start for dropped in range(axis, output)]
        index += [_as_slice(kept) for kept in ranges[output : output + 1]]
        axis = output + 1
    return tuple(index)


def show_index(index: tuple[int | slice | None, ...]) -> str:
    """The index as it is typed: `[3::-2, None, 0]`."""
    return f"[{', '.join(_show_entry(entry) for entry in index) or '()'}]"


def _read_entry(entry: Any, path: str, violations: list[Violation]) -> Entry:
    if entry is None or entry is ...:
        return entry
    if isinstance(entry, slice):
        return _read_slice(entry, path, violations)
    number = as_integer(entry)  # NumPy takes True as a mask, not as 1, and so it is no integer here
    if number is None:
        expected, fix = "an integer, a slice, Ellipsis or None", "a slice, or GATHER to pick places from a list"
        violations.append(KIND(path, shown(entry), expected, fix))
    return number


def _read_slice(entry: slice, path: str, violations: list[Violation]) -> slice:
    read: list[int | None] = []
    for name in ("start", "stop", "step"):
        value = getattr(entry, name)
        read.append(as_integer(value))
        if value is not None and read[-1] is None:
            violations.append(KIND(f"{path}.{name}", shown(value), "an integer or None", "a whole number"))
    if read[2] == 0:
        violations.append(STEP(f"{path}.step", 0, "any other number", "1, or -1 to reverse"))
    return slice(*read)


def _spread(
    entries: list[Entry], sizes: tuple[int, ...], name: str, dialect: str
) -> list[tuple[int, int | slice | None]]:
    """The entries with their places, the Ellipsis (at the end when there is none) spread to the axes left."""
    taken = sum(entry is not None and entry is not ... for entry in entries)
    if taken > len(sizes):
        fix = "leaving the last ones out" if sizes else "an empty index"
        raise_if_any([TOO_MANY(name, f"{taken} indices", f"at most {len(sizes)}", fix)], subject=dialect)
    spread: list[tuple[int, int | slice | None]] = []
    for place, entry in enumerate([*entries, *(() if ... in entries else (...,))]):
        if isinstance(entry, EllipsisType):
            spread += [(place, slice(None))] * (len(sizes) - taken)
        else:
            spread.append((place, entry))
    return spread


def _as_slice(part: range) -> slice:
    # A stop of -1 would mean the last element; stepping back past 0 can only be said by leaving it out.
    return slice(part.start, part.stop if part.stop >= 0 else None, part.step)


def _show_entry(entry: int | slice | None) -> str:
    if not isinstance(entry, slice):
        return str(entry)
    start, stop = ("" if value is None else str(value) for value in (entry.start, entry.stop))
    return f"{start}:{stop}" if entry.step == 1 else f"{start}:{stop}:{entry.step}"
