"""The windows of a convolution as an operand: lanes are pixels of the result, depth runs over taps and channels.

No more of it exists at a time than one chunk works on. Channels are the innermost loop in depth, so that everything
about a tap (which lanes lie on padding, where they read) is found once for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from anydml.core.datatype import DataType
from anydml.core.steps import Access
from anydml.runtime.cpu.contraction.cells import Source
from anydml.runtime.cpu.contraction.gathering import (
    JOINED,
    PAIRED,
    SPREAD,
    STRAIGHT,
    TURNED,
    Rows,
    are_few_channels,
    emit_gather,
)
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, LINE_BYTES
from anydml.runtime.cpu.contraction.panels import Numbers
from anydml.runtime.cpu.contraction.staged import STAGE, STAGE_PARAMETERS, Form
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.native.emit import Value

SPATIAL = 3
FEW_CHANNELS = 4
"""So many are enough to be turned by themselves."""
MOST_TAPS = 1024
"""So that tables of taps have room on the stack of any thread."""


@dataclass(frozen=True)
class Windows:
    """Where pixels read: index * step + start + tap * dilation along each of three spatial dimensions."""

    slot: int
    source: Source
    offset: int
    batch: Numbers
    batch_strides: Numbers
    """In elements."""
    channels: int
    channel_stride: int
    pixels: tuple[int, int, int]
    """Sizes of the result."""
    sizes_read: tuple[int, int, int]
    """Sizes of the input; what lies outside reads as 0."""
    strides: tuple[int, int, int]
    """Of the input, in elements."""
    steps: tuple[int, int, int]
    starts: tuple[int, int, int]
    taps: tuple[int, int, int]
    dilations: tuple[int, int, int]
    is_joined: bool = False
    """Whether the elements of a window's line count as its channels, and steps along the line count elements."""

    @property
    def rows(self) -> int:
        return self.tap_count * self.channel_rows

    @property
    def tap_count(self) -> int:
        return prod(self.taps)

    @property
    def channel_rows(self) -> int:
        return self.source.cells.depth(self.channels)

    @property
    def type(self) -> DataType:
        return self.source.type

    @property
    def way(self) -> str:
        if self.is_joined:
            return JOINED
        if self.channel_stride == 1 and self.channels >= FEW_CHANNELS:
            return TURNED
        if self.strides[-1] == 1 and self.steps[-1] in (1, 2):
            return STRAIGHT if self.steps[-1] == 1 else PAIRED
        return SPREAD

    @property
    def shape(self) -> tuple[object, ...]:
        return ("windows", self.source, self.way, self._has_few_channels)

    @property
    def _has_few_channels(self) -> bool:
        return are_few_channels(self.source, self.way, self.channels)

    @property
    def access(self) -> Access:
        strides = (*self.batch_strides, self.channel_stride, *self.strides)
        return Access(self.slot, self.type, strides, self.offset)

    @property
    def sizes(self) -> Numbers:
        return (*self.batch, 1 if self.is_joined else self.channels, *self.sizes_read)

    def moved(self, slot: int) -> Windows:
        return replace(self, slot=slot)

    def joined(self) -> Windows:
        """With the few channels of neighbouring pixels, where they lie side by side, as one line of elements."""
        count = self.channels
        is_dense = self.channel_stride == 1 and self.strides[2] == count and self.dilations[2] == 1
        if not is_dense or not 1 < count < FEW_CHANNELS or self.taps[2] == 1 or not self.source.cells.is_float:
            return self
        return replace(
            self,
            channels=count * self.taps[2],
            sizes_read=(*self.sizes_read[:2], self.sizes_read[2] * count),
            strides=(*self.strides[:2], 1),
            steps=(*self.steps[:2], self.steps[2] * count),
            starts=(*self.starts[:2], self.starts[2] * count),
            taps=(*self.taps[:2], 1),
            is_joined=True,
        )

    def merged(self) -> Windows:
        """Windows of one tap that meet every pixel once: lines that follow one another in memory as one line."""
        stride = self.pixel_stride
        if stride is None:
            return self
        line = (1, 1, prod(self.pixels))
        return replace(self, pixels=line, sizes_read=line, strides=(0, 0, stride))

    @property
    def pixel_stride(self) -> int | None:
        """The distance of pixels, where the windows are the pixels of the input, all equally far apart."""
        is_plain = self.steps == (1, 1, 1) and self.taps == (1, 1, 1) and self.starts == (0, 0, 0)
        if not is_plain or self.pixels != self.sizes_read:
            return None
        found: tuple[int, int] | None = None
        for size, stride in zip(reversed(self.pixels), reversed(self.strides), strict=True):
            if size == 1:
                continue
            if found is not None and stride != found[0] * found[1]:
                return None
            found = (size, stride) if found is None else (found[0] * size, found[1])
        return 1 if found is None else found[1]

    def lines_read(self, line: int) -> tuple[int, int]:
        """Of the taps along the second dimension, the first that reads and the one after the last, for a line."""
        place = line * self.steps[1] + self.starts[1]
        inside = [tap for tap in range(self.taps[1]) if 0 <= place + tap * self.dilations[1] < self.sizes_read[1]]
        return (inside[0], inside[-1] + 1) if inside else (0, 0)

    def fraction_read(self) -> float:
        """How much of the depth lines have, on average, that do not lie on padding; 1 where it cannot be left out:
        where some have nothing, and where taps run backwards, whose places `emit_depth_read` does not find."""
        if self.taps[0] != 1 or self.pixels[0] != 1 or self.dilations[1] < 1:
            return 1.0
        counts = [last - first for first, last in map(self.lines_read, range(self.pixels[1]))]
        return sum(counts) / (len(counts) * self.taps[1]) if all(counts) else 1.0

    def words(self) -> dict[str, int]:
        size = self.source.element_bytes
        found = {"channels": self.channels, "channel_rows": self.channel_rows, "cell_rows": self.rows}
        found |= {"channel_stride": self.channel_stride * size, "tap_count": self.tap_count}
        for name, numbers in (
            ("pixel", self.pixels),
            ("size", self.sizes_read),
            ("index_step", self.steps),
            ("start", self.starts),
            ("tap", self.taps),
            ("dilation", self.dilations),
        ):
            found |= {f"{name}_{n}": number for n, number in enumerate(numbers)}
        return found | {f"stride_{n}": stride * size for n, stride in enumerate(self.strides)}

    def panel_bytes(self, form: Form, vector_bytes: int) -> int:
        return self.rows * form.pitch_bytes(vector_bytes)

    def _gathered_lanes(self, e: Writer, form: Form) -> int:
        """Pixels that are gathered at once: all of a panel's row, if that is a line of memory at most."""
        is_straight = self.way in (STRAIGHT, PAIRED) and self.source.cells.is_float
        fits = is_straight and form.groups * e.vector_bytes <= LINE_BYTES
        return form.groups * e.lanes if fits else e.lanes

    def emit(self, e: Writer, words: Words, form: Form) -> None:
        pitch = form.pitch_bytes(e.vector_bytes)
        at_once = self._gathered_lanes(e, form)
        with e.vectors_of(at_once):
            rows = Rows(pitch, min(at_once, form.width))
            emit_gather(e, words, self.source, rows, self.way, self._has_few_channels)
        _emit_vector(e, words)
        with e.function(STAGE, STAGE_PARAMETERS, is_cold=True):
            panel = e.multiply(words.load(e, "cell_rows"), pitch)
            with e.loop("%first", "%last", form.width) as lane:
                number = e.divide(e.subtract(lane, "%first"), form.width)
                cells = e.step("%cells", (number, panel))
                count = e.minimum(form.width, e.subtract("%last", lane))
                with e.loop(0, count, at_once) as done:
                    e.call(
                        "vector",
                        ("ptr", "%parameters"),
                        ("ptr", "%source"),
                        ("i64", e.add(lane, done)),
                        ("i64", e.minimum(at_once, e.subtract(count, done))),
                        ("ptr", e.step(cells, (done, CELL_BYTES))),
                    )


