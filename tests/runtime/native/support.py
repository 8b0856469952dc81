"""Small kernels for tests of tasks and threads."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import numpy as np
import numpy.typing as npt

from anydml.runtime.native import llvm
from anydml.runtime.native.emit import Emitter
from anydml.runtime.native.tasks import Task

Words = npt.NDArray[np.int64]


def kernel(name: Hashable, emit: Callable[[Emitter], None]) -> llvm.MachineCode:
    def write() -> str:
        e = Emitter(vector_bytes=16)
        with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True):
            emit(e)
        return e.module()

    return llvm.compiled(("test", name), write)


def _parameter(e: Emitter, number: int) -> str:
    return e.load("i64", e.at("%parameters", 8 * number), 8)


def _slot(e: Emitter, number: int) -> str:
    """The address of the buffer whose slot is a parameter."""
    return e.load("ptr", e.at("%bases", e.multiply(_parameter(e, number), 8)), 8)


def _emit_add(e: Emitter) -> None:
    place = e.at(_slot(e, 0), e.multiply(_parameter(e, 1), 8))
    e.store("i64", e.add(e.load("i64", place, 8), _parameter(e, 2)), place, 8)


def add(slot: int, words: Sequence[int], value: int = 1) -> Task:
    """One chunk for each of the words, which adds a value to it."""
    return Task(kernel("add", _emit_add), [(slot, word, value) for word in words], slot + 1)


def _emit_total(e: Emitter) -> None:
    total = e.value("alloca i64")
    e.store("i64", 0, total, 8)
    source = _slot(e, 0)
    with e.loop(0, _parameter(e, 1)) as i:
        value = e.load("i64", e.at(source, e.multiply(i, 8)), 8)
        e.store("i64", e.add(e.load("i64", total, 8), value), total, 8)
    e.store("i64", e.load("i64", total, 8), e.at(_slot(e, 2), e.multiply(_parameter(e, 3), 8)), 8)


def total(source_slot: int, count: int, destination_slot: int, words: Sequence[int]) -> Task:
    """One chunk for each of the words, which becomes the sum of all words of the source."""
    chunks = [(source_slot, count, destination_slot, word) for word in words]
    return Task(kernel("total", _emit_total), chunks, max(source_slot, destination_slot) + 1)


def _emit_linger(e: Emitter) -> None:
    place = e.at(_slot(e, 0), e.multiply(_parameter(e, 1), 8))
    with e.loop(0, _parameter(e, 2)) as i:
        e.atomic_store(i, place)
    e.atomic_store(e.value("ptrtoint ptr %staging to i64"), place)


def linger(slot: int, words: Sequence[int], rounds: int) -> Task:
    """One chunk for each of the words: written so many times, then left as the address of the thread's staging."""
    return Task(kernel("linger", _emit_linger), [(slot, word, rounds) for word in words], slot + 1)


def address(words: Words) -> int:
    return int(words.ctypes.data)
