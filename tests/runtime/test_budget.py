"""The memory budget comes from the machine, whatever it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from anydml.runtime import budget


def test_budget__is_half_of_the_memory() -> None:
    assert 1 << 28 < budget.physical_memory() < 1 << 50
    assert budget.memory_budget() == budget.physical_memory() // 2


def test_memory__is_guessed_where_nobody_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "_posix", lambda: None)
    monkeypatch.setattr(budget, "_windows", lambda: None)
    monkeypatch.setattr(budget, "_CGROUP_LIMITS", ())
    assert budget.physical_memory() == 4 << 30


def test_memory__heeds_a_container(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "limit").write_text("123456789\n")
    (tmp_path / "none").write_text("max\n")
    names = (str(tmp_path / "limit"), str(tmp_path / "none"), str(tmp_path / "missing"))
    monkeypatch.setattr(budget, "_CGROUP_LIMITS", names)
    assert budget.physical_memory() == 123456789
