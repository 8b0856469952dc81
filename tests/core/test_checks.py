"""The helpers that look at errors can fail."""

from __future__ import annotations

import pytest

import anydml as dml
from anydml.core.errors import raise_if_any
from tests.core.checks import error_of, violations_of


def test_error_of__fails_where_nothing_is_raised() -> None:
    with pytest.raises(pytest.fail.Exception):
        error_of(lambda: dml.Layout((2, 3)))


def test_error_of__fails_on_another_kind_of_error() -> None:
    with pytest.raises(dml.InvalidDescriptionError):
        error_of(lambda: dml.Layout(()), dml.BindingError)


def test_error_of__fails_on_an_unregistered_rule() -> None:
    unknown = dml.Violation("no.such-rule", "Sizes", "1", "2")
    with pytest.raises(AssertionError):
        error_of(lambda: raise_if_any([unknown]))


def test_violations_of__tells_rules_and_paths_apart() -> None:
    found = violations_of(lambda: dml.Layout((0,)))
    assert found == [("sizes.positive", "Sizes[0]")] != [("sizes.positive", "Sizes[1]")]
