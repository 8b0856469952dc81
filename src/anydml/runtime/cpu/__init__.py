"""The CPU device: how plans run on the processor."""

from anydml.runtime.cpu.backend import BACKEND

__all__ = ["BACKEND"]
