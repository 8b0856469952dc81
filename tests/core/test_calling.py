"""Calls that do not fit a function: answered by name, with what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anydml as dml
import anydml.expression as dmlx
import pydirectml
from anydml.core.calling import answering
from tests.core.checks import error_of

LAYOUT = dml.Layout((2, 3))
X: Any = dmlx.input_tensor(dmlx.Graph(), 0, dml.TensorDesc("FLOAT32", [2, 3]))


@answering({"colour": "'color'"})
def draw(what: int, /, size: int = 1, *, color: str = "red") -> tuple[int, int, str]:
    """A function with parameters of every kind."""
    if color == "broken":
        raise TypeError("of the function itself")
    return what, size, color


@answering()
def add(*numbers: int, **named: int) -> int:
    """A function that takes any arguments."""
    return sum(numbers) + sum(named.values())


def test_calls_that_fit__are_as_they_were() -> None:
    assert draw(1) == (1, 1, "red") and draw(1, 2, color="blue") == (1, 2, "blue") and add(1, 2, x=3) == 6
    assert draw.__name__ == "draw" and draw.__doc__ == "A function with parameters of every kind."


def test_errors_of_the_function__stay_what_they_are() -> None:
    with pytest.raises(TypeError, match="of the function itself"):
        draw(1, color="broken")
    with pytest.raises(TypeError, match="unsupported operand"):
        add("a", 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ask", "path", "found", "fix"),
    [
        (lambda: draw(), "what", "nothing", "giving what"),
        (lambda: draw(1, 2, 3), "arguments", "3 values", "giving the others by name"),
        (lambda: draw(1, 2, size=3), "size", "two values", "leaving one of them out"),
        (lambda: draw(1, sise=3), "sise", "3", "'size'"),
        (lambda: draw(1, colour="blue"), "colour", "'blue'", "'color'"),
    ],
)
def test_calls_that_do_not_fit__are_told_by_name(ask: Callable[[], Any], path: str, found: str, fix: str) -> None:
    error = error_of(ask, dml.InvalidDescriptionError)
    (violation,) = error.violations
    assert (violation.rule, violation.path, violation.found) == ("call.arguments", path, found)
    assert str(violation.fix) == fix and error.subject == "draw"


def test_everything_wrong__is_told_at_once() -> None:
    error = error_of(lambda: draw(sizee=1, shade=2))  # type: ignore[call-arg]
    assert [violation.path for violation in error.violations] == ["sizee", "shade", "what"]


FUNCTIONS: dict[str, tuple[Callable[[], Any], str, str]] = {
    "explain with strides": (
        lambda: dml.explain(LAYOUT, strides=[5, 1]),  # type: ignore[call-arg]
        "strides",
        "explain(TensorDesc('FLOAT32', [2, 3], strides=...))",
    ),
    "explain with a width": (lambda: dml.explain(LAYOUT, width=20), "width", "explain(...).to_text(width)"),  # type: ignore[call-arg]
    "explain by position": (lambda: dml.explain(LAYOUT, (0, 1)), "arguments", "giving the others by name"),  # type: ignore[misc]
    "explain nothing": (lambda: dml.explain(), "value", "giving value"),  # type: ignore[call-arg]
    "reinterpret with sizes": (lambda: dmlx.reinterpret(X, sizes=[6]), "sizes", "'new_sizes'"),
    "reinterpret with a shape": (lambda: dmlx.reinterpret(X, shape=[6]), "shape", "'new_sizes'"),
    "reinterpret with a dtype": (lambda: dmlx.reinterpret(X, dtype="INT8"), "dtype", "'new_type'"),
    "split without sizes": (lambda: dmlx.split(X, 1), "output_axis_sizes", "giving output_axis_sizes"),
    "input without a description": (lambda: dmlx.input_tensor(dmlx.Graph(), 0), "desc", "giving desc"),  # type: ignore[call-arg]
    "size": (lambda: dml.calc_buffer_tensor_size("INT8", shape=[2]), "shape", "'sizes'"),  # type: ignore[call-arg]
    "C's size": (lambda: dml.DMLCalcBufferTensorSize("INT8"), "dimension_count", "giving dimension_count"),
    "slice": (lambda: dml.slice1(np.zeros(3), [0], [1]), "strides", "giving strides"),  # type: ignore[call-arg]
    "model": (lambda: dml.run_model("x.json", out="."), "out", "'output_path'"),  # type: ignore[call-arg]
    "pydirectml": (lambda: pydirectml.activation_linear(X, 1), "beta", "giving beta"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions__tell_what_to_write(name: str) -> None:
    ask, path, fix = FUNCTIONS[name]
    first = error_of(ask).violations[0]
    assert (first.rule, first.path, str(first.fix)) == ("call.arguments", path, fix)


def test_functions_of_expressions__name_the_line() -> None:
    assert "test_calling.py:" in str(error_of(lambda: dmlx.reinterpret(X, sizes=[6])))
