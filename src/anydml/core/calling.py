"""Functions that answer a call that does not fit them: by name, with what to write instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from anydml.core.errors import InvalidDescriptionError, Violation, blamed, counted, shown
from anydml.core.fixes import REMOVE_ONE, Add, suggest
from anydml.core.rules import rule

ARGUMENTS = rule(
    "call.arguments", "A function is called with its own parameters, each once, none left out that it needs."
)
P = ParamSpec("P")
R = TypeVar("R")
Blame = Callable[[str], AbstractContextManager[None]]


def answering(
    hints: Mapping[str, str] | None = None, blame: Blame = blamed
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """The same function, whose callers are told of arguments that do not fit it, and not by a `TypeError`.

    `hints` say what to write for a keyword that it does not have and that is near to none it has.
    """

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*arguments: P.args, **named: P.kwargs) -> R:
            try:
                return function(*arguments, **named)
            except TypeError:
                wrong = list(_misfits(function, arguments, named, hints or {}))
                if not wrong:
                    raise
            with blame(function.__name__):
                raise InvalidDescriptionError(wrong)

        return call

    return wrap


def _misfits(
    function: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any], hints: Mapping[str, str]
) -> Iterator[Violation]:
    """What of the arguments fits no parameter, and which parameter nothing was given for."""
    from inspect import Parameter, signature

    parameters = signature(function).parameters
    several = {Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD}
    known = [name for name, each in parameters.items() if each.kind not in several]
    placed = [name for name in known if parameters[name].kind is not Parameter.KEYWORD_ONLY]
    kinds = {each.kind for each in parameters.values()}
    if len(arguments) > len(placed) and Parameter.VAR_POSITIONAL not in kinds:
        expected = f"at most {len(placed)} by position: {', '.join(placed)}"
        yield ARGUMENTS("arguments", counted(len(arguments), "value"), expected, "giving the others by name")
    given = placed[: len(arguments)]
    for key, value in named.items():
        if key in given:
            yield ARGUMENTS(key, "two values", "one", REMOVE_ONE)
        elif key not in known and Parameter.VAR_KEYWORD not in kinds:
            fix = hints.get(key) or suggest(key, known)
            yield ARGUMENTS(key, shown(value), f"a parameter of {function.__name__}", fix)
    for name in known:
        if parameters[name].default is Parameter.empty and name not in given and name not in named:
            yield ARGUMENTS(name, "nothing", "a value, since it has no default", Add(name))
