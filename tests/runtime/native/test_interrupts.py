"""Exceptions that arrive at any time: they leave when no thread uses the buffers, and no lock stays taken."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime.native.soak import soak

pytest.importorskip("llvmlite.binding", reason="only machine code is shared among threads")
ROOT = Path(__file__).parents[3]
TIMERS = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers that interrupt")


@TIMERS
@pytest.mark.parametrize("kind", ["signal", "async"])
def test_interrupts__leave_no_thread_at_work(kind: str) -> None:
    tally = soak(3000, kind=kind)
    assert tally.is_good, tally
    assert tally.interrupts == 3000
    assert tally.moves > 0
    assert kind == "async" or tally.lost == 0


@TIMERS
def test_soak__notices_a_thread_at_work() -> None:
    assert soak(3000, broken=True).status == -signal.SIGSEGV


COMPILATION = """
import random, signal, sys, threading
from tests.runtime.native.support import kernel
dice = random.Random(5)

def interrupt(number, frame):
    raise KeyboardInterrupt

def write(name):
    kernel(name, lambda e: e.store("i64", 7, e.load("ptr", "%bases", 8), 8))

def write_until_interrupted():
    signal.setitimer(signal.ITIMER_REAL, dice.uniform(1e-5, 8e-3))
    while True:
        write(dice.random())

signal.signal(signal.SIGALRM, interrupt)
interrupted = 0
for number in range(150):
    try:
        write_until_interrupted()
    except KeyboardInterrupt:
        interrupted += 1
other = threading.Thread(target=write, args=("last",))
other.start()
other.join(30)
print(interrupted, other.is_alive())
sys.stdout.flush()
"""


@TIMERS
def test_interrupts__of_compilation_leave_no_lock_taken() -> None:
    """llvmlite takes its lock in Python code: an exception inside it would keep all other threads from compiling."""
    done = subprocess.run(
        [sys.executable, "-c", COMPILATION], cwd=ROOT, timeout=120, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "150 False\n"), done.stderr[-2000:]


HANDLER = """
import random, signal, time
import numpy as np
from tests.runtime.native.support import add, address, kernel
from anydml.runtime.native.tasks import TaskList

class Key:
    # Python code that runs while code is looked for.
    def __init__(self, number):
        self.number = number
    def __hash__(self):
        return sum(0 for _ in range(50))
    def __eq__(self, other):
        return sum(1 for _ in range(50)) > 0 and self.number == other.number

handled = []
def handle(number, frame):
    words = np.zeros(8, np.int64)
    TaskList([add(0, range(8))]).run([address(words)], threads=3)
    store(1)
    handled.append(words.sum())

def store(number):
    return kernel(Key(number), lambda e: e.store("i64", number, e.load("ptr", "%bases", 8), 8))

store(0), store(1)
signal.signal(signal.SIGALRM, handle)
for number in range(300):
    signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 3e-4))
    while len(handled) == number:
        store(0)
print(set(handled) == {8})
"""


@TIMERS
def test_signal_handlers__may_compile_and_run() -> None:
    """Even while their own thread holds a lock."""
    done = subprocess.run(
        [sys.executable, "-c", HANDLER], cwd=ROOT, timeout=60, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr[-2000:]
