"""A run as text: a table, geometric means, and the goals it meets or misses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import geometric_mean

from anydml.bench.contenders import COPY, ONE_THREAD, OURS, PEERS, POSITIVE
from anydml.bench.measure import Lead, Result, Run, mean_fraction
from anydml.bench.patterns import PATTERNS
from anydml.bench.text import aligned

NOISE = 0.05
"""Speeds closer than this, or than chance can bring them, are taken as equal."""
LARGE_BYTES = 32 << 20
_TRANSPOSES = {pattern.name for pattern in PATTERNS if pattern.is_transpose}


def table(results: list[Result]) -> str:
    """One line a pattern: rates in GB/s of payload, ours also as a fraction of the copy."""
    peers = [peer for peer in PEERS if any(peer in result.timings for result in results)]
    heads = ["pattern", "kernel", "copy", "anydml", "+-", "of copy", "of limit", "1 thread", *peers]
    rows = [heads, *(_cells(result, peers) for result in results)]
    lines = aligned(rows, left=2)
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:], "", _means(results, peers)])


def _cells(result: Result, peers: list[str]) -> list[str]:
    ours = result.timings[OURS]
    cells = [result.pattern, result.kernel, f"{result.rate(COPY):.2f}", f"{result.rate(OURS):.2f}"]
    cells += [f"{ours.spread:.0%}", f"{result.fraction(OURS):.2f}", f"{result.part_of_limit:.2f}"]
    cells.append(f"{result.rate(ONE_THREAD):.2f}")
    return cells + [f"{result.rate(peer):.2f}" if peer in result.timings else "-" for peer in peers]


def _means(results: list[Result], peers: list[str]) -> str:
    parts = [f"anydml {mean_fraction(results, OURS):.2f}", f"1 thread {mean_fraction(results, ONE_THREAD):.2f}"]
    for peer in peers:
        with_peer = [result for result in results if peer in result.timings]
        theirs, ours = mean_fraction(with_peer, peer), mean_fraction(with_peer, OURS)
        parts.append(f"{peer} {theirs:.2f} (anydml on the same {len(with_peer)}: {ours:.2f})")
    return "geometric means of copy: " + ", ".join(parts)


def goals(run: Run) -> list[str]:
    """PASS or MISS for each goal that this run can tell about: those of a type need all its patterns, at a size
    that no cache holds."""
    lines: list[str] = []
    checks: dict[str, Callable[[list[Result]], Iterator[str]]] = {
        "float32": _float32_goals,
        "uint8": _uint8_goals,
        "float16": lambda results: _mean_goal(results, "float16", 0.5),
        "float64": lambda results: _mean_goal(results, "float64", 0.7),
    }
    for type_name, check in checks.items():
        results = run.of_type(type_name)
        if len(results) == len(PATTERNS) and run.size_bytes >= LARGE_BYTES:
            lines += check(results)
    return [*lines, *_time_goals(run)]


def _verdict(passed: bool, text: str) -> str:
    return f"{'PASS' if passed else 'MISS'}  {text}"


def _mean_goal(results: list[Result], name: str, least: float) -> Iterator[str]:
    mean = mean_fraction(results, OURS)
    yield _verdict(mean >= least, f"{name}: geometric mean {mean:.2f} of copy, at least {least:.2f}")


def _float32_goals(results: list[Result]) -> Iterator[str]:
    yield from _mean_goal(results, "float32", 0.7)
    worst = min(results, key=lambda result: result.fraction(OURS))
    found = worst.fraction(OURS)
    yield _verdict(found >= 0.45, f"float32: worst {found:.2f} of copy ({worst.pattern}), at least 0.45")
    leads = [(result.pattern, _beside_best(result)) for result in results]
    behind = [f"{name} {_lead_text(lead)}" for name, lead in leads if lead.median + max(NOISE, lead.noise) < 1]
    closest, least = min(leads, key=lambda entry: entry[1].median)
    text = f"behind on {', '.join(behind)}" if behind else f"least lead {_lead_text(least)} ({closest})"
    yield _verdict(not behind, f"float32: at least as fast as the fastest peer on every pattern: {text}")
    yield from _limit_goals(results)
    one = mean_fraction(results, ONE_THREAD) / mean_fraction(results, OURS)
    yield _verdict(one >= 0.6, f"float32: one thread {one:.2f} of all threads, at least 0.60")
    yield from _negative_goals(results)


def _limit_goals(results: list[Result]) -> Iterator[str]:
    """Beside the fastest contiguous copy on all cores."""
    transposes = [result for result in results if result.pattern in _TRANSPOSES]
    for name, chosen, least in (("all patterns", results, 0.85), ("transposes", transposes, 0.75)):
        mean = geometric_mean([result.part_of_limit for result in chosen])
        yield _verdict(mean >= least, f"float32: {name} {mean:.2f} of the limit, at least {least:.2f}")


def _beside_best(result: Result) -> Lead:
    """Our speed beside the fastest peer's."""
    return min((result.leads[peer] for peer in PEERS if peer in result.leads), key=lambda lead: lead.median)


def _lead_text(lead: Lead) -> str:
    return f"{lead.median:.2f} +- {lead.noise:.2f}"


def _negative_goals(results: list[Result]) -> Iterator[str]:
    for result in results:
        if POSITIVE in result.leads:
            ratio = result.leads[POSITIVE].median
            text = f"float32: {result.pattern} {ratio:.2f} of the same with positive strides, at least 0.90"
            yield _verdict(ratio >= 0.9, text)


def _uint8_goals(results: list[Result]) -> Iterator[str]:
    yield from _mean_goal(results, "uint8", 0.35)
    transposes = [result for result in results if result.pattern in _TRANSPOSES and "PyTorch" in result.timings]
    if transposes:
        lead = mean_fraction(transposes, OURS) / mean_fraction(transposes, "PyTorch")
        yield _verdict(lead >= 5, f"uint8: {lead:.1f} times PyTorch on the transposes, at least 5")


def _time_goals(run: Run) -> Iterator[str]:
    use, dispatch = run.first_use, run.dispatch_seconds * 1e6
    others = f"{use.from_disk * 1e3:.0f} ms from disk; loading LLVM, once a process, {use.loading * 1e3:.0f} ms"
    yield _verdict(use.compiled < 0.06, f"first use of a plan {use.compiled * 1e3:.0f} ms, below 60 ({others})")
    yield _verdict(dispatch < 15, f"dispatch of a prepared 1 KiB slice {dispatch:.1f} us, below 15")
