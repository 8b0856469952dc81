"""Elements whose neighbours in the destination belong to others: the bytes between them are never written."""

from __future__ import annotations

from anydml.runtime.moves.kernels.frame import Frame, Lowered, Shape
from anydml.runtime.moves.kernels.lanes import WIDEST_LANE, Lanes
from anydml.runtime.moves.plan import MovePlan
from anydml.runtime.native.emit import Value

GRAIN_BYTES = 4096
UNROLLED = 8
MASKED_VECTOR_BYTES = 64
"""Machines with vectors so wide can leave out lanes of a store."""
FARTHEST_SPREAD = 8


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    (row,) = plan.inner
    element = plan.element_bytes
    step, uneven = divmod(row.destination_stride, element)
    spreads = not uneven and step <= FARTHEST_SPREAD and element <= WIDEST_LANE and row.source_stride == element
    details = (step,) if spreads and vector_bytes == MASKED_VECTOR_BYTES else ()
    shape = Shape("scatter", element, vector_bytes, False, details)
    return Lowered(shape, (), (GRAIN_BYTES // element,))


def emit(f: Frame) -> None:
    start = _spread(f, int(f.shape.details[0])) if f.shape.details else 0
    _move_one_by_one(f, start)


def _spread(f: Frame, step: int) -> Value:
    """Spreads whole vectors of a contiguous source; returns how many elements that were."""
    e, element, (row,) = f.e, f.shape.element_bytes, f.inner
    lanes = Lanes(element, f.shape.vector_bytes // element)
    whole = e.mask(row.size, -lanes.count)
    with e.loop(0, whole, lanes.count) as i:
        value = lanes.load(e, f.from_source((i, element)))
        target = f.from_destination((i, step * element))
        for part in range(step):
            places = range(part * lanes.count, (part + 1) * lanes.count)
            wanted = [-1 if place % step else place // step for place in places]
            spread = lanes.shuffle(e, value, None, wanted)
            lanes.store_some(e, spread, e.at(target, part * f.shape.vector_bytes), [lane >= 0 for lane in wanted])
    return whole


def _move_one_by_one(f: Frame, start: Value) -> None:
    e, (row,) = f.e, f.inner
    kind = f"i{f.shape.element_bytes * 8}"
    source = f.from_source((start, row.source_stride))
    destination = f.from_destination((start, row.destination_stride))

    def move(places: list[Value]) -> None:
        values = [e.load(kind, e.at(source, e.multiply(place, row.source_stride))) for place in places]
        for place, value in zip(places, values, strict=True):
            e.store(kind, value, e.at(destination, e.multiply(place, row.destination_stride)))

    e.unrolled(e.subtract(row.size, start), UNROLLED, move)
