"""The tiles of depthwise convolutions and of pooling, as LLVM IR."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import TYPE_CHECKING

from anydml.runtime.cpu.contraction.cells import FLOATS, Source
from anydml.runtime.cpu.contraction.expressions import emit_values
from anydml.runtime.cpu.contraction.machine import LINE_BYTES
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.native.emit import FIRST_LEVEL, SECOND_LEVEL, Value

if TYPE_CHECKING:
    from anydml.runtime.cpu.contraction.depthwise import Depthwise

Numbers = dict[tuple[int, int], str]
"""Of a filter: the vector of each tap."""
AHEAD_TILES = 2
"""How many tiles ahead memory is asked for."""
_LOWEST = {"float": "0xFFF0000000000000", "half": "0xHFC00"}
"""Minus infinity."""


class TileEmitter:
    def __init__(self, step: Depthwise, e: Writer, words: Words) -> None:
        self.step, self.e, self.words = step, e, words
        self.height = step.height
        self.source = Source(step.input.type, FLOATS)
        lowest = {element: f"<{', '.join([f'{element} {_LOWEST[element]}'] * e.lanes)}>" for element in _LOWEST}
        self.is_maximum = step.fold is not None and step.fold.operation == "maximum"
        self.neutral = lowest["float"] if self.is_maximum else "zeroinitializer"
        """What outputs begin with."""
        self.filter = "%filter"
        """Where the numbers of the present filter begin."""
        self.padding = lowest[self.source.element] if self.is_maximum else "zeroinitializer"
        """What lies outside of the input, as its elements."""

    def word(self, name: str) -> str:
        return self.words.load(self.e, name)

    def emit_tiles(self) -> None:
        raise NotImplementedError

    def room_for_sums(self) -> str:
        return self.e.room((self.height + 1) * self.e.vector_bytes, self.e.vector_bytes)

    def positions(self) -> int:
        """Input positions along the sliding axis that a tile reads."""
        axis = self.step.sliding
        return (self.height - 1) * axis.step + axis.reach

    def add(self, sums: list[str], position: int, crossing: int, vector: str, weights: Numbers) -> None:
        """Adds an input vector to every output that has it in its window."""
        axis = self.step.sliding
        for output in range(self.height):
            tap, rest = divmod(position - output * axis.step, axis.dilation)
            if not rest and 0 <= tap < axis.taps:
                if self.step.fold:
                    is_first = self.is_maximum and sums[output] == self.neutral
                    sums[output] = vector if is_first else self.folded(sums[output], vector)
                    continue
                sums[output] = self.multiply_add(vector, weights[tap, crossing], sums[output])

    def read_number(self, place: str) -> str:
        """The vector of a tap."""
        raise NotImplementedError

    def numbers(self, crossing: Value) -> dict[int, str]:
        """The vectors of all taps along the sliding axis."""
        steps = self.word("filter_sliding"), self.word("filter_crossing")
        taps = range(self.step.sliding.taps)
        return {
            tap: self.read_number(self.e.step(self.filter, *zip((tap, crossing), steps, strict=True))) for tap in taps
        }

    def held(self) -> Numbers:
        """The vectors of all taps, where there are registers for them."""
        if not self.step.holds_filter:
            return {}
        crossing = range(self.step.crossing.taps)
        return {(tap, number): vector for number in crossing for tap, vector in self.numbers(number).items()}

    def walked(self, line_of: Callable[[Value], Callable[[int], str]]) -> list[str]:
        """The outputs of a tile, one tap of the crossing axis after the other: registers hold the numbers of one.

        `line_of` such a tap gives the input vector of a position.
        """

        def body(crossing: str, carried: list[str]) -> list[str]:
            sums, vector_at = list(carried), line_of(crossing)
            numbers = {(tap, 0): vector for tap, vector in self.numbers(crossing).items()}
            for position in filter(self.used, range(self.positions())):
                self.add(sums, position, 0, vector_at(position), numbers)
            return sums

        begin = [(self.e.kind("float"), self.neutral)] * self.height
        return self.e.fold(0, self.step.crossing.taps, 1, begin, body)

    def multiply_add(self, vector: str, weight: str, total: str) -> str:
        return FLOATS.multiply_add(self.e, vector, weight, total)

    def folded(self, first: str, second: str) -> str:
        """Two elements of a window as one."""
        if self.is_maximum:
            return self._larger(first, second)
        return self.e.value(f"fadd {self.e.kind('float')} {first}, {second}")

    def _larger(self, first: str, second: str) -> str:
        """The maximum; NaN if one of them is."""
        e, kind, truth = self.e, self.e.kind("float"), self.e.kind("i1")
        is_more = e.value(f"fcmp ogt {kind} {second}, {first}")
        chosen = e.value(f"select {truth} {is_more}, {kind} {second}, {kind} {first}")
        is_nan = e.value(f"fcmp uno {kind} {second}, {second}")
        return e.value(f"select {truth} {is_nan}, {kind} {second}, {kind} {chosen}")

    def load(self, pointer: str, mask: str | None) -> str:
        e, source = self.e, self.source
        if mask is None:
            elements = e.load(e.kind(source.element), pointer)
        else:
            elements = e.load_some(source.element, pointer, mask, otherwise=self.padding)
        return self._prepared(source.numbers_of(e, elements, e.lanes))

    def _prepared(self, vector: str) -> str:
        """What is folded of elements."""
        fold = self.step.fold
        return emit_values(self.e, self.e.lanes, [fold.element], lambda node: vector)[0] if fold else vector

    def used(self, position: int) -> bool:
        axis = self.step.sliding
        places = [divmod(position - output * axis.step, axis.dilation) for output in range(self.height)]
        return any(not rest and 0 <= tap < axis.taps for tap, rest in places)

    def store(self, sums: list[str], row: Value, column: Value, lanes: Value | None, memory: str) -> None:
        """Stores the sums of a tile; of so many lanes, where not all are wanted."""
        e, epilogue = self.e, self.step.epilogue
        rows = e.minimum(self.height, e.subtract(self.word("row_last"), row))
        if epilogue.is_vector:
            self._store_vectors([[total] for total in sums], row, column, lanes, rows)
            return
        for number, total in enumerate(sums):
            e.store(e.kind("float"), total, e.at(memory, number * e.vector_bytes), e.vector_bytes)
        count = e.lanes if lanes is None else e.minimum(lanes, e.lanes)
        numbers = [e.vector_bytes, row, column, rows, count]
        e.call("finish", ("ptr", "%context"), ("ptr", memory), *(("i64", number) for number in numbers))

    def _store_vectors(
        self, sums: list[list[str]], row: Value, column: Value, lanes: Value | None, rows: Value
    ) -> None:
        e, step = self.e, self.step
        emit = partial(step.epilogue.emit_vectors, e, "%context", row, column, sums)
        if lanes is None:
            emit(None, rows)
        elif e.machine.stores_some:
            emit(e.first_lanes(lanes), rows)
        else:
            is_whole = e.compare("sge", lanes, e.lanes)
            with e.when(is_whole):
                emit(None, rows)
            if step.last_lanes:
                with e.unless(is_whole):
                    emit(e.first_lanes(step.last_lanes), rows)


class PixelEmitter(TileEmitter):
    """Lanes are pixels of a line; tiles slide down the image, a plane at a time."""

    def emit_tiles(self) -> None:
        e = self.e
        memory = self.room_for_sums()
        weights = self.weights()
        ends: list[Value] = [0, self.word("inner_first"), self.word("inner_last"), self.word("crossing_outputs")]
        with (
            e.loop(self.word("row_first"), self.word("row_last"), self.height) as row,
            e.loop(0, len(ends) - 1) as part,
        ):
            lines = self._lines(row)
            first, last = self._chosen(part, ends[:-1]), self._chosen(part, ends[1:])
            is_inner = e.compare("eq", part, 1)
            # Both ends of a line are one piece of code.
            with e.when(is_inner), e.loop(first, last, e.lanes) as column:
                self._emit_tile(lines, weights, row, column, False, memory)
            with e.unless(is_inner), e.loop(first, last, e.lanes) as column:
                self._emit_tile(lines, weights, row, column, True, memory)

    def _chosen(self, number: Value, values: list[Value]) -> Value:
        found = values[-1]
        for place in reversed(range(len(values) - 1)):
            found = self.e.choose(self.e.compare("eq", number, place), "i64", values[place], found)
        return found

    def weights(self) -> Numbers:
        if self.step.fold:
            return {}
        self.filter = self.e.step("%filter", ("%unit", self.word("filter_channel")))
        return self.held()

    def read_number(self, place: str) -> str:
        source = Source(self.step.numbers.type, FLOATS)
        element = self.e.load(source.element, place, source.element_bytes)
        return self.e.splat("float", source.numbers_of(self.e, element, 1))

    def _lines(self, row: Value) -> list[tuple[str, str]]:
        """For every line of the input that a tile reads: its address and whether there is one."""
        e, axis = self.e, self.step.sliding
        first = e.add(e.multiply(row, axis.step), self.word("sliding_start"))
        size, stride = self.word("sliding_size"), self.word("sliding_stride")
        lines = []
        for position in range(self.positions()):
            place = e.add(first, position)
            lines.append((e.step("%input", (place, stride)), e.compare("ult", place, size)))
        return lines

    def _emit_tile(
        self,
        lines: list[tuple[str, str]],
        weights: Numbers,
        row: Value,
        column: Value,
        is_edge: bool,
        memory: str,
    ) -> None:
        e, axis = self.e, self.step.crossing
        if self.step.asks_ahead:
            self._ask_for_next_plane(lines, column)
        start = e.add(e.multiply(column, axis.step), self.word("crossing_start"))
        lanes = e.subtract(self.word("crossing_outputs"), column) if is_edge else None
        if not weights and not self.step.fold:
            self.store(self.walked(lambda tap: self._line_of(lines, start, tap, is_edge)), row, column, lanes, memory)
            return
        size = self.source.element_bytes
        # Of two taps side by side that step by two, one reads the even and the other the odd elements of the same.
        is_paired = axis.step == 2 and axis.dilation == 1
        firsts = [tap - tap % 2 if is_paired else tap for tap in range(axis.taps)]
        masks = {tap: self._masks(e.add(start, tap * axis.dilation)) if is_edge else [] for tap in set(firsts)}
        sums, stride = [self.neutral] * self.height, self.word("sliding_stride")
        for position, (line, is_inside) in enumerate(lines):
            if not self.used(position):
                continue
            at = e.step(line, (start, size))
            if self.step.fold:
                self._ask_for_next(at, position, stride)
            read: dict[int, list[str]] = {}
            vectors = []
            for tap, first in enumerate(firsts):
                if first not in read:
                    place = e.choose(is_inside, "ptr", e.at(at, first * axis.dilation * size), "%zeros")
                    read[first] = self._halves(place, masks[first])
                vectors.append(self._joined(read[first], tap - first))
            if self.step.fold:  # a line first: several outputs take it
                vectors = [reduce(self.folded, vectors)]
            for tap, vector in enumerate(vectors):
                self.add(sums, position, tap, vector, weights)
        self.store(sums, row, column, lanes, memory)

    def _line_of(self, lines: list[tuple[str, str]], start: Value, tap: Value, is_edge: bool) -> Callable[[int], str]:
        e = self.e
        place = e.add(start, e.multiply(tap, self.step.crossing.dilation))
        masks = self._masks(place) if is_edge else []

        def vector_at(position: int) -> str:
            line, is_inside = lines[position]
            at = e.choose(is_inside, "ptr", e.step(line, (place, self.source.element_bytes)), "%zeros")
            return self._joined(self._halves(at, masks), 0)

        return vector_at

    def _ask_for_next(self, at: str, position: int, stride: str) -> None:
        """The same pixels of a later tile, if this one is the first that reads the line: folds wait for memory."""
        e, lines = self.e, self.height * self.step.sliding.step
        if position < lines:
            ahead = e.step(at, (AHEAD_TILES * lines, stride))
            for offset in range(0, e.lanes * self.step.crossing.step * self.source.element_bytes, LINE_BYTES):
                e.prefetch(e.at(ahead, offset), SECOND_LEVEL)

    def _ask_for_next_plane(self, lines: list[tuple[str, str]], column: Value) -> None:
        """What the same tile reads there, but for lines that the next tile reads, too."""
        e, step = self.e, self.step
        width = step.crossing.step * self.source.element_bytes
        distance = e.add(self.word("input_channel"), e.multiply(column, width))
        for line, _ in lines[: self.height * step.sliding.step]:
            for offset in range(0, e.lanes * width, LINE_BYTES):
                e.prefetch(e.at(e.at(line, distance), offset), FIRST_LEVEL)

    def _masks(self, place: Value) -> list[str]:
        """The elements of one or two vectors from `place` on that lie inside the line."""
        e, size = self.e, self.word("crossing_size")
        found = []
        for half in range(self.step.crossing.step):
            start = e.add(place, half * e.lanes)
            found.append(e.lanes_between(e.subtract(0, start), e.subtract(size, start)))
        return found

    def _halves(self, place: str, masks: list[str]) -> list[str]:
        """As many vectors from `place` on as lanes are elements apart."""
        e, halves = self.e, []
        for half in range(self.step.crossing.step):
            at = e.at(place, half * e.lanes * self.source.element_bytes)
            mask = masks[half] if masks else None
            halves.append(self.load(at, mask))
        return halves

    def _joined(self, halves: list[str], first: int) -> str:
        """Every element, or every second one from the first on."""
        if len(halves) == 1:
            return halves[0]
        return self.e.shuffle(self.e.kind("float"), halves[0], halves[1], range(first, 2 * self.e.lanes, 2))


class ChannelEmitter(TileEmitter):
    """Lanes are channels; tiles slide along the line, a line at a time. The filter is packed in vectors of channels."""

    def emit_tiles(self) -> None:
        e = self.e
        memory = self.room_for_sums()
        channels = self.word("channels")
        whole = e.mask(channels, -e.lanes)
        # All channels of a few pixels lie side by side: they are read before the next ones.
        with e.loop(self.word("row_first"), self.word("row_last"), self.height) as column:
            for first, last, is_part in ((0, whole, False), (whole, channels, True)):
                with e.loop(first, last, e.lanes) as channel:
                    mask = e.first_lanes(e.subtract(channels, channel)) if is_part else None
                    self._emit_tile(self._weights(channel), channel, column, mask, memory)

    def _weights(self, channel: Value) -> Numbers:
        if self.step.fold:
            return {}
        e = self.e
        self.filter = e.step("%filter", (e.divide(channel, e.lanes), self.word("filter_channel")))
        return self.held()

    def read_number(self, place: str) -> str:
        return self.e.load(self.e.kind("float"), place)

    def _emit_tile(self, weights: Numbers, channel: Value, column: Value, mask: str | None, memory: str) -> None:
        e, sliding = self.e, self.step.sliding
        across = e.add(e.multiply(column, sliding.step), self.word("sliding_start"))
        start = e.step("%input", (channel, self.source.element_bytes))
        after = e.add(across, self.positions())
        is_whole = e.both(e.compare("sge", across, 0), e.compare("sle", after, self.word("sliding_size")))
        lanes = None if mask is None else e.subtract(self.word("channels"), channel)
        for is_edge in (False, True):
            with e.unless(is_whole) if is_edge else e.when(is_whole):
                line_of = partial(self._line_of, start, across, mask, is_edge)
                sums = self._sums(line_of, weights) if weights or self.step.fold else self.walked(line_of)
                self.store(sums, column, channel, lanes, memory)

    def _sums(self, line_of: Callable[[Value], Callable[[int], str]], weights: Numbers) -> list[str]:
        """The outputs of a tile."""
        sums = [self.neutral] * self.height
        for tap in range(self.step.crossing.taps):
            vector_at = line_of(tap)
            for position in filter(self.used, range(self.positions())):
                self.add(sums, position, tap, vector_at(position), weights)
        return sums

    def _line_of(self, start: str, across: Value, mask: str | None, is_edge: bool, tap: Value) -> Callable[[int], str]:
        """The pixels of a line, for a tap down the image; those of padding are all at one place."""
        e, crossing = self.e, self.step.crossing
        down = e.add(e.multiply("%unit", crossing.step), self.word("crossing_start"))
        number = e.add(down, e.multiply(tap, crossing.dilation))
        is_line = e.compare("ult", number, self.word("crossing_size"))
        line = e.choose(is_line, "ptr", e.step(start, (number, self.word("crossing_stride"))), "%zeros")
        stride = e.choose(is_line, "i64", self.word("sliding_stride"), 0)
        first = e.step(line, (across, stride))

        def vector_at(position: int) -> str:
            pointer = e.step(first, (position, stride))
            if is_edge:
                is_inside = e.compare("ult", e.add(across, position), self.word("sliding_size"))
                pointer = e.choose(is_inside, "ptr", pointer, "%zeros")
            return self.load(pointer, mask)

        return vector_at
