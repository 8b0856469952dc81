"""Runs that repeat themselves: what was started twice on the same memory is recorded, and replayed from then on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from anydml.runtime.backend import Memory, Run
from anydml.runtime.cuda.driver import Driver

_CALLS_BEFORE = 1
"""Calls that start every kernel by itself, and load what is loaded when it is first used."""


class Replay:
    """Steps bound to memory. Neighbouring kernels become one recorded graph; programs run by themselves."""

    def __init__(self, driver: Driver, kernels: Sequence[Any], memory: Memory, name: str) -> None:
        self.driver, self.name, self.calls = driver, name, 0
        bound = [(kernel.is_replayable, kernel.bind(memory)) for kernel in kernels]
        self.groups = [(is_one, [run for _, run in group]) for is_one, group in groupby(bound, lambda pair: pair[0])]
        self.runs: list[Run] = [run for _, run in bound]
        self.can_record = any(is_one and len(group) > 1 for is_one, group in self.groups)

    def run(self) -> None:
        if self.can_record and self.calls == _CALLS_BEFORE:
            self._record()
        self.calls += 1
        for run in self.runs:
            run()

    def _record(self) -> None:
        """Where recording fails, kernels are started one by one as before."""
        self.can_record = False
        runs: list[Run] = []
        for is_one, group in self.groups:
            if not is_one or len(group) == 1:
                runs += group
                continue
            try:
                runs.append(self.driver.record(group))
            except Exception:  # of CUDA, CuPy or a library: nothing is lost but time
                runs += group
        self.runs = runs
