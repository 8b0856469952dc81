"""Compares what a device wrote with the answer, and says when an answer proves little."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from tests.cases.framework.case import Bits, Operand, number_of
from tests.cases.framework.tolerance import Tolerance
from tests.operators.memory import GUARD, Placed
from tests.oracle.numbers import decode, encode, integer_range, is_float

SHOWN = 4
NEARLY_ALL = 0.9


def assert_elements(actual: dict[Any, int], answer: Any, operand: Operand, tolerance: Tolerance) -> None:
    """Every element that the answer defines has the answer's value, as closely as the tolerance asks."""
    kind = operand.data_type
    unknown = set(answer) - set(operand.indices())
    assert not unknown, f"the answer has indices outside of {operand.sizes}: {sorted(unknown)[:SHOWN]}"
    wrong = [index for index, value in answer.items() if not _agrees(actual[index], value, kind, answer, tolerance)]
    lines = [f"  {i}: found {_shown(actual[i], kind)}, expected {_answer(answer, i, kind)}" for i in wrong[:SHOWN]]
    assert not wrong, "\n".join([f"{len(wrong)} of {len(answer)} elements differ:", *lines])


def _agrees(code: int, value: Any, kind: str, answer: Any, tolerance: Tolerance) -> bool:
    if isinstance(answer, Bits):
        return code == value
    if is_float(kind):
        return tolerance.accepts(float(decode(code, kind)), value, kind)
    number = number_of(value)
    low, high = integer_range(kind)
    assert number == int(number) and low <= number <= high, f"the answer {number} is not a number of type {kind}"
    return decode(code, kind) == number


def _shown(code: int, kind: str) -> str:
    return f"{decode(code, kind)!r} ({code:#x})"


def _answer(answer: Any, index: Any, kind: str) -> str:
    return _shown(answer[index], kind) if isinstance(answer, Bits) else repr(answer[index])


def assert_untouched(after: Placed, before: Placed) -> None:
    """No bit outside the elements changed: not between them, not beyond the buffer."""
    changed = np.flatnonzero(after.memory != before.with_codes(after.codes()))
    assert not changed.size, f"bytes outside the elements changed, at {(changed - GUARD)[:SHOWN]} of the buffer"


def assert_unchanged(name: str, after: Placed, before: Placed) -> None:
    changed = np.flatnonzero(after.memory != before.memory)
    assert not changed.size, f"{name} was written to, at {(changed - GUARD)[:SHOWN]} of its buffer"


def is_nearly_constant(answer: Any, operand: Operand) -> bool:
    """Whether nearly all elements of an answer are equal: a wrong result might look right then."""
    if len(answer) < SHOWN:
        return False
    rounded = [_rounded(value, operand.data_type, answer) for value in answer.values()]
    return Counter(rounded).most_common(1)[0][1] > NEARLY_ALL * len(rounded)


def _rounded(value: Any, kind: str, answer: Any) -> int:
    if isinstance(answer, Bits):
        return int(value)
    return encode(number_of(value), kind)
