"""A run of `anydml bench compute` as text: a table, means, and the goals it meets or misses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from statistics import geometric_mean

from anydml.bench.chart import Bar, Group, chart
from anydml.bench.compute.case import OURS, PEERS, Family
from anydml.bench.compute.families import family
from anydml.bench.compute.run import Result, Run
from anydml.bench.measure import Lead


def table(run: Run, results: list[Result]) -> str:
    """A line for each case: milliseconds of each contender, our speed beside the best peer, our part of the limit."""
    rows = _rows(run, results)
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(_aligned(row, widths)) for row in rows]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def page(run: Run) -> str:
    """The same for a page in Markdown."""
    parts = [limits(run), ""]
    for about, results in sections(run):
        first, *rows = _rows(run, results)
        rule = ["---", *("---:" for _ in first[1:])]
        parts += [f"### {about}", "", *(f"| {' | '.join(row)} |" for row in (first, rule, *rows)), ""]
    return "\n".join([*parts, *(f"- {line}" for line in goals(run.results))])


def limits(run: Run) -> str:
    """The machine, and what it can do at best."""
    machine = ", ".join(f"{name} {value}" for name, value in run.machine.items())
    text = f"{machine}; {run.threads} threads; the fastest copy reads and writes {run.limits.copy_rate / 1e9:.1f} GB/s"
    peak = run.limits.peak_rate
    return f"{text}; {peak / 1e9:.0f} GFLOP/s at most" if peak else text


def sections(run: Run) -> Iterator[tuple[str, list[Result]]]:
    """Each family at each size, with its name."""
    for key in dict.fromkeys((result.family, result.size_bytes) for result in run.results):
        yield f"{key[0]}, {size_text(key[1])}", [r for r in run.results if (r.family, r.size_bytes) == key]


def _rows(run: Run, results: list[Result]) -> list[list[str]]:
    peers = [peer for peer in PEERS if any(peer in result.timings for result in results)]
    heads = ["case", "ms", "+-", "of limit", *peers, "beside best"]
    return [heads, *(_cells(run, result, peers) for result in results)]


def _cells(run: Run, result: Result, peers: list[str]) -> list[str]:
    mine = result.timings[OURS]
    part = _part_of_limit(run, result)
    cells = [result.name, _milliseconds(mine.median), f"{mine.spread:.0%}", f"{part:.2f}" if part else "-"]
    for peer in peers:
        mark = " (differs)" if peer in result.differs else ""
        cells.append(_milliseconds(result.timings[peer].median) + mark if peer in result.timings else "-")
    lead = result.lead
    return [*cells, f"{lead.median:.2f}" if lead else "-"]


def _part_of_limit(run: Run, result: Result) -> float:
    return least_seconds(run, result) / result.timings[OURS].median


def least_seconds(run: Run, result: Result) -> float:
    """What a case takes at the machine's bandwidth; at its peak where multiplications and additions are the work. 0
    where that is not known."""
    if result.operations:
        return result.operations / run.limits.peak_rate if run.limits.peak_rate else 0.0
    return result.touched_bytes / run.limits.copy_rate


def picture(run: Run) -> str:
    """A chart of how much of what the machine can do each contender reaches."""
    groups: list[Group] = []
    for about, results in sections(run):
        groups.append(Group(about, {}))
        groups += [Group(each.name, _bars(each, least_seconds(run, each))) for each in results]
    return chart(f"part of the bandwidth or of the peak of this machine, {run.threads} threads", groups)


def _bars(result: Result, least: float) -> dict[str, Bar]:
    return {name: Bar.rate(least, timing) for name, timing in result.timings.items()}


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.4f}" if seconds < 1e-4 else f"{seconds * 1e3:.3f}"


def _aligned(row: list[str], widths: list[int]) -> Iterator[str]:
    for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
        yield cell.ljust(width) if column == 0 else cell.rjust(width)


def goals(results: list[Result]) -> list[str]:
    """PASS or MISS for each goal of the families that were measured."""
    lines: list[str] = []
    for name in dict.fromkeys(result.family for result in results):
        for size in dict.fromkeys(result.size_bytes for result in results if result.family == name):
            chosen = [result for result in results if (result.family, result.size_bytes) == (name, size)]
            lines += [f"{line} [{name}, {size_text(size)}]" for line in _family_goals(family(name), chosen)]
    return lines


def _family_goals(about: Family, results: list[Result]) -> Iterator[str]:
    for start, goal in about.goals.items():
        judged = (result for result in results if about.goal(result.name) is goal)
        beside = {result.name: result.leads.get(goal.peer) if goal.peer else result.lead for result in judged}
        leads = {name: lead for name, lead in beside.items() if lead is not None}
        if not leads:
            continue
        kind, peer = f"{start}: " if start else "", goal.peer or "the best peer"
        slow = [f"{name} {lead.median:.2f}" for name, lead in leads.items() if lead.median + lead.noise < goal.each]
        told = f"slower: {', '.join(slow)}" if slow else _lowest(leads.values(), goal.each)
        yield _verdict(not slow, f"{kind}each at least {goal.each:.2f} of {peer}; {told}")
        if goal.mean is not None:
            mean = geometric_mean([lead.median for lead in leads.values()])
            yield _verdict(mean >= goal.mean, f"{kind}geometric mean {mean:.2f}, at least {goal.mean:.2f}")
    leads_beside = {result.name: result.beside for result in results}
    for case in about.cases:
        lead, least = leads_beside.get(case.name), case.least_beside
        if lead is not None:
            told = f"{case.name}: {_speed(lead, least)} of {case.beside}, at least {least:.2f}"
            yield _verdict(lead.median >= least, told)


def _lowest(leads: Iterable[Lead], least: float) -> str:
    lead = min(leads, key=lambda lead: lead.median)
    unknown = f", which this run cannot tell from {least:.2f}" if lead.median < least else ""
    return f"lowest {_speed(lead, least)}{unknown}"


def _speed(lead: Lead, least: float) -> str:
    """With what chance adds, where that decides."""
    return f"{lead.median:.2f} +- {lead.noise:.2f}" if lead.median < least else f"{lead.median:.2f}"


def _verdict(passed: bool, text: str) -> str:
    return f"{'PASS' if passed else 'MISS'}  {text}"


def size_text(size: int) -> str:
    if not size:
        return "fixed sizes"
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"
