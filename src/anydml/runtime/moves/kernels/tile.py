"""Transposes: a tile is read along the source's rows, turned in registers, kept in a staging tile in the
order of the destination, and written along the destination's rows in whole lines.

Strides that are large powers of two map every row to the same cache sets. Each source line is therefore
read once, whole, and each destination line written once, whole: no line must survive in a cache for longer
than one tile takes.
"""

from __future__ import annotations

from dataclasses import dataclass

from anydml.runtime.moves.kernels.frame import (
    STAGING_BYTES,
    Frame,
    Lowered,
    Shape,
    even_parts,
    power_at_least,
    power_at_most,
)
from anydml.runtime.moves.kernels.lanes import Lanes
from anydml.runtime.moves.kernels.write import write_row
from anydml.runtime.moves.plan import LINE_BYTES, MovePlan
from anydml.runtime.native.emit import SECOND_LEVEL, Value

SOURCE_ROW_BYTES = 256
BLOCK_SIDE = 16
"""Rows, and elements of each, turned at once: more would not fit into the registers."""
BLOCK_ROW_BYTES = 32
"""Longer rows of a block are no faster, and take long to compile."""
WIDE_ELEMENT_BYTES = 8
"""Blocks of wider elements have so few rows that longer ones pay where all is in a cache."""
TILES_AHEAD = 2
LONG_WALK = 8
"""Tiles of a loop that make it worth asking for tiles ahead along it."""


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    across, middle, row = plan.inner
    element = plan.element_bytes
    is_wide = element >= WIDE_ELEMENT_BYTES and not stream
    block_row = min(vector_bytes, 2 * BLOCK_ROW_BYTES if is_wide else BLOCK_ROW_BYTES)
    side = min(BLOCK_SIDE, block_row // element)
    lanes, rows = min(side, power_at_most(across.size)), min(side, power_at_least(row.size))
    shape = Shape("tile", element, vector_bytes, stream, (rows, lanes))
    line = LINE_BYTES // min(element, LINE_BYTES)
    # Bytes are turned in so many more blocks that fewer rows at once, each written longer, are faster.
    source_row = SOURCE_ROW_BYTES // 2 if element == 1 else SOURCE_ROW_BYTES
    across_tile = even_parts(across.size, max(lanes, source_row // element), lanes)
    row_tile = even_parts(row.size, STAGING_BYTES // (element * across_tile), line)
    middle_tile = max(1, min(middle.size, STAGING_BYTES // (element * across_tile * row_tile)))
    tiles = across_tile, middle_tile, row_tile
    return Lowered(shape, (*tiles, _ahead(plan, tiles)), tiles, (1, 2, 0))


def _ahead(plan: MovePlan, tiles: tuple[int, int, int]) -> int:
    """How far in the source, in bytes, the tile lies that is turned after the next one; short loops are passed
    over, because what is asked for past their ends is never read."""
    across, middle, row = plan.inner
    walks = [(across, tiles[0]), (row, tiles[2]), (middle, tiles[1]), *((loop, 1) for loop in plan.outer[::-1])]
    walks = [(loop, tile) for loop, tile in walks if tile < loop.size]
    passed = 1
    for loop, tile in walks:
        count = -(-loop.size // tile)
        if count >= LONG_WALK:
            return max(1, TILES_AHEAD // passed) * tile * loop.source_stride
        passed *= count
        if passed > LONG_WALK:
            break
    return walks[0][1] * walks[0][0].source_stride if walks else 0


@dataclass(frozen=True)
class _Tile:
    """Where the staging tile lies in memory and how large it is."""

    source: str
    across: Value
    row: Value
    row_bytes: Value
    size: Value
    """Bytes of a staged row: all its middles."""
    pitch: Value
    """Bytes from one staged row to the next."""


def _gap_bytes(shape: Shape) -> int:
    """What a cut block of rows may write past its staged row."""
    return max(LINE_BYTES, int(shape.details[0]) * shape.element_bytes)


def _pitch(f: Frame, size: Value, middle_count: Value) -> Value:
    """Rows that follow one another in the destination are staged without gaps, to be written as one. Others
    lie an odd number of lines apart, so that the columns of a tile spread over all sets of a cache."""
    e = f.e
    lines = e.mask(e.add(size, LINE_BYTES - 1), -LINE_BYTES)
    apart = e.value(f"or i64 {e.add(lines, _gap_bytes(f.shape))}, {LINE_BYTES}")
    if f.shape.written:
        return apart
    # With several middles, nothing would put right what the last one writes past its row.
    single = e.value(f"icmp eq i64 {middle_count}, 1")
    follow = e.value(f"icmp eq i64 {size}, {f.inner[0].destination_stride}")
    joined = e.value(f"and i1 {single}, {follow}")
    return e.value(f"select i1 {joined}, i64 {size}, i64 {apart}")


def emit(f: Frame) -> None:
    e, element = f.e, f.shape.element_bytes
    across, middle, row = f.inner
    across_tile, middle_tile, row_tile, _ = f.extras
    across_count = e.minimum(across_tile, across.size)
    with e.loop(0, middle.size, middle_tile) as middle_start, e.loop(0, row.size, row_tile) as row_start:
        middle_count = e.minimum(middle_tile, e.subtract(middle.size, middle_start))
        row_count = e.minimum(row_tile, e.subtract(row.size, row_start))
        row_bytes = e.multiply(row_count, element)
        with e.loop(0, across.size, across_tile) as wanted:
            # The last tile begins early enough to be whole: some rows are written twice, alike.
            start = e.minimum(wanted, e.subtract(across.size, across_count))
            source = f.from_source(
                (middle_start, middle.source_stride), (row_start, row.source_stride), (start, element)
            )
            size = e.multiply(middle_count, row_bytes)
            tile = _Tile(source, across_count, row_count, row_bytes, size, _pitch(f, size, middle_count))
            with e.loop(0, middle_count) as i:
                _turn(f, tile, i)
            destination = f.from_destination(
                (middle_start, middle.destination_stride),
                (row_start, f.written_bytes),
                (start, across.destination_stride),
            )
            _write(f, tile, destination)


def _write(f: Frame, tile: _Tile, destination: str) -> None:
    """Writes the staged rows; rows that follow one another in memory are written as one."""
    e, stride = f.e, f.inner[0].destination_stride
    # Not the stride decides: a padded destination may have just the pitch of rows that are staged apart.
    joined = e.value(f"icmp eq i64 {tile.size}, {tile.pitch}")
    count = e.value(f"select i1 {joined}, i64 1, i64 {tile.across}")
    size = e.value(f"select i1 {joined}, i64 {e.multiply(tile.across, tile.pitch)}, i64 {tile.size}")
    with e.loop(0, count) as i:
        target = e.at(destination, e.multiply(i, stride))
        write_row(f, target, f.from_staging((i, tile.pitch)), size)


def _turn(f: Frame, tile: _Tile, middle: Value) -> None:
    """Turns one tile, blocks of rows last to first.

    The last block may be cut: its missing rows repeat the last row, and what they stage lands at the head
    of the next staged row, which an earlier block puts right afterwards.
    """
    e, element, (rows, _) = f.e, f.shape.element_bytes, f.shape.details
    rows = int(rows)
    stride = f.inner[2].source_stride
    source = e.at(tile.source, e.multiply(middle, f.inner[1].source_stride))
    staging = f.from_staging((middle, tile.row_bytes))
    blocks = e.mask(e.add(tile.row, rows - 1), -rows)
    last = e.subtract(tile.row, 1)
    with e.loop(0, blocks, rows) as back:
        first = e.subtract(e.subtract(blocks, rows), back)
        from_row = e.at(source, e.multiply(first, stride))
        _turn_blocks(f, tile, from_row, e.at(staging, e.multiply(first, element)), e.subtract(last, first))


def _turn_blocks(f: Frame, tile: _Tile, source: str, staging: str, last: Value) -> None:
    """Turns a block of rows, as many lanes at once as a vector has; rows past the `last` repeat it."""
    e, element, lanes = f.e, f.shape.element_bytes, int(f.shape.details[1])
    numbers = [f.inner[2].source_stride, last, tile.pitch, f.extras[3]]
    if not e.has_function("turn"):
        with e.function("turn", "ptr noalias %from, ptr noalias %to, i64 %stride, i64 %last, i64 %pitch, i64 %ahead"):
            _turn_block(f)
    arguments = ", ".join(f"i64 {number}" for number in numbers)
    with e.loop(0, tile.across, lanes) as wanted:
        start = e.minimum(wanted, e.subtract(tile.across, lanes))
        target = e.at(staging, e.multiply(start, tile.pitch))
        e.do(f"call void @turn(ptr {e.at(source, e.multiply(start, element))}, ptr {target}, {arguments})")


def _turn_block(f: Frame) -> None:
    """A function of its own, without loops: within the others it would take twice as long to compile."""
    e, element = f.e, f.shape.element_bytes
    rows, lane_count = (int(detail) for detail in f.shape.details)
    lanes = Lanes(element, lane_count)
    place, vectors = "%from", []
    for row in range(rows):
        if row > 0:
            is_there = e.value(f"icmp sge i64 %last, {row}")
            place = e.at(place, e.value(f"select i1 {is_there}, i64 %stride, i64 0"))
        vectors.append(lanes.load(e, place))
        e.prefetch(e.at(place, "%ahead"), SECOND_LEVEL)
    turned = lanes.turn(e, vectors) if rows == lane_count else lanes.weave(e, vectors)
    piece = Lanes(element, min(rows, lane_count))
    place = "%to"
    for flat in range(0, rows * lane_count, piece.count):
        value = turned[flat // lane_count]
        if piece.count < lane_count:
            inside = flat % lane_count
            value = lanes.shuffle(e, value, None, range(inside, inside + piece.count))
        if flat > 0 and flat % rows == 0:
            place = e.at(place, "%pitch")
        piece.store(e, value, e.at(place, flat % rows * element))
