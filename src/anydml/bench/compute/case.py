"""What is measured: a case builds, for a size, a function for each contender that does the same work once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.bench.onnx_model import Constant, OnnxNode, write_model
from anydml.core.schema import Operator
from anydml.graph.graph import Graph

Array = npt.NDArray[Any]
Work = Callable[[], object]
OURS, NUMPY, TORCH, ONNX = "anydml", "NumPy", "PyTorch", "ONNX Runtime"
PEERS = (NUMPY, TORCH, ONNX)


@dataclass(frozen=True)
class Problem:
    """The same work for each contender, and how much it is."""

    work: dict[str, Work]
    results: dict[str, Callable[[], Array]]
    """What each contender has written, to be compared; of whole runs, in the same order of elements."""
    touched_bytes: int = 0
    """What must be read and written once: its share of the machine's bandwidth is stated."""
    operations: int = 0
    """Multiplications and additions: their share of the machine's peak is stated. 0 for what memory limits."""
    tolerance: float = 1e-5
    """How far results may lie from ours, as a part of the largest number."""


@dataclass(frozen=True)
class Goal:
    """What a run must show: the least speed beside a peer, for each case, and in the geometric mean."""

    each: float
    mean: float | None = None
    peer: str | None = None
    """Beside whom; None for the best."""


@dataclass(frozen=True)
class Case:
    """One line of the report."""

    family: str
    name: str
    build: Callable[[int, int], Problem]
    """From bytes of payload and a number of threads; cases of fixed sizes take no notice of the bytes."""
    is_sized: bool = True
    """Whether the case depends on the bytes of payload."""
    beside: str | None = None
    """A case of the same family that this one is compared with."""
    least_beside: float = 1 / 1.3
    """The speed beside that case that is wanted, at least."""


@dataclass(frozen=True)
class Family:
    name: str
    cases: tuple[Case, ...]
    goals: Mapping[str, Goal] = field(default_factory=dict)
    """By the start of a case's name; "" is for all others."""

    def goal(self, case: str) -> Goal | None:
        fitting = [start for start in self.goals if case.startswith(start)]
        return self.goals[max(fitting, key=len)] if fitting else None


# Making contenders


def random(sizes: Sequence[int] | int, seed: int = 0) -> Array:
    numbers = zeros(sizes)
    np.random.default_rng(seed).standard_normal(dtype=np.float32, out=numbers)
    return numbers


def zeros(sizes: Sequence[int] | int, type: npt.DTypeLike = np.float32) -> Array:
    """An array in memory as the runtime allocates it, which begins at a line; NumPy's begins 16 bytes after one."""
    from anydml.runtime.host import HostMemory

    kind = np.dtype(type)
    memory = HostMemory().allocate(int(np.prod(sizes)) * kind.itemsize).data
    assert memory is not None
    memory[:] = 0
    return memory.view(kind).reshape(sizes)


def ours(subject: Operator | Graph, inputs: Sequence[Array], outputs: Sequence[Array], threads: int) -> Work:
    """A bound table, as a program that runs often would use it."""
    import anydml as dml
    from anydml.runtime.native.threads import set_threads

    set_threads(threads)
    device = dml.Device("cpu")
    compiled = device.compile_graph(subject) if isinstance(subject, Graph) else device.compile(subject)
    table = device.create_binding_table(compiled)
    table.bind_inputs([as_bytes(array) for array in inputs])
    table.bind_outputs([as_bytes(array) for array in outputs])
    return table.dispatch


def as_bytes(array: Array) -> Array:
    return array.reshape(-1).view(np.uint8)


def torch(work: Callable[..., object], *arrays: Array, threads: int) -> Work | None:
    """`work(torch, *tensors)` over the arrays' memory, if PyTorch is here."""
    if not find_spec("torch"):
        return None
    import torch

    torch.set_num_threads(threads)
    return partial(work, torch, *(torch.from_numpy(array) for array in arrays))


def onnx(
    nodes: Sequence[OnnxNode],
    inputs: Mapping[str, Array],
    outputs: Mapping[str, Array],
    threads: int,
    constants: Sequence[tuple[str, Constant]] = (),
) -> Work | None:
    """A model from and to memory that is there already, if ONNX Runtime is here."""
    if not find_spec("onnxruntime"):
        return None
    import onnxruntime as runtime

    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    read, written = ([(name, a.dtype.name, a.shape) for name, a in side.items()] for side in (inputs, outputs))
    data = write_model(nodes, read, written, constants)
    try:
        session = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception:  # the runtime raises its own classes for what it does not have
        return None
    binding = session.io_binding()
    for bind, side in ((binding.bind_input, inputs), (binding.bind_output, outputs)):
        for name, a in side.items():
            bind(name, "cpu", 0, a.dtype.type, a.shape, a.ctypes.data)
    return partial(session.run_with_iobinding, binding)


def problem(
    work: Mapping[str, Work | None], results: Mapping[str, Array | Callable[[], Array]], **more: Any
) -> Problem:
    """Of the contenders that are here."""
    present = {name: each for name, each in work.items() if each is not None}
    read = {name: (lambda array=r: array) if isinstance(r, np.ndarray) else r for name, r in results.items()}
    return Problem(present, {name: read[name] for name in present}, **more)
