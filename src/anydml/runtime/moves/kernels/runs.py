"""Rows that are contiguous on both sides."""

from __future__ import annotations

from anydml.runtime.moves.kernels.frame import CHUNK_BYTES, Frame, Lowered, Shape, ahead_of_rows
from anydml.runtime.moves.kernels.rows import copy_row, copy_short_row, short_row_steps
from anydml.runtime.moves.plan import LINE_BYTES, MovePlan
from anydml.runtime.native.emit import SECOND_LEVEL, Value

GRAIN_BYTES = 64 * 1024
SHORT_ROW_BYTES = 1024
"""Shorter rows that follow one another in the destination are staged and written together."""
SOURCE_BLOCK_BYTES = 32 * 1024
WRITTEN_BLOCK_BYTES = 1024
LONG_ROW_BYTES = 4096
"""Longer rows are worth finding their first whole line."""
STEPPED_ROW_BYTES = 256
"""How many vectors shorter rows take is part of the machine code."""


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    across, rows, run = plan.inner
    row_bytes = run.size * plan.element_bytes
    staged = stream and row_bytes < SHORT_ROW_BYTES and rows.destination_stride == row_bytes
    block = rows.size
    if across.size > 1:
        block = max(SOURCE_BLOCK_BYTES // abs(rows.source_stride), WRITTEN_BLOCK_BYTES // row_bytes, 1)
    if staged:
        block = min(block, CHUNK_BYTES // row_bytes)
    grain = 0 if rows.size > 1 else -(-GRAIN_BYTES // plan.element_bytes)
    ahead = _ahead(plan, block)
    way = "staged" if staged else "streamed" if stream else "aligned" if row_bytes >= LONG_ROW_BYTES else "plain"
    steps = short_row_steps(row_bytes, vector_bytes) if rows.size > 1 and row_bytes <= STEPPED_ROW_BYTES else ()
    shape = Shape("runs", 1, vector_bytes, stream, (way, "ahead" if ahead else "alone", *steps))
    return Lowered(shape, (block, ahead), (0, block if across.size > 1 else 1, grain), (1, 0, 2))


def _ahead(plan: MovePlan, block: int) -> int:
    """How far from a row's bytes those lie that are to be asked for."""
    across, rows, run = plan.inner
    row_bytes = run.size * plan.element_bytes
    if across.size == 1:
        return ahead_of_rows(row_bytes, rows)
    # All rows of a block that lie across are read before the next block, whose rows are then wanted at once.
    follow = block == 1 and abs(across.source_stride) == row_bytes
    return 0 if follow or rows.size < 4 * block else block * rows.source_stride


def emit(f: Frame) -> None:
    """Blocks of rows: what lies across them in the source is read while it is still in the cache."""
    e, (across, rows, _), (block, _) = f.e, f.inner, f.extras
    row_bytes = _row_bytes(f)
    is_staged = f.shape.details[0] == "staged"
    with e.loop(0, rows.size, block) as first, e.loop(0, across.size) as i:
        count = e.minimum(block, e.subtract(rows.size, first))
        source = f.from_source((i, across.source_stride), (first, rows.source_stride))
        target = f.from_destination((i, across.destination_stride), (first, rows.destination_stride))
        start, pitch = (f.staging, row_bytes) if is_staged else (target, rows.destination_stride)
        with e.loop(0, count) as row:
            _copy(f, e.at(start, e.multiply(row, pitch)), e.at(source, e.multiply(row, rows.source_stride)), row_bytes)
        if is_staged:
            copy_row(e, target, f.staging, e.multiply(count, row_bytes), "streamed")


def _copy(f: Frame, target: str, source: str, row_bytes: Value) -> None:
    e, (way, asking, *widths) = f.e, f.shape.details
    ahead = f.extras[1] if asking == "ahead" else None
    if not widths:
        copy_row(e, target, source, row_bytes, "plain" if way == "staged" else str(way), ahead)
        return
    steps = [int(width) for width in widths]
    for line in range(0, sum(steps), LINE_BYTES) if ahead else ():
        e.prefetch(e.at(source, e.add(line, str(ahead))), SECOND_LEVEL)
    copy_short_row(e, target, source, row_bytes, steps)


def _row_bytes(f: Frame) -> Value:
    """The run's bytes now: a long run may have been cut to share the work."""
    run = f.inner[2]
    return f.e.multiply(run.size, run.destination_stride)
