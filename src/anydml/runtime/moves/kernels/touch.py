"""One side of a move alone: rows that are only read, or only written, in the order in which a kernel comes to them.

No move needs this. Benchmarks do: it tells what reading and what writing take by themselves.
"""

from __future__ import annotations

from anydml.runtime.moves.kernels.frame import Frame, Shape
from anydml.runtime.moves.kernels.rows import bytes_to_line, copy_less_than_line
from anydml.runtime.moves.plan import LINE_BYTES
from anydml.runtime.native.emit import Emitter, Value, vector


def reading(width: int, level: int) -> Shape:
    """Reads rows by so many bytes, which every row has, and asks for what lies ahead; level 0: asks for nothing."""
    return Shape("touch", 1, width, False, ("read", level))


def writing(vector_bytes: int, stream: bool) -> Shape:
    return Shape("touch", 1, vector_bytes, stream, ("write", 0))


def emit(f: Frame) -> None:
    """Blocks of rows, and what lies across each block before the next, as `runs` has them."""
    e, (across, rows, run), (block, *_) = f.e, f.inner, f.extras
    reads = f.shape.details[0] == "read"
    if not reads:
        _write_line(e, f.staging, stream=False)
    with e.loop(0, rows.size, block) as first, e.loop(0, across.size) as i:
        count = e.minimum(block, e.subtract(rows.size, first))
        if reads:
            start = f.from_source((i, across.source_stride), (first, rows.source_stride))
        else:
            start = f.from_destination((i, across.destination_stride), (first, rows.destination_stride))
        stride = rows.source_stride if reads else rows.destination_stride
        with e.loop(0, count) as row:
            (_read if reads else _write)(f, e.at(start, e.multiply(row, stride)), run.size)


def _read(f: Frame, row: str, size: Value) -> None:
    e, width, level = f.e, f.shape.vector_bytes, int(f.shape.details[1])
    with e.loop(0, size, width) as wanted:
        place = e.at(row, e.minimum(wanted, e.subtract(size, width)))
        e.value(f"load volatile {vector(width, 'i8')}, ptr {place}, align 1")
        if level:
            e.prefetch(e.at(place, f.extras[1]), level)


def _write(f: Frame, row: str, size: Value) -> None:
    """Every byte becomes 1. Rows may begin and end with lines; see `Rows`."""
    e = f.e
    address = e.value(f"ptrtoint ptr {row} to i64")
    before = e.value(f"and i64 {address}, {f.extras[2]}")
    until = e.value(f"and i64 {e.add(address, size)}, {f.extras[3]}")
    row, size = e.at(row, e.subtract(0, before)), e.subtract(e.add(size, before), until)
    start = e.value(f"ptrtoint ptr {row} to i64")
    uneven = e.value(f"or i64 {e.mask(start, LINE_BYTES - 1)}, {e.value(f'xor i64 {size}, {LINE_BYTES}')}")
    is_line = e.value(f"icmp eq i64 {uneven}, 0")
    with e.when(is_line):
        _write_line(e, row, f.shape.stream)
    with e.when(e.value(f"xor i1 {is_line}, true")):
        _write_row(f, row, size)


def _write_row(f: Frame, row: str, size: Value) -> None:
    e = f.e
    if not e.has_function("write_row"):
        with e.function("write_row", "ptr noalias %to, ptr noalias %from, i64 %size"):
            _write_lines(e, f.shape.stream)
    e.do(f"call void @write_row(ptr {row}, ptr {f.staging}, i64 {size})")


def _write_lines(e: Emitter, stream: bool) -> None:
    """The ends of a row come from the staged line."""
    head = bytes_to_line(e, "%to", "%size")
    copy_less_than_line(e, "%to", "%from", head)
    start, size = e.at("%to", head), e.subtract("%size", head)
    whole = e.mask(size, -LINE_BYTES)
    with e.loop(0, whole, LINE_BYTES) as line:
        _write_line(e, e.at(start, line), stream)
    copy_less_than_line(e, e.at(start, whole), "%from", e.mask(size, LINE_BYTES - 1))


def _write_line(e: Emitter, place: str, stream: bool) -> None:
    width = min(e.vector_bytes, LINE_BYTES)
    ones = f"<{', '.join(['i8 1'] * width)}>"
    for piece in range(0, LINE_BYTES, width):
        e.store(vector(width, "i8"), ones, e.at(place, piece), width, stream)
