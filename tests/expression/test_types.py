"""What type checkers see: the stubs are up to date, examples pass, and a misspelt field does not."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RIGHT = """
import anydml as dml
import anydml.expression as dmlx

graph = dmlx.Graph()
x = dmlx.input_tensor(graph, 0, dml.TensorDesc("FLOAT32", [1, 1, 4, 4]))
pooled: dmlx.Expression = dmlx.max_pooling(x, [2, 2], strides=[2, 2]).output
operator = dml.Slice1(
    input_tensor=dml.TensorDesc("FLOAT32", [4]),
    input_window_offsets=[0],
    input_window_sizes=[4],
    input_window_strides=[-1],
)
"""
WRONG = {
    "a field of an operator": (RIGHT.replace("input_window_sizes", "input_window_size"), "input_window_size"),
    "a parameter": (RIGHT.replace("strides=[2, 2]", "stride=[2, 2]"), "stride"),
    "an operator": (RIGHT.replace("dml.Slice1", "dml.Slice9"), "Slice9"),
    "a function": (RIGHT.replace("dmlx.max_pooling", "dmlx.maxpooling"), "maxpooling"),
    "a type": (RIGHT.replace("[2, 2], strides", "'2, 2', strides"), "max_pooling"),
}


def check(text: str, folder: Path) -> str:
    """What `mypy --strict` says of a program, as where the package is installed: of it, and not of what it imports."""
    from mypy import api

    path = folder / "program.py"
    path.write_text(text, "utf-8")
    cache = ["--cache-dir", str(ROOT / ".mypy_cache")]
    options = ["--strict", "--follow-imports=silent", "--no-error-summary"]
    found, errors, status = api.run([*options, *cache, str(path)])
    assert not errors and bool(status) == bool(found)
    return found


def test_program__is_accepted(tmp_path: Path) -> None:
    assert check(RIGHT, tmp_path) == ""


@pytest.mark.parametrize("case", WRONG)
def test_misspelling__is_refused(case: str, tmp_path: Path) -> None:
    text, word = WRONG[case]
    found = check(text, tmp_path)
    assert "error:" in found and word in found, found


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_example__is_accepted(path: Path, tmp_path: Path) -> None:
    assert check(path.read_text("utf-8"), tmp_path) == ""
