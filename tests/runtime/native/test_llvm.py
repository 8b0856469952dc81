"""Compiled code: compiled once, kept while it is used, released afterwards, and never loaded when it is broken."""

from __future__ import annotations

import ctypes
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Thread
from time import sleep, time_ns

import numpy as np
import pytest

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, FLOAT64, constant
from anydml.runtime.native import cache, llvm, naming, schedule
from anydml.runtime.native.emission import Crew
from anydml.runtime.native.emit import Emitter
from anydml.runtime.native.pool import request_functions
from anydml.runtime.native.tasks import TaskList
from tests.runtime.native.support import add, address, kernel

pytest.importorskip("llvmlite.binding", reason="only llvmlite can compile")
ROOT = Path(__file__).parents[3]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kernels"))
    return tmp_path / "kernels"


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[llvm._Kept]:
    """Nothing was compiled yet."""
    own = llvm._Kept()
    with monkeypatch.context() as patch:
        patch.setattr(llvm, "_kept", own)
        yield own


def storing(value: int) -> llvm.MachineCode:
    return kernel(f"store {value}", lambda e: e.store("i64", value, e.load("ptr", "%bases", 8), 8))


def stored(code: llvm.MachineCode) -> int:
    """What the code writes."""
    word, staging = ctypes.c_int64(-1), ctypes.create_string_buffer(64)
    bases = (ctypes.c_void_p * 1)(ctypes.addressof(word))
    ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 3)(code.address())(bases, None, staging)
    return word.value


def test_code__is_compiled_once(kept: llvm._Kept) -> None:
    assert storing(1) is storing(1)
    assert storing(1) is not storing(2)
    assert (stored(storing(1)), stored(storing(2))) == (1, 2)


