"""Timing on a GPU: events around every repetition, contenders taking turns, medians."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.util import find_spec
from statistics import geometric_mean, median
from typing import Any

from anydml.bench.patterns import Case, Pattern
from anydml.core.datatype import DataType
from anydml.core.errors import InvalidDescriptionError
from anydml.core.expression import load
from anydml.core.layout import Layout
from anydml.core.steps import Access, Nest, Store

Work = Callable[[], object]
SECTOR_BYTES = 32
"""What a GPU's memory reads and writes at least."""
COPY, OURS, POSITIVE = "copy", "anydml", "anydml, positive strides"


def seconds_of(works: Mapping[str, Work], repeat: int) -> dict[str, float]:
    """The median time of each, on the current stream."""
    import cupy

    taken: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work()
        work()
    for _ in range(repeat):
        for name, work in works.items():
            start, end = cupy.cuda.Event(), cupy.cuda.Event()
            start.record()
            work()
            end.record()
            end.synchronize()
            taken[name].append(cupy.cuda.get_elapsed_time(start, end) * 1e-3)
    return {name: median(each) for name, each in taken.items()}


@dataclass(frozen=True)
class MoveResult:
    """One pattern of one type: seconds of each contender."""

    pattern: str
    type_name: str
    kernel: str
    payload_bytes: int
    touched_bytes: int
    """Memory read and written, halved: more than the payload where whole sectors hold elements that are not moved."""
    seconds: dict[str, float]

    def fraction(self, name: str = OURS) -> float:
        """Payload per second, as a fraction of the copy's."""
        return self.seconds[COPY] / self.seconds[name]

    @property
    def touched_fraction(self) -> float:
        return self.fraction() * self.touched_bytes / self.payload_bytes


@dataclass(frozen=True)
class MoveRun:
    """All results, and where they were taken."""

    machine: str
    size_bytes: int
    results: list[MoveResult] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def machine() -> str:
    from anydml.runtime.backend import find_backend

    parts = [find_backend("cuda").driver.describe()]  # type: ignore[attr-defined]
    for package in ("cupy", "torch"):
        if find_spec(package):
            parts.append(f"{package} {__import__(package).__version__}")
    return ", ".join(parts)


