"""Moves from many threads at once, and how many threads there are."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event, Thread, current_thread
from time import sleep

import pytest

from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves import threads
from anydml.runtime.moves.engine import get_threads, prepare, set_threads
from tests.runtime.moves.support import assert_same_bytes, buffer, moved

LAYOUTS = Layout((91, 113), (1, 91)), Layout((91, 113), (120, 1))


def test_eight_threads_at_once(natively: None, stores: str) -> None:
    """One prepared move, not yet compiled, first used by eight threads that each share their work."""
    move = prepare(*LAYOUTS, DataType.FLOAT32, threads=3)

    def once(seed: int) -> None:
        source, destination = buffer(LAYOUTS[0], 4, 0, seed), buffer(LAYOUTS[1], 4, seed % 5, seed + 1)
        expected = moved(source.tobytes(), destination.tobytes(), LAYOUTS, 4)
        for _ in range(5):
            move.run_arrays(source, destination)
        assert_same_bytes(destination, expected, f"seed {seed}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(once, range(16)))


def test_set_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_count", None)
    monkeypatch.setenv(threads.VARIABLE, "5")
    assert get_threads() == 5
    set_threads(3)
    assert get_threads() == 3


@pytest.mark.parametrize("text", ["", "0", "many", "-2"])
def test_get_threads__ignores_what_is_no_count(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(threads, "_count", None)
    monkeypatch.setenv(threads.VARIABLE, text)
    assert 1 <= get_threads() <= (os.cpu_count() or 1)


def test_set_threads__refuses_none() -> None:
    with pytest.raises(ValueError, match="found 0, expected at least 1"):
        set_threads(0)


def test_share__runs_every_job_once() -> None:
    done: list[int] = []
    threads.share([lambda number=number: done.append(number) for number in range(50)], 4)  # type: ignore[misc]
    assert sorted(done) == list(range(50))


def test_share__tells_what_went_wrong() -> None:
    def fail() -> None:
        raise RuntimeError("no memory there")

    with pytest.raises(RuntimeError, match="no memory there"):
        threads.share([fail] * 8, 3)


def test_share__waits_for_no_helper_that_has_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """A core that sleeps takes milliseconds to wake; here its thread never comes."""
    monkeypatch.setattr(threads, "_ensure_workers", lambda count: None)
    monkeypatch.setattr(threads, "_queue", SimpleQueue())
    done: list[int] = []
    threads.share([lambda number=number: done.append(number) for number in range(5)], 4)  # type: ignore[misc]
    assert sorted(done) == list(range(5))


def test_share__waits_for_helpers_when_a_job_of_its_own_fails() -> None:
    """Buffers may be freed as soon as the error is raised: no helper may still write to them."""
    here, helping, done = current_thread(), Event(), Event()

    def job() -> None:
        if current_thread() is here:
            assert helping.wait(10)
            raise RuntimeError("interrupted")
        helping.set()
        sleep(0.05)
        done.set()

    with pytest.raises(RuntimeError, match="interrupted"):
        threads.share([job] * 2, 2)
    assert done.is_set()


def test_share__needs_no_other_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that grants no more threads leaves all to the one that asked."""

    def refuse(self: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    monkeypatch.setattr(threads, "_workers", [])
    monkeypatch.setattr(threads, "_queue", SimpleQueue())
    done: list[int] = []
    threads.share([lambda: done.append(1)] * 6, 3)
    assert len(done) == 6


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers that interrupt")
def test_share__is_not_left_by_an_interrupt_while_helpers_write() -> None:
    here, helping, done = current_thread(), Event(), Event()

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    def job() -> None:
        if current_thread() is here:
            assert helping.wait(10)
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            return
        helping.set()
        sleep(0.3)
        done.set()

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            threads.share([job] * 2, 2)
        assert done.is_set()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system starts processes without fork")
def test_forked_child__moves_too() -> None:
    """A child has none of its parent's threads; waiting for them would never end."""
    program = """
import os, sys
from anydml.runtime.moves import threads
threads.share([lambda: None] * 4, 3)
child = os.fork()
if child == 0:
    threads.share([lambda: None] * 4, 3)
    os._exit(7)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], timeout=60, check=False)
    assert done.returncode == 7


def test_import__leaves_llvm_alone() -> None:
    program = "import sys, anydml, anydml.runtime.moves.engine; sys.exit('llvmlite' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0
