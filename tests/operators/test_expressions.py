"""Formulas as expressions: every one can be traced, means the same either way, and stays small."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from anydml.core.expression import convert_array, evaluate, walk
from anydml.core.functions import NUMPY
from anydml.core.operations import OPERATIONS
from anydml.core.steps import Nest, Program
from anydml.core.tracing import TRACED
from anydml.graph.lower import computed_type, lower_operator
from tests.cases.framework import Case
from tests.operators.pointwise import NAMES, cases_of
from tests.oracle.numbers import bits_of

MOST_NODES = 24
"""Loads, constants and conversions included: what is compiled for one element stays small."""
EXACT_QUOTIENTS = {"ELEMENT_WISE_QUANTIZE_LINEAR"}
Array = npt.NDArray[Any]


def lowered(case: Case) -> tuple[Nest, Program]:
    """The operator as one expression, and as a program that runs the formula itself."""
    operator = case.build()
    slots = {point.name: number for number, point in enumerate(operator.all_points())}
    (nest,) = lower_operator(operator, slots, lambda operator: False)
    (program,) = lower_operator(operator, slots, lambda operator: True)
    assert isinstance(nest, Nest) and isinstance(program, Program)
    return nest, program


def elements(case: Case, number: int, dtype: Any) -> Array:
    """The elements of an input by its number among the operator's points, their bits seen as a type."""
    operand = case[case.build().all_points()[number].name]
    codes = np.array(list(operand.bits.values()), f"u{bits_of(operand.data_type) // 8}")
    return codes.view(dtype).reshape(operand.sizes)


def both_ways(case: Case) -> tuple[Array, Array]:
    """What the expression gives, and what the formula gives on arrays of the types that expressions compute in."""
    nest, program = lowered(case)
    operands = {n: elements(case, load.slot, load.type.numpy_dtype) for n, load in enumerate(nest.loads)}
    traced = evaluate(nest.stores[0].value, operands)
    arrays = [
        None
        if view is None
        else convert_array(elements(case, view.slot, view.type.numpy_dtype), computed_type(view.type))
        for view in program.inputs
    ]
    with np.errstate(all="ignore"):
        direct = program.operator.formula(NUMPY, *arrays)  # type: ignore[attr-defined]
    return traced, np.asarray(direct)


def assert_same_bits(found: Array, wanted: Array) -> None:
    """Type, shape and every bit; one NaN is as good as another."""
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    if found.dtype.kind == "f":
        both_nan = np.isnan(found) & np.isnan(wanted)
        found, wanted = (np.where(both_nan, found.dtype.type(0), each) for each in (found, wanted))
        found, wanted = found.view(f"u{found.itemsize}"), wanted.view(f"u{wanted.itemsize}")
    different = np.flatnonzero(found != wanted)
    assert not different.size, f"elements {different[:4]} differ: {found[different[:4]]}, {wanted[different[:4]]}"


@pytest.mark.parametrize("change", [np.float32(-0.0), np.float32(1e-45), np.nan])
def test_assert_same_bits__can_fail(change: float) -> None:
    wanted = np.array([0, 1, np.nan], np.float32)
    assert_same_bits(wanted.copy(), wanted)
    found = wanted.copy()
    found[0] = change
    with pytest.raises(AssertionError, match="differ"):
        assert_same_bits(found, wanted)
    with pytest.raises(AssertionError):
        assert_same_bits(wanted.astype(np.float64), wanted)


@pytest.mark.parametrize("name", NAMES)
def test_formula__means_the_same_traced(name: str) -> None:
    compared = 0
    for case in cases_of(name):
        assert_same_bits(*both_ways(case))
        compared += 1
    assert compared


@pytest.mark.parametrize("name", NAMES)
def test_expression__is_small(name: str) -> None:
    largest = max(
        (len(walk(*(store.value for store in lowered(case)[0].stores))) for case in cases_of(name)), default=0
    )
    print(f"{name}: {largest} nodes")
    assert 1 <= largest <= MOST_NODES


@pytest.mark.parametrize("name", NAMES)
def test_expression__computes_floats_in_single_precision(name: str) -> None:
    """Half precision is for storage. Double precision is for integers, and for quotients that must not be rounded."""
    for case in cases_of(name):
        nest, _ = lowered(case)
        is_exact = name in EXACT_QUOTIENTS or any(not load.type.is_float for load in nest.loads)
        types = {node.type for node in walk(nest.stores[0].value) if node.op in OPERATIONS}
        assert np.float16 not in types and (is_exact or np.float64 not in types), case


def test_names__are_all_pointwise_operators() -> None:
    """The tests above run: as many operators as are documented, less those that are no formulas."""
    assert len(NAMES) == 65 + 27 - 1 - 6  # ELEMENT_WISE_IDENTITY moves, the softmax family computes over axes


@pytest.mark.parametrize("op", sorted(OPERATIONS))
def test_traced_functions__have_every_operation(op: str) -> None:
    assert callable(getattr(TRACED, op)) and callable(getattr(NUMPY, op))
