"""Says what machine code did when it ends the process: the address, the instruction, the registers and the kernel.

Python's own report names the line that called it, which is always the same one. On Linux with x86-64 only.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import sys
from pathlib import Path
from typing import Any

_NUMBERED = tuple(f"r{number}" for number in range(8, 16))
_NAMED = ("rdi", "rsi", "rbp", "rbx", "rdx", "rax", "rcx", "rsp", "rip", "flags", "segments", "error", "trap")
_REGISTERS = _NUMBERED + _NAMED
"""In the order of the system's `ucontext`."""
_REGISTERS_AT, _ADDRESS_AT = 40, 16
_ACTION_BYTES, _FLAGS_AT, _FLAGS = 152, 136, 4 | 0x40000000
"""The system's `sigaction`: the handler is told about the fault, and another one meanwhile is not held back."""
_CODE_BYTES = 64
_Handler = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_kept: list[Any] = []


def report_faults(to: int) -> bool:
    """Write what is known of a fault to a file, before what would have been told without; whether this system can."""
    if not sys.platform.startswith("linux") or platform.machine() != "x86_64":
        return False
    library = ctypes.CDLL(None)
    before = ctypes.create_string_buffer(_ACTION_BYTES)

    def tell(number: int, about: int, context: int) -> None:
        library.sigaction(number, before, None)  # the instruction is tried again, and faults again
        os.write(to, report(about, context).encode())

    handler = _Handler(tell)
    action = ctypes.create_string_buffer(_ACTION_BYTES)
    ctypes.c_void_p.from_buffer(action).value = ctypes.cast(handler, ctypes.c_void_p).value
    ctypes.c_int.from_buffer(action, _FLAGS_AT).value = _FLAGS
    _kept.extend((handler, before))
    return bool(library.sigaction(signal.SIGSEGV, action, before) == 0)


def report(about: int, context: int) -> str:
    words = (ctypes.c_uint64 * len(_REGISTERS)).from_address(context + _REGISTERS_AT)
    registers = dict(zip(_REGISTERS, words, strict=True))
    address = ctypes.c_uint64.from_address(about + _ADDRESS_AT).value
    lines = [f"Fault at {address:#x} in {_mapping(address)}, by the instruction at {registers['rip']:#x}"]
    lines.append(f"  which is in {_mapping(registers['rip'])}, kernel {_kernel(registers['rip'])}")
    lines.append("  " + " ".join(f"{name}={word:x}" for name, word in registers.items()))
    lines.append(f"  code from there on: {_bytes(registers['rip']).hex(' ')}")
    return "\n".join(lines) + "\n"


def _mapping(address: int) -> str:
    with Path("/proc/self/maps").open() as file:
        for line in file:
            first, last = (int(end, 16) for end in line.split()[0].split("-"))
            if first <= address < last:
                return f"[{line.strip()}]"
    return "no memory"


def _bytes(address: int) -> bytes:
    try:
        with Path("/proc/self/mem").open("rb", buffering=0) as file:
            file.seek(address)
            return file.read(_CODE_BYTES)
    except (OSError, ValueError, OverflowError):
        return b""


def _kernel(address: int) -> str:
    """The kernel whose entry is the nearest; its other functions lie around it."""
    from anydml.runtime.native import llvm

    found = [(code.address(llvm.KERNEL), key) for key, code in _codes(llvm) if llvm.KERNEL in code._addresses]
    near = min(found, key=lambda pair: abs(pair[0] - address), default=None)
    return "unknown" if near is None else f"{address - near[0]:+d} bytes from the entry of {near[1]!r:.2000}"


def _codes(llvm: Any) -> list[tuple[Any, Any]]:
    entries = list(llvm._kept._entries.items())
    return [(key, code) for key, entry in entries if (code := entry.code()) is not None]
