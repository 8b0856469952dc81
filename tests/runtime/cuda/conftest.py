"""Tests that need NVRTC (the extra `cuda-test`) or a C++ compiler are collected where those are."""

from __future__ import annotations

from importlib.util import find_spec

from tests.runtime.cuda.emulation import compiler

collect_ignore = []
if not find_spec("cupy"):
    collect_ignore.append("test_nvrtc.py")
if compiler() is None:
    collect_ignore.append("test_emulated.py")
