"""Where tiles begin and end, so that lines are read and written whole although tensors may begin anywhere in one."""

from __future__ import annotations

from dataclasses import dataclass

from anydml.runtime.moves.kernels.frame import Frame
from anydml.runtime.moves.plan import LINE_BYTES
from anydml.runtime.native.emit import Value

LONG_WALK = 8
"""Tiles of a loop that make it worth asking for tiles ahead along it, or beginning at a whole line."""


def columns_into_line(f: Frame, across_tile: Value) -> Value:
    """How many columns the first tile leaves out, so that all others begin with whole lines of the source; 0 where
    its rows begin at different places in their lines, or tiles are few."""
    e, element = f.e, f.shape.element_bytes
    across, _, row = f.inner
    address = e.value(f"ptrtoint ptr {f.source} to i64")
    within = e.mask(address, element - 1)
    uneven = e.value(f"or i64 {e.mask(row.source_stride, LINE_BYTES - 1)}, {within}")
    columns = e.value(f"udiv i64 {e.mask(address, LINE_BYTES - 1)}, {element}")
    is_even = e.value(f"icmp eq i64 {uneven}, 0")
    is_long = e.value(f"icmp sge i64 {across.size}, {e.multiply(across_tile, LONG_WALK)}")
    return e.value(f"select i1 {e.value(f'and i1 {is_even}, {is_long}')}, i64 {columns}, i64 0")


@dataclass(frozen=True)
class Ends:
    """How the rows of a tile begin and end: `more` elements are staged before them; for the others see `Rows`."""

    more: Value = 0
    before: Value = 0
    until: Value = 0


def ends_of(f: Frame, destination: str, row_start: Value, row_count: Value) -> Ends:
    """Of two tiles that follow one another along the destination's rows, the second writes the lines between them.

    Tiles have whole lines of elements, so all begin equally far into a line, and rows do if their stride has whole
    lines too. Chunks are told how much of the loop lies before and after theirs, and agree on who writes what.
    """
    e, element, (across, _, row) = f.e, f.shape.element_bytes, f.inner
    before, after = f.extras[:2]
    rest = e.subtract(e.add(after, row.size), e.add(row_start, row_count))
    begins = e.value(f"icmp ne i64 {e.add(before, row_start)}, 0")
    ends = e.value(f"icmp ne i64 {rest}, 0")
    into_line = e.mask(e.value(f"ptrtoint ptr {destination} to i64"), LINE_BYTES - 1)
    differ = e.value(f"icmp ne i64 {e.mask(across.destination_stride, LINE_BYTES - 1)}, 0")
    most = e.value(f"select i1 {differ}, i64 {LINE_BYTES}, i64 {into_line}")
    more = e.value(f"udiv i64 {e.add(most, element - 1)}, {element}")
    return ends_where(f, begins, ends, more)


def ends_where(f: Frame, begins: str, ends: str, more: Value) -> Ends:
    """The lines at the two ends of rows are shared with their neighbours where the conditions hold."""
    either = ((begins, more), (begins, LINE_BYTES - 1), (ends, LINE_BYTES - 1))
    return Ends(*(f.e.value(f"select i1 {condition}, i64 {value}, i64 0") for condition, value in either))
