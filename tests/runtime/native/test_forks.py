"""A forked child has one thread and its parent's locks: whatever the parent was doing, the child works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("llvmlite.binding", reason="forks only meet threads where there is machine code")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system starts processes without fork")
ROOT = Path(__file__).parents[3]

# Each program keeps threads busy and forks; a child that does not end in time is one that waits for ever.
HEAD = """
import os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")
import numpy as np
from anydml.process import uninterrupted
from anydml.process.uninterrupted import COMPILER, LOADER
from anydml.runtime.native import cache, llvm, pool, staging
from anydml.runtime.native.tasks import TaskList
from tests.runtime.native.support import add, address, kernel, linger, total

def store(name):
    return kernel(name, lambda e: e.store("i64", 7, e.load("ptr", "%bases", 8), 8))

def share():
    words, totals = np.zeros(64, np.int64), np.zeros(64, np.int64)
    tasks = TaskList([add(0, range(64)), total(0, 64, 1, range(64))])
    for _ in range(50):
        tasks.run([address(words), address(totals)], threads=3)
    assert totals.tolist() == [3200] * 64

def endlessly(work):
    def repeat():
        while True:
            work()
    threading.Thread(target=repeat, daemon=True).start()

def fork(count, in_child):
    for number in range(count):
        time.sleep(0.001 * (number % 7))
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            in_child(number)
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7, number
"""

PROGRAMS = {
    "idle": "share(); fork(3, lambda number: share())",
    "shares": "share(); endlessly(share); endlessly(share); fork(40, lambda number: share())",
    "compiles": """
endlessly(lambda: store(time.perf_counter()))
def compile_and_share(number):
    store(f"in the child {number}"); share()
fork(40, compile_and_share)
""",
    "writes the cache": """
old = cache._Folder.write
def slowly(self, name, content):
    old(self, "slow-" + name, content); time.sleep(0.02); old(self, name, content)
cache._Folder.write = slowly
endlessly(lambda: store(time.perf_counter()))
def compile_too(number):
    cache._Folder.write = old
    store(f"in the child {number}")
    key = cache.key(["x"]); cache.save(key, b"data"); assert cache.load(key) == b"data"
fork(10, compile_too)
""",
    "forks in many threads": """
share()
endlessly(lambda: store(time.perf_counter()))
forkers = [threading.Thread(target=fork, args=(8, lambda number: share())) for _ in range(3)]
[forker.start() for forker in forkers]; [forker.join() for forker in forkers]
""",
    "forks inside forks": "share(); fork(2, lambda number: (share(), fork(2, lambda number: share())))",
    # Others use llvmlite too, and its lock does not know of forks.
    "holds the lock of llvmlite": """
import llvmlite.binding.ffi as ffi
def hold():
    with ffi.lib._lock:
        time.sleep(100)
store("first")
threading.Thread(target=hold, daemon=True).start()
time.sleep(0.1)
def compile_here(number):
    # A new thread might be taken for the one that holds the lock: its number can be the same.
    uninterrupted.is_exiting = True
    store(f"in the child {number}")
fork(2, compile_here)
""",
    # A lock that is not given back within the time a fork waits.
    "works too long": """
uninterrupted.PATIENCE_SECONDS = 0.05
threading.Thread(target=COMPILER.run, args=(lambda: time.sleep(1),), daemon=True).start()
time.sleep(0.1)
fork(2, lambda number: store(f"in the child {number}"))
""",
}


@pytest.mark.parametrize("parent", PROGRAMS)
def test_forked_child__works_while_its_parent(parent: str, tmp_path: Path) -> None:
    environment = {**os.environ, "ANYDML_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", HEAD + PROGRAMS[parent]],
        cwd=ROOT,
        env=environment,
        timeout=240,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]


def test_forked_child__has_memory_and_locks_of_its_own() -> None:
    program = """
share()
before = pool._current_pool(), pool._lock, staging.staging_block().address, COMPILER.lock, LOADER.lock
def look(number):
    after = pool._pool, pool._lock, staging.staging_block().address, COMPILER.lock, LOADER.lock
    assert not any(new is old for new, old in zip(after, before, strict=True)), after
    assert after[2] != before[2]
fork(1, look)
"""
    done = subprocess.run([sys.executable, "-c", HEAD + program], cwd=ROOT, timeout=120, check=False)
    assert done.returncode == 0
