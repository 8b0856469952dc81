"""The examples run, on every device that computes, and print what stands beside them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from anydml.cli.main import main

EXAMPLES = Path(__file__).parents[3] / "examples"
MODELS = sorted(EXAMPLES.glob("*.json"))


def test_examples__are_there() -> None:
    assert len(MODELS) >= 10
    assert {path.stem for path in MODELS} == {path.stem for path in (EXAMPLES / "expected").glob("*.txt")}


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_example__prints_what_is_expected(
    path: Path, device: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(path), "--device", device, "--output_path", str(tmp_path)]) == 0
    first, *lines = capsys.readouterr().out.splitlines(keepends=True)
    assert first == f"Running on '{device}'\n"
    told = "".join(line for line in lines if " written to " not in line)
    assert told == (EXAMPLES / "expected" / f"{path.stem}.txt").read_text("utf-8")


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_example__has_no_problems(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: no problems\n"


def test_numpy_example__writes_what_numpy_reads(tmp_path: Path) -> None:
    assert main(["run", str(EXAMPLES / "numpy_files.json"), "--output_path", str(tmp_path)]) == 0
    assert np.load(tmp_path / "out" / "reversed.npy").tolist() == [[6, 5, 4], [3, 2, 1]]


def test_edge_example__writes_the_outline(tmp_path: Path) -> None:
    from PIL import Image

    assert main(["run", str(EXAMPLES / "edges.json"), "--output_path", str(tmp_path)]) == 0
    inside = np.zeros((8, 8), bool)
    inside[2:6, 2:6] = True
    inside[3:5, 3:5] = False
    assert np.array_equal(np.asarray(Image.open(tmp_path / "edges.png")) == 255, inside)
