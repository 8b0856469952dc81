"""JSON as a tree that knows its places: every value its offset, lists of numbers held as arrays."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate, islice
from typing import Any

import numpy as np

from anydml.core.errors import Violation, shortened
from anydml.core.rules import rule
from anydml.files.places import LocatedViolation, join_path

MANY = rule("model.many", "Only the first 1000 problems of a model are listed.")
MAXIMUM_VIOLATIONS = 1000
SPECIAL = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
"""Texts that stand for numbers in a list of numbers, in any case."""
_COMMENTS_AND_ENTRIES = re.compile(r'//[^\r\n]*|/\*[\s\S]*?\*/|("[^"]*"|[-0-9][-+.0-9eE]*)')
_FLUSHED = 1 << 16
_PAGE = 1 << 12
Array = np.ndarray[Any, Any]


class Chunk:
    """Some numbers of a run, and where in the text the first of them is."""

    __slots__ = ("first", "has_overflow", "start", "values")

    def __init__(self, start: int, first: int, numbers: list[int | float]) -> None:
        self.start, self.first = start, first
        self.has_overflow = False
        """Whether an integer beyond every float is among them; it is held as an infinity."""
        self.values = self._array(numbers)
        """Integers where each is written as one and a type of 64 bits holds them all, else float64."""

    def _array(self, numbers: list[int | float]) -> Array:
        if set(map(type, numbers)) == {int} and (dtype := _smallest_type(min(numbers), max(numbers))) is not None:
            return np.array(numbers, dtype)
        try:
            return np.array(numbers, np.float64)
        except OverflowError:
            self.has_overflow = True
            return np.array([_to_float(number) for number in numbers])

    @property
    def is_whole(self) -> bool:
        return self.values.dtype.kind in "iu"


class Numbers:
    """Numbers that follow each other in a list, as arrays: a list may have millions of them.

    The offset and the spelling of each number are read from the text again when needed.
    """

    __slots__ = ("_chunks", "_found", "_pending", "_start", "count", "text")

    def __init__(self, text: str) -> None:
        self.text, self.count = text, 0
        self._chunks: list[Chunk] = []
        self._pending: list[int | float] = []
        self._start = 0
        self._found: tuple[Chunk, array[int]] | None = None

    def extend(self, start: int, numbers: list[int | float]) -> None:
        """More numbers, the first of them here in the text."""
        if not self._pending:
            self._start = start
        self._pending += numbers
        self.count += len(numbers)
        if len(self._pending) >= _FLUSHED:
            self._flush()

    def _flush(self) -> None:
        if self._pending:
            self._chunks.append(Chunk(self._start, self.count - len(self._pending), self._pending))
            self._pending = []

    @property
    def chunks(self) -> list[Chunk]:
        self._flush()
        return self._chunks

    def written(self, chunk: Chunk) -> Iterator[tuple[int, Any]]:
        """Offset and value of each number as the text has it: an int, a float, or a text such as "nan"."""
        matches = _COMMENTS_AND_ENTRIES.finditer(self.text, chunk.start)
        entries = ((match.start(1), _value(match[1])) for match in matches if match.lastindex)
        return islice(entries, chunk.values.size)

    def at(self, index: int) -> tuple[int, Any]:
        """Offset and value of one number."""
        chunk = self.chunks[bisect_right(self.chunks, index, key=_first) - 1]
        if self._found is None or self._found[0] is not chunk:
            self._found = chunk, array("q", (offset for offset, _ in self.written(chunk)))
        offset = self._found[1][index - chunk.first]
        match = _COMMENTS_AND_ENTRIES.match(self.text, offset)
        assert match is not None  # a number stood there when the list was read
        return offset, _value(match[1])


def _first(chunk: Chunk) -> int:
    return chunk.first


def _value(written: str) -> Any:
    return int(written) if written.isdigit() else json.loads(written)


def _smallest_type(low: int | float, high: int | float) -> np.dtype[Any] | None:
    """The shortest integer type with all numbers between; most numbers take fewer bytes in memory than as text."""
    for name in ("u1", "u2", "u4", "u8") if low >= 0 else ("i1", "i2", "i4", "i8"):
        limits = np.iinfo(name)
        if limits.min <= low and high <= limits.max:
            return np.dtype(name)
    return None


def _to_float(value: int | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


class Entries:
    """The entries of a list: nodes, and runs of numbers."""

    __slots__ = ("_starts", "count", "parts")

    def __init__(self) -> None:
        self.parts: list[Node | Numbers] = []
        self.count = 0
        self._starts: array[int] | None = None

    def __len__(self) -> int:
        return self.count

    def append(self, node: Node) -> None:
        self.parts.append(node)
        self.count += 1

    def extend(self, text: str, start: int, values: list[int | float]) -> None:
        """Numbers that stand here in the text."""
        last = self.parts[-1] if self.parts else None
        if not isinstance(last, Numbers):
            last = Numbers(text)
            self.parts.append(last)
        last.extend(start, values)
        self.count += len(values)

    def starts(self) -> array[int]:
        """The index of the first entry of each part."""
        if self._starts is None:
            lengths = [part.count if isinstance(part, Numbers) else 1 for part in self.parts]
            self._starts = array("q", accumulate(lengths, initial=0))
        return self._starts


class Node:
    """A value and where it is. `value` is a plain one, `Entries` of a list or a dict of nodes."""

    __slots__ = ("key", "offset", "parent", "value")

    def __init__(self, value: Any, offset: int, parent: Node | None, key: str | int) -> None:
        self.value, self.offset, self.parent, self.key = value, offset, parent, key

    @property
    def path(self) -> str:
        """`resources.input.initialValues[3]`; the root has an empty path."""
        keys: list[str | int] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            keys.append(node.key)
            node = node.parent
        return join_path(reversed(keys))

    @property
    def is_list(self) -> bool:
        return isinstance(self.value, Entries)

    @property
    def is_object(self) -> bool:
        return isinstance(self.value, dict)

    def __len__(self) -> int:
        return len(self.value) if isinstance(self.value, (dict, Entries)) else 0

    def __bool__(self) -> bool:
        return True

    def get(self, key: str | int) -> Node | None:
        """The entry of an object or list, if this is one and has it."""
        if isinstance(self.value, dict) and isinstance(key, str):
            return self.value.get(key)
        if isinstance(self.value, Entries) and isinstance(key, int) and 0 <= key < len(self.value):
            starts = self.value.starts()
            at = bisect_right(starts, key) - 1
            part = self.value.parts[at]
            return part if isinstance(part, Node) else self._number(key, *part.at(key - starts[at]))
        return None

    def _number(self, index: int, offset: int, value: Any) -> Node:
        return Node(value, offset, self, index)

    def items(self) -> Iterator[tuple[str, Node]]:
        """The entries of an object; nothing for any other value."""
        return iter(self.value.items() if isinstance(self.value, dict) else ())

    def entries(self) -> Iterator[Node]:
        """The entries of a list; nothing for any other value."""
        index = 0
        for part in self.value.parts if isinstance(self.value, Entries) else ():
            if isinstance(part, Node):
                yield part
                index += 1
                continue
            for offset, value in (each for chunk in part.chunks for each in part.written(chunk)):
                yield self._number(index, offset, value)
                index += 1

    def plain(self) -> Any:
        """The value without places. Recursive, since the reader takes only values of small depth."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if not isinstance(self.value, Entries):
            return self.value
        found: list[Any] = []
        for part in self.value.parts:
            if isinstance(part, Node):
                found.append(part.plain())
                continue
            for chunk in part.chunks:
                found += chunk.values.tolist() if chunk.is_whole else [value for _, value in part.written(chunk)]
        return found

    @property
    def kind(self) -> str:
        """What this is, for a message."""
        if isinstance(self.value, dict):
            return "an object"
        if isinstance(self.value, Entries):
            return "a list"
        names = {None: "null", True: "true", False: "false"}
        if self.value is None or isinstance(self.value, bool):
            return names[self.value]
        return shortened(repr(self.value))


