"""Serialized graphs that lie: each is refused with the node and the field, and nothing is allocated for the lie."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path

import flatbuffers
import numpy as np
import pytest

import anydml as dml
from anydml.cli.main import main
from anydml.frontends.serialized import parse_graph, read_graph, serialize_graph, write_graph
from anydml.frontends.serialized import schema as s

TENSOR = dml.TensorDesc("FLOAT32", [1, 1, 4, 4])


def small_graph() -> dml.Graph:
    constant = dml.ConstantNode(np.arange(16, dtype=np.float32), "weights")
    gemm = dml.OperatorNode(dml.Gemm(a_tensor=TENSOR, b_tensor=TENSOR, fused_activation="RELU"), "product")
    return dml.Graph([constant, gemm], [(0, 1, 0)], [(1, 0, 0)], [(0, 0, 1, 1)], input_names=["x"], output_names=["y"])


DATA, _ = serialize_graph(small_graph())


def refused(data: bytes, rule: str, *words: str) -> None:
    with pytest.raises(dml.ModelError) as caught:
        parse_graph(data)
    text = str(caught.value)
    assert rule in text and all(word in text for word in words), text


def test_every_truncation__is_refused() -> None:
    for size in range(len(DATA)):
        with pytest.raises(dml.DmlError):
            parse_graph(DATA[:size])


def patched(old: bytes, new: bytes) -> bytes:
    assert DATA.count(old) >= 1 and len(old) == len(new)
    return DATA.replace(old, new, 1)


def test_unknown_operators_and_attributes__are_named() -> None:
    refused(patched(b"DML_OPERATOR_GEMM", b"DML_OPERATOR_GAMM"), "serialized.operator", "nodes[1].desc.type", "'GEMM'")
    refused(patched(b"TransA", b"TransX"), "serialized.attribute", "nodes[1].desc.attributes[0].name", "'TransA'")
    refused(
        patched(b"DML_TENSOR_DATA_TYPE_FLOAT32", b"DML_TENSOR_DATA_TYPE_FLOAT99"), "data-type.known", "nodes[1].desc"
    )


def table(builder: flatbuffers.Builder, count: int, **slots: int) -> int:
    builder.StartObject(count)
    for name, offset in slots.items():
        builder.PrependUOffsetTRelativeSlot(int(name[1:]), offset, 0)
    return int(builder.EndObject())


def nodes(offsets: list[int], builder: flatbuffers.Builder) -> bytes:
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    builder.Finish(table(builder, len(s.GRAPH), _0=builder.EndVector()))
    return bytes(builder.Output())


def test_claims__are_not_believed() -> None:
    """Two thousand million nodes in a hundred bytes."""
    builder = flatbuffers.Builder(64)
    data = bytearray(nodes([table(builder, 1)], builder))
    place = data.index(struct.pack("<I", 1), 8)
    struct.pack_into("<I", data, place, 1 << 31)
    tracemalloc.start()
    try:
        refused(bytes(data), "serialized.format", "nodes", "2147483648 entries")
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("word", [0, 1, 4, 0x7FFFFFFF, 0xFFFFFFFC, 0xFFFFFFFF])
def test_every_word__may_be_wrong(word: int) -> None:
    """Offsets to themselves, lengths beyond the end, types that do not exist: an error, or a graph."""
    for place in range(0, len(DATA) - 4, 4):
        data = bytearray(DATA)
        struct.pack_into("<I", data, place, word)
        try:
            parse_graph(bytes(data))
        except dml.DmlError as error:
            assert str(error)


def test_activations_in_activations__are_refused() -> None:
    place = DATA.index(b"DML_OPERATOR_ACTIVATION_RELU")
    # A second fused activation inside the first: Gemm has one, and names are of equal length.
    data = DATA[:place] + b"DML_OPERATOR_ELEMENT_WISE_ADD1"[:28] + DATA[place + 28 :]
    refused(data, "serialized.operator", "nodes[1].desc.attributes[4].val.type")


def test_one_table_a_million_times__is_refused_soon() -> None:
    builder = flatbuffers.Builder(64)
    name = builder.CreateString("n" * 2000)
    builder.StartVector(4, 20_000, 4)
    for _ in range(20_000):
        builder.PrependUOffsetTRelative(name)
    names = builder.EndVector()
    builder.Finish(table(builder, len(s.GRAPH), _1=names))
    refused(bytes(builder.Output()), "serialized.format", "again and again")


def test_empty_files__are_refused() -> None:
    refused(b"", "serialized.format", "0 bytes")
    refused(b"\0" * 64, "graph.count", "nodes")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_graph(small_graph(), tmp_path / "graph.dml")
    return tmp_path


def test_weights__are_there_whole_and_inside(folder: Path) -> None:
    [weights] = folder.glob("*.bin")
    content = weights.read_bytes()
    weights.write_bytes(content[:-4])
    with pytest.raises(
        dml.ModelError, match=r"graph\.dml.*60 bytes in nodes\[0\] \(weights\).*\[graph\.constant-size\]"
    ):
        read_graph(folder / "graph.dml")
    weights.unlink()
    with pytest.raises(
        dml.ModelError, match=r"nodes\[0\]\.desc\.data\.name: found 'graph_constant_0\.bin', .*\[serialized\.weights\]"
    ):
        read_graph(folder / "graph.dml")
    weights.mkdir()
    with pytest.raises(dml.ModelError, match=r"\[serialized\.weights\]"):
        read_graph(folder / "graph.dml")


OUTSIDE, MISSING = "file.source-outside", "serialized.weights"


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("../constant_00", OUTSIDE),
        ("/etc/passwordss", OUTSIDE),
        ("C:/constant000", OUTSIDE),
        ("a/../../weight", OUTSIDE),
        ("con" + " " * 13, MISSING),
        ("graph.dml:stream", MISSING),
    ],
)
def test_weights_elsewhere__are_refused(name: str, rule: str, folder: Path) -> None:
    data = (folder / "graph.dml").read_bytes()
    old = b"graph_constant_0"
    assert old in data
    (folder / "graph.dml").write_bytes(data.replace(old, name.encode().ljust(len(old), b"x")[: len(old)]))
    with pytest.raises(dml.ModelError, match=r"nodes\[0\]\.desc\.data\.name") as caught:
        read_graph(folder / "graph.dml")
    assert caught.value.violations[0].rule == rule


MODEL = """{
  // A graph in a file of its own.
  "resources": {
    "in": {
      "initialValuesDataType": "FLOAT32",
      "initialValues": { "valueCount": 16, "valueStart": 0, "valueDelta": 1 }
    },
    "out": { "initialValuesDataType": "FLOAT32", "initialValues": { "valueCount": 16, "value": 0 } },
  },
  "dispatchables": { "graph": { "type": "dmlSerializedGraph", "sourcePath": "graph.dml" } },
  "commands": [
    { "type": "dispatch", "dispatchable": "graph", "bindings": { "x": "in", "y": "out" } },
    { "type": "print", "resource": "out" },
  ],
}"""


def test_model__runs_a_serialized_graph(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "model.json").write_text(MODEL, "utf-8")
    assert main(["run", str(folder / "model.json")]) == 0
    x = np.arange(16, dtype=np.float32).reshape(4, 4)
    assert capsys.readouterr().out.splitlines()[1] == "Resource 'out': " + ", ".join(
        f"{v:g}" for v in (x @ x).reshape(-1)
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('"x": "in"', '"z": "in"', "an input or output of the graph"),
        ('"x": "in", ', "", "binding.missing"),
        ('"valueStart": 0, "valueDelta": 1', '"value": 1', ""),
        ("graph.dml", "other.dml", "file.source"),
        ('"sourcePath"', '"sourcepath"', "model.missing"),
    ],
)
def test_model__is_checked_like_any_other(
    old: str, new: str, told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "model.json").write_text(MODEL.replace(old, new), "utf-8")
    assert main(["check", str(folder / "model.json")]) == (1 if told else 0)
    assert told in capsys.readouterr().out


def test_broken_graph__is_told_with_the_place_in_the_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "model.json").write_text(MODEL, "utf-8")
    (folder / "graph.dml").write_bytes(DATA[:100])
    assert main(["run", str(folder / "model.json")]) == 1
    told = capsys.readouterr().err
    assert "model.json:10:" in told and "dispatchables.graph.sourcePath" in told and "serialized.format" in told
