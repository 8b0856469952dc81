"""Who takes part: each contender turns a case and its buffers into a function that moves once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from time import perf_counter

import numpy as np
import numpy.typing as npt

from anydml.bench.onnx_model import ELEMENT_TYPES, model
from anydml.bench.patterns import Case
from anydml.core.datatype import DataType
from anydml.core.layout import Layout

Array = npt.NDArray[np.generic]
Move = Callable[[], object]
TRIES = 3
"""Copies of each contender before the fastest is chosen."""


@dataclass(frozen=True)
class Buffers:
    """1-D arrays of elements, as large as the layouts reach."""

    source: Array
    destination: Array


def copy(case: Case, buffers: Buffers, threads: int) -> Move:
    """NumPy's contiguous copy of as many bytes as the payload has: what all others are measured by."""
    count = case.destination.logical_element_count
    source = np.ones(count, buffers.source.dtype)
    return partial(np.copyto, np.ones_like(source), source)


def fastest_copy(case: Case, buffers: Buffers, threads: int) -> Move:
    """The fastest contiguous copy of as many bytes on all cores, by anybody: the limit."""
    count = case.destination.logical_element_count
    row = Case(Layout((count,)), Layout((count,)))
    own = Buffers(np.ones(count, buffers.source.dtype), np.ones(count, buffers.source.dtype))
    found = [make(row, own, threads) for make in (anydml, numpy, torch)]
    moves = [move for move in found if move is not None]
    return partial(_run, min(moves, key=_time_of), own)


def _run(move: Move, owner: Buffers) -> None:
    """Moves on memory that nobody else holds."""
    move()


def _time_of(move: Move) -> float:
    move()
    times = []
    for _ in range(TRIES):
        start = perf_counter()
        move()
        times.append(perf_counter() - start)
    return min(times)


def anydml(case: Case, buffers: Buffers, threads: int) -> Move:
    from anydml.runtime.moves.engine import prepare

    move = prepare(case.source, case.destination, DataType.parse(buffers.source.dtype), threads=threads)
    return partial(move.run, buffers.source.ctypes.data, buffers.destination.ctypes.data)


def anydml_one_thread(case: Case, buffers: Buffers, threads: int) -> Move:
    return anydml(case, buffers, 1)


def numpy(case: Case, buffers: Buffers, threads: int) -> Move:
    views = _numpy_view(case.destination, buffers.destination), _numpy_view(case.source, buffers.source)
    return partial(np.copyto, *views)


def _numpy_view(layout: Layout, data: Array) -> Array:
    strides = [stride * data.itemsize for stride in layout.strides]
    return np.ndarray(layout.sizes, data.dtype, data, layout.offset * data.itemsize, strides)


def torch(case: Case, buffers: Buffers, threads: int) -> Move | None:
    """`copy_` between strided views; PyTorch has no negative strides."""
    if min(case.source.strides) < 0 or not find_spec("torch"):
        return None
    import torch

    torch.set_num_threads(threads)
    from_view, to_view = (
        torch.from_numpy(data).as_strided(layout.sizes, layout.strides, layout.offset)
        for layout, data in ((case.source, buffers.source), (case.destination, buffers.destination))
    )
    return partial(to_view.copy_, from_view)


def onnxruntime(case: Case, buffers: Buffers, threads: int) -> Move | None:
    """The one operator that does the same, from and to memory that is there already."""
    name = buffers.source.dtype.name
    if case.onnx is None or name not in ELEMENT_TYPES or not find_spec("onnxruntime"):
        return None
    import onnxruntime as runtime

    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    try:
        session = runtime.InferenceSession(model(case, name), options, providers=["CPUExecutionProvider"])
    except Exception:  # the runtime raises its own classes for types an operator does not take
        return None
    binding = session.io_binding()
    for side, data, sizes in (
        ("input", buffers.source, case.source_sizes),
        ("output", buffers.destination, case.destination.sizes),
    ):
        bind = binding.bind_input if side == "input" else binding.bind_output
        bind("x" if side == "input" else "y", "cpu", 0, data.dtype.type, sizes, data.ctypes.data)
    return partial(session.run_with_iobinding, binding)


COPY, OURS, ONE_THREAD, POSITIVE = "copy", "anydml", "anydml, 1 thread", "anydml, positive strides"
PEERS = {"NumPy": numpy, "PyTorch": torch, "ONNX Runtime": onnxruntime}
LIMIT = "fastest copy"
CONTENDERS = {COPY: copy, LIMIT: fastest_copy, OURS: anydml, ONE_THREAD: anydml_one_thread, **PEERS}
