"""Depthwise convolution: every output channel reads one input channel, so there is no product of matrices.

A tile is a few outputs along the sliding axis, a vector each. Neighbours share what they read: an input vector is
loaded once and added to every output whose window holds it. Where pixels of a line lie side by side, lanes are pixels
and tiles slide down the image; where channels do, lanes are channels and tiles slide along the line.

Without a filter it is the maximum of every window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product as combinations

from anydml.core.steps import Access, Step
from anydml.runtime.cpu.contraction.cells import FLOATS, Source
from anydml.runtime.cpu.contraction.epilogue import Epilogue, accesses
from anydml.runtime.cpu.contraction.machine import Machine
from anydml.runtime.cpu.contraction.partition import even_part, part_of, ranges, wanted_pieces
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.native import llvm
from anydml.runtime.native.emit import Value
from anydml.runtime.native.tasks import Task

Numbers = tuple[int, ...]
PIXELS, CHANNELS, PLANES = "pixels", "channels", "planes"
MOST_TAPS = 25
"""Filters with more taps have no room for their numbers in registers."""
_TALLEST = 8
"""Outputs of a tile."""
_LOWEST = {"float": "0xFFF0000000000000", "half": "0xHFC00"}
"""Minus infinity."""
_WORK_OF_MEMORY = 8
"""A multiplication here takes as long as so many of a product, because operands are used less often."""


@dataclass(frozen=True)
class Slide:
    """One spatial axis: sizes, where windows begin, and what machine code depends on."""

    size: int
    """Of the input."""
    outputs: int
    stride: int
    """Of the input, in elements."""
    start: int
    taps: int
    step: int
    dilation: int

    @property
    def form(self) -> Numbers:
        return self.taps, self.step, self.dilation

    @property
    def reach(self) -> int:
        return (self.taps - 1) * self.dilation + 1


@dataclass(frozen=True)
class Depthwise:
    """Windows of every channel times the channel's filter."""

    input: Access
    """Strides of the batch and of channels."""
    input_sizes: Numbers
    filter: Access | None
    """Strides of output channels and of both axes; along channels the second and third are those of packed vectors.
    None for the maximum of every window."""
    filter_sizes: Numbers
    sliding: Slide
    """The axis along which neighbours share: down the image, or along the line."""
    crossing: Slide
    batch: int
    channels: int
    """Of the output."""
    multiplier: int
    """Output channels for each input channel."""
    lanes_are: str
    epilogue: Epilogue
    machine: Machine

    def reads(self) -> Iterator[tuple[Access, Numbers]]:
        yield self.input, self.input_sizes
        if self.filter is not None:
            yield self.filter, self.filter_sizes
        yield from ((access, self._result_sizes) for access in accesses(self.epilogue.loads))

    def writes(self) -> Iterator[tuple[Access, Numbers]]:
        yield from ((access, self._result_sizes) for access in accesses(self.epilogue.stores))

    @property
    def _result_sizes(self) -> Numbers:
        outer, inner = self._units[1], self.channels if self.lanes_are == CHANNELS else self.crossing.outputs
        return (self.batch, outer, self.sliding.outputs, 1, 1, inner)

    def renamed(self, slot: Callable[[int], int]) -> Step:
        return replace(
            self,
            input=replace(self.input, slot=slot(self.input.slot)),
            filter=self.filter and replace(self.filter, slot=slot(self.filter.slot)),
            epilogue=self.epilogue.renamed(slot),
        )

    def describe(self, names: Callable[[int], str]) -> str:
        written = ", ".join(names(place.slot) for place in self.epilogue.stores)
        sizes = [self.batch, self.channels, self.sliding.taps, self.crossing.taps]
        if self.filter is None:
            return f"maxima {sizes} of {names(self.input.slot)}: {written}"
        return f"depthwise {sizes} of {names(self.input.slot)} and {names(self.filter.slot)}: {written}"

    @property
    def is_maximum(self) -> bool:
        return self.filter is None

    @property
    def numbers(self) -> Access:
        """The filter; where there is none, what is not read."""
        return self.filter or Access(self.input.slot, self.input.type, (0, 0, 0), self.input.offset)

    @property
    def _height(self) -> int:
        """Outputs of a tile."""
        if self.lanes_are == PLANES:
            return self.sliding.outputs
        held = 2 if self.is_maximum else self.sliding.taps * self.crossing.taps
        sums = self.machine.registers - held - 4
        # Tiles read more places at once than memory likes where outputs share little.
        tallest = _TALLEST // 2 if self.is_maximum or self.sliding.step > 1 else _TALLEST
        return even_part(self.sliding.outputs, max(1, min(tallest, sums)))

    @property
    def _units(self) -> tuple[int, int]:
        """What is worked on one after the other: planes of the image, or lines of it."""
        return self.batch, self.crossing.outputs if self.lanes_are == CHANNELS else self.channels

    # --- tasks -----------------------------------------------------------------------------------

    def tasks(self) -> Sequence[Task]:
        shape = (
            "depthwise",
            self.is_maximum,
            (self.input.type, self.numbers.type),
            self.machine,
            self.lanes_are,
            *((self.sliding, self.crossing) if self.lanes_are == PLANES else (self.sliding.form, self.crossing.form)),
            self._height,
            self.epilogue.shape,
        )
        code = llvm.compiled(shape, self._write)
        words, common = self._words, self._common_words()
        chunks = [words.pack({**common, **chunk}) for chunk in self._chunks()]
        slots = [self.input.slot, self.numbers.slot, *(place.slot for place in self.epilogue.places)]
        return [Task(code, chunks, max(slots) + 1)]

    def _chunks(self) -> Iterator[dict[str, int]]:
        units = self._units[0] * self._units[1]
        taps = self.sliding.taps * self.crossing.taps
        work = units * taps * self.sliding.outputs * _WORK_OF_MEMORY
        work *= self.channels if self.lanes_are == CHANNELS else self.crossing.outputs
        pieces = wanted_pieces(work)
        part = part_of(units, 1, pieces, units)
        rows = part_of(self.sliding.outputs, self._height, -(-pieces // -(-units // part)), self.sliding.outputs)
        for unit, row in combinations(ranges(units, part), ranges(self.sliding.outputs, rows)):
            yield {"unit_first": unit[0], "unit_last": unit[1], "row_first": row[0], "row_last": row[1]}

    @property
    def _words(self) -> Words:
        names = ["input_slot", "input_offset", "input_batch", "input_channel", "filter_slot", "filter_offset"]
        names += ["filter_channel", "filter_sliding", "filter_crossing"]
        for axis in ("sliding", "crossing"):
            names += [f"{axis}_{name}" for name in ("size", "stride", "start", "outputs")]
        names += ["channels", "multiplier", "units", "inner_first", "inner_last"]
        names += ["unit_first", "unit_last", "row_first", "row_last"]
        return Words([*names, *self.epilogue.words()])

    def _common_words(self) -> dict[str, int]:
        size = self.input.type.element_bytes
        found = {
            "input_slot": self.input.slot,
            "input_offset": self.input.offset * size,
            "input_batch": self.input.strides[0] * size,
            "input_channel": self.input.strides[1] * size,
            "filter_slot": self.numbers.slot,
            "filter_offset": self.numbers.offset * self.numbers.type.element_bytes,
            "channels": self.channels,
            "multiplier": self.multiplier,
            "units": self._units[1],
        }
        for name, stride in zip(("channel", "sliding", "crossing"), self.numbers.strides, strict=True):
            found[f"filter_{name}"] = stride * self.numbers.type.element_bytes
        for name, axis in (("sliding", self.sliding), ("crossing", self.crossing)):
            found |= {f"{name}_size": axis.size, f"{name}_stride": axis.stride * size}
            found |= {f"{name}_start": axis.start, f"{name}_outputs": axis.outputs}
        first, last = self._inner()
        found |= {"inner_first": first, "inner_last": last}
        folds = (1, 1, self.channels if self.lanes_are == CHANNELS else self.crossing.outputs)
        return found | self.epilogue.values_of_words(folds)

    def _inner(self) -> tuple[int, int]:
        """Of lanes that are pixels: the vectors of a line whose windows lie inside the input, and can be read whole."""
        axis, lanes = self.crossing, self.machine.lanes
        before = -(-max(0, -axis.start) // axis.step)
        first = -(-before // lanes) * lanes
        room = axis.size - axis.start - (axis.reach - 1) - lanes * axis.step
        last_start = min(room // axis.step, axis.outputs - lanes) if room >= 0 else -1
        last = last_start // lanes * lanes + lanes if last_start >= first else first
        return min(first, axis.outputs), min(max(last, first), axis.outputs)

    # --- code ------------------------------------------------------------------------------------

    def _write(self) -> str:
        e = Writer(self.machine)
        emitter = self._emitter(e)
        self.epilogue.emit_finish(e, "float")
        with e.function("tiles", "ptr %parameters, ptr %input, ptr %filter, ptr %context, ptr %zeros, i64 %unit"):
            emitter.emit_tiles()
        with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True):
            self._emit_units(e, emitter)
        return e.module()

    def _emitter(self, e: Writer) -> _Emitter:
        if self.lanes_are == PLANES:
            from anydml.runtime.cpu.contraction.planes import PlaneEmitter

            return PlaneEmitter(self, e, self._words)
        return (PixelEmitter if self.lanes_are == PIXELS else _Channels)(self, e, self._words)

    def _emit_units(self, e: Writer, emitter: _Emitter) -> None:
        words = emitter.words
        context = e.room(self.epilogue.context_bytes, 8)
        zeros = e.room(2 * e.vector_bytes, e.vector_bytes)
        for half in range(2):
            place = e.at(zeros, half * e.lanes * emitter.source.element_bytes)
            e.store(e.kind(emitter.source.element), emitter.padding, place)
        source, weights = (words.load_address(e, name) for name in ("input", "filter"))
        units = words.load(e, "units")
        with e.loop(words.load(e, "unit_first"), words.load(e, "unit_last")) as number:
            batch, unit = e.split(number, units)
            self.epilogue.emit_context(e, words, context, (batch, unit))
            image = e.step(source, (batch, words.load(e, "input_batch")))
            if self.lanes_are != CHANNELS:
                channel = e.divide(unit, words.load(e, "multiplier"))
                image = e.step(image, (channel, words.load(e, "input_channel")))
            arguments = [("ptr", each) for each in ("%parameters", image, weights, context, zeros)]
            e.call("tiles", *arguments, ("i64", unit))


class _Emitter:
    def __init__(self, step: Depthwise, e: Writer, words: Words) -> None:
        self.step, self.e, self.words = step, e, words
        self.height = step._height
        self.source = Source(step.input.type, FLOATS)
        lowest = {element: f"<{', '.join([f'{element} {_LOWEST[element]}'] * e.lanes)}>" for element in _LOWEST}
        self.neutral = lowest["float"] if step.is_maximum else "zeroinitializer"
        """What outputs begin with."""
        self.padding = lowest[self.source.element] if step.is_maximum else "zeroinitializer"
        """What lies outside of the input, as its elements."""

    def word(self, name: str) -> str:
        return self.words.load(self.e, name)

    def emit_tiles(self) -> None:
        raise NotImplementedError

    def taps(self) -> Iterator[tuple[int, int]]:
        return combinations(range(self.step.sliding.taps), range(self.step.crossing.taps))

    def room_for_sums(self) -> str:
        return self.e.room((self.height + 1) * self.e.vector_bytes, self.e.vector_bytes)

    def positions(self) -> int:
        """Input positions along the sliding axis that a tile reads."""
        axis = self.step.sliding
        return (self.height - 1) * axis.step + axis.reach

    def add(
        self, sums: list[str], position: int, crossing: int, vector: str, weights: dict[tuple[int, int], str]
    ) -> None:
        """Adds an input vector to every output that has it in its window."""
        axis = self.step.sliding
        for output in range(self.height):
            tap, rest = divmod(position - output * axis.step, axis.dilation)
            if not rest and 0 <= tap < axis.taps:
                if self.step.is_maximum:
                    sums[output] = self.larger(sums[output], vector)
                    continue
                weight = weights[tap, crossing]
                sums[output] = self.multiply_add(vector, weight, sums[output])

    def multiply_add(self, vector: str, weight: str, total: str) -> str:
        return FLOATS.multiply_add(self.e, vector, weight, total)

    def larger(self, first: str, second: str) -> str:
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
        return source.numbers_of(e, elements, e.lanes)

    def used(self, position: int) -> bool:
        axis = self.step.sliding
        places = [divmod(position - output * axis.step, axis.dilation) for output in range(self.height)]
        return any(not rest and 0 <= tap < axis.taps for tap, rest in places)

    def store(self, sums: list[str], row: Value, column: Value, lanes: Value | None, memory: str) -> None:
        """Stores the sums of a tile; of so many lanes, where not all are wanted."""
        e, epilogue = self.e, self.step.epilogue
        rows = e.minimum(self.height, e.subtract(self.word("row_last"), row))
        if epilogue.is_vector:
            mask = None if lanes is None else e.first_lanes(lanes)
            epilogue.emit_vectors(e, "%context", row, column, [[total] for total in sums], mask, rows)
            return
        for number, total in enumerate(sums):
            e.store(e.kind("float"), total, e.at(memory, number * e.vector_bytes), e.vector_bytes)
        count = e.lanes if lanes is None else e.minimum(lanes, e.lanes)
        numbers = [e.vector_bytes, row, column, rows, count]
        e.call("finish", ("ptr", "%context"), ("ptr", memory), *(("i64", number) for number in numbers))


class PixelEmitter(_Emitter):
    """Lanes are pixels of a line; tiles slide down the image, a plane at a time."""

    def emit_tiles(self) -> None:
        e = self.e
        memory = self.room_for_sums()
        weights = self.weights()
        ends: list[Value] = [0, self.word("inner_first"), self.word("inner_last"), self.word("crossing_outputs")]
        with e.loop(self.word("row_first"), self.word("row_last"), self.height) as row:
            lines = self._lines(row)
            for number, is_edge in enumerate((True, False, True)):
                with e.loop(ends[number], ends[number + 1], e.lanes) as column:
                    self._emit_tile(lines, weights, row, column, is_edge, memory)

    def weights(self) -> dict[tuple[int, int], str]:
        if self.step.is_maximum:
            return {}
        e = self.e
        source = Source(self.step.numbers.type, FLOATS)
        first = e.step("%filter", ("%unit", self.word("filter_channel")))
        found = {}
        for sliding, crossing in self.taps():
            place = e.step(first, (sliding, self.word("filter_sliding")), (crossing, self.word("filter_crossing")))
            number = source.numbers_of(e, e.load(source.element, place, source.element_bytes), 1)
            found[sliding, crossing] = e.splat("float", number)
        return found

    def _lines(self, row: Value) -> list[tuple[str, str]]:
        """For every line of the input that a tile reads: its address and whether there is one."""
        e, axis = self.e, self.step.sliding
        first = e.add(e.multiply(row, axis.step), self.word("sliding_start"))
        lines = []
        for position in range(self.positions()):
            place = e.add(first, position)
            is_inside = e.compare("ult", place, self.word("sliding_size"))
            lines.append((e.step("%input", (place, self.word("sliding_stride"))), is_inside))
        return lines

    def _emit_tile(
        self,
        lines: list[tuple[str, str]],
        weights: dict[tuple[int, int], str],
        row: Value,
        column: Value,
        is_edge: bool,
        memory: str,
    ) -> None:
        e, axis = self.e, self.step.crossing
        start = e.add(e.multiply(column, axis.step), self.word("crossing_start"))
        size = self.source.element_bytes
        # Of two taps side by side that step by two, one reads the even and the other the odd elements of the same.
        is_paired = axis.step == 2 and axis.dilation == 1
        firsts = [tap - tap % 2 if is_paired else tap for tap in range(axis.taps)]
        masks = {tap: self._masks(e.add(start, tap * axis.dilation)) if is_edge else [] for tap in set(firsts)}
        sums = [self.neutral] * self.height
        for position, (line, is_inside) in enumerate(lines):
            if not self.used(position):
                continue
            at = e.step(line, (start, size))
            read: dict[int, list[str]] = {}
            vectors = []
            for tap, first in enumerate(firsts):
                if first not in read:
                    place = e.choose(is_inside, "ptr", e.at(at, first * axis.dilation * size), "%zeros")
                    read[first] = self._halves(place, masks[first])
                vectors.append(self._joined(read[first], tap - first))
            if self.step.is_maximum:  # a line's maximum first: several outputs take it
                vectors = [reduce(self.larger, vectors)]
            for tap, vector in enumerate(vectors):
                self.add(sums, position, tap, vector, weights)
        lanes = e.subtract(self.word("crossing_outputs"), column) if is_edge else None
        self.store(sums, row, column, lanes, memory)

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


class _Channels(_Emitter):
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

    def _weights(self, channel: Value) -> dict[tuple[int, int], str]:
        if self.step.is_maximum:
            return {}
        e = self.e
        first = e.step("%filter", (e.divide(channel, e.lanes), self.word("filter_channel")))
        found = {}
        for sliding, crossing in self.taps():
            place = e.step(first, (sliding, self.word("filter_sliding")), (crossing, self.word("filter_crossing")))
            found[sliding, crossing] = e.load(e.kind("float"), place)
        return found

    def _emit_tile(
        self, weights: dict[tuple[int, int], str], channel: Value, column: Value, mask: str | None, memory: str
    ) -> None:
        e, sliding = self.e, self.step.sliding
        across = e.add(e.multiply(column, sliding.step), self.word("sliding_start"))
        lines = self._lines(e.step("%input", (channel, self.source.element_bytes)))
        after = e.add(across, self.positions())
        is_whole = e.both(e.compare("sge", across, 0), e.compare("sle", after, self.word("sliding_size")))
        lanes = None if mask is None else e.subtract(self.word("channels"), channel)
        for is_edge in (False, True):
            with e.unless(is_whole) if is_edge else e.when(is_whole):
                sums = self._sums(lines, across, weights, mask, is_edge)
                self.store(sums, column, channel, lanes, memory)

    def _lines(self, start: str) -> list[tuple[str, str]]:
        """For every tap down the image, the address of a line and the distance of its pixels; padding has none."""
        e, crossing, found = self.e, self.step.crossing, []
        down = e.add(e.multiply("%unit", crossing.step), self.word("crossing_start"))
        for tap in range(crossing.taps):
            line = e.add(down, tap * crossing.dilation)
            is_line = e.compare("ult", line, self.word("crossing_size"))
            at = e.step(start, (line, self.word("crossing_stride")))
            stride = e.choose(is_line, "i64", self.word("sliding_stride"), 0)
            found.append((e.choose(is_line, "ptr", at, "%zeros"), stride))
        return found

    def _sums(
        self,
        lines: list[tuple[str, str]],
        across: Value,
        weights: dict[tuple[int, int], str],
        mask: str | None,
        is_edge: bool,
    ) -> list[str]:
        """The outputs of a tile; at an edge, some pixels are padding."""
        e, sums = self.e, [self.neutral] * self.height
        for tap, (line, stride) in enumerate(lines):
            first = e.step(line, (across, stride))
            for position in filter(self.used, range(self.positions())):
                pointer = e.step(first, (position, stride))
                if is_edge:
                    is_inside = e.compare("ult", e.add(across, position), self.word("sliding_size"))
                    pointer = e.choose(is_inside, "ptr", pointer, "%zeros")
                self.add(sums, position, tap, self.load(pointer, mask), weights)
        return sums
