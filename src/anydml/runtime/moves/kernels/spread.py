"""Small groups of elements, such as pixels, with gaps between them: the bytes in the gaps are never written.

As many groups as a vector has lanes are put together out of whole vectors, and stored without the lanes between them.
"""

from __future__ import annotations

from anydml.runtime.moves.kernels.frame import Frame, Lowered, Shape, power_at_least, power_at_most
from anydml.runtime.moves.kernels.lanes import WIDEST_LANE, Lanes
from anydml.runtime.moves.kernels.scatter import MASKED_VECTOR_BYTES
from anydml.runtime.moves.plan import MovePlan
from anydml.runtime.native.emit import Value

GRAIN_BYTES = 8 * 1024
UNROLLED = 4
WIDEST_PIECE = 16
ONE = -1
"""In place of the distance between groups in the source: one element is repeated."""


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    groups, row = plan.inner
    element = plan.element_bytes
    # Groups lie together in the source, or each of their elements in a plane of its own, or there is one element.
    apart = groups.source_stride // element if row.source_stride == element else 0
    apart = apart if groups.source_stride or row.source_stride else ONE
    has_masks = vector_bytes == MASKED_VECTOR_BYTES and element <= WIDEST_LANE
    details = row.size, apart, groups.destination_stride // element, vector_bytes // element if has_masks else 0
    return Lowered(Shape("spread", element, vector_bytes, False, details), (), (GRAIN_BYTES // element, 0), (0, 1))


def emit(f: Frame) -> None:
    start = _move_vectors(f) if f.shape.details[-1] else 0
    _move_one_by_one(f, start)


def _move_vectors(f: Frame) -> Value:
    """As many groups as are whole vectors; returns how many that were."""
    e, element, (groups, row) = f.e, f.shape.element_bytes, f.inner
    size, apart, pitch, count = (int(detail) for detail in f.shape.details)
    lanes = Lanes(element, count)
    # The last group's gap may lie outside the tensor.
    left = e.subtract(groups.size, 1) if apart > size else groups.size
    whole = e.mask(left, -count)
    with e.loop(0, whole, count) as i:
        source = f.from_source((i, groups.source_stride))
        if apart == ONE:
            one = Lanes(element, 1)
            loaded = [one.shuffle(e, one.load(e, source), None, [0] * count)]
        elif apart:
            loaded = [lanes.load(e, e.at(source, number * count * element)) for number in range(apart)]
        else:
            loaded = [lanes.load(e, e.at(source, e.multiply(row.source_stride, n))) for n in range(size)]
        target = f.from_destination((i, groups.destination_stride))
        wanted = [place % pitch < size for place in range(pitch * count)]
        for number, value in enumerate(_spread(f, lanes, loaded)):
            first = number * count
            lanes.store_some(e, value, e.at(target, first * element), wanted[first : first + count])
    return whole


def _spread(f: Frame, lanes: Lanes, loaded: list[str]) -> list[str]:
    """The vectors of the destination; what is in their gaps does not matter."""
    size, apart, pitch, count = (int(detail) for detail in f.shape.details)
    if apart == ONE:
        return loaded * pitch
    if not apart:
        if pitch & (pitch - 1) == 0:
            return lanes.weave(f.e, loaded + loaded[:1] * (pitch - size))
        loaded = lanes.weave(f.e, loaded)
    places = [place // pitch * (apart or size) + min(place % pitch, size - 1) for place in range(pitch * count)]
    return [lanes.select(f.e, loaded, places[first : first + count]) for first in range(0, pitch * count, count)]


def _move_one_by_one(f: Frame, start: Value) -> None:
    """Groups from here on, piece by piece."""
    e, (groups, row) = f.e, f.inner
    size, apart, *_ = (int(detail) for detail in f.shape.details)
    element = f.shape.element_bytes
    # Where a group's elements lie together, several are moved as one; the last piece may repeat some.
    pieces = _pieces(size * element) if apart > 0 else [(number * element, element) for number in range(size)]
    source = f.from_source((start, groups.source_stride))
    destination = f.from_destination((start, groups.destination_stride))

    def move(places: list[Value]) -> None:
        found = []
        for place in places:
            group = e.at(source, e.multiply(place, groups.source_stride))
            for offset, width in pieces:
                distance = offset if apart > 0 else e.multiply(row.source_stride, offset // element)
                found.append(e.load(f"i{8 * width}", e.at(group, distance)))
        values = iter(found)
        for place in places:
            group = e.at(destination, e.multiply(place, groups.destination_stride))
            for offset, width in pieces:
                e.store(f"i{8 * width}", next(values), e.at(group, offset))

    e.unrolled(e.subtract(groups.size, start), UNROLLED, move)


def _pieces(size: int) -> list[tuple[int, int]]:
    """Where pieces begin that together are so many bytes, and how long they are."""
    width = min(WIDEST_PIECE, power_at_most(size))
    pieces = [(offset, width) for offset in range(0, size - width + 1, width)]
    left = size - len(pieces) * width
    return pieces + ([(size - power_at_least(left), power_at_least(left))] if left else [])
