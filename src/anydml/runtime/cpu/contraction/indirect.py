"""Windows of a convolution that are read where they lie, through pointers: one for each tap of each pixel.

Where the channels of a pixel are neighbours, nothing has to be gathered: a chunk notes where its pixels read, a number
for all channels of a tap. Taps that lie on padding read a line of zeros.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from anydml.core.datatype import DataType
from anydml.core.steps import Access
from anydml.runtime.cpu.contraction.cells import Source
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, FEW_REGISTERS, Machine
from anydml.runtime.cpu.contraction.panels import Numbers
from anydml.runtime.cpu.contraction.staged import ROOM_BYTES, STAGE, STAGE_PARAMETERS, SUMS_AT, SUMS_BYTES, Form, Staged
from anydml.runtime.cpu.contraction.tile import depth_block
from anydml.runtime.cpu.contraction.windows import Windows
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.native.emit import Value
from anydml.runtime.native.schedule import WORD

_ZEROS_AT, _MOST_CHANNELS = SUMS_AT, SUMS_BYTES // CELL_BYTES
"""Where in the memory of a thread the line of zeros lies, and how long it may be. No sums are kept there meanwhile."""
_NEAR_BYTES = 192 * 1024
"""Of pixels, beside the weights that pass by."""
_FEWEST_CHANNELS = 16
"""Fewer are read in less time than it takes to follow the pointers."""


@dataclass(frozen=True)
class IndirectWindows:
    """Windows whose pixels are the rows of a product. What is staged is a table of pointers."""

    windows: Windows

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
        return {**self.windows.words(), "channel_block": depth_block(self.windows.channels, False)}

    def moved(self, slot: int) -> Staged:
        return replace(self, windows=self.windows.moved(slot))

    def panel_bytes(self, form: Form, vector_bytes: int) -> int:
        """Of the pointers of a tile."""
        return self.windows.tap_count * form.width * WORD

    def most_pixels(self, width: int) -> int:
        """For one chunk: what they read stays in the second-level cache, and their pointers have room."""
        near = _NEAR_BYTES // (self.windows.channels * prod(self.windows.steps) * CELL_BYTES)
        room = ROOM_BYTES // (self.windows.tap_count * WORD)
        return max(1, min(near, room) // width) * width

    def emit(self, e: Writer, words: Words, form: Form) -> None:
        _emit_pixel(e, words, form)
        with e.function(STAGE, STAGE_PARAMETERS, is_cold=True):
            zeros = e.at("%cells", _ZEROS_AT)
            with e.loop(0, words.load(e, "channels"), e.lanes) as channel:
                e.store(e.kind("float"), "zeroinitializer", e.step(zeros, (channel, CELL_BYTES)))
            table = e.multiply(words.load(e, "tap_count"), form.width * WORD)
            after = e.multiply(e.divide_rounding_up(e.subtract("%last", "%first"), form.width), form.width)
            with e.loop(0, after) as lane:
                number, row = e.split(lane, form.width)
                e.call(
                    "pixel",
                    ("ptr", "%parameters"),
                    ("ptr", "%source"),
                    # Rows that a tile has no pixels for read the last one again; nobody stores them.
                    ("i64", e.minimum(e.add("%first", lane), e.subtract("%last", 1))),
                    ("ptr", zeros),
                    ("ptr", e.step("%cells", (number, table), (row, WORD))),
                )


def is_read_indirectly(windows: Windows, machine: Machine) -> bool:
    """Whether the channels of a pixel are neighbours, and enough for a pointer of their own."""
    is_dense = windows.channel_stride == 1 and not windows.is_joined and windows.source.cells.is_float
    return is_dense and is_read_through_pointers(windows.type, windows.channels, machine)


def is_read_through_pointers(data_type: DataType, channels: int, machine: Machine) -> bool:
    """Whether pixels with such channels side by side would be. Tiles of many rows would need more pointers than there
    are registers for."""
    has_pointers = machine.registers <= FEW_REGISTERS and machine.fuses
    return has_pointers and data_type is DataType.FLOAT32 and _FEWEST_CHANNELS <= channels <= _MOST_CHANNELS


def _emit_pixel(e: Writer, words: Words, form: Form) -> None:
    """`pixel(parameters, source, number, zeros, table)` notes where all taps of a pixel read."""
    with e.function("pixel", "ptr %parameters, ptr %source, i64 %number, ptr %zeros, ptr %table"):

        def word(name: str) -> str:
            return words.load(e, name)

        line, inner = e.split("%number", word("pixel_2"))
        outer, middle = e.split(line, word("pixel_1"))
        taps, sizes, strides, steps = (
            [word(f"{name}_{n}") for n in range(3)] for name in ("tap", "size", "stride", "dilation")
        )
        starts = [
            e.add(e.multiply(index, word(f"index_step_{n}")), word(f"start_{n}"))
            for n, index in enumerate((outer, middle, inner))
        ]

        def reached(n: int, tap: Value, pointer: str, is_inside: str) -> tuple[str, str]:
            place = e.add(starts[n], e.multiply(tap, steps[n]))
            return e.step(pointer, (place, strides[n])), e.both(is_inside, e.compare("ult", place, sizes[n]))

        with e.loop(0, taps[0]) as a:
            plane = reached(0, a, "%source", "true")
            with e.loop(0, taps[1]) as b:
                found = reached(1, b, *plane)
                number = e.multiply(e.add(e.multiply(a, taps[1]), b), taps[2])
                with e.loop(0, taps[2]) as c:
                    pointer, is_inside = reached(2, c, *found)
                    place = e.step("%table", (e.add(number, c), form.width * WORD))
                    e.store("ptr", e.choose(is_inside, "ptr", pointer, "%zeros"), place, WORD)
