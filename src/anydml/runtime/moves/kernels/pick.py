"""Elements a few places apart, or walked backwards, picked out of whole vectors.

Channels that lie beside each other in the source (a pixel's colours) are picked in the same pass, so the
source is read once.
"""

from __future__ import annotations

from anydml.runtime.moves.emit import Value
from anydml.runtime.moves.kernels.frame import STAGING_BYTES, Frame, Lowered, Shape, power_at_most
from anydml.runtime.moves.kernels.lanes import Lanes
from anydml.runtime.moves.kernels.rows import copy_row
from anydml.runtime.moves.plan import MovePlan

GRAIN_BYTES = 16 * 1024


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    channels, row = plan.inner
    element = plan.element_bytes
    lanes = min(vector_bytes // element, power_at_most(row.size))
    shape = Shape("pick", element, vector_bytes, stream, (row.source_stride // element, channels.size, lanes))
    chunk = max(lanes, STAGING_BYTES // (element * channels.size) // 64 * 64)
    return Lowered(shape, (chunk,), (0, GRAIN_BYTES // element))


def emit(f: Frame) -> None:
    e, element, (chunk,) = f.e, f.shape.element_bytes, f.extras
    step, channel_count, lane_count = (int(detail) for detail in f.shape.details)
    channels, row = f.inner
    pitch = e.multiply(chunk, element)
    with e.loop(0, row.size, chunk) as start:
        count = e.minimum(chunk, e.subtract(row.size, start))
        whole = e.mask(_readable(f, start, count, step, channel_count), -lane_count)
        with e.loop(0, whole, lane_count) as i:
            _pick_vectors(f, e.add(start, i), i, pitch)
        with e.loop(whole, count) as i:
            for channel in range(channel_count):
                source = f.from_source((e.add(start, i), step * element), (channel, element))
                value = e.load(f"i{element * 8}", source)
                e.store(f"i{element * 8}", value, f.from_staging((channel, pitch), (i, element)))
        with e.loop(0, channel_count) as channel:
            destination = f.from_destination((start, element), (channel, channels.destination_stride))
            size = e.multiply(count, element)
            copy_row(e, destination, f.from_staging((channel, pitch)), size, f.shape.stream)


def _readable(f: Frame, start: Value, count: Value, step: int, channels: int) -> Value:
    """How many places may be read as whole vectors. Those take in the gap after the last place of a row,
    which need not belong to the buffer, so the last place is left out."""
    if channels == abs(step):
        return count
    e = f.e
    before_last = e.subtract(e.subtract(f.inner[1].size, 1), start)
    return e.minimum(count, before_last)


def _pick_vectors(f: Frame, place: Value, staged: Value, pitch: Value) -> None:
    e, element = f.e, f.shape.element_bytes
    step, channels, count = (int(detail) for detail in f.shape.details)
    lanes, apart = Lanes(element, count), abs(step)
    # Walked backwards, a vector begins at the last place it holds, and the gap comes before a place.
    gap = 0 if step > 0 else apart - channels
    lowest = 0 if step > 0 else (count - 1) * step - gap
    base = f.from_source((place, step * element), (lowest, element))
    vectors = [lanes.load(e, e.at(base, part * count * element)) for part in range(apart)]
    for channel in range(channels):
        order = range(count) if step > 0 else range(count - 1, -1, -1)
        wanted = [at * apart + gap + channel for at in order]
        target = f.from_staging((channel, pitch), (staged, element))
        lanes.store(e, lanes.merge(e, vectors, wanted), target)
