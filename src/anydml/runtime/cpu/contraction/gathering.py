"""Gathering windows: the functions that pack a part of a line of pixels, for each way in which pixels may lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from anydml.runtime.cpu.contraction.cells import Source
from anydml.runtime.cpu.contraction.machine import CELL_BYTES
from anydml.runtime.cpu.contraction.packing import as_integers, load_numbers, weave
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.moves.kernels.lanes import Lanes
from anydml.runtime.native.emit import Value

STRAIGHT, PAIRED, TURNED, JOINED, SPREAD = "straight", "paired", "turned", "joined", "spread"
"""How pixels lie: side by side, every second one, channels side by side, all elements of a window's line side by side,
or neither."""
_PIECE_PARAMETERS = (
    "ptr %parameters, ptr %source, i64 %outer, i64 %middle, i64 %inner, i64 %done, i64 %count, ptr %cells"
)
_CHANNELS_AT_ONCE = 8
_ENTRY_BYTES = 24
"""Of a tap in the table: where it reads, and masks."""
Held = Callable[[int, Value, Value], tuple[str, str]]
"""Of a lane, from a channel on, and with so many of them: whether it reads, and a mask."""
Loader = Callable[[str], str]
"""Loads a vector of pixels of the channel at an address."""


@dataclass(frozen=True)
class Rows:
    """Where cells go."""

    pitch: int
    """Bytes from one row to the next."""
    used: int
    """Lanes of a vector that hold pixels; the others are never read."""


def emit_gather(e: Writer, words: Words, source: Source, rows: Rows, way: str, has_few_channels: bool) -> None:
    """Writes the function `piece`, which packs pixels of one line for all taps and channels."""
    if way in (TURNED, JOINED):
        (_Turned if way == TURNED else _Joined)(e, words, source, rows).emit()
    else:
        (_FewChannels if has_few_channels else _Straight)(e, words, source, rows, way).emit()


def are_few_channels(source: Source, way: str, channels: int) -> bool:
    """Whether a table of taps would take longer than the channels it is for, and another way is known."""
    return way in (STRAIGHT, PAIRED) and source.cells.count == 1 and channels < _CHANNELS_AT_ONCE


class _Gather:
    """What all ways share: the loops over taps, and where a tap reads."""

    def __init__(self, e: Writer, words: Words, source: Source, rows: Rows) -> None:
        self.e, self.words, self.source = e, words, source
        self.pitch, self.used = rows.pitch, rows.used

    def word(self, name: str) -> str:
        return self.words.load(self.e, name)

    function = "piece"

    def emit(self) -> None:
        e = self.e
        with e.function(self.function, _PIECE_PARAMETERS):
            self.prepare()
            taps = [self.word(f"tap_{n}") for n in range(3)]
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
        for number, tap in enumerate(taps):
            place = self._place(number, tap)
            is_inside = e.both(is_inside, e.compare("ult", place, self.word(f"size_{number}")))
            pointer = e.step(pointer, (place, self.word(f"stride_{number}")))
        return e.choose(is_inside, "ptr", pointer, "%source"), is_inside

    def _place(self, number: int, tap: Value) -> Value:
        """Where along a dimension a tap of the first pixel reads."""
        e, index = self.e, ("%outer", "%middle", "%inner")[number]
        place = e.add(e.multiply(index, self.word(f"index_step_{number}")), self.word(f"start_{number}"))
        return e.add(place, e.multiply(tap, self.word(f"dilation_{number}")))

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
        return self.e.lanes_between(self.e.subtract(first, start), self.e.subtract(last, start))


class _Straight(_Gather):
    """A vector of pixels for each channel; lanes that the piece does not have are left to the pieces after it.

    Where taps read, and which lanes, is noted in a table first. Channels are then taken a few at a time through all
    taps: memory that taps share is still near, even if that of all channels would fall into one part of a cache.
    """

    def __init__(self, e: Writer, words: Words, source: Source, rows: Rows, way: str) -> None:
        super().__init__(e, words, source, rows)
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
        e.store_over(self.source.cells.element, weave(e, self.source.cells, vectors), target, stored)

    def _loader(self, masks: list[str]) -> Loader:
        e = self.e
        if self.way == STRAIGHT:
            return lambda pointer: load_numbers(e, self.source, pointer, masks[0])
        if self.way == PAIRED:
            return lambda pointer: self._load_pairs(pointer, masks)
        return lambda pointer: self._load_spread(pointer, masks[0])

    def _load_pairs(self, pointer: str, masks: Sequence[str] | None) -> str:
        e, element = self.e, self.source.element
        places = [e.at(pointer, number * e.lanes * self.source.element_bytes) for number in range(2)]
        if masks is None:
            halves = [e.load(e.kind(element), place) for place in places]
        else:
            halves = [e.load_some(element, *pair) for pair in zip(places, masks, strict=True)]
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


class _FewChannels(_Straight):
    """The same for so few channels that a table does not pay: pieces that lie within the input need no masks."""

    function = "edge"

    def emit(self) -> None:
        super().emit()
        e, words = self.e, _PIECE_PARAMETERS.split(", ")
        arguments = [(kind, name) for kind, name in (word.split() for word in words)]
        with e.function("inside", _PIECE_PARAMETERS):
            self._emit_inside()
        with e.function("piece", _PIECE_PARAMETERS):
            is_inside = self._is_inside()
            with e.when(is_inside):
                e.call("inside", *arguments)
            with e.unless(is_inside):
                e.call("edge", *arguments)

    def _is_inside(self) -> str:
        """Whether all lanes that are used have a pixel, and no tap of any lane reads beyond the input."""
        e = self.e
        found = e.both(e.compare("eq", "%done", 0), e.compare("eq", "%count", self.used))
        # The taps between the first and the last read between these, and so do the lanes.
        for number, lanes in enumerate((1, 1, e.lanes * (2 if self.way == PAIRED else 1))):
            for tap in (0, e.subtract(self.word(f"tap_{number}"), 1)):
                first = self._place(number, tap)
                for place in (first, e.add(first, lanes - 1)) if lanes > 1 else (first,):
                    found = e.both(found, e.compare("ult", place, self.word(f"size_{number}")))
        return found

    def _emit_inside(self) -> None:
        e, channels = self.e, self.word("channels")
        taps = [self.word(f"tap_{n}") for n in range(3)]
        load = self._load_pairs if self.way == PAIRED else partial(load_numbers, e, self.source)
        with e.loop(0, taps[0]) as a, e.loop(0, taps[1]) as b:
            line, _ = self._line((a, b))
            first = e.multiply(e.add(e.multiply(a, taps[1]), b), taps[2])
            with e.loop(0, taps[2]) as c:
                pointer = e.step(line, (self._place(2, c), self.word("stride_2")))
                cells = e.step("%cells", (e.multiply(e.add(first, c), channels), self.pitch))
                with e.loop(0, channels) as channel:
                    numbers = load(e.step(pointer, (channel, self.word("channel_stride"))), None)
                    target = e.step(cells, (channel, self.pitch))
                    e.store(e.kind(self.source.cells.element), numbers, target)


class _Turned(_Gather):
    """Channels side by side: blocks of as many pixels as channels are turned in registers.

    A piece is a part of a line. It leaves the lanes of pieces before it alone.
    """

    def emit_tap(self, line: str, is_inside: str, place: Value, number: Value) -> None:
        e = self.e
        cells = e.step("%cells", (e.multiply(number, self.word("channel_rows")), self.pitch))
        step = self.word("index_step_2")
        base = e.add(e.multiply(e.subtract("%inner", "%done"), step), place)
        pointer = e.step(line, (base, self.word("stride_2")))
        block = _Block(pointer, e.multiply(step, self.word("stride_2")), base, step, is_inside)
        is_whole = self.is_whole(block)
        with e.when(is_whole):
            self._emit_blocks(block, cells, is_edge=False)
        with e.unless(is_whole):
            self._emit_blocks(block, cells, is_edge=True)

    def _emit_blocks(self, block: _Block, cells: str, is_edge: bool) -> None:
        e, count = self.e, self.source.cells.count
        stored = self.range_mask("%done", e.lanes) if is_edge else None
        channels = self.word("channels")
        held = self.held(block) if is_edge else None
        with e.loop(0, channels, self.block) as channel:
            there = e.subtract(channels, channel)
            rows = [self._row(block, lane, channel, there, held) for lane in range(self.used)]
            rows += ["zeroinitializer"] * (e.lanes - self.used)
            target = e.step(cells, (e.divide(channel, count), self.pitch))
            columns = Lanes(CELL_BYTES, e.lanes).turn(e, rows)
            cell_count = e.divide_rounding_up(e.minimum(there, self.block), count)
            is_whole = e.compare("eq", cell_count, e.lanes)
            with e.when(is_whole):
                for number, column in enumerate(columns):
                    self._store(column, e.at(target, number * self.pitch), stored)
            with e.unless(is_whole):
                for number, column in enumerate(columns):
                    with e.when(e.compare("sgt", cell_count, number)):
                        self._store(column, e.at(target, number * self.pitch), stored)

    def _store(self, column: str, place: str, stored: str | None) -> None:
        if stored is None:
            self.e.store(self.e.kind("i32"), column, place)
        else:
            self.e.store_over("i32", column, place, stored)

    def _row(self, block: _Block, lane: int, channel: Value, there: Value, held: Held | None) -> str:
        """A vector of channels of one pixel; what lies on padding is not read."""
        e = self.e
        place = e.step(block.pointer, (lane, block.pixel), (channel, self.source.element_bytes))
        mask = e.first_lanes(there, self.block)
        if held is not None:
            reads, mask = held(lane, channel, there)
            place = e.choose(reads, "ptr", place, "%source")
        elements = e.load_some(self.source.element, place, mask, self.block)
        return as_integers(e, self.source.cells, self.source.cells_of(e, elements, self.block))

    @property
    def block(self) -> int:
        """Elements of a vector of cells."""
        return self.e.lanes * self.source.cells.count

    def is_whole(self, block: _Block) -> str:
        """Whether all lanes that are used have a pixel, and none lies on padding."""
        e = self.e
        first, last = self.lanes_inside(block.is_inside, block.base, block.step)
        return e.both(e.compare("eq", first, 0), e.compare("eq", last, self.used))

    def held(self, block: _Block) -> Held:
        """Of a lane: whether it reads, and which channels."""
        e = self.e
        first, last = self.lanes_inside(block.is_inside, block.base, block.step)

        def found(lane: int, _: Value, there: Value) -> tuple[str, str]:
            reads = e.both(e.compare("sge", lane, first), e.compare("slt", lane, last))
            mask = e.first_lanes(there, self.block)
            return reads, e.choose(reads, e.kind("i1", self.block), mask, "zeroinitializer")

        return found


class _Joined(_Turned):
    """Elements of a window's line side by side: of windows at the ends, those on padding are left out."""

    def is_whole(self, block: _Block) -> str:
        e = self.e
        end = e.add(e.add(block.base, e.multiply(block.step, self.used - 1)), self.word("channels"))
        is_line = e.both(e.compare("sge", block.base, 0), e.compare("sle", end, self.word("size_2")))
        has_lanes = e.both(e.compare("eq", "%done", 0), e.compare("eq", "%count", self.used))
        return e.both(block.is_inside, e.both(is_line, has_lanes))

    def held(self, block: _Block) -> Held:
        e = self.e

        def found(lane: int, channel: Value, there: Value) -> tuple[str, str]:
            start = e.add(e.add(block.base, e.multiply(block.step, lane)), channel)
            last = e.minimum(e.subtract(self.word("size_2"), start), there)
            is_lane = e.both(e.compare("sge", lane, "%done"), e.compare("slt", lane, e.add("%done", "%count")))
            reads = e.both(block.is_inside, is_lane)
            between = e.lanes_between(e.subtract(0, start), last)
            return reads, e.choose(reads, e.kind("i1"), between, "zeroinitializer")

        return found


@dataclass(frozen=True)
class _Block:
    """Pixels of a tap: where the first lies, the distance of pixels in bytes, and where they are in the line."""

    pointer: str
    pixel: Value
    base: Value
    step: Value
    is_inside: str
    """Whether there is such a line."""
