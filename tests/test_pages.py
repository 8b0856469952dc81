"""Every sentence and number of DirectML's pages on strides and on SLICE1, true in Python and in the shell.

`tests/spec/pages.json` has a row for each: what it says, a Python expression that is true, and a command whose output
shows it. A command after `!` is refused, and its message shows it. `scripts/claims` writes docs/claims.md from them.
"""

from __future__ import annotations

import importlib.util
import json
import shlex
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.cli.main import main

ROOT = Path(__file__).resolve().parents[1]
ROWS: list[dict[str, Any]] = json.loads((ROOT / "tests" / "spec" / "pages.json").read_text("utf-8"))
Captured = pytest.CaptureFixture[str]


def raises(ask: Callable[[], Any]) -> bool:
    """Whether this is refused."""
    try:
        ask()
    except dml.DmlError:
        return True
    return False


def flat(text: str) -> str:
    """Text without line breaks and repeated spaces, except inside a picture, where cells may be of any width."""
    return " ".join(text.split())


@lru_cache(maxsize=1)
def outputs() -> dict[str, tuple[int, str]]:
    """What commands printed, so that each runs once."""
    return {}


def output_of(command: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    if command not in outputs():
        monkeypatch.chdir(ROOT)
        monkeypatch.setenv("COLUMNS", "160")
        status = main(shlex.split(command.removeprefix("! "))[1:])
        printed = capsys.readouterr()
        outputs()[command] = status, printed.out + printed.err
    return outputs()[command]


def names_of(row: dict[str, Any]) -> str:
    return f"{row['page']}: {row['says'][:70]}"


def test_rows__are_all_there_and_none_is_open() -> None:
    counts = {page: sum(row["page"] == page for row in ROWS) for page in ("strides", "slice1")}
    assert counts["strides"] >= 65 and counts["slice1"] >= 40
    assert len({(row["page"], row["says"]) for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert (
            row["says"] and row["python"] and row["command"].removeprefix("! ").startswith("anydml ") and row["shows"]
        )


@pytest.mark.parametrize("row", ROWS, ids=names_of)
def test_row__is_true_in_python(row: dict[str, Any]) -> None:
    names = {"dml": dml, "np": np, "raises": raises}
    assert eval(row["python"], names) in (True, np.True_)


@pytest.mark.parametrize("row", ROWS, ids=names_of)
def test_row__is_shown_by_its_command(row: dict[str, Any], capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    status, printed = output_of(row["command"], capsys, monkeypatch)
    assert status == (2 if row["command"].startswith("!") else 0), printed
    for piece in row["shows"]:
        assert flat(piece) in flat(printed), f"{piece!r} is not in\n{printed}"


def test_page__is_up_to_date() -> None:
    loader = SourceFileLoader("claims_script", str(ROOT / "scripts" / "claims"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    script = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = script
    loader.exec_module(script)
    assert (ROOT / "docs" / "claims.md").read_text("utf-8") == script.page(), "run scripts/claims"


def test_raises__can_tell() -> None:
    assert raises(lambda: dml.TensorDesc("FLOAT32", [0])) and not raises(lambda: dml.TensorDesc("FLOAT32", [1]))
