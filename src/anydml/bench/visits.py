"""The order in which each kernel comes to the memory of one side: what a pass repeats without the other side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from anydml.runtime.moves.kernels.frame import AHEAD_BYTES, Lowered
from anydml.runtime.moves.kernels.tile_ends import LONG_WALK
from anydml.runtime.moves.lowering import Part
from anydml.runtime.moves.plan import LINE_BYTES, Loop
from anydml.runtime.native.emit import SECOND_LEVEL

ALL_ROWS = 1 << 40
"""Rows of a block where there are no blocks."""

Addresses = tuple[int, int]
"""Of the source and of the destination."""
Walk = tuple[int, int]
"""A loop over one side: its size, and its stride in bytes."""


@dataclass(frozen=True)
class Visit:
    """Rows of bytes, block by block with what lies across, within outer loops; see `touch`."""

    start: int
    run: int
    rows: Walk = (1, 0)
    across: Walk = (1, 0)
    outer: tuple[Walk, ...] = ()
    before: int = 0
    until: int = 0
    """How rows begin and end that are written; see `Rows`."""


@dataclass(frozen=True)
class Order:
    """How a kernel comes to one side."""

    visits: Callable[[Part, Lowered, Addresses], Iterator[Visit]]
    """Of a chunk."""
    block: Callable[[Lowered], int] = lambda lowered: ALL_ROWS
    ahead: Callable[[Lowered], tuple[int, int]] = lambda lowered: (0, 0)
    """How far ahead it asks for memory, in bytes, and into a cache of which level; 0: it does not."""


@dataclass(frozen=True)
class Cut:
    """A loop cut into tiles: the first place, how many tiles there are, and the places of each."""

    first: int
    count: int
    each: int


def _parts(size: int, tile: int) -> list[Cut]:
    """The last tile may be smaller."""
    count, rest = divmod(size, tile)
    whole, cut = Cut(0, count, tile), Cut(count * tile, 1, rest)
    return ([whole] if count else []) + ([cut] if rest else [])


def _whole_parts(size: int, tile: int) -> list[Cut]:
    """The last tile begins early enough to be whole."""
    count, rest = divmod(size, min(tile, size))
    return [Cut(0, count, min(tile, size))] + ([Cut(size - tile, 1, tile)] if rest else [])


def _read(loop: Loop) -> Walk:
    return loop.size, loop.source_stride


def _written(loop: Loop) -> Walk:
    return loop.size, loop.destination_stride


def _each_read(loops: tuple[Loop, ...]) -> tuple[Walk, ...]:
    return tuple(map(_read, loops))


def _each_written(loops: tuple[Loop, ...]) -> tuple[Walk, ...]:
    return tuple(map(_written, loops))


# Runs


def _read_runs(part: Part, lowered: Lowered, addresses: Addresses) -> Iterator[Visit]:
    plan = part.plan
    across, rows, run = plan.inner
    outer = _each_read(plan.outer)
    yield Visit(plan.source_offset, run.size * plan.element_bytes, _read(rows), _read(across), outer)


def _write_runs(part: Part, lowered: Lowered, addresses: Addresses) -> Iterator[Visit]:
    plan = part.plan
    across, rows, run = plan.inner
    row = Visit(plan.destination_offset, run.size * plan.element_bytes, outer=_each_written(plan.outer))
    if not _is_staged(lowered):
        yield replace(row, rows=_written(rows), across=_written(across))
        return
    for cut in _parts(rows.size, lowered.extras[0]):
        start, size = row.start + cut.first * rows.destination_stride, cut.each * rows.destination_stride
        yield replace(row, start=start, run=size, rows=(cut.count, size), across=_written(across))


def _is_staged(lowered: Lowered) -> bool:
    """Whether the rows of a block are written as one."""
    return lowered.shape.details[0] == "staged"


def _ahead_of_runs(lowered: Lowered) -> tuple[int, int]:
    return lowered.extras[1], SECOND_LEVEL if lowered.shape.details[1] == "ahead" else 0


# Tiles: blocks of rows last to first, as many bytes of each as are turned at once


@dataclass(frozen=True)
class _Tiles:
    """Tiles of equal size: what the first one takes of each loop, and how many follow along it."""

    middles: Cut
    rows: Cut
    columns: Cut
    more: int
    """Rows that are staged before, for lines that rows share with those before them."""
    before: int
    until: int


def _tiles(part: Part, lowered: Lowered, addresses: Addresses) -> Iterator[_Tiles]:
    across, middle, row = part.plan.inner
    before, after, across_tile, middle_tile, row_tile, _ = part.extras
    is_piped = lowered.shape.details[2] == "piped"
    lead = _columns_into_line(part, addresses[0]) if is_piped else 0
    columns = _tile_columns(across.size, across_tile, lead, int(lowered.shape.details[1]))
    for middles, rows in product(_parts(middle.size, middle_tile), _row_parts(row.size, row_tile, before, after)):
        for each in columns:
            begins = is_piped and before + rows.first > 0
            ends = is_piped and after + row.size - rows.first - rows.count * rows.each > 0
            more = _rows_into_line(part, addresses[1]) if begins else 0
            yield _Tiles(middles, rows, each, more, begins * (LINE_BYTES - 1), ends * (LINE_BYTES - 1))


def _columns_into_line(part: Part, address: int) -> int:
    """As `tile_ends` has it."""
    across, _, row = part.plan.inner
    start, element = address + part.plan.source_offset, part.plan.element_bytes
    is_even = row.source_stride % LINE_BYTES == start % element == 0
    return start % LINE_BYTES // element if is_even and across.size >= LONG_WALK * part.extras[2] else 0


def _rows_into_line(part: Part, address: int) -> int:
    """As `tile_ends` has it; outer loops are taken to step by whole lines."""
    into_line = (address + part.plan.destination_offset) % LINE_BYTES
    differ = part.plan.inner[0].destination_stride % LINE_BYTES
    return -(-(LINE_BYTES if differ else into_line) // part.plan.element_bytes)


def _tile_columns(size: int, tile: int, lead: int, lanes: int) -> list[Cut]:
    """No tile is narrower than a block."""
    first = [Cut(0, 1, max(lanes, tile - lead))] if lead else []
    start = tile - lead if lead else 0
    count, rest = divmod(size - start, tile)
    last = [Cut(min(size - rest, size - lanes), 1, max(rest, lanes))] if rest else []
    return first + ([Cut(start, count, tile)] if count else []) + last


def _row_parts(size: int, tile: int, before: int, after: int) -> list[Cut]:
    """The first and the last tile of the whole loop stand alone: their rows begin and end elsewhere in lines."""
    cuts = [Cut(first, 1, min(tile, size - first)) for first in range(0, size, tile)]
    inside = cuts[before == 0 : len(cuts) - (after == 0)]
    joined = [replace(inside[0], count=len(inside))] if inside else []
    return cuts if len(cuts) < 2 else [*cuts[: before == 0], *joined, *cuts[len(cuts) - (after == 0) :]]


def _read_tiles(part: Part, lowered: Lowered, addresses: Addresses) -> Iterator[Visit]:
    plan = part.plan
    _, middle, row = plan.inner
    block, lanes, _, order = lowered.shape.details
    element = plan.element_bytes
    for tiles in _tiles(part, lowered, addresses):
        middles, rows, columns = tiles.middles, tiles.rows, tiles.columns
        start = plan.source_offset + middles.first * middle.source_stride + columns.first * element
        outer = (
            *_each_read(plan.outer),
            (middles.count, middles.each * middle.source_stride),
            (rows.count, rows.each * row.source_stride),
            (columns.count, columns.each * element),
        )
        staged = rows.each + tiles.more
        # Rows of a block and those of all middles together, or all rows of one middle.
        together = int(block) if order == "middles" and middles.each > 1 else staged
        for cut, piece in product(_parts(staged, together), _whole_parts(columns.each, int(lanes))):
            last = rows.first + rows.each - 1 - cut.first
            inside = (cut.count, -cut.each * row.source_stride), (middles.each, middle.source_stride)
            place, width = start + last * row.source_stride + piece.first * element, piece.each * element
            yield Visit(place, width, (cut.each, -row.source_stride), (piece.count, width), outer + inside)


def _write_tiles(part: Part, lowered: Lowered, addresses: Addresses) -> Iterator[Visit]:
    plan = part.plan
    across, middle, _ = plan.inner
    element = plan.element_bytes
    for tiles in _tiles(part, lowered, addresses):
        middles, rows, columns = tiles.middles, tiles.rows, tiles.columns
        start = plan.destination_offset + middles.first * middle.destination_stride + rows.first * element
        run, walk = middles.each * rows.each * element, (columns.each, across.destination_stride)
        if run == across.destination_stride:  # written as one
            run, walk = run * columns.each, (1, 0)
        outer = (
            *_each_written(plan.outer),
            (middles.count, middles.each * middle.destination_stride),
            (rows.count, rows.each * element),
            (columns.count, columns.each * across.destination_stride),
        )
        place = start + columns.first * across.destination_stride
        yield Visit(place, run, walk, outer=outer, before=tiles.before, until=tiles.until)


# Planes woven: a vector of each plane in turn


def _read_weave(part: Part, lowered: Lowered, addresses: Addresses) -> Iterator[Visit]:
    plan = part.plan
    places, channels = plan.inner
    element = plan.element_bytes
    for cut in _whole_parts(places.size, int(lowered.shape.details[1])):
        start, width = plan.source_offset + cut.first * element, cut.each * element
        yield Visit(start, width, (cut.count, width), _read(channels), _each_read(plan.outer))


def _write_weave(part: Part, lowered: Lowered, addresses: Addresses) -> Iterator[Visit]:
    plan = part.plan
    places, channels = plan.inner
    size = places.size * channels.size * plan.element_bytes
    yield Visit(plan.destination_offset, size, outer=_each_written(plan.outer))


def _ahead_of_weave(lowered: Lowered) -> tuple[int, int]:
    return AHEAD_BYTES // 2, SECOND_LEVEL if lowered.shape.stream else 0


# Elements picked: the source forwards, whole; channels are written in turn, backwards if the step is negative


def _read_pick(part: Part, lowered: Lowered, addresses: Addresses) -> Iterator[Visit]:
    plan = part.plan
    channels, row = plan.inner
    start = plan.source_offset + min(0, (row.size - 1) * row.source_stride)
    size = (row.size - 1) * abs(row.source_stride) + channels.size * plan.element_bytes
    yield Visit(start, size, outer=_each_read(plan.outer))


def _write_pick(part: Part, lowered: Lowered, addresses: Addresses) -> Iterator[Visit]:
    """Pieces begin with whole lines; what comes before the first of them and after the last is written alone."""
    plan = part.plan
    channels, row = plan.inner
    step, _, lanes, way, _ = lowered.shape.details
    element, is_forward = plan.element_bytes, int(step) > 0
    line = LINE_BYTES // element
    whole = Visit(plan.destination_offset, row.size * element, outer=_each_written(plan.outer))
    if is_forward and channels.size == 1:
        yield whole
        return
    # Pieces that are staged go on from those of other chunks.
    before, after = part.extras[:2] if way == "staged" else (0, 0)
    for cut in _apart(_parts(row.size, lowered.extras[0] if way == "staged" else max(int(lanes), line))):
        total = cut.count * cut.each
        lowest = cut.first if is_forward else row.size - cut.first - total
        begins = before + lowest >= line
        ends = before + lowest + total >= line and after + row.size > lowest + total
        size = cut.each * element
        rows = (cut.count, size) if is_forward else (cut.count, -size)
        start = whole.start + lowest * element + (0 if is_forward else (cut.count - 1) * size)
        visit = replace(whole, start=start, run=size, rows=rows, across=_written(channels))
        yield replace(visit, before=begins * (LINE_BYTES - 1), until=ends * (LINE_BYTES - 1))


def _apart(cuts: list[Cut]) -> list[Cut]:
    """The same, but the first and the last tile stand alone."""
    (whole, *rest) = cuts
    first, inside = Cut(whole.first, 1, whole.each), Cut(whole.first + whole.each, whole.count - 1, whole.each)
    if not rest:
        rest = [Cut(inside.first + (inside.count - 1) * inside.each, 1, inside.each)] if inside.count else []
        inside = replace(inside, count=inside.count - 1)
    return [first, *([inside] if inside.count > 0 else []), *rest]


def _ahead_of_pick(lowered: Lowered) -> tuple[int, int]:
    return lowered.extras[1], int(lowered.shape.details[4])


# Groups: both sides whole, the source forwards


def _read_groups(part: Part, lowered: Lowered, addresses: Addresses) -> Iterator[Visit]:
    plan = part.plan
    rows, groups, row = plan.inner
    lowest = min(0, (groups.size - 1) * groups.source_stride) + min(0, (row.size - 1) * row.source_stride)
    reach = (row.size - 1) * abs(row.source_stride) + plan.element_bytes
    size = (groups.size - 1) * abs(groups.source_stride) + reach
    yield Visit(plan.source_offset + lowest, size, _read(rows), outer=_each_read(plan.outer))


def _write_groups(part: Part, lowered: Lowered, addresses: Addresses) -> Iterator[Visit]:
    plan = part.plan
    rows, groups, _ = plan.inner
    size = rows.size * groups.size * groups.destination_stride
    yield Visit(plan.destination_offset, size, outer=_each_written(plan.outer))


def _ahead_of_groups(lowered: Lowered) -> tuple[int, int]:
    return lowered.extras[2], SECOND_LEVEL


# One element repeated, or spread: one side is whole


def _write_fill(part: Part, lowered: Lowered, addresses: Addresses) -> Iterator[Visit]:
    plan = part.plan
    (row,) = plan.inner
    yield Visit(plan.destination_offset, row.size * plan.element_bytes, outer=_each_written(plan.outer))


def _read_scatter(part: Part, lowered: Lowered, addresses: Addresses) -> Iterator[Visit]:
    plan = part.plan
    (row,) = plan.inner
    start = plan.source_offset + min(0, (row.size - 1) * row.source_stride)
    size = (row.size - 1) * abs(row.source_stride) + plan.element_bytes
    yield Visit(start, size, outer=_each_read(plan.outer))


READS = {
    "runs": Order(_read_runs, lambda lowered: lowered.extras[0], _ahead_of_runs),
    "tile": Order(_read_tiles, lambda lowered: int(lowered.shape.details[0]), lambda it: (it.extras[3], SECOND_LEVEL)),
    "weave": Order(_read_weave, lambda lowered: 1, _ahead_of_weave),
    "pick": Order(_read_pick, ahead=_ahead_of_pick),
    "regroup": Order(_read_groups, ahead=_ahead_of_groups),
    "scatter": Order(_read_scatter),
}
WRITES = {
    "runs": Order(_write_runs, lambda lowered: 1 if _is_staged(lowered) else lowered.extras[0]),
    "tile": Order(_write_tiles),
    "weave": Order(_write_weave),
    "pick": Order(_write_pick, lambda lowered: 1),
    "regroup": Order(_write_groups),
    "fill": Order(_write_fill),
}
