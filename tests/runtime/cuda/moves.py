"""Moves of every pattern on a device's memory, between guard bytes, beside NumPy's copy of the same views."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from anydml.bench.gpu import nest_of
from anydml.bench.patterns import PATTERNS, Case
from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.cuda.moves import kernel_of
from anydml.runtime.cuda.text import exchange, pointwise, tiles

Bytes = npt.NDArray[np.uint8]
GUARD = 256
SIZES = (1 << 16, (1 << 15) + 12345)
TYPES = (DataType.UINT8, DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT64)


def check_moves(backend: Any, types: tuple[DataType, ...] = TYPES) -> tuple[int, list[str]]:
    """How many moves were made, and those that went wrong."""
    count, failures = 0, []
    for kind in types:
        for pattern in PATTERNS:
            for size in SIZES:
                case = pattern.build(size // kind.element_bytes, kind.element_bytes)
                for shift in (0, 1):
                    count += 1
                    if not is_moved(backend, case, kind, shift):
                        failures.append(f"{pattern.name}, {kind.name}, {size} bytes, shifted by {shift}")
    return count, failures


@contextmanager
def taken_for_large() -> Iterator[None]:
    """Every tensor is moved as large ones are: by larger tiles, past the caches."""
    with ExitStack() as stack:
        for module in (exchange, pointwise, tiles):
            stack.enter_context(patch.object(module, "STREAMED_BYTES", 0))
        yield


def check_all_moves(backend: Any) -> tuple[int, list[str]]:
    """Moves as they are, and as those of large tensors are."""
    count, failures = check_moves(backend)
    with taken_for_large():
        more, others = check_moves(backend)
    return count + more, [*failures, *(f"{failure}, as if large" for failure in others)]


def is_moved(backend: Any, case: Case, kind: DataType, shift: int) -> bool:
    """Whether exactly the elements arrive. `shift` starts both tensors so many elements past an aligned address."""
    random = np.random.default_rng(1)
    start = GUARD + shift * kind.element_bytes
    source, destination = (
        random.integers(0, 256, start + _reach(layout) * kind.element_bytes + GUARD, dtype=np.uint8)
        for layout in (case.source, case.destination)
    )
    buffers = [backend.upload(each) for each in (destination, source)]
    kernel = kernel_of(nest_of(case, kind))
    backend.driver.launcher(kernel.launch([buffer.address + start for buffer in buffers]))()
    wanted = destination.copy()
    _view(case.destination, wanted[start:], kind)[...] = _view(case.source, source[start:], kind)
    return np.array_equal(backend.download(buffers[0]), wanted)


def _reach(layout: Layout) -> int:
    return layout.offset + 1 + sum((n - 1) * s for n, s in zip(layout.sizes, layout.strides, strict=True) if s > 0)


def _view(layout: Layout, data: Bytes, kind: DataType) -> npt.NDArray[Any]:
    size = kind.element_bytes
    steps = [stride * size for stride in layout.strides]
    return np.ndarray(layout.sizes, kind.numpy_dtype, data, layout.offset * size, steps)
