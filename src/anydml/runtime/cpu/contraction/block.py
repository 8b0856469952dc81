"""The tiles of a chunk, one after the other."""

from __future__ import annotations

from contextlib import nullcontext

from anydml.process.loading import load_module
from anydml.runtime.cpu.contraction.held import STORE_HELD, rows_held
from anydml.runtime.cpu.contraction.staged import SUMS_AT, stage_call
from anydml.runtime.cpu.contraction.tile import PART, TILE, Tile
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.native.emit import Value


def emit_block(e: Writer, words: Words, tile: Tile, stages_left: bool, stages_right: bool) -> None:
    """All tiles of a chunk. What chunks pack themselves stays in a near cache; the other operand passes by."""
    columns = tile.vectors * e.lanes
    first_row, last_row, first_column, last_column = (
        words.load(e, f"{name}_{end}") for name in ("row", "column") for end in ("first", "last")
    )
    left, right = "%left", "%right"
    if stages_right:
        right = "%staging"
        if not tile.stages_blocks:
            stage_call(e, "%right", (first_column, last_column), right)
    if stages_left:
        left = "%staging"
        stage_call(e, "%left", (first_row, last_row), left)
    tiles = _Tiles(e, words, tile, (left, right), stages_left or tile.is_right_in_place)
    if not tile.is_blocked:
        tiles.emit(None)
        return
    sums = _sums_of_chunk(e, words, tile)
    count = e.multiply(
        e.divide_rounding_up(e.subtract(last_row, first_row), tile.rows),
        e.divide_rounding_up(e.subtract(last_column, first_column), columns),
    )
    with e.loop(0, e.multiply(count, tile.rows * tile.vectors)) as number:
        e.store(e.kind(tile.cells.element), "zeroinitializer", e.step(sums, (number, e.vector_bytes)))
    names = ("tap_count", "tap_block") if tile.is_indirect else ("depth", "block")
    with e.loop(0, *(words.load(e, name) for name in names)) as start:
        if tile.stages_blocks:
            stage_call(e, "%right", (first_column, last_column), right, start)
        tiles.emit(start)


def _sums_of_chunk(e: Writer, words: Words, tile: Tile) -> str:
    """Where the sums of a chunk lie between blocks of depth, or of taps: after the zeros that padding is read from."""
    return e.at("%staging", words.load(e, "sums_at") if tile.is_indirect else SUMS_AT)


