"""Machine code from LLVM IR, in this process, through llvmlite.

A kernel is compiled to an object file, which is kept on disk, and loaded by an engine of its own. Engines that
compile the kernel themselves keep all they needed for it: about 800 KiB for each kernel instead of 75.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import count
from threading import local
from typing import Any
from weakref import ref

from anydml import __version__
from anydml.process import uninterrupted
from anydml.process.loading import load_module
from anydml.process.uninterrupted import COMPILER
from anydml.runtime.native import cache as disk
from anydml.runtime.native.emission import Crew, emit_object
from anydml.runtime.native.naming import name_of_key
from anydml.runtime.native.objects import read_symbols
from anydml.runtime.native.threads import get_threads

POINTER_BYTES = 8
OLDEST_LLVM = 16
"""The first version that always has opaque pointers."""
NO_EFFORT, FULL_EFFORT = 0, 1
"""What LLVM does to make code fast. Of its three levels above none, the first makes kernels as fast as the others do:
they are written as they should run."""
KERNEL = "kernel"
"""The function that a kernel's module exports."""
KERNEL_ARGUMENTS = 3
Function = Callable[..., None]
_FLOATS_MARK = "_fltused"
"""On Windows, code with floats needs this symbol, which only compilers' own libraries define."""
_floats_mark = ctypes.c_int32(1)
MOST_KEPT = 128
"""Kernels kept for a later use when nobody uses them any more, the latest ones."""


# What the machine is


@dataclass(frozen=True)
class Host:
    """The processor, as LLVM describes it."""

    triple: str
    processor: str
    features: dict[str, bool]

    @property
    def architecture(self) -> str:
        return self.triple.partition("-")[0]

    @cached_property
    def enabled(self) -> frozenset[str]:
        """The features that it has."""
        return frozenset(name for name, has in self.features.items() if has)


@cache
def is_available() -> bool:
    """Whether llvmlite is here and new enough to know opaque pointers, on a 64-bit system."""
    if ctypes.sizeof(ctypes.c_void_p) != POINTER_BYTES:
        return False
    try:
        return bool(_binding().llvm_version_info[0] >= OLDEST_LLVM)
    except (ImportError, OSError):
        return False


def _binding() -> Any:
    return load_module("llvmlite.binding")


@cache
def host() -> Host:
    return COMPILER.run(_find_host)


def _find_host() -> Host:
    binding = _binding()

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    if sys.platform == "win32" and binding.address_of_symbol(_FLOATS_MARK) is None:
        binding.add_symbol(_FLOATS_MARK, ctypes.addressof(_floats_mark))
    try:
        features = dict(binding.get_host_cpu_features())
    except RuntimeError:  # not every system can tell; the processor's name then says what it has
        features = {}
    return Host(binding.get_process_triple(), binding.get_host_cpu_name(), features)


def vector_bytes() -> int:
    """How wide the machine's vectors are."""
    features = host().features
    if features.get("avx512bw"):
        return 64
    return 32 if features.get("avx2") else 16


def has_half_floats() -> bool:
    """Without them LLVM would call a library function that need not exist."""
    features = host().features
    return bool(features.get("f16c") or features.get("fullfp16") or features.get("neon"))


# Compiled code


class MachineCode:
    """Compiled functions. Whoever holds this keeps their instructions in memory."""

    __slots__ = ("__weakref__", "_addresses", "_engine", "_functions")

    def __init__(self, engine: Any, addresses: dict[str, int]) -> None:
        self._engine = engine
        self._addresses = addresses
        self._functions: dict[tuple[str, int], Function] = {}

    def address(self, symbol: str = KERNEL) -> int:
        return self._addresses[symbol]

    def function(self, symbol: str = KERNEL, arguments: int = KERNEL_ARGUMENTS) -> Function:
        """One that takes so many addresses. Its calls hold no interpreter lock. It does not keep the code alive."""
        found = self._functions.get((symbol, arguments))
        if found is None:
            found = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * arguments)(self.address(symbol))
            self._functions[symbol, arguments] = found
        return found