def measure_moves(pattern: Pattern, size_bytes: int, data_type: DataType, repeat: int, peers: bool) -> MoveResult:
    import cupy

    element = data_type.element_bytes
    case = pattern.build(size_bytes // element, element)
    source, destination = (_buffer(layout, data_type) for layout in (case.source, case.destination))
    payload = case.destination.logical_element_count * element
    copies = source if source.nbytes >= payload else cupy.zeros(payload, cupy.uint8)
    works: dict[str, Work] = {COPY: _copy(copies, destination, payload), OURS: _ours(case, source, destination)}
    if pattern.positive is not None:
        works[POSITIVE] = _ours(pattern.positive(size_bytes // element, element), source, destination)
    if peers:
        works["CuPy"] = _cupy(case, source, destination)
        torch = _torch(case, source, destination)
        works |= {} if torch is None else {"PyTorch": torch}
    return MoveResult(
        pattern.name,
        data_type.name.lower(),
        _kernel(case, data_type),
        payload,
        _touched(case, element),
        seconds_of(works, repeat),
    )


def _buffer(layout: Layout, data_type: DataType) -> Any:
    import cupy

    reach = sum((size - 1) * stride for size, stride in zip(layout.sizes, layout.strides, strict=True) if stride > 0)
    return cupy.ones(layout.offset + reach + 1, data_type.numpy_dtype)


def _copy(source: Any, destination: Any, payload: int) -> Work:
    import cupy

    stream = cupy.cuda.get_current_stream().ptr
    target = destination.data.ptr
    return partial(cupy.cuda.runtime.memcpyAsync, target, source.data.ptr, min(payload, destination.nbytes), 3, stream)


def nest_of(case: Case, data_type: DataType) -> Nest:
    """The move as a step."""
    read = Access(0, data_type, case.source.strides, case.source.offset)
    written = Access(1, data_type, case.destination.strides, case.destination.offset)
    return Nest(case.source.sizes, (read,), (Store(written, load(0, data_type.numpy_dtype)),))


def _ours(case: Case, source: Any, destination: Any) -> Work:
    from anydml.runtime.backend import find_backend
    from anydml.runtime.cuda.moves import kernel_of

    kernel = kernel_of(nest_of(case, DataType.parse(source.dtype)))
    driver = find_backend("cuda").driver  # type: ignore[attr-defined]
    run: Work = driver.launcher(kernel.launch([destination.data.ptr, source.data.ptr]))
    return run


def _kernel(case: Case, data_type: DataType) -> str:
    from anydml.runtime.cuda.moves import MoveKernel, kernel_of

    kernel = kernel_of(nest_of(case, data_type))
    specials = kernel.specials if isinstance(kernel, MoveKernel) else []
    return type(specials[0]).__name__.removesuffix("Kernel").lower() if specials else "rows"


def _touched(case: Case, element: int) -> int:
    """A sector of which some elements are written is read first: the others stay as they are."""
    from anydml.runtime.moves.plan import plan_move

    plan = plan_move(case.source, case.destination, element)
    nearest = min(abs(loop.destination_stride) for loop in (*plan.outer, *plan.inner) if loop.size > 1)
    has_gaps = plan.element_bytes < nearest < SECTOR_BYTES
    written = plan_move(case.destination, case.destination, element).touched_bytes
    return plan.touched_bytes + (written // 2 if has_gaps else 0)


def _cupy(case: Case, source: Any, destination: Any) -> Work:
    import cupy

    views = [
        cupy.ndarray(
            layout.sizes,
            data.dtype,
            data.data + layout.offset * data.itemsize,
            [s * data.itemsize for s in layout.strides],
        )
        for layout, data in ((case.destination, destination), (case.source, source))
    ]
    return partial(cupy.copyto, *views)


def _torch(case: Case, source: Any, destination: Any) -> Work | None:
    """`copy_` between strided views; PyTorch has no negative strides."""
    if min(case.source.strides) < 0 or not find_spec("torch"):
        return None
    import torch

    views = [
        torch.from_dlpack(data).as_strided(layout.sizes, layout.strides, layout.offset)
        for layout, data in ((case.destination, destination), (case.source, source))
    ]
    return partial(views[0].copy_, views[1])


def move_table(results: list[MoveResult]) -> str:
    """A line per pattern: fractions of the copy."""
    names = [name for name in (OURS, "PyTorch", "CuPy") if any(name in result.seconds for result in results)]
    lines = [f"{'pattern':<40} {'kernel':<9} {'copy GB/s':>9} {'touched':>8} " + " ".join(f"{n:>8}" for n in names)]
    for result in results:
        rate = result.payload_bytes / result.seconds[COPY] / 1e9
        cells = [f"{result.fraction(name):8.3f}" if name in result.seconds else f"{'-':>8}" for name in names]
        lines.append(
            f"{result.pattern:<40} {result.kernel:<9} {rate:9.0f} {result.touched_fraction:8.3f} {' '.join(cells)}"
        )
    return "\n".join(lines)


def move_goals(results: list[MoveResult]) -> list[str]:
    """What a run says in a few numbers."""
    fractions = {result.pattern: result.touched_fraction for result in results}
    worst = min(fractions, key=lambda name: fractions[name])
    mean = f"geometric mean {geometric_mean(fractions.values()):.3f} of copy by bytes touched"
    lines = [f"{mean}, worst {fractions[worst]:.3f} ({worst})"]
    for result in results:
        if POSITIVE in result.seconds:
            ratio = result.seconds[POSITIVE] / result.seconds[OURS]
            lines.append(f"{result.pattern}: {ratio:.3f} of the same with positive strides")
        for peer in ("PyTorch", "CuPy"):
            if peer in result.seconds and result.seconds[peer] < result.seconds[OURS]:
                lines.append(
                    f"{result.pattern}: slower than {peer} ({result.seconds[peer] / result.seconds[OURS]:.3f})"
                )
    return lines


def fits(pattern: Pattern, size_bytes: int, data_type: DataType) -> bool:
    """Whether the pattern's tensors have no more elements than a tensor may."""
    element = data_type.element_bytes
    try:
        pattern.build(size_bytes // element, element)
    except InvalidDescriptionError:
        return False
    return True


def move_text(run: MoveRun) -> str:
    """All types of a run, each with what it says in a few numbers."""
    parts = [f"{run.machine}; {run.size_bytes >> 20} MiB of payload"]
    for name in dict.fromkeys(result.type_name for result in run.results):
        results = [result for result in run.results if result.type_name == name]
        parts += ["", f"{name}, payload as a fraction of the copy's", move_table(results), *move_goals(results)]
    return "\n".join(parts)
