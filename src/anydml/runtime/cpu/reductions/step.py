"""A reduction as a step: outer loops, and for each of their iterations stages over the reduced loops.

A stage folds an expression over the reduced loops into one value. Expressions of later stages, and what is stored at
last, use the values of earlier stages as loads that follow those of the operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from anydml.core.expression import Node
from anydml.core.steps import Access, Store
from anydml.process.loading import load_module
from anydml.runtime.native.tasks import Task

FOLDS = ("add", "multiply", "maximum", "minimum", "greatest")
"""The greatest is the maximum for those to whom NaN does not matter: one instruction."""
INCLUSIVE, EXCLUSIVE = "inclusive", "exclusive"


@dataclass(frozen=True)
class Stage:
    """A fold of an expression by one of `FOLDS`."""

    fold: str
    value: Node


@dataclass(frozen=True)
class Reduction:
    """Strides of all accesses are over the outer loops, then the reduced ones."""

    outer: tuple[int, ...]
    reduced: tuple[int, ...]
    loads: tuple[Access, ...]
    stages: tuple[Stage, ...]
    stores: tuple[Store, ...]
    name: str = "reduction"
    scan: str = ""
    """Empty, or INCLUSIVE or EXCLUSIVE: then the only stage is a running fold along the last reduced loop, and what is
    stored for an element is the fold up to it, with or without it."""

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.outer + self.reduced

    @property
    def stores_all(self) -> bool:
        """Whether something is stored for every element, not only for every fold."""
        first = len(self.outer)
        return any(stride != 0 for store in self.stores for stride in store.access.strides[first:]) or not any(
            size > 1 for size in self.reduced
        )

    def reads(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        return ((access, self.sizes) for access in self.loads)

    def writes(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        return ((store.access, self.sizes) for store in self.stores)

    def renamed(self, slot: Callable[[int], int]) -> Reduction:
        loads = tuple(replace(access, slot=slot(access.slot)) for access in self.loads)
        stores = tuple(replace(s, access=replace(s.access, slot=slot(s.access.slot))) for s in self.stores)
        return replace(self, loads=loads, stores=stores)

    def describe(self, names: Callable[[int], str]) -> str:
        read = ", ".join(names(access.slot) for access in self.loads)
        written = ", ".join(names(store.access.slot) for store in self.stores)
        return f"{self.name} {list(self.outer)} x {list(self.reduced)} of {read}: {written}"

    def tasks(self) -> Sequence[Task]:
        return (load_module("anydml.runtime.cpu.reductions.lowering").task_of(self),)
