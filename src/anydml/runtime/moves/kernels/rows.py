"""Copying one contiguous row of bytes, the last step of most kernels."""

from __future__ import annotations

from collections.abc import Sequence

from anydml.runtime.moves.plan import LINE_BYTES
from anydml.runtime.native.emit import SECOND_LEVEL, Emitter, Value, vector

UNROLLED_LINES = 4
SMALL_STEP = 8
"""A few bytes that are left over are copied by a step of this width."""


def copy_row(e: Emitter, destination: str, source: str, size: Value, way: str, ahead: Value | None = None) -> None:
    """Copies `size` bytes: "plain"; "aligned", for long rows, to whole lines; or "streamed", past the caches. With
    every line of the source, the one `ahead` bytes from it is asked for."""
    name = f"{way}_row" if ahead is None else f"{way}_row_ahead"
    if not e.has_function(name):
        with e.function(name, "ptr noalias %to, ptr noalias %from, i64 %size, i64 %ahead"):
            _copy_row(e, "%to", "%from", "%size", way, None if ahead is None else "%ahead")
    e.do(f"call void @{name}(ptr {destination}, ptr {source}, i64 {size}, i64 {ahead or 0})")


def short_row_steps(size: int, vector_bytes: int) -> tuple[int, ...]:
    """The widths of the steps in which `copy_short_row` copies a row of `size` bytes. The last one ends with the row
    and may overlap the one before it, so rows of many sizes take the same steps."""
    width = min(vector_bytes, LINE_BYTES, 1 << (size.bit_length() - 1))
    count, rest = divmod(size, width)
    last = SMALL_STEP if rest <= SMALL_STEP < width else width
    return (width,) * count + ((last,) if rest else ())


def copy_short_row(e: Emitter, destination: str, source: str, size: Value, steps: Sequence[int]) -> None:
    """Copies a row without a test or a call. Bytes in two steps are written twice, alike."""
    *first, last = steps
    places: list[tuple[Value, int]] = [(number * width, width) for number, width in enumerate(first)]
    places.append((e.subtract(size, last) if first else 0, last))
    values = [e.load(vector(width, "i8"), e.at(source, offset)) for offset, width in places]
    for (offset, width), value in zip(places, values, strict=True):
        e.store(vector(width, "i8"), value, e.at(destination, offset))


def _copy_row(e: Emitter, destination: str, source: str, size: Value, way: str, ahead: str | None) -> None:
    stream = way == "streamed"
    if way != "plain":
        head = bytes_to_line(e, destination, size)
        copy_less_than_line(e, destination, source, head)
        destination, source = e.at(destination, head), e.at(source, head)
        size = e.subtract(size, head)
    bulk = e.mask(size, -LINE_BYTES * UNROLLED_LINES)
    with e.loop(0, bulk, LINE_BYTES * UNROLLED_LINES) as i:
        offsets = [e.add(i, line * LINE_BYTES) for line in range(UNROLLED_LINES)]
        for offset in offsets if ahead else ():
            e.prefetch(e.at(source, e.add(offset, str(ahead))), SECOND_LEVEL)
        for offset in offsets:
            copy_line(e, destination, source, offset, stream)
    whole = e.mask(size, -LINE_BYTES)
    with e.loop(bulk, whole, LINE_BYTES) as i:
        if ahead:
            e.prefetch(e.at(source, e.add(i, ahead)), SECOND_LEVEL)
        copy_line(e, destination, source, i, stream)
    rest = e.mask(size, LINE_BYTES - 1)
    copy_less_than_line(e, e.at(destination, whole), e.at(source, whole), rest)


def bytes_to_line(e: Emitter, pointer: str, limit: Value) -> Value:
    """How many bytes lie between `pointer` and the next line, at most `limit`."""
    address = e.value(f"ptrtoint ptr {pointer} to i64")
    return e.minimum(e.mask(e.subtract(0, address), LINE_BYTES - 1), limit)


def copy_line(e: Emitter, destination: str, source: str, offset: Value, stream: bool) -> None:
    width = min(e.vector_bytes, LINE_BYTES)
    kind = vector(width, "i8")
    pieces = range(0, LINE_BYTES, width)
    values = [e.load(kind, e.at(source, e.add(offset, piece))) for piece in pieces]
    align = width if stream else 1
    for piece, value in zip(pieces, values, strict=True):
        e.store(kind, value, e.at(destination, e.add(offset, piece)), align, stream)


def copy_less_than_line(e: Emitter, destination: str, source: str, size: Value) -> None:
    """0 to 63 bytes: one move for each bit of the size, largest first; no byte is written twice."""
    if not e.has_function("copy_rest"):
        with e.function("copy_rest", "ptr noalias %to, ptr noalias %from, i64 %size"):
            for width in (32, 16, 8, 4, 2, 1):
                bit = e.mask("%size", width)
                with e.when(e.value(f"icmp ne i64 {bit}, 0")):
                    offset = e.mask("%size", -2 * width)
                    value = e.load(f"i{width * 8}", e.at("%from", offset))
                    e.store(f"i{width * 8}", value, e.at("%to", offset))
    with e.when(e.value(f"icmp ne i64 {size}, 0")):
        e.do(f"call void @copy_rest(ptr {destination}, ptr {source}, i64 {size})")
