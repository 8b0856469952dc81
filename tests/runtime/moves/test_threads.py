"""Moves from many threads at once, and how their work is cut."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from anydml.core.datatype import DataType
from anydml.core.layout import Layout
from anydml.runtime.moves import engine, lowering
from anydml.runtime.moves.engine import prepare, set_threads
from anydml.runtime.moves.plan import plan_move
from anydml.runtime.native import threads as thread_counts
from tests.runtime.moves.support import assert_same_bytes, buffer, moved
from tests.runtime.moves.test_moves import CASES

LAYOUTS = Layout((91, 113), (1, 91)), Layout((91, 113), (120, 1))


def test_eight_threads_at_once(natively: None, stores: str) -> None:
    """One prepared move, not yet compiled, first used by eight threads that each share their work."""
    move = prepare(*LAYOUTS, DataType.FLOAT32, threads=3)

    def once(seed: int) -> None:
        source, destination = buffer(LAYOUTS[0], 4, 0, seed), buffer(LAYOUTS[1], 4, seed % 5, seed + 1)
        expected = moved(source.tobytes(), destination.tobytes(), LAYOUTS, 4)
        for _ in range(5):
            move.run_arrays(source, destination)
        assert_same_bytes(destination, expected, f"seed {seed}")

    with ThreadPoolExecutor(8) as callers:
        list(callers.map(once, range(16)))


def test_chunks__do_not_depend_on_the_threads(natively: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """So results that depend on how work is cut, such as sums, are the same on every machine."""
    monkeypatch.setattr(thread_counts, "_count", None)
    records = set()
    for threads in (1, 2, 3, 16):
        set_threads(threads)
        (task,) = prepare(*LAYOUTS, DataType.FLOAT32, threads=threads).tasks(0, 1)
        records.add((task.chunk_count, bytes(task._parameters)))
    assert len(records) == 1


@pytest.mark.parametrize(
    ("side", "chunks"), [(300, 1), (361, 1), (364, 8), (1020, 8), (2896, 32), (4096, 64), (16384, engine.MOST_CHUNKS)]
)
def test_chunks__follow_the_size(side: int, chunks: int) -> None:
    """A matrix of `side` rows of 4-byte elements; half a MiB is shared."""
    layouts = Layout((side, side), (side + 1, 1)), Layout((side, side))
    (task,) = prepare(*layouts, DataType.FLOAT32).tasks(0, 1)
    assert task.chunk_count == pytest.approx(chunks, abs=1 if chunks > 8 else 0)


def bytes_of(loops: list[tuple[int, int]], start: int, element: int) -> Iterator[int]:
    """The bytes that a nest of loops, given by sizes and strides, visits."""
    if not loops:
        yield from range(start, start + element)
        return
    (size, stride), *inner = loops
    for i in range(size):
        yield from bytes_of(inner, start + i * stride, element)


@pytest.mark.parametrize("kernel", CASES)
@pytest.mark.parametrize("pieces", [1, 2, 7, 64])
def test_chunks__write_every_byte_once(kernel: str, pieces: int) -> None:
    for layouts in CASES[kernel]:
        plan = plan_move(*layouts, 4)
        lowered = lowering.lower(plan, 64, True)
        inner, extras = len(plan.inner), lowering.EXTRAS[lowered.shape.kernel]
        written: list[int] = []
        for part in lowering.parts(plan, lowered, pieces):
            words = lowering._chunk(part, lowering.Sides(0, 1))
            body = words[4:]
            starts = [*range(0, inner * 3, 3), *range(inner * 3 + extras, len(body) - 3, 3)]
            loops = [(body[at], body[at + 2]) for at in starts]
            assert body[-3:] == [0, 0, 0]
            written += bytes_of(loops, words[3], plan.element_bytes)
        whole = [(loop.size, loop.destination_stride) for loop in plan.outer + plan.inner]
        assert sorted(written) == sorted(bytes_of(whole, plan.destination_offset, plan.element_bytes))
