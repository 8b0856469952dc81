"""Pointwise nests over operands that lie in different orders, block by block.

Loops run in the order of most operands. Of each block, the operands that lie otherwise are moved into memory of the
thread before the kernel runs, or out of it afterwards. A block is so small that this memory stays in the caches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from math import prod

from anydml.core.layout import Layout
from anydml.core.steps import Nest
from anydml.runtime.cpu import pointwise
from anydml.runtime.cpu.loops import TURNED, Loops, Side, forward, merged, order_of, with_rows
from anydml.runtime.moves import lowering
from anydml.runtime.moves.plan import MovePlan, plan_move
from anydml.runtime.native import llvm
from anydml.runtime.native.slots import OWN_THREAD
from anydml.runtime.native.staging import HANDED_BYTES
from anydml.runtime.native.tasks import Task, TaskInTurn

LEAST_ELEMENTS = 4096
"""Of smaller tensors moves would take longer than what they save."""
LEAST_COLUMNS = 16
"""Shorter rows waste most of a vector."""
LONG_COLUMNS = 256
LEAST_TURNED = 8
"""The kernel itself turns operands quickly where rows are as long as this, and as many of them are neighbours."""
BLOCK_BYTES = 512 * 1024
"""What is moved of a block: less than a second-level cache holds."""
FEWEST_BLOCKS = 8
LEAST_BLOCK_BYTES = 16 * 1024
GRAIN = 64
"""Blocks end at multiples of so many elements along the loops that operands are contiguous in."""
LEAST_GAIN = 1.5
"""Several moves must be so many times as fast as one, by an estimate."""
COLLIDING_BYTES, GAP_BYTES = 1024, 64
"""Rows so far apart, or multiples of that, share few places in caches; a gap parts them."""


def task_of(nest: Nest, loops: Loops) -> Task | None:
    """The nest as a task; None where its kernel does as well by itself. `loops` are those of that kernel."""
    if loops.iterations < LEAST_ELEMENTS or _runs_well(loops):
        return None
    chosen = _chosen(forward(nest))
    if chosen is None:
        return None
    return _Blocks(nest, *chosen).task()


def task_of_copy(nest: Nest) -> Task | None:
    """A nest that only moves elements as a task of two or three moves; None where one does as well."""
    loops = forward(nest)
    if loops.iterations < LEAST_ELEMENTS:
        return None
    orders = [merged(loops.reordered(order)) for order in (order_of(loops.sides[1]), _order_of_source(loops))]
    least = _Blocks(nest, orders[0], ()).slowness() / LEAST_GAIN
    tried = [_Blocks(nest, orders[0], moved) for moved in ((0,), (1,), (0, 1))]
    tried.append(_Blocks(nest, orders[1], (1,)))
    best = min(tried, key=lambda blocks: blocks.slowness())
    return best.task() if best.slowness() < least else None


def _order_of_source(loops: Loops) -> tuple[int, ...]:
    """Loops by falling distance in the source; those that repeat it stay next to the loop around them."""
    source, store = (side.strides for side in loops.sides)
    distance, distances = 0, {}
    for loop in order_of(loops.sides[1]):
        distance = abs(source[loop]) or distance
        distances[loop] = distance, abs(store[loop])
    return tuple(sorted(distances, key=lambda loop: distances[loop], reverse=True))


def _runs_well(loops: Loops) -> bool:
    """Whether rows are long, and all that lies apart is turned by the kernel itself, without waste."""
    rows, columns = loops.sizes[-2:]
    steps = {side.step for side in loops.sides if _lies_apart(side)}
    if not steps:
        return columns >= LEAST_COLUMNS or columns == loops.iterations
    is_streamed = pointwise.is_far_mixed(loops, loops.iterations)
    return steps == {TURNED} and columns >= LONG_COLUMNS and (rows >= LEAST_TURNED or is_streamed)


def _lies_apart(side: Side) -> bool:
    """Whether neighbours along the columns are not neighbours in memory."""
    near = (0, side.element_bytes) if side.is_store else (0, side.element_bytes, 2 * side.element_bytes)
    return side.strides[-1] not in near


def _chosen(loops: Loops) -> tuple[Loops, tuple[int, ...]] | None:
    """The loops in the order in which least has to be moved, and the operands that are; None where nothing helps."""
    ranked = sorted(loops.sides, key=lambda side: not side.is_store)
    orders = dict.fromkeys(order_of(side) for side in ranked if side.is_store or 0 not in side.strides)
    tried = [choice for order in orders for choice in _choices(merged(loops.reordered(order)))]
    best, moved = min(tried, key=lambda choice: _cost(*choice))
    return (best, moved) if moved else None


def _choices(loops: Loops) -> Iterator[tuple[Loops, tuple[int, ...]]]:
    """What may be moved: what lies apart, or all that keeps short rows apart from one another, too."""
    apart = tuple(number for number, side in enumerate(loops.sides) if _lies_apart(side))
    yield loops, apart
    if len(loops.sizes) > 1 and _columns(loops, apart) < LEAST_COLUMNS:
        *_, rows, columns = zip(*(side.strides for side in loops.sides), strict=True)
        ends = (number for number, step in enumerate(columns) if rows[number] != step * loops.sizes[-1])
        yield loops, tuple(sorted({*apart, *ends}))


def _columns(loops: Loops, moved: Sequence[int]) -> int:
    """How many columns there are in a row, wherever operands that are moved lie."""
    kept = tuple(side for number, side in enumerate(loops.sides) if number not in moved)
    return merged(Loops(loops.sizes, kept)).sizes[-1] if kept else loops.iterations


def _cost(loops: Loops, moved: Sequence[int]) -> int:
    """Bytes of an element that are moved, and those that rows too short for vectors cost."""
    columns, sizes = _columns(loops, moved), [side.element_bytes for side in loops.sides]
    short = sum(sizes) * LEAST_COLUMNS // columns if columns < LEAST_COLUMNS else 0
    # What is streamed is best written in one piece.
    is_streamed = pointwise.is_far_mixed(loops, loops.iterations)
    prices = [2 if is_streamed and loops.sides[number].is_store else 1 for number in moved]
    return sum(price * sizes[number] for price, number in zip(prices, moved, strict=True)) + short


@dataclass(frozen=True)
class _Blocks:
    """Loops that are cut into blocks, and the operands that are moved."""

    nest: Nest
    loops: Loops
    moved: tuple[int, ...]

    def task(self) -> Task:
        return task_of_blocks(self.loops, self._sizes(), self._parts)

    def slowness(self) -> float:
        """Of moves: about how many times as long as one copy they take."""
        sizes = tuple(self._sizes()) if self.moved else self.loops.sizes
        plans = self._plans(sizes, self._handed(sizes))
        return sum(plan.slowness * plan.payload_bytes for plan in plans) / (
            prod(sizes) * self.loops.sides[-1].element_bytes
        )

    # The size of a block

    def _sizes(self) -> list[int]:
        """First enough of the loops along which operands are contiguous, then of the others."""
        loops = self.loops
        size = sum(loops.sides[number].element_bytes for number in self.moved)
        room = max(LEAST_BLOCK_BYTES, min(BLOCK_BYTES, loops.iterations * size // FEWEST_BLOCKS)) // size
        found = [1] * len(loops.sizes)
        columns = len(found) - 1
        inner = [order_of(loops.sides[number])[-1] for number in self.moved]
        for loop, most in ((columns, LONG_COLUMNS), *((loop, room) for loop in (*inner, *range(columns, -1, -1)))):
            found[loop] = 1
            found[loop] = _even_part(loops.sizes[loop], min(most, room // prod(found)))
        return found

    # What is run of a block

    def _parts(self, sizes: tuple[int, ...]) -> Iterator[Part]:
        """The kernels that are run in turn, as they are for the first block."""
        handed = self._handed(sizes)
        loads = [number for number in self.moved if not self.loops.sides[number].is_store]
        yield from (self._move(number, sizes, handed[number]) for number in loads)
        yield self._kernel(sizes, handed)
        yield from (self._move(number, sizes, handed[number]) for number in self.moved if number not in loads)

    def _handed(self, sizes: tuple[int, ...]) -> dict[int, Side]:
        """The operands that are moved, as they lie in the memory of the thread."""
        kept = tuple(side for number, side in enumerate(self.loops.sides) if number not in self.moved)
        ends = _ends_of_rows(Loops(sizes, kept))
        found, start = {}, 0
        for number in self.moved:
            side = self.loops.sides[number]
            strides, reach = [0] * len(sizes), side.element_bytes
            for loop in reversed(range(len(sizes))):
                if side.strides[loop]:
                    strides[loop] = reach
                    reach *= sizes[loop]
                if loop in ends and reach % COLLIDING_BYTES == 0:
                    reach += GAP_BYTES
            found[number] = replace(side, slot=OWN_THREAD, strides=tuple(strides), offset=start)
            start += -(-reach // GAP_BYTES) * GAP_BYTES
        assert start <= HANDED_BYTES
        return found

    def _plans(self, sizes: tuple[int, ...], handed: dict[int, Side]) -> Iterator[MovePlan]:
        """Of a nest that only moves: the moves of a block in turn."""
        ways = [(side, handed[number]) for number, side in enumerate(self.loops.sides) if number in self.moved]
        for side, own in ways:
            yield plan_between(sizes, *((own, side) if side.is_store else (side, own)))
        yield plan_between(sizes, *self._sides(handed))

    def _sides(self, handed: dict[int, Side]) -> list[Side]:
        """The operands of the kernel."""
        return [handed.get(number, side) for number, side in enumerate(self.loops.sides)]

    def _kernel(self, sizes: tuple[int, ...], handed: dict[int, Side]) -> Part:
        if self.nest.is_copy:
            return self._between(sizes, *self._sides(handed))
        sides = tuple(self._sides(handed))
        inner = with_rows(merged(Loops(sizes, sides)))
        is_moved = len(self.nest.loads) in self.moved
        shape = pointwise.shape_of(self.nest, inner, 0 if is_moved else self.loops.iterations)
        places = {2 * number + 1: number for number in range(len(sides)) if number not in self.moved}
        return Part(pointwise.code_of(shape), pointwise.words_of(inner), places)

    def _move(self, number: int, sizes: tuple[int, ...], handed: Side) -> Part:
        side = self.loops.sides[number]
        return self._between(sizes, *((handed, side) if side.is_store else (side, handed)))

    def _between(self, sizes: tuple[int, ...], source: Side, destination: Side) -> Part:
        """A move; operands of the nest go on from block to block."""
        plan = plan_between(sizes, source, destination)
        is_large = pointwise.is_far_mixed(self.loops, self.loops.iterations)
        stream = is_large and destination.slot != OWN_THREAD
        lowered = lowering.lower(plan, llvm.vector_bytes(), stream)
        task = lowering.task(plan, lowered, lowering.Sides(source.slot, destination.slot), 1)
        places = {1: source, 3: destination}
        numbers = {place: self.loops.sides.index(side) for place, side in places.items() if side.slot != OWN_THREAD}
        return Part(task.code, task.chunks()[0], numbers)


@dataclass(frozen=True)
class Part:
    """A kernel, its parameters for the first block, and which of them say where in which operand a block begins."""

    code: llvm.MachineCode
    words: list[int]
    places: dict[int, int]
    chunks: list[list[int]] = field(default_factory=list)

    def add(self, offsets: Sequence[int]) -> None:
        words = self.words.copy()
        for place, number in self.places.items():
            words[place] += offsets[number]
        self.chunks.append(words)


def task_of_blocks(loops: Loops, sizes: Sequence[int], parts_of: Callable[[tuple[int, ...]], Iterable[Part]]) -> Task:
    """A task whose chunks are blocks of about these sizes; the kernels for a block of some sizes run in turn."""
    made: dict[tuple[int, ...], list[Part]] = {}
    turns: list[tuple[tuple[int, ...], int]] = []
    for block in product(*(_cuts(size, part) for size, part in zip(loops.sizes, sizes, strict=True))):
        counts = tuple(last - first for first, last in block)
        if counts not in made:
            made[counts] = list(parts_of(counts))
        turns.append((counts, len(made[counts][0].chunks)))
        starts = [first for first, _ in block]
        offsets = [sum(n * s for n, s in zip(starts, side.strides, strict=True)) for side in loops.sides]
        for part in made[counts]:
            part.add(offsets)
    slot_count = max(side.slot for side in loops.sides) + 1
    tasks = {counts: [Task(part.code, part.chunks, slot_count) for part in parts] for counts, parts in made.items()}
    return TaskInTurn([[(task, number) for task in tasks[counts]] for counts, number in turns])


def _ends_of_rows(loops: Loops) -> set[int]:
    """The loops after which, counted from the innermost, an operand does not run on evenly."""
    if not loops.sides:
        return set()
    return {
        loop
        for loop in range(1, len(loops.sizes))
        if any(side.strides[loop - 1] != side.strides[loop] * loops.sizes[loop] for side in loops.sides)
    }


def plan_between(sizes: Sequence[int], source: Side, destination: Side) -> MovePlan:
    """The move of a block's elements; those that both sides repeat are moved once."""
    size = source.element_bytes
    loops = [each for each in zip(sizes, source.strides, destination.strides, strict=True) if any(each[1:])]
    counts, froms, tos = zip(*loops or [(1, size, size)], strict=True)
    layouts = (
        Layout.trusted(counts, tuple(stride // size for stride in strides), side.offset // size)
        for strides, side in ((froms, source), (tos, destination))
    )
    return plan_move(*layouts, size)


def _even_part(size: int, most: int) -> int:
    """A part of a loop such that no small rest is left over."""
    if size <= most:
        return size
    part = -(-size // -(-size // max(1, most)))
    return min(most, -(-part // GRAIN) * GRAIN) if most >= GRAIN else part


def _cuts(size: int, part: int) -> list[tuple[int, int]]:
    return list(pairwise([*range(0, size, part), size]))
