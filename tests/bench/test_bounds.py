"""What a move must take, by what its sides take."""

from __future__ import annotations

import pytest

from anydml.bench import bounds
from anydml.bench.contenders import COPY, LIMIT, OURS
from anydml.bench.measure import Lead, Result, Timing
from anydml.bench.passes import READ, WRITE


def result(pattern: str, ours: float, read: float | None, write: float | None, copy: float = 3.0) -> Result:
    seconds = {COPY: 6.0, LIMIT: copy, OURS: ours, READ: read, WRITE: write}
    timings = {name: Timing(taken, taken, taken) for name, taken in seconds.items() if taken is not None}
    return Result(
        pattern, "float32", 1 << 30, "tile", timings, {OURS: 1.0}, {LIMIT: Lead(copy / ours, 0.0)}, 2 << 30, 1 << 30
    )


def test_overhead__is_what_the_copy_takes_besides_its_longer_side() -> None:
    assert bounds.overhead([result("contiguous", 3.0, 2.0, 2.5)]) == pytest.approx(0.25)
    assert bounds.overhead([result("contiguous", 9.0, 2.0, 2.5, copy=9.0)]) == 1.0, "one after the other, at most"
    assert bounds.overhead([result("contiguous", 1.0, 2.0, 2.5, copy=1.0)]) == 0.0, "both at once, at least"
    assert bounds.overhead([result("transpose", 3.0, 2.0, 2.5)]) is None


def test_bound__of_the_copy_is_its_own_time() -> None:
    copy = result("contiguous", 3.0, 2.0, 2.5)
    assert bounds.bound(copy, bounds.overhead([copy]) or 0.0) == pytest.approx(3.0)


def test_bound__is_the_write_where_nothing_is_read() -> None:
    assert bounds.bound(result("broadcast row", 3.0, None, 2.5), 0.5) == 2.5
    assert bounds.bound(result("gathered", 3.0, None, None), 0.5) is None


def test_table__says_how_much_of_the_bound_is_reached() -> None:
    text = bounds.table([result("contiguous", 3.0, 2.0, 2.5), result("slow", 10.0, 4.0, 4.0)])
    (slow,) = (line.split() for line in text.splitlines() if line.startswith("slow"))
    assert slow == ["slow", "2.00", "1.00", "0.27", "0.27", "0.21", "0.11", "0.50", "0.30"]
    assert "and 25% of the shorter one" in text
    assert "no bound" in bounds.table([result("slow", 10.0, 4.0, 4.0)])
    assert bounds.has_passes([result("slow", 10.0, 4.0, 4.0)]) and not bounds.has_passes([result("x", 1.0, None, None)])
