"""A device in a memory space of its own: its buffers have addresses that mean nothing to NumPy.

Whatever reaches around `adopt`, `allocate`, `copy`, `upload` and `download` fails at once: there is no array to touch.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anydml.core.enums import ExecutionFlags
from anydml.core.errors import BindingError
from anydml.core.memory import NOT_A_BUFFER, Bytes
from anydml.core.schema import Operator
from anydml.core.tensor import TensorDesc
from anydml.graph.plan import Plan
from anydml.runtime.backend import Memory, Run
from anydml.runtime.buffer import Buffer
from anydml.runtime.cpu import BACKEND as CPU
from anydml.runtime.host import buffer_of
from anydml.runtime.ports import Port

SPACE = "island"
FIRST_ADDRESS = 1 << 40
GAP = 1 << 20


@dataclass
class Island:
    """All memory of the device, in pieces far apart; only the device itself looks inside."""

    pieces: dict[int, Bytes] = field(default_factory=dict)
    following: int = FIRST_ADDRESS

    def new(self, size: int) -> int:
        address = self.following
        self.pieces[address] = np.full(size, 0xA5, np.uint8)
        self.following += size + GAP - size % GAP
        return address

    def bytes_at(self, buffer: Buffer) -> Bytes:
        assert buffer.space == SPACE
        start = max(address for address in self.pieces if address <= buffer.address)
        offset = buffer.address - start
        piece = self.pieces[start]
        assert offset + buffer.size_in_bytes <= piece.size, "a buffer that reaches past its memory"
        return piece[offset : offset + buffer.size_in_bytes]


class IslandBackend:
    """Plans run by the CPU's kernels, on the island's bytes."""

    space = SPACE
    uses_passes = True
    shares_executables = False

    def __init__(self) -> None:
        self.island = Island()

    def claims(self, operator: Operator) -> bool:
        return False

    def adopt(self, value: Any, path: str, port: Port | None) -> Buffer:
        if isinstance(value, Buffer) and value.space == SPACE:
            return value
        found = f"{type(value).__name__} of the host"
        raise BindingError(NOT_A_BUFFER(path, found, "memory of this device", "device.upload(...)"))

    def allocate(self, size_in_bytes: int) -> Buffer:
        return Buffer(SPACE, self.island.new(size_in_bytes), size_in_bytes, True)

    def copy(self, source: Buffer, destination: Buffer) -> None:
        self.island.bytes_at(destination)[: source.size_in_bytes] = self.island.bytes_at(source)

    def upload(self, data: Bytes) -> Buffer:
        buffer = self.allocate(data.size)
        self.island.bytes_at(buffer)[:] = data
        return buffer

    def download(self, buffer: Buffer) -> Bytes:
        return self.island.bytes_at(buffer).copy()

    def array(self, buffer: Buffer, tensor: TensorDesc) -> Any:
        return tensor.view(self.island.bytes_at(buffer))

    def prepare(self, plan: Plan, flags: ExecutionFlags) -> IslandExecutable:
        return IslandExecutable(self, CPU.prepare(plan, flags))

    def expand(self, plan: Plan) -> Plan:
        return CPU.expand(plan)

    def plan_options(self) -> Hashable:
        return None

    def synchronize(self) -> None:
        """Nothing runs on its own."""


@dataclass
class IslandExecutable:
    backend: IslandBackend
    inner: Any

    @property
    def scratch_size_in_bytes(self) -> int:
        size: int = self.inner.scratch_size_in_bytes
        return size

    def _on_host(self, memory: Memory) -> Memory:
        arrays = [None if buffer is None else self.backend.island.bytes_at(buffer) for buffer in memory]
        return [None if array is None else buffer_of(array, None) for array in arrays]

    def bind_initialize(self, memory: Memory) -> Run:
        return self.inner.bind_initialize(self._on_host(memory))  # type: ignore[no-any-return]

    def bind(self, memory: Memory) -> Run:
        return self.inner.bind(self._on_host(memory))  # type: ignore[no-any-return]


BACKEND = IslandBackend()
