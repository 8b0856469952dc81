"""Arithmetic on a GPU: operators, products, convolutions and networks, beside PyTorch in the same run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import anydml as dml
from anydml.bench.gpu import OURS, Work, seconds_of
from anydml.bench.gpu_networks import NETWORKS
from anydml.runtime.native import cache

SIDE = 16384
"""Rows and columns of the tensors of pointwise operators and reductions."""
PEER, RECORDED = "PyTorch", "PyTorch, CUDA graph"
CONVOLUTIONS = (
    (1, 64, 64, 3, 56, 1, 1),
    (32, 64, 64, 3, 56, 1, 1),
    (32, 256, 256, 3, 14, 1, 1),
    (32, 64, 256, 1, 56, 1, 1),
    (32, 3, 64, 7, 224, 2, 1),
    (32, 96, 96, 3, 112, 1, 96),
)
"""Batch, input and output channels, window, size, stride and groups."""


@dataclass(frozen=True)
class ComputeResult:
    """One case: seconds of each contender."""

    name: str
    seconds: dict[str, float]
    copies: float | None = None
    """Our time in times of a copy of the same tensor."""
    bound: float | None = None
    """The least that this could be: memory read and written."""
    difference: float | None = None
    """The largest difference from PyTorch's result, by its largest magnitude."""


@dataclass(frozen=True)
class ComputeRun:
    machine: str
    launch_seconds: float
    first_use_seconds: list[float]
    results: list[ComputeResult] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def measure_all(repeat: int, machine: str) -> ComputeRun:
    import torch

    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    run = ComputeRun(machine, launch_seconds(), first_use_seconds())
    with torch.no_grad():
        for part in (_pointwise, _products, _convolutions, _networks):
            run.results.extend(part(repeat))
    return run


