"""Memory of others: any buffer seen as a flat row of bytes, without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core.errors import BindingError
from anydml.core.rules import rule

Bytes = npt.NDArray[np.uint8]

NOT_A_BUFFER = rule(
    "buffer.kind",
    "A buffer is bytes, bytearray, memoryview, mmap, a NumPy array or a CPU tensor with __dlpack__.",
    "dml.TensorDesc('UINT8', [2]).view([1, 2])",
)
NOT_CONTIGUOUS = rule(
    "buffer.contiguous",
    "A buffer's bytes lie in one piece, so that the tensor's own strides can say where elements are.",
    "dml.TensorDesc('UINT8', [2]).view(np.zeros(8, np.uint8)[::2])",
)


def as_bytes(buffer: Any, path: str = "buffer") -> Bytes:
    """The buffer's memory as a one-dimensional uint8 array; writing to it writes to the buffer."""
    array = buffer if isinstance(buffer, np.ndarray) else _wrap(buffer, path)
    if array.dtype == np.uint8 and array.ndim == 1 and array.flags.c_contiguous:
        return array
    if array.dtype.hasobject:
        raise BindingError(NOT_A_BUFFER(path, "an array of Python objects", "plain numbers"))
    if array.flags.c_contiguous:
        return array.reshape(-1).view(np.uint8)
    if array.flags.f_contiguous:
        return array.T.reshape(-1).view(np.uint8)
    fix = (
        "np.ascontiguousarray, or passing the whole array and describing its strides (TensorDesc.from_array)"
    )
    raise BindingError(
        NOT_CONTIGUOUS(path, f"an array with strides {array.strides}", "contiguous memory", fix)
    )


def _wrap(buffer: Any, path: str) -> npt.NDArray[Any]:
    try:
        view = memoryview(buffer)
    except TypeError:
        return _from_dlpack(buffer, path)
    if not view.contiguous:
        fix = "passing the whole buffer and describing the strides"
        raise BindingError(
            NOT_CONTIGUOUS(path, f"a memoryview with strides {view.strides}", "contiguous memory", fix)
        )
    return np.frombuffer(view.cast("B") if view.c_contiguous else view.obj, np.uint8)


def _from_dlpack(buffer: Any, path: str) -> npt.NDArray[Any]:
    if hasattr(buffer, "__dlpack__"):
        try:
            return np.from_dlpack(buffer)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            found = f"{type(buffer).__name__} ({error})"
            raise BindingError(NOT_A_BUFFER(path, found, "a tensor in CPU memory")) from error
    found = type(buffer).__name__
    raise BindingError(
        NOT_A_BUFFER(path, found, "memory: bytes, bytearray, memoryview, mmap, NumPy or DLPack")
    )


def address_of(data: Bytes) -> int:
    """Where the bytes start in memory."""
    return int(data.ctypes.data)
