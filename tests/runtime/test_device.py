"""Devices: levels, feature queries, compiling, and running on every kind of memory."""

from __future__ import annotations

import mmap
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.core.fixes import Rename
from anydml.runtime.native import llvm

SOURCE = np.arange(1, 17, dtype=np.float32)


def backwards(device: str = "cpu") -> dml.CompiledOperator:
    """The documented slice with a negative stride: rows from the last, every second column from 1."""
    operator = dml.Slice1(
        input_tensor=dml.TensorDesc("FLOAT32", [1, 1, 4, 4]),
        output_tensor=dml.TensorDesc("FLOAT32", [1, 1, 2, 2]),
        input_window_offsets=[0, 0, 0, 1],
        input_window_sizes=[1, 1, 4, 3],
        input_window_strides=[1, 1, -2, 2],
    )
    return dml.Device(device).compile(operator)


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_run__writes_in_place(device: str) -> None:
    result = np.zeros((1, 1, 2, 2), np.float32)
    backwards(device)(input_tensor=SOURCE, output_tensor=result)
    assert result.tolist() == [[[[14, 16], [6, 8]]]]


def test_null__prints_and_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    result = np.full(4, 7, np.float32)
    backwards("null")(input_tensor=SOURCE, output_tensor=result)
    assert "SLICE1: 1 step" in capsys.readouterr().out
    assert result.tolist() == [7, 7, 7, 7]
    for _ in range(8):
        np.full(64, 7, np.float32)  # memory that new arrays may get
        assert not backwards("null")(SOURCE).any()


class Shared:
    """A tensor of another library: memory through DLPack alone."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_buffers__of_every_kind(tmp_path: Path) -> None:
    run = backwards()
    path = tmp_path / "source.bin"
    path.write_bytes(SOURCE.tobytes())
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        sources = [SOURCE, SOURCE.tobytes(), bytearray(SOURCE.tobytes()), memoryview(SOURCE), Shared(SOURCE), mapped]
        sources.append(np.memmap(path, np.float32, "r"))
        for source in sources:
            result = bytearray(16)
            run(input_tensor=source, output_tensor=result)
            assert np.frombuffer(result, np.float32).tolist() == [14, 16, 6, 8], type(source)
        del source, sources


def test_dlpack__output_is_written_in_place() -> None:
    result = np.zeros(4, np.float32)
    backwards()(input_tensor=SOURCE, output_tensor=Shared(result))
    assert result.tolist() == [14, 16, 6, 8]


def test_compiled__pickles_with_its_weights() -> None:
    weights = dml.TensorDesc("FLOAT32", [3], flags="OWNED_BY_DML")
    plain = dml.TensorDesc("FLOAT32", [3])
    run = dml.Device().compile(dml.ElementWiseAdd(a_tensor=weights, b_tensor=plain, output_tensor=plain))
    run.initialize(a_tensor=np.float32([1, 2, 3]))
    again = pickle.loads(pickle.dumps(run))
    result = np.zeros(3, np.float32)
    again(b_tensor=np.float32([5, 8, -5]), output_tensor=result)
    assert result.tolist() == [6, 10, -2]


@pytest.mark.parametrize("there", [16, 32])
def test_compiled__is_unpickled_on_another_machine(there: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packed weights depend on the width of vectors, so the weights themselves travel."""
    plain, owned = (dml.TensorDesc("FLOAT32", [1, 1, 9, 9], flags=flags) for flags in ("NONE", "OWNED_BY_DML"))
    run = dml.Device().compile(dml.Gemm(a_tensor=plain, b_tensor=owned))
    weights = np.arange(81, dtype=np.float32).reshape(9, 9)
    run.initialize(b_tensor=weights)
    data, here = pickle.dumps(run), llvm.vector_bytes()
    monkeypatch.setattr(llvm, "vector_bytes", lambda: min(here, there))
    run = pickle.loads(data)
    assert run(np.eye(9, dtype=np.float32)).reshape(9, 9).tolist() == weights.tolist()