def bound_to(compiled: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> Work:
    """A prepared operator: checked once, started as often as wanted."""
    table = compiled.device.create_binding_table(compiled)
    table.bind_inputs([*inputs, *[None] * (len(compiled.inputs) - len(inputs))])
    table.bind_outputs(outputs)
    dispatch: Work = table.dispatch
    return dispatch


def launch_seconds(count: int = 2000) -> float:
    """What starting a prepared operator takes the processor."""
    import cupy

    x, y = (cupy.zeros(256, cupy.float32) for _ in range(2))
    work = bound_to(dml.Device("cuda").compile(dml.ActivationRelu(input_tensor=_tensor("f4", [256]))), [x], [y])
    for _ in range(100):
        work()
    cupy.cuda.Device().synchronize()
    start = perf_counter()
    for _ in range(count):
        work()
    taken = perf_counter() - start
    cupy.cuda.Device().synchronize()
    return taken / count


@contextmanager
def _empty_cache() -> Iterator[None]:
    """Kernels are looked for in a folder that holds none."""
    kept = os.environ.get(cache.VARIABLE)
    with TemporaryDirectory() as folder:
        os.environ[cache.VARIABLE] = folder
        try:
            yield
        finally:
            del os.environ[cache.VARIABLE]
            os.environ |= {} if kept is None else {cache.VARIABLE: kept}


def first_use_seconds() -> list[float]:
    """First runs of three moves whose kernels were never compiled."""
    from anydml.runtime.cuda.compiler import compile_text
    from anydml.runtime.cuda.text.prelude import PRELUDE

    compile_text(PRELUDE, "90")  # loads NVRTC
    with _empty_cache():
        return [_first_move(*move) for move in (((700, 500), (1, 700)), ((3, 70000), (1, 3)), ((100, 1000), (2000, 1)))]


def _first_move(sizes: tuple[int, int], strides: tuple[int, int]) -> float:
    import cupy

    start = perf_counter()
    source = dml.TensorDesc("UINT16", list(sizes), strides=list(strides))
    run = dml.Device("cuda").compile(
        dml.ElementWiseIdentity(input_tensor=source, output_tensor=dml.TensorDesc("UINT16", list(sizes)))
    )
    buffers = [cupy.zeros(port.total, cupy.uint8) for port in (run.inputs[0], run.outputs[0])]
    run(buffers[0], output_tensor=buffers[1])
    cupy.cuda.Device().synchronize()
    return perf_counter() - start


def _tensor(kind: str, sizes: Sequence[int], **more: Any) -> dml.TensorDesc:
    return dml.TensorDesc({"f4": "FLOAT32", "f2": "FLOAT16"}[kind], list(sizes), **more)


def _random(sizes: Sequence[int], kind: str = "f4") -> Any:
    import cupy

    return cupy.random.standard_normal(tuple(sizes), dtype=cupy.float32).astype(kind)


def _result(
    name: str, ours: Work, theirs: Work, repeat: int, base: float = 0, bound: float | None = None
) -> ComputeResult:
    seconds = seconds_of({OURS: ours, PEER: theirs}, repeat)
    return ComputeResult(name, seconds, seconds[OURS] / base if base else None, bound)


def _pointwise(repeat: int) -> Iterator[ComputeResult]:
    import cupy
    import torch

    device, tensor = dml.Device("cuda"), _tensor("f4", [SIDE, SIDE])
    x, y, row, out = _random([SIDE, SIDE]), _random([SIDE, SIDE]), _random([SIDE]), _random([SIDE, SIDE])
    a, b, r, o = (torch.from_dlpack(each) for each in (x, y, row, out))
    copy = lambda: cupy.cuda.runtime.memcpyAsync(out.data.ptr, x.data.ptr, x.nbytes, 3, 0)  # noqa: E731
    base = seconds_of({"copy": copy}, repeat)["copy"]
    reduced: Callable[[Any, int], Any] = lambda name, axis: dml.Reduce(  # noqa: E731
        function=name, input_tensor=tensor, axes=[axis]
    )
    one = _tensor("f4", [1, SIDE])
    normalized = dml.MeanVarianceNormalization1(
        input_tensor=tensor, scale_tensor=one, bias_tensor=one, axes=[1], normalize_variance=True, epsilon=1e-5
    )
    norm = torch.nn.functional.layer_norm
    cases: list[tuple[str, Any, list[Any], Work, float]] = [
        ("add", dml.ElementWiseAdd(a_tensor=tensor, b_tensor=tensor), [x, y], lambda: torch.add(a, b, out=o), 1.5),
        ("GELU", dml.ActivationGelu(input_tensor=tensor), [x], lambda: torch.nn.functional.gelu(a), 1),
        ("tanh", dml.ActivationTanh(input_tensor=tensor), [x], lambda: torch.tanh(a, out=o), 1),
        ("softmax", dml.ActivationSoftmax1(input_tensor=tensor, axes=[1]), [x], lambda: torch.softmax(a, 1), 1),
        ("layer normalization", normalized, [x, row, row], lambda: norm(a, (SIDE,), r, r, 1e-5), 1),
        ("sum of rows", reduced("SUM", 1), [x], lambda: torch.sum(a, 1), 0.5),
        ("maximum of rows", reduced("MAX", 1), [x], lambda: torch.amax(a, 1), 0.5),
        ("sum of columns", reduced("SUM", 0), [x], lambda: torch.sum(a, 0), 0.5),
        ("maximum of columns", reduced("MAX", 0), [x], lambda: torch.amax(a, 0), 0.5),
    ]
    for name, operator, inputs, theirs, bound in cases:
        run = device.compile(operator)
        target = out if run.outputs[0].total == out.nbytes else _random([SIDE])
        yield _result(name, bound_to(run, inputs, [target]), theirs, repeat, base, bound)
    chain = device.compile_graph(_chain(tensor))
    theirs = lambda: torch.sigmoid((a + r) * b) * a  # noqa: E731
    yield _result("chain of four", bound_to(chain, [x, row, y], [out]), theirs, repeat, base, 1.5)


def _chain(tensor: dml.TensorDesc) -> dml.Graph:
    """sigmoid((x + row) * y) * x"""
    row = _tensor("f4", [SIDE, SIDE], strides=[0, 1])
    nodes = [
        dml.ElementWiseAdd(a_tensor=tensor, b_tensor=row),
        dml.ElementWiseMultiply(a_tensor=tensor, b_tensor=tensor),
        dml.ActivationSigmoid(input_tensor=tensor),
        dml.ElementWiseMultiply(a_tensor=tensor, b_tensor=tensor),
    ]
    inputs, inner = [(0, 0, 0), (1, 0, 1), (2, 1, 1), (0, 3, 1)], [(0, 0, 1, 0), (1, 0, 2, 0), (2, 0, 3, 0)]
    return dml.Graph(nodes, inputs, [(3, 0, 0)], inner)


def _products(repeat: int) -> Iterator[ComputeResult]:
    import torch

    for kind in ("f4", "f2"):
        for side in (1024, 4096, 8192):
            x, y, out = (_random([side, side], kind) for _ in range(3))
            tensor = _tensor(kind, [side, side])
            run = dml.Device("cuda").compile(dml.Gemm(a_tensor=tensor, b_tensor=tensor))
            a, b, o = (torch.from_dlpack(each) for each in (x, y, out))
            theirs: Work = partial(torch.mm, a, b, out=o)
            yield _result(f"GEMM {_long(kind)} {side}", bound_to(run, [x, y], [out]), theirs, repeat)


def _convolutions(repeat: int) -> Iterator[ComputeResult]:
    import torch

    for kind in ("f4", "f2"):
        for batch, depth, channels, window, size, stride, groups in CONVOLUTIONS:
            x, weights = (
                _random([batch, depth, size, size], kind),
                _random([channels, depth // groups, window, window], kind),
            )
            padding = [window // 2] * 2
            operator = dml.Convolution(
                input_tensor=_tensor(kind, x.shape),
                filter_tensor=_tensor(kind, weights.shape),
                strides=[stride] * 2,
                start_padding=padding,
                end_padding=padding,
                group_count=groups,
            )
            run = dml.Device("cuda").compile(operator)
            a, w = torch.from_dlpack(x), torch.from_dlpack(weights)
            theirs: Any = partial(torch.conv2d, a, w, None, stride, padding, 1, groups)
            out = _random(theirs().shape, kind)
            ours = bound_to(run, [x, weights], [out])
            of = f" of {groups} groups" if groups > 1 else ""
            text = f"{_long(kind)} convolution {batch}x{depth}->{channels} {window}x{window}/{stride} {size}{of}"
            result = _result(text, ours, theirs, repeat)
            yield ComputeResult(text, result.seconds, difference=_difference(out, theirs()))


def _networks(repeat: int) -> Iterator[ComputeResult]:
    import cupy
    import torch

    for name, (make, sizes) in NETWORKS.items():
        net, x = make(), _random(sizes)
        run = dml.Device("cuda").compile_graph(net.graph())
        out = cupy.empty(run.outputs[0].total // 4, cupy.float32)
        a, ours = torch.from_dlpack(x), bound_to(run, [x], [out])
        theirs: Any = partial(net.run_torch, a)
        with torch.cuda.stream(torch.cuda.Stream()):
            theirs()
        torch.cuda.synchronize()
        recorded = torch.cuda.CUDAGraph()
        with torch.cuda.graph(recorded):
            theirs()
        seconds = seconds_of({OURS: ours, PEER: theirs, RECORDED: recorded.replay}, 3 * repeat)
        yield ComputeResult(name, seconds, difference=_difference(out, theirs()))


def _difference(ours: Any, theirs: Any) -> float:
    import torch

    found = torch.from_dlpack(ours).reshape(-1).double() - theirs.reshape(-1).double()
    return float(found.abs().max() / theirs.abs().max().double())


def _long(kind: str) -> str:
    return {"f4": "float32", "f2": "float16"}[kind]


def compute_table(run: ComputeRun) -> str:
    """A line per case: microseconds, and how many times as long PyTorch takes."""
    lines = [f"{'case':<52} {'anydml':>10} {'PyTorch':>10} {'ratio':>6}  more"]
    for result in run.results:
        ours, theirs = result.seconds[OURS], result.seconds[PEER]
        more = [] if result.copies is None else [f"{result.copies:.2f} copies (bound {result.bound})"]
        if RECORDED in result.seconds:
            more.append(f"PyTorch as a CUDA graph {result.seconds[RECORDED] * 1e6:.0f}")
        if result.difference is not None:
            more.append(f"difference {result.difference:.0e}")
        cells = f"{ours * 1e6:10.1f} {theirs * 1e6:10.1f} {theirs / ours:6.2f}"
        lines.append(f"{result.name:<52} {cells}  {', '.join(more)}")
    uses = ", ".join(f"{seconds * 1e3:.0f}" for seconds in run.first_use_seconds)
    lines.append(
        f"launch of a prepared operator {run.launch_seconds * 1e6:.1f} us; first use of move kernels {uses} ms"
    )
    return "\n".join(lines)
