"""Fusing: the same as merging one step after another, in time that does not grow with the length of a chain."""

from __future__ import annotations

import pickle
import sys
from random import Random
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.core import expression
from anydml.core.expression import load, operation, substitute
from anydml.core.steps import Nest, Program
from anydml.graph.graph import Graph
from anydml.graph.lower import lower
from anydml.graph.passes import Passes
from anydml.graph.passes.fuse import MOST_OPERATIONS, operations_of
from anydml.graph.plan import Plan
from tests.graph.eager_fuse import eager_fuse
from tests.graph.generate import random_graph, random_pointwise_graph

X = dml.TensorDesc("FLOAT32", [4, 4])
RELU = dml.ActivationRelu(input_tensor=X, output_tensor=X)
SOFTMAX = dml.ActivationSoftmax(input_tensor=X, output_tensor=X)


def chain(*operators: dml.Operator) -> Graph:
    edges = [(i, 0, i + 1, 0) for i in range(len(operators) - 1)]
    return Graph(operators, [(0, 0, 0)], [(len(operators) - 1, 0, 0)], edges)


def unfused(graph: Graph, forwarded: bool) -> Plan:
    return Passes.only(*(("prune", "forward", "place") if forwarded else ())).run(lower(graph))


def fused(plan: Plan) -> Plan:
    found = dict(Passes.only("fuse").trace(plan))
    return found["fuse"]


@pytest.mark.parametrize("forwarded", [True, False])
@pytest.mark.parametrize("seed", range(80))
def test_fuse__is_merging_one_step_after_another(seed: int, forwarded: bool) -> None:
    random = Random(f"fuse {seed}")
    plan = unfused(random_graph(random, random.choice((5, 15, 40)))[0], forwarded)
    assert list(fused(plan).steps) == eager_fuse(plan)


@pytest.mark.parametrize("seed", range(16))
def test_fuse__of_chains_that_must_be_cut(seed: int) -> None:
    """Where they are cut depends on how many different operations there are in all."""
    random = Random(f"chain {seed}")
    graph = random_pointwise_graph(random, random.choice((150, 700)))
    for forwarded in (True, False):
        plan = unfused(graph, forwarded)
        steps = list(fused(plan).steps)
        assert steps == eager_fuse(plan)
        assert all(operations_of(step) <= MOST_OPERATIONS for step in steps if isinstance(step, Nest))


def test_oracle__can_fail() -> None:
    plan = unfused(chain(RELU, RELU), True)
    assert list(plan.steps) != eager_fuse(plan)


def test_fuse__makes_no_expression_anew_for_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of n nodes is n operations; it took 256 times as many to write it step by step."""
    made = 0
    make = expression.make

    def counted(*args: Any, **values: Any) -> expression.Node:
        nonlocal made
        made += 1
        return make(*args, **values)

    monkeypatch.setattr(expression, "make", counted)
    numbers = []
    for count in (1000, 2000, 4000):
        made = 0
        Passes().run(lower(chain(*[RELU] * count)))
        numbers.append(made)
        assert made <= 16 * count
    assert numbers[1] <= 2.2 * numbers[0] and numbers[2] <= 2.2 * numbers[1]


def test_epilogue__takes_no_more_than_a_nest_may_have() -> None:
    """A program would otherwise take in all that follows, however long."""
    graph = chain(SOFTMAX, *[RELU] * (3 * MOST_OPERATIONS))
    steps = Passes().run(lower(graph)).steps
    nests = [nest for step in steps for nest in (step.outputs if isinstance(step, Program) else [step])]
    assert all(isinstance(nest, Nest) and operations_of(nest) <= MOST_OPERATIONS for nest in nests)
    values = np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 4)
    assert np.array_equal(dml.Device().compile_graph(graph)(values), SOFTMAX(values))


def test_sums_of_programs__are_compiled_however_many() -> None:
    """Each sum reads a softmax: what would be one expression of all of them is deeper than Python can go."""
    count = 500
    add = dml.ElementWiseAdd(a_tensor=X, b_tensor=X, output_tensor=X)
    edges = [(0, 0, count, 0), *((n + 1, 0, count + n, 1) for n in range(count - 1))]
    edges += [(count + n, 0, count + n + 1, 0) for n in range(count - 2)]
    nodes = [*[SOFTMAX] * count, *[add] * (count - 1)]
    graph = Graph(nodes, [(n, n, 0) for n in range(count)], [(2 * count - 2, 0, 0)], edges)
    result = dml.Device().compile_graph(graph)(*[np.zeros((4, 4), np.float32)] * count)
    assert np.all(result == count / 4)


def test_expression__of_any_depth_can_be_pickled_and_is_itself() -> None:
    value = load(0, np.dtype(np.float32))
    for _ in range(10 * sys.getrecursionlimit()):
        value = operation("absolute", value)
    assert pickle.loads(pickle.dumps(value)) is value
    other = substitute(value, lambda node: load(1, node.type) if node.op == "load" else None)
    assert pickle.dumps(value) != pickle.dumps(other)
