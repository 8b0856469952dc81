"""A few planes woven into one: the planes of an image become the channels of its pixels."""

from __future__ import annotations

from anydml.runtime.moves.kernels.frame import AHEAD_BYTES, CHUNK_BYTES, Frame, Lowered, Shape, power_at_most
from anydml.runtime.moves.kernels.lanes import Lanes
from anydml.runtime.moves.kernels.write import write_row
from anydml.runtime.moves.plan import MovePlan
from anydml.runtime.native.emit import SECOND_LEVEL

GRAIN_BYTES = 8 * 1024


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    places, channels = plan.inner
    element = plan.element_bytes
    lanes = min(vector_bytes // element, power_at_most(places.size))
    shape = Shape("weave", element, vector_bytes, stream, (channels.size, lanes))
    chunk = max(lanes, CHUNK_BYTES // (element * channels.size) // lanes * lanes)
    return Lowered(shape, (chunk,), (GRAIN_BYTES // element, 0), (0, 1))


def emit(f: Frame) -> None:
    e, element, (chunk,) = f.e, f.shape.element_bytes, f.extras
    channel_count, lane_count = (int(detail) for detail in f.shape.details)
    places, channels = f.inner
    lanes = Lanes(element, lane_count)
    count = e.minimum(chunk, places.size)
    pixel = channel_count * element
    with e.loop(0, places.size, chunk) as wanted_start:
        # The last chunk begins early enough to be whole: some places are written twice, alike.
        start = e.minimum(wanted_start, e.subtract(places.size, count))
        with e.loop(0, count, lane_count) as wanted:
            i = e.minimum(wanted, e.subtract(count, lane_count))
            base = f.from_source((e.add(start, i), element))
            planes = [e.at(base, e.multiply(channel, channels.source_stride)) for channel in range(channel_count)]
            for plane in planes if f.shape.stream else ():
                e.prefetch(e.at(plane, AHEAD_BYTES // 2), SECOND_LEVEL)
            vectors = [lanes.load(e, plane) for plane in planes]
            for number, value in enumerate(lanes.weave(e, vectors)):
                target = f.from_staging((i, pixel), (number, lane_count * element))
                lanes.store(e, value, target)
        target = f.from_destination((start, channel_count * f.written_bytes))
        write_row(f, target, f.staging, e.multiply(count, pixel))
