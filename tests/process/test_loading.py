"""Modules are loaded whole, by the loader alone: an interrupt or a fork never leaves one half loaded."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from anydml.process.loading import load_module

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "anydml"

RECORDER = """
import sys, traceback
class Recorder:
    def find_spec(self, name, path=None, target=None):
        found = sys.modules.get("anydml.process.uninterrupted")
        is_known = hasattr(found, "LOADER")
        if is_known and (found.LOADER.inside.is_working or found.LIBRARIES.inside.is_working):
            return
        is_compiling = is_known and found.COMPILER.inside.is_working
        if is_compiling or name.partition(".")[0] in ("anydml", "llvmlite", "numpy"):
            places = [place for place in traceback.extract_stack() if "anydml" in place.filename]
            seen.append((name, "while compiling" if is_compiling else "", places[-1:]))
seen = []
sys.meta_path.insert(0, Recorder())
import anydml as dml
from anydml.process.loading import load_module
seen.clear()
"""

USES = """
np = load_module("numpy")
x = dml.TensorDesc("FLOAT32", [2, 3])
for explanation in (dml.explain(x), dml.explain(dml.Layout((2, 3), (5, 1)))):
    str(explanation), explanation.to_svg(), explanation.to_html(), explanation.to_dict()
relu = dml.ActivationRelu(input_tensor=x, output_tensor=x)
repr(relu), dml.Operator.from_dict(relu.to_dict())
graph = dml.Graph([relu, relu], [(0, 0, 0)], [(1, 0, 0)], [(0, 0, 1, 0)])
graph.describe(), graph.to_svg(), graph.to_cpp(), dml.Graph.from_json(graph.to_json())
dml.Device().compile_graph(graph)(np.zeros((2, 3), np.float32))
dml.run_model("examples/slice1_reversed.json")
dml.slicing.Selection.from_numpy(np.s_[::-1, 1:], (4, 4)).to_operator("FLOAT32")(np.zeros((4, 4), np.float32))
examples = load_module("anydml.catalog.examples")
large = load_module("tests.runtime.large").make().values()
for name in ("cpu", "reference", "null"):
    device = dml.Device(name)
    for operator in large:
        device.compile(operator)
for operator in load_module("anydml.core.schema").OPERATORS.values():
    examples.example_of(operator).run("cpu")
"""


def run(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )


def test_modules__are_loaded_by_the_loader_alone(tmp_path: Path) -> None:
    """Over all operators, and without a cache: all that compiles does."""
    done = run(f"{RECORDER}{USES}\nprint(seen)", ANYDML_CACHE=str(tmp_path / "cache"))
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["[]"]), done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.parametrize(
    "program",
    [
        "import anydml.view.html",
        "load_module('anydml.process.uninterrupted').COMPILER.run(lambda: __import__('colorsys'))",
    ],
)
def test_recorder__notices_what_others_load(program: str) -> None:
    done = run(f"{RECORDER}{program}\nprint(len(seen) > 0)")
    assert done.stdout == "True\n", done.stderr


def imports_inside_functions(source: str) -> list[int]:
    """The lines where a function imports what is not Python's own, by a statement or by `import_module`."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    lines = []
    for node in (inner for function in functions for inner in ast.walk(function)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]
            if not all(name.partition(".")[0] in sys.stdlib_module_names for name in names) or "importlib" in names:
                lines.append(node.lineno)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "import_module":
            lines.append(node.lineno)
    return lines


def test_functions__load_modules_through_the_loader() -> None:
    """A statement would load in the thread of the caller, or find a module that the loader has half loaded."""
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in PACKAGE.rglob("*.py")
        if path.relative_to(PACKAGE).parts[0] not in ("bench", "cli", "process", "__main__.py")
        for line in imports_inside_functions(path.read_text("utf-8"))
    ]
    assert not found


@pytest.mark.parametrize(
    ("body", "count"),
    [("import json", 0), ("import cupy", 1), ("from anydml.view import svg", 1), ("import_module('json')", 1)],
)
def test_imports_inside_functions__are_found(body: str, count: int) -> None:
    assert len(imports_inside_functions(f"import numpy\ndef f():\n    {body}\n")) == count


def test_load_module__gives_the_module_or_its_error() -> None:
    assert load_module("json") is sys.modules["json"] is load_module("json")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        load_module("no_such_module")


def test_numpy__is_whole_after_an_interrupt_of_its_loading() -> None:
    """Every call of a first use is interrupted in turn, ten of them; NumPy is loaded once and stays."""
    program = """
import sys, threading
def interrupt(frame, event, argument):
    global left
    left -= 1
    if left < 0:
        sys.setprofile(None)
        raise KeyboardInterrupt
for number in range(10):
    left = 40 * number
    try:
        sys.setprofile(interrupt)
        import pydirectml
    except KeyboardInterrupt:
        pass
    sys.setprofile(None)
import pydirectml, numpy
print(numpy.arange(3).sum())
"""
    done = run(program)
    assert done.stdout == "3\n", done.stderr[-1500:]


def test_modules_with_rules__can_be_reloaded() -> None:
    program = """
import importlib, sys
import anydml as dml
dml.TensorDesc("FLOAT32", [2, 3]), dml.Slice1, dml.Device()
rules = importlib.import_module("anydml.core.rules").RULES
names = [name for name, module in sorted(sys.modules.items()) if name.startswith("anydml.") and "rule" in vars(module)]
before = {name: rule.says for name, rule in rules.items()}
for name in names:
    importlib.reload(sys.modules[name])
print(len(names) > 20, {name: rule.says for name, rule in rules.items()} == before)
"""
    done = run(program)
    assert done.stdout == "True True\n", done.stderr[-1500:]
