"""The shape of the house: arrows point one way, files and functions stay small, importing stays light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "anydml"
FILES = sorted(PACKAGE.rglob("*.py"))

# A folder may import from those before it, never from those after or beside it.
LAYERS = [
    {"process"},
    {"core"},
    {"operators"},
    {"graph"},
    {"runtime"},
    {"files"},
    {"catalog", "expression", "frontends", "slicing"},
    {"view", "bench"},
    {"cli"},
]
HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}
# Where an inner layer calls an outer one: a value draws itself, runs itself, finds its class, or shows an example.
OUTWARD = {
    "_repr_html_": "view",
    "to_svg": "view",
    "to_cpp": "view",
    "__call__": "runtime",
    "from_dict": "operators",
    "example": "catalog",
    "_rules": "catalog",
}
MOST_LINES_OF_A_FILE = 500
MOST_LINES_OF_A_FUNCTION = 60
HEAVY = ["llvmlite", "PIL", "argparse", "torch", "onnxruntime", "cupy", "json", "asyncio", "unittest"]


@dataclass(frozen=True)
class Import:
    module: str
    line: int
    function: str


def imports_of(source: str) -> Iterator[Import]:
    """Every module a file imports, at its top or inside functions, also by import_module("...") and load_module."""

    def walk(node: ast.AST, function: str) -> Iterator[Import]:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            function = node.name
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, function) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import hides where it points"
            module = node.module or ""
            # `from anydml import view` names a folder as plainly as `from anydml.view import ...`
            names = [f"{module}.{alias.name}" for alias in node.names] if module == "anydml" else [module]
            yield from (Import(name, node.lineno, function) for name in names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "load_module")):
            for text in ast.walk(node.args[0]):
                if isinstance(text, ast.Constant) and str(text.value).startswith("anydml."):
                    yield Import(str(text.value), node.lineno, function)
        for child in ast.iter_child_nodes(node):
            yield from walk(child, function)

    return walk(ast.parse(source), "")


def wrong_arrows(folder: str, source: str) -> list[Import]:
    """The imports of a file in this folder that do not point down."""
    wrong = []
    for found in imports_of(source):
        parts = found.module.split(".")
        if parts[0] != "anydml" or len(parts) < 2 or parts[1] in (folder, "__version__"):
            continue
        if OUTWARD.get(found.function) == parts[1]:
            continue
        if parts[1] not in HEIGHT or HEIGHT[parts[1]] >= HEIGHT[folder]:
            wrong.append(found)
    return wrong


def functions_of(source: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno:
            yield node.name, node.end_lineno - node.lineno + 1


def test_folders__are_all_known() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.rglob("*.py"))}
    assert folders <= set(HEIGHT), "a new folder needs its place in LAYERS"
    assert {path.name for path in PACKAGE.glob("*.py")} == {"__init__.py", "__main__.py"}


def test_arrows__point_one_way() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{found.line} imports {found.module}"
        for path in FILES
        if path.parent != PACKAGE
        for found in wrong_arrows(path.relative_to(PACKAGE).parts[0], path.read_text("utf-8"))
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("folder", "source", "count"),
    [
        ("core", "from anydml.core.layout import Layout", 0),
        ("operators", "import anydml.core.layout", 0),
        ("core", "import anydml.operators", 1),
        ("core", "def f():\n    from anydml.runtime.cpu import x", 1),
        ("core", "from anydml import view", 1),
        ("core", "import_module('anydml.view.notebook')", 1),
        ("core", "load_module('anydml.view.notebook')", 1),
        ("core", "def _repr_html_(self):\n    import_module('anydml.view.notebook')", 0),
        ("core", "def _repr_html_(self):\n    import_module('anydml.cli')", 1),
        ("core", "def __call__(self):\n    import_module('anydml.runtime.quick')", 0),
        ("core", "def __call__(self):\n    import_module('anydml.view.svg')", 1),
        ("frontends", "from anydml.slicing import x", 1),
        ("cli", "from anydml.view import x\nfrom anydml.bench import y", 0),
        ("view", "import_module(f'anydml.cli.{name}')", 1),
    ],
)
def test_wrong_arrows__can_be_found(folder: str, source: str, count: int) -> None:
    assert len(wrong_arrows(folder, source)) == count


def test_files__are_short() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in FILES
        if (lines := len(path.read_text("utf-8").splitlines())) >= MOST_LINES_OF_A_FILE
    }
    assert not long


def test_functions__are_short() -> None:
    lengths = [(lines, name, path.name) for path in FILES for name, lines in functions_of(path.read_text("utf-8"))]
    assert not [each for each in lengths if each[0] >= MOST_LINES_OF_A_FUNCTION]
    median = sorted(lines for lines, _, _ in lengths)[len(lengths) // 2]
    assert median <= 10


def test_functions_of__counts_lines() -> None:
    assert list(functions_of("def f():\n" + "    x = 1\n" * 70)) == [("f", 71)]


def test_import__loads_nothing_heavy() -> None:
    code = (
        "import sys, numpy; had = set(sys.modules); import anydml; "
        f"print(sorted((set(sys.modules) - had) & set({HEAVY})))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_files__say_what_they_are_for() -> None:
    silent = [
        str(path.relative_to(ROOT)) for path in FILES if not ast.get_docstring(ast.parse(path.read_text("utf-8")))
    ]
    assert not silent
