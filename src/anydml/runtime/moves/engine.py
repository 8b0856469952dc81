"""Moves made ready to run, as often as wanted, on any buffers of the right size."""

from __future__ import annotations

from struct import Struct

import numpy as np

from anydml.core.convert import Array, convert
from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves import lowering, nibbles
from anydml.runtime.moves.arrays import Bytes, View, bytes_at, view
from anydml.runtime.moves.kernels.convert import is_supported
from anydml.runtime.moves.kernels.frame import Lowered
from anydml.runtime.moves.plan import MovePlan, plan_move
from anydml.runtime.native import llvm
from anydml.runtime.native.caches import far_bytes
from anydml.runtime.native.tasks import Task, TaskList
from anydml.runtime.native.threads import get_threads, set_threads

__all__ = ["PreparedFill", "PreparedMove", "fill", "get_threads", "prepare", "set_threads"]

SMALL_BYTES = 16 * 1024
"""Up to here NumPy is done before a kernel could be compiled."""
SHARED_BYTES = 512 * 1024
"""Memory touched from which on more than one thread pays: another one takes some microseconds to begin."""
STREAMED_BYTES = far_bytes()
"""Memory touched from which on the result would not stay in the caches anyway."""
STREAMED_TILES = 0.4
"""A part of that where sides are contiguous along different loops: lines that are far apart leave caches earlier."""
CHUNK_BYTES = 1024 * 1024
"""What one thread moves at a time, of a shared move. Only sizes decide how work is cut, never the threads."""
FEWEST_CHUNKS, MOST_CHUNKS = 8, 256
"""More chunks than threads, so that a thread held up by others leaves work to the rest."""

_ADDRESSES = Struct("=2Q")


def prepare(
    source: Layout,
    destination: Layout,
    source_type: DataType,
    destination_type: DataType | None = None,
    scale_bias: tuple[float, float] | None = None,
    threads: int | None = None,
) -> PreparedMove:
    """A move of every element of `source` to the same index of `destination`.

    `destination_type` converts the elements as CAST does; `scale_bias` multiplies and adds on the way. The
    source may repeat elements; destination elements must be distinct, which the caller has checked.
    """
    return PreparedMove(source, destination, source_type, destination_type, scale_bias, threads)


def fill(destination: Layout, data_type: DataType, value: float | int, threads: int | None = None) -> PreparedFill:
    """Writes one value to every element of `destination`."""
    return PreparedFill(destination, data_type, value, threads)


