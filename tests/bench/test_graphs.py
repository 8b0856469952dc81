"""Whole networks: what is measured is the same computation for both contenders."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import anydml as dml
from anydml.bench import graphs, measure
from anydml.bench.networks import NETWORKS, RELU, RELU6, Network, operations_of
from anydml.bench.peak import measure_peak
from anydml.cli.main import main

Captured = pytest.CaptureFixture[str]


def small_network() -> tuple[Network, object]:
    """Every kind of layer of an image network, on a small image."""
    network = Network((1, 3, 12, 12))
    x = network.max_pooling(network.convolution(network.input, 8, 3, 2, activation=RELU), 3, 2, 1)
    y = network.convolution(x, 8, 3, groups=8, activation=RELU6)
    joined = network.join([network.add(x, y, RELU), x])
    return network, network.convolution(network.average_of_pixels(joined), 5, 1)


def test_network__is_the_same_for_both() -> None:
    pytest.importorskip("onnxruntime")
    network, output = small_network()
    x = np.random.default_rng(3).standard_normal(network.input_sizes).astype(np.float32)
    _, work, mine = graphs._ours(network, output, x, 1)
    found = graphs._onnx(network, output, x, 1)
    assert found is not None
    assert graphs._difference({"a": work, "b": found[0]}, mine, found[1]) < 1e-5


def test_difference__is_noticed() -> None:
    one, two = np.ones(4, np.float32), np.array([1, 1, 1, 1.001], np.float32)
    with pytest.raises(RuntimeError, match="differ"):
        graphs._difference({}, one, two)


def test_network__runs_by_definition() -> None:
    network, output = small_network()
    graph = network.graph(output)
    x = np.random.default_rng(4).standard_normal(network.input_sizes).astype(np.float32)
    results = [dml.Device(name).compile_graph(graph)(x) for name in ("cpu", "reference")]
    assert np.allclose(*results, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("name", "billions"), [("SqueezeNet 1.1", 0.7), ("ResNet-50", 8.2), ("MobileNetV2", 0.6)])
def test_networks__do_as_much_as_published(name: str, billions: float) -> None:
    """Published counts of multiply-adds: 0.35, 4.1 and 0.3 billions."""
    network, output = NETWORKS[name]({})
    assert output.sizes == (1, 1000, 1, 1)
    assert operations_of(network) / 1e9 == pytest.approx(billions, rel=0.05)


def test_transformer__has_its_sizes() -> None:
    network, output = NETWORKS["transformer encoder"]({})
    assert output.sizes == network.input_sizes == (1, 1, 128, 768)


def test_weights__are_taken_from_files(tmp_path: Path) -> None:
    kernel = np.full((64, 3, 3, 3), 0.5, np.float32)
    np.save(tmp_path / "squeezenet0_conv0_weight.npy", kernel)
    network, _ = NETWORKS["SqueezeNet 1.1"](graphs.read_weights(tmp_path))
    assert np.array_equal(network.constants["c0"], kernel)


def test_command__prints_json(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NETWORKS, "MobileNetV2", lambda given: small_network())
    assert main(["bench", "graph", "--networks", "mobile", "--repeat", "2", "--json"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["name"] == "MobileNetV2" and result["timings"]["anydml"]["median"] > 0


def test_command__prints_a_table(capsys: Captured, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(NETWORKS, "MobileNetV2", lambda given: small_network())
    monkeypatch.setattr(measure, "_clock", measure._clock)
    words = ["bench", "graph", "--networks", "mobile", "--repeat", "2", "--threads", "1", "--processor-time"]
    assert main([*words, "--svg", str(tmp_path / "chart.svg")]) == 0
    assert "MobileNetV2" in capsys.readouterr().out
    assert ">MobileNetV2</text>" in (tmp_path / "chart.svg").read_text()


@pytest.mark.parametrize(
    "arguments",
    [["--networks", "nothing"], ["--weights", "no/such/folder"], ["--processor-time", "--threads", "2"]],
)
def test_command__says_what_is_wrong(capsys: Captured, arguments: list[str]) -> None:
    assert main(["bench", "graph", *arguments]) == 2
    assert arguments[0] in capsys.readouterr().err


def test_peak__is_that_of_a_process_of_its_own() -> None:
    """Weights of SqueezeNet take 5 MB: packing them takes as much again."""
    found = measure_peak("SqueezeNet 1.1", graphs.OURS, 1)
    assert found is None if not Path("/proc/self/clear_refs").exists() else 5e6 < (found or 0) < 2e8
    assert measure_peak("no network", graphs.OURS, 1) is None
