"""Operands that each chunk packs for itself, into memory of the thread: they are read from near caches right after.

Panels in that memory have the width of a tile. What a panel has no lanes for is left as it was: nobody stores it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from anydml.core.steps import Access
from anydml.runtime.cpu.contraction.cells import Source
from anydml.runtime.cpu.contraction.machine import CELL_BYTES
from anydml.runtime.cpu.contraction.packing import STRAIGHT, emit_pack, load_numbers
from anydml.runtime.cpu.contraction.panels import Matrix, Numbers
from anydml.runtime.cpu.contraction.writer import Words, Writer
from anydml.runtime.native.emit import FIRST_LEVEL, Value
from anydml.runtime.native.staging import BYTES

STAGE = "stage"
STAGE_PARAMETERS = "ptr %parameters, ptr %source, i64 %first, i64 %last, ptr %cells, i64 %start"
SUMS_BYTES = 256 * 1024
SUMS_AT = BYTES - SUMS_BYTES
"""Where in the memory of a thread the sums of a chunk lie between blocks of depth."""
ROOM_BYTES = SUMS_AT
"""For the panels of one chunk."""


@dataclass(frozen=True)
class Form:
    """Panels in the memory of a thread. Machine code depends on it."""

    width: int
    """Lanes of a panel, as many as a tile has rows or columns."""
    groups: int
    """Vectors in a row of a panel."""

    def pitch_bytes(self, vector_bytes: int) -> int:
        return self.groups * vector_bytes


class Staged(Protocol):
    """An operand that `stage` packs."""

    @property
    def slot(self) -> int: ...

    @property
    def source(self) -> Source: ...

    @property
    def offset(self) -> int: ...

    @property
    def batch_strides(self) -> Numbers:
        """In elements."""
        ...

    @property
    def rows(self) -> int:
        """Cells in depth."""
        ...

    @property
    def shape(self) -> tuple[object, ...]:
        """What machine code depends on."""
        ...

    @property
    def access(self) -> Access: ...

    @property
    def sizes(self) -> Numbers: ...

    def words(self) -> dict[str, int]:
        """Words of its own for the parameters of a chunk."""
        ...

    def panel_bytes(self, form: Form, vector_bytes: int) -> int:
        """Of what is staged for one tile."""
        ...

    def emit(self, e: Writer, words: Words, form: Form) -> None:
        """Writes the function `stage`, which packs lanes `first` to `last` into `cells`.

        Those that pack a block of depth at a time pack the one at `start`.
        """
        ...

    def moved(self, slot: int) -> Staged:
        """The same in another slot."""
        ...


@dataclass(frozen=True)
class StagedMatrix:
    """A matrix with one loop in depth."""

    matrix: Matrix
    source: Source
    block: int
    """Numbers in depth that are packed at a time."""

    @property
    def slot(self) -> int:
        return self.matrix.slot

    @property
    def offset(self) -> int:
        return self.matrix.offset

    @property
    def batch_strides(self) -> Numbers:
        return self.matrix.batch_strides

    @property
    def rows(self) -> int:
        return self.source.cells.depth(self.block)

    @property
    def shape(self) -> tuple[object, ...]:
        return ("matrix", self.source, self.matrix.way)

    @property
    def access(self) -> Access:
        return self.matrix.access

    @property
    def sizes(self) -> Numbers:
        return self.matrix.sizes

    def moved(self, slot: int) -> StagedMatrix:
        return replace(self, matrix=replace(self.matrix, slot=slot))

    def words(self) -> dict[str, int]:
        size = self.source.element_bytes
        return {
            "lane_stride": self.matrix.lane_stride * size,
            "depth_stride": self.matrix.depth_strides[0] * size,
            "numbers": self.matrix.depth[0],
            "numbers_at_once": self.block,
            "cell_rows": self.rows,
        }

    def panel_bytes(self, form: Form, vector_bytes: int) -> int:
        return self.rows * form.pitch_bytes(vector_bytes)

    def emit(self, e: Writer, words: Words, form: Form) -> None:
        has_whole_vectors = form.width % e.lanes == 0
        if self.matrix.way == STRAIGHT and self.source.cells.count == 1 and has_whole_vectors:
            _emit_rows(e, self.source, words, form)
        else:
            self._emit_panels(e, words, form)

    def _emit_panels(self, e: Writer, words: Words, form: Form) -> None:
        emit_pack(e, self.source, self.matrix.way, form.width)
        pitch = form.pitch_bytes(e.vector_bytes)
        with e.function(STAGE, STAGE_PARAMETERS, is_cold=True):
            lane_stride, depth_stride = words.load(e, "lane_stride"), words.load(e, "depth_stride")
            numbers = _numbers_at_once(e, words)
            panel = e.multiply(words.load(e, "cell_rows"), pitch)
            with e.loop("%first", "%last", form.width) as lane:
                number = e.divide(e.subtract(lane, "%first"), form.width)
                count = e.minimum(form.width, e.subtract("%last", lane))
                e.call(
                    "pack",
                    ("ptr", e.step("%cells", (number, panel))),
                    ("i64", pitch),
                    ("i64", form.groups),
                    ("ptr", e.step("%source", (lane, lane_stride), ("%start", depth_stride))),
                    ("i64", count),
                    ("i64", lane_stride),
                    ("i64", numbers),
                    ("i64", depth_stride),
                )


_ROWS_AT_ONCE = 4
_ROWS_AHEAD = 8


def _emit_rows(e: Writer, source: Source, words: Words, form: Form) -> None:
    """Lanes side by side: long pieces of a few rows at a time, spread over all panels: memory is read in order."""
    pitch = form.pitch_bytes(e.vector_bytes)
    parameters = "ptr %source, i64 %stride, i64 %lanes, ptr %cells, i64 %panel, i64 %rows"
    with e.function("strip", parameters), e.loop(0, "%lanes", e.lanes) as lane:
        column = e.step("%source", (lane, source.element_bytes))
        panel, rest = e.split(lane, form.width)
        target = e.step("%cells", (panel, "%panel"), (rest, CELL_BYTES))
        mask = e.first_lanes(e.subtract("%lanes", lane))

        def body(rows: list[Value], column: str = column, target: str = target, mask: str = mask) -> None:
            for row in rows:
                place = e.step(column, (row, "%stride"))
                e.prefetch(e.step(place, (_ROWS_AHEAD, "%stride")), FIRST_LEVEL)
                e.store(e.kind("float"), load_numbers(e, source, place, mask), e.step(target, (row, pitch)))

        e.unrolled("%rows", _ROWS_AT_ONCE, body)
    with e.function(STAGE, STAGE_PARAMETERS, is_cold=True):
        stride, numbers = words.load(e, "depth_stride"), _numbers_at_once(e, words)
        panel = e.multiply(words.load(e, "cell_rows"), pitch)
        start = e.step("%source", ("%first", source.element_bytes), ("%start", stride))
        with e.loop(0, numbers, _ROWS_AHEAD) as row:
            e.call(
                "strip",
                ("ptr", e.step(start, (row, stride))),
                ("i64", stride),
                ("i64", e.subtract("%last", "%first")),
                ("ptr", e.step("%cells", (row, pitch))),
                ("i64", panel),
                ("i64", e.minimum(_ROWS_AHEAD, e.subtract(numbers, row))),
            )


def _numbers_at_once(e: Writer, words: Words) -> Value:
    """From `start` on."""
    return e.minimum(words.load(e, "numbers_at_once"), e.subtract(words.load(e, "numbers"), "%start"))


def stage_call(e: Writer, source: str, lanes: tuple[Value, Value], cells: str, start: Value = 0) -> None:
    """Packs some lanes of the operand that begins at `source`, all of their depth, or the block at `start`."""
    numbers = [("i64", lane) for lane in lanes]
    e.call(STAGE, ("ptr", "%parameters"), ("ptr", source), *numbers, ("ptr", cells), ("i64", start))