class PreparedMove:
    """A planned move; see `prepare`. Safe to run from many threads at once."""

    def __init__(
        self,
        source: Layout,
        destination: Layout,
        source_type: DataType,
        destination_type: DataType | None = None,
        scale_bias: tuple[float, float] | None = None,
        threads: int | None = None,
    ) -> None:
        self._arguments = (source, destination, source_type, destination_type, scale_bias, threads)
        self._types = types = (source_type, destination_type or source_type)
        self._scale_bias = scale_bias
        self._threads = threads
        self._converts = types[0] is not types[1] or scale_bias is not None
        self._layouts, self._by_nibbles = (source, destination), False
        if any(data_type.is_packed_pair for data_type in types):
            whole = None if self._converts else nibbles.in_whole_bytes(source, destination)
            self._layouts, self._by_nibbles = whole or self._layouts, whole is None
        sizes = types[0].element_bytes, types[1].element_bytes
        self.plan: MovePlan = plan_move(*self._layouts, sizes[0], sizes[1] if self._converts else None)
        self._views = self._make_views()
        self._payload_bytes = self.plan.payload_bytes
        self._touched_bytes = self.plan.touched_bytes
        self._list: TaskList | None = None
        self._latest: tuple[int, int, Array, Array] | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return PreparedMove, self._arguments

    def __repr__(self) -> str:
        return f"PreparedMove({', '.join(map(repr, self._arguments))})"

    @property
    def kernel(self) -> str:
        """What moves the elements: the plan's kernel, "numpy", or "nibbles" for 4-bit elements one by one."""
        if self._by_nibbles:
            return "nibbles"
        return self.plan.kernel if self._runs_natively() else "numpy"

    def run(self, source_address: int, destination_address: int) -> None:
        """Moves between buffers in memory that do not overlap, given by the addresses of their element 0."""
        if self._runs_natively():
            self._run_natively(source_address, destination_address)
        elif self._by_nibbles:
            self._move_nibbles(self._bytes_at(0, source_address), self._bytes_at(1, destination_address))
        else:
            self._copy(*self._views_at(source_address, destination_address))

    def run_arrays(self, source: Bytes, destination: Bytes) -> None:
        """Moves between buffers given as 1-D arrays of bytes. Those that overlap are moved as if they did not."""
        is_native = self._runs_natively()
        if is_native:
            self._views[0].check(source)
            self._views[1].check(destination, is_written=True)
        if (is_native or self._by_nibbles) and np.may_share_memory(source, destination):
            if self._is_done(source, destination):
                return
            source = source.copy()
        if self._by_nibbles:
            self._move_nibbles(source, destination)
        elif is_native:
            self._run_natively(source.ctypes.data, destination.ctypes.data)
        else:
            self._copy(self._views[0].of(source), self._views[1].of(destination))

    def tasks(self, source_slot: int, destination_slot: int) -> tuple[Task, ...]:
        """The move as native tasks between two slots that do not overlap; none if NumPy must do it."""
        return self._tasks(lowering.Sides(source_slot, destination_slot))

    def _is_done(self, source: Bytes, destination: Bytes) -> bool:
        """Whether every element would be moved to where it is."""
        if self._converts or self._layouts[0] != self._layouts[1]:
            return False
        return bool(source.ctypes.data == destination.ctypes.data)

    # NumPy

    def _make_views(self) -> tuple[View, View]:
        """Elements that do not change are moved as bits: no float is ever touched by arithmetic."""
        dtypes = [data_type.numpy_dtype for data_type in self._types]
        if not self._converts:
            dtypes = [np.dtype(f"u{dtype.itemsize}") for dtype in dtypes]
        # NumPy moves overlapping elements right if there are at least two dimensions: it then looks for overlap.
        source, destination = (layout if layout.rank > 1 else _with_axis(layout) for layout in self._layouts)
        return view(source, dtypes[0]), view(destination, dtypes[1])

    def _views_at(self, source: int, destination: int) -> tuple[Array, Array]:
        """The buffers' elements; kept, because the same buffers are often moved between again."""
        latest = self._latest
        if latest is None or latest[0] != source or latest[1] != destination:
            latest = source, destination, self._views[0].at(source), self._views[1].at(destination)
            self._latest = latest
        return latest[2], latest[3]

    def _copy(self, source: Array, destination: Array) -> None:
        destination[...] = convert(source, *self._types, self._scale_bias) if self._converts else source

    def _bytes_at(self, side: int, address: int) -> Bytes:
        """A buffer's bytes from its element 0 to the highest one that is moved."""
        layout, data_type = self._layouts[side], self._types[side]
        reach = sum((n - 1) * s for n, s in zip(layout.sizes, layout.strides, strict=True) if s > 0)
        return bytes_at(address, data_type.bytes_for(layout.offset + reach + 1))

    def _move_nibbles(self, source: Bytes, destination: Bytes) -> None:
        (from_layout, to_layout), (from_type, to_type) = self._layouts, self._types
        nibbles.move((from_layout, from_type, source), (to_layout, to_type, destination), self._scale_bias)

    # Machine code

    def _runs_natively(self) -> bool:
        if self._payload_bytes < SMALL_BYTES or self._by_nibbles or not llvm.is_available():
            return False
        if not self._converts:
            return True
        lacks_halves = DataType.FLOAT16 in self._types and not llvm.has_half_floats()
        return not lacks_halves and is_supported(*self._types, self._scale_bias)

    def _run_natively(self, source: int, destination: int) -> None:
        tasks = self._list
        if tasks is None:
            tasks = self._list = TaskList(self.tasks(0, 1))
        tasks.run_packed(_ADDRESSES.pack(source, destination), self._threads)

    def _tasks(self, sides: lowering.Sides) -> tuple[Task, ...]:
        if not self._runs_natively():
            return ()
        return (lowering.task(self.plan, self.lowered(), sides, self.chunk_count),)

    @property
    def chunk_count(self) -> int:
        """About how many chunks the move is cut into where it runs natively."""
        if self._touched_bytes < SHARED_BYTES:
            return 1
        return min(max(FEWEST_CHUNKS, self._touched_bytes // CHUNK_BYTES), MOST_CHUNKS)

    def lowered(self) -> Lowered:
        """The plan made ready for this machine."""
        stream = self._touched_bytes >= STREAMED_BYTES * (STREAMED_TILES if self.plan.kernel == "tile" else 1)
        types = self._types if self._converts else None
        return lowering.lower(self.plan, llvm.vector_bytes(), stream, types, self._scale_bias)


def _with_axis(layout: Layout) -> Layout:
    return Layout((1, *layout.sizes), (0, *layout.strides), layout.offset)


class PreparedFill:
    """A planned fill; see `fill`."""

    def __init__(
        self, destination: Layout, data_type: DataType, value: float | int, threads: int | None = None
    ) -> None:
        self._arguments = (destination, data_type, value, threads)
        source = Layout(destination.sizes, (0,) * destination.rank)
        self._value = np.array([value]).astype(data_type.numpy_dtype).view(np.uint8)
        self._move = PreparedMove(source, destination, data_type, threads=threads)
        self.plan = self._move.plan

    def __reduce__(self) -> tuple[object, ...]:
        return PreparedFill, self._arguments

    @property
    def kernel(self) -> str:
        return self._move.kernel

    def run(self, destination_address: int) -> None:
        """Fills a buffer in memory, given by the address of its element 0."""
        self._move.run(self._value.ctypes.data, destination_address)

    def run_arrays(self, destination: Bytes) -> None:
        """Fills a buffer given as a 1-D array of bytes."""
        self._move.run_arrays(self._value, destination)

    def tasks(self, destination_slot: int) -> tuple[Task, ...]:
        """The fill as native tasks on a slot; none if NumPy must do it. They hold the value themselves."""
        return self._move._tasks(lowering.Sides(self._value.tobytes(), destination_slot))
