"""Pointwise operators that follow one another in a graph: fused or not, the same bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.graph.graph import Graph
from anydml.graph.passes import Passes
from tests.operators.test_errata import tensor

WAYS = [("cpu", Passes()), ("cpu", Passes.none()), ("reference", Passes())]


def results(graph: Graph, *buffers: Any) -> list[Any]:
    """The output on every device, with passes and without."""
    return [dml.Device(device).compile_graph(graph, passes=passes)(*buffers) for device, passes in WAYS]


def steps(graph: Graph) -> int:
    return len(dml.Device().compile_graph(graph).plan.steps)


@pytest.mark.parametrize("kind", ["FLOAT32", "FLOAT16"])
def test_bits__between_floats(kind: str) -> None:
    """Elements that are floats before and after are bits in between: no conversion may come in."""
    desc = tensor(kind, 4)
    double = dml.ElementWiseAdd(a_tensor=desc, b_tensor=desc)
    turned = dml.ElementWiseBitXor(a_tensor=desc, b_tensor=desc)
    relu = dml.ActivationRelu(input_tensor=desc)
    inputs, between = [(0, 0, 0), (0, 0, 1), (1, 1, 1)], [(0, 0, 1, 0), (1, 0, 2, 0)]
    graph = Graph([double, turned, relu], inputs, [(2, 0, 0)], between)
    dtype = desc.data_type.numpy_dtype
    values = np.array([-1.5, 2.0, -0.25, 0.0], dtype)
    signs = np.full(4, -0.0, dtype)
    for found in results(graph, values, signs):
        assert found.tolist() == [3.0, 0.0, 0.5, 0.0]


def test_single_scales__made_in_the_graph_are_repeated() -> None:
    """A tensor of one element, written by a pointwise operator, is read for every element of another."""
    single, whole, floats = tensor("FLOAT32", 1, 1), tensor("INT8", 2, 3), tensor("FLOAT32", 2, 3)
    halved = dml.ElementWiseMultiply(a_tensor=single, b_tensor=single)
    total = dml.ElementWiseQuantizedLinearAdd(
        a_tensor=whole,
        a_scale_tensor=single,
        b_tensor=whole,
        b_scale_tensor=single,
        output_scale_tensor=single,
        output_tensor=whole,
    )
    real = dml.ElementWiseDequantizeLinear(input_tensor=whole, scale_tensor=floats)
    # Zero points are absent, and counted all the same.
    inputs = [(0, 0, 0), (0, 0, 1), (1, 1, 0), (1, 1, 3), (2, 1, 6), (3, 2, 1)]
    graph = Graph([halved, total, real], inputs, [(2, 0, 0)], [(0, 0, 1, 1), (0, 0, 1, 4), (1, 0, 2, 0)])
    values = np.array([[1, -2, 3], [100, -128, 0]], np.int8)
    given = [np.array([[0.5]], np.float32), values, np.array([[0.25]], np.float32), np.full((2, 3), 2.0, np.float32)]
    expected = np.clip(np.rint((values * 0.25 + values * 0.25) / 0.25), -128, 127) * 2
    for found in results(graph, *given):
        assert found.tolist() == expected.tolist()


def test_chain__of_formulas_is_one_step() -> None:
    desc = tensor("FLOAT32", 5)
    chain: list[dml.Operator] = [
        dml.ElementWiseNegate(input_tensor=desc),
        dml.ElementWiseExp(input_tensor=desc),
        dml.ElementWiseRound(input_tensor=desc, rounding_mode="TOWARD_INFINITY"),
        dml.ElementWiseConstantPow(input_tensor=desc, exponent=2.0),
        dml.ElementWiseClip(input_tensor=desc, min=1, max=50),
    ]
    graph = Graph(chain, [(0, 0, 0)], [(4, 0, 0)], [(i, 0, i + 1, 0) for i in range(4)])
    assert steps(graph) == 1
    for found in results(graph, np.array([0.0, -1.0, -2.0, 3.0, np.nan], np.float32)):
        assert found[:4].tolist() == [1, 9, 49, 1] and np.isnan(found[4])
