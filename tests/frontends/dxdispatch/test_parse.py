"""Models: every spelling DxDispatch takes is taken, and everything wrong is told at once, in its place."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import anydml as dml
from anydml.core.enums import ExecutionFlags
from anydml.frontends.dxdispatch import parse_model
from tests.frontends.dxdispatch.models import RELU, changed, parse, run, violations
from tests.work import calls_of

MOST_CALLS = 50_000_000
"""Some hundreds for each of 50,000 entries, or 200,000."""


DESC = RELU["dispatchables"]["relu"]["desc"]
NESTED = {name: {"Type": "DML_TENSOR_TYPE_BUFFER", "Desc": tensor} for name, tensor in DESC.items()}
TYPED = {name: {"Type": "BUFFER", **tensor, "DimensionCount": 1} for name, tensor in DESC.items()}


@pytest.mark.parametrize(
    "dispatchable",
    [
        {"type": "DML_OPERATOR_ACTIVATION_RELU", "desc": DESC},
        {"type": "ACTIVATION_RELU", "Desc": DESC},
        {"Type": "ACTIVATION_RELU", "desc": DESC},
        {"type": "ACTIVATION_RELU", **DESC},
        {"type": "ACTIVATION_RELU", "desc": NESTED},
        {"type": "ACTIVATION_RELU", "desc": TYPED},
        {"type": "ACTIVATION_RELU", "desc": DESC, "dmlCompileType": "DmlCompileGraph"},
        {"type": "ACTIVATION_RELU", "desc": DESC, "executionFlags": "DML_EXECUTION_FLAG_NONE"},
        {"type": "ACTIVATION_RELU", "desc": DESC, "bindings": {}},
    ],
    ids=lambda each: ",".join(each),
)
def test_spellings__mean_the_same(dispatchable: Any) -> None:
    assert run(changed("dispatchables", "relu", to=dispatchable))[0] == "Resource 'out': 0, 2, 0, 4\n"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("DISABLE_META_COMMANDS", ExecutionFlags.DISABLE_META_COMMANDS),
        (["DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE", "DISABLE_META_COMMANDS"], ExecutionFlags(6)),
        ([], ExecutionFlags.NONE),
    ],
)
def test_flags__are_one_or_several(flags: Any, expected: ExecutionFlags) -> None:
    model = parse(changed("dispatchables", "relu", "executionFlags", to=flags))
    assert model.dispatchables["relu"].flags == expected


@pytest.mark.parametrize("largest", [2, 2.0, {"Float16": 2}, {"UInt16": 0x4000}])
def test_scalar_union__is_a_number_or_an_object(largest: Any) -> None:
    half = {"DataType": "FLOAT16", "Sizes": [4]}
    clip = {"InputTensor": half, "OutputTensor": half, "MinMaxDataType": "FLOAT16", "Min": -1, "Max": largest}
    model = changed("dispatchables", "relu", to={"type": "ELEMENT_WISE_CLIP1", "desc": clip})
    for entry in model["resources"].values():
        entry["initialValuesDataType"] = "FLOAT16"
    assert run(model)[0] == "Resource 'out': -1, 2, -1, 2\n"


def test_model__may_name_a_schema_and_start_with_a_mark() -> None:
    assert not violations(changed("$schema", to="./_schema.json"))
    assert not violations(b"\xef\xbb\xbf" + json.dumps(RELU).encode())


BINDINGS = ("commands", 0, "bindings")
BAD = [
    (("resources",), ..., "model.missing", "resources"),
    (("commands",), ..., "model.missing", "commands"),
    (("commands",), {}, "model.kind", "commands"),
    (("dispatchables",), [], "model.kind", "dispatchables"),
    (("resources",), None, "model.missing", "resources"),
    (("comands",), [], "model.unknown-key", "comands"),
    (("resources", "in"), 5, "model.kind", "resources.in"),
    (("resources", "in", "initialValue"), [1], "model.unknown-key", "resources.in.initialValue"),
    (("dispatchables", "relu"), "x", "model.kind", "dispatchables.relu"),
    (("dispatchables", "relu", "type"), ..., "model.missing", "dispatchables.relu.type"),
    (("dispatchables", "relu", "type"), "ACTIVATION_RELLU", "dispatchable.type", "dispatchables.relu.type"),
    (("dispatchables", "relu", "type"), "HLSL", "dispatchable.foreign", "dispatchables.relu.type"),
    (("dispatchables", "relu", "type"), "onnx", "dispatchable.foreign", "dispatchables.relu.type"),
    (("dispatchables", "relu", "type"), "dmlSerializedGraph", "model.missing", "dispatchables.relu.sourcePath"),
    (("dispatchables", "relu", "desk"), {}, "model.unknown-key", "dispatchables.relu.desk"),
    (("dispatchables", "relu", "desc"), 4, "model.kind", "dispatchables.relu.desc"),
    (("dispatchables", "relu", "desc", "self"), 4, "field.unknown", "dispatchables.relu.desc.self"),
    (("dispatchables", "relu", "desc", "InputTensor"), ..., "field.missing", "dispatchables.relu.desc.InputTensor"),
    (("dispatchables", "relu", "desc", "InputTensor", "Sizes"), [0], "sizes.positive",
     "dispatchables.relu.desc.InputTensor.Sizes[0]"),
    (("dispatchables", "relu", "desc", "OutputTensor", "Sizes"), [5], "same.sizes",
     "dispatchables.relu.desc.OutputTensor.Sizes"),
    (("dispatchables", "relu", "dmlCompileType"), "Graph", "dispatchable.compile-type",
     "dispatchables.relu.dmlCompileType"),
    (("dispatchables", "relu", "executionFlags"), 3, "model.kind", "dispatchables.relu.executionFlags"),
    (("dispatchables", "relu", "executionFlags"), ["FAST"], "enum.known",
     "dispatchables.relu.executionFlags"),
    (("dispatchables", "relu", "bindings"), [1], "model.kind", "dispatchables.relu.bindings"),
    (("dispatchables", "relu", "bindings"), {"InputTensor": "in"}, "binding.owned",
     "dispatchables.relu.bindings.InputTensor"),
    (("dispatchables", "relu", "Desc"), {}, "dispatchable.twice", "dispatchables.relu.Desc"),
    (("dispatchables", "relu", "Type"), "GEMM", "dispatchable.twice", "dispatchables.relu.Type"),
    (("dispatchables", "relu", "desc", "InputTensor", "Type"), "TEXTURE", "tensor.type",
     "dispatchables.relu.desc.InputTensor.Type"),
    (("commands", 0, "type"), "dispach", "command.type", "commands[0].type"),
    (("commands", 0), [], "model.kind", "commands[0]"),
    (("commands", 0, "dispatchable"), "relo", "model.name", "commands[0].dispatchable"),
    (("commands", 0, "bindings"), ..., "model.missing", "commands[0].bindings"),
    (("commands", 0, "threadGroupCount"), [0], "model.range", "commands[0].threadGroupCount[0]"),
    ((*BINDINGS, "InputTensor"), "im", "model.name", "commands[0].bindings.InputTensor"),
    ((*BINDINGS, "InputTensor"), ..., "binding.missing", "commands[0].bindings.InputTensor"),
    ((*BINDINGS, "InputTenzor"), "in", "bindings.point", "commands[0].bindings.InputTenzor"),
    ((*BINDINGS, "input_tensor"), "in", "bindings.point", "commands[0].bindings.input_tensor"),
    ((*BINDINGS, "InputTensor"), ["in", "in"], "bindings.point", "commands[0].bindings.InputTensor"),
    ((*BINDINGS, "InputTensor"), [], "bindings.point", "commands[0].bindings.InputTensor"),
    ((*BINDINGS, "InputTensor"), 7, "model.kind", "commands[0].bindings.InputTensor"),
    ((*BINDINGS, "InputTensor"), {"nam": "in"}, "model.missing", "commands[0].bindings.InputTensor.name"),
    ((*BINDINGS, "InputTensor"), {"name": "in", "elementStride": 4}, "model.unknown-key",
     "commands[0].bindings.InputTensor.elementStride"),
    ((*BINDINGS, "InputTensor"), {"name": "in", "elementOffset": 1}, "binding.offset",
     "commands[0].bindings.InputTensor.elementOffset"),
    ((*BINDINGS, "InputTensor"), {"name": "in", "elementOffset": 4}, "binding.size",
     "commands[0].bindings.InputTensor.elementOffset"),
    ((*BINDINGS, "InputTensor"), {"name": "in", "elementOffset": 2**62}, "integer.bits",
     "commands[0].bindings.InputTensor.elementOffset"),
    (("commands", 1, "resource"), "outt", "model.name", "commands[1].resource"),
    (("commands", 1, "verbose"), "yes", "model.kind", "commands[1].verbose"),
    (("commands", 1, "verbos"), True, "model.unknown-key", "commands[1].verbos"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "rule", "place"), BAD, ids=lambda each: str(each)[:50])
def test_bad_model__is_told_with_rule_and_place(path: Any, value: Any, rule: str, place: str) -> None:
    found = violations(changed(*path, to=value))
    assert (rule, place) in [(violation.rule, violation.path) for violation in found], found


def test_line__is_that_of_the_field() -> None:
    text = json.dumps(changed("dispatchables", "relu", "desc", "OutputTensor", "Sizes", to=[4, -4]), indent=1)
    line = text.split("\n").index("      -4") + 1
    (violation,) = violations(text)
    assert (violation.line, violation.column) == (line, 7)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ({"elementOffset": 5}, ("5 (20 bytes)", "a multiple of 4 (16 bytes)", "8")),
        ({"elementOffset": 2, "elementSizeInBytes": 6}, ("2 (12 bytes)", "a multiple of 8 (48 bytes)", "8")),
        ({"elementOffset": 1, "elementSizeInBytes": 40}, ("1 (40 bytes)", "a multiple of 2 (80 bytes)", "2")),
    ],
)
def test_offset__is_told_in_elements_at_its_own_line(source: dict[str, int], told: tuple[str, str, str]) -> None:
    model = changed("resources", "in", "sizeInBytes", to=400)
    model["commands"][0]["bindings"]["InputTensor"] = {"name": "in", **source}
    text = json.dumps(model, indent=1)
    (violation,) = violations(text)
    assert (violation.found, violation.expected, violation.to_json()["fix"]) == told
    lines = text.split("\n")
    assert "elementOffset" in lines[violation.line - 1]  # type: ignore[attr-defined]


SMALLER = "a smaller offset, or a larger resource"


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ({"elementOffset": 12}, ("12 (48 bytes)", "less than 8 (32 bytes), the end of 'in'", SMALLER)),
        ({"elementOffset": 8}, ("8 (32 bytes)", "less than 8 (32 bytes), the end of 'in'", SMALLER)),
        (
            {"elementOffset": 8, "elementSizeInBytes": 6},
            ("8 (48 bytes)", "less than 6 (32 bytes), the end of 'in'", SMALLER),
        ),
        ({"elementOffset": 4}, ("16 bytes from element 4 on", "at least 20", "a resource of 36 bytes")),
    ],
)
def test_offset__past_the_end_is_told_in_elements(source: dict[str, int], told: tuple[str, str, str]) -> None:
    model = changed("resources", "in", "sizeInBytes", to=32)
    for name in ("InputTensor", "OutputTensor"):
        model["dispatchables"]["relu"]["desc"][name]["Sizes"] = [5]
    model["resources"]["out"]["sizeInBytes"] = 32
    model["commands"][0]["bindings"]["InputTensor"] = {"name": "in", **source}
    (violation,) = violations(model)
    assert (violation.found, violation.expected, violation.to_json()["fix"]) == told
    assert violation.path.endswith(".elementOffset" if "bytes from" not in told[0] else ".InputTensor")


def test_command_type__is_told_at_its_own_line() -> None:
    text = json.dumps(changed("commands", 1, "type", to="draw"), indent=1)
    (violation,) = violations(text)
    assert '"draw"' in text.split("\n")[violation.line - 1]  # type: ignore[attr-defined]


PYTHON_ADVICE: list[tuple[Any, Any, dict[str, str], str]] = [
    ((*BINDINGS, "OutputTensor"), ..., {}, 'adding "OutputTensor" with the name of a resource'),
    (("dispatchables", "relu", "desc", "InputTensor"), 7, {}, '{"DataType": "FLOAT32", "Sizes": [2, 3]}'),
    (("dispatchables", "relu", "desc", "InputTensor"), ..., {}, 'adding "InputTensor"'),
    (("dispatchables", "relu", "desc", "InputTensor", "Sizes"), [4, 1], {}, "leading 1s in Sizes, 2 numbers in all"),
    (("dispatchables", "relu", "desc", "OutputTensor", "Sizes"), [4, 1], {}, "fewer dimensions"),
    (("resources", "in", "initialValues"), [1], {}, "a resource of 16 bytes"),
    ((), RELU, {"feature_level": "2.1"}, "leading 1s in Sizes, 4 numbers in all"),
]


@pytest.mark.parametrize(("path", "value", "options", "fix"), PYTHON_ADVICE, ids=lambda each: str(each)[:50])
def test_advice__is_in_the_words_of_a_model(path: Any, value: Any, options: Any, fix: str) -> None:
    model = changed(*path, to=value) if path else value
    assert fix in [violation.to_json()["fix"] for violation in violations(model, **options)]


def test_everything__is_told_at_once() -> None:
    model = copy.deepcopy(RELU)
    model["resources"]["in"]["initialValues"][2] = "x"
    model["resources"]["in"]["size"] = 4
    model["dispatchables"]["relu"]["desc"]["InputTensor"]["DataType"] = "FLOAT"
    model["dispatchables"]["other"] = {"type": "GEM"}
    model["commands"][1]["resource"] = "none"
    model["commands"].append({"type": "writeFile", "resource": "out", "targetPath": "/etc/x.npy"})
    found = violations(model)
    assert [violation.rule for violation in found] == [
        "initial-values.number", "model.unknown-key", "data-type.known", "dispatchable.type", "model.name",
        "file.target",
    ]  # fmt: skip
    lines = [violation.line for violation in found]  # type: ignore[attr-defined]
    assert lines == sorted(lines)


def test_unknown_key__names_the_nearest() -> None:
    (violation,) = violations(changed("resources", "in", "sizeInByte", to=16))
    assert str(violation.fix) == "'sizeInBytes'"


def test_feature_level__is_heeded() -> None:
    model = changed("dispatchables", "relu", to={"type": "ACTIVATION_RELU", "desc": DESC})
    assert not violations(model)
    assert [v.feature_level for v in violations(model, feature_level="2.1")] == ["3.0", "3.0"]


def test_broadcast_beyond_memory__is_refused() -> None:
    tensor = {"DataType": "FLOAT32", "Sizes": [30000, 30000], "Strides": [0, 0]}
    reduce = {
        "InputTensor": tensor,
        "OutputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1]},
        "Function": "SUM",
        "Axes": [0, 1],
    }
    model = changed("dispatchables", "more", to={"type": "REDUCE", "desc": reduce})
    (violation,) = violations(model, budget=1 << 30)
    assert (violation.rule, violation.path) == ("dispatchable.memory", "dispatchables.more.desc.InputTensor.Sizes")


def test_error__carries_every_violation() -> None:
    with pytest.raises(dml.ModelError) as caught:
        parse("{}")
    assert len(caught.value.violations) == 3
    assert "model:1:1: resources: found nothing" in str(caught.value)


FLOODS: dict[str, Any] = {
    "values": changed("resources", "in", "initialValues", to=["x"] * 200_000),
    "typed values": changed("resources", "in", to={"initialValues": [{"type": "x" * 90, "value": 1}] * 50_000}),
    "keys": changed("resources", "in", to={f"key{i}": 1 for i in range(50_000)}),
    "names": changed(*BINDINGS, "InputTensor", to=[f"name{i}" for i in range(50_000)]),
    "fields": changed("dispatchables", "relu", "desc", to={f"Field{i}": 1 for i in range(50_000)}),
    "points": changed(*BINDINGS, to={f"Point{i}": "in" for i in range(50_000)}),
    "resources": {**RELU, "resources": {f"r{i}": 1 for i in range(50_000)}},
    "commands": {**RELU, "commands": [{"type": "print", "resource": f"r{i}"} for i in range(50_000)]},
    "keys twice": json.dumps(RELU).replace("{", "{" + '"type": 1, ' * 50_000, 1),
    "tensors": changed("dispatchables", "join", to={"type": "JOIN", "desc": {"InputTensors": [7] * 50_000, "Axis": 0}}),
}


@pytest.mark.parametrize("name", FLOODS)
def test_flood__is_cut_short(name: str) -> None:
    found: list[dml.Violation] = []
    assert calls_of(lambda: found.extend(violations(FLOODS[name]))) < MOST_CALLS
    assert 0 < len(found) <= 1001


def test_missing_output__is_refused_with_what_would_fit() -> None:
    text = """{
      "resources": {}, "commands": [],
      "dispatchables": { "pool": { "type": "MAX_POOLING", "desc": {
        "InputTensor": { "DataType": "FLOAT16", "Sizes": [1, 2, 4, 6] },
        "Strides": [2, 2], "WindowSize": [2, 2], "StartPadding": [0, 0], "EndPadding": [0, 0] } } } }"""
    with pytest.raises(dml.ModelError) as caught:
        parse_model(text)
    [violation] = caught.value.violations
    assert (violation.rule, violation.path) == ("field.missing", "dispatchables.pool.desc.OutputTensor")
    assert 'try {"DataType": "FLOAT16", "Sizes": [1, 2, 2, 3]}' in str(violation)


def test_graph_compilation__needs_feature_level_2_1() -> None:
    text = (Path(__file__).parents[3] / "examples" / "gemm_graph.json").read_text("utf-8")
    assert parse_model(text, feature_level="2.1").dispatchables["gemm"].operator is not None
    with pytest.raises(dml.ModelError, match=r"dmlCompileType.*DmlCompileOp.*\[dispatchable\.compile-type\]"):
        parse_model(text, feature_level="2.0")
