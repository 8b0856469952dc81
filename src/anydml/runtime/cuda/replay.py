"""Runs that repeat themselves: what was started twice on the same memory is recorded, and replayed from then on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from anydml.core.errors import DmlError
from anydml.runtime.backend import Memory, Run
from anydml.runtime.cuda.driver import Driver

_CALLS_BEFORE = 1
"""Calls that start every kernel by itself, and load what is loaded when it is first used."""


class Replay:
    """Steps bound to memory. Neighbouring kernels become one recorded graph; programs run by themselves."""

    def __init__(self, driver: Driver, kernels: Sequence[Any], memory: Memory, name: str) -> None:
        self.driver, self.name, self.calls = driver, name, 0
        try:
            bound = [(kernel, kernel.bind(memory)) for kernel in kernels]
        except DmlError:
            raise
        except Exception as error:  # a kernel that does not compile or load
            raise driver.failed(name, error) from error
        parts = [(is_one, list(part)) for is_one, part in groupby(bound, lambda pair: bool(pair[0].is_replayable))]
        self.groups = [
            (is_one and _is_worth_it([kernel for kernel, _ in part]), [run for _, run in part])
            for is_one, part in parts
        ]
        self.runs: list[Run] = [run for _, run in bound]
        self.can_record = any(is_recorded for is_recorded, _ in self.groups)

    def run(self) -> None:
        if self.can_record and self.calls == _CALLS_BEFORE:
            self._record()
        self.calls += 1
        self.driver.started = self.name
        try:
            for run in self.runs:
                run()
        except DmlError:
            raise
        except Exception as error:
            raise self.driver.failed(self.name, error) from error

    def _record(self) -> None:
        """Where recording fails, kernels are started one by one as before."""
        self.can_record = False
        runs: list[Run] = []
        for is_recorded, group in self.groups:
            if not is_recorded:
                runs += group
                continue
            try:
                runs.append(self.driver.record(group))
            except Exception:  # of CUDA, CuPy or a library: nothing is lost but time
                runs += group
        self.runs = runs


def _is_worth_it(kernels: Sequence[Any]) -> bool:
    """Several kernels are started at once; one alone, if a library takes long to start it."""
    return len(kernels) > 1 or any(getattr(kernel, "starts_slowly", False) for kernel in kernels)