class Document:
    """A text, its tree, and what is wrong with it."""

    root: Node

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self.violations: list[LocatedViolation] = []
        self._pages: tuple[array[int], array[int]] | None = None

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1."""
        if self._pages is None:
            self._pages = _count_lines(self.text)
        page = offset // _PAGE
        ends, starts = self._pages
        more, start = _lines_between(self.text, page * _PAGE, offset)
        return ends[page] + more + 1, offset - (start or starts[page]) + 1

    def locate(self, violation: Violation, offset: int) -> LocatedViolation:
        return LocatedViolation.at(violation, self.name, *self.place(offset))

    @property
    def is_full(self) -> bool:
        """Whether the document has too many problems to list more."""
        return len(self.violations) > MAXIMUM_VIOLATIONS

    def note(self, violation: Violation, offset: int) -> None:
        """Remember something that is wrong, unless there is far too much of it."""
        if len(self.violations) == MAXIMUM_VIOLATIONS:
            found = f"more than {MAXIMUM_VIOLATIONS} problems"
            violation = MANY(violation.path, found, "fewer", "correcting those above first")
        if not self.is_full:
            self.violations.append(self.locate(violation, offset))


def _count_lines(text: str) -> tuple[array[int], array[int]]:
    """At the start of every page of the text: how many lines have ended, and where the line it is in started."""
    ends, starts = array("q", [0]), array("q", [0])
    for page in range(0, len(text), _PAGE):
        more, start = _lines_between(text, page, min(page + _PAGE, len(text)))
        ends.append(ends[-1] + more)
        starts.append(start or starts[-1])
    return ends, starts


def _lines_between(text: str, start: int, end: int) -> tuple[int, int]:
    """How many lines end between two offsets, and where the last of these ends (0 if none); \r\n ends one line."""
    pairs = text.count("\r\n", start, end + 1)
    ended = text.count("\n", start, end) + text.count("\r", start, end) - pairs
    return ended, max(text.rfind("\n", start, end), text.rfind("\r", start, end)) + 1
