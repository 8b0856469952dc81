"""Depthwise convolution: every output channel reads one input channel, so there is no product of matrices.

A tile is a few outputs along the sliding axis, a vector each. An input vector is loaded once and added to every output
whose window holds it. Where pixels of a line lie side by side, lanes are pixels and tiles slide down the image; where
channels do, lanes are channels and tiles slide along the line.

Without a filter it is the fold of every window: its maximum, or a sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product as combinations

from anydml.core.expression import Node
from anydml.core.steps import Access, Step
from anydml.process.loading import load_module
from anydml.runtime.cpu.contraction.depthwise_tiles import ChannelEmitter, PixelEmitter, TileEmitter
from anydml.runtime.cpu.contraction.epilogue import Epilogue, accesses
from anydml.runtime.cpu.contraction.machine import FEW_REGISTERS, Machine
from anydml.runtime.cpu.contraction.partition import part_of, ranges, wanted_pieces
from anydml.runtime.cpu.contraction.tile import even_part
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.native import llvm
from anydml.runtime.native.tasks import Task

Numbers = tuple[int, ...]
PIXELS, CHANNELS, PLANES = "pixels", "channels", "planes"
MOST_TAPS = 16
"""Along an axis: filters with more of them would make long code."""
HELD_TAPS, FEW_HELD_TAPS = 12, 4
"""Filters with more taps leave few registers for sums: their numbers are read for a line of taps at a time. Where there
are few registers at all, those with more than the second number."""
_TALLEST = 8
"""Outputs of a tile."""
_FAR_BYTES = 5 << 20
"""Images that are larger come from memory or a far cache, which is asked for their planes ahead."""
_WORK_OF_MEMORY = 8
"""A multiplication here takes as long as so many of a product, because operands are used less often."""


_NAMES = {"": "depthwise", "maximum": "maxima", "add": "sums"}
_PLANE_EMITTER = "anydml.runtime.cpu.contraction.planes"


@dataclass(frozen=True)
class Fold:
    """What windows are folded to where there is no filter."""

    operation: str
    """`maximum` or `add`."""
    element: Node
    """What is folded, as an expression of the `result` of reading."""


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
    None where windows are folded."""
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
    fold: Fold | None = None
    """Of windows, where there is no filter."""

    def reads(self) -> Iterator[tuple[Access, Numbers]]:
        yield self.input, self.input_sizes
        if self.filter is not None:
            yield self.filter, self.filter_sizes
        yield from ((access, self._result_sizes) for access in accesses(self.epilogue.loads))

    def writes(self) -> Iterator[tuple[Access, Numbers]]:
        yield from ((access, self._result_sizes) for access in accesses(self.epilogue.stores))

    @property
    def _result_sizes(self) -> Numbers:
        return (self.batch, self._units[1], self.sliding.outputs, 1, 1, self._lane_count)

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
        name, read = _NAMES[self.fold.operation if self.fold else ""], self._operands()
        return f"{name} {sizes} of {' and '.join(names(access.slot) for access in read)}: {written}"

    def _operands(self) -> list[Access]:
        return [self.input] if self.filter is None else [self.input, self.filter]

    @property
    def numbers(self) -> Access:
        """The filter; where there is none, what is not read."""
        return self.filter or Access(self.input.slot, self.input.type, (0, 0, 0), self.input.offset)

    @property
    def holds_filter(self) -> bool:
        """Whether all numbers of a filter are in registers."""
        most = HELD_TAPS if self.machine.registers > FEW_REGISTERS else FEW_HELD_TAPS
        return self.lanes_are == PLANES or self.sliding.taps * self.crossing.taps <= most

    @property
    def asks_ahead(self) -> bool:
        """Whether the next plane is asked for while one is worked on."""
        elements = self.batch * self.channels // self.multiplier * self.sliding.size * self.crossing.size
        is_far = elements * self.input.type.element_bytes > _FAR_BYTES
        return is_far and self.lanes_are == PIXELS and self.fold is None

    @property
    def last_lanes(self) -> int:
        """Lanes of the last vector of a row, where machine code depends on it: parts of vectors are stored quickly only
        if it is known which."""
        return 0 if self.machine.stores_some else self._lane_count % self.machine.lanes

    @property
    def _lane_count(self) -> int:
        return self.channels if self.lanes_are == CHANNELS else self.crossing.outputs

    @property
    def height(self) -> int:
        """Outputs of a tile."""
        if self.lanes_are == PLANES:
            return self.sliding.outputs
        held = 2 if self.fold else self.sliding.taps * (self.crossing.taps if self.holds_filter else 1)
        sums = self.machine.registers - held - 4
        # Tiles read more places at once than memory likes where outputs share little.
        tallest = _TALLEST // 2 if self.fold or self.sliding.step > 1 else _TALLEST
        return even_part(self.sliding.outputs, max(1, min(tallest, sums)))

    @property
    def _units(self) -> tuple[int, int]:
        """What is worked on one after the other: planes of the image, or lines of it."""
        return self.batch, self.crossing.outputs if self.lanes_are == CHANNELS else self.channels

    # --- tasks -----------------------------------------------------------------------------------

    def tasks(self) -> Sequence[Task]:
        shape = (
            "depthwise",
            self.fold,
            (self.input.type, self.numbers.type),
            self.machine,
            self.lanes_are,
            *((self.sliding, self.crossing) if self.lanes_are == PLANES else (self.sliding.form, self.crossing.form)),
            self.height,
            self.last_lanes,
            self.asks_ahead,
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
        work *= self._lane_count
        pieces = wanted_pieces(work)
        part = part_of(units, 1, pieces, units)
        rows = part_of(self.sliding.outputs, self.height, -(-pieces // -(-units // part)), self.sliding.outputs)
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
        folds = (1, 1, self._lane_count)
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
        with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True, is_cold=True):
            self._emit_units(e, emitter)
        return e.module()

    def _emitter(self, e: Writer) -> TileEmitter:
        if self.lanes_are == PLANES:
            found: TileEmitter = load_module(_PLANE_EMITTER).PlaneEmitter(self, e, self._words)
            return found
        return (PixelEmitter if self.lanes_are == PIXELS else ChannelEmitter)(self, e, self._words)

    def _emit_units(self, e: Writer, emitter: TileEmitter) -> None:
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
