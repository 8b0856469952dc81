"""Kernels at work on the processor: their texts, compiled as C++, give what the definitions say."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import anydml as dml
import anydml.operators
from anydml.core.datatype import DataType
from anydml.graph.graph import Graph
from anydml.runtime.backend import BACKENDS
from tests.cases.framework import answer_of, make_case, numbers_of
from tests.cases.framework.run import check
from tests.runtime.cuda import emulation
from tests.runtime.cuda.moves import is_moved

NAMES = ["ACTIVATION_GELU", "CAST", "SLICE1", "GEMM", "CONVOLUTION", "REDUCE", "ACTIVATION_SOFTMAX1"]
NAMES += ["MEAN_VARIANCE_NORMALIZATION1", "MAX_POOLING", "CUMULATIVE_SUMMATION"]


@pytest.fixture(autouse=True)
def emulated() -> Iterator[None]:
    BACKENDS["emulated"] = ("a GPU made of a compiler", "tests.runtime.cuda.emulation")
    yield
    del BACKENDS["emulated"]


@pytest.mark.parametrize("name", NAMES)
def test_cases__come_out_right(name: str) -> None:
    case = make_case(name, list(numbers_of(name))[3])
    check(case, answer_of(case), "emulated")


@pytest.mark.parametrize("pattern", ["NHWC -> NCHW, C=3", "transpose, odd sizes", "partial window"])
def test_moves__arrive_and_touch_nothing_else(pattern: str) -> None:
    from anydml.bench.patterns import PATTERNS

    (found,) = [each for each in PATTERNS if each.name == pattern]
    for shift in (0, 1):
        assert is_moved(emulation.BACKEND, found.build(1 << 14, 2), DataType.FLOAT16, shift)


def test_moves__can_be_told_wrong() -> None:
    from anydml.bench.patterns import PATTERNS

    class Broken:
        driver = emulation.BACKEND.driver
        upload = staticmethod(emulation.BACKEND.upload)
        download = staticmethod(lambda buffer: emulation.BACKEND.download(buffer) ^ np.uint8(1))

    assert not is_moved(Broken(), PATTERNS[0].build(1 << 10, 2), DataType.FLOAT16, 0)


def test_host_memory__is_refused_with_the_call_that_copies_it() -> None:
    run = dml.Device("emulated").compile(dml.ActivationRelu(input_tensor=dml.TensorDesc("FLOAT32", [4])))
    with pytest.raises(dml.BindingError, match=r"device\.upload"):
        run(np.ones(4, "f4"))
    with pytest.raises(dml.BindingError, match=r"memory of host"):
        run(dml.Device().upload(np.ones(4, "f4")))


def test_graph__is_recorded_when_it_runs_again_on_the_same_memory() -> None:
    device, x = dml.Device("emulated"), dml.TensorDesc("FLOAT32", [64])
    scan = dml.ActivationSoftmax(input_tensor=x)
    run = device.compile_graph(Graph([scan, scan], [(0, 0, 0)], [(1, 0, 0)], [(0, 0, 1, 0)]))
    table = device.create_binding_table(run)
    source, target = device.upload(np.linspace(0, 1, 64, dtype="f4")), device.allocate(256)
    table.bind_inputs([source])
    table.bind_outputs([target])
    found = []
    for _ in range(3):
        table.dispatch()
        found.append(device.download(target).view("f4").copy())
    assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])
    assert abs(found[0].sum() - 1) < 1e-6
    (replay,) = run._executable._bound.values()
    assert len(replay.groups[0][1]) == 2 and len(replay.runs) == 1


def test_outputs__can_stay_on_the_device() -> None:
    device = dml.Device("emulated")
    run = device.compile(dml.ActivationRelu(input_tensor=dml.TensorDesc("FLOAT32", [4])))
    kept = run.on_device(device.upload(np.float32([-1, 2, -3, 4])))
    assert type(kept).__name__ == "Array" and kept.tolist() == [0, 2, 0, 4]
