"""Lists of tasks: every chunk runs once, each task after the one before it, whoever helps."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from time import perf_counter, sleep

import numpy as np
import pytest

from anydml.runtime.native import pool, threads
from anydml.runtime.native.tasks import Task, TaskList
from tests.runtime.native.support import add, address, linger, total
from tests.soak.processes import EXIT, run_program

pytest.importorskip("llvmlite.binding", reason="tasks are machine code")

ROOT = Path(__file__).parents[3]
COUNT = 64
ROUNDS = 20_000
"""Of a chunk that takes long enough for helpers to come."""
LONG_ROUNDS = 1_000_000
"""Of a chunk that takes long enough for helpers to come while others use the processors."""


@pytest.fixture
def own_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool without helpers."""
    monkeypatch.setattr(pool, "_pool", None)


def zeros(count: int = COUNT) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.zeros(count, np.int64)


def threads_of(words: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
    """How many threads worked on a task that lingers: each has its own staging."""
    return len(set(words.tolist()))


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_chunks__run_once_each(threads: int) -> None:
    words = zeros()
    tasks = TaskList([add(0, range(COUNT))])
    for _ in range(300):
        tasks.run([address(words)], threads)
    assert words.tolist() == [300] * COUNT


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_list__runs_each_task_after_the_one_before(threads: int) -> None:
    """Every total must see all that was added before it, and nothing of what is added after it."""
    words, totals = zeros(), zeros(COUNT * 100)
    tasks: list[Task] = []
    for step in range(100):
        tasks.append(add(0, range(COUNT), value=step))
        tasks.append(total(0, COUNT, 1, range(step * COUNT, (step + 1) * COUNT)))
    TaskList(tasks).run([address(words), address(totals)], threads)
    expected = [COUNT * sum(range(step + 1)) for step in range(100) for _ in range(COUNT)]
    assert totals.tolist() == expected


def test_list__of_many_small_tasks() -> None:
    """Tasks of one chunk and of several, mixed."""
    words = zeros()
    tasks = [add(0, range(number % 5 + 1)) for number in range(2000)]
    TaskList(tasks).run([address(words)], threads=3)
    assert words[:6].tolist() == [2000, 1600, 1200, 800, 400, 0]


def test_list__of_nothing() -> None:
    TaskList([]).run([])
    TaskList([], slot_count=2).run([1, 2])


def test_list__can_be_run_on_other_buffers_by_many_threads() -> None:
    tasks = TaskList([add(0, range(COUNT)), total(0, COUNT, 1, range(COUNT))])

    def once(number: int) -> list[int]:
        words, totals = zeros(), zeros()
        for _ in range(200):
            tasks.run([address(words), address(totals)], threads=3)
        return [*words.tolist(), *totals.tolist()]

    with ThreadPoolExecutor(8) as callers:
        for found in callers.map(once, range(16)):
            assert found == [200] * COUNT + [200 * COUNT] * COUNT


def test_helpers__take_part(own_pool: None) -> None:
    words = zeros()
    tasks = TaskList([linger(0, range(COUNT), ROUNDS)])
    end = perf_counter() + 60
    while threads_of(words) < 3 and perf_counter() < end:
        tasks.run([address(words)], threads=3)
    assert threads_of(words) == 3


def test_helpers__are_no_more_than_wanted(own_pool: None) -> None:
    """Those that another caller woke are still awake."""
    words = zeros()
    many, long = TaskList([linger(0, range(COUNT), ROUNDS)]), TaskList([linger(0, range(COUNT), LONG_ROUNDS)])
    for _ in range(20):
        many.run([address(words)], threads=6)
        long.run([address(words)], threads=2)
        assert threads_of(words) <= 2
    many.run([address(words)], threads=1)
    assert threads_of(words) == 1


def test_helpers__wait_while_the_owner_works_alone(own_pool: None) -> None:
    """They would sleep after a millisecond, and nobody can wake them inside a native call."""
    first, alone, last = zeros(), zeros(1), zeros()
    several = range(COUNT)
    tasks = TaskList([linger(0, several, LONG_ROUNDS), linger(1, [0], 1_000_000_000), linger(2, several, LONG_ROUNDS)])
    end = perf_counter() + 120
    while (threads_of(first), threads_of(last)) != (2, 2) and perf_counter() < end:
        tasks.run([address(first), address(alone), address(last)], threads=2)
    assert threads_of(last) == 2


def test_single_chunks__wake_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("no helper is needed")

    monkeypatch.setattr(pool.Pool, "run", fail)
    monkeypatch.setattr(pool, "start_new_thread", fail)
    words = zeros()
    TaskList([add(0, [0]), add(0, [1])]).run([address(words)], threads=4)
    assert words[:2].tolist() == [1, 1]


def test_busy_pool__lets_others_work_alone(own_pool: None) -> None:
    """A second caller neither waits nor takes the helpers of the first."""
    long, short = zeros(), zeros()
    busy = TaskList([linger(0, range(COUNT), ROUNDS * 50)])
    other = TaskList([linger(0, range(COUNT), 10)])
    other.run([address(short)], threads=2)
    first = Thread(target=lambda: busy.run([address(long)], threads=2))
    first.start()
    sleep(0.005)
    for _ in range(20):
        other.run([address(short)], threads=2)
    first.join()
    assert 1 <= threads_of(long) <= 2


def test_no_thread_can_be_started(own_pool: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(pool, "start_new_thread", refuse)
    words = zeros()
    for _ in range(3):
        TaskList([linger(0, range(COUNT), 10)]).run([address(words)], threads=4)
        assert threads_of(words) == 1


def test_helper__that_was_ended_is_replaced(own_pool: None) -> None:
    """Somebody may raise an exception into any thread."""
    words = zeros()
    tasks = TaskList([linger(0, range(COUNT), ROUNDS)])
    tasks.run([address(words)], threads=2)
    current = pool._current_pool()
    end = perf_counter() + 60
    while not current._helpers and perf_counter() < end:
        sleep(0.001)
    old = current._helpers[0]
    assert ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(old.ident), ctypes.py_object(SystemExit)) == 1
    while (old in current._helpers or not current._helpers) and perf_counter() < end:
        tasks.run([address(words)], threads=2)
        sleep(0.005)  # the exception arrives when the helper has nothing to do
    assert old not in current._helpers
    assert len(current._helpers) == 1


def test_pack__refuses_a_wrong_number_of_addresses() -> None:
    tasks = TaskList([add(1, [0])])
    for addresses in ([], [1], [1, 2, 3], [1, -1], [1, 1 << 64]):
        with pytest.raises(ValueError, match="expected 2 addresses of 64 bits"):
            tasks.pack(addresses)


def test_task__refuses_uneven_chunks() -> None:
    code = add(0, [0]).code
    for chunks in ([], [(1, 2), (1,)]):
        with pytest.raises(ValueError, match="equal length"):
            Task(code, chunks, 1)


@pytest.mark.parametrize("attempt", range(3))
def test_exit__while_helpers_and_callers_work(attempt: int) -> None:
    """Daemon threads go on while Python exits around them."""
    program = f"""
import threading, time
from tests.runtime.native.test_pool import *
words = [zeros() for _ in range(3)]
tasks = TaskList([linger(0, range(COUNT), ROUNDS)])
def work(own):
    while True:
        tasks.run([address(own)], threads=3)
for own in words:
    threading.Thread(target=work, args=(own,), daemon=True).start()
time.sleep({0.02 * attempt})
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, timeout=60, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("attempt", range(5))
def test_exit__while_kernels_use_their_staging(attempt: int, tmp_path: Path) -> None:
    """Python frees what belongs to a thread before the thread ends."""
    program = EXIT.format(device="cpu", seconds=0.02 * attempt, ending="")
    assert run_program(program, tmp_path / "cache") == (0, "")


def test_set_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_count", None)
    monkeypatch.setenv(threads.VARIABLE, "5")
    assert threads.get_threads() == 5
    threads.set_threads(3)
    assert threads.get_threads() == 3


@pytest.mark.parametrize("text", ["", "0", "many", "-2"])
def test_get_threads__ignores_what_is_no_count(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(threads, "_count", None)
    monkeypatch.setenv(threads.VARIABLE, text)
    assert 1 <= threads.get_threads() <= (os.cpu_count() or 1)


def test_set_threads__refuses_none() -> None:
    with pytest.raises(ValueError, match="found 0, expected at least 1"):
        threads.set_threads(0)
