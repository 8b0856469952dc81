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
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, LINE_BYTES, Machine, host_machine
from anydml.runtime.cpu.contraction.panels import Numbers
from anydml.runtime.cpu.contraction.staged import ROOM_BYTES, STAGE, STAGE_PARAMETERS, SUMS_AT, SUMS_BYTES, Form, Staged
from anydml.runtime.cpu.contraction.tile import depth_block, entry_bytes, even_part
from anydml.runtime.cpu.contraction.windows import Windows
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
_FIRST_SPATIAL = 2
_FAR_WEIGHTS = 2
"""Weights that are so many times as large as the second-level cache are read best in the order of pointers."""


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
        return ("indirect",)

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
        }

    @property
    def _zeros_bytes(self) -> int:
        return round_up(self.windows.channels * CELL_BYTES, LINE_BYTES)

    def walks_taps(self, panel_bytes: int, sums_bytes: int) -> bool:
        """Whether so many bytes of weights are walked by taps, if there is room for so many of sums meanwhile."""
        return panel_bytes > _NEAR_PANEL_BYTES and sums_bytes + self._zeros_bytes <= SUMS_BYTES

    def beside(self, panel_bytes: int, machine: Machine) -> IndirectWindows:
        """These windows, with so many taps at a time of so many bytes of weights."""
        count, near = self.windows.tap_count, min(machine.second_level_bytes // 4, _MOST_TAPS_BYTES)
        return replace(self, tap_block=even_part(count, max(1, near * count // panel_bytes)))

    def moved(self, slot: int) -> Staged:
        return replace(self, windows=self.windows.moved(slot))

    def panel_bytes(self, form: Form, vector_bytes: int) -> int:
        """Of the table of a tile."""
        return WORD + self.windows.tap_count * entry_bytes(form.width)

    def most_pixels(self, width: int) -> int:
        """For one chunk: what they read stays in the second-level cache, and their tables have room."""
        near = _NEAR_BYTES // (self.windows.channels * prod(self.windows.steps) * CELL_BYTES)
        room = ROOM_BYTES // (WORD + self.windows.tap_count * entry_bytes(width))
        return max(1, min(near // width, room)) * width

    def emit(self, e: Writer, words: Words, form: Form) -> None:
        _Table(e, words, form.width).emit()
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
    is_dense = windows.channel_stride == 1 and not windows.is_joined and windows.source.cells.is_float
    return is_dense and _is_read_through_pointers(windows.type, windows.channels, machine)


def gains_from_channels_last(operator: Any) -> bool:
    """Whether an operator is a convolution that would read its pixels so if their channels were neighbours."""
    return _gains(operator, host_machine())


def gains_from_copy(operator: Any) -> bool:
    """Whether it even gains if its pixels have to be copied in that order first: then each element is gathered once,
    not for every tap. Where tiles have many registers gathering costs little, unless many weights are far away."""
    machine = host_machine()
    if not _gains(operator, machine) or prod(operator.filter_tensor.sizes[_FIRST_SPATIAL:]) == 1:
        return False
    weights = prod(operator.filter_tensor.sizes) * CELL_BYTES
    return not machine.has_two_units or weights > _FAR_WEIGHTS * machine.second_level_bytes


def _gains(operator: Any, machine: Machine) -> bool:
    if operator.dml_type != "CONVOLUTION":
        return False
    x = operator.input_tensor
    return _is_read_through_pointers(x.data_type, x.sizes[1] // operator.group_count, machine)


def _is_read_through_pointers(data_type: DataType, channels: int, machine: Machine) -> bool:
    """Tiles of many rows would need more pointers than there are registers for."""
    return machine.has_pointers and data_type is DataType.FLOAT32 and _FEWEST_CHANNELS <= channels <= _MOST_CHANNELS


class _Row(NamedTuple):
    """Where the first tap of a row's pixel reads: along each dimension, and in memory."""

    starts: tuple[Value, ...]
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

    def emit(self) -> None:
        e = self.e
        with e.function("table", "ptr %parameters, ptr %source, i64 %first, ptr %zeros, ptr %table"):
            self.strides, self.sizes, dilations, taps = map(self.each, ("stride", "size", "dilation", "tap"))
            rows = self._rows()
            tap_bytes = e.multiply(self.word("channels"), self.word("pitch"))
            e.store("i64", 0, "%table", WORD)
            with e.loop(0, taps[0]) as a, e.loop(0, taps[1]) as b:
                outer, middle = e.multiply(a, dilations[0]), e.multiply(b, dilations[1])
                lines = [e.both(self._is_inside(row, 0, outer), self._is_inside(row, 1, middle)) for row in rows]
                number = e.multiply(e.add(e.multiply(a, taps[1]), b), taps[2])
                with e.loop(0, taps[2]) as c:
                    moved = outer, middle, e.multiply(c, dilations[2])
                    found = [
                        e.both(line, self._is_inside(row, 2, moved[2])) for row, line in zip(rows, lines, strict=True)
                    ]
                    self._emit_entry(e.multiply(e.add(number, c), tap_bytes), rows, self._distance(moved), found)
            # A tile that lies on padding altogether has one entry, of zeros: it was written.
            e.store("i64", e.maximum(e.load("i64", "%table", WORD), 1), "%table", WORD)

    def _rows(self) -> list[_Row]:
        """Rows that a tile has no pixels for read what comes after, or nothing; nobody stores them."""
        e, (_, *pixels) = self.e, self.each("pixel")
        steps, firsts = self.each("index_step"), self.each("start")
        found = []
        for row in range(self.rows):
            line, inner = e.split(e.add("%first", row), pixels[1])
            places = zip((*e.split(line, pixels[0]), inner), steps, firsts, strict=True)
            starts = tuple(e.add(e.multiply(index, step), first) for index, step, first in places)
            found.append(_Row(starts, e.at("%source", self._distance(starts))))
        return found

    def _distance(self, places: Sequence[Value]) -> Value:
        """From the first element, in bytes."""
        return reduce(self.e.add, map(self.e.multiply, places, self.strides))

    def _is_inside(self, row: _Row, n: int, moved: Value) -> str:
        """Whether a tap, which lies so far from the first, reads within the input along a dimension."""
        return self.e.compare("ult", self.e.add(row.starts[n], moved), self.sizes[n])

    def _emit_entry(self, weights: Value, rows: Sequence[_Row], distance: Value, found: Sequence[str]) -> None:
        """The entry of a tap, which counts if any row reads within the input."""
        e = self.e
        count = e.load("i64", "%table", WORD)
        entry = e.at(e.step("%table", (count, entry_bytes(self.rows))), WORD)
        e.store("i64", weights, entry, WORD)
        for number, (row, is_inside) in enumerate(zip(rows, found, strict=True), 1):
            pointer = e.choose(is_inside, "ptr", e.at(row.pointer, distance), "%zeros")
            e.store("ptr", pointer, e.at(entry, number * WORD), WORD)
        is_any = reduce(lambda left, right: e.value(f"or i1 {left}, {right}"), found)
        e.store("i64", e.add(count, e.value(f"zext i1 {is_any} to i64")), "%table", WORD)
