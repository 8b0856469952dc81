"""Each kind finds nothing in a moment, and the soak notices what goes wrong and memory that grows."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.fuzz.harness import Summary
from tests.fuzz.targets import TARGETS
from tests.soak import first_use, kinds, processes
from tests.soak.kinds import KINDS
from tests.soak.memory import Sampler, is_flat, resident_bytes

ROOT = Path(__file__).parents[2]
POSIX = {"first-uses", "interrupts", "forks"}
QUICK = ["threads", "in-place", "operator-cases", "texts"]


@pytest.mark.parametrize("name", KINDS)
def test_kind__finds_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name in POSIX and os.name != "posix":
        pytest.skip("this system has neither signals nor forks")
    monkeypatch.setattr(processes, "INTERRUPTS", 40)
    summary = KINDS[name](3, 0.3)
    assert summary.cases >= 1 and not summary.failures, summary.failures[:3]


def test_kinds__hide_no_other() -> None:
    assert len(KINDS) == len(TARGETS) + 8


def test_script__counts_and_ends_in_time() -> None:
    command = [sys.executable, "scripts/soak", *QUICK, "--minutes", "0.02", "--slice", "0.2", "--seed", "7"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(f"{name}: " in done.stdout for name in QUICK) and "0 failures" in done.stdout.splitlines()[-1]


def test_script__refuses_unknown_kinds() -> None:
    done = subprocess.run([sys.executable, "scripts/soak", "rain"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2 and "expected one of first-uses" in done.stderr


# What goes wrong is noticed


def test_program__that_ends_otherwise_or_never_is_noticed(tmp_path: Path) -> None:
    assert processes.run_program("import os; os.abort()", tmp_path)[0] != 0
    assert processes.run_program("import time; time.sleep(60)", tmp_path, 0.5) == (-1, "did not end in 0 s")


def test_first_uses__notice_what_stays_broken(tmp_path: Path) -> None:
    """A program whose second use fails, and one whose first use is not disturbed at all."""
    text = first_use.program("call", "refused", 0.0)
    assert first_use.run(text, tmp_path) == (0, "interrupted")
    assert first_use.run(first_use.program("call", "refused", 1e9), tmp_path) == (0, "undisturbed")
    status, told = first_use.run(
        text.replace("for _ in range(again):", "for _ in range(again):\n    raise OSError\nfor _ in range(again):"),
        tmp_path,
    )
    assert status == 1 and "OSError" in told


def test_first_uses__notice_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_use, "run", lambda *given: (-14, ""))
    assert first_use.soak_first_uses(1, 0.05).failures


@pytest.mark.parametrize("kind", ["forks", "exits", "caches"])
def test_process_kind__notices_a_failure(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "run_program", lambda *given: (-11, "Segmentation fault"))
    assert "Segmentation fault" in KINDS[kind](1, 0.05).failures[0]


def test_interrupts__notice_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = processes.interrupted.Tally(-11, 0)
    monkeypatch.setattr(processes.interrupted, "soak", lambda *given, **more: lost)
    assert processes.soak_interrupts(1, 0.05).failures


def test_damage__changes_every_file(tmp_path: Path) -> None:
    content = processes.cache._header("name", b"code" * 50) + b"code" * 50
    ways = set()
    for seed in range(60):
        (tmp_path / "name").write_bytes(content)
        mode = (tmp_path / "name").stat().st_mode
        way = processes.damage(tmp_path / "name", random.Random(seed))
        ways.add(way)
        assert way == "mode" or (tmp_path / "name").read_bytes() != content
        (tmp_path / "name").chmod(mode)
    assert len(ways) == 7


def test_threads__notice_another_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    real = kinds._Alone.run

    def unsteady(self: Any) -> bytes:
        return real(self) + (b"x" if hasattr(self, "expected") else b"")

    monkeypatch.setattr(kinds._Alone, "run", unsteady)
    assert "differs" in kinds.soak_threads(1, 0.05).failures[0]


def test_operators__notice_an_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any, **more: Any) -> None:
        raise AssertionError("wrong")

    monkeypatch.setattr(kinds, "run_hostile", broken)
    monkeypatch.setattr(kinds, "run_pair", broken)
    assert "wrong" in kinds.soak_operators(1, 0.05).failures[0]
    assert "wrong" in kinds.soak_in_place(1, 0.05).failures[0]


def test_memory__that_grows_is_noticed() -> None:
    mebibyte = 1 << 20
    assert is_flat([100 * mebibyte] * 20) and is_flat([]) and is_flat([mebibyte])
    assert is_flat([(100 + 20 * i) * mebibyte for i in range(10)] + [300 * mebibyte] * 10)
    assert not is_flat([(100 + 20 * i) * mebibyte for i in range(20)])


def test_sampler__sees_peaks() -> None:
    before = resident_bytes()
    with Sampler(0.5) as sampler:
        held = np.ones(64 << 20, np.uint8)
        summary = Summary("x", 1)
        kinds.run_cases(summary, lambda: None, None, 1.2)
    assert max(sampler.peaks) >= before + held.size // 2 and len(sampler.peaks) >= 2
