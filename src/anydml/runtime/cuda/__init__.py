"""The CUDA device: plans as kernels that NVRTC compiles, on memory of an NVIDIA GPU."""

from __future__ import annotations

from typing import Any

from anydml.process.loading import load_module
from anydml.runtime.cuda.driver import missing

__all__ = ["BACKEND", "missing"]


def __getattr__(name: str) -> Any:
    if name != "BACKEND":
        raise AttributeError(name)
    driver = load_module("anydml.runtime.cuda.driver").Driver()
    globals()["BACKEND"] = made = load_module("anydml.runtime.cuda.backend").CudaBackend(driver)
    return made
