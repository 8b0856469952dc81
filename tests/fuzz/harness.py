"""Runs cases until there are enough or time is up, and counts how they end."""

from __future__ import annotations

import faulthandler
import io
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from time import perf_counter

from anydml.cli.main import main

CLEAN = (0, 1, 2)
HANG_SECONDS = 60
MOST_FAILURES = 100


@dataclass
class Summary:
    """What came of the cases of one target."""

    target: str
    seed: int
    cases: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    slowest_seconds: float = 0.0

    def count(self, outcome: str) -> None:
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1

    def fail(self, what: str) -> None:
        """Something that must not happen; the first hundred are kept."""
        self.count("failed")
        if len(self.failures) < MOST_FAILURES:
            self.failures.append(f"{self.target}, seed {self.seed}, case {self.cases}: {what}")

    def __str__(self) -> str:
        outcomes = ", ".join(f"{name} {count}" for name, count in sorted(self.outcomes.items()))
        return (
            f"{self.target}: {self.cases} cases in {self.seconds:.0f} s, {self.outcomes.get('failed', 0)} failures, "
            f"slowest {self.slowest_seconds:.2f} s ({outcomes})"
        )


def run_cases(
    summary: Summary, case: Callable[[], None], count: int | None, seconds: float | None, limit_seconds: float = 10.0
) -> Summary:
    """Run a case again and again: `count` times, for so many seconds, or whichever ends first; once at least.

    A case that raises has failed, one that takes longer than the limit too. One that never ends takes the process
    with it, after saying where it was.
    """
    if count is None and seconds is None:
        raise ValueError("give a count or seconds")
    begin = perf_counter()
    while count is None or summary.cases < count:
        summary.cases += 1
        faulthandler.dump_traceback_later(max(HANG_SECONDS, 2 * limit_seconds), exit=True, file=sys.__stderr__)
        start = perf_counter()
        try:
            case()
        except Exception as error:
            summary.fail(f"{type(error).__name__}: {error}")
        taken = perf_counter() - start
        faulthandler.cancel_dump_traceback_later()
        summary.slowest_seconds = max(summary.slowest_seconds, taken)
        if taken > limit_seconds:
            summary.fail(f"{taken:.1f} s")
        if seconds is not None and perf_counter() - begin > seconds:
            break
    summary.seconds = perf_counter() - begin
    return summary


def call(words: list[str]) -> tuple[int | str, str]:
    """Exit status of a command line, and all that was printed; an exception that gets out is a finding, not an end."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        try:
            status: int | str = main(words)
        except BaseException as error:
            status = f"{type(error).__name__}: {error}"
    return status, out.getvalue()


def call_cleanly(summary: Summary, words: list[str], told: str = "") -> int | str:
    """Run a command line and count how it ends; anything but a message and a clean status is a failure."""
    status, printed = call(words)
    if status not in CLEAN or "Traceback" in printed:
        summary.fail(f"{words[:1]} ended with {status}\n{printed[-400:]}\n{told or words}")
    else:
        summary.count(f"{words[0] if words and words[0] in ('check', 'run', 'explain', 'ops') else 'other'} {status}")
    return status


def leftovers(folder: str) -> list[str]:
    """Files that were being written and never became anything."""
    return [name for _, _, names in os.walk(folder) for name in names if name.endswith(".part")]
