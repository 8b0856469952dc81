"""Laws of plans: their loops visit exactly the pairs of places that the layouts give."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anydml.core.layout import Layout
from anydml.runtime.moves.lowering import INNER_LOOPS
from anydml.runtime.moves.plan import MovePlan, plan_move
from tests.runtime.moves.support import pairs, places


def pairs_of_elements(plan: MovePlan) -> set[tuple[int, int]]:
    """Every (source, destination) pair of bytes at which the loops of a plan find an element."""
    loops = plan.outer + plan.inner
    visited = set()
    for index in product(*(range(loop.size) for loop in loops)):
        source, destination = plan.source_offset, plan.destination_offset
        for i, loop in zip(index, loops, strict=True):
            source += i * loop.source_stride
            destination += i * loop.destination_stride
        visited.add((source, destination))
    return visited


def pairs_of_bytes(plan: MovePlan) -> set[tuple[int, int]]:
    found = pairs_of_elements(plan)
    return {(source + byte, target + byte) for source, target in found for byte in range(plan.element_bytes)}


@given(pairs(), st.sampled_from([1, 2, 4, 8]))
def test_plan__visits_every_element_once(layouts: tuple[Layout, Layout], element: int) -> None:
    plan = plan_move(*layouts, element)
    expected = {
        (start * element + byte, target * element + byte)
        for start, target in zip(places(layouts[0]), places(layouts[1]), strict=True)
        for byte in range(element)
    }
    assert pairs_of_bytes(plan) == expected, plan.describe()
    assert plan.payload_bytes == len(expected)


@given(pairs(), st.sampled_from([1, 2, 4, 8]))
def test_plan__is_canonical(layouts: tuple[Layout, Layout], element: int) -> None:
    plan = plan_move(*layouts, element)
    assert len(plan.inner) == INNER_LOOPS[plan.kernel]
    assert all(loop.size > 1 and loop.destination_stride > 0 for loop in plan.outer)
    assert len(plan.outer) <= 7


@given(pairs())
def test_plan__of_a_conversion_counts_each_side_in_its_own_bytes(layouts: tuple[Layout, Layout]) -> None:
    plan = plan_move(*layouts, 2, 8)
    expected = {(start * 2, target * 8) for start, target in zip(*map(places, layouts), strict=True)}
    assert pairs_of_elements(plan) == expected, plan.describe()
    assert plan.payload_bytes == layouts[0].logical_element_count * 8
    assert plan.converts


def test_plan__merges_what_runs_on_evenly() -> None:
    plan = plan_move(Layout((4, 5, 6)), Layout((4, 5, 6)), 4)
    assert plan.outer == ()
    assert [loop.size for loop in plan.inner] == [1, 1, 30]
    assert plan.element_bytes == 16


@pytest.mark.parametrize(
    ("source", "destination", "kernel"),
    [
        (Layout((64, 64)), Layout((64, 64), (80, 1)), "runs"),
        (Layout((64, 65), (1, 64)), Layout((64, 65)), "tile"),
        (Layout((64, 65), (-1, 64), 63), Layout((64, 65)), "tile"),
        (Layout((9, 50, 3), (150, 1, 50)), Layout((9, 50, 3)), "weave"),
        (Layout((9, 3, 50), (150, 1, 3)), Layout((9, 3, 50)), "pick"),
        (Layout((99,), (-1,), 98), Layout((99,)), "pick"),
        (Layout((9, 50, 3), (150, -3, 1), 147), Layout((9, 50, 3)), "regroup"),
        (Layout((99, 3), (3, -1), 2), Layout((99, 3)), "regroup"),
        (Layout((99, 3), (9, 1)), Layout((99, 3)), "runs"),
        (Layout((99,), (2,)), Layout((99,)), "pick"),
        (Layout((9, 99), (1, 0)), Layout((9, 99)), "fill"),
        (Layout((99,), (100,)), Layout((99,)), "gather"),
        (Layout((99,)), Layout((99,), (2,)), "scatter"),
    ],
)
def test_plan__chooses_the_kernel(source: Layout, destination: Layout, kernel: str) -> None:
    assert plan_move(source, destination, 4).kernel == kernel


def test_plan__takes_pairs_as_wider_elements() -> None:
    plan = plan_move(Layout((20, 30, 2), (2, 40, 1)), Layout((20, 30, 2)), 4)
    assert (plan.kernel, plan.element_bytes) == ("tile", 8)


def test_plan__refuses_different_sizes() -> None:
    with pytest.raises(ValueError, match=r"equal sizes: found \(2, 3\) and \(3, 2\)"):
        plan_move(Layout((2, 3)), Layout((3, 2)), 4)


def test_plan__is_cached() -> None:
    first = plan_move(Layout((2, 30), (1, 2)), Layout((2, 30)), 4)
    assert plan_move(Layout((2, 30), (1, 2)), Layout((2, 30)), 4) is first


@pytest.mark.parametrize(
    ("source", "destination", "lines_read", "lines_written"),
    [
        (Layout((64, 64)), Layout((64, 64)), 256, 256),
        (Layout((64, 64), (1, 64)), Layout((64, 64), (64, 1)), 256, 256),
        (Layout((64, 64), (1024, 16)), Layout((64, 64)), 4096, 256),
        (Layout((64, 4), (64, 1)), Layout((64, 4), (8, 1)), 64, 32),
        (Layout((64, 64), (0, 0)), Layout((64, 64)), 0, 256),
    ],
)
def test_touched_bytes__are_those_of_lines(
    source: Layout, destination: Layout, lines_read: int, lines_written: int
) -> None:
    touched = plan_move(source, destination, 4).touched_bytes
    assert touched == pytest.approx((lines_read + lines_written) * 64 / 2, abs=2)


def test_describe__leaves_out_loops_that_run_once() -> None:
    assert plan_move(Layout((1, 30)), Layout((1, 30)), 4).describe().count(" x ") == 1
    assert plan_move(Layout((1,)), Layout((1,)), 4).describe().startswith("runs: 1 element of 4 bytes")


def test_describe__names_kernel_and_loops() -> None:
    plan = plan_move(Layout((3, 64, 65), (5000, -1, 64), 63), Layout((3, 64, 65)), 4)
    lines = plan.describe().splitlines()
    assert lines[0] == "tile: 12480 elements of 4 bytes"
    assert lines[2].split() == ["3", "x", "source", "+20000", "destination", "+16640"]
    assert lines[3].endswith("[tile]")
    converted = plan_move(Layout((6,)), Layout((6,)), 2, 4).describe()
    assert converted.startswith("convert: 6 elements of 2 -> 4 bytes")
