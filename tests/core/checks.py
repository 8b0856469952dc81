"""How tests look at errors."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

import anydml as dml
from anydml.core.rules import RULES


def error_of(ask: Callable[[], Any], kind: type[dml.DmlError] = dml.DmlError) -> dml.DmlError:
    """The error this raises: of the right kind, each violation whole, and the same after pickling."""
    with pytest.raises(kind) as caught:
        ask()
    error = caught.value
    assert error.violations
    for violation in error.violations:
        assert violation.rule in RULES
        assert violation.path and violation.found and violation.expected
        assert f"{violation.path}: found {violation.found}, expected {violation.expected}" in str(error)
        assert f"[{violation.rule}]" in str(error)
        assert len(str(violation)) < 1000
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (again.violations, str(again), again.hresult) == (error.violations, str(error), error.hresult)
    return error


def violations_of(ask: Callable[[], Any], kind: type[dml.DmlError] = dml.DmlError) -> list[tuple[str, str]]:
    """Rule and path of everything wrong."""
    return [(violation.rule, violation.path) for violation in error_of(ask, kind).violations]
