"""The tile: rows by vectors of columns whose sums are held in registers while the depth is walked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from anydml.core.tensor import round_up
from anydml.runtime.cpu.contraction.cells import Cells
from anydml.runtime.cpu.contraction.depth import DepthLoop
from anydml.runtime.cpu.contraction.epilogue import Epilogue
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, LINE_BYTES, Machine
from anydml.runtime.cpu.contraction.packing import as_integers
from anydml.runtime.cpu.contraction.writer import Writer
from anydml.runtime.moves.kernels.lanes import Lanes
from anydml.runtime.native.emit import SECOND_LEVEL, Value
from anydml.runtime.native.schedule import WORD

_WHOLE_DEPTH, _DEPTH_BLOCK = 1536, 1024
"""Up to so many cells depth is one block; else blocks have at most so many."""
_SHORT_BLOCK = 320
"""Where blocks are packed one at a time: wide ones that are as large as deeper ones would be; and where rows are read
in place."""
_STREAMS = 16
"""Rows of an operand that is read once, from memory, which likes to be read in so many places at once."""
TILE, PART = "tile", "part"
"""The functions for all columns of a tile, and for some of them."""
_PARAMETERS = (
    "ptr %left, ptr %right, i64 %pitch, i64 %depth, i64 %row_stride, i64 %depth_stride, "
    "ptr %context, i64 %row, i64 %column, i64 %skip, i64 %rows, i64 %lanes, ptr %sums, i64 %is_last, ptr %ahead"
)


@dataclass(frozen=True)
class Tile:
    """The form of a tile. Machine code depends on it."""

    rows: int
    vectors: int
    cells: Cells
    is_left_packed: bool
    is_half: bool = False
    """Whether no column lies in the second half of its last vector, which then is not computed."""
    is_right_in_place: bool = False
    """Then the last columns are read with masks: what follows them may be another buffer."""
    is_streamed: bool = False
    """Whether results wait for a right operand that is read in place, once: in long pieces of a few of its rows."""
    is_blocked: bool = False
    """Whether depth is walked in several blocks, with the sums in memory between them."""
    has_short_blocks: bool = False
    """Whether those blocks are so short that what a tile reads of a row stays in the nearest cache."""
    stages_blocks: bool = False
    """Whether chunks pack the right operand one of those at a time, in long pieces of its rows."""
    turns_results: bool = False
    """Whether results lie side by side along rows: sums are turned in registers before they are stored."""
    holds_results: bool = False
    """Whether, besides, those of several tiles are held in memory until whole lines can be stored."""
    streams_results: bool = False
    """Whether these lines are written past the caches."""
    skips_padding: bool = False
    """Whether its rows are a line of pixels, which lack the same taps: those that lie on padding are left out."""
    is_indirect: bool = False
    """Whether rows are read through pointers, one for each tap; then `row_stride` counts channels, and `depth_stride`
    those of a block; taps `pitch` to `depth` of those that a tile has are walked."""
    adds_blocks: bool = False
    """Whether its sums are those of blocks, as with `is_blocked`, but one after the other within the tile."""
    lines_ahead: int = 0
    """Of the panel that is wanted next, lines that are asked for with every step: it may come from memory."""

    def columns(self, machine: Machine) -> int:
        return self.vectors * machine.lanes

    def sums_bytes(self, machine: Machine) -> int:
        return self.rows * self.vectors * machine.vector_bytes

    def left_pitch_bytes(self, machine: Machine) -> int:
        """Between rows of cells of a packed left operand."""
        return round_up(self.rows, machine.lanes) * CELL_BYTES

    def depth_block(self, depth: int) -> int:
        """Of so many cells in depth, those of a block."""
        if self.has_short_blocks:
            return short_block(depth)
        return depth if self.is_indirect else depth_block(depth, self.is_streamed)


def depth_block(depth: int, is_streamed: bool) -> int:
    """Depth is walked in nearly equal blocks of so many cells: what a tile reads stays in near caches."""
    if is_streamed and depth > _STREAMS:
        return _STREAMS
    return depth if depth <= _WHOLE_DEPTH else even_part(depth, _DEPTH_BLOCK)


def short_block(depth: int) -> int:
    return even_part(depth, _SHORT_BLOCK)


def even_part(size: int, most: int) -> int:
    """The size of parts that are at most `most` and nearly equal."""
    return -(-size // -(-size // most))


def emit_tile(e: Writer, tile: Tile, epilogue: Epilogue) -> None:
    """`tile(...)` computes rows `skip` to `rows` and the first `lanes` columns of a tile, and stores them.

    `row` and `column` say where in the result the tile lies. Vectors of the right operand are read whole; `part` reads
    none but those columns, of an operand in place.
    """
    epilogue.emit_finish(e, tile.cells.element)
    if tile.is_right_in_place:
        with e.function(PART, _PARAMETERS):
            memory = e.room((tile.rows * tile.vectors + 1) * e.vector_bytes, e.vector_bytes)
            sums = _emit_depth(e, tile, masks=_masks(e, tile))
            with _when_last(e, tile, sums):
                _emit_part(e, tile, sums, memory)
    with e.function(TILE, _PARAMETERS):
        memory = e.room((tile.rows * tile.vectors + 1) * e.vector_bytes, e.vector_bytes)
        if tile.is_indirect and tile.is_blocked:
            _emit_taps(e, tile)
            if not tile.holds_results:
                with e.when(e.compare("ne", "%is_last", 0)):
                    _emit_results(e, tile, epilogue, _load_sums(e, tile), memory)
            return
        sums = _emit_indirect(e, tile, memory) if tile.is_indirect else _emit_depth(e, tile)
        if tile.holds_results:
            _store_sums(e, tile, sums)
            return
        with _when_last(e, tile, sums):
            _emit_results(e, tile, epilogue, sums, memory)


@contextmanager
def _when_last(e: Writer, tile: Tile, sums: Sequence[str]) -> Iterator[None]:
    """After the last block of depth; after others the sums go to memory."""
    if not tile.is_blocked:
        yield
        return
    is_last = e.compare("ne", "%is_last", 0)
    with e.unless(is_last):
        _store_sums(e, tile, sums)
    with e.when(is_last):
        yield


def _store_sums(e: Writer, tile: Tile, sums: Sequence[str]) -> None:
    for number, total in enumerate(sums):
        e.store(e.kind(tile.cells.element), total, e.at("%sums", number * e.vector_bytes))


def _load_sums(e: Writer, tile: Tile) -> list[str]:
    places = [e.at("%sums", number * e.vector_bytes) for number in range(tile.rows * tile.vectors)]
    return [e.load(e.kind(tile.cells.element), place) for place in places]


def _emit_results(e: Writer, tile: Tile, epilogue: Epilogue, sums: Sequence[str], memory: str) -> None:
    if tile.turns_results:
        _emit_turned(e, tile, epilogue, sums, memory)
        return
    if not epilogue.is_short:
        _emit_part(e, tile, sums, memory)
        return
    is_whole = _is_whole(e, tile, epilogue, tile.vectors * e.lanes)
    with e.when(is_whole):
        rows = [sums[row * tile.vectors : (row + 1) * tile.vectors] for row in range(tile.rows)]
        epilogue.emit_vectors(e, "%context", "%row", "%column", rows)
    with e.unless(is_whole):
        _emit_part(e, tile, sums, memory)


def _emit_turned(e: Writer, tile: Tile, epilogue: Epilogue, sums: Sequence[str], memory: str) -> None:
    """A vector of rows for each column."""
    fits = epilogue.fits_run(e, "%context", "%row", "%column", "%rows", "%lanes")
    rows: Value = "%rows"
    if not e.machine.stores_some:  # parts of vectors are stored quickly only if it is known which
        rows = tile.rows
        fits = e.both(fits, e.both(e.compare("eq", "%skip", 0), e.compare("eq", "%rows", rows)))
    with e.when(fits):
        mask = e.first_lanes(rows)
        if tile.vectors == 1:
            _emit_columns(e, tile, epilogue, sums, 0, mask)
        else:  # one after the other, through memory: code for all of them would take longer to compile than the tile
            kind, pitch = e.kind(tile.cells.element), tile.vectors * e.vector_bytes
            for number, total in enumerate(sums):
                e.store(kind, total, e.at(memory, number * e.vector_bytes), e.vector_bytes)
            with e.loop(0, tile.vectors) as vector:
                place = e.step(memory, (vector, e.vector_bytes))
                found = [e.load(kind, e.at(place, row * pitch), e.vector_bytes) for row in range(tile.rows)]
                _emit_columns(e, tile, epilogue, found, vector, mask)
    with e.unless(fits):
        _emit_part(e, tile, sums, memory)


def _emit_columns(e: Writer, tile: Tile, epilogue: Epilogue, sums: Sequence[str], number: Value, mask: str) -> None:
    """Turns and stores a vector of columns of all rows."""
    columns = turned(e, tile, sums)
    done = e.multiply(number, e.lanes)
    place, count = e.add("%column", done), e.subtract("%lanes", done)
    is_whole = e.compare("sge", count, e.lanes)
    arguments = (e, "%context", place, "%row", [[column] for column in columns], mask)
    with e.when(is_whole):
        epilogue.turned.emit_vectors(*arguments)
    with e.unless(is_whole):
        epilogue.turned.emit_vectors(*arguments, count)


def turned(e: Writer, tile: Tile, rows: Sequence[str]) -> list[str]:
    """Rows of sums as columns, which have room for as many rows as lanes."""
    lanes, kind = Lanes(CELL_BYTES, e.lanes), e.kind(tile.cells.element)
    numbers = [as_integers(e, tile.cells, row) for row in rows] + ["zeroinitializer"] * (e.lanes - len(rows))
    columns = lanes.turn(e, numbers)
    if not tile.cells.is_float:
        return columns
    return [e.value(f"bitcast {lanes.kind} {column} to {kind}") for column in columns]


def _is_whole(e: Writer, tile: Tile, epilogue: Epilogue, columns: int) -> str:
    has_rows = e.both(e.compare("eq", "%skip", 0), e.compare("eq", "%rows", tile.rows))
    has_lanes = e.compare("eq", "%lanes", columns)
    fits = epilogue.fits_run(e, "%context", "%row", "%column", tile.rows, columns)
    return e.both(e.both(has_rows, has_lanes), fits)


def _emit_part(e: Writer, tile: Tile, sums: Sequence[str], memory: str) -> None:
    """Writes the sums to memory, where they can be counted."""
    kind, pitch = e.kind(tile.cells.element), tile.vectors * e.vector_bytes
    for number, total in enumerate(sums):
        e.store(kind, total, e.at(memory, number * e.vector_bytes), e.vector_bytes)
    e.call(
        "finish",
        ("ptr", "%context"),
        ("ptr", e.step(memory, ("%skip", pitch))),
        ("i64", pitch),
        ("i64", e.add("%row", "%skip")),
        ("i64", "%column"),
        ("i64", e.subtract("%rows", "%skip")),
        ("i64", "%lanes"),
    )


def _masks(e: Writer, tile: Tile) -> list[str]:
    counts = [e.maximum(e.subtract("%lanes", number * e.lanes), 0) for number in range(tile.vectors)]
    return [e.first_lanes(count) for count in counts]


def _emit_depth(e: Writer, tile: Tile, masks: Sequence[str] = ()) -> list[str]:
    """The sums of products over the depth, or over a block of it, added to those before.

    A block is summed by itself first: the error of sums of sums grows more slowly.
    """
    found = DepthLoop(e, tile, masks).emit()
    if not tile.is_blocked:
        return found
    return [tile.cells.add(e, *pair) for pair in zip(_load_sums(e, tile), found, strict=True)]


def entry_bytes(rows: int) -> int:
    """Of a tap in the table of a tile that reads rows through pointers."""
    return (1 + rows) * WORD


def _emit_taps(e: Writer, tile: Tile) -> None:
    """Adds the products of some taps, as far as a tile has them, to sums in memory."""
    last = e.minimum("%depth", e.load("i64", "%left", WORD))
    with e.when(e.compare("slt", "%pitch", last)):
        first = e.at(e.step("%left", ("%pitch", entry_bytes(tile.rows))), WORD)
        sums = [(e.kind(tile.cells.element), total) for total in _load_sums(e, tile)]
        with e.carried("%pitch", last, 1, [("ptr", first), *sums]) as loop:
            entry, *totals = loop.values
            found = _emit_channels(e, tile, entry, (0, "%row_stride"), totals)
            loop.following = [e.at(entry, entry_bytes(tile.rows)), *found]
        _store_sums(e, tile, loop.following[1:])


def _emit_indirect(e: Writer, tile: Tile, memory: str) -> list[str]:
    """The sums of products over all taps and channels of rows that pointers tell the places of."""
    kind, count = e.kind(tile.cells.element), tile.rows * tile.vectors
    zeros = ["zeroinitializer"] * count
    first, taps = e.at("%left", WORD), e.load("i64", "%left", WORD)
    if not tile.adds_blocks:
        with e.carried(0, taps, 1, [("ptr", first), *((kind, zero) for zero in zeros)]) as loop:
            entry, *totals = loop.values
            found = _emit_channels(e, tile, entry, (0, "%row_stride"), totals)
            loop.following = [e.at(entry, entry_bytes(tile.rows)), *found]
        return loop.following[1:]
    places = [e.at(memory, number * e.vector_bytes) for number in range(count)]
    for place in places:
        e.store(kind, "zeroinitializer", place, e.vector_bytes)
    with e.loop(0, taps) as tap, e.loop(0, "%row_stride", "%depth_stride") as channel:
        entry = e.step(first, (tap, entry_bytes(tile.rows)))
        channels = channel, e.minimum("%row_stride", e.add(channel, "%depth_stride"))
        for place, total in zip(places, _emit_channels(e, tile, entry, channels, zeros), strict=True):
            e.store(kind, tile.cells.add(e, e.load(kind, place, e.vector_bytes), total), place, e.vector_bytes)
    return [e.load(kind, place, e.vector_bytes) for place in places]


def _emit_channels(e: Writer, tile: Tile, entry: str, channels: tuple[Value, Value], sums: Sequence[str]) -> list[str]:
    """Sums with the products over some channels of a tap added to them."""
    element, pitch = tile.cells.element, tile.vectors * e.vector_bytes
    start = e.add(e.load("i64", entry, WORD), e.multiply(channels[0], pitch))
    pointers = [e.load("ptr", e.at(entry, row * WORD), WORD) for row in range(1, tile.rows + 1)]
    operands = [("ptr", e.at("%right", start)), ("ptr", e.at("%ahead", start))]
    with e.carried(*channels, 1, [*operands, *((e.kind(element), total) for total in sums)]) as loop:
        place, ahead, *totals = loop.values
        vectors = [e.load(e.kind(element), e.at(place, number * e.vector_bytes)) for number in range(tile.vectors)]
        for line in range(tile.lines_ahead):
            e.prefetch(e.at(ahead, line * LINE_BYTES), SECOND_LEVEL)
        offset, following = e.multiply(loop.index, CELL_BYTES), []
        for row, pointer in enumerate(pointers):
            cell = e.splat(element, e.load(element, e.at(pointer, offset), CELL_BYTES))
            for number, vector in enumerate(vectors):
                following.append(tile.cells.multiply_add(e, cell, vector, totals[row * tile.vectors + number]))
        loop.following = [e.at(place, pitch), e.at(ahead, pitch), *following]
    return loop.following[2:]
