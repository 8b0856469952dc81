"""Any source, one element at a time, staged into contiguous rows."""

from __future__ import annotations

from anydml.runtime.moves.emit import LINE_BYTES
from anydml.runtime.moves.kernels.frame import STAGING_BYTES, Frame, Lowered, Shape, even_parts
from anydml.runtime.moves.kernels.rows import copy_row
from anydml.runtime.moves.plan import MovePlan

SOURCE_ROW_BYTES = 256
GRAIN_BYTES = 4096


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    across, row = plan.inner
    element = plan.element_bytes
    shape = Shape("gather", element, vector_bytes, stream)
    near = max(1, SOURCE_ROW_BYTES // max(1, abs(across.source_stride)))
    across_tile = even_parts(across.size, near, 1)
    row_tile = even_parts(row.size, STAGING_BYTES // (element * across_tile), LINE_BYTES // element)
    return Lowered(shape, (across_tile, row_tile), (across_tile, GRAIN_BYTES // element))


def emit(f: Frame) -> None:
    e, element, (across_tile, row_tile) = f.e, f.shape.element_bytes, f.extras
    across, row = f.inner
    kind = f"i{element * 8}"
    with e.loop(0, row.size, row_tile) as row_start, e.loop(0, across.size, across_tile) as start:
        row_count = e.minimum(row_tile, e.subtract(row.size, row_start))
        across_count = e.minimum(across_tile, e.subtract(across.size, start))
        pitch = e.multiply(row_count, element)
        source = f.from_source((row_start, row.source_stride), (start, across.source_stride))
        with e.loop(0, row_count) as i, e.loop(0, across_count) as j:
            place = e.add(e.multiply(i, row.source_stride), e.multiply(j, across.source_stride))
            value = e.load(kind, e.at(source, place))
            e.store(kind, value, f.from_staging((j, pitch), (i, element)))
        destination = f.from_destination((row_start, element), (start, across.destination_stride))
        with e.loop(0, across_count) as j:
            target = e.at(destination, e.multiply(j, across.destination_stride))
            copy_row(e, target, f.from_staging((j, pitch)), pitch, f.shape.stream)
