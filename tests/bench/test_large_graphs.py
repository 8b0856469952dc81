"""Large graphs: every shape is measured, and told in a line."""

from __future__ import annotations

import json

import pytest

from anydml.bench.large_graphs import LEAST_NODES, SHAPES
from anydml.cli.main import main


def test_bench__measures_every_shape(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "compile", "--nodes", str(LEAST_NODES), "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)
    assert [run["name"] for run in runs] == list(SHAPES)
    assert all(run["steps"] >= 1 and run["make"] > 0 and run["compile"] > 0 for run in runs)


def test_bench__says_it_in_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "compile", "--nodes", "20", "--cases", "join"]) == 0
    heading, line = capsys.readouterr().out.splitlines()
    assert heading.split()[-7:] == ["nodes", "steps", "make", "compile", "us", "a", "node"]
    assert line.split()[:4] == ["wide:", "join", "21", "20"]


@pytest.mark.parametrize(("words", "told"), [(["--cases", "circle"], "circle"), (["--nodes", "3"], "at least 4")])
def test_bench__says_what_it_cannot_measure(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "compile", *words]) == 2
    assert told in capsys.readouterr().err
