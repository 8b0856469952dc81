"""Every rule has an example that breaks it, and the page of rules tells what is then said."""

from __future__ import annotations

from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

import anydml as dml
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


@pytest.mark.parametrize("rule", sorted(RULES.values(), key=lambda rule: rule.id), ids=lambda rule: rule.id)
def test_rule__is_broken_by_its_example(rule: Rule) -> None:
    with pytest.raises(dml.DmlError) as caught:
        eval(EXAMPLES[rule.id], SCRIPT.names())
    assert rule.id in {violation.rule for violation in caught.value.violations}
    assert rule.says.endswith(".") and rule.id == rule.id.lower()


def test_page__is_up_to_date() -> None:
    page = (ROOT / "docs" / "rules.md").read_text("utf-8")
    assert page == SCRIPT.page(), "run scripts/rules"


def test_message_of__refuses_examples_that_break_nothing_or_something_else() -> None:
    with pytest.raises(SystemExit, match="breaks nothing"):
        SCRIPT.message_of("test.nothing", "dml.Layout((2, 3))")
    with pytest.raises(SystemExit, match=r"sizes\.positive instead"):
        SCRIPT.message_of("test.other", "dml.Layout((0,))")
