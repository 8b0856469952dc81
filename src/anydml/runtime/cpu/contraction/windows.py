"""The windows of a convolution as an operand: lanes are pixels of the result, depth runs over taps and channels.

No more of it exists at a time than one chunk works on. Channels are the innermost loop in depth, so that everything
about a tap (which lanes lie on padding, where they read) is found once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod

from anydml.core.datatype import DataType
from anydml.core.steps import Access
from anydml.runtime.cpu.contraction.cells import Source
from anydml.runtime.cpu.contraction.machine import CELL_BYTES
from anydml.runtime.cpu.contraction.packing import as_integers, load_numbers, weave
from anydml.runtime.cpu.contraction.panels import Numbers
from anydml.runtime.cpu.contraction.staged import STAGE, STAGE_PARAMETERS, Form
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.moves.kernels.lanes import Lanes
from anydml.runtime.native.emit import Value

SPATIAL = 3
STRAIGHT, PAIRED, TURNED, SPREAD = "straight", "paired", "turned", "spread"
"""How pixels lie: side by side, every second one, channels side by side, or neither."""
_PIECE_PARAMETERS = (
    "ptr %parameters, ptr %source, i64 %outer, i64 %middle, i64 %inner, i64 %done, i64 %count, ptr %cells"
)
_CHANNELS_AT_ONCE = 8
_ENTRY_BYTES = 24
"""Of a tap in the table: where it reads, and masks."""
MOST_TAPS = 1024
"""So that the table has room on the stack of any thread."""
Loader = Callable[[str], str]
"""Loads a vector of pixels of the channel at an address."""


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

    @property
    def rows(self) -> int:
        return prod(self.taps) * self.channel_rows

    @property
    def channel_rows(self) -> int:
        return self.source.cells.depth(self.channels)

    @property
    def type(self) -> DataType:
        return self.source.type

    @property
    def way(self) -> str:
        if self.channel_stride == 1 and self.channels >= 4:
            return TURNED
        if self.strides[-1] == 1 and self.steps[-1] in (1, 2):
            return STRAIGHT if self.steps[-1] == 1 else PAIRED
        return SPREAD

    @property
    def shape(self) -> tuple[object, ...]:
        return ("windows", self.source, self.way)

    @property
    def access(self) -> Access:
        strides = (*self.batch_strides, self.channel_stride, *self.strides)
        return Access(self.slot, self.type, strides, self.offset)

    @property
    def sizes(self) -> Numbers:
        return (*self.batch, self.channels, *self.sizes_read)

    def moved(self, slot: int) -> Windows:
        return replace(self, slot=slot)

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
        """How much of the depth lines have, on average, that do not lie on padding; 1 where some have nothing."""
        if self.taps[0] != 1 or self.pixels[0] != 1:
            return 1.0
        counts = [last - first for first, last in map(self.lines_read, range(self.pixels[1]))]
        return sum(counts) / (len(counts) * self.taps[1]) if all(counts) else 1.0

    def words(self) -> dict[str, int]:
        size = self.source.element_bytes
        found = {"channels": self.channels, "channel_rows": self.channel_rows, "cell_rows": self.rows}
        found |= {"channel_stride": self.channel_stride * size, "tap_count": prod(self.taps)}
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

    def emit(self, e: Writer, words: Words, form: Form) -> None:
        pitch = form.pitch_bytes(e.vector_bytes)
        if self.way == TURNED:
            _Turned(e, words, self.source, pitch).emit()
        else:
            _Straight(e, words, self.source, pitch, self.way).emit()
        _emit_vector(e, words)
        with e.function(STAGE, STAGE_PARAMETERS):
            panel = e.multiply(words.load(e, "cell_rows"), pitch)
            with e.loop("%first", "%last", form.width) as lane:
                number = e.divide(e.subtract(lane, "%first"), form.width)
                cells = e.step("%cells", (number, panel))
                count = e.minimum(form.width, e.subtract("%last", lane))
                with e.loop(0, count, e.lanes) as done:
                    e.call(
                        "vector",
                        ("ptr", "%parameters"),
                        ("ptr", "%source"),
                        ("i64", e.add(lane, done)),
                        ("i64", e.minimum(e.lanes, e.subtract(count, done))),
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


class _Gather:
    """What all ways share: the loops over taps, and where a tap reads."""

    def __init__(self, e: Writer, words: Words, source: Source, pitch: int) -> None:
        self.e, self.words, self.source, self.pitch = e, words, source, pitch

    def word(self, name: str) -> str:
        return self.words.load(self.e, name)

    def emit(self) -> None:
        e = self.e
        with e.function("piece", _PIECE_PARAMETERS):
            self.prepare()
            taps = [self.word(f"tap_{n}") for n in range(SPATIAL)]
            with e.loop(0, taps[0]) as a, e.loop(0, taps[1]) as b:
                line, is_inside = self._line((a, b))
                with e.loop(0, taps[2]) as c:
                    number = e.add(e.multiply(e.add(e.multiply(a, taps[1]), b), taps[2]), c)
                    place = e.add(self.word("start_2"), e.multiply(c, self.word("dilation_2")))
                    self.emit_tap(line, is_inside, place, number)
            self.emit_channels()

    def prepare(self) -> None:
        """What comes before the loops."""

    def _line(self, taps: Sequence[Value]) -> tuple[str, str]:
        """The address of the line that a tap reads, and whether there is one."""
        e, pointer, is_inside = self.e, "%source", "true"
        for number, (tap, index) in enumerate(zip(taps, ("%outer", "%middle"), strict=True)):
            place = e.add(e.multiply(index, self.word(f"index_step_{number}")), self.word(f"start_{number}"))
            place = e.add(place, e.multiply(tap, self.word(f"dilation_{number}")))
            is_inside = e.both(is_inside, e.compare("ult", place, self.word(f"size_{number}")))
            pointer = e.step(pointer, (place, self.word(f"stride_{number}")))
        return e.choose(is_inside, "ptr", pointer, "%source"), is_inside

    def emit_tap(self, line: str, is_inside: str, place: Value, number: Value) -> None:
        raise NotImplementedError

    def emit_channels(self) -> None:
        """What comes after the loops."""

    def lanes_inside(self, is_inside: str, base: Value, step: Value) -> tuple[Value, Value]:
        """The first lane that reads, and the one after the last: 0 <= base + lane * step < size."""
        e = self.e
        before = e.maximum(e.subtract(0, base), 0)
        room = e.maximum(e.subtract(self.word("size_2"), base), 0)
        first = e.maximum("%done", e.divide_rounding_up(before, step))
        last = e.minimum(e.add("%done", "%count"), e.divide_rounding_up(room, step))
        return first, e.choose(is_inside, "i64", last, first)

    def range_mask(self, first: Value, last: Value, start: int = 0) -> str:
        """Lanes from the first to before the last; the vector begins at `start`."""
        e = self.e
        places = f"<{', '.join(f'i64 {start + lane}' for lane in range(e.lanes))}>"
        kind = e.kind("i64")
        low, high = (e.splat("i64", str(value)) for value in (first, last))
        is_after = e.value(f"icmp sge {kind} {places}, {low}")
        is_before = e.value(f"icmp slt {kind} {places}, {high}")
        return e.value(f"and {e.kind('i1')} {is_after}, {is_before}")


class _Straight(_Gather):
    """A vector of pixels for each channel; lanes that the piece does not have are left to the pieces after it.

    Where taps read, and which lanes, is noted in a table first. Channels are then taken a few at a time through all
    taps: memory that taps share is still near, even if that of all channels would fall into one part of a cache.
    """

    def __init__(self, e: Writer, words: Words, source: Source, pitch: int, way: str) -> None:
        super().__init__(e, words, source, pitch)
        self.way = way
        self.table = ""

    def prepare(self) -> None:
        self.table = self.e.value(f"alloca i8, i64 {self.e.multiply(self.word('tap_count'), _ENTRY_BYTES)}, align 8")

    def emit_tap(self, line: str, is_inside: str, place: Value, number: Value) -> None:
        e = self.e
        step: Value = {STRAIGHT: 1, PAIRED: 2}.get(self.way) or self.word("index_step_2")
        base = e.add(e.multiply(e.subtract("%inner", "%done"), step), place)
        first, last = self.lanes_inside(is_inside, base, step)
        entry = e.step(self.table, (number, _ENTRY_BYTES))
        e.store("ptr", e.step(line, (base, self.word("stride_2"))), entry, 8)
        if self.way == PAIRED:
            first, last = e.multiply(first, 2), e.subtract(e.multiply(last, 2), 1)
        for half in range(2 if self.way == PAIRED else 1):
            mask = self.range_mask(first, last, half * e.lanes)
            bits = e.value(f"bitcast {e.kind('i1')} {mask} to i{e.lanes}")
            e.store("i64", e.value(f"zext i{e.lanes} {bits} to i64"), e.at(entry, (1 + half) * 8), 8)

    def emit_channels(self) -> None:
        e, count = self.e, self.source.cells.count
        stored = self.range_mask("%done", e.lanes)
        taps, rows = self.word("tap_count"), self.word("channel_rows")
        whole = e.divide(self.word("channels"), count)
        blocks = e.mask(whole, -_CHANNELS_AT_ONCE)
        with e.loop(0, blocks, _CHANNELS_AT_ONCE) as first, e.loop(0, taps) as tap:
            pointer, load, cells = self._entry(tap)
            for more in range(_CHANNELS_AT_ONCE):
                self._emit_cells(e.add(first, more), pointer, load, cells, stored, is_whole=True)
        with e.loop(0, taps) as tap:
            pointer, load, cells = self._entry(tap)
            with e.loop(blocks, whole) as number:
                self._emit_cells(number, pointer, load, cells, stored, is_whole=True)
            if count > 1:
                with e.loop(whole, rows) as number:
                    self._emit_cells(number, pointer, load, cells, stored, is_whole=False)

    def _entry(self, tap: Value) -> tuple[str, Loader, str]:
        """Where a tap reads, what loads its pixels, and where they go."""
        e = self.e
        entry = e.step(self.table, (tap, _ENTRY_BYTES))
        masks = []
        for half in range(2 if self.way == PAIRED else 1):
            bits = e.value(f"trunc i64 {e.load('i64', e.at(entry, (1 + half) * 8), 8)} to i{e.lanes}")
            masks.append(e.value(f"bitcast i{e.lanes} {bits} to {e.kind('i1')}"))
        cells = e.step("%cells", (e.multiply(tap, self.word("channel_rows")), self.pitch))
        return e.load("ptr", entry, 8), self._loader(masks), cells

    def _emit_cells(self, number: Value, pointer: str, load: Loader, cells: str, stored: str, is_whole: bool) -> None:
        """One row of cells. The last of a tap may have numbers of fewer channels."""
        e, count = self.e, self.source.cells.count
        stride, vectors = self.word("channel_stride"), []
        for n in range(count):
            channel = e.add(e.multiply(number, count), n)
            place = e.step(pointer, (channel, stride))
            if is_whole:
                vectors.append(load(place))
                continue
            is_there = e.compare("slt", channel, self.word("channels"))
            found = load(e.choose(is_there, "ptr", place, pointer))
            vectors.append(e.choose(is_there, e.kind(self.source.number), found, "zeroinitializer"))
        target = e.step(cells, (number, self.pitch))
        e.store_some(self.source.cells.element, weave(e, self.source.cells, vectors), target, stored)

    def _loader(self, masks: list[str]) -> Loader:
        e = self.e
        if self.way == STRAIGHT:
            return lambda pointer: load_numbers(e, self.source, pointer, masks[0])
        if self.way == PAIRED:
            return lambda pointer: self._load_pairs(pointer, masks)
        return lambda pointer: self._load_spread(pointer, masks[0])

    def _load_pairs(self, pointer: str, masks: list[str]) -> str:
        e, element = self.e, self.source.element
        halves = [
            e.load_some(element, e.at(pointer, number * e.lanes * self.source.element_bytes), mask)
            for number, mask in enumerate(masks)
        ]
        found = e.shuffle(e.kind(element), halves[0], halves[1], range(0, 2 * e.lanes, 2))
        return self.source.numbers_of(e, found, e.lanes)

    def _load_spread(self, pointer: str, mask: str) -> str:
        """Any distance: one element at a time."""
        e, element = self.e, self.source.element
        step = e.multiply(self.word("index_step_2"), self.word("stride_2"))
        places = f"<{', '.join(f'i64 {lane}' for lane in range(e.lanes))}>"
        kind = e.kind("i64")
        offsets = e.value(f"mul {kind} {places}, {e.splat('i64', str(step))}")
        pointers = e.value(f"getelementptr i8, ptr {pointer}, {kind} {offsets}")
        suffix = {"half": "f16", "float": "f32"}.get(element, element)
        name = f"@llvm.masked.gather.v{e.lanes}{suffix}.v{e.lanes}p0"
        values, truth = e.kind(element), e.kind("i1")
        e.declare(f"{values} {name}({e.kind('ptr')}, i32, {truth}, {values})")
        found = e.value(
            f"call {values} {name}({e.kind('ptr')} {pointers}, i32 1, {truth} {mask}, {values} zeroinitializer)"
        )
        return self.source.numbers_of(e, found, e.lanes)


class _Turned(_Gather):
    """Channels side by side: blocks of as many pixels as channels are turned in registers.

    A piece is a part of a line. It leaves the lanes of pieces before it alone.
    """

    def emit_tap(self, line: str, is_inside: str, place: Value, number: Value) -> None:
        e, count = self.e, self.source.cells.count
        cells = e.step("%cells", (e.multiply(number, self.word("channel_rows")), self.pitch))
        step = self.word("index_step_2")
        base = e.add(e.multiply(e.subtract("%inner", "%done"), step), place)
        first, last = self.lanes_inside(is_inside, base, step)
        stored = self.range_mask("%done", e.lanes)
        pixel = e.multiply(step, self.word("stride_2"))
        pointer = e.step(line, (base, self.word("stride_2")))
        channels, block = self.word("channels"), e.lanes * count
        with e.loop(0, channels, block) as channel:
            there = e.subtract(channels, channel)
            mask = e.first_lanes(there, block)
            rows = [self._row(pointer, lane, pixel, channel, (first, last), mask) for lane in range(e.lanes)]
            target = e.step(cells, (e.divide(channel, count), self.pitch))
            columns = Lanes(CELL_BYTES, e.lanes).turn(e, rows)
            cell_count = e.divide_rounding_up(e.minimum(there, block), count)
            is_whole = e.compare("eq", cell_count, e.lanes)
            with e.when(is_whole):
                for number, column in enumerate(columns):
                    e.store_some("i32", column, e.at(target, number * self.pitch), stored)
            with e.unless(is_whole):
                for number, column in enumerate(columns):
                    with e.when(e.compare("sgt", cell_count, number)):
                        e.store_some("i32", column, e.at(target, number * self.pitch), stored)

    def _row(
        self, pointer: str, lane: int, pixel: Value, channel: Value, inside: tuple[Value, Value], mask: str
    ) -> str:
        e, count = self.e, self.e.lanes * self.source.cells.count
        reads = e.both(e.compare("sge", lane, inside[0]), e.compare("slt", lane, inside[1]))
        place = e.step(pointer, (lane, pixel), (channel, self.source.element_bytes))
        held = e.choose(reads, e.kind("i1", count), mask, "zeroinitializer")
        start = e.choose(reads, "ptr", place, "%source")
        elements = e.load_some(self.source.element, start, held, count)
        return as_integers(e, self.source.cells, self.source.cells_of(e, elements, count))
