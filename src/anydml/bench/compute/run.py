"""Measuring cases: contenders take turns, and everybody's results are compared before anything is timed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from time import perf_counter

import numpy as np

from anydml.bench.compute.case import OURS, PEERS, Array, Case, Problem, Work
from anydml.bench.compute.families import family
from anydml.bench.measure import Lead, Timing, loops_for, rest, time_of

BESIDE = "beside"
COPY_BYTES = 64 << 20
WARM_SECONDS = 15e-3


@dataclass(frozen=True)
class Result:
    """One case at one size: what each contender took."""

    family: str
    name: str
    size_bytes: int
    touched_bytes: int
    operations: int
    timings: dict[str, Timing]
    leads: dict[str, Lead]
    """Our speed beside each peer's."""
    differs: list[str]
    """Contenders whose results are not ours."""
    beside: Lead | None = None
    """Our speed beside ours in the case that this one is compared with."""

    @property
    def best_peer(self) -> str | None:
        present = [peer for peer in PEERS if peer in self.timings]
        return min(present, key=lambda peer: self.timings[peer].median, default=None)

    @property
    def lead(self) -> Lead | None:
        """Our speed beside the best peer's."""
        best = self.best_peer
        return None if best is None else self.leads[best]


@dataclass(frozen=True)
class Limits:
    """What the machine can do at best: bytes per second that a copy on all cores reads and writes, and multiplications
    and additions of float32 per second (0 where nothing needed them)."""

    copy_rate: float
    peak_rate: float = 0.0


@dataclass(frozen=True)
class Run:
    machine: dict[str, str | int]
    threads: int
    repeat: int
    limits: Limits
    results: list[Result] = field(default_factory=list)

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def measure(case: Case, size: int, contenders: list[str], repeat: int, threads: int) -> Result:
    problem = case.build(size, threads)
    work = {name: each for name, each in problem.work.items() if name in contenders}
    for each in work.values():
        each()
    differs = [name for name in work if name != OURS and not _agree(problem, name)]
    compared = _work_beside(case, size, threads)
    seconds = _take_turns(work | compared, repeat)
    timings = {name: Timing.of(seconds[name]) for name in work}
    leads = {name: Lead.of(taken, seconds[OURS]) for name, taken in seconds.items()}
    beside = leads.pop(BESIDE) if compared else None
    amounts = problem.touched_bytes, problem.operations
    return Result(case.family, case.name, size if case.is_sized else 0, *amounts, timings, leads, differs, beside)


def _work_beside(case: Case, size: int, threads: int) -> dict[str, Work]:
    """Ours of the case that this one is compared with: it takes turns too, as machines change from minute to minute."""
    if case.beside is None:
        return {}
    other = next(each for each in family(case.family).cases if each.name == case.beside)
    return {BESIDE: other.build(size, threads).work[OURS]}


def _take_turns(work: dict[str, Work], repeat: int) -> dict[str, list[float]]:
    """Seconds of each contender, in the same repetitions."""
    loops = {name: loops_for(each) for name, each in work.items()}
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(repeat):
        for name, each in work.items():
            rest()
            _warm(each)
            seconds[name].append(time_of(each, loops[name]))
    return seconds


def _warm(work: Work) -> None:
    """Threads of every contender come back: some systems take milliseconds to give them processors of their own."""
    end = perf_counter() + WARM_SECONDS
    work()
    while perf_counter() < end:
        work()


def _agree(problem: Problem, name: str) -> bool:
    return is_near(problem.results[OURS](), problem.results[name](), problem.tolerance)


def is_near(mine: Array, theirs: Array, tolerance: float) -> bool:
    """Whether all elements lie near, as a part of the largest number; NaN beside NaN."""
    a, b = (array.astype(np.float64).reshape(-1) for array in (mine, theirs))
    if a.shape != b.shape or not np.array_equal(np.isnan(a), np.isnan(b)):
        return False
    with np.errstate(invalid="ignore"):
        finite = np.isfinite(a) & np.isfinite(b)
        largest = max(float(np.max(np.abs(a[finite]), initial=0.0)), 1e-30)
        near = np.abs(a - b) <= tolerance * largest
    return bool(np.all(near | (a == b) | np.isnan(a)))


def copy_rate(repeat: int, threads: int) -> float:
    """Bytes per second, read and written, of the fastest contiguous copy by anybody on all cores."""
    from anydml.bench.compute.case import torch as torch_work
    from anydml.core.datatype import DataType
    from anydml.core.layout import Layout
    from anydml.runtime.moves.engine import prepare

    source = np.ones(COPY_BYTES // 4, np.float32)
    target = np.zeros_like(source)
    layout = Layout((source.size,))
    move = prepare(layout, layout, DataType.FLOAT32, threads=threads)
    copies = [
        lambda: move.run(source.ctypes.data, target.ctypes.data),
        lambda: np.copyto(target, source),
        torch_work(lambda t, a, b: b.copy_(a), source, target, threads=threads),
    ]
    times = []
    for work in copies:
        if work is not None:
            rest()
            work()
            times.append(np.median([time_of(work, 1) for _ in range(repeat)]))
    return float(2 * COPY_BYTES / min(times))
