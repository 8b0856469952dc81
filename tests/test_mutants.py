"""The faults that `scripts/mutate` seeds: each still applies, and every family of operators has one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anydml.catalog.facts import family_of
from anydml.core.schema import OPERATORS

ROOT = Path(__file__).parents[1]
MUTANTS: list[dict[str, Any]] = json.loads((ROOT / "tests" / "mutants.json").read_text("utf-8"))
HELPERS = {"attending": "attention", "interpolation": "resample", "indexing": "gathering", "fused": "activation"}
"""Modules without operators of their own, and a family that is computed by each."""


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant["name"])
def test_mutant__applies_once(mutant: dict[str, Any]) -> None:
    text = (ROOT / "src" / mutant["file"]).read_text("utf-8")
    assert text.count(mutant["find"]) == 1
    changed = text.replace(mutant["find"], mutant["replace"])
    assert changed != text
    compile(changed, mutant["file"], "exec")  # a fault in the program, not in its grammar


def test_tests__exist() -> None:
    for mutant in MUTANTS:
        paths = [word for word in mutant["tests"] if word.startswith("tests")]
        assert paths and all((ROOT / path).exists() for path in paths), mutant["name"]


def test_names__are_each_used_once() -> None:
    names = [mutant["name"] for mutant in MUTANTS]
    assert len(set(names)) == len(names) >= 100


def test_families__have_a_mutant_each() -> None:
    changed = {Path(mutant["file"]).stem for mutant in MUTANTS if "/operators/" in mutant["file"]}
    covered = {HELPERS.get(name, name) for name in changed} | changed
    assert {family_of(operator) for operator in OPERATORS.values()} - covered == set()
