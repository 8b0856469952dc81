"""Elements that are written one by one because the bytes between them belong to others."""

from __future__ import annotations

from anydml.runtime.moves.emit import Value
from anydml.runtime.moves.kernels.frame import Frame, Lowered, Shape
from anydml.runtime.moves.plan import MovePlan

GRAIN_BYTES = 4096
UNROLLED = 8


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    shape = Shape("scatter", plan.element_bytes, vector_bytes, False)
    return Lowered(shape, (), (GRAIN_BYTES // plan.element_bytes,))


def emit(f: Frame) -> None:
    e, (row,) = f.e, f.inner
    kind = f"i{f.shape.element_bytes * 8}"

    def move(places: list[Value]) -> None:
        values = [e.load(kind, f.from_source((place, row.source_stride))) for place in places]
        for place, value in zip(places, values, strict=True):
            e.store(kind, value, f.from_destination((place, row.destination_stride)))

    e.unrolled(row.size, UNROLLED, move)
