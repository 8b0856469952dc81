"""Memory of the host: what the devices that run on the processor share."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from anydml.core.errors import BindingError, OutOfMemoryError
from anydml.core.memory import NOT_A_BUFFER, Bytes, as_bytes
from anydml.core.rules import MEMORY
from anydml.core.tensor import TensorDesc
from anydml.graph.plan import Plan
from anydml.runtime.backend import Executable
from anydml.runtime.budget import physical_memory
from anydml.runtime.buffer import Buffer
from anydml.runtime.ports import Port

SPACE = "host"
ALIGNMENT_BYTES = 256
_MODEST_BYTES = 1 << 26
"""Less than this is asked of the system without a look at how much there is."""


class HostMemory:
    """Buffers in the host's memory; arrays, bytes and everything that speaks DLPack or the buffer protocol."""

    space = SPACE

    def adopt(self, value: Any, path: str, port: Port | None) -> Buffer:
        if port is not None and type(value) is np.ndarray and value.dtype == port.dtype and value.flags.c_contiguous:
            data = (value if value.ndim == 1 else value.reshape(-1)).view(np.uint8)
            return Buffer(SPACE, address_of(data), data.size, data.flags.writeable, value, data)
        if type(value) is Buffer:
            if value.space != SPACE:
                fix = "device.download(...) of its own device"
                raise BindingError(NOT_A_BUFFER(path, f"memory of {value.space}", "memory of the host", fix))
            return value
        if port is None:
            return buffer_of(as_bytes(value, path), value)
        return buffer_of(as_bytes(value, path, port.described, port.dtype, port.is_output), value)

    def allocate(self, size_in_bytes: int) -> Buffer:
        require_memory(size_in_bytes)
        try:
            raw = np.empty(size_in_bytes + ALIGNMENT_BYTES, np.uint8)
        except MemoryError:  # the machine has it, and this process cannot have it
            raise _out_of_memory(size_in_bytes, "less, since the system has no room for it now") from None
        start = -address_of(raw) % ALIGNMENT_BYTES
        return buffer_of(raw[start : start + size_in_bytes], raw)

    def copy(self, source: Buffer, destination: Buffer) -> None:
        assert source.data is not None and destination.data is not None
        destination.data[: source.size_in_bytes] = source.data

    def upload(self, data: Bytes) -> Buffer:
        return buffer_of(data, data)

    def download(self, buffer: Buffer) -> Bytes:
        assert buffer.data is not None
        return buffer.data

    def array(self, buffer: Buffer, tensor: TensorDesc) -> Any:
        assert buffer.data is not None
        return tensor.view(buffer.data)

    def synchronize(self) -> None:
        """Everything is done when a run returns."""

    def expand(self, plan: Plan) -> Plan:
        """Steps are run as they are."""
        return plan

    def plan_options(self) -> Hashable:
        return None


def buffer_of(data: Bytes, owner: Any) -> Buffer:
    return Buffer(SPACE, address_of(data), data.size, data.flags.writeable, owner, data)


def address_of(data: Bytes) -> int:
    address: int = data.__array_interface__["data"][0]
    return address


def require_room(plan: Plan, executable: Executable) -> None:
    """Return quietly, or raise where a plan takes more memory than the machine has, besides its tensors."""
    arenas = plan.temporary_size_in_bytes + plan.persistent_size_in_bytes
    require_memory(arenas + executable.scratch_size_in_bytes)


def require_memory(size_in_bytes: int) -> None:
    """Return quietly, or raise before anything is allocated that the machine does not have."""
    if size_in_bytes > _MODEST_BYTES and size_in_bytes > physical_memory():
        raise _out_of_memory(size_in_bytes, f"at most {physical_memory()}, the memory of this machine")


def _out_of_memory(size_in_bytes: int, expected: str) -> OutOfMemoryError:
    return OutOfMemoryError(MEMORY("", f"{size_in_bytes} bytes", expected, "smaller tensors"))
