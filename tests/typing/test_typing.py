"""Type checkers see every operator's fields: right programs pass, wrong ones do not, and the stubs are true."""

from __future__ import annotations

import importlib.util
import inspect
import os
import pydoc
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

import anydml
from anydml import operators
from anydml.core.schema import OPERATORS
from tests.typing import right

ROOT = Path(__file__).resolve().parents[2]
WRONG = (Path(__file__).parent / "wrong.py.txt").read_text("utf-8").splitlines()
FIRST_WRONG = next(number for number, line in enumerate(WRONG, 1) if line.startswith("#"))


def check_strictly(file: Path) -> list[str]:
    """mypy's errors, each as `line: text`."""
    words = ["--strict", "--config-file=", "--no-error-summary", "--follow-imports=silent", "--hide-error-context"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words, "--cache-dir", str(ROOT / ".mypy_cache" / "typing"), str(file)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    lines = [line for line in done.stdout.splitlines() if ": error:" in line]
    return [line.split(":", 1)[1] for line in lines]


def stubs_script() -> ModuleType:
    loader = SourceFileLoader("stubs_script", str(ROOT / "scripts" / "stubs"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


def test_stubs__are_up_to_date() -> None:
    for path, text in stubs_script().files().items():
        assert (ROOT / path).read_text("utf-8") == text, f"{path} is out of date: run scripts/stubs"


def test_stubs__have_every_operator_and_field() -> None:
    text = (ROOT / "src/anydml/operators/__init__.pyi").read_text("utf-8")
    for operator in OPERATORS.values():
        if operator.__module__.startswith("anydml.operators."):
            body = text.split(f"class {operator.__name__}(Operator):")[1].split("\nclass ")[0]
            assert all(f"        {name}: " in body for name in operator.fields), operator.__name__


def test_right_programs__are_accepted() -> None:
    assert len(right.PROGRAMS) >= 20
    assert check_strictly(Path(right.__file__)) == []


@pytest.mark.parametrize("program", right.PROGRAMS, ids=lambda program: program.__name__)
def test_right_programs__run(program: object) -> None:
    assert callable(program) and program() is not None


def test_wrong_programs__are_rejected(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text("\n".join(WRONG) + "\n", "utf-8")
    errors = {int(line.split(":", 1)[0]) for line in check_strictly(file)}
    programs = set(range(FIRST_WRONG + 1, len(WRONG) + 1))
    assert len(programs) >= 20
    accepted = [WRONG[number - 1] for number in sorted(programs - errors)]
    assert not accepted, "the type checker accepts:\n" + "\n".join(accepted)
    assert not errors - programs, "the lines before the programs are right"


def test_dir__shows_fields_and_hides_declarations() -> None:
    shown = {name for name in dir(anydml.Slice1) if not name.startswith("_")}
    assert set(anydml.Slice1.fields) < shown and {"replace", "to_json", "from_json"} < shown
    assert not shown & {"fields", "counts", "ranks", "moves", "check", "infer", "points", "form"}
    operator = right.slices_with_lists()
    assert {name for name in dir(operator) if not name.startswith("_")} == shown


def test_signature__has_types_and_defaults() -> None:
    parameters = inspect.signature(anydml.Gemm).parameters
    assert parameters["alpha"].default == 1.0 and parameters["alpha"].annotation == "float"
    assert parameters["a_tensor"].default is inspect.Parameter.empty


@pytest.mark.parametrize("name", sorted(operators.__all__))
def test_help__shows_fields_levels_and_an_example(name: str) -> None:
    operator = getattr(anydml, name)
    text = inspect.getdoc(operator) or ""
    assert all(f"{field}: " in text for field in operator.fields)
    assert f"from feature level {operator.since.text}" in text and f"{operator.__name__}(" in text
    assert "from " in text.split("Tensors by feature level:")[1]


def test_help__is_what_pydoc_renders() -> None:
    text = pydoc.render_doc(anydml.Slice1, renderer=pydoc.plaintext)
    assert "input_window_strides: tuple[int, ...]" in text and "from feature level 2.1" in text
    assert "[slice1.window-inside]" in text and "dml.Slice1(" in text
    assert pydoc.render_doc(right.slices_with_lists(), renderer=pydoc.plaintext).count("Tensors by feature level:") == 1
    assert str(type(anydml.Slice1).__doc__).startswith("The class of operator classes")


def test_help__shows_rules() -> None:
    text = inspect.getdoc(anydml.Slice1) or ""
    assert "[slice1.window-inside]" in text and "have the same DataType, DimensionCount" in text
