"""Tables of a flatbuffer, each access checked: files from outside may hold anything.

What is read is counted, and may not be much more than the file has bytes: tables that refer to each other in circles,
or a thousand references to one large table, end in an error and not in a long wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from anydml.core.errors import ModelError
from anydml.core.memory import Bytes, as_bytes
from anydml.core.rules import Rule, rule
from anydml.frontends.serialized.schema import flatbuffers

FORMAT = rule("serialized.format", "Every offset and length of a serialized graph leads to bytes of the file.")
MISSING = rule("serialized.missing", "The fields that a graph, node or tensor needs are there.")
_WIDTHS = {"uint8": 1, "uint16": 2, "int32": 4, "uint32": 4, "float32": 4, "uint64": 8}
LONGEST_TEXT = 4096
"""The most bytes of a name."""
_VTABLE_START = 4
"""The sizes of the vtable and of the table come before the fields."""


def refuse(broken: Rule, path: str, found: object, expected: object, fix: str = "") -> ModelError:
    return ModelError(broken(path, found, expected, fix))


class File:
    """The bytes of a flatbuffer, and how many more may be read."""

    def __init__(self, data: bytes | Bytes) -> None:
        package = flatbuffers()
        self.get, self.packers = package.encode.Get, package.packer
        self.data = as_bytes(data, "data")
        self.buffer = self.data.data
        self.budget = 16 * self.data.size + (1 << 16)

    def spend(self, count: int, path: str) -> None:
        """Note that so many bytes or entries are read."""
        self.budget -= count
        if self.budget < 0:
            raise refuse(FORMAT, path, "tables that are read again and again", "each table in one place")

    def number(self, kind: str, position: int, path: str) -> Any:
        """The number at a position."""
        width = _WIDTHS[kind]
        if not 0 <= position <= self.data.size - width:
            raise refuse(
                FORMAT, path, f"an offset to byte {position}", f"one of the {self.data.size} bytes of the file"
            )
        self.spend(width, path)
        return self.get(getattr(self.packers, kind), self.buffer, position)

    def follow(self, position: int, path: str) -> int:
        """Where the offset at a position leads; offsets point forward."""
        return position + int(self.number("uint32", position, path))

    def root(self, fields: tuple[str, ...], path: str) -> Table:
        if self.data.size < 8:
            raise refuse(FORMAT, path, f"{self.data.size} bytes", "a serialized graph")
        return Table(self, self.follow(0, path), fields, path)

    def vector(self, position: int, width: int, path: str) -> tuple[int, int]:
        """Where the entries of a vector start, and how many there are."""
        count = int(self.number("uint32", position, path))
        start = position + 4
        if start + count * width > self.data.size:
            expected = f"at most {max(self.data.size - start, 0) // width}, where the file ends"
            raise refuse(FORMAT, path, f"{count} entries", expected)
        return start, count

    def text(self, position: int, path: str) -> str:
        start, count = self.vector(position, 1, path)
        if count > LONGEST_TEXT:
            raise refuse(FORMAT, path, f"a name of {count} bytes", f"at most {LONGEST_TEXT}")
        self.spend(count, path)
        try:
            return self.data[start : start + count].tobytes().decode("utf-8")
        except UnicodeDecodeError:
            raise refuse(FORMAT, path, "bytes that are no text", "text in UTF-8") from None


@dataclass(frozen=True)
class Table:
    """A table: named fields, each of which may be absent."""

    file: File
    position: int
    fields: tuple[str, ...]
    path: str

    def _place(self, name: str) -> int | None:
        """Where a field is; None if it is absent."""
        file, where = self.file, self.where(name)
        vtable = self.position - int(file.number("int32", self.position, where))
        size = int(file.number("uint16", vtable, where))
        slot = _VTABLE_START + 2 * self.fields.index(name)
        if slot + 2 > size:
            return None
        offset = int(file.number("uint16", vtable + slot, where))
        return self.position + offset if offset else None

    def where(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def number(self, name: str, kind: str, default: Any = 0) -> Any:
        place = self._place(name)
        return default if place is None else self.file.number(kind, place, self.where(name))

    def target(self, name: str) -> int | None:
        """What a field's offset leads to."""
        place = self._place(name)
        return None if place is None else self.file.follow(place, self.where(name))

    def text(self, name: str) -> str | None:
        target = self.target(name)
        return None if target is None else self.file.text(target, self.where(name))

    def require_text(self, name: str) -> str:
        found = self.text(name)
        if not found:
            raise refuse(MISSING, self.where(name), "nothing", "a name")
        return found

    def table(self, name: str, fields: tuple[str, ...]) -> Table | None:
        target = self.target(name)
        return None if target is None else Table(self.file, target, fields, self.where(name))

    def require_table(self, name: str, fields: tuple[str, ...]) -> Table:
        found = self.table(name, fields)
        if found is None:
            raise refuse(MISSING, self.where(name), "nothing", "a table")
        return found

    def numbers(self, name: str, kind: str) -> list[Any] | None:
        """A vector of numbers."""
        target = self.target(name)
        if target is None:
            return None
        where, width = self.where(name), _WIDTHS[kind]
        start, count = self.file.vector(target, width, where)
        self.file.spend(count * width, where)
        return list(np.frombuffer(self.file.data[start : start + count * width].tobytes(), f"<{_CODES[kind]}").tolist())

    def bytes(self, name: str) -> Bytes | None:
        """A vector of bytes: those of the file, not a copy."""
        target = self.target(name)
        if target is None:
            return None
        start, count = self.file.vector(target, 1, self.where(name))
        return self.file.data[start : start + count]

    def tables(self, name: str, fields: tuple[str, ...]) -> Iterator[Table]:
        """The entries of a vector of tables, one at a time."""
        for i, place in enumerate(self._entries(name)):
            where = f"{self.where(name)}[{i}]"
            yield Table(self.file, self.file.follow(place, where), fields, where)

    def texts(self, name: str) -> list[str]:
        places = self._entries(name)
        return [
            self.file.text(self.file.follow(place, f"{self.where(name)}[{i}]"), f"{self.where(name)}[{i}]")
            for i, place in enumerate(places)
        ]

    def _entries(self, name: str) -> range:
        """The places of the offsets in a vector."""
        target = self.target(name)
        if target is None:
            return range(0)
        start, count = self.file.vector(target, 4, self.where(name))
        return range(start, start + 4 * count, 4)


_CODES = {"uint8": "u1", "int32": "i4", "uint32": "u4", "float32": "f4", "uint64": "u8"}
