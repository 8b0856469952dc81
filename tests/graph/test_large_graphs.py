"""Graphs of very many nodes take as much work for each as small ones: counted in calls, not in seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.bench.large_graphs import LEAST_NODES, SHAPES

COUNTS = (400, 800, 1600)
MOST_GROWTH = 2.2
"""Of the calls, where the graph is twice as large."""


def calls(work: Callable[[], object]) -> int:
    """How many functions are called, Python's own included."""
    count = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", SHAPES)
def test_work__grows_with_the_graph_and_no_faster(name: str) -> None:
    """Making the graph, checking and compiling it, and all that can be written of it."""
    device = dml.Device()

    def work(count: int) -> None:
        graph = SHAPES[name](count)
        compiled = device.compile_graph(graph)
        graph.describe(), graph.to_cpp(), compiled.plan.describe()
        dml.Graph.from_dict(graph.to_dict())

    work(COUNTS[-1])  # the kernels are compiled once
    small, middle, large = (calls(lambda count=count: work(count)) for count in COUNTS)  # type: ignore[misc]
    assert middle <= MOST_GROWTH * small and large <= MOST_GROWTH * middle


def test_calls__tell_work_that_grows_too_fast() -> None:
    def work(count: int) -> None:
        for _ in range(count):
            sorted(range(count), key=lambda number: number)

    assert calls(lambda: work(80)) > MOST_GROWTH * calls(lambda: work(40))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("count", [LEAST_NODES, 21, 300])
def test_shapes__give_the_same_as_the_reference(name: str, count: int) -> None:
    graph = SHAPES[name](count)
    random = np.random.default_rng(count)
    results = []
    values = [random.integers(-8, 8, (4, 4)).astype(np.float32) / 8 for _ in graph.input_names]
    for device in (dml.Device(), dml.Device("reference")):
        compiled = device.compile_graph(graph)
        owned = {port.name: value for port, value in zip(compiled.inputs, values, strict=True) if port.is_owned}
        if owned:
            compiled.initialize(**owned)
        rest = [value for port, value in zip(compiled.inputs, values, strict=True) if not port.is_owned]
        results.append(compiled(*rest))
    for mine, other in zip(*map(np.atleast_2d, results), strict=True):
        assert np.allclose(mine, other, rtol=1e-5, atol=1e-6)
