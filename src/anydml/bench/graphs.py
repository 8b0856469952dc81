"""Whole networks, measured beside ONNX Runtime: repetitions take turns, results are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import anydml as dml
from anydml.bench.chart import Bar, Group, chart
from anydml.bench.measure import Timing, rest, time_of
from anydml.bench.networks import NETWORKS, Array, Network, Value, operations_of
from anydml.bench.peak import measure_peak
from anydml.files.npy import read_array

OURS, ONNX = "anydml", "ONNX Runtime"
_LARGEST_DIFFERENCE = 1e-4
"""Of results, as a part of the largest number: sums are added up in another order."""
Work = Callable[[], object]


@dataclass(frozen=True)
class Measured:
    """One network: seconds of each contender, and what the plan needs."""

    name: str
    operations: int
    timings: dict[str, Timing]
    temporary_bytes: int
    persistent_bytes: int
    compile_seconds: float
    difference: float | None
    """Between both results, as a part of the largest number."""
    peak_bytes: dict[str, int] = field(default_factory=dict)
    """Of each contender, where it was asked for: what a process grows by while it compiles and runs the network."""

    @property
    def lead(self) -> float | None:
        """The other's time divided by ours."""
        return self.timings[ONNX].median / self.timings[OURS].median if ONNX in self.timings else None


@dataclass(frozen=True)
class GraphRun:
    machine: dict[str, str | int]
    threads: int
    results: list[Measured] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def picture(run: GraphRun) -> str:
    """A chart of how fast each contender runs each network."""
    groups = [
        Group(each.name, {name: Bar.rate(each.operations / 1e9, timing) for name, timing in each.timings.items()})
        for each in run.results
    ]
    return chart(f"GFLOP/s of whole networks, {run.threads} threads", groups, mark=None)


def read_weights(folder: Path) -> dict[str, Array]:
    """The arrays of a folder of .npy files, by the names of the files."""
    return {path.stem: read_array(path) for path in sorted(folder.glob("*.npy"))}


def measure_network(
    name: str, given: Mapping[str, Array], repeat: int, threads: int, with_memory: bool = False
) -> Measured:
    network, output = NETWORKS[name](given)
    x = np.random.default_rng(7).standard_normal(network.input_sizes).astype(np.float32)
    start = perf_counter()
    compiled, work, mine = _ours(network, output, x, threads)
    compile_seconds = perf_counter() - start
    contenders: dict[str, Work] = {OURS: work}
    other = _onnx(network, output, x, threads)
    difference = None
    if other is not None:
        contenders[ONNX], theirs = other
        difference = _difference(contenders, mine, theirs)
    seconds = _alternate(contenders, repeat)
    return Measured(
        name,
        operations_of(network),
        {each: Timing.of(taken) for each, taken in seconds.items()},
        compiled.binding_properties.temporary_resource_size,
        compiled.binding_properties.persistent_resource_size,
        compile_seconds,
        difference,
        _peaks(name, contenders, threads) if with_memory else {},
    )


def _peaks(name: str, contenders: Mapping[str, Work], threads: int) -> dict[str, int]:
    found = {each: measure_peak(name, each, threads) for each in contenders}
    return {each: size for each, size in found.items() if size is not None}


def _ours(network: Network, output: Value, x: Array, threads: int) -> tuple[Any, Work, Array]:
    from anydml.runtime.native.threads import set_threads

    set_threads(threads)
    device = dml.Device("cpu")
    compiled = device.compile_graph(network.graph(output))
    result = np.zeros(output.sizes, np.float32)
    table = device.create_binding_table(compiled)
    table.bind_inputs([x])
    table.bind_outputs([result])
    return compiled, table.dispatch, result


def _onnx(network: Network, output: Value, x: Array, threads: int) -> tuple[Work, Array] | None:
    if not find_spec("onnxruntime"):
        return None
    return _session(network.model(output), output, x, threads)


def _session(data: bytes, output: Value, x: Array, threads: int) -> tuple[Work, Array]:
    import onnxruntime as runtime

    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    session = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    result = np.zeros(output.sizes, np.float32)
    binding = session.io_binding()
    binding.bind_input("x", "cpu", 0, np.float32, x.shape, x.ctypes.data)
    binding.bind_output(output.name, "cpu", 0, np.float32, result.shape, result.ctypes.data)
    return partial(session.run_with_iobinding, binding), result


def prepare_ours(network: Network, output: Value, x: Array, threads: int) -> Work:
    """What runs a network, compiled."""
    return _ours(network, output, x, threads)[1]


def prepare_onnx(network: Network, output: Value, x: Array, threads: int) -> Callable[[], Work] | None:
    """What makes ONNX Runtime's session, with its model in memory; None where it is missing."""
    if not find_spec("onnxruntime"):
        return None
    import onnxruntime  # noqa: F401 - before memory is measured

    data = network.model(output)

    def prepare() -> Work:
        work, result = _session(data, output, x, threads)

        def run() -> Array:
            work()
            return result  # which the session knows by its address alone

        return run

    return prepare


def _difference(contenders: Mapping[str, Work], mine: Array, theirs: Array) -> float:
    for work in contenders.values():
        work()
    found = float(np.abs(mine - theirs).max() / np.abs(theirs).max())
    if not found <= _LARGEST_DIFFERENCE:
        raise RuntimeError(f"results differ by {found:.2g} of the largest number")
    return found


def _alternate(contenders: Mapping[str, Work], repeat: int) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(repeat):
        for name, work in contenders.items():
            rest()
            work()
            seconds[name].append(time_of(work, 1))
    return seconds
