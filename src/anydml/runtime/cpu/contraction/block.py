"""The tiles of a chunk, one after the other."""

from __future__ import annotations

from anydml.runtime.cpu.contraction.staged import stage_call
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
        stage_call(e, right, first_column, last_column, "%staging")
        right = "%staging"
    if stages_left:
        stage_call(e, left, first_row, last_row, "%staging")
        left = "%staging"
    if stages_left or tile.is_right_in_place:
        with e.loop(first_column, last_column, columns) as column, e.loop(first_row, last_row, tile.rows) as row:
            _emit_call(e, words, tile, (left, right), row, column)
    else:
        with e.loop(first_row, last_row, tile.rows) as row, e.loop(first_column, last_column, columns) as column:
            _emit_call(e, words, tile, (left, right), row, column)


def _emit_call(e: Writer, words: Words, tile: Tile, operands: tuple[str, str], row: Value, column: Value) -> None:
    columns = tile.vectors * e.lanes
    lanes = e.minimum(columns, e.subtract(words.load(e, "column_last"), column))
    across = e.divide(e.subtract(column, words.load(e, "column_first")), columns)
    right = e.step(operands[1], (across, words.load(e, "right_step")))
    down = e.divide(e.subtract(row, words.load(e, "row_first")), tile.rows)
    left = e.step(operands[0], (down, words.load(e, "left_step")))
    skip: Value = 0
    row_stride: Value = 0
    if not tile.is_left_packed:
        # The last tile begins earlier, so that it has all its rows; those that others store are skipped.
        row_stride = words.load(e, "left_row_stride")
        start = e.minimum(row, e.subtract(words.load(e, "row_count"), tile.rows))
        skip = e.subtract(row, start)
        left = e.step(left, (e.subtract(0, skip), row_stride))
        row = start
    rows = e.minimum(tile.rows, e.subtract(words.load(e, "row_last"), row))
    numbers = [words.load(e, "pitch"), words.load(e, "depth"), row_stride, words.load(e, "left_depth_stride")]
    places = [row, column, skip, rows, lanes]
    arguments = [
        ("ptr", left),
        ("ptr", right),
        *(("i64", number) for number in numbers),
        ("ptr", "%context"),
        *(("i64", place) for place in places),
    ]
    if not tile.is_right_in_place:
        e.call(TILE, *arguments)
        return
    is_part = e.compare("slt", lanes, columns)
    with e.when(is_part):
        e.call(PART, *arguments)
    with e.unless(is_part):
        e.call(TILE, *arguments)
