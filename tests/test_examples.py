"""The Python examples run and print what they should; the notebook, the API page and the tutorial agree."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

import anydml

ROOT = Path(__file__).resolve().parents[1]
PRINTED = {
    "slice1.py": ["[ 2.  4. 10. 12.]", "[14. 16.  6.  8.]"],
    "padded_transpose.py": ["[1. 4. 2. 5. 3. 6.]"],
    "gemm_owned_weights.py": ["[1. 2. 3. 4.]", "[10. 20. 30. 40.]"],
    "run_model.py": ["output [14. 16.  6.  8.]"],
    "explain.py": ["Padded: 4 of the 10 places", "D at (1, 0): 1·5 + 0·1 = 5, byte 20"],
}
PROGRAMS = {"classify.py", "preprocess.py", "transformer.py"}
"""Those that `test_example_programs` tests."""


def script(name: str) -> ModuleType:
    loader = SourceFileLoader(f"{name}_script", str(ROOT / "scripts" / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_examples__are_all_known() -> None:
    assert {path.name for path in (ROOT / "examples").glob("*.py")} == set(PRINTED) | PROGRAMS


@pytest.mark.parametrize("name", PRINTED)
def test_example__prints_what_it_should(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / name)],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    assert done.returncode == 0, done.stderr
    for piece in PRINTED[name]:
        assert piece in done.stdout


def test_notebook__is_the_tutorial() -> None:
    assert (ROOT / "examples" / "tutorial.ipynb").read_text("utf-8") == script("notebook").text(), (
        "run scripts/notebook"
    )


def test_notebook__runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples")
    cells = json.loads((ROOT / "examples" / "tutorial.ipynb").read_text("utf-8"))["cells"]
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert "resources" in names


def test_api_page__is_up_to_date() -> None:
    assert (ROOT / "docs" / "api.md").read_text("utf-8") == script("api").page(), "run scripts/api"


def test_api__tells_members_by_their_own_texts() -> None:
    """No text of a type stands for a value, nothing inherited is repeated, and what is left out exists."""
    api = script("api")
    page = api.page()
    assert page.count("| `hresult` |") == 1 and "superset" not in "".join(api.members(anydml.Operator))
    for row in ("`operator(*buffers, **named)`", "`to_cpp(name)`", "`of_directml(version)`", "### slicing.Selection"):
        assert row in page
    for name, left_out in api.INTERNAL.items():
        assert all(member in dir(getattr(anydml, name)) for member in left_out)
