"""Moves made ready to run, as often as wanted, on any buffers of the right size."""

from __future__ import annotations

import ctypes
from functools import partial
from math import prod

import numpy as np
import numpy.typing as npt

from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves import arrays, llvm, native, nibbles
from anydml.runtime.moves.convert import convert
from anydml.runtime.moves.kernels.convert import is_supported
from anydml.runtime.moves.plan import MovePlan, plan_move
from anydml.runtime.moves.threads import get_threads, set_threads, share

__all__ = ["PreparedFill", "PreparedMove", "fill", "get_threads", "prepare", "set_threads"]

SMALL_BYTES = 16 * 1024
"""Up to here NumPy is done before a kernel could be compiled."""
SHARED_BYTES = 512 * 1024
"""From here on more than one thread pays."""
STREAMED_BYTES = 8 * 1024 * 1024
"""From here on the result would not stay in the caches anyway."""
PIECES_PER_THREAD = 4
"""More pieces than threads, so that a thread held up by others leaves work to the rest."""


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
        self._types = (source_type, destination_type or source_type)
        self._scale_bias = scale_bias
        self._threads = threads
        self._converts = self._types[0] is not self._types[1] or scale_bias is not None
        self._layouts = source, destination
        self._elements = source_type.element_bytes, self._types[1].element_bytes
        self._nibbles = any(data_type.is_packed_pair for data_type in self._types)
        whole = None if self._converts or not self._nibbles else nibbles.in_whole_bytes(source, destination)
        if whole is not None:
            self._layouts, self._nibbles = whole, False
        self.plan: MovePlan = plan_move(
            *self._layouts, self._elements[0], self._elements[1] if self._converts else None
        )
        self._views = tuple(map(arrays.view, self._layouts, self._dtypes()))
        self._native: dict[int, tuple[native.Function, list[native.Call]]] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return PreparedMove, self._arguments

    def __repr__(self) -> str:
        return f"PreparedMove({', '.join(map(repr, self._arguments))})"

    @property
    def kernel(self) -> str:
        """What moves the elements: the plan's kernel, "numpy", or "nibbles" for 4-bit elements one by one."""
        if self._nibbles:
            return "nibbles"
        return self.plan.kernel if self._runs_natively() else "numpy"

    def run(self, source_address: int, destination_address: int) -> None:
        """Moves between buffers in memory, given by the addresses of their element 0."""
        if self._nibbles:
            self._move_nibbles(self._memory(0, source_address), self._memory(1, destination_address))
        elif self._runs_natively():
            self._run_natively(source_address, destination_address)
        else:
            self._copy(self._views[0].at(source_address), self._views[1].at(destination_address))

    def run_arrays(self, source: arrays.Bytes, destination: arrays.Bytes) -> None:
        """Moves between buffers given as 1-D arrays of bytes."""
        if self._nibbles:
            self._move_nibbles(source, destination)
        elif self._runs_natively():
            for view, data in zip(self._views, (source, destination), strict=True):
                view.check(data)
            self._run_natively(source.ctypes.data, destination.ctypes.data)
        else:
            self._copy(self._views[0].of(source), self._views[1].of(destination))

    # --- NumPy -------------------------------------------------------------------------------

    def _dtypes(self) -> tuple[np.dtype[np.generic], np.dtype[np.generic]]:
        if self._converts:
            return self._types[0].numpy_dtype, self._types[1].numpy_dtype
        bits = np.dtype(f"u{self._elements[0]}")
        return bits, bits

    def _copy(self, source: npt.NDArray[np.generic], destination: npt.NDArray[np.generic]) -> None:
        destination[...] = convert(source, *self._types, self._scale_bias) if self._converts else source

    def _memory(self, side: int, address: int) -> arrays.Bytes:
        """The bytes of a buffer from its element 0 to its last one."""
        layout, data_type = self._arguments[side], self._types[side]
        reach = sum((n - 1) * s for n, s in zip(layout.sizes, layout.strides, strict=True) if s > 0)
        size = data_type.bytes_for(layout.offset + reach + 1)
        return np.frombuffer((ctypes.c_char * size).from_address(address), np.uint8)

    def _move_nibbles(self, source: arrays.Bytes, destination: arrays.Bytes) -> None:
        (from_layout, to_layout), (from_type, to_type) = self._layouts, self._types
        nibbles.move((from_layout, from_type, source), (to_layout, to_type, destination), self._scale_bias)

    # --- native ------------------------------------------------------------------------------

    def _runs_natively(self) -> bool:
        if self.plan.payload_bytes < SMALL_BYTES or not llvm.is_available():
            return False
        if not self._converts:
            return True
        halves = DataType.FLOAT16 in self._types and not llvm.has_half_floats()
        return not halves and is_supported(*self._types, self._scale_bias)

    def _run_natively(self, source: int, destination: int) -> None:
        threads = 1 if self.plan.payload_bytes < SHARED_BYTES else self._threads or get_threads()
        prepared = self._native.get(threads)
        if prepared is None:
            prepared = self._native[threads] = self._prepare_natively(threads)
        function, calls = prepared
        if len(calls) == 1:
            function(
                ctypes.addressof(calls[0].parameters),
                source + calls[0].source_offset,
                destination + calls[0].destination_offset,
            )
            return
        share(
            [
                partial(
                    function,
                    ctypes.addressof(call.parameters),
                    source + call.source_offset,
                    destination + call.destination_offset,
                )
                for call in calls
            ],
            threads,
        )

    def _prepare_natively(self, threads: int) -> tuple[native.Function, list[native.Call]]:
        stream = self.plan.payload_bytes >= STREAMED_BYTES
        types = self._types if self._converts else None
        lowered = native.lower(self.plan, llvm.vector_bytes(), stream, types, self._scale_bias)
        pieces = 1 if threads == 1 else threads * PIECES_PER_THREAD
        return llvm.function(lowered.shape), native.calls(self.plan, lowered, pieces)


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

    def run_arrays(self, destination: arrays.Bytes) -> None:
        """Fills a buffer given as a 1-D array of bytes."""
        self._move.run_arrays(self._value, destination)
