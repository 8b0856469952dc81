"""What reading and what writing take by themselves: one side of a move, in the order in which its kernel comes to it.

A pass is cut into the chunks of its move. The read pass loads what the kernel loads and asks ahead for what it asks
for; the write pass stores the same lines in the same way. Neither does anything else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from anydml.bench.contenders import Buffers, Move
from anydml.bench.patterns import Case
from anydml.bench.visits import READS, WRITES, Order, Visit, Walk
from anydml.core.datatype import DataType
from anydml.runtime.moves import lowering
from anydml.runtime.moves.engine import PreparedMove, prepare
from anydml.runtime.moves.kernels import touch
from anydml.runtime.moves.kernels.frame import Lowered
from anydml.runtime.moves.plan import LINE_BYTES, Loop, MovePlan
from anydml.runtime.native import llvm
from anydml.runtime.native.tasks import TaskList

CACHED_BYTES = 1 << 20
"""A source that touches less stays in a cache: nothing is read from memory."""


def read_pass(case: Case, buffers: Buffers, threads: int) -> Move | None:
    """Reads what the move reads, and writes nothing."""
    move = _prepared(case, buffers)
    order = READS.get(move.kernel)
    if order is None or move.plan.read_bytes < CACHED_BYTES:
        return None
    lowered = move.lowered()
    distance, level = order.ahead(lowered)
    visits = _visits(order, move, buffers)
    width = min(llvm.vector_bytes(), LINE_BYTES, *(1 << visit.run.bit_length() - 1 for visit in visits))
    shape = touch.reading(width, level)
    chunks = [_chunk(visit, (1, 0), order.block(lowered), distance) for visit in visits]
    return _runner(chunks, Lowered(shape), buffers, threads)


def write_pass(case: Case, buffers: Buffers, threads: int) -> Move | None:
    """Writes what the move writes, and reads no source."""
    move = _prepared(case, buffers)
    if move.kernel == "scatter":
        parts = lowering.parts(move.plan, move.lowered(), move.chunk_count)
        return _runner([_from_one_row(part, move.plan) for part in parts], move.lowered(), buffers, threads)
    order = WRITES.get(move.kernel)
    if order is None:
        return None
    lowered = move.lowered()
    shape = touch.writing(lowered.shape.vector_bytes, lowered.shape.stream)
    chunks = [_chunk(visit, (0, 1), order.block(lowered)) for visit in _visits(order, move, buffers)]
    return _runner(chunks, Lowered(shape), buffers, threads)


def _prepared(case: Case, buffers: Buffers) -> PreparedMove:
    return prepare(case.source, case.destination, DataType.parse(buffers.source.dtype))


def _visits(order: Order, move: PreparedMove, buffers: Buffers) -> list[Visit]:
    lowered = move.lowered()
    parts = lowering.parts(move.plan, lowered, move.chunk_count)
    return [visit for part in parts for visit in order.visits(part, lowered, _addresses(buffers))]


def _addresses(buffers: Buffers) -> tuple[int, int]:
    return buffers.source.ctypes.data, buffers.destination.ctypes.data


def _chunk(visit: Visit, side: Walk, block: int, ahead: int = 0) -> lowering.Part:
    """A visit to the source, side (1, 0), or to the destination, side (0, 1), as `touch` takes it."""

    def loop(walk: Walk) -> Loop:
        return Loop(walk[0], walk[1] * side[0], walk[1] * side[1])

    inner = loop(visit.across), loop(visit.rows), loop((visit.run, 1))
    outer = tuple(loop(walk) for walk in visit.outer)
    plan = MovePlan("touch", 1, 1, visit.start * side[0], visit.start * side[1], outer, inner)
    return lowering.Part(plan, (block, ahead, visit.before, visit.until))


def _from_one_row(part: lowering.Part, plan: MovePlan) -> lowering.Part:
    """Elements with gaps are written by their own kernel, from the source's first row again and again."""
    outer = tuple(replace(loop, source_stride=0) for loop in part.plan.outer)
    return replace(part, plan=replace(part.plan, source_offset=plan.source_offset, outer=outer))


def _runner(chunks: Iterable[lowering.Part], lowered: Lowered, buffers: Buffers, threads: int) -> Move:
    tasks = TaskList([lowering.task_of(chunks, lowered, lowering.Sides(0, 1))])
    return partial(tasks.run, _addresses(buffers), threads)


READ, WRITE = "read pass", "write pass"
PASSES = {READ: read_pass, WRITE: write_pass}
