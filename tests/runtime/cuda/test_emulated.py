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
from tests.runtime.cuda.moves import is_moved, taken_for_large

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


MOVES = ["NHWC -> NCHW, C=3", "transpose, odd sizes", "partial window", "BGRA -> RGB", "to every second element"]


@pytest.mark.parametrize("pattern", [*MOVES, "every second column, reversed"])
def test_moves__arrive_and_touch_nothing_else(pattern: str) -> None:
    from anydml.bench.patterns import PATTERNS

    (found,) = [each for each in PATTERNS if each.name == pattern]
    for shift in (0, 1):
        assert is_moved(emulation.BACKEND, found.build(1 << 14, 2), DataType.FLOAT16, shift)


def test_moves__of_large_tensors_arrive_as_well() -> None:
    from anydml.bench.patterns import PATTERNS

    (found,) = [each for each in PATTERNS if each.name == "transpose, odd sizes"]
    with taken_for_large():
        assert is_moved(emulation.BACKEND, found.build(1 << 15, 1), DataType.UINT8, 1)


def test_moves__can_be_told_wrong() -> None:
    from anydml.bench.patterns import PATTERNS

    class Broken:
        driver = emulation.BACKEND.driver
        upload = staticmethod(emulation.BACKEND.upload)
        download = staticmethod(lambda buffer: emulation.BACKEND.download(buffer) ^ np.uint8(1))

    assert not is_moved(Broken(), PATTERNS[0].build(1 << 10, 2), DataType.FLOAT16, 0)


@pytest.mark.parametrize(("stride", "dilation"), [(1, 1), (2, 2)])
def test_depthwise_convolution__has_a_kernel_of_its_own(stride: int, dilation: int) -> None:
    random, device = np.random.default_rng(0), dml.Device("emulated")
    tensors = {"input": (2, 3, 19, 37), "filter": (3, 1, 3, 5), "bias": (1, 3, 1, 1)}
    operator = dml.Convolution(
        **{f"{name}_tensor": dml.TensorDesc("FLOAT16", list(sizes)) for name, sizes in tensors.items()},
        strides=[stride] * 2,
        dilations=[dilation] * 2,
        start_padding=[2, 4],
        end_padding=[2, 3],
        group_count=3,
        fused_activation="RELU",
    )
    arrays = [random.standard_normal(sizes).astype("f2") for sizes in tensors.values()]
    run = device.compile(operator)
    assert [type(step).__name__ for step in run.plan.steps] == ["DepthwiseStep"]
    found, wanted = run(*map(device.upload, arrays)), dml.Device("reference").compile(operator)(*arrays)
    assert np.abs(found.astype("f8") - wanted).max() <= 2**-10 * np.abs(wanted).max() and wanted.max() > 1


def test_scatter__keeps_the_last_of_two_updates() -> None:
    device, places = dml.Device("emulated"), np.uint32([3, 1, 3, 0, 3])
    run = device.compile(
        dml.ScatterElements(
            input_tensor=dml.TensorDesc("FLOAT32", [5]),
            indices_tensor=dml.TensorDesc("UINT32", [5]),
            updates_tensor=dml.TensorDesc("FLOAT32", [5]),
            axis=0,
        )
    )
    arrays = np.float32([9, 9, 9, 9, 9]), places, np.float32([5, 6, 7, 8, 4])
    assert run(*map(device.upload, arrays)).tolist() == [8, 6, 9, 4, 9]


def test_write_at__leaves_out_what_is_written_over() -> None:
    from anydml.runtime.cuda.programs import CudaFunctions

    target, places = np.zeros((3, 2)), np.array([2, 0, 2, 2])
    values = np.arange(8.0).reshape(4, 2)
    CudaFunctions(emulation.Library()).write_at(target, places, values)
    assert target.tolist() == [[2, 3], [0, 0], [6, 7]]


def test_matmul__takes_what_runs_backwards() -> None:
    from anydml.runtime.cuda.programs import CudaFunctions

    class Careful(emulation.Library):
        def matmul(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
            assert min(*a.strides, *b.strides) >= 0
            return np.matmul(a, b)

    a, b = np.arange(6.0).reshape(2, 3)[:, ::-1], np.arange(12.0).reshape(3, 4)
    assert np.array_equal(CudaFunctions(Careful()).matmul(a, b), a @ b)


def _cumulative_sum(monkeypatch: pytest.MonkeyPatch, name: str, error: Exception) -> list[float]:
    """CUMULATIVE_SUMMATION where a function of the array library fails."""
    from anydml.runtime.cuda.programs import CudaFunctions

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(CudaFunctions, name, fail, raising=False)
    device = dml.Device("emulated")
    run = device.compile(
        dml.CumulativeSummation(
            input_tensor=dml.TensorDesc("FLOAT32", [4]),
            axis=0,
            axis_direction="INCREASING",
            has_exclusive_sum=False,
        )
    )
    found: list[float] = run(device.upload(np.float32([1, 2, 3, 4]))).tolist()
    return found


def test_what_the_library_lacks__runs_on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = AttributeError("no such function", name="cumsum", obj=emulation.BACKEND.driver.arrays)
    for error in (lacking, NotImplementedError("not for this type")):
        with pytest.warns(RuntimeWarning, match="CUMULATIVE_SUMMATION runs on the host"):
            assert _cumulative_sum(monkeypatch, "cumsum", error) == [1, 3, 6, 10]


@pytest.mark.parametrize("error", [TypeError("a mistake"), ValueError("a mistake"), AttributeError("a mistake")])
def test_mistakes__are_not_taken_for_what_the_library_lacks(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    with pytest.raises(type(error), match="a mistake"):
        _cumulative_sum(monkeypatch, "cumsum", error)


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
