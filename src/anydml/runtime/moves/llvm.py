"""Machine code from LLVM IR, in this process, through llvmlite."""

from __future__ import annotations

import ctypes
from functools import cache
from threading import Lock
from typing import Any

from anydml.runtime.moves import cache as disk
from anydml.runtime.moves.kernels.frame import Shape
from anydml.runtime.moves.native import WORD, Function, module_text

_PROTOTYPE = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 4)
_lock = Lock()
_functions: dict[Shape, Function] = {}
_engines: list[Any] = []
"""Machine code lives as long as its engine: kernels are kept until the process ends."""


@cache
def is_available() -> bool:
    """Whether llvmlite is here and new enough to know opaque pointers, on a 64-bit system."""
    if ctypes.sizeof(ctypes.c_void_p) != WORD:
        return False
    try:
        import llvmlite.binding as binding
    except (ImportError, OSError):
        return False
    return bool(binding.llvm_version_info[0] >= 16)


@cache
def _host() -> tuple[str, dict[str, bool]]:
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    try:
        features = dict(binding.get_host_cpu_features())
    except RuntimeError:  # not every system can tell; the processor's name then says what it has
        features = {}
    return binding.get_host_cpu_name(), features


def vector_bytes() -> int:
    """How wide the machine's vectors are."""
    _, features = _host()
    if features.get("avx512bw"):
        return 64
    return 32 if features.get("avx2") else 16


def has_half_floats() -> bool:
    """Without them LLVM would call a library function that need not exist."""
    _, features = _host()
    return bool(features.get("f16c") or features.get("fullfp16") or features.get("neon"))


def _machine() -> Any:
    """A new one for each engine, which owns it."""
    import llvmlite.binding as binding

    name, features = _host()
    flags = ",".join(("+" if present else "-") + feature for feature, present in sorted(features.items()))
    return binding.Target.from_default_triple().create_target_machine(cpu=name, features=flags, opt=2, jit=True)


def function(shape: Shape) -> Function:
    """The compiled kernel of a shape; compiled at its first use."""
    found = _functions.get(shape)
    if found is not None:
        return found
    with _lock:
        if shape not in _functions:
            _functions[shape] = _compiled(shape)
        return _functions[shape]


def _compiled(shape: Shape) -> Function:
    import llvmlite.binding as binding

    text = module_text(shape)
    name = disk.key([*_origin(), text])
    engine = binding.create_mcjit_compiler(binding.parse_assembly(text), _machine())
    engine.set_object_cache(lambda _, code: disk.save(name, code), lambda _: disk.load(name))
    engine.finalize_object()
    _engines.append(engine)
    return _PROTOTYPE(engine.get_function_address("move"))


@cache
def _origin() -> tuple[str, ...]:
    """All besides its text that machine code depends on."""
    import llvmlite

    from anydml import __version__

    processor, features = _host()
    llvm = str(llvmlite.binding.llvm_version_info)
    triple = llvmlite.binding.get_process_triple()
    return __version__, llvmlite.__version__, llvm, triple, processor, str(sorted(features.items()))
