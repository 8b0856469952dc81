"""Timing: repetitions of all contenders take turns, so that a slow moment of the machine meets them all."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import geometric_mean, median
from time import perf_counter, process_time, sleep

import numpy as np

from anydml.bench.contenders import CONTENDERS, COPY, LIMIT, ONE_THREAD, OURS, POSITIVE, Array, Buffers, Move
from anydml.bench.first_use import FirstUse
from anydml.bench.passes import PASSES
from anydml.bench.patterns import Case, Pattern
from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves.engine import PreparedMove, prepare

SHORTEST_SECONDS = 1e-3
"""Shorter moves are repeated within one measurement until it takes about this long."""

PAUSE_SECONDS = 0.04
"""Threads of PyTorch and ONNX Runtime stay awake for up to 30 ms after their work, and would hold a core of the next.
After the pause every contender moves once before it is timed: cores that slept take milliseconds to come back."""

MOST_PAUSES = 8
"""Threads of BLAS stay awake for a tenth of a second and more: so many pauses are made while somebody is awake."""

IDLE_FRACTION = 0.2
"""Of a pause, what threads that sleep may have used of a processor."""

NOTCH = 1.57
"""Times the distance of the quartiles, divided by the root of the count: how far chance may move a median. Box plots
draw it as their notch."""


_clock: Callable[[], float] = perf_counter


def use_processor_time() -> None:
    """From now on, time is what this process takes of the processors: for one thread on a machine that others use."""
    global _clock
    _clock = process_time


@dataclass(frozen=True)
class Timing:
    """Seconds of one move: the median and the quartiles around it."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, seconds: list[float]) -> Timing:
        low, middle, high = np.quantile(seconds, (0.25, 0.5, 0.75))
        return cls(float(middle), float(low), float(high))

    @property
    def spread(self) -> float:
        """The quartiles' distance as a part of the median."""
        return (self.high - self.low) / self.median


@dataclass(frozen=True)
class Lead:
    """Our speed beside a contender's: the median of the ratios within a repetition, because what slows the machine
    slows both, and how far chance may have moved that median."""

    median: float
    noise: float

    @classmethod
    def of(cls, theirs: list[float], ours: list[float]) -> Lead:
        ratios = Timing.of([other / own for other, own in zip(theirs, ours, strict=True)])
        return cls(ratios.median, NOTCH * (ratios.high - ratios.low) / len(ours) ** 0.5)


@dataclass(frozen=True)
class Result:
    """One pattern of one type: what each contender took."""

    pattern: str
    type_name: str
    payload_bytes: int
    kernel: str
    timings: dict[str, Timing]
    ratios: dict[str, float]
    """Of each contender: the speed beside the copy's, the median of the ratios within a repetition."""
    leads: dict[str, Lead]
    read_bytes: int = 0
    written_bytes: int = 0
    """Memory that the move reads and writes, in whole lines."""

    def rate(self, contender: str) -> float:
        """Payload, in GB/s."""
        return self.payload_bytes / self.timings[contender].median / 1e9

    def fraction(self, contender: str) -> float:
        return self.ratios[contender]

    @property
    def part_of_limit(self) -> float:
        """Our speed beside the fastest contiguous copy's on all cores."""
        return self.leads[LIMIT].median


@dataclass(frozen=True)
class Run:
    """All results, and where they were taken."""

    machine: dict[str, str | int]
    size_bytes: int
    threads: int
    first_use: FirstUse
    dispatch_seconds: float
    results: list[Result] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        return asdict(self)

    @property
    def type_names(self) -> list[str]:
        return list(dict.fromkeys(result.type_name for result in self.results))

    def of_type(self, type_name: str) -> list[Result]:
        return [result for result in self.results if result.type_name == type_name]


def mean_fraction(results: Iterable[Result], contender: str) -> float:
    return geometric_mean([result.fraction(contender) for result in results])


def measure(
    pattern: Pattern, size_bytes: int, data_type: DataType, contenders: list[str], repeat: int, threads: int
) -> Result:
    element = data_type.element_bytes
    case = pattern.build(size_bytes // element, element)
    buffers = Buffers(_buffer(case.source, data_type), _buffer(case.destination, data_type))
    made: dict[str, Move | None] = {}
    for name in contenders:
        made[name] = (CONTENDERS | PASSES)[name](case, buffers, threads)
        if name == OURS and pattern.positive:  # right after the one it is compared with
            made[POSITIVE] = CONTENDERS[OURS](pattern.positive(size_bytes // element, element), buffers, threads)
    moves = {name: move for name, move in made.items() if move is not None}
    loops = {name: loops_for(move) for name, move in moves.items()}
    seconds: dict[str, list[float]] = {name: [] for name in moves}
    for _ in range(repeat):
        for name, move in moves.items():
            rest()
            move()
            seconds[name].append(time_of(move, loops[name]))
    ratios = {name: _ratio(seconds[COPY], taken) for name, taken in seconds.items()}
    leads = {name: Lead.of(taken, seconds[OURS]) for name, taken in seconds.items()}
    timings = {name: Timing.of(taken) for name, taken in seconds.items()}
    payload = case.destination.logical_element_count * element
    ours = _prepared(case, data_type)
    touched = ours.plan.read_bytes, ours.plan.written_bytes
    return Result(pattern.name, data_type.name.lower(), payload, ours.kernel, timings, ratios, leads, *touched)


def _ratio(others: list[float], mine: list[float]) -> float:
    return median(other / own for other, own in zip(others, mine, strict=True))


def _prepared(case: Case, data_type: DataType) -> PreparedMove:
    return prepare(case.source, case.destination, data_type)


def _buffer(layout: Layout, data_type: DataType) -> Array:
    """Elements with values, so that every page is there before it is timed."""
    reach = sum((size - 1) * stride for size, stride in zip(layout.sizes, layout.strides, strict=True) if stride > 0)
    return np.ones(layout.offset + reach + 1, data_type.numpy_dtype)


def loops_for(move: Move) -> int:
    """How often a short move is repeated within one measurement. The first call, which may compile, is not
    counted."""
    move()
    return max(1, int(SHORTEST_SECONDS / max(time_of(move, 1), 1e-7)))


def rest() -> None:
    """Waits until the threads of the contender before are asleep."""
    for _ in range(MOST_PAUSES):
        used = process_time()
        sleep(PAUSE_SECONDS)
        if process_time() - used < IDLE_FRACTION * PAUSE_SECONDS:
            return


def time_of(move: Move, loops: int) -> float:
    start = _clock()
    for _ in range(loops):
        move()
    return (_clock() - start) / loops


def contenders_at_hand(peers: bool, passes: bool = False) -> list[str]:
    chosen = list(CONTENDERS) if peers else [COPY, LIMIT, OURS, ONE_THREAD, "NumPy"]
    return chosen + list(PASSES) if passes else chosen


def describe_machine() -> dict[str, str | int]:
    described: dict[str, str | int] = {
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "system": platform.system(),
        "python": platform.python_version(),
    }
    for package in ("numpy", "llvmlite", "torch", "onnxruntime"):
        try:
            described[package] = version(package)
        except PackageNotFoundError:
            continue
    return described


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def dispatch_seconds(calls: int = 2000) -> float:
    """One dispatch of a prepared 1 KiB slice."""
    source, destination = Layout((16, 16), (-64, 2), 1000), Layout((16, 16))
    move = prepare(source, destination, DataType.FLOAT32)
    data, result = np.ones(2048 * 4, np.uint8), np.ones(256 * 4, np.uint8)
    once = partial(move.run_arrays, data, result)
    return median(time_of(once, calls // 20) for _ in range(20))
