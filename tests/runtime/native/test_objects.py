"""Object files are checked before LLVM loads them: what passes is loaded, and nothing ends the process."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from anydml.runtime.native import llvm, schedule
from anydml.runtime.native.objects import read_symbols

binding = pytest.importorskip("llvmlite.binding", reason="only llvmlite writes object files")
ROOT = Path(__file__).parents[3]

MACHINES = {
    "x86_64-unknown-linux-gnu": "x86-64",
    "aarch64-unknown-linux-gnu": "generic",
    "x86_64-apple-macosx": "haswell",
    "arm64-apple-macosx": "apple-m1",
    "x86_64-pc-windows-msvc": "haswell",
    "aarch64-pc-windows-msvc": "generic",
}
# It has constants in memory, a call of its own, a needed symbol and floats.
TEXT = """
declare double @elsewhere(double)
define internal double @inner(double %x) noinline {
  %y = call double @elsewhere(double %x)
  %z = fadd double %y, 1.2345
  ret double %z
}
define double @kernel(double %x) {
  %y = call double @inner(double %x)
  ret double %y
}
"""


def machine(triple: str) -> Any:
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    return binding.Target.from_triple(triple).create_target_machine(cpu=MACHINES[triple], opt=2, jit=True)


def compiled(triple: str, text: str = TEXT) -> bytes:
    data: bytes = machine(triple).emit_object(binding.parse_assembly(text, binding.create_context()))
    return data


@pytest.mark.parametrize("triple", MACHINES)
def test_symbols__are_read(triple: str) -> None:
    found = read_symbols(compiled(triple), triple)
    assert "kernel" in found.exported
    assert "elsewhere" in found.needed
    assert found.needed <= {"elsewhere", "_fltused"}
    assert "inner" not in found.exported


@pytest.mark.parametrize("triple", MACHINES)
def test_schedule__compiles_for_every_machine_and_needs_nothing(triple: str) -> None:
    data = compiled(triple, schedule.module_text(triple.partition("-")[0]))
    found = read_symbols(data, triple)
    assert found.exported >= set(schedule.SYMBOLS)
    assert not found.needed


def test_schedule__waits_without_a_pause_where_there_is_none() -> None:
    assert "pause" not in schedule.module_text("riscv64")


@pytest.mark.parametrize("triple", MACHINES)
@pytest.mark.parametrize("other", MACHINES)
def test_objects__of_another_machine_are_refused(triple: str, other: str) -> None:
    if triple != other:
        with pytest.raises(ValueError, match="object file"):
            read_symbols(compiled(triple), other)


def mutated(data: bytes, dice: random.Random) -> bytes:
    """A few bytes changed, most of them where the file describes itself, or the end cut off."""
    result = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 4))):
        last = len(result) - 1 - dice.randrange(min(len(result), 1200))
        place = dice.choice((dice.randrange(64), dice.randrange(len(result)), last))
        result[place] = dice.choice((0, 255, result[place] ^ (1 << dice.randrange(8)), dice.randrange(256)))
    return bytes(result[: dice.randrange(len(result))] if dice.random() < 0.05 else result)


@pytest.mark.parametrize("triple", MACHINES)
def test_mutated_objects__are_read_or_refused(triple: str) -> None:
    """Nothing but ValueError, and at once."""
    data, dice = compiled(triple), random.Random(7)
    refused = 0
    for _ in range(1500):
        try:
            read_symbols(mutated(data, dice), triple)
        except ValueError:
            refused += 1
    assert 100 < refused < 1500


def cases() -> Iterator[bytes]:
    from anydml.runtime.native.emit import Emitter
    from tests.runtime.native.support import _emit_total

    e = Emitter(16)
    with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True):
        _emit_total(e)
    yield llvm._object_of(e.module())
    yield llvm._object_of(schedule.module_text(llvm.host().architecture).replace("@help(", "@kernel("))


def load_mutated(count: int, seed: int) -> None:
    """Loads what passes, each in a child: prints how many passed and how many ended their child."""
    dice = random.Random(seed)
    originals = list(cases())
    loaded = broken = 0
    for _ in range(count):
        data = mutated(dice.choice(originals), dice)
        if not llvm._is_loadable(data, [llvm.KERNEL]):
            continue
        loaded += 1
        child = os.fork()
        if child == 0:
            os._exit(0 if llvm._engine_of(data).get_function_address(llvm.KERNEL) else 1)
        broken += os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0
    print(loaded, broken)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each file is loaded in a forked child")
def test_mutated_objects__that_pass_can_be_loaded() -> None:
    program = "from tests.runtime.native.test_objects import load_mutated; load_mutated(600, 5)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, timeout=240, check=True, capture_output=True, text=True
    )
    loaded, broken = map(int, done.stdout.split())
    assert loaded > 100
    assert broken == 0, done.stderr[-2000:]
