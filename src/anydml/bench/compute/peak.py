"""The most multiplications and additions that the machine does in a second, measured: the limit of products."""

from __future__ import annotations

from anydml.bench.measure import time_of
from anydml.runtime.native import llvm
from anydml.runtime.native.emit import Emitter, vector
from anydml.runtime.native.schedule import WORD
from anydml.runtime.native.tasks import Task, TaskList

ROUNDS = 1_000_000
AT_ONCE = 12
"""Vectors that are multiplied and added independently, so that none waits for another."""
FLOAT_BYTES = 4


def peak_rate(repeat: int, threads: int) -> float:
    """Operations per second of float32, a fused multiplication and addition counted as two; 0 without a compiler."""
    if not llvm.is_available():
        return 0.0
    width = llvm.vector_bytes()
    code = llvm.compiled(("peak", width), lambda: _module_text(width))
    tasks = TaskList([Task(code, [[ROUNDS]] * threads, 1)])
    seconds = min(time_of(lambda: tasks.run([0], threads), 1) for _ in range(max(3, repeat)))
    return 2 * threads * ROUNDS * AT_ONCE * (width // FLOAT_BYTES) / seconds


def _module_text(width: int) -> str:
    e = Emitter(width)
    lanes = width // FLOAT_BYTES
    kind = vector(lanes, "float")
    function = f"@llvm.fma.v{lanes}f32"
    e.declare(f"{kind} {function}({kind}, {kind}, {kind})")
    half = f"<{', '.join(['float 0.5'] * lanes)}>"
    with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True):

        def step(_: str, sums: list[str]) -> list[str]:
            return [e.value(f"call {kind} {function}({kind} {half}, {kind} {each}, {kind} {half})") for each in sums]

        count = e.load("i64", "%parameters", WORD)
        sums = e.fold(0, count, 1, [(kind, half)] * AT_ONCE, step)
        for number, each in enumerate(sums):  # so that nothing is left out
            e.store(kind, each, e.at("%staging", number * width))
    return e.module()
