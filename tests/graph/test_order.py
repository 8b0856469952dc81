"""The order of nodes: each after those it reads from, and otherwise as given; names tell unnamed nodes apart."""

from __future__ import annotations

import numpy as np

import anydml as dml
from anydml.graph.lower import lower

X = dml.TensorDesc("FLOAT32", [3])


def graph() -> dml.Graph:
    """Adds one constant, then another; the second is given late, and nothing has a name."""
    add = dml.ElementWiseAdd(a_tensor=X, b_tensor=X)
    constants = [dml.ConstantNode(np.full(3, value, np.float32)) for value in (1, 2)]
    edges = [(0, 0, 1, 1), (1, 0, 3, 0), (2, 0, 3, 1)]
    return dml.Graph([constants[0], add, constants[1], add], [(0, 1, 0)], [(3, 0, 0)], edges)


def test_order__is_the_given_one_where_it_can_be() -> None:
    assert graph().order == (0, 1, 2, 3)
    relu = dml.ActivationRelu(input_tensor=X)
    backwards = dml.Graph([relu, relu, relu], [(0, 2, 0)], [(0, 0, 0)], [(2, 0, 1, 0), (1, 0, 0, 0)])
    assert backwards.order == (2, 1, 0)


def test_names__tell_unnamed_nodes_apart() -> None:
    plan = lower(graph())
    names = [plan.name_of(number) for number in range(len(plan.slots))]
    assert len(set(names)) == len(names)
    assert {"constant#0", "constant#2", "ELEMENT_WISE_ADD#1.output_tensor"} <= set(names)
