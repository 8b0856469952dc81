"""Memory in proportion: what operators take is what they say, and what the machine cannot have is refused first."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.frontends.dxdispatch import parse_model
from anydml.frontends.dxdispatch.executor import Executor, Options
from tests.cases.framework import make_case, numbers_of, operators_with_cases
from tests.cases.framework.draw import LARGE_EVERY
from tests.operators.memory import DEVICES
from tests.runtime.large import make, tensor

LARGE = make()
SLACK_BYTES = 32 << 10
"""Objects of Python, and arrays of a few elements."""
MOST_TIMES = 20
"""No operator takes more than so many times its own tensors in double precision."""


def buffers_of(operator: dml.Operator) -> dict[str, Any]:
    points = [point for point in operator.all_points() if point.tensor is not None]
    return {point.name: np.zeros(point.tensor.total_tensor_size_in_bytes, np.uint8) for point in points}  # type: ignore[union-attr]


def peak_of(action: Callable[[], object], runs: int = 2) -> int:
    """The most memory that an action holds at once; NumPy reports its arrays too.

    The least of a few runs: what is made once does not count, nor what other threads do meanwhile.
    """
    action()
    peaks = []
    for _ in range(runs):
        tracemalloc.start()
        try:
            action()
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    return min(peaks)


def measure(operator: dml.Operator, device: str, owned: str | None = None) -> tuple[int, int]:
    """The memory that a run takes, and that it was said to take."""
    compiled = dml.Device(device).compile(operator)
    assert compiled.operator is not None
    buffers = buffers_of(compiled.operator)
    if owned:
        compiled.initialize(**{owned: buffers.pop(owned)})
    return peak_of(lambda: compiled(**buffers)), compiled.binding_properties.temporary_resource_size


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", LARGE)
def test_large_operator__takes_what_it_says(name: str, device: str) -> None:
    taken, told = measure(LARGE[name], device)
    assert taken <= told + SLACK_BYTES
    elements = dml.Device(device).compile(LARGE[name]).operator.element_count  # type: ignore[union-attr]
    assert told <= MOST_TIMES * 8 * elements


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", operators_with_cases())
def test_operator__takes_what_it_says(name: str, device: str) -> None:
    """The large ones among the random cases."""
    numbers = [number for number in numbers_of(name) if number % LARGE_EVERY == LARGE_EVERY // 2 + 1]
    for number in numbers[:3]:
        case = make_case(name, number)
        taken, told = measure(case.build(), device, case.owned)
        assert taken <= told + SLACK_BYTES, case
    assert numbers


def test_peak__is_noticed() -> None:
    assert peak_of(lambda: np.ones(1 << 20, np.uint8)) >= 1 << 20
    assert peak_of(lambda: None) < 1 << 12


# What cannot be had is refused before it is asked for

WIDE = [65535, 1, 1, 65535]


def refused(action: Callable[[], object]) -> int:
    """What an action takes until it is refused for want of memory."""

    def attempt() -> None:
        with pytest.raises(dml.DmlError, match=r"memory"):
            action()

    return peak_of(attempt)


@pytest.mark.parametrize("device", DEVICES)
def test_compile__refuses_more_than_the_machine_has(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anydml.runtime.host.physical_memory", lambda: 1 << 30)

    def largest(count: int) -> dml.Operator:
        """Sorting takes memory on every device, and many are found by sorting."""
        return dml.TopK(
            input_tensor=tensor(1, 1, 1024, count),
            output_value_tensor=tensor(1, 1, 1024, 200),
            output_index_tensor=tensor(1, 1, 1024, 200, data_type="UINT32"),
            axis=3,
            k=200,
        )

    assert refused(lambda: dml.Device(device).compile(largest(1 << 16))) < 1 << 20
    dml.Device(device).compile(largest(1 << 8))


@pytest.mark.parametrize("device", DEVICES)
def test_compile__counts_what_lies_between_the_operators_of_a_graph(
    device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anydml.runtime.host.physical_memory", lambda: 1 << 25)
    monkeypatch.setattr("anydml.runtime.host._MODEST_BYTES", 0)
    operator = dml.ElementWiseCos(input_tensor=tensor(1 << 24))
    graph = dml.Graph([operator, operator], [(0, 0, 0)], [(1, 0, 0)], [(0, 0, 1, 0)])
    passes = dml.Passes.none()
    assert refused(lambda: dml.Device(device).compile_graph(graph, passes=passes)) < 1 << 20


def model(operator: str, desc: dict[str, Any], **resources: int) -> str:
    buffers = {
        name: {"initialValuesDataType": "FLOAT32", "initialValues": {"valueCount": count, "value": 0}}
        for name, count in resources.items()
    }
    dispatchable = {"type": operator, "desc": desc}
    return json.dumps({"resources": buffers, "dispatchables": {"d": dispatchable}, "commands": []})


def described(*sizes: int, **more: Any) -> dict[str, Any]:
    return {"DataType": "FLOAT32", "Sizes": sizes, **more}


def test_model__is_refused_before_anything_is_allocated() -> None:
    """A few bytes of text that stand for terabytes, in tensors or in what is computed with them."""
    broadcast = described(*WIDE, Strides=[0, 0, 0, 0])
    wide = model("ELEMENT_WISE_ABS", {"InputTensor": broadcast, "OutputTensor": described(*WIDE)})
    assert refused(lambda: parse_model(wide, budget=1 << 30)) < 1 << 20
    x = described(1, 8, 1024, 1024)
    summed = {"InputTensor": x, "OutputTensor": x, "Axis": 3, "AxisDirection": "INCREASING", "HasExclusiveSum": False}
    running = model("CUMULATIVE_SUMMATION", summed)
    assert refused(lambda: parse_model(running, budget=100 << 20)) < 1 << 20
    assert parse_model(running, budget=1 << 30).dispatchables


def test_executor__asks_the_device_before_it_allocates(monkeypatch: pytest.MonkeyPatch) -> None:
    """On `reference` an operator takes far more than on `cpu`, and only a run knows the device."""
    monkeypatch.setattr("anydml.frontends.dxdispatch.executor.memory_budget", lambda: 200 << 20)
    x = described(1, 2, 1024, 1024)
    text = model("ELEMENT_WISE_ERF", {"InputTensor": x, "OutputTensor": x}, a=1 << 23)
    parsed = parse_model(text, budget=1 << 30)

    def run(device: str) -> None:
        Executor(parsed, dml.Device(device), Options(), lambda text: None).run()

    assert refused(lambda: run("reference")) < 1 << 20
    run("cpu")
