"""Names of graphs and models in files: what is written is read with the same names, or refused before it is written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import anydml as dml
from anydml.frontends.dxdispatch.graph import model_graph
from anydml.frontends.dxdispatch.parse import parse_model
from anydml.frontends.dxdispatch.writing import describe_model
from anydml.frontends.serialized import parse_graph, read_graph, serialize_graph, write_graph
from tests.core.checks import violations_of
from tests.fuzz.names import check_model, check_serialized, make_graph
from tests.graph.test_names import RELU

ODD = ["self", "a\x1b\n", "fi", "\ufb01", "x\u202e", "é張"]


@pytest.mark.parametrize(
    "names", [ODD, ["a[0]", "a[b", "tensor_0_0", "output_r", "", ""], ["0", " ", "\0", "\\", "/", "."]]
)
def test_names__survive_both_files(names: list[str], tmp_path: Path) -> None:
    graph = make_graph(names)
    assert check_model(graph, tmp_path) == "" and check_serialized(graph) == ""


@pytest.mark.parametrize("place", range(6))
def test_halves__are_refused(place: int) -> None:
    names = list("pqrstu")
    names[place] = "a\ud800"
    path = ["input_names[0]", "input_names[1]", "output_names[0]", "output_names[1]", "nodes[0].name", "nodes[1].name"]
    assert violations_of(lambda: serialize_graph(make_graph(names)), dml.ModelError) == [
        ("serialized.text", path[place])
    ]
    assert violations_of(lambda: describe_model(make_graph(names)), dml.ModelError) == [("export.names", path[place])]


def test_long_names__are_refused_as_they_are_when_read() -> None:
    assert parse_graph(serialize_graph(make_graph(["é" * 2048, "q", "r", "s", "", ""]))[0]).input_names[0] == "é" * 2048
    found = violations_of(lambda: serialize_graph(make_graph(["é" * 2049, "q", "r", "s", "", ""])), dml.ModelError)
    assert found == [("serialized.text", "input_names[0]")]


@pytest.mark.parametrize("stem", ["a:b", "a\x1bb", "a\\b", "a\udcff"])
def test_files_of_constants__have_names_that_can_be_read(stem: str, tmp_path: Path) -> None:
    graph = dml.Graph([dml.ConstantNode(bytes(16)), RELU], [], [(1, 0, 0)], [(0, 0, 1, 0)])
    path = tmp_path / f"{stem}.dml"
    assert violations_of(lambda: write_graph(graph, path), dml.ModelError) == [("serialized.file", "path")]
    assert not any(tmp_path.iterdir())
    assert len(write_graph(graph, tmp_path / "é 1.dml")) == 2
    assert [node.name for node in read_graph(tmp_path / "é 1.dml").nodes] == ["constant_0", "activation_relu_1"]


def test_inputs_without_names__get_free_ones() -> None:
    """Where nothing reads an input, the format leaves its name empty."""
    graph = dml.Graph([RELU], [(1, 0, 0)], [(0, 0, 0)], input_names=["pppppp", "input0"], output_names=["r"])
    read = parse_graph(serialize_graph(graph)[0].replace(b"\x06\0\0\0pppppp", b"\0\0\0\0\0\0\0\0\0\0"))
    assert read.input_names == ("input0_", "input0")


def test_numbered_names__avoid_those_that_are_there() -> None:
    """`x` is read, then written: the graph's output would be `x (2)`, which a resource is called already."""
    tensor = {"DataType": "FLOAT32", "Sizes": [1, 1, 1, 4]}
    values = {"initialValuesDataType": "FLOAT32", "initialValues": [-1, 2, -3, 4]}
    relu = {"type": "ACTIVATION_RELU", "desc": {"InputTensor": tensor, "OutputTensor": tensor}}

    def dispatch(source: str, target: str) -> dict[str, object]:
        return {"type": "dispatch", "dispatchable": "r", "bindings": {"InputTensor": source, "OutputTensor": target}}

    resources = dict.fromkeys(("x", "x (2)", "y"), values)
    commands = [dispatch("x", "y"), dispatch("x (2)", "x"), {"type": "print", "resource": "y"}]
    model = parse_model(json.dumps({"resources": resources, "dispatchables": {"r": relu}, "commands": commands}))
    graph = model_graph(model)
    assert graph.input_names == ("x", "x (2)") and graph.output_names == ("y", "x (3)")
    outputs = dml.run(graph, {name: np.full(4, 2, np.float32) for name in graph.input_names})
    assert outputs["x (3)"].reshape(-1).tolist() == [2, 2, 2, 2]
