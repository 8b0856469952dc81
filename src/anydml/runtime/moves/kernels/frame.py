"""What every kernel is given: its shape, fixed when it is compiled, and its frame, known when it runs."""

from __future__ import annotations

from dataclasses import dataclass

from anydml.core.datatype import DataType
from anydml.runtime.moves.plan import Loop
from anydml.runtime.native import staging
from anydml.runtime.native.emit import Emitter, Value

STAGING_BYTES = 64 * 1024
"""What a kernel may stage at once: a part of any second-level cache."""
CHUNK_BYTES = 4 * 1024
"""What a kernel stages of one long row: so little that reading and writing overlap."""
STAGING_SLACK = 40 * 1024
"""Room for gaps between staged rows, and for vectors that end past the last."""
assert STAGING_BYTES + STAGING_SLACK <= staging.BYTES

AHEAD_BYTES = 16 * 1024
"""How much is read between asking for memory and needing it: time enough for the answer to come, and too
little for it to be driven out again."""
FORESEEN_GAP_BYTES = 512
"""Hardware reads on across a smaller gap between rows."""
FORESEEN_ROW_BYTES = 32 * 1024
"""Longer rows have few ends, and within a row hardware reads on by itself."""


@dataclass(frozen=True)
class Shape:
    """All that the machine code of a kernel depends on. Sizes and strides are parameters instead, so
    few kernels are ever compiled."""

    kernel: str
    element_bytes: int
    vector_bytes: int
    stream: bool
    details: tuple[int | str, ...] = ()
    written: tuple[str, ...] = ()
    """The types elements are converted between while rows are written, and whether they are scaled."""


@dataclass(frozen=True)
class Lowered:
    """A plan made ready for this machine."""

    shape: Shape
    extras: tuple[int, ...] = ()
    """Parameters of the kernel besides its loops, such as the sizes of a tile."""
    grains: tuple[int, ...] = ()
    """For each inner loop, the count it may be cut into multiples of to share the work; 0: never."""
    order: tuple[int, ...] = (0,)
    """The inner loops as the kernel runs them, the outermost first."""
    placed: int | None = None
    """An inner loop of which each chunk is told, before all extras, how much lies before and after its part."""


@dataclass(frozen=True)
class LoopValues:
    size: str
    source_stride: str
    destination_stride: str


@dataclass(frozen=True)
class Frame:
    """The names of the values a kernel works on."""

    e: Emitter
    shape: Shape
    source: str
    destination: str
    inner: tuple[LoopValues, ...]
    extras: tuple[str, ...]
    staging: str
    scale_bias: tuple[str, ...] = ()
    """The bits of two doubles, where elements are converted."""

    @property
    def way(self) -> str:
        """How contiguous rows are written; see `copy_row`."""
        return "streamed" if self.shape.stream else "plain"

    @property
    def written_bytes(self) -> int:
        """Of an element in the destination."""
        return DataType[self.shape.written[1]].element_bytes if self.shape.written else self.shape.element_bytes

    def from_source(self, *steps: tuple[Value, Value]) -> str:
        """The source address after these (count, stride) steps."""
        return walked(self.e, self.source, *steps)

    def from_destination(self, *steps: tuple[Value, Value]) -> str:
        return walked(self.e, self.destination, *steps)

    def from_staging(self, *steps: tuple[Value, Value]) -> str:
        return walked(self.e, self.staging, *steps)


def walked(e: Emitter, pointer: str, *steps: tuple[Value, Value]) -> str:
    """The address after these (count, stride) steps."""
    for count, stride in steps:
        pointer = e.at(pointer, e.multiply(count, stride))
    return pointer


def ahead_of_rows(row_bytes: int, rows: Loop) -> int:
    """How far from a byte of a row the one lies that is read about AHEAD_BYTES later, in some following row; 0
    where hardware foresees it, or the rows are few."""
    gap = abs(rows.source_stride) - row_bytes
    if row_bytes > FORESEEN_ROW_BYTES or gap < FORESEEN_GAP_BYTES:
        return 0
    return rows_ahead(row_bytes, rows)


def rows_ahead(row_bytes: int, rows: Loop) -> int:
    """The same, whether or not hardware foresees it. At most a quarter of what is asked for is never read."""
    return min(max(1, AHEAD_BYTES // row_bytes), rows.size // 4) * rows.source_stride


def power_at_most(number: int) -> int:
    """The largest power of two that is not above `number`."""
    return 1 << (number.bit_length() - 1)


def power_at_least(number: int) -> int:
    return 1 << (number - 1).bit_length()


def even_parts(size: int, largest: int, multiple: int) -> int:
    """A part's size, at most about `largest`, that cuts `size` evenly: no small rest is left over."""
    parts = -(-size // max(multiple, largest // multiple * multiple))
    part = -(-size // parts)
    return min(size, -(-part // multiple) * multiple)
