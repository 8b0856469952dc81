"""Every rule has an example that breaks it, and the page of rules tells what is then said."""

from __future__ import annotations

import re
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

from anydml.core.rules import RULES, Rule

ROOT = Path(__file__).parents[1]


def load_script(name: str) -> ModuleType:
    module = ModuleType(name)
    module.__file__ = str(ROOT / "scripts" / name)
    loader = SourceFileLoader(name, module.__file__)
    exec(compile(loader.get_data(loader.path), loader.path, "exec"), vars(module))
    return module


SCRIPT = load_script("rules")
SCRIPT.load_all()
EXAMPLES = SCRIPT.examples()


def test_examples__are_those_of_the_rules() -> None:
    assert set(EXAMPLES) == set(RULES) and list(EXAMPLES) == sorted(EXAMPLES)


PAGE = (ROOT / "docs" / "rules.md").read_text("utf-8")
HEAD, *SECTIONS = re.split(r"(?=\n## )", PAGE)


@pytest.mark.parametrize("rule", sorted(RULES.values(), key=lambda rule: rule.id), ids=lambda rule: rule.id)
def test_rule__is_broken_by_its_example(rule: Rule) -> None:
    """The script ends with an error unless the example breaks this rule."""
    section = SCRIPT.section(rule.id, EXAMPLES[rule.id])
    assert section in SECTIONS, "run scripts/rules"
    assert rule.says.endswith(".") and rule.id == rule.id.lower()


def test_page__has_each_rule_once_in_order() -> None:
    """And nothing else: with the sections that the rules' own tests check, this is all of it."""
    assert SCRIPT.head() == HEAD, "run scripts/rules"
    assert [section.split("\n")[1] for section in SECTIONS] == [f"## {name}" for name in sorted(RULES)]


def test_script__writes_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    told = dict(zip(sorted(RULES), SECTIONS, strict=True))
    monkeypatch.setattr(SCRIPT, "section", lambda rule_id, example: told[rule_id])
    assert SCRIPT.page() == PAGE


def test_message_of__refuses_examples_that_break_nothing_or_something_else() -> None:
    with pytest.raises(SystemExit, match="breaks nothing"):
        SCRIPT.message_of("test.nothing", "dml.Layout((2, 3))")
    with pytest.raises(SystemExit, match=r"sizes\.positive instead"):
        SCRIPT.message_of("test.other", "dml.Layout((0,))")
