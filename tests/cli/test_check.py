"""`anydml check`, as its user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anydml.cli.main import main

Captured = pytest.CaptureFixture[str]
EXAMPLES = Path(__file__).parents[2] / "examples"
BAD = """{
  "resources": {
    "a": { "initialValuesDataType": "FLOAT32", "initialValues": [1, 2], "sizeInByte": 8 }
  },
  "dispatchables": {
    "relu": {
      "type": "ACTIVATION_RELU",
      "desc": {
        "InputTensor": { "DataType": "FLOAT32", "Sizes": [4] },
        "OutputTensor": { "DataType": "FLOAT32", "Sizes": [4] }
      }
    }
  },
  "commands": [
    { "type": "dispatch", "dispatchable": "relu", "bindings": { "InputTensor": "a" } },
    { "type": "print", "resource": "b" }
  ]
}
"""


@pytest.fixture
def bad(tmp_path: Path) -> str:
    path = tmp_path / "bad.json"
    path.write_text(BAD)
    return str(path)


def test_check__lists_everything_with_line_and_field(bad: str, capsys: Captured) -> None:
    assert main(["check", bad, str(EXAMPLES / "reduce.json")]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{bad}:3:87: resources.a.sizeInByte: found 'sizeInByte', expected a key of a resource; "
        "try 'sizeInBytes' [model.unknown-key]",
        f"{bad}:15:63: commands[0].bindings.OutputTensor: found no buffer, expected memory for it; "
        'try adding "OutputTensor" with the name of a resource [binding.missing]',
        f"{bad}:15:80: commands[0].bindings.InputTensor: found 8 bytes, expected at least 16; "
        "try a resource of 16 bytes [binding.size]",
        f"{bad}:16:36: commands[1].resource: found 'b', expected a resource of the model; try one of a [model.name]",
        f"{bad}: 4 problems",
        f"{EXAMPLES / 'reduce.json'}: no problems",
    ]


def test_check__gives_json(bad: str, capsys: Captured) -> None:
    assert main(["check", bad, str(EXAMPLES / "reduce.json"), "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)["models"]
    assert [problem["line"] for problem in first["problems"]] == [3, 15, 15, 16]
    assert first["problems"][0]["rule"] == "model.unknown-key" and first["problems"][0]["file"] == bad
    assert second["problems"] == []


def test_check__writes_and_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", str(EXAMPLES / "edges.json"), str(EXAMPLES / "numpy_files.json")]) == 0
    assert not list(tmp_path.iterdir())


def test_check__heeds_the_feature_level(capsys: Captured) -> None:
    assert main(["check", str(EXAMPLES / "slice1_forward.json"), "--dml_feature_level", "2.0"]) == 1
    assert "allowed from feature level 2.1" in capsys.readouterr().out


@pytest.mark.parametrize("line", ["", "x.json --dml_feature_level nine", "x.json --input_path none", "x.json --run"])
def test_bad_usage__ends_with_two(line: str, capsys: Captured) -> None:
    assert main(["check", *line.split()]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_missing_model__ends_with_one(capsys: Captured) -> None:
    assert main(["check", "no such model.json"]) == 1
    assert "no such model.json: found no such file" in capsys.readouterr().out