class _Deferred(MachineCode):
    """Code of a batch: compiled at its end, or when it is needed."""

    __slots__ = ("_batch", "_code")

    def __init__(self, batch: _Batch) -> None:
        super().__init__(None, {})
        self._batch = batch
        self._code: MachineCode | None = None

    def set(self, code: MachineCode) -> None:
        self._code = code

    def address(self, symbol: str = KERNEL) -> int:
        if self._code is None:
            self._batch.compile()
        assert self._code is not None
        return self._code.address(symbol)


class _Entry:
    """Compiled code, the engine that it lives in, and when it was used last."""

    __slots__ = ("code", "engine", "kept", "used")

    def __init__(self, code: MachineCode, engine: Any) -> None:
        self.code = ref(code)
        self.kept: MachineCode | None = code
        self.engine = engine
        self.used = next(_clock)


class _Kept:
    """Compiled code by key: what was used last, and all that is still in use.

    There is no lock: a signal handler may look for code while its own thread does, and what it needs may have to be
    compiled in another thread. Looking only reads; entries come and go where code is compiled, in one thread at a
    time. Engines are held here and released there, because nothing must interrupt calls of LLVM.
    """

    def __init__(self) -> None:
        self._entries: dict[Hashable, _Entry] = {}

    def find(self, key: Hashable) -> MachineCode | None:
        entry = self._entries.get(key)
        code = entry.code() if entry else None
        if entry and code:
            entry.kept, entry.used = code, next(_clock)
        return code

    def add(self, key: Hashable, code: MachineCode, engine: Any) -> None:
        self._entries[key] = _Entry(code, engine)
        self.forget(MOST_KEPT)

    def forget(self, most: int) -> None:
        """Keeps so many, those that were used last, besides what is in use."""
        kept = sorted((entry for entry in self._entries.values() if entry.kept), key=lambda entry: entry.used)
        for entry in kept[: max(0, len(kept) - most)]:
            entry.kept = None

    def remove_dead(self) -> list[Any]:
        """The engines of code that nobody holds any more."""
        dead = [key for key, entry in self._entries.items() if entry.code() is None]
        return [self._entries.pop(key).engine for key in dead]

    def __len__(self) -> int:
        return len(self._entries)


_clock = count()
_kept = _Kept()


class Request:
    """A module to compile. Equal keys mean equal modules; `symbols` are the functions that it exports."""

    __slots__ = ("effort", "key", "symbols", "write")

    def __init__(self, key: Hashable, write: Callable[[], str], symbols: Sequence[str], effort: int) -> None:
        self.key, self.write, self.symbols, self.effort = key, write, symbols, effort


def compiled(
    key: Hashable, write: Callable[[], str], symbols: Sequence[str] = (KERNEL,), effort: int | None = None
) -> MachineCode:
    """The machine code of the module that `write` gives as LLVM IR; compiled at its first use.

    Equal keys mean equal modules. `symbols` are the functions that the module exports. Without effort, code is
    compiled several times as fast, and runs slower.
    """
    level = FULL_EFFORT if effort is None else effort
    found = _kept.find((key, level))
    if found:
        return found
    request, batch = Request((key, level), write, symbols, level), _current.batch
    if batch is not None:
        return batch.add(request)
    return COMPILER.run(lambda: _compile_all([request]))[0]