def test_compiled__serves_many_threads() -> None:
    run, failures = backwards(), []

    def work(factor: int) -> None:
        result = np.zeros(4, np.float32)
        for _ in range(200):
            run(input_tensor=SOURCE * factor, output_tensor=result)
            if result.tolist() != [14 * factor, 16 * factor, 6 * factor, 8 * factor]:
                failures.append(result.copy())

    threads = [threading.Thread(target=work, args=(factor,)) for factor in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_constants__are_made_ready_by_the_first_of_many_threads() -> None:
    """None of those that come meanwhile finds that somebody else was first."""
    tensor = dml.TensorDesc("FLOAT32", [1, 1, 4, 4])
    nodes = [dml.ConstantNode(np.eye(4, dtype=np.float32)), dml.Gemm(a_tensor=tensor, b_tensor=tensor)]
    run = dml.Device().compile_graph(dml.Graph(nodes, [(0, 1, 0)], [(1, 0, 0)], [(0, 0, 1, 1)]))
    assert not run.is_initialized
    run._backend = SlowMemory(run._backend)  # type: ignore[assignment]
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda _: run(SOURCE), range(8)))
    assert all(result.reshape(-1).tolist() == SOURCE.tolist() for result in results)


class SlowMemory:
    """A backend that lets other threads run before it returns memory."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend

    def allocate(self, size_in_bytes: int) -> Any:
        time.sleep(0.01)
        return self._backend.allocate(size_in_bytes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)


def test_levels__decide_what_compiles() -> None:
    tensor = dml.TensorDesc("FLOAT32", [4])
    operator = dml.ActivationRelu(input_tensor=tensor)
    with pytest.raises(dml.UnsupportedError) as raised:
        dml.Device(feature_level="2.1").compile(operator)
    assert raised.value.feature_level == "3.0"
    assert raised.value.hresult == dml.HResult.DXGI_ERROR_UNSUPPORTED
    dml.Device(feature_level="3.0").compile(operator)


def test_queries__of_features() -> None:
    device = dml.Device(feature_level="5.0")
    assert device.supports_data_type("INT64") and not device.supports_data_type("INT4")
    assert device.highest_feature_level(["1.0", "4.1", "6.4"]) is dml.FeatureLevel.LEVEL_4_1
    assert device.highest_feature_level(["6.4"]) is None


def test_unknown_device__suggests() -> None:
    with pytest.raises(dml.DmlError, match="reference"):
        dml.Device("referense")
    with pytest.raises(dml.DmlError) as caught:
        dml.Device("gpu")
    [violation] = caught.value.violations
    assert violation.expected == "one of cpu, cuda, reference, null, auto" and violation.fix == Rename("auto")
    assert dml.Device("auto").name in ("cpu", "cuda")


def test_wrong_kinds__the_method_that_takes_it_is_told() -> None:
    device, relu = dml.Device(), dml.ActivationRelu(input_tensor=dml.TensorDesc("FLOAT32", [4]))
    compiled = device.compile(relu)
    for call, value, fix in [
        (device.compile, dml.Graph.of(relu), "compile_graph(...)"),
        (device.create_operator, dml.Graph.of(relu), "compile_graph(...)"),
        (device.compile, compiled, "calling it, since it is compiled"),
        (device.compile_graph, relu, "compile(...), or Graph.of(...)"),
        (dml.explain, dml.Graph.of(relu), "graph.describe() or graph.to_svg()"),
    ]:
        with pytest.raises(dml.InvalidDescriptionError) as caught:
            call(value)  # type: ignore[operator]
        [violation] = caught.value.violations
        assert str(violation.fix) == fix and violation.found == type(value).__name__
    graph = dml.Graph.of(relu)
    assert device.compile_graph(graph) and graph.describe() and graph.to_svg()


def test_violations__all_at_once() -> None:
    operator = dml.Slice1(
        input_tensor=dml.TensorDesc("FLOAT32", [4, 4]),
        output_tensor=dml.TensorDesc("FLOAT16", [5, 1]),
        input_window_offsets=[3, 0],
        input_window_sizes=[2, 4],
        input_window_strides=[1, 0],
    )
    with pytest.raises(dml.DmlError) as raised:
        dml.Device().compile(operator)
    assert {violation.rule for violation in raised.value.violations} == {
        "same.data-type",
        "slice1.window-inside",
        "slice1.window-stride",
        "slice1.output-size",
    }


def test_output_left_out__the_cause_is_told() -> None:
    with pytest.raises(dml.DmlError) as raised:
        dml.Slice1(
            input_tensor=dml.TensorDesc("FLOAT32", [4, 4]),
            input_window_offsets=[0, 7],
            input_window_sizes=[4, 1],
            input_window_strides=[0, 1],
        )
    assert [violation.path for violation in raised.value.violations] == [
        "InputWindowStrides[0]",
        "InputWindowOffsets[1]",
    ]


def test_unknown_name__tells_the_nearest() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Slise'; try Slice"):
        dml.Slise  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'Devise'; try 'Device'"):
        dml.Devise  # noqa: B018
