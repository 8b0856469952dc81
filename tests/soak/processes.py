"""Kinds that may end a process: interrupts, forks, exits and damaged caches, each case in a process of its own."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from anydml.runtime.native import cache
from tests.fuzz.harness import Summary, run_cases
from tests.runtime.native import soak as interrupted
from tests.runtime.native.test_forks import HEAD, PROGRAMS

ROOT = Path(__file__).parents[2]
INTERRUPTS = 500
LIMIT_SECONDS = 300.0
EXITS = ["", "raise SystemExit(0)", "sys.exit()", "os.kill(os.getpid(), signal.SIGTERM)", "1 / 0", "os._exit(0)"]
"""How a program ends while its threads work, with the statuses below."""
STATUSES = {EXITS[3]: -15, EXITS[4]: 1}
EXIT = """
import os, signal, sys, threading, time
import numpy as np
import anydml as dml
from anydml.runtime.moves import engine
engine.SMALL_BYTES = engine.SHARED_BYTES = 0
x, y = dml.TensorDesc("FLOAT32", [300, 300], [1, 300]), dml.TensorDesc("FLOAT32", [300, 300])
run = dml.Device({device!r}).compile(dml.ElementWiseIdentity(input_tensor=x, output_tensor=y))
def work():
    source, target = np.zeros((300, 300), np.float32).reshape(-1), np.zeros((300, 300), np.float32)
    while True:
        run(source, target)
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep({seconds})
{ending}
"""
TYPES = ["FLOAT32", "UINT8", "FLOAT16", "FLOAT64"]
MOVES = """
import numpy as np
import anydml as dml
from anydml.runtime.moves import engine
engine.SMALL_BYTES = 0
for rows, columns, kind in {moves!r}:
    x, y = dml.TensorDesc(kind, [rows, columns], [1, rows]), dml.TensorDesc(kind, [rows, columns])
    values = np.arange(rows * columns).astype(x.data_type.numpy_dtype)
    found = dml.Device({device!r}).compile(dml.ElementWiseIdentity(input_tensor=x, output_tensor=y))(values)
    assert (found == values.reshape(columns, rows).T).all(), (rows, columns, kind)
"""


def run_program(program: str, folder: Path, seconds: float = LIMIT_SECONDS) -> tuple[int, str]:
    """Status and messages of a program with a cache of its own; one that does not end is ended."""
    environment = {**os.environ, "ANYDML_CACHE": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, env=environment, timeout=seconds, capture_output=True, text=True
        )
    except subprocess.TimeoutExpired:
        return -1, f"did not end in {seconds:.0f} s"
    return done.returncode, done.stderr


def soak_interrupts(seed: int, seconds: float) -> Summary:
    """Hundreds of interrupts in each process; each interrupt is a case."""
    summary, dice = Summary("interrupts", seed), random.Random(seed)
    counted = [0]

    def case() -> None:
        kind = dice.choice(["signal", "async"])
        tally = interrupted.soak(INTERRUPTS, dice.getrandbits(30), kind, timeout=LIMIT_SECONDS)
        counted[0] += tally.interrupts
        if not tally.is_good:
            summary.fail(f"{kind}: {tally}")
        summary.count(kind)

    run_cases(summary, case, None, seconds, LIMIT_SECONDS)
    summary.cases = counted[0]
    return summary


def soak_forks(seed: int, seconds: float) -> Summary:
    summary, dice = Summary("forks", seed), random.Random(seed)

    def case() -> None:
        name = dice.choice(list(PROGRAMS))
        with tempfile.TemporaryDirectory() as folder:
            status, told = run_program(HEAD + PROGRAMS[name], Path(folder) / "cache")
        if status:
            summary.fail(f"{name}: {status} {told[-500:]}")
        summary.count(name)

    return run_cases(summary, case, None, seconds, LIMIT_SECONDS)


def soak_exits(seed: int, seconds: float) -> Summary:
    summary, dice = Summary("exits", seed), random.Random(seed)

    def case() -> None:
        ending, device = dice.choice(EXITS), dice.choice(["cpu", "cpu", "reference"])
        program = EXIT.format(device=device, seconds=dice.uniform(0, 0.1), ending=ending)
        with tempfile.TemporaryDirectory() as folder:
            status, told = run_program(program, Path(folder))
        raised = "ZeroDivisionError: division by zero\n" if ending == "1 / 0" else ""
        is_clean = told.endswith(raised) and told.count("Traceback") == 1 if raised else not told
        if status != STATUSES.get(ending, 0) or not is_clean:
            summary.fail(f"{ending!r} on {device}: {status} {told[-500:]}")
        summary.count(ending or "the end")

    return run_cases(summary, case, None, seconds, LIMIT_SECONDS)


def damage(file: Path, dice: random.Random) -> str:
    """One way in which a file of the cache may be wrong; a new digest makes it look right."""
    data = bytearray(file.read_bytes())
    way = dice.choice(["bits", "cut", "longer", "swapped digest", "empty", "mode", "valid digest"])
    if way in ("bits", "swapped digest", "valid digest"):
        for _ in range(dice.randint(1, 40)):
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    if way == "cut":
        del data[dice.randrange(len(data)) :]
    if way == "longer":
        data += dice.randbytes(dice.randint(1, 1000))
    if way == "empty":
        data.clear()
    if way == "valid digest":
        start = len(cache._header("", b""))
        garbage = dice.randbytes(dice.randint(0, 4000)) if dice.random() < 0.7 else b"\x7fELF" + dice.randbytes(500)
        data[:] = cache._header(file.name, garbage) + garbage
        assert len(data) >= start
    file.write_bytes(data)
    if way == "mode":
        file.chmod(0o666)
    return way


def soak_caches(seed: int, seconds: float) -> Summary:
    """A program fills the cache, files are damaged, and the program gives the same answers again."""
    summary, dice = Summary("caches", seed), random.Random(seed)

    def case() -> None:
        moves = [(dice.randint(2, 90), dice.randint(2, 90), dice.choice(TYPES)) for _ in range(4)]
        program = MOVES.format(moves=moves, device="cpu")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "cache"
            status, told = run_program(program, folder)
            files = sorted(folder.iterdir()) if not status else []
            ways = [damage(file, dice) for file in files if dice.random() < 0.7]
            status, told = run_program(program, folder) if not status else (status, told)
        if status:
            summary.fail(f"{ways}: {status} {told[-500:]}")
        for way in ways or ["nothing to damage"]:
            summary.count(way)

    return run_cases(summary, case, None, seconds, LIMIT_SECONDS)
