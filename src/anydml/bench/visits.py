"""The order in which each kernel comes to the memory of one side: what a pass repeats without the other side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

from anydml.runtime.moves.kernels.frame import AHEAD_BYTES, Lowered
from anydml.runtime.moves.plan import Loop, MovePlan
from anydml.runtime.native.emit import SECOND_LEVEL

ALL_ROWS = 1 << 40
"""Rows of a block where there are no blocks."""

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


@dataclass(frozen=True)
class Order:
    """How a kernel comes to one side."""

    visits: Callable[[MovePlan, Lowered], Iterator[Visit]]
    """Of a chunk."""
    block: Callable[[Lowered], int] = lambda lowered: ALL_ROWS
    ahead: Callable[[Lowered], tuple[int, int]] = lambda lowered: (0, 0)
    """How far ahead it asks for memory, in bytes, and into a cache of which level; 0: it does not."""


def _parts(size: int, tile: int) -> list[tuple[int, int, int]]:
    """A loop cut into tiles: first place, number of tiles, places of each; the last tile may be smaller."""
    count, rest = divmod(size, tile)
    return [part for part in ((0, count, tile), (count * tile, 1, rest)) if part[1] * part[2]]


def _whole_parts(size: int, tile: int) -> list[tuple[int, int, int]]:
    """The same, but the last tile begins early enough to be whole."""
    count, rest = divmod(size, min(tile, size))
    return [(0, count, min(tile, size))] + ([(size - tile, 1, tile)] if rest else [])


def _read(loop: Loop) -> Walk:
    return loop.size, loop.source_stride


def _written(loop: Loop) -> Walk:
    return loop.size, loop.destination_stride


def _each_read(loops: tuple[Loop, ...]) -> tuple[Walk, ...]:
    return tuple(map(_read, loops))


def _each_written(loops: tuple[Loop, ...]) -> tuple[Walk, ...]:
    return tuple(map(_written, loops))


# Runs


def _read_runs(part: MovePlan, lowered: Lowered) -> Iterator[Visit]:
    across, rows, run = part.inner
    outer = _each_read(part.outer)
    yield Visit(part.source_offset, run.size * part.element_bytes, _read(rows), _read(across), outer)


def _write_runs(part: MovePlan, lowered: Lowered) -> Iterator[Visit]:
    across, rows, run = part.inner
    outer = _each_written(part.outer)
    yield Visit(part.destination_offset, run.size * part.element_bytes, _written(rows), _written(across), outer)


def _ahead_of_runs(lowered: Lowered) -> tuple[int, int]:
    return lowered.extras[1], SECOND_LEVEL if lowered.shape.details[1] == "ahead" else 0


# Tiles: blocks of rows last to first, as many bytes of each as are turned at once


def _read_tiles(part: MovePlan, lowered: Lowered) -> Iterator[Visit]:
    across, middle, row = part.inner
    across_tile, middle_tile, row_tile, _ = lowered.extras
    element, lanes = part.element_bytes, int(lowered.shape.details[1])
    cuts = _parts(middle.size, middle_tile), _parts(row.size, row_tile), _whole_parts(across.size, across_tile)
    for middles, rows, columns in product(*cuts):
        last = rows[0] + rows[2] - 1
        start = part.source_offset + middles[0] * middle.source_stride + last * row.source_stride + columns[0] * element
        outer = (
            *_each_read(part.outer),
            (middles[1], middles[2] * middle.source_stride),
            (rows[1], rows[2] * row.source_stride),
            (columns[1], columns[2] * element),
            (middles[2], middle.source_stride),
        )
        for first, count, each in _whole_parts(columns[2], lanes):
            walk = rows[2], -row.source_stride
            yield Visit(start + first * element, each * element, walk, (count, each * element), outer)


def _write_tiles(part: MovePlan, lowered: Lowered) -> Iterator[Visit]:
    across, middle, row = part.inner
    across_tile, middle_tile, row_tile, _ = lowered.extras
    element = part.element_bytes
    cuts = _parts(middle.size, middle_tile), _parts(row.size, row_tile), _whole_parts(across.size, across_tile)
    for middles, rows, columns in product(*cuts):
        steps = (middles[0], middle), (columns[0], across)
        start = part.destination_offset + rows[0] * element + sum(n * loop.destination_stride for n, loop in steps)
        run, walk = middles[2] * rows[2] * element, (columns[2], across.destination_stride)
        if run == across.destination_stride:  # written as one
            run, walk = run * columns[2], (1, 0)
        outer = (
            *_each_written(part.outer),
            (middles[1], middles[2] * middle.destination_stride),
            (rows[1], rows[2] * element),
            (columns[1], columns[2] * across.destination_stride),
        )
        yield Visit(start, run, walk, outer=outer)


# Planes woven: a vector of each plane in turn


def _read_weave(part: MovePlan, lowered: Lowered) -> Iterator[Visit]:
    places, channels = part.inner
    element = part.element_bytes
    for first, count, lanes in _whole_parts(places.size, int(lowered.shape.details[1])):
        start, width = part.source_offset + first * element, lanes * element
        yield Visit(start, width, (count, width), _read(channels), _each_read(part.outer))


def _write_weave(part: MovePlan, lowered: Lowered) -> Iterator[Visit]:
    places, channels = part.inner
    size = places.size * channels.size * part.element_bytes
    yield Visit(part.destination_offset, size, outer=_each_written(part.outer))


def _ahead_of_weave(lowered: Lowered) -> tuple[int, int]:
    return AHEAD_BYTES // 2, SECOND_LEVEL if lowered.shape.stream else 0


# Elements picked: the source forwards, whole; channels are written in turn, backwards if the step is negative


def _read_pick(part: MovePlan, lowered: Lowered) -> Iterator[Visit]:
    channels, row = part.inner
    start = part.source_offset + min(0, (row.size - 1) * row.source_stride)
    size = (row.size - 1) * abs(row.source_stride) + channels.size * part.element_bytes
    yield Visit(start, size, outer=_each_read(part.outer))


def _write_pick(part: MovePlan, lowered: Lowered) -> Iterator[Visit]:
    channels, row = part.inner
    step, _, lanes, way, _ = lowered.shape.details
    element, is_forward = part.element_bytes, int(step) > 0
    whole = Visit(part.destination_offset, row.size * element, outer=_each_written(part.outer))
    if is_forward and channels.size == 1:
        yield whole
        return
    for first, count, each in _parts(row.size, lowered.extras[0] if way == "staged" else int(lanes)):
        start = whole.start + (first if is_forward else row.size - first - each) * element
        size = each * element
        yield replace(whole, start=start, run=size, rows=(count, size if is_forward else -size), across=_written(channels))


def _ahead_of_pick(lowered: Lowered) -> tuple[int, int]:
    return lowered.extras[1], int(lowered.shape.details[4])


# Groups: both sides whole, the source forwards


def _read_groups(part: MovePlan, lowered: Lowered) -> Iterator[Visit]:
    rows, groups, row = part.inner
    lowest = min(0, (groups.size - 1) * groups.source_stride) + min(0, (row.size - 1) * row.source_stride)
    reach = (row.size - 1) * abs(row.source_stride) + part.element_bytes
    size = (groups.size - 1) * abs(groups.source_stride) + reach
    yield Visit(part.source_offset + lowest, size, _read(rows), outer=_each_read(part.outer))


def _write_groups(part: MovePlan, lowered: Lowered) -> Iterator[Visit]:
    rows, groups, _ = part.inner
    size = rows.size * groups.size * groups.destination_stride
    yield Visit(part.destination_offset, size, outer=_each_written(part.outer))


def _ahead_of_groups(lowered: Lowered) -> tuple[int, int]:
    return lowered.extras[2], SECOND_LEVEL


# One element repeated, or spread: one side is whole


def _write_fill(part: MovePlan, lowered: Lowered) -> Iterator[Visit]:
    (row,) = part.inner
    yield Visit(part.destination_offset, row.size * part.element_bytes, outer=_each_written(part.outer))


def _read_scatter(part: MovePlan, lowered: Lowered) -> Iterator[Visit]:
    (row,) = part.inner
    start = part.source_offset + min(0, (row.size - 1) * row.source_stride)
    size = (row.size - 1) * abs(row.source_stride) + part.element_bytes
    yield Visit(start, size, outer=_each_read(part.outer))


READS = {
    "runs": Order(_read_runs, lambda lowered: lowered.extras[0], _ahead_of_runs),
    "tile": Order(_read_tiles, lambda lowered: int(lowered.shape.details[0]), lambda it: (it.extras[3], SECOND_LEVEL)),
    "weave": Order(_read_weave, lambda lowered: 1, _ahead_of_weave),
    "pick": Order(_read_pick, ahead=_ahead_of_pick),
    "regroup": Order(_read_groups, ahead=_ahead_of_groups),
    "scatter": Order(_read_scatter),
}
WRITES = {
    "runs": Order(_write_runs, lambda lowered: lowered.extras[0]),
    "tile": Order(_write_tiles),
    "weave": Order(_write_weave),
    "pick": Order(_write_pick, lambda lowered: 1),
    "regroup": Order(_write_groups),
    "fill": Order(_write_fill),
}
