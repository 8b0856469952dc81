"""Attention of every form: by kernels, as its definition has it, and the same for any number of threads."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from anydml.core.steps import Program
from anydml.graph.graph import Graph
from anydml.graph.passes import Passes
from anydml.runtime.cpu import backend
from anydml.runtime.cpu.contraction import attention as kernels
from anydml.runtime.planning import plan_graph
from tests.runtime.cpu.attention import attention, check, differences, results
from tests.runtime.cpu.machines import MACHINES, machine

pytest.importorskip("llvmlite.binding", reason="only llvmlite can compile")


@pytest.mark.parametrize("seed", range(24))
def test_attention__agrees_with_its_definition(seed: int) -> None:
    check(*attention(Random(f"attention {seed}")))


@pytest.mark.parametrize("seed", range(24))
def test_attention__is_native(seed: int) -> None:
    """New keys that follow a part of the past are gathered on NumPy; nothing else is."""
    operator, _ = attention(Random(f"native {seed}"))
    plan = plan_graph(Graph.of(operator), backend.BACKEND, Passes()).plan
    left = {step.operator.dml_type for step in plan.steps if isinstance(step, Program)}
    assert left <= ({"GATHER_ND1"} if operator.lengths is not None else set())


@pytest.mark.parametrize("seed", range(8))
def test_blocks__agree_with_the_definition(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Where not all scores are in memory at a time: fewer batches, heads or queries."""
    monkeypatch.setattr(kernels, "MOST_SCORES", (20, 150, 1000)[seed % 3])
    check(*attention(Random(f"blocks {seed}"), most=12))


def test_memory__is_that_of_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    operator, _ = attention(Random("memory 3"))
    geometry = operator.geometry()
    counts = []
    for most in (10**6, geometry.total):
        monkeypatch.setattr(kernels, "MOST_SCORES", most)
        blocks = list(kernels._blocks(geometry))
        counts.append(max(np.prod(block.counts) for block in blocks))
        rows = [
            each for block in blocks for each in product(*(range(*r) for r in (block.batch, block.heads, block.rows)))
        ]
        assert sorted(rows) == list(np.ndindex(geometry.batch, geometry.key_heads, geometry.queries))
    assert counts[1] == 1 < counts[0]


@pytest.mark.parametrize("seed", range(6))
def test_threads__give_the_same_bits(seed: int) -> None:
    operator, inputs = attention(Random(f"threads {seed}"), most=150)
    first, *others = (results(operator, inputs, "cpu", threads) for threads in (1, 2, 8))
    for name, found in first.items():
        assert all(np.array_equal(found.view(np.uint8), other[name].view(np.uint8)) for other in others)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("seed", range(4))
def test_machines__agree_with_the_definition(monkeypatch: pytest.MonkeyPatch, name: str, seed: int) -> None:
    operator, inputs = attention(Random(f"machine {seed}"))
    with machine(monkeypatch, name):
        check(operator, inputs)


def test_differences__are_found() -> None:
    right = np.ones((2, 3), np.float32)
    wrong = right.copy()
    wrong[1, 2] += 1e-4
    assert len(differences(right, right)) == 0
    assert differences(wrong, right).tolist() == [[1, 2]]
    wrong[1, 2] = np.nan
    assert differences(wrong, right).tolist() == [[1, 2]]
