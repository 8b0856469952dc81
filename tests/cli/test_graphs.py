"""`anydml explain MODEL --graph`, as its user meets it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from anydml.cli.main import main

Captured = pytest.CaptureFixture[str]
EXAMPLES = Path(__file__).parents[2] / "examples"
PIPELINE = str(EXAMPLES / "image_pipeline.json")


def told(capsys: Captured, *words: str, status: int = 0) -> str:
    assert main(["explain", *words]) == status
    printed = capsys.readouterr()
    return printed.err if status else printed.out


def test_text__shows_the_graph_and_what_passes_change(capsys: Captured) -> None:
    text = told(capsys, PIPELINE, "--graph")
    assert text.startswith("graph of 5 nodes: image -> output\n  0. SLICE1 'crop'(image)")
    assert "\nforward (read through copies: movement becomes strides of the reader): 2 steps\n" in text
    assert text.endswith("5 steps before the passes, 1 after\n")


def test_without__switches_passes_off(capsys: Captured) -> None:
    assert told(capsys, PIPELINE, "--graph", "--without", "fuse").endswith("5 steps before the passes, 2 after\n")
    stages = json.loads(told(capsys, PIPELINE, "--graph", "--without", "fuse", "place", "--json"))["stages"]
    assert not {"fuse", "place"} & {stage["name"] for stage in stages}


def test_device__chooses_whose_passes_run(capsys: Captured) -> None:
    assert told(capsys, PIPELINE, "--graph", "--device", "reference").endswith("5 steps before the passes, 5 after\n")


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_examples__can_all_be_explained(path: Path, capsys: Captured, tmp_path: Path) -> None:
    picture = tmp_path / "plan.svg"
    data = json.loads(told(capsys, str(path), "--graph", "--json", "--svg", str(picture)))
    assert data["graph"]["nodes"] and data["stages"][0]["name"] == "lower"
    assert ElementTree.fromstring(picture.read_text("utf-8")).tag.endswith("svg")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["no such.json", "--graph"], "no such file"),
        ([PIPELINE], "try anydml explain --graph"),
        (["FLOAT32"], "found no SIZES"),
        (["FLOAT32", "2,3", "--device", "cpu"], "--device: found without --graph"),
        ([PIPELINE, "2,3", "--graph"], "expected a model alone"),
        ([PIPELINE, "--graph", "--strides", "1"], "expected a model alone"),
        ([PIPELINE, "--graph", "--device", "gpu"], "device.known"),
        ([PIPELINE, "--graph", "--without", "fusion"], "try 'fuse'"),
    ],
)
def test_wrong_words__are_told(words: list[str], message: str, capsys: Captured) -> None:
    assert message in told(capsys, *words, status=2)


def test_names__cannot_write_to_the_terminal_or_break_the_picture(capsys: Captured, tmp_path: Path) -> None:
    text = Path(PIPELINE).read_text("utf-8").replace('"image"', '"\\u001b[31m\\u0000\\uffff<x>"')
    model, picture = tmp_path / "model.json", tmp_path / "plan.svg"
    model.write_text(text, "utf-8")
    assert "\033" not in told(capsys, str(model), "--graph", "--svg", str(picture))
    assert ElementTree.fromstring(picture.read_text("utf-8")) is not None


def test_models_that_are_no_graph__are_refused(capsys: Captured, tmp_path: Path) -> None:
    model = tmp_path / "empty.json"
    model.write_text('{"resources": {}, "dispatchables": {}, "commands": []}')
    assert "[model-graph.dispatches]" in told(capsys, str(model), "--graph", status=2)
