"""Windows of a convolution that are read where they lie, through pointers: one for each tap of each pixel.

Where the channels of a pixel are neighbours, nothing has to be gathered: a chunk notes where its pixels read, a pointer
for all channels of a tap. Pixels whose tap lies on padding read a line of zeros; taps that lie there for all pixels of
a tile are left out.

The table of a tile is a number of entries, then the entries: where the weights of a tap begin, and a pointer for each
row of the tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from math import prod
from typing import Any, NamedTuple

from anydml.core.datatype import DataType
from anydml.core.steps import Access
from anydml.core.tensor import round_up
from anydml.runtime.cpu.contraction.cells import Source
from anydml.runtime.cpu.contraction.held import held_bytes
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, LINE_BYTES, Machine, host_machine
from anydml.runtime.cpu.contraction.panels import Numbers
from anydml.runtime.cpu.contraction.partition import most_rows
from anydml.runtime.cpu.contraction.staged import ROOM_BYTES, STAGE, STAGE_PARAMETERS, SUMS_AT, SUMS_BYTES, Form, Staged
from anydml.runtime.cpu.contraction.tile import Tile, depth_block, entry_bytes, even_part
from anydml.runtime.cpu.contraction.windows import FEW_CHANNELS, Windows
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.native.emit import Value
from anydml.runtime.native.schedule import WORD

_ZEROS_AT, _MOST_CHANNELS = SUMS_AT, SUMS_BYTES // CELL_BYTES
"""Where in the memory of a thread the line of zeros lies, and how long it may be. Sums follow, if there is room."""
_ROW_BYTES = 4 * WORD
"""Of what is noted of a row: where its first tap reads, along each dimension and in memory."""
_NEAR_BYTES = 192 * 1024
"""Of pixels, beside the weights that pass by."""
_NEAR_PANEL_BYTES, _MOST_TAPS_BYTES = 192 * 1024, 256 * 1024
"""Weights of a tile's filters that stay in the second-level cache beside the pixels. Of more, some taps at a time, for
all tiles of a chunk: a quarter of that cache, or less where it is large."""
_FEWEST_CHANNELS = 16
"""Fewer are read in less time than it takes to follow the pointers."""


@dataclass(frozen=True)
class IndirectWindows:
    """Windows whose pixels are the rows of a product. What is staged is a table of pointers."""

    windows: Windows
    tap_block: int = 1
    """Taps whose weights are walked together, where weights are many."""

    @property
    def slot(self) -> int:
        return self.windows.slot

    @property
    def source(self) -> Source:
        return self.windows.source

    @property
    def offset(self) -> int:
        return self.windows.offset

    @property
    def batch_strides(self) -> Numbers:
        return self.windows.batch_strides

    @property
    def rows(self) -> int:
        return self.windows.rows

    @property
    def shape(self) -> tuple[object, ...]:
        return ("indirect", self.windows.is_joined)

    @property
    def access(self) -> Access:
        return self.windows.access

    @property
    def sizes(self) -> Numbers:
        return self.windows.sizes

    def words(self) -> dict[str, int]:
        return {
            **self.windows.words(),
            "channel_block": depth_block(self.windows.channels, False),
            "tap_block": self.tap_block,
            "sums_at": _ZEROS_AT + self._zeros_bytes,
            "zeros_bytes": self._zeros_bytes,
        }

    @property
    def _zeros_bytes(self) -> int:
        """Of the line of zeros, and of each copy of a line that begins or ends on padding."""
        return round_up(self.windows.channels * CELL_BYTES, LINE_BYTES)

    def walks_taps(self, panel_bytes: int, sums_bytes: int) -> bool:
        """Whether so many bytes of weights are walked by taps, if there is room for so many of sums meanwhile."""
        return panel_bytes > _NEAR_PANEL_BYTES and sums_bytes + self._zeros_bytes <= SUMS_BYTES

    def finished(self, tile: Tile, panel_bytes: int, sums_bytes: int, machine: Machine) -> tuple[Tile, IndirectWindows]:
        """The tile and these windows, once it is known how many bytes of weights a tile needs, and of sums a chunk.

        Many weights are walked some taps at a time, and results are held, as far as there is room for sums meanwhile.
        """
        operand = self
        if not tile.adds_blocks:
            count, near = self.windows.tap_count, min(machine.second_level_bytes // 4, _MOST_TAPS_BYTES)
            tile = replace(tile, is_blocked=self.walks_taps(panel_bytes, sums_bytes))
            operand = replace(self, tap_block=even_part(count, max(1, near * count // panel_bytes)))
        held = held_bytes(tile, machine) if tile.turns_results else 0
        has_room = (sums_bytes if tile.is_blocked else 0) + held + self._zeros_bytes <= SUMS_BYTES
        return replace(tile, holds_results=tile.turns_results and has_room), operand

    def moved(self, slot: int) -> Staged:
        return replace(self, windows=self.windows.moved(slot))

    def panel_bytes(self, form: Form, vector_bytes: int) -> int:
        """Of the table of a tile, and of the copies of lines behind it."""
        return self._table_bytes(form.width)

    def _table_bytes(self, width: int) -> int:
        pointers = round_up(WORD + self.windows.tap_count * entry_bytes(width), LINE_BYTES)
        return pointers + (self.windows.tap_count * width * self._zeros_bytes if self.windows.is_joined else 0)

    def most_pixels(self, width: int) -> int:
        """For one chunk: what they read stays in the second-level cache, and their tables have room."""
        windows = self.windows
        elements = prod(windows.steps) * (1 if windows.is_joined else windows.channels)
        near = _NEAR_BYTES // (elements * CELL_BYTES)
        return max(1, min(near // width, ROOM_BYTES // self._table_bytes(width))) * width

    def emit(self, e: Writer, words: Words, form: Form) -> None:
        table = (_JoinedTable if self.windows.is_joined else _Table)(e, words, form.width)
        table.emit()
        with e.function(STAGE, STAGE_PARAMETERS, is_cold=True):
            zeros = e.at("%cells", _ZEROS_AT)
            with e.loop(0, words.load(e, "channels"), e.lanes) as channel:
                e.store(e.kind("float"), "zeroinitializer", e.step(zeros, (channel, CELL_BYTES)))
            size = words.load(e, "left_step")
            with e.loop("%first", "%last", form.width) as lane:
                number = e.divide(e.subtract(lane, "%first"), form.width)
                arguments = [("ptr", "%parameters"), ("ptr", "%source"), ("i64", lane), ("ptr", zeros)]
                e.call("table", *arguments, ("ptr", e.step("%cells", (number, size))))


def is_read_indirectly(windows: Windows, machine: Machine) -> bool:
    """Whether the channels of a pixel are neighbours, and enough for a pointer of their own."""
    is_dense = windows.channel_stride == 1 and windows.source.cells.is_float
    if windows.is_joined:  # the lines of a tile that lie on padding, all of them at worst, are copied
        line = round_up(windows.channels * CELL_BYTES, LINE_BYTES)
        is_dense = is_dense and most_rows(machine) * windows.tap_count * line <= ROOM_BYTES // 2
    return is_dense and _is_read_through_pointers(windows.type, windows.channels, machine)


def gains_from_channels_last(operator: Any) -> bool:
    """Whether an operator is a convolution that would read its pixels so if their channels were neighbours."""
    if operator.dml_type != "CONVOLUTION":
        return False
    x, channels = operator.input_tensor, operator.input_tensor.sizes[1] // operator.group_count
    if 1 < channels < FEW_CHANNELS and operator.group_count == 1 and operator.dilations[-1] == 1:
        channels *= operator.filter_tensor.sizes[-1]  # lines of windows are read at once
    return _is_read_through_pointers(x.data_type, channels, host_machine())


def _is_read_through_pointers(data_type: DataType, channels: int, machine: Machine) -> bool:
    """Tiles of many rows would need more pointers than there are registers for."""
    return machine.has_pointers and data_type is DataType.FLOAT32 and _FEWEST_CHANNELS <= channels <= _MOST_CHANNELS


Values = tuple[Value, Value, Value]


class _Row(NamedTuple):
    """Where the first tap of a row's pixel reads: along each dimension, and in memory."""

    starts: Values
    pointer: str


