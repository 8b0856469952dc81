"""What a layout says of itself, against brute force: on all small layouts, and on hard large ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from random import Random

import numpy as np
import pytest

import anydml as dml
from anydml.core import overlap
from tests.core.laws import law_extent
from tests.work import calls_of

MOST_CALLS = 50_000
"""Some dozens for each place along one loop of 1250, not for each pair."""


Geometry = tuple[tuple[int, ...], tuple[int, ...]]


def small_layouts() -> Iterator[Geometry]:
    """Ranks 1 and 2 with sizes to 4 and strides -5 to 5; rank 3 with sizes 2 to 4 and strides 0 to 9."""
    for rank in (1, 2):
        for sizes in product(range(1, 5), repeat=rank):
            yield from ((sizes, strides) for strides in product(range(-5, 6), repeat=rank))
    for sizes in product(range(2, 5), repeat=3):
        yield from ((sizes, strides) for strides in product(range(10), repeat=3))


def offsets_array(sizes: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    grid = np.zeros(1, np.int64)
    for size, stride in zip(sizes, strides, strict=True):
        grid = (grid[:, None] + np.arange(size, dtype=np.int64) * stride).reshape(-1)
    return grid


def overlaps_by_force(sizes: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    offsets = offsets_array(sizes, strides)
    return bool(np.unique(offsets).size < offsets.size)


def test_small_layouts__every_answer_is_what_counting_gives() -> None:
    checked = 0
    for sizes, strides in small_layouts():
        law_extent(dml.Layout(sizes, strides, checked % 7 - 3), Random(0))
        checked += 1
    assert checked == 4 * 11 + 16 * 121 + 27 * 1000


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the parts of the search that ran, in order."""
    ran: list[str] = []

    def spy(name: str) -> None:
        real: Callable[..., bool] = getattr(overlap, name)

        def spying(*arguments: object) -> bool:
            ran.append(name)
            return real(*arguments)

        monkeypatch.setattr(overlap, name, spying)

    for name in ("_search", "_solve_for", "_meet"):
        spy(name)
    return ran


@pytest.mark.parametrize("limit", [0, 1 << 22])
def test_search__both_ways_agree_with_brute_force(
    limit: int, searches: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overlap, "_ENUMERATION_LIMIT", limit)
    random = Random(limit)
    answers = {True: 0, False: 0}
    while min(answers.values()) < 150:
        rank = random.randint(3, 6)
        sizes = tuple(random.randint(2, 6) for _ in range(rank))
        strides = tuple(random.randint(1, 40 * rank * rank) * random.choice((1, -1)) for _ in range(rank))
        searches.clear()
        found = overlap.has_collision(sizes, strides)
        assert found == overlaps_by_force(sizes, strides), (sizes, strides)
        if searches:
            assert searches == ["_search", "_solve_for" if limit else "_meet"]
            answers[found] += 1


def three_interleaved(count: int, gap: int) -> Geometry:
    """Steps of 1, of s and of s + gap, with s too long for the others to undo: they meet only through the gap."""
    step = gap * count + count + 1
    return (count, count, count), (1, step, step + gap)


@pytest.mark.parametrize(
    ("count", "gap", "expected", "part"),
    [
        (300, 300, False, "_solve_for"),
        (300, 299, True, "_solve_for"),
        (1250, 1250, False, "_meet"),
        (1250, 1249, True, "_meet"),
    ],
)
def test_search__decides_layouts_of_billions_of_elements_soon(
    count: int, gap: int, expected: bool, part: str, searches: list[str]
) -> None:
    layout = dml.Layout(*three_interleaved(count, gap))
    assert calls_of(lambda: layout.has_overlap) < MOST_CALLS
    assert layout.has_overlap is expected
    assert searches == ["_search", part]


def test_search__agrees_with_brute_force_where_that_is_possible() -> None:
    for count in range(2, 30):
        for gap in (count - 1, count):
            geometry = three_interleaved(count, gap)
            assert dml.Layout(*geometry).has_overlap == overlaps_by_force(*geometry) == (gap < count)


@pytest.mark.parametrize(
    ("sizes", "strides", "expected"),
    [
        ((65535, 65537), (65537, 1), False),
        ((65536, 65535), (65534, 1), True),
        ((2, 2, 2**30 - 1), (1, 2, 3), True),
        ((2, 2, 2**30 - 1), (1, 2, 4), False),
        ((30011, 30013), (30013, 30011), False),  # coprime: the least collision lies just outside both sizes
        ((30014, 30013), (30013, 30011), False),
        ((30014, 30015), (30013, 30012), True),
        ((2,) * 8, (1, 2, 4, 8, 16, 32, 64, 127), True),
        ((2,) * 8, (1, 2, 4, 8, 16, 32, 64, 128), False),
        ((2,) * 8, tuple(3**k for k in range(8)), False),
        ((2,) * 8, (1, 3, 9, 27, 81, 243, 729, 1094), False),
        ((2,) * 8, (1, 3, 9, 27, 81, 243, 729, 1093), True),
        ((1, 1, 5), (0, 0, 3), False),
        ((16,) * 8, tuple(16**k for k in range(8))[::-1], None),
    ],
)
def test_overlap__is_exact_on_hard_cases(
    sizes: tuple[int, ...], strides: tuple[int, ...], expected: bool | None
) -> None:
    if expected is None:  # 2^32 elements: one more than there may be
        with pytest.raises(dml.InvalidDescriptionError, match=r"sizes\.product"):
            dml.Layout(sizes, strides)
        return
    assert dml.Layout(sizes, strides).has_overlap is expected
    if dml.Layout(sizes).logical_element_count < 1 << 20:
        assert overlaps_by_force(sizes, strides) is expected


def test_overlaps_by_force__can_say_both() -> None:
    assert overlaps_by_force((2, 3), (2, 1)) and not overlaps_by_force((2, 3), (3, 1))
