"""What limits a move: how long it must take by what its sides take alone.

Memory reads and writes at the same time, though neither as fast as alone. How much of the shorter side remains beside
the longer one, the contiguous copy tells: nothing moves data in an easier order.
"""

from __future__ import annotations

from statistics import geometric_mean

from anydml.bench.contenders import OURS
from anydml.bench.measure import Result
from anydml.bench.passes import READ, WRITE
from anydml.bench.text import aligned

CONTIGUOUS = "contiguous"


def has_passes(results: list[Result]) -> bool:
    return any(WRITE in result.timings for result in results)


def overhead(results: list[Result]) -> float | None:
    """The part of its shorter side that the contiguous copy takes beside its longer one, from 0 to 1; none where it
    has not been measured."""
    copies = [result for result in results if result.pattern == CONTIGUOUS]
    if not copies or READ not in copies[0].timings:
        return None
    shorter, longer = sorted(_sides(copies[0]))
    return min(1.0, max(0.0, (copies[0].timings[OURS].median - longer) / shorter))


def bound(result: Result, remaining: float) -> float | None:
    """The seconds a move takes whose sides are as fast as alone, and overlap as those of the contiguous copy do."""
    if WRITE not in result.timings:
        return None
    shorter, longer = sorted(_sides(result))
    return longer + remaining * shorter


def _sides(result: Result) -> tuple[float, float]:
    """The seconds of each side alone; a source that stays in a cache takes none."""
    read, write = (result.timings[name].median if name in result.timings else 0.0 for name in (READ, WRITE))
    return read, write


def table(results: list[Result]) -> str:
    """One line a pattern: memory touched, in payloads; payload rates of both sides alone and of the bound; and how
    much of the bound the move reaches."""
    remaining = overhead(results)
    heads = ["pattern", "reads", "writes", "read alone", "write alone", "bound", "anydml", "of bound", "of limit"]
    rows = [heads, *(_cells(result, remaining) for result in results)]
    lines = aligned(rows)
    about = "each side alone: GB/s of payload; reads and writes: bytes of memory, in payloads"
    return "\n".join([about, lines[0], "-" * len(lines[0]), *lines[1:], "", _means(results, remaining)])


def _cells(result: Result, remaining: float | None) -> list[str]:
    payload = result.payload_bytes
    touched = [f"{size / payload:.2f}" for size in (result.read_bytes, result.written_bytes)]
    alone = [f"{result.rate(name):.2f}" if name in result.timings else "-" for name in (READ, WRITE)]
    least = None if remaining is None else bound(result, remaining)
    limited = ["-", f"{result.rate(OURS):.2f}", "-"]
    if least:
        limited = [f"{payload / least / 1e9:.2f}", limited[1], f"{least / result.timings[OURS].median:.2f}"]
    return [result.pattern, *touched, *alone, *limited, f"{result.part_of_limit:.2f}"]


def _means(results: list[Result], remaining: float | None) -> str:
    if remaining is None:
        return f"no bound: it needs the pattern {CONTIGUOUS!r} in the same run"
    pairs = [(bound(result, remaining), result.timings[OURS].median) for result in results]
    reached = geometric_mean([least / ours for least, ours in pairs if least])
    share = f"the contiguous copy takes its longer side and {remaining:.0%} of the shorter one"
    return f"geometric mean {reached:.2f} of the bound; {share}"
