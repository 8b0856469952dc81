"""Results that lie across the vectors of tiles: held in memory until whole lines of them can be turned and stored.

Tiles that read rows through pointers have few rows. Turned by itself, each would write parts of lines, which caches
lose before the next part comes where many of these lines share their places.
"""

from __future__ import annotations

from math import lcm

from anydml.runtime.cpu.contraction.epilogue import Epilogue, Lines
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, Machine
from anydml.runtime.cpu.contraction.tile import Tile, turned
from anydml.runtime.cpu.contraction.writer import Writer
from anydml.runtime.native.emit import Value

STORE_HELD = "store_held"
_LINE = "ptr %context, ptr %sums, i64 %row, i64 %column, i64 %rows, i64 %lanes"
_HELD = "ptr %context, ptr %sums, i64 %row, i64 %column, i64 %first, i64 %last, i64 %rows, i64 %lanes"


def rows_held(tile: Tile, machine: Machine) -> int:
    """Rows whose results are stored together: those of whole tiles, and whole vectors."""
    return lcm(tile.rows, machine.lanes)


def held_bytes(tile: Tile, machine: Machine) -> int:
    """Of the memory that holds them, with room for the vectors that are read at their end."""
    return (rows_held(tile, machine) + machine.lanes) * _pitch_bytes(tile, machine)


def _pitch_bytes(tile: Tile, machine: Machine) -> int:
    return tile.vectors * machine.vector_bytes


def emit_held(e: Writer, tile: Tile, epilogue: Epilogue) -> None:
    """`store_held(context, sums, row, column, first, last, rows, lanes)` stores lines of memory that are whole.

    The sums are of `rows` rows, of which those from `first` to `last` are new. The last line is stored as it is.
    """
    pitch = _pitch_bytes(tile, e.machine)
    with e.function("store_line", _LINE):
        _emit_line(e, tile, epilogue, pitch)
    with e.function(STORE_HELD, _HELD):
        before = e.minimum("%rows", epilogue.rows_before_line(e, "%context", "%row", "%column"))
        first, last = (_start_of_line(e, row, before) for row in ("%first", "%last"))
        last = e.choose(e.compare("eq", "%last", "%rows"), "i64", "%rows", last)
        is_short = e.both(e.compare("eq", first, 0), e.compare("sgt", e.minimum(before, last), 0))
        with e.when(is_short):
            _call(e, "%sums", "%row", before)
        with e.loop(e.choose(is_short, "i64", before, first), last, e.lanes) as done:
            count = e.minimum(e.lanes, e.subtract(last, done))
            _call(e, e.step("%sums", (done, pitch)), e.add("%row", done), count)


def _start_of_line(e: Writer, row: Value, before: Value) -> Value:
    """Of the line that a row is on, if the first one begins after so many rows."""
    after = e.subtract(row, before)
    return e.choose(e.compare("slt", after, 0), "i64", 0, e.subtract(row, e.mask(after, e.lanes - 1)))


def _call(e: Writer, sums: str, row: Value, rows: Value) -> None:
    places = [("i64", row), ("i64", "%column"), ("i64", rows), ("i64", "%lanes")]
    e.call("store_line", ("ptr", "%context"), ("ptr", sums), *places)


def _emit_line(e: Writer, tile: Tile, epilogue: Epilogue, pitch: int) -> None:
    """As many rows as a vector has lanes, or fewer: a vector of rows for each column."""
    kind, fits = e.kind(tile.cells.element), epilogue.fits_run(e, "%context", "%row", "%column", "%rows", "%lanes")
    memory = e.room(e.lanes * e.vector_bytes, e.vector_bytes)
    with e.when(fits), e.loop(0, "%lanes", e.lanes) as done:
        place = e.step("%sums", (done, CELL_BYTES))
        columns = turned(e, tile, [e.load(kind, e.at(place, row * pitch), e.vector_bytes) for row in range(e.lanes)])
        first, count = e.add("%column", done), e.minimum(e.subtract("%lanes", done), e.lanes)
        is_whole = e.both(e.compare("eq", "%rows", e.lanes), e.compare("eq", count, e.lanes))
        with e.when(is_whole):
            lines = Lines.STREAMED if tile.streams_results else Lines.ASKED_FOR
            epilogue.turned.emit_vectors(e, "%context", first, "%row", [[column] for column in columns], lines=lines)
        with e.unless(is_whole):  # through memory: one after the other takes less code
            for n, column in enumerate(columns):
                e.store(kind, column, e.at(memory, n * e.vector_bytes), e.vector_bytes)
            mask = e.first_lanes("%rows")
            with e.loop(0, count) as number:
                column = e.load(kind, e.step(memory, (number, e.vector_bytes)), e.vector_bytes)
                epilogue.turned.emit_vectors(e, "%context", e.add(first, number), "%row", [[column]], mask)
    with e.unless(fits):
        numbers = [("i64", number) for number in (pitch, "%row", "%column", "%rows", "%lanes")]
        e.call("finish", ("ptr", "%context"), ("ptr", "%sums"), *numbers)
