"""Buffer: memory that a device can use, wherever it is. From the binder on, nothing else is passed around."""

from __future__ import annotations

from typing import Any, NamedTuple

from anydml.core.memory import Bytes


class Buffer(NamedTuple):
    """A range of a memory space. The owner keeps the memory alive as long as the buffer is referred to."""

    space: str
    """Which memory the address is in: "host", "cuda:0", ..."""
    address: int
    size_in_bytes: int
    is_writable: bool
    owner: Any = None
    data: Bytes | None = None
    """The bytes as an array, where the host can touch them."""

    def part(self, offset: int, size: int) -> Buffer:
        """A range of this buffer."""
        data = None if self.data is None else self.data[offset : offset + size]
        return Buffer(self.space, self.address + offset, size, self.is_writable, self.owner, data)

    def overlaps(self, other: Buffer) -> bool:
        """Whether the two share memory."""
        if self.space != other.space:
            return False
        first, second = self.address, other.address
        return first < second + other.size_in_bytes and second < first + self.size_in_bytes
