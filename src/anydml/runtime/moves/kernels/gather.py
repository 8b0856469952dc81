"""Any source, one element at a time, staged into contiguous rows."""

from __future__ import annotations

from anydml.runtime.moves.kernels.frame import CHUNK_BYTES, Frame, Lowered, Shape, even_parts
from anydml.runtime.moves.kernels.write import write_row
from anydml.runtime.moves.plan import LINE_BYTES, MovePlan
from anydml.runtime.native.emit import Value

SOURCE_ROW_BYTES = 256
GRAIN_BYTES = 4096
UNROLLED = 8


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    across, row = plan.inner
    element = plan.element_bytes
    near = max(1, SOURCE_ROW_BYTES // max(1, abs(across.source_stride)))
    across_tile = even_parts(across.size, near, 1)
    row_tile = even_parts(row.size, CHUNK_BYTES // (element * across_tile), LINE_BYTES // element)
    # The longer walk is the inner one; across goes first, to use up a source line while it is there.
    inner = "across" if across_tile >= UNROLLED else "row"
    shape = Shape("gather", element, vector_bytes, stream, (inner,))
    return Lowered(shape, (across_tile, row_tile), (across_tile, GRAIN_BYTES // element), (1, 0))


def emit(f: Frame) -> None:
    """Streamed rows are staged, to be written in whole lines; others are written at once."""
    e, element, (across_tile, row_tile) = f.e, f.shape.element_bytes, f.extras
    across, row = f.inner
    with e.loop(0, row.size, row_tile) as row_start, e.loop(0, across.size, across_tile) as start:
        row_count = e.minimum(row_tile, e.subtract(row.size, row_start))
        across_count = e.minimum(across_tile, e.subtract(across.size, start))
        row_bytes = e.multiply(row_count, element)
        source = f.from_source((row_start, row.source_stride), (start, across.source_stride))
        destination = f.from_destination((row_start, f.written_bytes), (start, across.destination_stride))
        if f.shape.stream:
            _gather(f, source, f.staging, row_bytes, across_count, row_count)
            with e.loop(0, across_count) as j:
                target = e.at(destination, e.multiply(j, across.destination_stride))
                write_row(f, target, f.from_staging((j, row_bytes)), row_bytes)
        else:
            _gather(f, source, destination, across.destination_stride, across_count, row_count)


def _gather(f: Frame, source: str, target: str, pitch: Value, across_count: Value, row_count: Value) -> None:
    """Moves a block of elements to rows that lie `pitch` bytes apart."""
    e, element = f.e, f.shape.element_bytes
    across, row = f.inner
    walks = [(across_count, across.source_stride, pitch), (row_count, row.source_stride, element)]
    outer, inner = walks if f.shape.details == ("row",) else walks[::-1]
    kind = f"i{element * 8}"
    with e.loop(0, outer[0]) as i:
        line, place = e.at(source, e.multiply(i, outer[1])), e.at(target, e.multiply(i, outer[2]))

        def move(numbers: list[Value]) -> None:
            values = [e.load(kind, e.at(line, e.multiply(number, inner[1]))) for number in numbers]
            for number, value in zip(numbers, values, strict=True):
                e.store(kind, value, e.at(place, e.multiply(number, inner[2])))

        e.unrolled(inner[0], UNROLLED, move)
