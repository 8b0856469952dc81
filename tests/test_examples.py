"""The Python examples run and print what they should; the notebook, the API page and the tutorial agree."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]
PRINTED = {
    "slice1.py": ["[ 2.  4. 10. 12.]", "[14. 16.  6.  8.]"],
    "padded_transpose.py": ["[1. 4. 2. 5. 3. 6.]"],
    "gemm_owned_weights.py": ["[1. 2. 3. 4.]", "[10. 20. 30. 40.]"],
    "run_model.py": ["output [14. 16.  6.  8.]"],
    "preprocess.py": ["nest [4, 3, 640, 640]", "times as fast"],
    "transformer.py": ["MULTIHEAD_ATTENTION", "largest difference from NumPy"],
    "explain.py": ["Padded: 4 of the 10 places", "D at (1, 0): 1·5 + 0·1 = 5, byte 20"],
}


def script(name: str) -> ModuleType:
    loader = SourceFileLoader(f"{name}_script", str(ROOT / "scripts" / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_examples__are_all_known() -> None:
    assert {path.name for path in (ROOT / "examples").glob("*.py")} - {"classify.py"} == set(PRINTED)


@pytest.mark.parametrize("name", PRINTED)
def test_example__prints_what_it_should(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / name)], capture_output=True, encoding="utf-8", env={"PYTHONUTF8": "1"}
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
