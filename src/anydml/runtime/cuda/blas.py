"""cuBLAS: products of matrices, called directly, so that they can be part of a replayed graph."""

from __future__ import annotations

import ctypes
import os
from threading import Lock
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.runtime.cuda.driver import Driver

TYPES = {DataType.FLOAT32: 0, DataType.FLOAT64: 1, DataType.FLOAT16: 2}
_COMPUTE_32F, _COMPUTE_32F_TF32, _COMPUTE_64F = 68, 77, 70
_DEFAULT_ALGORITHM = -1
_WORKSPACE_BYTES = 32 << 20
_VERSIONS = (13, 12)


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
    """One handle of cuBLAS, with memory of its own to work in."""

    def __init__(self, driver: Driver) -> None:
        driver.arrays.cuda.get_cublas_handle()  # loads the library that belongs to CuPy
        self.driver, self._lock = driver, Lock()
        self._library = load_library("cublas", _VERSIONS)
        if self._library is None:
            raise LibraryError("cuBLAS is not found")
        self._handle = ctypes.c_void_p()
        self._check(self._library.cublasCreate_v2(ctypes.byref(self._handle)))
        address, self._workspace = driver.allocate(_WORKSPACE_BYTES)
        self._room = ctypes.c_void_p(address)
        self._numbers: dict[tuple[float, DataType], Any] = {}

    def _check(self, status: int) -> None:
        if status:
            raise LibraryError(f"cuBLAS: status {status}")

    def number(self, value: float, data_type: DataType) -> Any:
        """A factor where cuBLAS reads it: in the type that it computes in."""
        kind = np.float64 if data_type is DataType.FLOAT64 else np.float32
        return np.array([value], kind)

    def product(self, shape: Any, addresses: tuple[int, int, int], is_fast: bool) -> Any:
        """The product as a call without arguments. Matrices are given row by row, which cuBLAS reads as columns."""
        left, right, target = addresses
        types = [TYPES[kind] for kind in shape.types]
        wide = shape.types[2] is DataType.FLOAT64
        compute = _COMPUTE_64F if wide else _COMPUTE_32F_TF32 if is_fast else _COMPUTE_32F
        alpha, beta = (self.number(value, shape.types[2]) for value in (shape.alpha, 0.0))
        pointer, integer, long = ctypes.c_void_p, ctypes.c_int, ctypes.c_longlong
        arguments = (
            integer(shape.right_transposed),
            integer(shape.left_transposed),
            integer(shape.columns),
            integer(shape.rows),
            integer(shape.depth),
            pointer(alpha.ctypes.data),
            pointer(right),
            integer(types[1]),
            integer(shape.right_pitch),
            long(shape.right_step),
            pointer(left),
            integer(types[0]),
            integer(shape.left_pitch),
            long(shape.left_step),
            pointer(beta.ctypes.data),
            pointer(target),
            integer(types[2]),
            integer(shape.target_pitch),
            long(shape.target_step),
            integer(shape.count),
            integer(compute),
            integer(_DEFAULT_ALGORITHM),
        )
        call, handle, lock = self._library.cublasGemmStridedBatchedEx, self._handle, self._lock
        set_stream, set_room = self._library.cublasSetStream_v2, self._library.cublasSetWorkspace_v2
        stream, room, size = self.driver.current_stream, self._room, ctypes.c_size_t(_WORKSPACE_BYTES)
        kept = alpha, beta

        def run(kept: Any = kept) -> None:
            with lock:
                set_stream(handle, pointer(stream().ptr))
                set_room(handle, room, size)
                status = call(handle, *arguments)
            if status:
                raise LibraryError(f"cuBLAS: status {status} for {shape}")

        return run
