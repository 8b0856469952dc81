"""Windows of a convolution that are read where they lie, through pointers: one for each tap of each pixel.

Where the channels of a pixel are neighbours, nothing has to be gathered: a chunk notes where its pixels read, a pointer
for all channels of a tap. Pixels whose tap lies on padding read a line of zeros; taps that lie there for all pixels of
a tile are left out.

The table of a tile is a number of entries, then the entries: where the weights of a tap begin, and a pointer for each
row of the tile.
"""

from __future__ import annotations

from collections.abc import Sequence
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
        """The tile, and these windows with so many taps at a time of so many bytes of weights; what else is held in
        memory meanwhile depends on how much room there is."""
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
    """Writes `table(parameters, source, first, zeros, table)`: the table of the tile that begins at a pixel."""

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
            self.prepare()
            self.strides, self.sizes, dilations, taps = map(self.each, ("stride", "size", "dilation", "tap"))
            rows = self._rows()
            tap_bytes = e.multiply(self.word("channels"), self.word("pitch"))
            is_whole = self._is_whole(
                rows, [e.multiply(e.subtract(t, 1), d) for t, d in zip(taps, dilations, strict=True)]
            )
            with e.when(is_whole):
                self._emit_whole(rows, taps, dilations, tap_bytes)
            with e.unless(is_whole):
                self._emit_taps(rows, taps, dilations, tap_bytes)

    def _emit_taps(
        self, rows: Sequence[_Row], taps: Sequence[Value], dilations: Sequence[Value], tap_bytes: Value
    ) -> None:
        """The entries of a tile some of whose taps lie on padding."""
        e = self.e
        e.store("i64", 0, "%table", WORD)
        with e.loop(0, taps[0]) as a, e.loop(0, taps[1]) as b:
            outer, middle = e.multiply(a, dilations[0]), e.multiply(b, dilations[1])
            lines = [e.both(self._is_inside(row, 0, outer), self._is_inside(row, 1, middle)) for row in rows]
            number = e.multiply(e.add(e.multiply(a, taps[1]), b), taps[2])
            with e.loop(0, taps[2]) as c:
                moved = outer, middle, e.multiply(c, dilations[2])
                tap = e.add(number, c)
                pointers = self.pointers(rows, lines, moved, tap)
                self._emit_entry(e.multiply(tap, tap_bytes), pointers)
        # A tile that lies on padding altogether has one entry, of zeros: it was written.
        e.store("i64", e.maximum(e.load("i64", "%table", WORD), 1), "%table", WORD)

    def _is_whole(self, rows: Sequence[_Row], last: Sequence[Value]) -> str:
        """Whether no tap of any row lies on padding; the last one is so far from the first along each dimension."""
        e = self.e
        inside = [
            e.both(self._is_inside(row, n, 0), self._is_inside(row, n, distance))
            for row in rows
            for n, distance in enumerate(last)
        ]
        return reduce(e.both, inside)

    def _emit_whole(
        self, rows: Sequence[_Row], taps: Sequence[Value], dilations: Sequence[Value], tap_bytes: Value
    ) -> None:
        """The entries of a tile without padding: all pointers move by the same distance from tap to tap."""
        e, size = self.e, entry_bytes(self.rows)
        e.store("i64", e.multiply(e.multiply(taps[0], taps[1]), taps[2]), "%table", WORD)
        with e.loop(0, taps[0]) as a, e.loop(0, taps[1]) as b, e.loop(0, taps[2]) as c:
            distance = self._distance([e.multiply(*pair) for pair in zip((a, b, c), dilations, strict=True)])
            tap = e.add(e.multiply(e.add(e.multiply(a, taps[1]), b), taps[2]), c)
            entry = e.at(e.step("%table", (tap, size)), WORD)
            e.store("i64", e.multiply(tap, tap_bytes), entry, WORD)
            for number, row in enumerate(rows, 1):
                e.store("ptr", e.at(row.pointer, distance), e.at(entry, number * WORD), WORD)

    def _rows(self) -> list[_Row]:
        """Rows that a tile has no pixels for read what comes after, or nothing; nobody stores them."""
        e, (_, *pixels) = self.e, self.each("pixel")
        steps, firsts = self.each("index_step"), self.each("start")
        line, index = e.split("%first", pixels[1])
        indices = [*e.split(line, pixels[0]), index]
        found = []
        for _ in range(self.rows):
            places = zip(indices, steps, firsts, strict=True)
            outer, middle, inner = (e.add(e.multiply(index, step), first) for index, step, first in places)
            starts = outer, middle, inner
            found.append(_Row(starts, e.at("%source", self._distance(starts))))
            indices = self._following(indices, pixels)
        return found

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

    def _is_inside(self, row: _Row, n: int, moved: Value) -> str:
        """Whether a tap, which lies so far from the first, reads within the input along a dimension."""
        return self.e.compare("ult", self.e.add(row.starts[n], moved), self.sizes[n])

    def pointers(self, rows: Sequence[_Row], lines: Sequence[str], moved: Values, tap: Value) -> list[_Read]:
        """Where each row reads a tap, which lies so far from the first; its line is inside the input, or not."""
        e, distance, found = self.e, self._distance(moved), []
        for row, line in zip(rows, lines, strict=True):
            is_inside = e.both(line, self._is_inside(row, 2, moved[2]))
            found.append(_Read(is_inside, e.choose(is_inside, "ptr", e.at(row.pointer, distance), "%zeros")))
        return found

    def _emit_entry(self, weights: Value, pointers: Sequence[_Read]) -> None:
        """The entry of a tap, which counts if any row reads within the input."""
        e = self.e
        count = e.load("i64", "%table", WORD)
        entry = e.at(e.step("%table", (count, entry_bytes(self.rows))), WORD)
        e.store("i64", weights, entry, WORD)
        for number, read in enumerate(pointers, 1):
            e.store("ptr", read.pointer, e.at(entry, number * WORD), WORD)
        is_any = reduce(lambda left, right: e.value(f"or i1 {left}, {right}"), [read.is_inside for read in pointers])
        e.store("i64", e.add(count, e.value(f"zext i1 {is_any} to i64")), "%table", WORD)


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
        self.places = e.maximum(e.add(room, 1), 0)
        """Where lines can begin that lie within the input."""

    def _rows(self) -> list[_Row]:
        rows = super()._rows()
        self.are_whole = [self.e.compare("ult", row.starts[2], self.places) for row in rows]
        self.is_copied = self.e.opposite(reduce(self.e.both, self.are_whole))
        """Whether any row has lines that are."""
        return rows

    def _is_whole(self, rows: Sequence[_Row], last: Sequence[Value]) -> str:
        return reduce(self.e.both, self.are_whole, super()._is_whole(rows, last))

    def pointers(self, rows: Sequence[_Row], lines: Sequence[str], moved: Values, tap: Value) -> list[_Read]:
        e, distance = self.e, self._distance(moved)
        sources = [e.at(row.pointer, distance) for row in rows]
        copies = [
            e.step(self.copies, (e.add(e.multiply(tap, self.rows), number), self.word("zeros_bytes")))
            for number in range(self.rows)
        ]
        with e.when(self.is_copied):
            for row, line, is_whole, source, copied in zip(rows, lines, self.are_whole, sources, copies, strict=True):
                with e.when(e.both(line, e.opposite(is_whole))):
                    numbers = [("i64", value) for value in (row.starts[2], self.word("size_2"), self.word("channels"))]
                    e.call("copy", ("ptr", source), *numbers, ("ptr", copied))
        there = map(e.choose, self.are_whole, ["ptr"] * self.rows, sources, copies)
        return [_Read(line, e.choose(line, "ptr", at, "%zeros")) for line, at in zip(lines, there, strict=True)]