class _Batch:
    """Kernels that are compiled together, when all are known or one of them is needed."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, tuple[Request, _Deferred]] = {}

    def add(self, request: Request) -> MachineCode:
        return self._waiting.setdefault(request.key, (request, _Deferred(self)))[1]

    def compile(self) -> None:
        waiting = list(self._waiting.values())
        if not waiting:
            return
        codes = COMPILER.run(lambda: _compile_all([request for request, _ in waiting]))
        for (request, deferred), code in zip(waiting, codes, strict=True):
            deferred.set(code)
            self._waiting.pop(request.key, None)


class _Current(local):
    """The batch of each thread."""

    batch: _Batch | None = None


_current = _Current()


@contextmanager
def compile_together() -> Iterator[None]:
    """Kernels that are asked for inside are compiled at the end, on several threads."""
    before, batch = _current.batch, _Batch()
    _current.batch = batch
    try:
        yield
    finally:
        _current.batch = before
    batch.compile()


def release_unused() -> None:
    """Gives back the memory of all kernels that nobody holds."""
    if len(_kept):
        COMPILER.run(_release_unused)


def _release_unused() -> None:
    _kept.forget(0)
    _release_dead()


def _release_dead() -> None:
    for engine in _kept.remove_dead():
        engine.close()


def _compile_all(requests: Sequence[Request]) -> list[MachineCode]:
    """The code of every request. Helpers compile what is written while the rest is being written."""
    _release_dead()
    found = [_kept.find(request.key) for request in requests]
    missing = [request for request, code in zip(requests, found, strict=True) if code is None]
    objects: dict[Hashable, bytes] = {}
    crew = Crew(_helpers(len(missing)))
    try:
        for request in missing:
            _find_object(request, crew, objects)
    finally:
        crew.finish()
    made = iter([_load(request, objects[request.key]) for request in missing])
    return [code or next(made) for code in found]


def _helpers(modules: int) -> int:
    if modules < 2:
        return 0

    return min(modules, get_threads()) - 1


def _find_object(request: Request, crew: Crew, objects: dict[Hashable, bytes]) -> None:
    """Takes the object file of a module from disk, or asks the crew for it."""
    name, text = name_of_key(request.key, request.write), ""
    if name is None:
        text = request.write()
        name = disk.key([text])
    name = disk.key([*_origin(), str(request.effort), name])
    data = disk.load(name)
    if data is not None and _is_loadable(data, request.symbols):
        objects[request.key] = data
        return
    text = text or request.write()

    def make() -> None:
        made = objects[request.key] = _object_of(text, request.effort)
        if _is_loadable(made, request.symbols):
            disk.save(name, made)

    crew.add(make, len(text))


def _load(request: Request, data: bytes) -> MachineCode:
    engine = _engine_of(data)
    code = MachineCode(engine, {symbol: engine.get_function_address(symbol) for symbol in request.symbols})
    _kept.add(request.key, code, engine)
    return code


def _is_loadable(data: bytes, symbols: Sequence[str]) -> bool:
    """Whether LLVM will load an object file: it ends the process if one is broken or needs what it cannot find."""
    binding = _binding()

    try:
        found = read_symbols(data, host().triple)
    except ValueError:
        return False
    known = all(binding.address_of_symbol(symbol) is not None for symbol in found.needed)
    return known and found.exported.issuperset(symbols)


def _object_of(text: str, effort: int = FULL_EFFORT) -> bytes:
    binding = _binding()

    # A context of its own, because constants and types live as long as their context.
    module = binding.parse_assembly(text, binding.create_context())
    return emit_object(_machine(effort), module)


def _engine_of(data: bytes) -> Any:
    binding = _binding()

    # The engine frees its module last, after a context of the module's own would be gone. It compiles nothing: asking
    # for an address makes the object file ready, and leaves the empty module alone.
    machine = binding.Target.from_default_triple().create_target_machine(opt=NO_EFFORT, jit=True)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    engine.add_object_file(binding.ObjectFileRef.from_data(data))
    return engine


def _machine(effort: int = FULL_EFFORT) -> Any:
    binding = _binding()

    features = sorted(host().features.items())
    flags = ",".join(("+" if present else "-") + feature for feature, present in features)
    target = binding.Target.from_default_triple()
    return target.create_target_machine(cpu=host().processor, features=flags, opt=effort, jit=True)


@cache
def _origin() -> tuple[str, ...]:
    """All besides its text that machine code depends on."""
    about = host()
    version = str(_binding().llvm_version_info)
    return (
        __version__,
        load_module("llvmlite").__version__,
        version,
        about.triple,
        about.processor,
        str(sorted(about.features.items())),
    )


# Forks and ends of processes: llvmlite is used by others, too


def _after_fork_in_child() -> None:
    """Frees llvmlite's lock: others may have called LLVM from a thread that the child does not have."""
    found: Any = sys.modules.get("llvmlite.binding.ffi")
    for name in ("lib", "_lock", "_lock"):
        found = getattr(found, name, None)
    if hasattr(found, "acquire") and hasattr(found, "_at_fork_reinit"):
        if found.acquire(blocking=False):
            found.release()
        else:
            found._at_fork_reinit()


def _at_exit() -> None:
    """llvmlite stops freeing objects when Python exits, but does not hear of it if it was imported meanwhile."""
    tell = getattr(sys.modules.get("llvmlite.binding.common"), "_at_shutdown", None)
    if callable(tell):
        tell()


uninterrupted.at_exit.append(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
