"""`anydml ops`, as its user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anydml.catalog.search import search
from anydml.cli.main import main
from anydml.cli.ops import compact
from anydml.core.levels import FeatureLevel
from tests.core.test_foreign import EXPECTED
from tests.operators.facts import operators

Captured = pytest.CaptureFixture[str]


def told(capsys: Captured, *words: str, status: int = 0) -> str:
    assert main(["ops", *words]) == status
    printed = capsys.readouterr()
    return printed.err if status else printed.out


def as_json(capsys: Captured, *words: str) -> Any:
    return json.loads(told(capsys, *words, "--json"))


def test_list__has_every_operator_with_its_level(capsys: Captured) -> None:
    lines = told(capsys).splitlines()
    assert lines[-1] == "177 operators"
    listed = {line.split()[0]: line.split()[1] for line in lines[1:-1]}
    assert listed == {name: facts["since"] for name, facts in operators().items()}
    assert next(line for line in lines if line.startswith("SLICE1 ")).endswith("1-8    FLOAT16-64 INT8-64 UINT8-64")


def test_foreign_names__with_their_module_list_the_operators(capsys: Captured) -> None:
    lines = told(capsys, "torch.cat").splitlines()
    assert lines[0] == "torch.cat: in DirectML 'JOIN'" and lines[-1] == "1 operator"
    assert [each["name"] for each in as_json(capsys, "torch.cat")["operators"]] == ["JOIN"]


def test_list__of_a_level_has_what_it_had(capsys: Captured) -> None:
    names = {each["name"] for each in as_json(capsys, "--level", "2.0")["operators"]}
    assert names == {name for name, facts in operators().items() if facts["since"] in ("1.0", "2.0")}


def test_search__by_words_of_names_and_meanings(capsys: Captured) -> None:
    names = [each["name"] for each in as_json(capsys, "pool")["operators"]]
    assert set(names) == {name for name in operators() if "POOL" in name}
    assert "REVERSE_SUBSEQUENCES" in [each["name"] for each in as_json(capsys, "sequence", "length")["operators"]]
    meanings = told(capsys, "pool")
    assert "The largest element of each window." in meanings and meanings.endswith("operators\n")


def test_search__puts_names_before_meanings() -> None:
    names = [operator.dml_type for operator in search(["softmax"])]
    assert all("SOFTMAX" in name for name in names[:4]) and "MULTIHEAD_ATTENTION" in names[4:]
    assert search(["slice1"], FeatureLevel.LEVEL_2_0) == [] and len(search([])) == 177


@pytest.mark.parametrize(("name", "operator"), EXPECTED.items())
def test_foreign_names__lead_to_directml(name: str, operator: str, capsys: Captured) -> None:
    """A name of another library is answered with DirectML's, unless it is DirectML's own."""
    found = as_json(capsys, name)
    suggestion = found["suggestion"] if "suggestion" in found else repr(found["name"])
    assert suggestion.split("'")[1].rstrip("1") == operator.rstrip("1")


def test_foreign_names__are_told_before_the_list(capsys: Captured) -> None:
    assert told(capsys, "Softmax").startswith("Softmax: in DirectML 'ACTIVATION_SOFTMAX1'\n\n")
    assert told(capsys, "MEAN").startswith("""MEAN: in DirectML 'ELEMENT_WISE_MEAN' or 'REDUCE' with "Function": "A""")
    assert told(capsys, "Reshape") == (
        "Reshape: in DirectML a TensorDesc of the new sizes over the same buffer, which needs no operator\n"
    )


def test_nothing_found__is_an_error_with_a_suggestion(capsys: Captured) -> None:
    assert told(capsys, "poolling", status=2).endswith("try 'LP_POOLING'\n")
    assert "found no operator about 'zzz'" in told(capsys, "zzz", status=2)
    assert "--level: " in told(capsys, "--level", "9.9", status=2)
    assert "--model: " in told(capsys, "pool", "--model", status=2)
    assert "--levels: " in told(capsys, "pool", "--levels", status=2)
    assert "2.0, which has no SLICE1, expected 2.1 or above" in told(capsys, "SLICE1", "--level", "2.0", status=2)


def test_words__cannot_write_to_the_terminal(capsys: Captured) -> None:
    assert "\033" not in told(capsys, "\033[.Softmax")


@pytest.mark.parametrize("name", operators())
def test_one__shows_everything(name: str, capsys: Captured) -> None:
    facts = operators()[name]
    text = told(capsys, name)
    assert text.startswith(f"{name}: dml.") and f"from feature level {facts['since']}" in text
    counts = {field[2].split(" of ")[1].split()[0] for field in facts["fields"] if " of " in field[2]}
    fields = text.partition("\nfields\n")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in fields.splitlines()] == [f[0] for f in facts["fields"] if f[0] not in counts]
    for heading in ("data types and ranks", "rules", "example", "what comes out"):
        assert f"\n{heading}\n" in text


def test_one__as_json(capsys: Captured) -> None:
    found = as_json(capsys, "Slice1")
    assert (found["name"], found["id"], found["feature_level"], found["directml_version"]) == (
        ("SLICE1", operators()["SLICE1"]["id"], "2.1", "1.2.0")
    )
    assert found["support"][0]["tensors"] == ["InputTensor", "OutputTensor"]
    assert {rule["id"] for rule in found["rules"]} >= {"slice1.window-stride", "slice1.window-size"}
    assert found["example"]["outputs"] == {"output_tensor": [[[[14, 16], [6, 8]]]]}
    reduction = as_json(capsys, "REDUCE")
    assert "AVERAGE" in next(field["members"] for field in reduction["fields"] if field["name"] == "Function")
    padding = as_json(capsys, "PADDING")
    assert "WRAP (from 6.4)" in next(field["members"] for field in padding["fields"] if field["members"])


def test_model__runs(capsys: Captured, tmp_path: Path) -> None:
    model = tmp_path / "slice1.json"
    model.write_text(told(capsys, "SLICE1", "--model"))
    assert main(["run", str(model)]) == 0
    assert "Resource 'output_tensor': 14, 16, 6, 8" in capsys.readouterr().out


def test_levels__with_their_releases(capsys: Captured) -> None:
    lines = told(capsys, "--levels").splitlines()
    assert len(lines) == 16 and lines[4].split()[:4] == ["3.0", "1.4.0", "140", "20"]
    rows = as_json(capsys, "--levels")["levels"]
    assert "SLICE1" in next(row["operators"] for row in rows if row["directml_version"] == "1.2.0")


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["FLOAT32", "FLOAT16"], "FLOAT16-32"),
        (["UINT32"], "UINT32"),
        (["INT8", "INT32", "INT64"], "INT8,32,64"),
        (["INT4", "INT8", "UINT64"], "INT4-8 UINT64"),
        ([], ""),
    ],
)
def test_compact__lists_what_has_gaps(names: list[str], text: str) -> None:
    assert compact(names) == text
