"""NVRTC: texts of kernels become machine code, which is kept in memory and on disk. No GPU is needed."""

from __future__ import annotations

from functools import lru_cache

from anydml.process.loading import load_module
from anydml.runtime.cuda.text.prelude import OPTIONS
from anydml.runtime.native import cache

_NVRTC = "cupy_backends.cuda.libs.nvrtc"
_FIRST_MINIMAL = (12, 9)
"""The first NVRTC that this was tried with."""


class KernelError(Exception):
    """A kernel that does not compile: a mistake of ours, with NVRTC's words."""


def machine_code(text: str, capability: str) -> bytes:
    """The kernel for a GPU of this compute capability ("90")."""
    name = cache.key(["cuda", str(_version()), capability, *OPTIONS, text])
    found = cache.load(name)
    if found is None:
        found = compile_text(text, capability)
        cache.save(name, found)
    return found


def compile_text(text: str, capability: str) -> bytes:
    """Compiled now, not taken from anywhere. GPUs newer than NVRTC get PTX, which their driver compiles."""
    nvrtc = load_module(_NVRTC)
    is_known = int(capability) in _capabilities()
    target = f"sm_{capability}" if is_known else f"compute_{max(_capabilities())}"
    # Parts of the language that kernels do not use take time as well.
    less = ("--minimal",) if _version() >= _FIRST_MINIMAL else ()
    program = nvrtc.createProgram(text, "kernel.cu", (), ())
    try:
        nvrtc.compileProgram(program, (*OPTIONS, *less, f"--gpu-architecture={target}"))
        code: bytes = nvrtc.getCUBIN(program) if is_known else nvrtc.getPTX(program)
    except nvrtc.NVRTCError as error:
        raise KernelError(f"{error}\n{nvrtc.getProgramLog(program)}\n{text}") from error
    finally:
        nvrtc.destroyProgram(program)
    return code


@lru_cache(maxsize=1)
def _version() -> tuple[int, int]:
    nvrtc = load_module(_NVRTC)
    version: tuple[int, int] = nvrtc.getVersion()
    return version


@lru_cache(maxsize=1)
def _capabilities() -> tuple[int, ...]:
    """What this NVRTC makes machine code for."""
    nvrtc = load_module(_NVRTC)
    return tuple(nvrtc.getSupportedArchs()) if hasattr(nvrtc, "getSupportedArchs") else _KNOWN[_version()[0]]


_KNOWN = {12: (50, 52, 60, 61, 70, 75, 80, 86, 87, 89, 90), 13: (75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121)}
