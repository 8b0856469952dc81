"""Answers and operands as NumPy arrays, for laws that NumPy computes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.cases.framework.case import Case, Operand, number_of
from tests.oracle.moves import Tensor

Array = np.ndarray[Any, Any]


def array(operand: Operand) -> Array:
    return np.array(list(operand.values.values()), float).reshape(operand.sizes)


def answer_array(answer: Tensor, sizes: tuple[int, ...]) -> Array:
    return np.array([number_of(answer[i]) for i in np.ndindex(sizes)]).reshape(sizes)


def as_tensor(found: Array) -> Tensor:
    return {i: float(found[i]) for i in np.ndindex(found.shape)}


def close(found: Tensor, wanted: Array | Tensor, distance: float = 1e-9) -> bool:
    right = as_tensor(wanted) if isinstance(wanted, np.ndarray) else {i: number_of(v) for i, v in wanted.items()}
    left = {i: number_of(v) for i, v in found.items()}
    return left.keys() == right.keys() and all(
        math.isclose(left[i], right[i], abs_tol=distance, rel_tol=distance) for i in left
    )


def without(case: Case, *words: str) -> dict[str, Any]:
    return {name: value for name, value in case.fields.items() if not any(word in name for word in words)}
