"""The CUDA device: plans as kernels that NVRTC compiles, on memory of an NVIDIA GPU."""

from __future__ import annotations

from typing import Any

from anydml.runtime.cuda.driver import missing

__all__ = ["BACKEND", "missing"]


def __getattr__(name: str) -> Any:
    if name != "BACKEND":
        raise AttributeError(name)
    from anydml.runtime.cuda.backend import CudaBackend
    from anydml.runtime.cuda.driver import Driver

    globals()["BACKEND"] = made = CudaBackend(Driver())
    return made
