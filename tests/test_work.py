"""Counts of work see what grows with its input, and how."""

from __future__ import annotations

import pytest

from tests.work import calls_of, growth_of


def test_calls__are_of_python_and_of_c() -> None:
    assert calls_of(lambda: [abs(x) for x in range(100)]) >= 100
    assert calls_of(lambda: [str.upper(x) for x in "abc" * 50]) >= 150
    assert calls_of(lambda: None) < 5


def test_growth__tells_squares_from_lines() -> None:
    assert growth_of(lambda n: [abs(x) for x in range(n)], 100) == pytest.approx(1, abs=0.05)
    assert growth_of(lambda n: [abs(x) for _ in range(n) for x in range(n)], 100) > 3
