"""Folds of many elements into few: in parts that threads share, then the parts into one.

How many parts there are depends on sizes alone, so that results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from anydml.core.datatype import DataType
from anydml.core.expression import Node, load, substitute, walk
from anydml.core.steps import Access, Step, Store
from anydml.runtime.cpu.expand import Workspace
from anydml.runtime.cpu.reductions.step import Reduction, Stage

MOST_RESULTS, MOST_ROWS = 16384, 16
"""Folds beyond this are enough work for all threads: of columns, whose memory is read side by side, and of rows."""
LEAST_ELEMENTS = 1 << 18
FEWEST_CHUNKS, MOST_CHUNKS, CHUNK_ELEMENTS = 4, 16, 1 << 16
"""What threads may share: folds that are fewer than this are cut into parts."""
TOGETHER = 1024
"""Folds of columns that one thread makes at once."""


def split(reduction: Reduction, workspace: Workspace) -> list[Step] | None:
    """Two reductions that do the same, or None where one is as good."""
    results = prod(reduction.outer)
    if reduction.stores_all or len(reduction.stages) != 1:
        return None
    is_along = 1 in reduction.loads[0].strides[len(reduction.outer) :]
    if results > (MOST_ROWS if is_along else MOST_RESULTS):
        return None
    loop = _longest(reduction)
    chunks = results if is_along else -(-results // TOGETHER)
    elements = prod(reduction.sizes)
    wanted = min(max(FEWEST_CHUNKS, elements // CHUNK_ELEMENTS), MOST_CHUNKS)
    parts = _parts(reduction.reduced[loop], -(-wanted // chunks))
    if elements < LEAST_ELEMENTS or parts == 1:
        return None
    (stage,) = reduction.stages
    folded = DataType.parse(stage.value.type)
    slot = workspace.temporary(parts * results * folded.element_bytes, f"parts of {reduction.name}")
    first = _first(reduction, loop, parts, Access(slot, folded, ()))
    return [first, _second(reduction, parts, Access(slot, folded, ()))]


def _longest(reduction: Reduction) -> int:
    """The reduced loop that takes the longest steps in the first operand."""
    strides = reduction.loads[0].strides[len(reduction.outer) :]
    loops = [n for n, size in enumerate(reduction.reduced) if size > 1] or [0]
    return max(loops, key=lambda n: abs(strides[n]))


def _parts(size: int, wanted: int) -> int:
    """Equal parts, about as many as are wanted."""
    return max(count for count in range(1, 2 * wanted) if size % count == 0) if wanted > 1 else 1


def packed(sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(prod(sizes[n + 1 :]) for n in range(len(sizes)))


def _first(reduction: Reduction, loop: int, parts: int, target: Access) -> Reduction:
    """The folds of each part, packed."""
    outer = (parts, *reduction.outer)
    number = len(reduction.outer) + loop
    length = reduction.reduced[loop] // parts
    reduced = (*reduction.reduced[:loop], length, *reduction.reduced[loop + 1 :])
    loads = tuple(Access(a.slot, a.type, (a.strides[number] * length, *a.strides), a.offset) for a in reduction.loads)
    (stage,) = reduction.stages
    strides = (*packed(outer), *(0 for _ in reduced))
    store = Store(Access(target.slot, target.type, strides), load(len(loads), stage.value.type))
    return Reduction(outer, reduced, loads, (stage,), (store,), f"parts of {reduction.name}")


def _second(reduction: Reduction, parts: int, source: Access) -> Reduction:
    """The fold of all parts, and what is stored of it."""
    (stage,) = reduction.stages
    count, folded = len(reduction.loads), prod(reduction.outer)
    kept = len(reduction.outer)
    strides = (*packed(reduction.outer), folded)
    partial = Access(source.slot, source.type, strides)
    used = sorted(
        {n.value for store in reduction.stores for n in walk(store.value) if n.op == "load" and n.value < count}
    )
    loads = (partial, *(_without_reduced(reduction.loads[n], kept) for n in used))
    places = {count: len(loads)} | {n: number for number, n in enumerate(used, 1)}

    def renumbered(node: Node) -> Node | None:
        return load(places[node.value], node.type) if node.op == "load" else None

    stores = tuple(
        Store(_without_reduced(store.access, kept), substitute(store.value, renumbered)) for store in reduction.stores
    )
    stages = (Stage(stage.fold, load(0, stage.value.type)),)
    return Reduction(reduction.outer, (parts,), loads, stages, stores, reduction.name)


def _without_reduced(access: Access, kept: int) -> Access:
    return Access(access.slot, access.type, (*access.strides[:kept], 0), access.offset)
