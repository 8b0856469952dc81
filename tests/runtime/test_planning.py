"""Plans of equal operators are shared, and of no others."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import anydml as dml
from anydml.graph.graph import ConstantNode, Graph
from anydml.runtime import planning
from anydml.runtime.native import llvm

FOUR = dml.TensorDesc("FLOAT32", [4])


def fill(value: float) -> dml.Operator:
    return dml.FillValueConstant(output_tensor=FOUR, value_data_type="FLOAT32", value=value)


def test_equal_operators__share_a_plan() -> None:
    device = dml.Device()
    assert device.compile(fill(1)).plan is device.compile(fill(1)).plan
    assert device.compile(fill(1)).plan is not device.compile(fill(2)).plan


@pytest.mark.parametrize("value", [0.0, -0.0, float("nan")])
def test_zeros_and_nan__are_told_apart(value: float) -> None:
    """-0.0 equals 0.0, and NaN does not equal itself; plans go by bits."""
    compiled = dml.Device().compile(fill(value))
    assert compiled.plan is dml.Device().compile(fill(value)).plan
    assert np.array_equal(compiled().view(np.uint32), np.full(4, value, np.float32).view(np.uint32))


def test_zeros__are_told_apart_by_run() -> None:
    assert [float(np.signbit(dml.run(fill(value))[0])) for value in (0.0, -0.0, 0.0)] == [0, 1, 0]


def test_attributes_of_fused_activations__count() -> None:
    operators = [
        dml.ElementWiseAdd1(a_tensor=FOUR, b_tensor=FOUR, fused_activation=dml.ActivationLeakyRelu.fused(alpha=alpha))
        for alpha in (0.5, 0.25)
    ]
    x = np.full(4, -1, np.float32)
    results = [dml.Device().compile(operator)(x, x).tolist() for operator in operators]
    assert results == [[-1.0] * 4, [-0.5] * 4]


def test_levels__are_checked_apart() -> None:
    operator = dml.ActivationGelu(input_tensor=FOUR)
    dml.Device().compile(operator)
    with pytest.raises(dml.UnsupportedError):
        dml.Device(feature_level="5.0").compile(dml.ActivationGelu(input_tensor=FOUR))


def test_passes_devices_and_options__have_plans_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    operator = dml.ActivationRelu(input_tensor=FOUR)
    device = dml.Device()
    plan = device.compile(operator).plan
    assert plan is not device.compile(operator, passes=dml.Passes.none()).plan
    assert plan is not dml.Device("reference").compile(operator).plan
    here = llvm.is_available()
    monkeypatch.setattr(llvm, "is_available", lambda: not here)
    assert plan is not device.compile(operator).plan


def test_equal_operators__share_what_runs_them_but_not_what_they_keep() -> None:
    """Weights that initialization keeps belong to one compiled operator."""
    owned = dml.TensorDesc("FLOAT32", [4], flags="OWNED_BY_DML")
    first, second = (dml.Device().compile(dml.ElementWiseAdd(a_tensor=owned, b_tensor=FOUR)) for _ in range(2))
    assert first._executable is second._executable
    first.initialize(np.full(4, 1, np.float32))
    second.initialize(np.full(4, 2, np.float32))
    zeros = np.zeros(4, np.float32)
    assert [first(b_tensor=zeros).tolist(), second(b_tensor=zeros).tolist()] == [[1.0] * 4, [2.0] * 4]


def test_shared_executables__are_bounded() -> None:
    device = dml.Device()
    for size in range(1, 2 * planning._KEPT_EXECUTABLES):
        tensor = dml.TensorDesc("FLOAT32", [size])
        device.compile(dml.ActivationRelu(input_tensor=tensor))
    assert planning._prepare_shared.cache_info().currsize == planning._KEPT_EXECUTABLES


def test_graphs__leave_nothing_behind() -> None:
    """Their constants may be the weights of a network."""
    weights = np.ones(4, np.float32)
    graph = Graph(
        [dml.ElementWiseAdd(a_tensor=FOUR, b_tensor=FOUR), ConstantNode(weights)],
        [(0, 0, 0)],
        [(0, 0, 0)],
        [(1, 0, 0, 1)],
    )
    compiled = dml.Device().compile_graph(graph)
    assert compiled(weights).tolist() == [2.0] * 4
    watched = [weakref.ref(each) for each in (compiled, compiled.plan, compiled._executable)]
    del compiled, graph
    gc.collect()
    assert [each() for each in watched] == [None] * 3