class _Read(NamedTuple):
    """Where a row reads a tap, and whether that is within the input."""

    is_inside: str
    pointer: str


class _Table:
    """Writes `table(parameters, source, first, zeros, table)`: the table of the tile that begins at a pixel.

    The rows of a tile are noted first. Loops over them compile faster than code for each would, and run as fast.
    """

    def __init__(self, e: Writer, words: Words, rows: int) -> None:
        self.e, self.words, self.rows = e, words, rows

    def word(self, name: str) -> str:
        return self.words.load(self.e, name)

    def each(self, name: str) -> list[str]:
        """A word for each dimension."""
        return [self.word(f"{name}_{n}") for n in range(3)]

    def prepare(self) -> None:
        """What comes before the loops."""

    def emit(self) -> None:
        e = self.e
        with e.function("table", "ptr %parameters, ptr %source, i64 %first, ptr %zeros, ptr %table"):
            self.noted = e.room(self.rows * _ROW_BYTES, WORD)
            self.prepare()
            self.strides, self.sizes, self.dilations, self.taps = map(self.each, ("stride", "size", "dilation", "tap"))
            self.tap_bytes = e.multiply(self.word("channels"), self.word("pitch"))
            is_whole = self._note_rows()
            with e.when(is_whole):
                self._emit_whole()
            with e.unless(is_whole):
                self._emit_taps()

    # Rows

    def _note_rows(self) -> str:
        """Notes all rows, and returns whether no tap of any of them lies on padding.

        Rows that a tile has no pixels for read what comes after, or nothing; nobody stores them.
        """
        e, (_, *pixels) = self.e, self.each("pixel")
        steps, firsts, places = self.each("index_step"), self.each("start"), self.places()
        line, index = e.split("%first", pixels[1])
        indices = [("i64", str(number)) for number in (*e.split(line, pixels[0]), index)]
        with e.carried(0, self.rows, 1, [*indices, ("i1", "true")]) as loop:
            *found, is_whole = loop.values
            first = [e.add(e.multiply(*pair), more) for *pair, more in zip(found, steps, firsts, strict=True)]
            noted = e.step(self.noted, (loop.index, _ROW_BYTES))
            for n, start in enumerate(first):
                e.store("i64", start, e.at(noted, n * WORD), WORD)
            e.store("ptr", e.at("%source", self._distance(first)), e.at(noted, len(first) * WORD), WORD)
            inside = [e.compare("ult", e.subtract(at, least), n) for at, (least, n) in zip(first, places, strict=True)]
            following = [str(number) for number in self._following(found, pixels)]
            loop.following = [*following, reduce(e.both, inside, is_whole)]
        return loop.following[-1]

    def places(self) -> list[tuple[Value, Value]]:
        """Along each dimension, where the first tap reads if no tap lies on padding: from where on, in how many places.

        Taps may run backwards.
        """
        e = self.e
        pairs = zip(self.taps, self.dilations, strict=True)
        last = [e.multiply(e.subtract(taps, 1), dilation) for taps, dilation in pairs]
        least = [e.maximum(e.subtract(0, more), 0) for more in last]
        reach = [e.maximum(first, more) for first, more in zip(least, last, strict=True)]
        return [
            (first, e.maximum(e.subtract(size, more), 0))
            for first, size, more in zip(least, self.sizes, reach, strict=True)
        ]

    def _row(self, number: Value) -> _Row:
        e, noted = self.e, self.e.step(self.noted, (number, _ROW_BYTES))
        outer, middle, inner = (e.load("i64", e.at(noted, n * WORD), WORD) for n in range(3))
        return _Row((outer, middle, inner), e.load("ptr", e.at(noted, 3 * WORD), WORD))

    def _following(self, indices: Sequence[Value], sizes: Sequence[Value]) -> list[Value]:
        """The next pixel: without a division, which would take longer than all else about it."""
        e, carry = self.e, "true"
        found: list[Value] = []
        for index, size in zip(reversed(indices[1:]), reversed(sizes), strict=True):
            moved = e.add(index, e.value(f"zext i1 {carry} to i64"))
            carry = e.compare("eq", moved, size)
            found.insert(0, e.choose(carry, "i64", 0, moved))
        return [e.add(indices[0], e.value(f"zext i1 {carry} to i64")), *found]

    def _distance(self, places: Sequence[Value]) -> Value:
        """From the first element, in bytes."""
        return reduce(self.e.add, map(self.e.multiply, places, self.strides))

    # Entries

    @contextmanager
    def _each_tap(self) -> Iterator[tuple[Values, Value]]:
        """How far each tap lies from the first, and its number."""
        e, (_, taps_b, taps_c) = self.e, self.taps
        with e.loop(0, self.taps[0]) as a, e.loop(0, taps_b) as b, e.loop(0, taps_c) as c:
            outer, middle, inner = map(e.multiply, (a, b, c), self.dilations)
            yield (outer, middle, inner), e.add(e.multiply(e.add(e.multiply(a, taps_b), b), taps_c), c)

    def _begin_entry(self, number: Value, tap: Value) -> str:
        """Where the pointers of an entry begin."""
        e = self.e
        entry = e.at(e.step("%table", (number, entry_bytes(self.rows))), WORD)
        e.store("i64", e.multiply(tap, self.tap_bytes), entry, WORD)
        return e.at(entry, WORD)

    def _emit_whole(self) -> None:
        """The entries of a tile without padding: all pointers move by the same distance from tap to tap."""
        e, pointers = self.e, [self._row(number).pointer for number in range(self.rows)]
        e.store("i64", e.multiply(e.multiply(*self.taps[:2]), self.taps[2]), "%table", WORD)
        with self._each_tap() as (moved, tap):
            entry, distance = self._begin_entry(tap, tap), self._distance(moved)
            for number, pointer in enumerate(pointers):
                e.store("ptr", e.at(pointer, distance), e.at(entry, number * WORD), WORD)

    def _emit_taps(self) -> None:
        """The entries of a tile some of whose taps lie on padding: those that any row reads within the input."""
        e = self.e
        e.store("i64", 0, "%table", WORD)
        with self._each_tap() as (moved, tap):
            count, distance = e.load("i64", "%table", WORD), self._distance(moved)
            entry = self._begin_entry(count, tap)
            with e.carried(0, self.rows, 1, [("i1", "false")]) as loop:
                row = self._row(loop.index)
                read = self.read(row, moved, e.at(row.pointer, distance), e.add(e.multiply(tap, self.rows), loop.index))
                e.store("ptr", read.pointer, e.step(entry, (loop.index, WORD)), WORD)
                loop.following = [e.value(f"or i1 {loop.values[0]}, {read.is_inside}")]
            e.store("i64", e.add(count, e.value(f"zext i1 {loop.following[0]} to i64")), "%table", WORD)
        # A tile that lies on padding altogether has one entry, of zeros: it was written.
        e.store("i64", e.maximum(e.load("i64", "%table", WORD), 1), "%table", WORD)

    def is_inside(self, row: _Row, moved: Values, dimensions: int) -> str:
        """Whether a tap, which lies so far from the first, reads within the input along the first dimensions."""
        e = self.e
        triples = zip(row.starts[:dimensions], moved, self.sizes, strict=False)
        return reduce(e.both, [e.compare("ult", e.add(start, more), size) for start, more, size in triples])

    def read(self, row: _Row, moved: Values, source: str, number: Value) -> _Read:
        """Where a row reads a tap, which lies so far from the first and would be at `source`.

        `number` counts the rows of all taps.
        """
        is_inside = self.is_inside(row, moved, 3)
        return _Read(is_inside, self.e.choose(is_inside, "ptr", source, "%zeros"))


