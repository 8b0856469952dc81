"""The registry of rules. A violation can only be made from a registered rule, so none is undocumented."""

from __future__ import annotations

from dataclasses import dataclass

from anydml.core.errors import Violation, shortened
from anydml.core.fixes import Fix, as_fix

RULES: dict[str, Rule] = {}


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
        return Violation(self.id, path, shortened(str(found)), str(expected), as_fix(fix), feature_level)


def rule(id: str, says: str) -> Rule:
    """Declare a rule once, beside the code that enforces it."""
    if id in RULES:
        raise RuntimeError(f"rule {id} is declared twice")
    RULES[id] = Rule(id, says)
    return RULES[id]
