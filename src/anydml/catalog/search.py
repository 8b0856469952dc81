"""Finding operators by words: of their names, of what they mean, and of what other libraries call them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import anydml.operators  # noqa: F401 - declares them all
from anydml.catalog.facts import family_of, meaning_of
from anydml.core.foreign import foreign_names
from anydml.core.levels import HIGHEST_LEVEL, FeatureLevel
from anydml.core.schema import OPERATORS, Operator


def search(words: Sequence[str], level: FeatureLevel = HIGHEST_LEVEL) -> list[type[Operator]]:
    """The operators of a level that all words are about, those first whose names have them; all without words."""
    wanted = [word.lower() for word in words]
    found = [
        (sum(word not in _name(name) for word in wanted), name)
        for name, operator in OPERATORS.items()
        if operator.since <= level and all(word in _text(name) for word in wanted)
    ]
    return [OPERATORS[name] for _, name in sorted(found)]


def foreign_names_of(operator: type[Operator]) -> list[str]:
    """What other libraries call it, folded: `conv`, `conv2d`."""
    return sorted(
        name
        for name, entries in foreign_names().items()
        if any(entry.split()[0] == operator.dml_type for entry in entries)
    )


def _name(name: str) -> str:
    return f"{name} {OPERATORS[name].__name__}".lower()


@lru_cache(maxsize=512)
def _text(name: str) -> str:
    """Everything about an operator that a word may be found in."""
    operator = OPERATORS[name]
    parts = [_name(name), family_of(operator), meaning_of(operator), *foreign_names_of(operator)]
    return " ".join([*parts, name.replace("_", " ")]).lower()
