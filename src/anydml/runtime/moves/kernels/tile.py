"""Transposes: a tile is read along the source's rows, turned in registers, kept in a staging tile in the
order of the destination, and written along the destination's rows in whole lines.

Strides that are large powers of two map every row to the same cache sets. Each source line is therefore
read once, whole, and each destination line written once, whole: no line must survive in a cache for longer
than one tile takes. What is streamed is written while the next tile is turned, in pieces of a few lines.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace

from anydml.runtime.moves.kernels.ends import LONG_WALK, Ends, columns_into_line, ends_of
from anydml.runtime.moves.kernels.frame import (
    STAGING_BYTES,
    Frame,
    Lowered,
    Shape,
    even_parts,
    power_at_least,
    power_at_most,
    walked,
)
from anydml.runtime.moves.kernels.lanes import Lanes
from anydml.runtime.moves.kernels.pending import Rows, Writer
from anydml.runtime.moves.plan import LINE_BYTES, ONCE, MovePlan
from anydml.runtime.native.emit import SECOND_LEVEL, Value

SOURCE_ROW_BYTES = 256
PIPED_ROW_BYTES = 128
PIPED_COLUMNS = 32
PIPED_RUN_BYTES = 512
"""A tile that is written while the next one is turned has source rows of so many bytes, or columns if those are more,
and destination rows of so many bytes: two such tiles fit into a first-level cache, and shorter rows are written
slowly."""
BLOCK_SIDE = 16
"""Rows, and elements of each, turned at once: more would not fit into the registers."""
BLOCK_ROW_BYTES = 32
"""Longer rows of a block are no faster, and take long to compile."""
WIDEST_VECTOR = 64
WIDE_ELEMENT_BYTES = 8
"""Blocks of wider elements have so few rows that longer ones pay where all is in a cache, or written meanwhile."""
TILES_AHEAD, NARROW_TILES_AHEAD = 2, 1
"""How many tiles ahead memory is asked for: with AVX-512, and with narrower vectors, which take longer to turn one."""


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    across, middle, row = plan.inner
    element, is_piped = plan.element_bytes, stream and _is_piped(plan)
    is_wide = element >= WIDE_ELEMENT_BYTES and (is_piped or not stream)
    block_row = min(vector_bytes, 2 * BLOCK_ROW_BYTES if is_wide else BLOCK_ROW_BYTES)
    side = min(BLOCK_SIDE, block_row // element)
    lanes, rows = min(side, power_at_most(across.size)), min(side, power_at_least(row.size))
    # Rows of a block that are close together in the source follow one another at once.
    order = "middles" if abs(middle.source_stride) < abs(row.source_stride) else "blocks"
    shape = Shape("tile", element, vector_bytes, stream, (rows, lanes, "piped" if is_piped else "alone", order))
    tiles = _piped_tiles(plan, lanes) if is_piped else _tiles(plan, lanes)
    ahead = TILES_AHEAD if vector_bytes == WIDEST_VECTOR else NARROW_TILES_AHEAD
    return Lowered(shape, (*tiles, _ahead(plan, tiles, ahead)), tiles, (1, 2, 0), placed=2)


def _is_piped(plan: MovePlan) -> bool:
    """Short rows are staged by middles, which know no places between lines. Turning bytes takes longer than memory
    does, so only what is saved at the ends of rows pays for the effort."""
    joined = _is_joined(plan)
    return plan.inner[1] == ONCE and not plan.converts and not (joined and plan.element_bytes == 1)


def _is_joined(plan: MovePlan) -> bool:
    """Whether rows follow one another in the destination."""
    across, _, row = plan.inner
    return across.destination_stride == row.size * plan.element_bytes


def _piped_tiles(plan: MovePlan, lanes: int) -> tuple[int, int, int]:
    across, _, row = plan.inner
    element = plan.element_bytes
    is_whole = _is_joined(plan) or across.size * element <= SOURCE_ROW_BYTES
    source_row = SOURCE_ROW_BYTES if is_whole else max(PIPED_ROW_BYTES, PIPED_COLUMNS * element)
    across_tile = even_parts(across.size, max(lanes, source_row // element), lanes)
    return across_tile, 1, even_parts(row.size, PIPED_RUN_BYTES // element, _line(element))


def _tiles(plan: MovePlan, lanes: int) -> tuple[int, int, int]:
    across, middle, row = plan.inner
    element = plan.element_bytes
    # Bytes are turned in so many more blocks that fewer rows at once, each written longer, are faster.
    source_row = SOURCE_ROW_BYTES // 2 if element == 1 else SOURCE_ROW_BYTES
    across_tile = even_parts(across.size, max(lanes, source_row // element), lanes)
    row_tile = even_parts(row.size, STAGING_BYTES // (element * across_tile), _line(element))
    return across_tile, max(1, min(middle.size, STAGING_BYTES // (element * across_tile * row_tile))), row_tile


def _line(element: int) -> int:
    """Elements of a line."""
    return LINE_BYTES // min(element, LINE_BYTES)


def _ahead(plan: MovePlan, tiles: tuple[int, int, int], most: int) -> int:
    """How far in the source, in bytes, a tile lies that is turned soon after this one; short loops are passed
    over, because what is asked for past their ends is never read."""
    across, middle, row = plan.inner
    walks = [(across, tiles[0]), (row, tiles[2]), (middle, tiles[1]), *((loop, 1) for loop in plan.outer[::-1])]
    walks = [(loop, tile) for loop, tile in walks if tile < loop.size]
    passed = 1
    for loop, tile in walks:
        count = -(-loop.size // tile)
        if count >= LONG_WALK:
            return max(1, most // passed) * tile * loop.source_stride
        passed *= count
        if passed > LONG_WALK:
            break
    return walks[0][1] * walks[0][0].source_stride if walks else 0


@dataclass(frozen=True)
class _Tile:
    """Where a tile is read and staged, and how large it is."""

    source: str
    staging: str
    across: Value
    middle: Value
    row: Value
    row_bytes: Value
    pitch: Value
    """Bytes from one staged row to the next."""


def _pitch(f: Frame, size: Value, middle_count: Value) -> Value:
    """Rows that follow one another in the destination are staged without gaps, to be written as one. Others
    lie an odd number of lines apart, so that the columns of a tile spread over all sets of a cache."""
    e = f.e
    lines = e.mask(e.add(size, LINE_BYTES - 1), -LINE_BYTES)
    # A cut block of rows may write past its staged row.
    gap_bytes = max(LINE_BYTES, int(f.shape.details[0]) * f.shape.element_bytes)
    apart = e.value(f"or i64 {e.add(lines, gap_bytes)}, {LINE_BYTES}")
    if f.shape.written:
        return apart
    # With several middles, nothing would put right what the last one writes past its row.
    single = e.value(f"icmp eq i64 {middle_count}, 1")
    follow = e.value(f"icmp eq i64 {size}, {f.inner[0].destination_stride}")
    joined = e.value(f"and i1 {single}, {follow}")
    return e.value(f"select i1 {joined}, i64 {size}, i64 {apart}")


def emit(f: Frame) -> None:
    e, (across, middle, row) = f.e, f.inner
    _, _, across_tile, middle_tile, row_tile, _ = f.extras
    rows, lanes, way, _ = f.shape.details
    is_piped = way == "piped"
    writer = Writer(f, is_piped, int(rows) * int(lanes) * f.shape.element_bytes)
    first_column = columns_into_line(f, across_tile) if is_piped else 0
    with e.loop(0, middle.size, middle_tile) as middle_start, e.loop(0, row.size, row_tile) as row_start:
        middles = middle_start, e.minimum(middle_tile, e.subtract(middle.size, middle_start))
        part = row_start, e.minimum(row_tile, e.subtract(row.size, row_start))
        with e.loop(e.subtract(0, first_column), across.size, across_tile) as wanted:
            # No tile is narrower than a block: some rows are written twice, alike.
            first, last = e.maximum(wanted, 0), e.minimum(e.add(wanted, across_tile), across.size)
            count = e.maximum(e.subtract(last, first), int(lanes))
            _move_tile(f, writer, middles, part, (e.minimum(first, e.subtract(across.size, count)), count))
    writer.finish()


_Part = tuple[Value, Value]
"""Of a loop: the first place, and how many there are."""


def _move_tile(f: Frame, writer: Writer, middles: _Part, rows: _Part, columns: _Part) -> None:
    e, element, (across, middle, row) = f.e, f.shape.element_bytes, f.inner
    destination = f.from_destination(
        (middles[0], middle.destination_stride), (rows[0], f.written_bytes), (columns[0], across.destination_stride)
    )
    ends = ends_of(f, destination, *rows) if writer.is_piped else Ends()
    source = f.from_source(
        (middles[0], middle.source_stride),
        (e.subtract(rows[0], ends.more), row.source_stride),
        (columns[0], element),
    )
    count = e.add(rows[1], ends.more)
    row_bytes = e.multiply(count, element)
    pitch = _pitch(f, e.multiply(middles[1], row_bytes), middles[1])
    tile = _Tile(source, writer.staging(), columns[1], middles[1], count, row_bytes, pitch)
    _turn(f, tile, writer)
    staged = e.at(tile.staging, e.multiply(ends.more, element))
    size = e.multiply(middles[1], e.multiply(rows[1], element))
    stride = across.destination_stride
    writer.write(_joined(f, Rows(staged, destination, tile.across, size, pitch, stride, ends.before, ends.until)))


def _joined(f: Frame, rows: Rows) -> Rows:
    """Rows that follow one another in memory are written as one."""
    e = f.e
    # Not the stride decides: a padded destination may have just the pitch of rows that are staged apart.
    joined = e.value(f"icmp eq i64 {rows.size}, {rows.pitch}")
    count = e.value(f"select i1 {joined}, i64 1, i64 {rows.count}")
    size = e.value(f"select i1 {joined}, i64 {e.multiply(rows.count, rows.pitch)}, i64 {rows.size}")
    return replace(rows, count=count, size=size)


def _turn(f: Frame, tile: _Tile, writer: Writer) -> None:
    """Turns one tile, blocks of rows last to first.

    The last block may be cut: its missing rows repeat the last row, and what they stage lands at the head
    of the next staged row, which an earlier block puts right afterwards.
    """
    e, element = f.e, f.shape.element_bytes
    rows, order = int(f.shape.details[0]), f.shape.details[3]
    blocks = e.mask(e.add(tile.row, rows - 1), -rows)
    with ExitStack() as loops:
        outside = loops.enter_context(e.loop(0, *((blocks, rows) if order == "middles" else (tile.middle, 1))))
        inside = loops.enter_context(e.loop(0, *((tile.middle, 1) if order == "middles" else (blocks, rows))))
        back, middle = (outside, inside) if order == "middles" else (inside, outside)
        first = e.subtract(e.subtract(blocks, rows), back)
        source = walked(e, tile.source, (middle, f.inner[1].source_stride), (first, f.inner[2].source_stride))
        staged = walked(e, tile.staging, (middle, tile.row_bytes), (first, element))
        _turn_blocks(f, tile, source, staged, e.subtract(e.subtract(tile.row, 1), first), writer)


def _turn_blocks(f: Frame, tile: _Tile, source: str, staged: str, last: Value, writer: Writer) -> None:
    """Turns a block of rows, as many lanes at once as a vector has; rows past the `last` repeat it."""
    e, element, lanes = f.e, f.shape.element_bytes, int(f.shape.details[1])
    numbers = [f.inner[2].source_stride, last, tile.pitch, f.extras[5]]
    if not e.has_function("turn"):
        with e.function("turn", "ptr noalias %from, ptr noalias %to, i64 %stride, i64 %last, i64 %pitch, i64 %ahead"):
            _turn_block(f)
    arguments = ", ".join(f"i64 {number}" for number in numbers)
    with e.loop(0, tile.across, lanes) as wanted:
        start = e.minimum(wanted, e.subtract(tile.across, lanes))
        target = e.at(staged, e.multiply(start, tile.pitch))
        e.do(f"call void @turn(ptr {e.at(source, e.multiply(start, element))}, ptr {target}, {arguments})")
        writer.go_on()


def _turn_block(f: Frame) -> None:
    """A function of its own, without loops: within the others it would take twice as long to compile."""
    e, element = f.e, f.shape.element_bytes
    rows, lane_count = (int(detail) for detail in f.shape.details[:2])
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
