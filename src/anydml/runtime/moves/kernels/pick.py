"""Elements a few places apart, or walked backwards, picked out of whole vectors.

Channels that lie beside each other in the source (a pixel's colours) are picked in the same pass, so the
source is read once, and always forwards: hardware reads ahead of those who walk forwards.
"""

from __future__ import annotations

from anydml.runtime.moves.kernels.ends import Ends, ends_where
from anydml.runtime.moves.kernels.frame import (
    AHEAD_BYTES,
    CHUNK_BYTES,
    FORESEEN_ROW_BYTES,
    Frame,
    Lowered,
    Shape,
    ahead_of_rows,
    power_at_most,
    rows_ahead,
)
from anydml.runtime.moves.kernels.lanes import Lanes
from anydml.runtime.moves.kernels.pending import Rows, Writer
from anydml.runtime.moves.plan import LINE_BYTES, ONCE, MovePlan
from anydml.runtime.native.emit import FIRST_LEVEL, SECOND_LEVEL, Value

GRAIN_BYTES = 16 * 1024
MOST_UNWOVEN = 128
"""Elements taken apart at once: more would take the compiler long to think through."""


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    channels, row = plan.inner
    element = plan.element_bytes
    lanes = min(vector_bytes // element, power_at_most(row.size))
    # Channels that meet lines at different places cannot all be streamed to, unless they are staged.
    uneven = channels.size > 1 and channels.destination_stride % LINE_BYTES != 0
    way = "staged" if plan.converts or (stream and uneven) else "direct"
    streams = stream and (way == "staged" or lanes * element == vector_bytes)
    step = row.source_stride // element
    level, ahead = _ahead(plan, way)
    shape = Shape("pick", element, vector_bytes, streams, (step, channels.size, lanes, way, level))
    line = max(lanes, LINE_BYTES // element)
    chunk = max(line, 2 * CHUNK_BYTES // (element * channels.size) // line * line)
    return Lowered(shape, (chunk, ahead), (0, GRAIN_BYTES // element), (1, 0), placed=1)


def _ahead(plan: MovePlan, way: str) -> tuple[int, int]:
    """What is asked for: into a cache of which level, 0 for nothing, and how far ahead."""
    _, row = plan.inner
    rows = plan.outer[-1] if plan.outer else ONCE
    row_bytes = row.size * abs(row.source_stride)
    if row.source_stride == -plan.element_bytes:
        # Hardware is slow to read on while lines are written backwards.
        following = 0 if row_bytes > FORESEEN_ROW_BYTES else rows_ahead(row_bytes, rows)
        return FIRST_LEVEL, following or AHEAD_BYTES
    following = ahead_of_rows(row_bytes, rows)
    if way == "staged":  # while a chunk is written nothing would be read
        following = following or AHEAD_BYTES
    return SECOND_LEVEL if following else 0, following


def emit(f: Frame) -> None:
    if f.shape.details[3] == "staged":
        _emit_staged(f)
    else:
        _emit_direct(f)


def _emit_direct(f: Frame) -> None:
    e, size = f.e, f.inner[1].size
    head = _elements_to_line(f) if f.shape.stream else 0
    stride = f.inner[0].destination_stride
    lanes, at_once = _lanes(f).count, _vectors_at_once(f)
    # Elements that straddle lines are all before the first line, more than may be read as vectors.
    readable = e.maximum(e.subtract(_readable(f, 0, size), head), 0)
    whole = e.add(head, e.mask(readable, -lanes))
    lines = e.add(head, e.mask(readable, -lanes * at_once)) if at_once > 1 else head
    _pick_elements(f, 0, head, 0, f.destination, stride)
    if at_once > 1:
        _pick_vectors(f, head, lines, 0, f.destination, stride, f.shape.stream, at_once=at_once)
    _pick_vectors(f, lines, whole, 0, f.destination, stride, f.shape.stream)
    _pick_elements(f, whole, size, 0, f.destination, stride)


def _vectors_at_once(f: Frame) -> int:
    """As many as a line has where several channels are streamed to: each line is written at once."""
    is_shared = f.shape.stream and _channels(f) > 1 and _step(f) > 0
    return LINE_BYTES // f.shape.vector_bytes if is_shared else 1


def _emit_staged(f: Frame) -> None:
    e, (channels, row), chunk = f.e, f.inner, f.extras[2]
    element, lanes = f.shape.element_bytes, _lanes(f).count
    pitch = e.multiply(e.add(chunk, LINE_BYTES // element), element)
    writer = Writer(f, f.shape.stream and not f.shape.written, _channels(f) * lanes * element)
    with e.loop(0, row.size, chunk) as wanted:
        count = e.minimum(chunk, e.subtract(row.size, wanted))
        start = wanted if _step(f) > 0 else e.subtract(e.subtract(row.size, wanted), count)
        ends = _ends(f, start, count) if writer.is_piped else Ends()
        first, staged = e.subtract(start, ends.more), writer.staging()
        total = e.add(count, ends.more)
        whole = e.mask(_readable(f, first, total), -lanes)
        _pick_vectors(f, 0, whole, first, staged, pitch, stream=False, writer=writer)
        _pick_elements(f, whole, total, first, staged, pitch)
        destination, size = f.from_destination((start, f.written_bytes)), e.multiply(count, element)
        inside = e.at(staged, e.multiply(ends.more, element))
        stride = channels.destination_stride
        writer.write(Rows(inside, destination, _channels(f), size, pitch, stride, ends.before, ends.until))
    writer.finish()


def _ends(f: Frame, start: Value, count: Value) -> Ends:
    """Of two chunks that follow one another, the second writes the line between them, unless it is the row's first."""
    e, line, (before, after) = f.e, LINE_BYTES // f.shape.element_bytes, f.extras[:2]
    first = e.add(before, start)
    last = e.add(first, count)
    rest = e.subtract(e.add(e.add(before, f.inner[1].size), after), last)
    begins = e.value(f"icmp sge i64 {first}, {line}")
    is_far = e.value(f"icmp sge i64 {last}, {line}")
    ends = e.value(f"select i1 {e.value(f'icmp eq i64 {rest}, 0')}, i1 false, i1 {is_far}")
    return ends_where(f, begins, ends, line)


def _step(f: Frame) -> int:
    return int(f.shape.details[0])


def _channels(f: Frame) -> int:
    return int(f.shape.details[1])


def _lanes(f: Frame) -> Lanes:
    return Lanes(f.shape.element_bytes, int(f.shape.details[2]))


def _elements_to_line(f: Frame) -> Value:
    """How many elements come before the destination's first whole line; all, if they straddle lines."""
    e, element, size = f.e, f.shape.element_bytes, f.inner[1].size
    address = e.value(f"ptrtoint ptr {f.destination} to i64")
    before = e.mask(e.subtract(0, address), LINE_BYTES - 1)
    straddles = e.value(f"icmp ne i64 {e.mask(address, element - 1)}, 0")
    count = e.minimum(e.value(f"udiv i64 {before}, {element}"), size)
    return e.value(f"select i1 {straddles}, i64 {size}, i64 {count}")


def _readable(f: Frame, start: Value, count: Value) -> Value:
    """How many places may be read as whole vectors. Those take in the gap after the last place of a row,
    which need not belong to the buffer, so the last place is left out."""
    e = f.e
    if _channels(f) == abs(_step(f)):
        return count
    before_last = e.subtract(e.subtract(f.inner[1].size, 1), start)
    return e.minimum(count, before_last)


def _pick_elements(f: Frame, first: Value, end: Value, start: Value, target: str, pitch: Value) -> None:
    """Places `first` to `end`, one by one; `start` is how far the target begins into the row."""
    e, element = f.e, f.shape.element_bytes
    kind = f"i{element * 8}"
    with e.loop(first, end) as i:
        for channel in range(_channels(f)):
            source = f.from_source((e.add(start, i), _step(f) * element), (channel, element))
            place = e.at(e.at(target, e.multiply(channel, pitch)), e.multiply(i, element))
            e.store(kind, e.load(kind, source), place)


def _pick_vectors(
    f: Frame,
    first: Value,
    end: Value,
    start: Value,
    target: str,
    pitch: Value,
    stream: bool,
    writer: Writer | None = None,
    at_once: int = 1,
) -> None:
    """The same, some vectors of places at once; walked backwards, the last places come first."""
    e, element, step, lanes = f.e, f.shape.element_bytes, _step(f), _lanes(f)
    apart, channels, level = abs(step), _channels(f), int(f.shape.details[4])
    # Backwards, a vector begins at the last place it holds, and the gap comes before a place.
    gap = 0 if step > 0 else apart - channels
    lowest = 0 if step > 0 else (lanes.count - 1) * step - gap
    with e.loop(first, end, lanes.count * at_once) as i:
        place = i if step > 0 else e.subtract(e.add(first, e.subtract(end, lanes.count)), i)
        base = f.from_source((e.add(start, place), step * element), (lowest, element))
        parts = [e.at(base, part * lanes.count * element) for part in range(apart * at_once)]
        for part in parts if level else ():
            e.prefetch(e.at(part, f.extras[3]), level)
        vectors = [lanes.load(e, part) for part in parts]
        wanted = [gap + channel for channel in range(channels)]
        picks = [_picks(f, vectors[number : number + apart], wanted) for number in range(0, len(vectors), apart)]
        for channel in range(channels):
            into = e.at(e.at(target, e.multiply(channel, pitch)), e.multiply(place, element))
            for number, picked in enumerate(picks):
                lanes.store(e, picked[channel], e.at(into, number * lanes.count * element), stream)
        if writer is not None:
            writer.go_on()


def _picks(f: Frame, vectors: list[str], channels: list[int]) -> list[str]:
    """The wanted channels out of all that the vectors hold."""
    e, lanes, apart = f.e, _lanes(f), len(vectors)
    order = range(lanes.count)[:: 1 if _step(f) > 0 else -1]
    if apart not in (2, 4, 8) or apart * lanes.count > MOST_UNWOVEN:
        return [lanes.merge(e, vectors, [place * apart + channel for place in order]) for channel in channels]
    planes = lanes.unweave(e, vectors)
    picked = [planes[channel] for channel in channels]
    return picked if _step(f) > 0 else [lanes.shuffle(e, plane, None, order) for plane in picked]