def test_code__is_found_on_disk_by_a_later_process(
    folder: Path, kept: llvm._Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    storing(3)
    (file,) = folder.iterdir()
    written = file.read_bytes(), file.stat().st_ino
    monkeypatch.setattr(llvm, "_kept", llvm._Kept())
    monkeypatch.setattr(llvm, "_object_of", lambda *_: pytest.fail("compiled again"))
    assert stored(storing(3)) == 3
    assert (file.read_bytes(), file.stat().st_ino) == written


def test_kernels_of_the_package__are_found_without_being_written(
    folder: Path, kept: llvm._Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    request_functions()
    monkeypatch.setattr(llvm, "_kept", llvm._Kept())
    with monkeypatch.context() as patch:
        patch.setattr(Emitter, "module", lambda _: pytest.fail("written again"))
        request_functions()
    (file,) = folder.iterdir()
    monkeypatch.setattr(llvm, "_kept", llvm._Kept())
    monkeypatch.setattr(naming, "sources", lambda: b"of another version")
    request_functions()
    assert len(list(folder.iterdir())) == 2 and file.exists()


def test_names__tell_keys_and_writers_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    write = partial(schedule.module_text, "x86_64")
    keys = [("a", 1), ("a", 1.0), ("a", True), ("a", "1"), ("a", DataType.FLOAT32), ("a", constant(1.0, FLOAT32))]
    keys += [("a", constant(1.0, FLOAT64)), ("a", constant(-0.0, FLOAT32)), ("a", constant(0.0, FLOAT32))]
    names = [naming.name_of_key(key, write) for key in keys]
    assert None not in names and len(set(names)) == len(keys)
    assert naming.name_of_key(("a", 1), write) == names[0]
    assert naming.name_of_key(("a", 1), naming.sources) != names[0], "other code writes it"
    assert naming.name_of_key(("a", 1), lambda: "") is None, "code that is not the package's"
    assert naming.name_of_key(("a", lambda: 1), write) is None, "what cannot be pickled"
    monkeypatch.setattr(naming, "sources", lambda: b"")
    assert naming.name_of_key(("a", 1), write) is None


def test_sources__have_a_stamp_that_changes(tmp_path: Path) -> None:
    later = time_ns() + 10**12
    assert naming.stamp_of([str(tmp_path)], later) == b"", "no sources"
    file = tmp_path / "module.py"
    file.write_text("1")
    before = naming.stamp_of([str(tmp_path)], later)
    assert before and naming.stamp_of([str(tmp_path)], later) == before
    file.write_text("12")
    assert naming.stamp_of([str(tmp_path)], later) not in (b"", before)


def test_sources__that_were_replaced_tell_nothing(tmp_path: Path) -> None:
    """What a process has loaded would be kept under the name of what it has not."""
    file = tmp_path / "module.py"
    file.write_text("1")
    loaded_at = time_ns()
    assert naming.stamp_of([str(tmp_path)], loaded_at)
    sleep(0.02)  # the times of files are those of the system's last tick
    (tmp_path / "new").write_text("2")
    (tmp_path / "new").replace(file)
    assert naming.stamp_of([str(tmp_path)], loaded_at) == b""
    if os.name == "posix":  # elsewhere the system may say that the file is as old as the one that it replaced
        os.utime(file, ns=(1, 1))
        assert naming.stamp_of([str(tmp_path)], loaded_at) == b"", "a copy that keeps its time"
        sleep(0.02)
    assert naming.stamp_of([str(tmp_path)], time_ns()), "loaded since"


def test_code__for_another_processor_is_not_taken(
    folder: Path, kept: llvm._Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    storing(4)
    monkeypatch.setattr(llvm, "_kept", llvm._Kept())
    monkeypatch.setattr(llvm, "_origin", lambda: ("another processor",))
    storing(4)
    assert len(list(folder.iterdir())) == 2


def test_code__is_bounded(kept: llvm._Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the latest stay when nobody holds them."""
    monkeypatch.setattr(llvm, "MOST_KEPT", 3)
    for value in range(10):
        storing(value)
    assert len(kept) <= 3 + 1
    llvm._release_dead()
    assert len(kept) == 3
    assert kept.find((("test", "store 9"), llvm.FULL_EFFORT)) is not None
    assert kept.find((("test", "store 0"), llvm.FULL_EFFORT)) is None


def test_code__that_is_used_again_stays(kept: llvm._Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "MOST_KEPT", 3)
    for value in range(10):
        storing(100)
        storing(value)
    assert kept.find((("test", "store 100"), llvm.FULL_EFFORT)) is not None


def test_code__that_is_held_lives_on(kept: llvm._Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "MOST_KEPT", 2)
    held = storing(50)
    for value in range(10):
        storing(value)
    assert stored(held) == 50
    assert storing(50) is held, "what is in memory is not compiled again"


def test_task__keeps_its_code(kept: llvm._Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "MOST_KEPT", 1)
    words = np.zeros(8, np.int64)
    tasks = TaskList([add(0, range(8))])
    for value in range(5):
        storing(value)
    llvm.release_unused()
    tasks.run([address(words)])
    assert words.tolist() == [1] * 8


def test_release_unused(kept: llvm._Kept) -> None:
    held = [storing(1), storing(2)]
    storing(3)
    llvm.release_unused()
    assert len(kept) == 2
    assert stored(held[0]) == 1
    held.clear()
    llvm.release_unused()
    assert len(kept) == 0


def test_code__can_be_released_while_others_compile_and_run(kept: llvm._Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(llvm, "MOST_KEPT", 2)
    wrong: list[object] = []

    def work(seed: int) -> None:
        dice = random.Random(seed)
        for _ in range(40):
            value = dice.randrange(8)
            found = stored(storing(value))
            if found != value:
                wrong.append((value, found))
            if dice.random() < 0.2:
                llvm.release_unused()

    workers = [Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


MEMORY = """
import ctypes, gc
from anydml.runtime.native import llvm
from anydml.runtime.native.emission import Crew
from tests.runtime.native.support import kernel
def compile_one(n):
    return kernel(str(n), lambda e: e.store("i64", n, e.load("ptr", "%bases", 8), 8))
def compile_many(start, count):
    return [compile_one(n) for n in range(start, start + count)]
def kilobytes():
    gc.collect(); llvm.release_unused(); ctypes.CDLL(None).malloc_trim(0)
    return sum(int(line.split()[1]) for line in open("/proc/self/smaps_rollup") if line.startswith("Private_Dirty"))
llvm.MOST_KEPT = 10
compile_many(0, 50)
before = kilobytes()
held = compile_many(1000, 100)
during = kilobytes()
del held
compile_many(2000, 400)
print((during - before) / 100, (kilobytes() - before) / 500)
"""


def memory_of_kernels() -> tuple[float, float]:
    """KiB of a kernel while it is held, and afterwards."""
    environment = {**os.environ, cache.VARIABLE: ""}
    command = [sys.executable, "-c", MEMORY]
    done = subprocess.run(command, cwd=ROOT, env=environment, timeout=120, check=True, capture_output=True, text=True)
    held, left = map(float, done.stdout.split())
    return held, left


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much memory is a process's own")
def test_memory__is_given_back() -> None:
    """Kernels of a process that compiled by MCJIT alone took about 800 KiB each, for ever."""
    for _ in range(3):  # what the allocator keeps of other threads' memory differs from run to run
        held, left = memory_of_kernels()
        if left < 10:
            break
    assert held < 150
    assert left < 10


EXIT = """
import threading, time
from tests.runtime.native.support import kernel
def work(number):
    while True:
        kernel(f"{number} {time.perf_counter()}", lambda e: e.store("i64", 1, e.load("ptr", "%bases", 8), 8))
for number in range(3):
    threading.Thread(target=work, args=(number,), daemon=True).start()
time.sleep(SECONDS)
"""


@pytest.mark.parametrize("seconds", [0.0, 0.11, 0.2, 0.203])
def test_exit__while_others_compile(seconds: float) -> None:
    """LLVM is not torn down while it is used."""
    program = EXIT.replace("SECONDS", str(seconds))
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, timeout=60, check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_exit__can_still_compile() -> None:
    """What runs at the end of the process may need a kernel, in the thread that ends it."""
    program = """
import atexit
atexit.register(lambda: print(stored(storing(8))))  # the first to be registered runs last
from tests.runtime.native.test_llvm import storing, stored
storing(9)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, timeout=60, check=False, capture_output=True, text=True
    )
    assert done.stdout == "8\n", done.stderr


def test_error__of_the_writer_is_raised(kept: llvm._Kept) -> None:
    def write() -> str:
        raise LookupError("no such kernel")

    with pytest.raises(LookupError, match="no such kernel"):
        llvm.compiled("key", write)


def test_broken_files__are_compiled_anew(folder: Path, kept: llvm._Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """A right digest says nothing about what was written: LLVM would end the process."""
    storing(6)
    (file,) = folder.iterdir()
    for content in (b"", b"garbage", b"\x7fELF" + bytes(500)):
        cache.save(file.name, content)
        assert cache.load(file.name) == content
        monkeypatch.setattr(llvm, "_kept", llvm._Kept())
        assert stored(storing(6)) == 6
        assert cache.load(file.name) != content


def test_import__leaves_llvm_alone() -> None:
    program = "import sys, anydml, anydml.runtime.native.tasks; sys.exit('llvmlite' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0


def test_compile_together__waits_until_all_are_known(kept: llvm._Kept, folder: Path) -> None:
    with llvm.compile_together():
        codes = [storing(value) for value in (1, 2, 3, 2)]
        assert len(kept) == 0
    assert len(kept) == len(list(folder.iterdir())) == 3
    assert [stored(code) for code in codes] == [1, 2, 3, 2]
    assert storing(2).address() == codes[1].address() == codes[3].address()


def test_compile_together__compiles_what_is_needed_before(kept: llvm._Kept) -> None:
    with llvm.compile_together():
        first = storing(1)
        assert stored(first) == 1
        second = storing(2)
    assert (stored(first), stored(second)) == (1, 2)


def test_compile_together__takes_what_others_compiled_meanwhile(kept: llvm._Kept) -> None:
    with llvm.compile_together():
        mine = storing(1)
        other = Thread(target=storing, args=(1,))
        other.start()
        other.join()
        assert len(kept) == 1
    llvm.release_unused()
    assert len(kept) == 1, "code that is held lives on"
    assert stored(mine) == 1


def test_compile_together__raises_the_error_of_a_writer(kept: llvm._Kept) -> None:
    def write() -> str:
        raise LookupError("no such kernel")

    with pytest.raises(LookupError, match="no such kernel"), llvm.compile_together():
        good = storing(1)
        llvm.compiled("key", write)
    with pytest.raises(LookupError, match="no such kernel"):
        stored(good)
    assert stored(storing(1)) == 1


def test_compile_together__raises_the_error_of_llvm(kept: llvm._Kept) -> None:
    with pytest.raises(RuntimeError, match="expected"), llvm.compile_together():
        storing(1)
        llvm.compiled("broken", lambda: "define nonsense")
        storing(2)


def test_objects__are_the_same_side_by_side() -> None:
    """Without llvmlite's lock, on several threads at once."""
    texts = [module_of(value) for value in range(8)]
    alone = [llvm._object_of(text) for text in texts]
    made: dict[int, list[bytes]] = {}

    def work(seed: int) -> None:
        made[seed] = [llvm._object_of(text) for text in texts]

    workers = [Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert all(made[seed] == alone for seed in range(4))


def module_of(value: int) -> str:
    """The text of a kernel with a loop."""
    e = Emitter(llvm.vector_bytes())
    with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True), e.loop(0, 8) as index:
        e.store("i64", e.add(index, value), e.at("%staging", e.multiply(index, 8)), 8)
    return e.module()


def test_that_modules_leave_out_what_nobody_calls() -> None:
    e = Emitter(llvm.vector_bytes())
    for name, called in (("inner", ""), ("outer", "inner"), ("lonely", "unused"), ("unused", "inner")):
        with e.function(name, "ptr %staging"):
            if called:
                e.do(f"call void @{called}(ptr %staging)")
            e.store("i64", 7, "%staging", 8)
    with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True):
        e.do("call void @outer(ptr %staging)")
    defined = {line.split("@")[1].split("(")[0] for line in e.module().splitlines() if line.startswith("define")}
    assert defined == {"inner", "outer", llvm.KERNEL}


def test_crew__does_the_longest_work_first() -> None:
    done: list[int] = []
    crew = Crew(0)
    for length in (3, 9, 1, 9, 4):
        crew.add(partial(done.append, length), length)
    crew.finish()
    assert done == [9, 9, 4, 3, 1]


def test_crew__raises_what_its_work_raises_after_all_is_done() -> None:
    done: list[int] = []

    def fail() -> None:
        raise ValueError("work")

    crew = Crew(2)
    for work in (fail, partial(done.append, 1), partial(done.append, 2)):
        crew.add(work)
    with pytest.raises(ValueError, match="work"):
        crew.finish()
    assert sorted(done) == [1, 2]
