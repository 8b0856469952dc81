"""Mutated models end with a message and a clean exit status. `scripts/fuzz` does the same for far more of them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz import harness
from tests.fuzz.mutate import mutate

CASES = 1500


def test_mutants__end_cleanly(tmp_path: Path) -> None:
    tally = harness.fuzz(CASES, seed=20, folder=tmp_path, limit_seconds=20)
    assert tally.cases == CASES and tally.calls == 2 * CASES
    assert not tally.failures, "\n\n".join(tally.failures[:3])
    # Both ends must be reached: models that are refused, and models that still run.
    assert tally.statuses["check 1"] > CASES // 2 and tally.statuses["run 0"] > CASES // 50


def test_mutations__are_the_same_for_the_same_seed() -> None:
    text = (harness.EXAMPLES / "slice1_forward.json").read_text("utf-8")
    first, second = ([mutate(text, rng) for _ in range(50)] for rng in (random.Random(3), random.Random(3)))
    assert first == second and len(set(first)) > 40


def test_harness__notices_what_goes_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(words: list[str]) -> int:
        raise RuntimeError("lost")

    monkeypatch.setattr(harness, "main", broken)
    tally = harness.fuzz(2, seed=1, folder=tmp_path, limit_seconds=20)
    assert len(tally.failures) == 4 and "RuntimeError: lost" in tally.failures[0]


@pytest.mark.parametrize("status", [70, 139, -9])
def test_harness__takes_no_other_status(status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "main", lambda words: status)
    assert len(harness.fuzz(1, seed=1, folder=tmp_path, limit_seconds=20).failures) == 2


def test_harness__notices_files_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def untidy(words: list[str]) -> Any:
        (tmp_path / "output" / "x.part").touch()
        return 1

    monkeypatch.setattr(harness, "main", untidy)
    assert "x.part" in harness.fuzz(1, seed=1, folder=tmp_path, limit_seconds=20).failures[0]
