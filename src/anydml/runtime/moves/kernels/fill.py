"""One source element repeated along a contiguous row."""

from __future__ import annotations

from anydml.runtime.moves.kernels.frame import Frame, Lowered, Shape
from anydml.runtime.moves.kernels.lanes import Lanes
from anydml.runtime.moves.kernels.rows import copy_row
from anydml.runtime.moves.plan import MovePlan

PATTERN_BYTES = 4096
GRAIN_BYTES = 64 * 1024


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    shape = Shape("fill", plan.element_bytes, vector_bytes, stream)
    return Lowered(shape, (), (GRAIN_BYTES // plan.element_bytes,))


def emit(f: Frame) -> None:
    """A staged pattern of the element is written as often as it takes."""
    e, element = f.e, f.shape.element_bytes
    lanes = Lanes(element, f.shape.vector_bytes // element)
    row_bytes = e.multiply(f.inner[0].size, element)
    first = Lanes(element, 1).load(e, f.source)
    pattern = Lanes(element, 1).shuffle(e, first, None, [0] * lanes.count)
    with e.loop(0, e.minimum(row_bytes, PATTERN_BYTES), f.shape.vector_bytes) as i:
        lanes.store(e, pattern, e.at(f.staging, i))
    with e.loop(0, row_bytes, PATTERN_BYTES) as start:
        count = e.minimum(PATTERN_BYTES, e.subtract(row_bytes, start))
        copy_row(e, e.at(f.destination, start), f.staging, count, f.way)
