"""The documented facts of the operators: the project's own data, read once."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent.parent / "spec"
OPERATOR_COUNT = 177
EVERY_OPERATOR_IS_DECLARED = True
"""Set to True once all documented operators are declared: from then on, one that goes missing fails a test."""


@cache
def operators() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((_FOLDER / "operators.json").read_text())
    return found


@cache
def examples() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((_FOLDER / "examples.json").read_text())
    return found


@cache
def enumerations() -> dict[str, list[str]]:
    """The members of every enumeration that operators use, without their prefix."""
    found: dict[str, list[str]] = json.loads((_FOLDER / "enumerations.json").read_text())
    return found
