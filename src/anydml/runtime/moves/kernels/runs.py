"""Rows that are contiguous on both sides."""

from __future__ import annotations

from anydml.runtime.moves.emit import LINE_BYTES
from anydml.runtime.moves.kernels.frame import CHUNK_BYTES, Frame, Lowered, Shape
from anydml.runtime.moves.kernels.rows import copy_row
from anydml.runtime.moves.plan import MovePlan

GRAIN_BYTES = 64 * 1024
SHORT_ROW_BYTES = 1024
"""Shorter rows that follow one another in the destination are staged and written together."""
SOURCE_BLOCK_BYTES = 32 * 1024
WRITTEN_BLOCK_BYTES = 1024
LINES_AHEAD = 8


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    across, rows, run = plan.inner
    row_bytes = run.size * plan.element_bytes
    staged = stream and row_bytes < SHORT_ROW_BYTES and rows.destination_stride == row_bytes
    shape = Shape("runs", 1, vector_bytes, stream, ("staged" if staged else "direct",))
    block = rows.size
    if across.size > 1:
        block = max(SOURCE_BLOCK_BYTES // abs(rows.source_stride), WRITTEN_BLOCK_BYTES // row_bytes, 1)
    if staged:
        block = min(block, CHUNK_BYTES // row_bytes)
    grain = 0 if rows.size > 1 else -(-GRAIN_BYTES // plan.element_bytes)
    return Lowered(shape, (block,), (0, block if across.size > 1 else 1, grain))


def emit(f: Frame) -> None:
    """Blocks of rows: what lies across them in the source is read while it is still in the cache."""
    e, (across, rows, _), (block,) = f.e, f.inner, f.extras
    row_bytes = _row_bytes(f)
    with e.loop(0, rows.size, block) as first, e.loop(0, across.size) as i:
        count = e.minimum(block, e.subtract(rows.size, first))
        source = f.from_source((i, across.source_stride), (first, rows.source_stride))
        target = f.from_destination((i, across.destination_stride), (first, rows.destination_stride))
        staged = f.shape.details == ("staged",)
        with e.loop(0, count) as row:
            row_source = e.at(source, e.multiply(row, rows.source_stride))
            _read_ahead(f, row_source, row_bytes)
            start, pitch = (f.staging, row_bytes) if staged else (target, rows.destination_stride)
            place = e.at(start, e.multiply(row, pitch))
            copy_row(e, place, row_source, row_bytes, f.shape.stream and not staged)
        if staged:
            copy_row(e, target, f.staging, e.multiply(count, row_bytes), stream=True)


def _read_ahead(f: Frame, source: str, row_bytes: str) -> None:
    """Asks for the head of the next row, which hardware cannot foresee."""
    e = f.e
    following = e.at(source, f.inner[1].source_stride)
    with e.loop(0, e.minimum(row_bytes, LINES_AHEAD * LINE_BYTES), LINE_BYTES) as offset:
        e.prefetch(e.at(following, offset))


def _row_bytes(f: Frame) -> str:
    """The run's bytes now: a long run may have been cut to share the work."""
    run = f.inner[2]
    return str(f.e.multiply(run.size, run.destination_stride))
