"""Everything public, called with what it does not expect: it answers, or refuses by name."""

from __future__ import annotations

import io
import os
import random
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

import anydml as dml
from anydml.core.rules import RULES
from tests.fuzz.harness import Summary, run_cases
from tests.fuzz.hostile import VALUES, ReadWithoutEnd
from tests.fuzz.sound import OPERATOR_CALLS, OWN_CALLS, Call

SOURCE = Path(dml.__file__).parents[1]
CALLS = {**OWN_CALLS, **OPERATOR_CALLS}
NAMES = ("strides", "sizes", "x", "self", "cls", "order", "\0", "class")
"""Keywords that are added to calls."""
CALLED = ("write", "choose", "weights")
"""Functions of the caller: what they raise themselves, the caller gets."""
Change = tuple[str, Callable[[], Call]]
"""What was changed, and the call."""


def judge(call: Call) -> tuple[str, str]:
    """How a call ends, and what is wrong with that, if anything."""
    try:
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):  # the null device prints
            warnings.simplefilter("error")
            call()
    except dml.DmlError as error:
        return "refused", _untold(error)
    except TypeError as error:
        return "signature", "" if _is_pythons(error) else f"TypeError: {error}"
    except (Exception, ReadWithoutEnd) as error:
        return "failed", f"{type(error).__name__}: {str(error)[:200]}"
    return "done", ""


def _untold(error: dml.DmlError) -> str:
    """What an error does not say."""
    if not error.violations:
        return "an error without a violation"
    for each in error.violations:
        is_placed = each.path or error.subject or hasattr(each, "line")
        if each.rule not in RULES or not is_placed or not each.found or not each.expected:
            return f"an error that does not say enough: {each!r}"
        if len(str(each)) > 2000:
            return f"a line of {len(str(each))} characters"
    return ""


def _is_pythons(error: TypeError) -> bool:
    """Whether Python itself refused the arguments, as none or too many or by other names: before it called anything.

    Operators, whose fields have names alone, say the same themselves.
    """
    frames = list(traceback.walk_tb(error.__traceback__))
    return SOURCE not in Path(frames[-1][0].f_code.co_filename).parents or "takes its fields by name" in str(error)


def changed(name: str, rng: random.Random) -> Change:
    """A sound call with something wrong in it."""
    sound, kind = CALLS[name], rng.random()
    if kind < 0.08:
        return _rearranged(sound, rng)
    keys, values = list(sound().arguments), list(VALUES)
    key, value = rng.choice([*keys, "*9"]), rng.choice(values)
    if kind < 0.7 or not keys:
        return f"{key}: {value}", lambda: given(sound(), key, VALUES[value]())
    other, second = rng.choice(keys), rng.choice(values)
    if kind < 0.85:
        place = rng.random()
        return f"{other} with {value} inside", lambda: _inside(sound(), other, VALUES[value](), place)
    both = f"{key}: {value}, {other}: {second}"
    return both, lambda: given(given(sound(), key, VALUES[value]()), other, VALUES[second]())


def given(call: Call, key: str, value: Any) -> Call:
    """The call with another argument."""
    return call if key in CALLED and callable(value) else call.with_argument(key, value)


def _rearranged(sound: Callable[[], Call], rng: random.Random) -> Change:
    """Arguments that change places, that are missing, or that nobody asked for."""
    keys = list(sound().arguments)
    kind = rng.choice(["swapped", "missing", "more", "positional"])
    if kind == "more" or len(keys) < 2:
        key, value = rng.choice(NAMES), rng.choice(list(VALUES))
        return f"more: {key}={value}", lambda: given(sound(), key, VALUES[value]())
    first, second = rng.sample(keys, 2)

    def make() -> Call:
        call = sound()
        arguments = dict(call.arguments)
        if kind == "swapped":
            arguments[first], arguments[second] = arguments[second], arguments[first]
        elif kind == "missing":
            del arguments[first]
        else:
            arguments = {f"*{i}": value for i, value in enumerate(arguments.values())}
        return Call(call.function, arguments)

    return f"{kind}: {first}, {second}", make


def _inside(call: Call, key: str, value: Any, where: float) -> Call:
    """A value in the place of one that a list, or an object, has."""
    whole = call.arguments.get(key)
    if type(whole) in (list, tuple) and whole:
        place = int(where * len(whole))
        whole = type(whole)([*whole[:place], value, *whole[place + 1 :]])
    elif isinstance(whole, dict) and whole:
        whole = {**whole, list(whole)[int(where * len(whole))]: value}
    else:
        whole = [value]
    return given(call, key, whole)


@contextmanager
def elsewhere() -> Iterator[str]:
    """A folder of its own, where nothing is that a call might find or write over."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            yield name
        finally:
            os.chdir(before)


def fuzz_calls(seed: int, count: int | None = None, seconds: float | None = None) -> Summary:
    """Half of the calls are of operators, and of what is made of them."""
    rng, summary = random.Random(seed), Summary("calls", seed)
    names = list(OWN_CALLS), list(OPERATOR_CALLS)

    def case() -> None:
        name = rng.choice(names[rng.random() < 0.4])
        told, make = changed(name, rng)
        outcome, wrong = judge(make())
        if wrong:
            summary.fail(f"{name} with {told}: {wrong}")
        else:
            summary.count(outcome)

    with elsewhere():
        return run_cases(summary, case, count, seconds)
