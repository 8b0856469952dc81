"""Mistakes that people make, and what they are told: obeying a suggestion leads to success, not to another error."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import anydml as dml

MISTAKES: list[dict[str, str]] = json.loads((Path(__file__).parent / "spec" / "mistakes.json").read_text("utf-8"))


class dtype:
    """A data type of another library, as PyTorch's look from outside."""

    def __init__(self, name: str) -> None:
        self.text = name

    def __repr__(self) -> str:
        return f"torch.{self.text}"


NAMES: dict[str, Any] = {
    "dml": dml,
    "np": np,
    "torch": SimpleNamespace(**{name: dtype(name) for name in ("float32", "bfloat16", "bool")}),
}


def suggestions_of(error: dml.DmlError) -> str:
    """What is said after "try" in each line."""
    return "\n".join(str(violation.fix) for violation in error.violations if violation.fix is not None)


def test_mistakes__are_many_and_different() -> None:
    assert len(MISTAKES) >= 60 and len({mistake["wrong"] for mistake in MISTAKES}) == len(MISTAKES)


@pytest.mark.parametrize("mistake", MISTAKES, ids=[mistake["wrong"][:70] for mistake in MISTAKES])
def test_suggestion__is_made_and_leads_to_success(mistake: dict[str, str]) -> None:
    with pytest.raises(dml.DmlError) as caught:
        eval(mistake["wrong"], NAMES)
    told, piece = suggestions_of(caught.value), mistake["suggests"]
    assert piece in told, f"the suggestion is {told!r}, in\n{caught.value}"
    assert piece.replace("'", '"') in mistake["right"].replace("'", '"'), "the right program obeys the suggestion"
    eval(mistake["right"], NAMES)


def test_foreign_types__of_the_same_name_are_understood() -> None:
    assert dml.DataType.parse(NAMES["torch"].float32) is dml.DataType.FLOAT32


def test_suggestions_of__finds_none_where_there_is_none() -> None:
    assert suggestions_of(dml.DmlError(dml.Violation("x", "", "a", "b"))) == ""
