"""Array programs run on a strict library as they do on NumPy, so that they carry over to other array libraries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anydml as dml
import anydml.operators
from anydml.core.functions import NUMPY, ArrayFunctions
from anydml.core.schema import OPERATORS
from anydml.runtime.programs import named_inputs
from tests.cases.framework import make_case, numbers_of, operators_with_cases
from tests.operators.strict import STRICT, StrictArray, unwrapped

PROGRAMS = sorted(n for n, op in OPERATORS.items() if op.form == "compute" and n in operators_with_cases())


def arrays_of(case: Any, operator: dml.Operator) -> list[Any]:
    """The case's inputs as logical arrays, half precision widened as devices do."""
    arrays = []
    for point in operator.points("input"):
        if point.tensor is None:
            arrays.append(None)
            continue
        bare, _, index = point.name.partition("[")
        operand = case.operands(bare)[int(index[:-1]) if index else 0]
        kind = point.tensor.data_type
        bits = np.zeros(point.tensor.sizes, f"u{kind.element_bytes}")
        for place, code in operand.bits.items():
            bits[place] = code
        array = bits.view(kind.numpy_dtype)
        arrays.append(array.astype(np.float32) if kind is dml.DataType.FLOAT16 and not operator.only_moves else array)
    return arrays


@pytest.mark.parametrize("name", PROGRAMS)
def test_program__is_the_same_on_a_strict_library(name: str) -> None:
    for number in numbers_of(name)[::3]:
        case = make_case(name, number)
        operator: Any = case.build()
        arrays = arrays_of(case, operator)
        strict = [None if array is None else StrictArray(array.copy()) for array in arrays]
        with np.errstate(all="ignore"):
            expected = unwrapped(operator.compute(NUMPY, **named_inputs(operator, arrays)))
            found = unwrapped(operator.compute(ArrayFunctions(STRICT), **named_inputs(operator, strict)))
        pairs = [(found[key], expected[key]) for key in expected] if isinstance(expected, dict) else [(found, expected)]
        for mine, theirs in pairs:
            assert np.array_equal(np.asarray(mine), np.asarray(theirs), equal_nan=np.asarray(mine).dtype.kind == "f")


@pytest.mark.parametrize(
    "misuse",
    [
        lambda x: float(x.sum()),
        lambda x: bool(x.any()),
        lambda x: list(x),
        lambda x: np.asarray(x),
        lambda x: np.add(x, x),
        lambda x: x + np.ones(3),
        lambda x: STRICT.vectorize(abs),
        lambda x: x.tolist(),
        lambda x: len(x),
    ],
)
def test_strict__refuses_what_leaves_the_library(misuse: Any) -> None:
    with pytest.raises((TypeError, AttributeError)):
        misuse(StrictArray(np.arange(3.0)))