def emit_depth_read(e: Writer, words: Words, row: Value) -> tuple[Value, Value]:
    """Where the depth of a line of pixels begins and ends, if taps that lie on padding are left out."""
    line = e.divide(row, words.load(e, "pixel_2"))
    place = e.add(e.multiply(line, words.load(e, "index_step_1")), words.load(e, "start_1"))
    step = words.load(e, "dilation_1")
    first = e.divide_rounding_up(e.maximum(e.subtract(0, place), 0), step)
    room = e.maximum(e.subtract(words.load(e, "size_1"), place), 0)
    last = e.minimum(e.divide_rounding_up(room, step), words.load(e, "tap_1"))
    cells = e.multiply(words.load(e, "tap_2"), words.load(e, "channel_rows"))
    return e.multiply(first, cells), e.multiply(last, cells)


def _emit_vector(e: Writer, words: Words) -> None:
    """`vector(parameters, source, pixel, lanes, cells)` packs so many pixels, a piece for each line of the result."""
    with e.function("vector", "ptr %parameters, ptr %source, i64 %pixel, i64 %lanes, ptr %cells"):
        width, height = words.load(e, "pixel_2"), words.load(e, "pixel_1")
        last = e.divide(e.subtract(e.add("%pixel", "%lanes"), 1), width)
        with e.loop(e.divide("%pixel", width), e.add(last, 1)) as line:
            first = e.maximum("%pixel", e.multiply(line, width))
            end = e.minimum(e.add("%pixel", "%lanes"), e.multiply(e.add(line, 1), width))
            outer, middle = e.split(line, height)
            e.call(
                "piece",
                ("ptr", "%parameters"),
                ("ptr", "%source"),
                ("i64", outer),
                ("i64", middle),
                ("i64", e.subtract(first, e.multiply(line, width))),
                ("i64", e.subtract(first, "%pixel")),
                ("i64", e.subtract(end, first)),
                ("ptr", "%cells"),
            )
