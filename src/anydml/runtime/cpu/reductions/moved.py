"""Reductions of operands that are moved first, block by block: what is moved stays in the caches until it is folded.

Short rows are moved into columns, so that each lane of a vector folds a row of its own. Where all of them were moved
before the first is folded, a large operand would go through memory three times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from anydml.core.steps import Access, Nest, Step
from anydml.runtime.cpu.blocks import Part, plan_between, task_of_blocks
from anydml.runtime.cpu.loops import Loops
from anydml.runtime.cpu.reductions.lowering import INNER_LOOPS, Shape, lower, module_text, words_of
from anydml.runtime.cpu.reductions.step import Reduction
from anydml.runtime.moves import lowering
from anydml.runtime.native import llvm
from anydml.runtime.native.slots import OWN_THREAD
from anydml.runtime.native.tasks import Task

BLOCK_BYTES = 256 * 1024
FEWEST_BLOCKS = 8
GRAIN = 64
"""Columns of a block are a multiple of so many."""


def joined(steps: Sequence[Step]) -> list[Step]:
    """A copy and the reduction that reads it as one step, or alone where the copy is of no use."""
    match steps:
        case [Nest() as copy, Reduction() as reduction]:
            made = MovedReduction(copy, reduction)
            if not made.is_possible:
                return list(steps)
            direct = lower(made.direct)
            return [made.direct if direct and direct.shape.row is not None else made]
    return list(steps)


@dataclass(frozen=True)
class MovedReduction:
    """A copy, and a reduction whose only operand is that copy."""

    copy: Nest
    reduction: Reduction

    @property
    def is_possible(self) -> bool:
        copy, reduction = self.copy, self.reduction
        is_only = len(reduction.loads) == 1 and reduction.loads[0].slot == copy.stores[0].access.slot
        if not is_only or not copy.is_copy or reduction.stores_all or reduction.scan:
            return False
        found = lower(reduction)
        if found is None or found.shape.is_along or found.shape.row is not None or self._operand() is None:
            return False
        return prod(reduction.reduced) * GRAIN * reduction.loads[0].type.element_bytes <= BLOCK_BYTES

    @property
    def direct(self) -> Reduction:
        """The reduction of the operand itself."""
        operand = self._operand()
        assert operand is not None
        return replace(self.reduction, loads=(operand,))

    def reads(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        return self.copy.reads()

    def writes(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        return self.reduction.writes()

    def renamed(self, slot: Callable[[int], int]) -> MovedReduction:
        between = self.copy.stores[0].access.slot
        return MovedReduction(
            self.copy.renamed(lambda number: number if number == between else slot(number)),
            self.reduction.renamed(lambda number: number if number == between else slot(number)),
        )

    def describe(self, names: Callable[[int], str]) -> str:
        (source,), (store, *_) = self.copy.loads, self.reduction.stores
        return f"{self.reduction.name} of moved blocks of {names(source.slot)}: {names(store.access.slot)}"

    def _operand(self) -> Access | None:
        """The operand itself, seen from the loops of the reduction."""
        (load,), (source,), made = self.reduction.loads, self.copy.loads, self.copy.stores[0].access
        pairs = zip(made.strides, source.strides, self.copy.sizes, strict=True)
        strides = {step: own for step, own, size in pairs if size > 1}
        if any(step not in strides for step, n in zip(load.strides, self.reduction.sizes, strict=True) if n > 1):
            return None
        return replace(source, strides=tuple(strides.get(step, 0) for step in load.strides))

    def tasks(self) -> Sequence[Task]:
        loops, shape = self._lowered()
        return (task_of_blocks(loops, self._block(loops), lambda counts: self._parts(loops, shape, counts)),)

    def _lowered(self) -> tuple[Loops, Shape]:
        """The loops, with the operand in place of its copy, and the kernel."""
        operand = self._operand()
        assert operand is not None
        both = lower(replace(self.reduction, loads=(*self.reduction.loads, operand)))
        assert both is not None
        _, source, *stores = both.bounds.sides
        shape = replace(both.shape, loads=both.shape.loads[:1])
        return Loops(both.bounds.sizes, (source, *stores)), shape

    def _block(self, loops: Loops) -> list[int]:
        """All that is folded of some columns."""
        folded = prod(loops.sizes[-INNER_LOOPS:-1])
        size = loops.sides[0].element_bytes
        room = min(BLOCK_BYTES, prod(loops.sizes) * size // FEWEST_BLOCKS) // (size * folded)
        columns = max(GRAIN, room // GRAIN * GRAIN)
        around = len(loops.sizes) - INNER_LOOPS
        return [1] * around + [*loops.sizes[-INNER_LOOPS:-1], min(columns, loops.sizes[-1])]

    def _parts(self, loops: Loops, shape: Shape, counts: tuple[int, ...]) -> list[Part]:
        """A move into the memory of the thread, and the fold of what was moved."""
        source, *stores = loops.sides
        size = source.element_bytes
        inner = counts[-INNER_LOOPS:]
        pitch = size * inner[2]
        steps = (pitch * inner[1], pitch, size)
        around = (0,) * (len(counts) - INNER_LOOPS)
        own = replace(source, slot=OWN_THREAD, strides=(*around, *steps), offset=0)
        plan = plan_between(counts, source, own)
        lowered = lowering.lower(plan, llvm.vector_bytes(), False)
        task = lowering.task(plan, lowered, lowering.Sides(source.slot, OWN_THREAD), 1)
        code = llvm.compiled(shape, lambda: module_text(shape))
        words = words_of(Loops(counts, (own, *stores)))
        places = {2 * number + 1: number for number in range(1, len(loops.sides))}
        return [Part(task.code, task.chunks()[0], {1: 0}), Part(code, words, places)]
