"""Steps that are repeated: the same kernels over places that move on by the same distance each time.

A plan holds them as one step, however often they run. Parameters of kernels are made for three iterations; those of
all others lie on the line through the first two, and the last one proves it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anydml.core.steps import Access, Nest, Step
from anydml.runtime.cpu import pointwise
from anydml.runtime.native.tasks import Task

Steps = tuple[Step, ...]
Numbers = tuple[int, ...]


def repeat(body: Callable[[int], Sequence[Step]], count: int) -> list[Step]:
    """The steps `body(0)`, `body(1)` and so on, as one."""
    first = tuple(body(0))
    if count == 1:
        return list(first)
    return [Repeated(first, tuple(body(1)), tuple(body(count - 1)), count)]


@dataclass(frozen=True)
class Repeated:
    """A body of steps, given by its first two iterations and its last."""

    first: Steps
    second: Steps
    last: Steps
    count: int

    def reads(self) -> Iterator[tuple[Access, Numbers]]:
        """What is there before: not what the body itself writes first."""
        written: set[int] = set()
        for step, following in zip(self.first, self.second, strict=True):
            for access, sizes in self._moving(step.reads(), following.reads()):
                if access.slot not in written:
                    yield access, sizes
            written |= {access.slot for access, _ in step.writes()}

    def writes(self) -> Iterator[tuple[Access, Numbers]]:
        for step, following in zip(self.first, self.second, strict=True):
            yield from self._moving(step.writes(), following.writes())

    def _moving(self, first: Any, second: Any) -> Iterator[tuple[Access, Numbers]]:
        """Accesses with a loop over the iterations in front."""
        for (access, sizes), (moved, _) in zip(first, second, strict=True):
            strides = (moved.offset - access.offset, *access.strides)
            yield replace(access, strides=strides), (self.count, *sizes)

    def renamed(self, slot: Callable[[int], int]) -> Step:
        first, second, last = (
            tuple(step.renamed(slot) for step in steps) for steps in (self.first, self.second, self.last)
        )
        return Repeated(first, second, last, self.count)

    def describe(self, names: Callable[[int], str]) -> str:
        return f"repeat {self.count} times: {'; '.join(step.describe(names) for step in self.first)}"

    def tasks(self) -> Sequence[Task]:
        bodies = [[task for step in steps for task in tasks_of(step)] for steps in (self.first, self.second, self.last)]
        series = [_series(each, self.count) for each in zip(*bodies, strict=True)]
        return [task for iteration in zip(*series, strict=True) for task in iteration]


def tasks_of(step: Step) -> Sequence[Task]:
    """A step of the body as native tasks."""
    if isinstance(step, Nest):
        return pointwise.tasks_of(step)
    found: Sequence[Task] = step.tasks()  # type: ignore[attr-defined]
    return found


def _series(tasks: tuple[Task, Task, Task], count: int) -> list[Task]:
    """The tasks of all iterations."""
    first, second, last = (np.array(task.chunks(), np.int64) for task in tasks)
    change = second - first
    if not np.array_equal(first + (count - 1) * change, last):
        raise RuntimeError("parameters of repeated steps do not change evenly")
    code, slots = tasks[0].code, tasks[0].slot_count
    return [Task(code, (first + number * change).tolist(), slots) for number in range(count)]
