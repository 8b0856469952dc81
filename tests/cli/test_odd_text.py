"""Words and names of any characters: no command line prints what steers a terminal, or fails for its encoding."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

import anydml as dml
from anydml.cli.main import main
from tests.fuzz.names import make_graph, make_model, uneven, unprintable

ODD = "x\x1b[2J\nerror:é張\u202e"
VALUES = ["explain", "FLOAT32", "2,3", "--values", "a\x1b[31m,b\nc,\u202ed,張,é,\udcff"]
COMMANDS = [
    "run model.json",
    "run model.json --device null --verbose",
    "check model.json",
    "explain model.json --graph",
    "explain FLOAT32 2,3 --index 1,1",
    "export model.json",
    "ops pool",
    "devices",
    "--help",
]
Captured = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    "words",
    [
        [ODD],
        ["explain", f"{ODD}.json"],
        ["explain", "FLOAT32", f"2,{ODD}"],
        ["explain", ODD, "2,3"],
        ["explain", "FLOAT32", "2,3", f"--s{ODD}"],
        ["explain", "FLOAT32", "2,3", "--order", ODD],
        ["explain", "FLOAT32", "2,3", "--values", f"{ODD}.npy"],
        ["explain", "FLOAT32", "2,3", "--window", f"{ODD}=1"],
        ["explain", "FLOAT32", "2,3", "--svg", f"none{ODD}/a.svg"],
        ["explain", "FLOAT32", "2,3", "--svg", f"{ODD}.png"],
        ["explain", "m.json", "--graph", "--without", ODD],
        ["size", "FLOAT32", ODD],
        ["ops", ODD],
        ["ops", "--model", ODD],
        ["ops", "--level", ODD],
        ["rule", ODD],
        ["completion", ODD],
        ["run", "m.json", f"--{ODD}"],
        ["run", "m.json", "--device", ODD],
        ["run", "m.json", "--dml_feature_level", ODD],
        ["run", "m.json", "--input_path", ODD],
        ["run", "m.json", "--ulp", ODD, "--compare", "x.npy"],
        ["bench", "moves", "--patterns", ODD],
        ["bench", "compute", "--family", ODD],
    ],
    ids=lambda words: " ".join(words).replace(ODD, "ODD"),
)
def test_wrong_words__are_told_in_lines_of_ours(words: list[str], capsys: Captured) -> None:
    assert main(words) == 2
    told = capsys.readouterr().err
    assert unprintable(told) == "" and "\\x1b[2J" in told and "\\\\x1b" not in told
    assert [line for line in told.splitlines() if line.startswith("error:")] == told.splitlines()[:1]


def test_values__are_printed_in_columns(tmp_path: Path, capsys: Captured) -> None:
    svg, html = tmp_path / "a\x1b\n.svg", tmp_path / "\u202e.html"
    assert main([*VALUES, "--svg", str(svg), "--html", str(html)]) == 0
    printed = capsys.readouterr()
    assert unprintable(printed.out + printed.err) == "" and uneven(printed.out) == ""
    assert "a\\x1b\\n.svg\n" in printed.err and svg.stat().st_size and html.stat().st_size
    assert main([*VALUES, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["logical"][5]["label"] == "\udcff"


def environment(encoding: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHONIO"))}
    if encoding == "C":
        return {**kept, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    return {**kept, "PYTHONIOENCODING": encoding}


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "C"])
def test_streams__of_few_characters_get_what_they_have(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(json.dumps(make_model(["é", "張\x1b", "😀\n"])), "utf-8")
    for line in COMMANDS:
        words = line.split()
        done = subprocess.run(
            [sys.executable, "-m", "anydml", *words], cwd=tmp_path, env=environment(encoding), capture_output=True
        )
        text = done.stdout.decode("ascii" if encoding == "C" else encoding)
        assert (done.returncode, done.stderr) == (0, b""), (words, done.stderr)
        assert unprintable(text) == "" != text


def test_null_device__prints_to_any_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = dml.Device("null").compile_graph(make_graph(["é\x1b", "張", "r", "s", "", ""]))
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    with redirect_stdout(stream):
        compiled(np.zeros(4, np.float32), np.zeros(4, np.float32))
    stream.seek(0)
    told = stream.read()
    assert "\\xe9\\x1b[4, 4, 4, 1]" in told and "\\u5f35" in told
    monkeypatch.setattr(sys, "stdout", None)
    compiled(np.zeros(4, np.float32), np.zeros(4, np.float32))


def test_printed_commands__are_json(tmp_path: Path, capsys: Captured) -> None:
    names = ["é\x9b\n", "張\u202e\U000e0041", "😀\x1b"]
    (tmp_path / "model.json").write_text(json.dumps(make_model(names)), "utf-8")
    assert main(["run", str(tmp_path / "model.json"), "--print_commands"]) == 0
    printed = capsys.readouterr().out
    assert unprintable(printed.replace("\t", "")) == "" and "é" in printed and "張" in printed
    commands = [json.loads(line.partition("\t: ")[2]) for line in printed.splitlines() if line.startswith("[StartCmd]")]
    assert commands == list(make_model(names)["commands"])
