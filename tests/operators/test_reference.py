"""The reference pages are what the declarations say now."""

from __future__ import annotations

import re
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

import anydml.operators  # noqa: F401  declares them
from anydml.core.rules import RULES
from anydml.core.schema import OPERATORS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    loader = SourceFileLoader("reference", str(ROOT / "scripts" / "reference"))
    spec = spec_from_loader("reference", loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_pages__are_up_to_date(reference: ModuleType) -> None:
    for path, text in reference.files().items():
        assert (ROOT / path).read_text("utf-8") == text, f"{path} is out of date: run scripts/reference"


def test_pages__show_every_operator_and_field(reference: ModuleType) -> None:
    pages = {path.name: text for path, text in reference.files().items()}
    for name, operator in OPERATORS.items():
        page = pages[f"{reference.family_of(operator)}.md"]
        section = re.split(rf"^## {name}$", page, flags=re.M)[1].split("\n## ")[0]
        assert all(f"`{field.dml_name}`" in section for field in operator.fields.values())
        assert f"[{name}](operators/{reference.family_of(operator)}.md" in pages["operators.md"]


def test_rules_of__finds_what_check_reports(reference: ModuleType) -> None:
    """Every rule an operator module declares is told of on some operator's section, and Slice1's are its own."""
    found = {rule.id for operator in OPERATORS.values() for rule in reference.rules_of(operator)}
    declared = set()
    for operator in OPERATORS.values():
        module = __import__(operator.__module__, fromlist=["_"])
        declared |= {value.id for value in vars(module).values() if getattr(value, "id", None) in RULES}
    assert declared <= found
    assert [rule.id for rule in reference.rules_of(OPERATORS["SLICE1"])] == [
        "attribute.count",
        "slice1.output-size",
        "slice1.window-inside",
        "slice1.window-size",
        "slice1.window-stride",
    ]


def test_check__can_fail(reference: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reference.main(["--check"]) == 0
    monkeypatch.setattr(OPERATORS["SLICE1"], "__doc__", "Something else.")
    assert reference.main(["--check"]) == 1
