"""Devices own their memory: on one whose memory NumPy cannot touch, every operator's cases come out right."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import anydml as dml
import anydml.operators
from anydml.core.schema import OPERATORS
from anydml.graph.graph import ConstantNode, Graph
from anydml.runtime.backend import BACKENDS
from anydml.runtime.buffer import Buffer
from tests.cases.framework import answer_of, make_case, numbers_of, operators_with_cases
from tests.cases.framework.run import check

CASES = 2


@pytest.fixture(autouse=True)
def island() -> Iterator[None]:
    BACKENDS["island"] = ("memory of its own", "tests.runtime.space")
    yield
    del BACKENDS["island"]


@pytest.mark.parametrize("name", sorted(set(OPERATORS) & set(operators_with_cases())))
def test_cases__come_out_right_in_other_memory(name: str) -> None:
    numbers = numbers_of(name)
    for number in numbers[:: max(1, len(numbers) // CASES)]:
        case = make_case(name, number)
        check(case, answer_of(case), "island")


def test_host_memory__is_refused() -> None:
    run = dml.Device("island").compile(dml.ActivationRelu(input_tensor=dml.TensorDesc("FLOAT32", [4])))
    with pytest.raises(dml.BindingError, match=r"upload"):
        run(np.ones(4, "f4"))


def test_device_memory__is_refused_on_the_host() -> None:
    away = dml.Device("island").upload(np.ones(4, "f4"))
    run = dml.Device().compile(dml.ActivationRelu(input_tensor=dml.TensorDesc("FLOAT32", [4])))
    with pytest.raises(dml.BindingError, match=r"buffer\.kind"):
        run(away)


def test_graph__constants_owned_inputs_and_outputs_stay_on_the_device() -> None:
    device = dml.Device("island")
    x, kept = dml.TensorDesc("FLOAT32", [4]), dml.TensorDesc("FLOAT32", [4], flags="OWNED_BY_DML")
    graph = Graph(
        [
            ConstantNode(np.float32([1, 2, 3, 4])),
            dml.ElementWiseAdd(a_tensor=x, b_tensor=x),
            dml.CumulativeProduct(input_tensor=x, axis=0, axis_direction=0, has_exclusive_product=False),
            dml.ElementWiseAdd(a_tensor=x, b_tensor=kept),
        ],
        [(0, 1, 0), (1, 3, 1)],
        [(3, 0, 0)],
        [(0, 0, 1, 1), (1, 0, 2, 0), (2, 0, 3, 0)],
    )
    run = device.compile_graph(graph)
    run.initialize(input1=device.upload(np.float32([10, 20, 30, 40])))
    assert run.persistent is not None and run.persistent.space == "island"
    assert run(device.upload(np.ones(4, "f4"))).tolist() == [12, 26, 54, 160]
    target = device.allocate(16)
    assert isinstance(target, Buffer) and run(device.upload(np.ones(4, "f4")), output0=target) is None
    assert device.download(target).view("f4").tolist() == [12, 26, 54, 160]


def test_table__temporary_memory_of_the_device_is_used() -> None:
    device = dml.Device("island")
    x = dml.TensorDesc("FLOAT32", [64])
    scan = dml.CumulativeProduct(input_tensor=x, axis=0, axis_direction=0, has_exclusive_product=False)
    run = device.compile_graph(Graph([scan, scan], [(0, 0, 0)], [(1, 0, 0)], [(0, 0, 1, 0)]))
    table = device.create_binding_table(run)
    result, arena = device.allocate(256), device.allocate(run.binding_properties.temporary_resource_size)
    table.bind_inputs([device.upload(np.full(64, 2, "f4"))])
    table.bind_outputs([result])
    table.bind_temporary_resource(arena)
    table.dispatch()
    assert device.download(arena).view("f4")[:5].tolist() == [2, 4, 8, 16, 32]
    assert device.download(result).view("f4")[:4].tolist() == [2, 8, 64, 1024]
