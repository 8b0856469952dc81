"""Rows that are contiguous on both sides."""

from __future__ import annotations

from anydml.runtime.moves.kernels.frame import STAGING_BYTES, Frame, Lowered, Shape
from anydml.runtime.moves.kernels.rows import copy_row
from anydml.runtime.moves.plan import MovePlan

GRAIN_BYTES = 64 * 1024


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    rows, run = plan.inner
    row_bytes = run.size * plan.element_bytes
    staged = stream and rows.size > 1
    shape = Shape("runs", 1, vector_bytes, stream, ("staged" if staged else "direct",))
    extras = (max(1, STAGING_BYTES // row_bytes),)
    grain = 0 if rows.size > 1 else -(-GRAIN_BYTES // plan.element_bytes)
    return Lowered(shape, extras, (16, grain))


def emit(f: Frame) -> None:
    e, rows = f.e, f.inner[0]
    row_bytes, rows_a_tile = _row_bytes(f), f.extras[0]
    if f.shape.details == ("direct",):
        with e.loop(0, rows.size) as row:
            destination = f.from_destination((row, rows.destination_stride))
            copy_row(e, destination, f.from_source((row, rows.source_stride)), row_bytes, f.shape.stream)
        return
    with e.loop(0, rows.size, rows_a_tile) as first:
        count = e.minimum(rows_a_tile, e.subtract(rows.size, first))
        with e.loop(0, count) as row:
            source = f.from_source((e.add(first, row), rows.source_stride))
            copy_row(e, f.from_staging((row, row_bytes)), source, row_bytes, stream=False)
        destination = f.from_destination((first, rows.destination_stride))
        copy_row(e, destination, f.staging, e.multiply(count, row_bytes), stream=True)


def _row_bytes(f: Frame) -> str:
    """The run's bytes now: a long run may have been cut to share the work."""
    run = f.inner[1]
    return str(f.e.multiply(run.size, run.destination_stride))
