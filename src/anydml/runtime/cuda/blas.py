"""cuBLAS: products of matrices, called directly, so that they can be part of a replayed graph."""

from __future__ import annotations

import ctypes
import os
from collections import OrderedDict
from threading import Lock
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.runtime.cuda.driver import Driver

TYPES = {DataType.FLOAT32: 0, DataType.FLOAT64: 1, DataType.FLOAT16: 2}
_COMPUTE_32F, _COMPUTE_32F_TF32, _COMPUTE_64F = 68, 77, 70
_DEFAULT_ALGORITHM = -1
_ROOM_BYTES, _HOPPER_ROOM_BYTES = 4 << 20, 32 << 20
"""What cuBLAS wants to work in, on older GPUs and from Hopper on."""
_MOST_ROOMS = 8
"""Streams whose memory is kept."""
_VERSIONS = (13, 12)
Room = tuple[int, Any]
"""An address, and what keeps the memory alive."""


class LibraryError(RuntimeError):
    """A library of NVIDIA's refused a call."""


def load_library(name: str, versions: tuple[int, ...]) -> Any:
    """A library that CuPy or PyTorch brought, or that is installed; None where there is none."""
    for version in versions:
        file = f"{name}64_{version}.dll" if os.name == "nt" else f"lib{name}.so.{version}"
        try:
            return ctypes.CDLL(file)
        except OSError:
            continue
    return None


class Blas:
    """One handle of cuBLAS. Every stream has memory of its own for it to work in."""

    def __init__(self, driver: Driver) -> None:
        driver.arrays.cuda.get_cublas_handle()  # loads the library that belongs to CuPy
        self.driver, self._lock = driver, Lock()
        self._library = load_library("cublas", _VERSIONS)
        if self._library is None:
            raise LibraryError("cuBLAS is not found")
        self._handle = ctypes.c_void_p()
        self._check(self._library.cublasCreate_v2(ctypes.byref(self._handle)))
        self._room_bytes = _HOPPER_ROOM_BYTES if int(driver.capability) >= 90 else _ROOM_BYTES
        self._rooms: OrderedDict[int, Room] = OrderedDict()
        self._stream: int | None = None

    def _check(self, status: int) -> None:
        if status:
            raise LibraryError(f"cuBLAS: status {status}")

    def _use_stream(self, stream: int) -> None:
        """Work on this stream, in its memory. CuPy orders memory by the stream that is current when it is taken."""
        if stream == self._stream:
            return
        room = self._rooms.pop(stream, None) or self.driver.allocate(self._room_bytes)
        self._rooms[stream] = room
        if len(self._rooms) > _MOST_ROOMS:
            self._rooms.popitem(last=False)
        self._check(self._library.cublasSetStream_v2(self._handle, ctypes.c_void_p(stream)))
        size = ctypes.c_size_t(self._room_bytes)
        self._check(self._library.cublasSetWorkspace_v2(self._handle, ctypes.c_void_p(room[0]), size))
        self._stream = stream

    def take_room(self, stream: int) -> Room | None:
        """The memory of a stream that was recorded: from now on it belongs to the recording alone."""
        with self._lock:
            self._stream = None if self._stream == stream else self._stream
            return self._rooms.pop(stream, None)

    def product(self, shape: Any, addresses: tuple[int, int, int], is_fast: bool) -> Any:
        """The product as a call without arguments."""
        kind = np.float64 if shape.types[2] is DataType.FLOAT64 else np.float32
        factors = np.array([shape.alpha, 0.0], kind)
        name = "cublasGemmStridedBatchedEx" if shape.count > 1 else "cublasGemmEx"
        call, handle, lock = getattr(self._library, name), self._handle, self._lock
        arguments = _arguments(shape, addresses, factors, is_fast)
        stream, use_stream = self.driver.current_stream, self._use_stream

        def run(kept: Any = factors) -> None:
            with lock:
                use_stream(stream().ptr)
                status = call(handle, *arguments)
            if status:
                raise LibraryError(f"cuBLAS: status {status} for {shape}")

        return run


def _arguments(shape: Any, addresses: tuple[int, int, int], factors: Any, is_fast: bool) -> list[Any]:
    """Of a call, after the handle. Matrices are given row by row, which cuBLAS reads as columns."""
    left, right, target = addresses
    types = [TYPES[kind] for kind in shape.types]
    compute = _COMPUTE_64F if factors.itemsize == 8 else _COMPUTE_32F_TF32 if is_fast else _COMPUTE_32F
    pointer, integer, address = ctypes.c_void_p, ctypes.c_int, factors.ctypes.data
    is_batch = shape.count > 1

    def matrix(place: int, kind: int, pitch: int, step: int) -> list[Any]:
        return [pointer(place), integer(kind), integer(pitch), *([ctypes.c_longlong(step)] if is_batch else [])]

    return [
        *(integer(is_turned) for is_turned in (shape.right_transposed, shape.left_transposed)),
        *(integer(size) for size in (shape.columns, shape.rows, shape.depth)),
        pointer(address),
        *matrix(right, types[1], shape.right_pitch, shape.right_step),
        *matrix(left, types[0], shape.left_pitch, shape.left_step),
        pointer(address + factors.itemsize),
        *matrix(target, types[2], shape.target_pitch, shape.target_step),
        *([integer(shape.count)] if is_batch else []),
        integer(compute),
        integer(_DEFAULT_ALGORITHM),
    ]
