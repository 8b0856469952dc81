from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anydml.view.elision import Gap, balanced, elide, positions, runs, with_gaps


@given(st.integers(1, 60), st.integers(2, 20), st.lists(st.integers(0, 59), max_size=4))
def test_elide__accounts_for_every_position_in_order(size: int, limit: int, focus: list[int]) -> None:
    shown = elide(size, limit, [point for point in focus if point < size])
    expected = 0
    for place in shown:
        if isinstance(place, Gap):
            assert place.hidden > 1
            expected += place.hidden
        else:
            assert place == expected
            expected += 1
    assert expected == size


@given(st.integers(2, 2**32), st.integers(6, 20), st.integers(0, 2**32))
def test_elide__keeps_edges_and_focus_within_the_limit(size: int, limit: int, focus: int) -> None:
    shown = elide(size, limit, [focus % size])
    assert {0, size - 1, focus % size} <= set(positions(shown))
    # A gap of one is filled, so at most the gaps between three clusters are added.
    assert len(positions(shown)) <= limit + 2


def test_elide__shows_all_that_fits() -> None:
    assert elide(5, 5) == (0, 1, 2, 3, 4)
    assert elide(10, 4) == (0, 1, Gap(6), 8, 9)


def test_with_gaps__starts_and_ends_where_told() -> None:
    assert with_gaps([3, 4], -2, 8) == (Gap(5), 3, 4, Gap(3))
    assert with_gaps([], 0, 3) == (Gap(3),)


@pytest.mark.parametrize(("cells", "most", "each"), [(16, 13, 8), (48, 22, 16), (5, 9, 5), (7, 3, 3)])
def test_balanced__needs_no_more_lines(cells: int, most: int, each: int) -> None:
    assert balanced(cells, most) == each
    assert -(-cells // each) == -(-cells // most)


def test_runs__keep_neighbours_together() -> None:
    assert runs((0, 1, Gap(5), 7)) == [[0, 1], Gap(5), [7]]
    assert runs(()) == []
    assert runs((Gap(2), 2)) == [Gap(2), [2]]
