"""Which pointwise nests squares of registers turn the operands of, and how these squares follow one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from math import prod

from anydml.core.expression import BOOL, Node, leaves
from anydml.core.steps import Nest
from anydml.runtime.cpu import pointwise
from anydml.runtime.cpu.loops import EVEN, STILL, TURNED, Loops, cut, in_order_of_store, spans
from anydml.runtime.cpu.pointwise import Shape, Tiling
from anydml.runtime.cpu.turned import LINE_BYTES
from anydml.runtime.native import llvm
from anydml.runtime.native.tasks import Task

MOST_OPERATIONS = 12
"""The code of a square is not a loop: that of longer expressions would be long, and memory does not limit them."""
MOST_LANES = 16
"""Rows and columns of a square: there are about twice as many registers."""
MOST_WASTED = 1.25
"""Elements of all squares for each element that there is."""
ROWS, COLUMNS, BESIDE = 64, 512, 2
"""Threads share rows or columns in multiples of so many along squares, and of so many squares beside one another."""
FARTHEST_MIXED = 2
"""Crowded operands of which some are turned are read block by block as quickly for larger results: a multiple of the
least that is streamed."""
WAY_BYTES, WAYS, MORE_WAYS = 4096, 8, 12
"""First-level caches have so many places for lines that are multiples of so many bytes apart; some have more."""
_WITH_MORE_WAYS = (
    *("icelake", "tigerlake", "rocketlake", "alderlake", "raptorlake", "meteorlake", "arrowlake", "lunarlake"),
    *("pantherlake", "sapphirerapids", "emeraldrapids", "graniterapids", "diamondrapids"),
)
"""How the names of those processors begin."""
MOST_CROWDED = 1.5
"""Lines of an operand, in a square, for each of those places; more are staged."""

Span = tuple[int, int]


def task_of(nest: Nest, loops: Loops) -> Task | None:
    """The nest as a task; None where squares of registers cannot turn its operands, or not quickly."""
    if all(side.step in (EVEN, STILL) for side in loops.sides):
        return None
    loops = loops if loops.sides[-1].step == EVEN else in_order_of_store(nest)
    shape = pointwise.shape_of(nest, loops, loops.iterations)
    is_far = pointwise.is_far_mixed(loops, loops.iterations)
    if is_far:
        # Parts of lines that are streamed take many times as long as lines: shorter vectors are taken together.
        shape = replace(shape, vector_bytes=max(shape.vector_bytes, LINE_BYTES))
    if not _can_run(shape, loops):
        return None
    tiling = _tiling_of(shape, loops, is_far)
    if is_far and not _can_stream(tiling, shape, loops):
        return None
    shape = replace(shape, tiling=tiling, stream=is_far)
    return pointwise.native_task(pointwise.code_of(shape), *_chunks(loops, shape))


def _chunks(loops: Loops, shape: Shape) -> tuple[list[Loops], list[tuple[int, ...]]]:
    """Parts of the outer loops for threads; and of each, bounds of rows and of columns."""
    tiling, outer, pieces = shape.tiling, len(loops.sizes) - 2, pointwise.pieces_for(loops, shape)
    assert tiling is not None
    parts = list(cut(loops, pieces, range(outer), [1] * outer))
    pieces = -(-pieces // len(parts))
    rows, columns = loops.sizes[outer:]
    beside = BESIDE * shape.lanes
    if tiling.walks_rows:
        # Threads that write beside one another would take lines from each other.
        bounds = _bounds((rows, ROWS), (columns, beside), pieces)
    elif tiling.is_staged and not shape.stream and any(step == EVEN for _, step in shape.loads):
        # Lines of rows a power of two apart share places in larger caches too, unless a thread has all of a row.
        bounds = _bounds((rows, beside), (columns, COLUMNS), pieces)
    else:
        bounds = ((one, other) for other, one in _bounds((columns, COLUMNS), (rows, beside), pieces))
    return parts, [(*one, *other) for one, other in bounds]


def _bounds(one: tuple[int, int], other: tuple[int, int], pieces: int) -> Iterator[tuple[Span, Span]]:
    """Those of two loops, each given by its size and its grain: threads share the first one, then the second."""
    firsts = spans(one[0], pieces, one[1])
    return product(firsts, spans(other[0], -(-pieces // len(firsts)), other[1]))


def _can_run(shape: Shape, loops: Loops) -> bool:
    steps = {step for _, step in shape.sides}
    if TURNED not in steps or steps - {EVEN, STILL, TURNED} or shape.lanes > MOST_LANES:
        return False
    if prod(-(-size // shape.lanes) * shape.lanes / size for size in loops.sizes[-2:]) > MOST_WASTED:
        return False
    return pointwise.operations_of(shape.values) <= MOST_OPERATIONS and bool(turned_values(shape))


def _tiling_of(shape: Shape, loops: Loops, is_far: bool = False) -> Tiling:
    """Squares follow one another where operands whose lines share few places in caches, or are far apart, run on."""
    turned = [side.strides[-1] for side in loops.sides if side.step == TURNED]
    even = [side.strides[-2] for side in loops.sides if side.step == EVEN]
    in_turned, in_even = (sum(_crowding(step, shape.lanes) for step in steps) for steps in (turned, even))
    # Fewer lines than places do not matter.
    walks_rows = (int(in_turned), abs(turned[0])) >= (int(in_even), abs(even[-1]))
    # Results that are streamed take no places; lines of all other operands are asked for before they are used.
    kept = loops.sides[: len(shape.loads)] if is_far else loops.sides
    kinds = [
        [_crowding(side.strides[loop], shape.lanes) for side in kept if side.step == step]
        for step, loop in ((TURNED, -1), (EVEN, -2))
    ]
    has_registers = shape.vector_bytes <= llvm.vector_bytes()
    is_crowded = any((sum(kind) if is_far else max(kind, default=0)) > MOST_CROWDED for kind in kinds)
    return Tiling(walks_rows, is_crowded or not has_registers, walks_rows and _runs_on(shape, loops))


def _runs_on(shape: Shape, loops: Loops) -> bool:
    """Whether rows of whole squares follow one another in memory, but for those of turned operands."""
    columns = loops.sizes[-1]
    steps = (
        (side.strides[-2], side.element_bytes * (side.step == EVEN)) for side in loops.sides if side.step != TURNED
    )
    return columns % shape.lanes == 0 and all(step == columns * size for step, size in steps)


def _can_stream(tiling: Tiling, shape: Shape, loops: Loops) -> bool:
    """Whether far results can be streamed: vectors of all rows of them are aligned together, or follow one another."""
    columns, store = loops.sizes[-1], loops.sides[-1]
    is_mixed = any(step == EVEN for _, step in shape.loads)
    is_farther = pointwise.is_far_mixed(loops, loops.iterations, FARTHEST_MIXED)
    if tiling.is_staged and is_mixed and is_farther:
        return False
    if len(shape.stores) > 1 or columns % shape.lanes:
        return False
    return tiling.wraps if tiling.walks_rows else store.strides[-2] % (shape.lanes * store.element_bytes) == 0


def _crowding(distance: int, lines: int) -> float:
    """How many of so many lines, each so far from the one before, share a place of a cache."""
    places = Counter(line * distance % WAY_BYTES // LINE_BYTES for line in range(lines if distance else 0))
    return max(places.values(), default=0) / ways()


@cache
def ways() -> int:
    return MORE_WAYS if llvm.host().processor.startswith(_WITH_MORE_WAYS) else WAYS


def turned_values(shape: Shape) -> list[Node]:
    """What is turned: the largest expressions of turned operands alone, or these operands where they are fewer.

    None where they are narrower than the widest values: of those a square has as many rows as columns.
    """
    width, turned = shape.vector_bytes // shape.lanes, frozenset(shape.turned)

    def fits(node: Node) -> bool:
        return node.type != BOOL and node.type.itemsize == width

    def largest(node: Node) -> Iterator[Node]:
        if pointwise.reads_only(node, turned) and (fits(node) or not node.args):
            yield node
        else:
            for arg in node.args:
                yield from largest(arg)

    expressions = list(dict.fromkeys(node for value in shape.values for node in largest(value)))
    operands = [leaf for leaf in leaves(*shape.values) if pointwise.reads_only(leaf, turned)]
    return next((nodes for nodes in sorted((expressions, operands), key=len) if all(map(fits, nodes))), [])
