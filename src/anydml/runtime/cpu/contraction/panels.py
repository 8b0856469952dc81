"""Operands packed ahead of a product: a step of its own, so that what is constant is packed once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod

from anydml.core.datatype import DataType
from anydml.core.steps import Access, Step
from anydml.core.tensor import round_up
from anydml.runtime.cpu.contraction.cells import Source
from anydml.runtime.cpu.contraction.machine import CELL_BYTES, LINE_BYTES, Machine
from anydml.runtime.cpu.contraction.packing import SCATTERED, STRAIGHT, TURNED, emit_pack
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.native import llvm
from anydml.runtime.native.emit import Value
from anydml.runtime.native.tasks import Task

Numbers = tuple[int, ...]
BATCH_LOOPS = 2
DEPTH_LOOPS = 4
CHUNK_BYTES = 64 * 1024
"""What a thread packs at once."""
MOST_CHUNKS = 32


@dataclass(frozen=True)
class Matrix:
    """An operand in memory: lanes (rows of the left operand, columns of the right one) by depth, in elements.

    Depth may be several loops, the innermost last; so may the batch.
    """

    slot: int
    type: DataType
    offset: int
    lanes: int
    lane_stride: int
    depth: Numbers
    depth_strides: Numbers
    batch: Numbers = ()
    batch_strides: Numbers = ()

    @property
    def access(self) -> Access:
        return Access(self.slot, self.type, (*self.batch_strides, self.lane_stride, *self.depth_strides), self.offset)

    @property
    def sizes(self) -> Numbers:
        return (*self.batch, self.lanes, *self.depth)

    @property
    def way(self) -> str:
        """How its elements lie; see `packing`."""
        if self.lane_stride == 1 or self.lanes == 1:
            return STRAIGHT
        return TURNED if self.depth_strides[-1] == 1 else SCATTERED

    def moved(self, slot: int) -> Matrix:
        """The same in another slot."""
        return replace(self, slot=slot)

    def once(self) -> Matrix:
        """Without batch loops along which nothing changes."""
        kept = [(n, s) for n, s in zip(self.batch, self.batch_strides, strict=True) if s != 0 and n > 1]
        return replace(self, batch=tuple(n for n, _ in kept), batch_strides=tuple(s for _, s in kept))

    def merged(self) -> Matrix:
        """With depth loops that follow one another in memory as one."""
        sizes, strides = [self.depth[-1]], [self.depth_strides[-1]]
        for size, stride in zip(reversed(self.depth[:-1]), reversed(self.depth_strides[:-1]), strict=True):
            if size == 1:
                continue
            if stride == strides[0] * sizes[0] or sizes[0] == 1:
                strides[0] = strides[0] if sizes[0] > 1 else stride
                sizes[0] *= size
            else:
                sizes, strides = [size, *sizes], [stride, *strides]
        return replace(self, depth=tuple(sizes), depth_strides=tuple(strides))


@dataclass(frozen=True)
class Panels:
    """The form of a packed operand: panels of `width` lanes, each with a row of cells for every step in depth."""

    lanes: int
    width: int
    rows: int
    """Cells in depth."""
    vector_lanes: int

    @property
    def count(self) -> int:
        return -(-self.lanes // self.width)

    @property
    def groups(self) -> int:
        """Vectors in a row."""
        return -(-self.width // self.vector_lanes)

    @property
    def pitch_bytes(self) -> int:
        return self.groups * self.vector_lanes * CELL_BYTES

    @property
    def panel_bytes(self) -> int:
        return round_up(self.rows * self.pitch_bytes, LINE_BYTES)

    @property
    def size_in_bytes(self) -> int:
        """Of all panels of one matrix."""
        return self.count * self.panel_bytes


_WORDS = Words(
    [
        *("source_slot", "source_offset", "target_slot", "target_offset", "first", "last"),
        *("panels", "panel_bytes", "pitch", "groups", "lanes", "width", "lane_stride"),
        *(f"batch_{n}" for n in range(BATCH_LOOPS)),
        *(f"batch_stride_{n}" for n in range(BATCH_LOOPS)),
        *(f"depth_{n}" for n in range(DEPTH_LOOPS)),
        *(f"depth_stride_{n}" for n in range(DEPTH_LOOPS)),
        "row_bytes",
    ]
)


@dataclass(frozen=True)
class Pack:
    """Packs a matrix, or one for each index of the batch, into a slot of their own."""

    matrix: Matrix
    source: Source
    panels: Panels
    target: int
    machine: Machine

    @property
    def size_in_bytes(self) -> int:
        return prod(self.matrix.batch) * self.panels.size_in_bytes

    def reads(self) -> Iterator[tuple[Access, Numbers]]:
        yield self.matrix.access, self.matrix.sizes

    def writes(self) -> Iterator[tuple[Access, Numbers]]:
        yield Access(self.target, DataType.UINT8, (1,)), (self.size_in_bytes,)

    def renamed(self, slot: Callable[[int], int]) -> Step:
        return replace(self, matrix=replace(self.matrix, slot=slot(self.matrix.slot)), target=slot(self.target))

    def describe(self, names: Callable[[int], str]) -> str:
        sizes = [*self.matrix.batch, self.matrix.lanes, *self.matrix.depth]
        return f"pack {sizes} of {names(self.matrix.slot)} into panels of {self.panels.width}: {names(self.target)}"

    @property
    def _shape(self) -> tuple[object, ...]:
        return ("pack", self.machine, self.source, self.matrix.way, min(self.panels.width, self.machine.lanes))

    def tasks(self) -> Sequence[Task]:
        code = llvm.compiled(self._shape, self._write)
        units = prod(self.matrix.batch) * self.panels.count
        pieces = max(1, min(MOST_CHUNKS, units, self.size_in_bytes // CHUNK_BYTES))
        bounds = [units * number // pieces for number in range(pieces + 1)]
        common = self._words()
        chunks = [_WORDS.pack({**common, "first": a, "last": b}) for a, b in pairwise(bounds)]
        return [Task(code, chunks, max(self.matrix.slot, self.target) + 1)]

    def _words(self) -> dict[str, int]:
        matrix, panels, size = self.matrix, self.panels, self.source.element_bytes
        batch, batch_strides = padded(matrix.batch, BATCH_LOOPS, 1), padded(matrix.batch_strides, BATCH_LOOPS, 0)
        depth, depth_strides = padded(matrix.depth, DEPTH_LOOPS, 1), padded(matrix.depth_strides, DEPTH_LOOPS, 0)
        return {
            "source_slot": matrix.slot,
            "source_offset": matrix.offset * size,
            "target_slot": self.target,
            "target_offset": 0,
            "panels": panels.count,
            "panel_bytes": panels.panel_bytes,
            "pitch": panels.pitch_bytes,
            "groups": panels.groups,
            "lanes": matrix.lanes,
            "width": panels.width,
            "lane_stride": matrix.lane_stride * size,
            **{f"batch_{n}": value for n, value in enumerate(batch)},
            **{f"batch_stride_{n}": value * size for n, value in enumerate(batch_strides)},
            **{f"depth_{n}": value for n, value in enumerate(depth)},
            **{f"depth_stride_{n}": value * size for n, value in enumerate(depth_strides)},
            "row_bytes": self.source.cells.depth(depth[-1]) * panels.pitch_bytes,
        }

    def _write(self) -> str:
        e = Writer(self.machine)
        emit_pack(e, self.source, self.matrix.way, self.panels.width)
        _emit_panel(e)
        with e.function(llvm.KERNEL, "ptr %bases, ptr %parameters, ptr %staging", exported=True, is_cold=True):
            _emit_units(e)
        return e.module()


def padded(numbers: Sequence[int], count: int, filler: int) -> list[int]:
    """So many numbers, with fillers in front."""
    return [filler] * (count - len(numbers)) + list(numbers)


def _emit_units(e: Writer) -> None:
    """Panels `first` to `last`, counted through the batch."""
    source, target = (_WORDS.load_address(e, name) for name in ("source", "target"))
    words = {name: _WORDS.load(e, name) for name in ("panels", "panel_bytes", "width", "lane_stride", "lanes")}
    sizes = [_WORDS.load(e, f"batch_{n}") for n in range(BATCH_LOOPS)]
    strides = [_WORDS.load(e, f"batch_stride_{n}") for n in range(BATCH_LOOPS)]
    with e.loop(_WORDS.load(e, "first"), _WORDS.load(e, "last")) as unit:
        batch, panel = e.split(unit, words["panels"])
        first = e.multiply(panel, words["width"])
        origin = e.step(source, (first, words["lane_stride"]))
        for size, stride in reversed(list(zip(sizes, strides, strict=True))):
            batch, place = e.split(batch, size)
            origin = e.step(origin, (place, stride))
        lanes = e.minimum(words["width"], e.subtract(words["lanes"], first))
        cells = e.step(target, (unit, words["panel_bytes"]))
        e.call("panel", ("ptr", "%parameters"), ("ptr", cells), ("ptr", origin), ("i64", lanes))


def _emit_panel(e: Writer) -> None:
    """One panel: the loops of depth around `pack`."""
    with e.function("panel", "ptr %parameters, ptr %cells, ptr %source, i64 %lanes", is_cold=True):
        sizes = [_WORDS.load(e, f"depth_{n}") for n in range(DEPTH_LOOPS)]
        strides = [_WORDS.load(e, f"depth_stride_{n}") for n in range(DEPTH_LOOPS)]
        pitch, groups, row_bytes = (_WORDS.load(e, name) for name in ("pitch", "groups", "row_bytes"))
        with e.loop(0, sizes[0]) as a, e.loop(0, sizes[1]) as b, e.loop(0, sizes[2]) as c:
            number: Value = e.add(e.multiply(e.add(e.multiply(a, sizes[1]), b), sizes[2]), c)
            origin = e.step("%source", (a, strides[0]), (b, strides[1]), (c, strides[2]))
            e.call(
                "pack",
                ("ptr", e.step("%cells", (number, row_bytes))),
                ("i64", pitch),
                ("i64", groups),
                ("ptr", origin),
                ("i64", "%lanes"),
                ("i64", _WORDS.load(e, "lane_stride")),
                ("i64", sizes[3]),
                ("i64", strides[3]),
            )