class _Tiles:
    """The loops over the tiles of a chunk, through the whole depth or through a block of it."""

    def __init__(self, e: Writer, words: Words, tile: Tile, operands: tuple[str, str], is_column_first: bool) -> None:
        self.e, self.words, self.tile = e, words, tile
        self.operands = operands
        self.is_column_first = is_column_first

    def word(self, name: str) -> str:
        return self.words.load(self.e, name)

    def emit(self, start: Value | None) -> None:
        e, tile = self.e, self.tile
        rows = (self.word("row_first"), self.word("row_last"), tile.rows)
        columns = (self.word("column_first"), self.word("column_last"), tile.vectors * e.lanes)
        if tile.holds_results:
            with e.loop(*columns) as column, e.loop(*rows[:2], rows_held(tile, e.machine)) as row:
                self._emit_held(start, row, column)
        elif self.is_column_first:
            with e.loop(*columns) as column, e.loop(*rows) as row:
                self._emit_call(start, row, column)
        else:
            with e.loop(*rows) as row, e.loop(*columns) as column:
                self._emit_call(start, row, column)

    def _emit_held(self, start: Value | None, first: Value, column: Value) -> None:
        """The tiles of some rows, whose results are stored together."""
        e, tile = self.e, self.tile
        last = e.minimum(e.add(first, rows_held(tile, e.machine)), self.word("row_last"))
        lanes = e.minimum(tile.vectors * e.lanes, e.subtract(self.word("column_last"), column))
        sums = self._sums(start, self._down(first), self._across(column), first)
        rows = e.subtract(last, first)
        is_last = "true" if start is None else e.compare("ne", self._depth(start, first)[2], 0)
        with e.loop(first, last, tile.rows) as row:
            self._emit_call(start, row, column, first)
            with e.when(is_last):
                done = e.subtract(row, first)
                numbers = (first, column, done, e.minimum(rows, e.add(done, tile.rows)), rows, lanes)
                e.call(STORE_HELD, ("ptr", "%context"), ("ptr", sums), *(("i64", number) for number in numbers))

    def _emit_call(self, start: Value | None, row: Value, column: Value, held: Value | None = None) -> None:
        """A tile; `held` is the first row of those whose results are held together."""
        e, tile = self.e, self.tile
        columns = tile.vectors * e.lanes
        lanes = e.minimum(columns, e.subtract(self.word("column_last"), column))
        across = self._across(column)
        right = e.step(self.operands[1], (across, self.word("right_step")))
        down = self._down(row)
        left = e.step(self.operands[0], (down, self.word("left_step")))
        skip: Value = 0
        row_stride: Value = 0
        if not tile.is_left_packed and not tile.is_indirect:
            # The last tile begins earlier, so that it has all its rows; those that others store are skipped.
            row_stride = self.word("left_row_stride")
            first_row = e.minimum(row, e.subtract(self.word("row_count"), tile.rows))
            skip = e.subtract(row, first_row)
            left = e.step(left, (e.subtract(0, skip), row_stride))
            row = first_row
        rows = e.minimum(tile.rows, e.subtract(self.word("row_last"), row))
        first, last, is_last, is_there = self._depth(start, row)
        pitch = tile.left_pitch_bytes(e.machine) if tile.is_left_packed else self.word("left_depth_stride")
        if tile.is_indirect:
            numbers = [first, last, self.word("channels"), self.word("channel_block")]
        else:
            left = e.step(left, (first, pitch))
            if not tile.stages_blocks:
                right = e.step(right, (first, self.word("pitch")))
            numbers = [self.word("pitch"), e.subtract(last, first), row_stride, self.word("left_depth_stride")]
        places = [row, column, skip, rows, lanes]
        arguments: list[tuple[str, Value]] = [
            ("ptr", left),
            ("ptr", right),
            *(("i64", number) for number in numbers),
            ("ptr", "%context"),
            *(("i64", place) for place in places),
            ("ptr", self._sums(start, down, across, held)),
            ("i64", is_last),
            ("ptr", self._ahead(left, right)),
        ]
        with nullcontext() if is_there is None else e.when(is_there):
            self._call_tile(arguments, e.compare("slt", lanes, columns))

    def _depth(self, start: Value | None, row: Value) -> tuple[Value, Value, Value, str | None]:
        """Where the depth of a tile begins and ends, whether nothing comes after it, and if there is any of it."""
        e, skips = self.e, self.tile.skips_padding
        first: Value = 0
        last: Value = self.word("tap_count" if self.tile.is_indirect else "depth")
        if skips:
            windows = load_module("anydml.runtime.cpu.contraction.windows")
            first, last = windows.emit_depth_read(e, self.words, row)
        if start is None:
            return first, last, 1, None
        after = e.add(start, self.word("tap_block" if self.tile.is_indirect else "block"))
        is_last = e.value(f"zext i1 {e.compare('sge', after, last)} to i64")
        first, last = e.maximum(start, first) if skips else start, e.minimum(after, last)
        return first, last, is_last, e.compare("slt", first, last) if skips else None

    def _sums(self, start: Value | None, down: Value, across: Value, held: Value | None) -> str:
        """Where the sums of a tile lie between blocks of depth, or until they are stored."""
        e, number = self.e, down
        if start is not None:
            tall = e.divide_rounding_up(e.subtract(self.word("row_last"), self.word("row_first")), self.tile.rows)
            number = e.add(e.multiply(across, tall), down)
        elif held is not None:
            number = e.subtract(down, self._down(held))
        else:
            return "null"
        return e.step(_sums_of_chunk(e, self.words, self.tile), (number, self.tile.sums_bytes(e.machine)))

    def _down(self, row: Value) -> Value:
        """The number of tiles of the chunk above a row."""
        return self.e.divide(self.e.subtract(row, self.word("row_first")), self.tile.rows)

    def _across(self, column: Value) -> Value:
        return self.e.divide(self.e.subtract(column, self.word("column_first")), self.tile.vectors * self.e.lanes)

    def _ahead(self, left: str, right: str) -> str:
        """The panel of the outer loop's operand that comes next."""
        e = self.e
        if self.tile.is_indirect and self.tile.is_blocked:
            taps = e.multiply(self.word("tap_block"), self.word("channels"))
            return e.at(right, e.multiply(taps, self.word("pitch")))
        side, pointer = ("right", right) if self.is_column_first else ("left", left)
        return e.at(pointer, self.word(f"{side}_step"))

    def _call_tile(self, arguments: list[tuple[str, Value]], is_part: str) -> None:
        e = self.e
        if not self.tile.is_right_in_place:
            e.call(TILE, *arguments)
            return
        with e.when(is_part):
            e.call(PART, *arguments)
        with e.unless(is_part):
            e.call(TILE, *arguments)
