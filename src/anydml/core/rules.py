"""The registry of rules. A violation can only be made from a registered rule, so none is undocumented."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from anydml.core.errors import Violation, shortened
from anydml.core.fixes import Fix, as_fix
from anydml.core.outside import answer

RULES: dict[str, Rule] = {}
_modules: dict[str, str] = {}
"""The module that declares each rule."""
_LONGEST_PATH = 1000


@dataclass(frozen=True)
class Rule:
    """A law of descriptions: its id and what it says."""

    id: str
    says: str

    def __call__(
        self,
        path: str,
        found: object,
        expected: object,
        fix: Fix | str | None = None,
        feature_level: str | None = None,
    ) -> Violation:
        words = found if type(found) is str else answer(lambda: str(found), f"a value of type {type(found).__name__}")
        place = shortened(path) if type(path) is str and len(path) > _LONGEST_PATH else path
        return Violation(self.id, place, shortened(words), str(expected), as_fix(fix), feature_level)


def rule(id: str, says: str) -> Rule:
    """Declare a rule once, beside the code that enforces it.

    Its module may be executed again: because it is reloaded, or because an interrupt ended its first import.
    """
    module = sys._getframe(1).f_globals["__name__"]
    if _modules.setdefault(id, module) != module:
        raise RuntimeError(f"rule {id} is declared twice, in {_modules[id]} and in {module}")
    RULES[id] = Rule(id, says)
    return RULES[id]


MEMORY = rule("memory.host", "There is enough memory for what is allocated.")
PARTS = rule("error.parts", "An error is made of violations, and a violation of texts and a fix.")
