"""Memory of a GPU: buffers of its own, and arrays of others that lie there already, adopted without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from anydml.core.errors import BindingError
from anydml.core.memory import NOT_A_BUFFER, NOT_CONTIGUOUS, NUMBER_TYPE, Bytes, Described
from anydml.core.tensor import TensorDesc
from anydml.runtime.buffer import Buffer
from anydml.runtime.cuda.driver import Driver
from anydml.runtime.ports import Port

_CUDA_DEVICES = (2, 13)
"""DLPack's numbers for memory that a GPU can touch: its own, and managed memory."""
UPLOAD = "device.upload(...)"
_IMMUTABLE = ("jax", "jaxlib")
"""Packages whose arrays nobody may write, although DLPack does not say so."""


class CudaMemory:
    """Arrays of CuPy, PyTorch, JAX and everything that speaks DLPack or `__cuda_array_interface__`."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.space = f"cuda:{driver.number}"

    def adopt(self, value: Any, path: str, port: Port | None) -> Buffer:
        if type(value) is Buffer:
            if value.space != self.space:
                fix = UPLOAD if value.space == "host" else "device.upload(other.download(...))"
                raise BindingError(NOT_A_BUFFER(path, f"memory of {value.space}", f"memory of {self.space}", fix))
            return value
        array = self._array(value, path)
        described, dtype = (port.described, port.dtype) if port is not None else (None, None)
        if dtype is not None and array.dtype != dtype and array.dtype.itemsize > 1:
            fix = f".astype({dtype.name!r}), or .view('uint8') for its bytes as they are"
            raise BindingError(NUMBER_TYPE(path, f"numbers of {array.dtype.name}", f"{dtype.name}, or bytes", fix))
        if not array.flags.c_contiguous:
            found = Described.from_strides(array.shape, array.strides, array.itemsize)
            if described != found:
                fix = "cupy.ascontiguousarray, or describing the array as it is"
                words = f"an array with strides {array.strides}"
                raise BindingError(NOT_CONTIGUOUS(path, words, "contiguous memory", fix))
        size = _reach(array)
        if size and not self.driver.is_memory(array.data.ptr):
            raise BindingError(NOT_A_BUFFER(path, f"{type(value).__name__} whose memory was freed", "memory in use"))
        return Buffer(self.space, array.data.ptr, size, _is_writable(value), (array, value))

    def _array(self, value: Any, path: str) -> Any:
        """The object's memory as a CuPy array, ordered after what its owner has started."""
        library = self.driver.arrays
        if isinstance(value, library.ndarray):
            self._require_here(value, path)
            return value
        try:
            if hasattr(value, "__dlpack_device__"):
                if value.__dlpack_device__()[0] not in _CUDA_DEVICES:
                    raise BindingError(NOT_A_BUFFER(path, _host(value), f"memory of {self.space}", UPLOAD))
                array = library.from_dlpack(value)
            elif hasattr(value, "__cuda_array_interface__"):
                array = library.asarray(value)
            else:
                raise BindingError(NOT_A_BUFFER(path, _host(value), f"memory of {self.space}", UPLOAD))
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            if isinstance(error, BindingError):
                raise
            raise BindingError(NOT_A_BUFFER(path, f"{type(value).__name__} ({error})", "a CUDA tensor")) from error
        self._require_here(array, path)
        return array

    def _require_here(self, array: Any, path: str) -> None:
        if array.device.id != self.driver.number:
            found = f"memory of cuda:{array.device.id}"
            raise BindingError(NOT_A_BUFFER(path, found, f"memory of {self.space}", "a tensor on this GPU"))

    def allocate(self, size_in_bytes: int) -> Buffer:
        address, owner = self.driver.allocate(size_in_bytes)
        return Buffer(self.space, address, size_in_bytes, True, owner)

    def copy(self, source: Buffer, destination: Buffer) -> None:
        self.driver.copy(destination.address, source.address, source.size_in_bytes)

    def upload(self, data: Bytes) -> Buffer:
        buffer = self.allocate(data.size)
        if data.size:
            self.driver.upload(buffer.address, np.ascontiguousarray(data))
        return buffer

    def download(self, buffer: Buffer) -> Bytes:
        data = np.empty(buffer.size_in_bytes, np.uint8)
        if data.size:
            self.driver.download(data, buffer.address)
        return data

    def array(self, buffer: Buffer, tensor: TensorDesc) -> Any:
        """A tensor in a buffer, as an array of CuPy."""
        item = tensor.data_type.element_bytes
        if tensor.data_type.is_packed_pair:
            return self.driver.array(
                buffer.address, buffer.size_in_bytes, buffer.owner, (buffer.size_in_bytes,), np.uint8
            )
        strides = tuple(stride * item for stride in tensor.strides)
        dtype = tensor.data_type.numpy_dtype
        return self.driver.array(buffer.address, buffer.size_in_bytes, buffer.owner, tensor.sizes, dtype, strides)

    def synchronize(self) -> None:
        self.driver.synchronize()


def _host(value: Any) -> str:
    return f"{type(value).__name__} of the host"


def _is_writable(value: Any) -> bool:
    if type(value).__module__.partition(".")[0] in _IMMUTABLE:
        return False
    interface = getattr(value, "__cuda_array_interface__", None) if not hasattr(value, "__dlpack__") else None
    return not (interface and interface["data"][1])


def _reach(array: Any) -> int:
    """Bytes from an array's first element to its last."""
    if array.size == 0:
        return 0
    return int(array.itemsize + sum((n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)))