class _JoinedTable(_Table):
    """The same where a line of a window is one tap. Lines that begin or end on padding are copied, with zeros there."""

    def emit(self) -> None:
        self._emit_copy()
        super().emit()

    def _emit_copy(self) -> None:
        e = self.e
        with e.function("copy", "ptr %source, i64 %place, i64 %size, i64 %count, ptr %line", is_cold=True):
            last = e.minimum("%count", e.subtract("%size", "%place"))
            with e.loop(0, "%count", e.lanes) as done:
                mask = e.lanes_between(e.subtract(e.subtract(0, "%place"), done), e.subtract(last, done))
                elements = e.load_some("float", e.step("%source", (done, CELL_BYTES)), mask)
                e.store(e.kind("float"), elements, e.step("%line", (done, CELL_BYTES)))

    def prepare(self) -> None:
        e = self.e
        entries = e.add(e.multiply(self.word("tap_count"), entry_bytes(self.rows)), WORD)
        self.copies = e.at("%table", e.mask(e.add(entries, LINE_BYTES - 1), -LINE_BYTES))
        room = e.subtract(self.word("size_2"), self.word("channels"))
        self.whole_lines = e.maximum(e.add(room, 1), 0)
        """Where lines can begin that lie within the input."""

    def places(self) -> list[tuple[Value, Value]]:
        return [*super().places()[:2], (0, self.whole_lines)]

    def read(self, row: _Row, moved: Values, source: str, number: Value) -> _Read:
        e, line = self.e, self.is_inside(row, moved, 2)
        is_whole = e.compare("ult", row.starts[2], self.whole_lines)
        copied = e.step(self.copies, (number, self.word("zeros_bytes")))
        with e.when(e.both(line, e.opposite(is_whole))):
            numbers = [("i64", value) for value in (row.starts[2], self.word("size_2"), self.word("channels"))]
            e.call("copy", ("ptr", source), *numbers, ("ptr", copied))
        return _Read(line, e.choose(line, "ptr", e.choose(is_whole, "ptr", source, copied), "%zeros"))
