"""Every documented operator has cases, and the cases reach everything that its table says."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.cases.framework import Case, Operand, answer_of, make_case, number_of, numbers_of, operators_with_cases, spec
from tests.cases.framework.draw import NEVER_OWNED
from tests.cases.framework.registry import load
from tests.cases.framework.run import is_untrustworthy
from tests.cases.framework.tolerance import CLASS_OF, CLASSES
from tests.operators.facts import enumerations, operators

CHOICES = Path(__file__).parent / "CHOICES.md"
OPERATORS = operators_with_cases()
LEAST_CASES = 20
TAKEN = {
    ("ROI_ALIGN", "reduction_function"): {"AVERAGE", "MAX"},
    ("ROI_ALIGN1", "reduction_function"): {"AVERAGE", "MAX"},
    ("ROI_ALIGN_GRAD", "reduction_function"): {"AVERAGE", "MAX"},
    ("QUANTIZE", "quantization_type"): {"SCALE", "SCALE_ZERO_POINT"},
    ("DEQUANTIZE", "quantization_type"): {"SCALE", "SCALE_ZERO_POINT"},
}
"""Where an operator takes some members of an enumeration alone: those."""
NEVER_LEFT_OUT = {("BATCH_NORMALIZATION_GRAD", "epsilon")}
"""A float of the structure, though the schema calls it optional: no document says what it would be."""
CONSTANT_BY_NATURE = {"FILL_VALUE_CONSTANT"}
MOST_UNTRUSTWORTHY = 0.4


@cache
def cases_of(operator: str) -> list[Case]:
    return [make_case(operator, number) for number in numbers_of(operator)]


@cache
def answers_of(operator: str) -> list[dict[str, Any]]:
    return [answer_of(case) for case in cases_of(operator)]


def test_operators__all_have_cases() -> None:
    print(f"{len(OPERATORS)} operators have cases")
    assert set(OPERATORS) == set(operators())


def test_tolerances__are_given_for_every_operator_with_cases() -> None:
    assert set(OPERATORS) <= set(CLASS_OF) <= set(operators())
    assert set(CLASS_OF.values()) == set(CLASSES)


@pytest.mark.parametrize("operator", OPERATORS)
def test_cases__are_many_and_repeatable(operator: str) -> None:
    assert len(cases_of(operator)) >= LEAST_CASES
    assert make_case(operator, 3) == cases_of(operator)[3]
    assert make_case(operator, 3) != make_case(operator, 4)


@pytest.mark.parametrize("operator", OPERATORS)
def test_cases__have_every_data_type_and_legal_ranks(operator: str) -> None:
    for function in spec.functions(operator):
        cases = [case for case in cases_of(operator) if function is None or case["function"] == function]
        for field in (*spec.tensors(operator, "input"), *spec.tensors(operator, "output")):
            operands = [each for case in cases if field.name in case.fields for each in case.operands(field.name)]
            assert {each.data_type for each in operands} == set(spec.types(operator, field.name, function))
            low, high = spec.ranks(operator, field.name)
            assert all(low <= each.rank <= high for each in operands)


@pytest.mark.parametrize("operator", OPERATORS)
def test_cases__have_every_field_and_leave_out_optional_ones(operator: str) -> None:
    for field in spec.fields(operator).values():
        present = [field.name in case.fields for case in cases_of(operator)]
        may_be_missing = field.optional and (operator, field.name) not in NEVER_LEFT_OUT
        assert any(present) and all(present) != may_be_missing, field.name


@pytest.mark.parametrize("operator", OPERATORS)
def test_cases__have_every_member_of_enumerations(operator: str) -> None:
    for field in spec.fields(operator).values():
        if field.type_name.startswith("ENUM:") and "DATA_TYPE" not in field.type_name:
            used = {case[field.name] for case in cases_of(operator)}
            members = set(enumerations()[field.type_name.removeprefix("ENUM:")])
            assert used == TAKEN.get((operator, field.name), members) <= members
        elif field.type_name == "BOOL":
            assert {case[field.name] for case in cases_of(operator)} == {True, False}


@pytest.mark.parametrize("operator", OPERATORS)
def test_cases__lie_in_memory_in_every_way(operator: str) -> None:
    """Packed, strided and with bytes to spare; in place where that is allowed; with inputs that the operator owns."""
    cases = cases_of(operator)
    operands = [each for case in cases for name in (*case.inputs, *case.outputs) for each in case.operands(name)]
    assert {each.strides is None for each in operands} == {True, False}
    assert any(each.extra_bytes for each in operands)
    assert any(case.in_place for case in cases) == spec.is_in_place(operator)
    lists_only = all(field.is_list for field in spec.tensors(operator, "input"))
    assert any(case.owned for case in cases) != (lists_only or operator in NEVER_OWNED)


def bits_by_offset(case: Case) -> bool:
    """Whether indices that share memory share their elements."""
    for name in case.inputs:
        for operand in case.operands(name):
            found: dict[Any, set[int]] = {}
            for index, code in operand.bits.items():
                strides = operand.strides or ()
                offset = sum(i * s for i, s in zip(index, strides, strict=True)) if strides else index
                found.setdefault(offset, set()).add(code)
            if any(len(codes) > 1 for codes in found.values()):
                return False
    return True


def test_bits_by_offset__can_fail() -> None:
    """Two indices in one place with different elements."""
    operand = Operand("UINT8", (2,), {(0,): 1, (1,): 2}, (0,))
    assert not bits_by_offset(Case("ACTIVATION_RELU", {"input_tensor": operand}))
    assert bits_by_offset(Case("ACTIVATION_RELU", {"input_tensor": replace(operand, strides=(1,))}))


@pytest.mark.parametrize("operator", OPERATORS)
def test_cases__agree_with_their_memory(operator: str) -> None:
    assert all(bits_by_offset(case) for case in cases_of(operator))


def test_answers__are_trustworthy() -> None:
    """Answers that are nearly constant prove little: they are counted, and few for every operator."""
    counts: Counter[str] = Counter()
    for operator in OPERATORS:
        counts[operator] = sum(map(is_untrustworthy, cases_of(operator), answers_of(operator)))
    total = sum(len(cases_of(operator)) for operator in OPERATORS)
    print(f"{sum(counts.values())} of {total} cases are nearly constant")
    for operator, count in counts.most_common(12):
        print(f"  {operator}: {count} of {len(cases_of(operator))}")
    doubtful = {name for name, count in counts.items() if count > MOST_UNTRUSTWORTHY * len(cases_of(name))}
    assert doubtful <= CONSTANT_BY_NATURE


STEPS = [operator for operator in OPERATORS if CLASS_OF[operator] == "steps"]


@pytest.mark.parametrize("operator", STEPS)
def test_answers__are_strict(operator: str) -> None:
    """Formulas of several steps have wide bounds now and then: nearly all must notice a thousandth too much."""
    tolerance, noticed = CLASSES["steps"], []
    for case, answers in zip(cases_of(operator), answers_of(operator), strict=True):
        for name, found in answers.items():
            kind = case[name].data_type
            if kind == "FLOAT32":
                noticed += [not tolerance.accepts(wrong(number_of(value)), value, kind) for value in found.values()]
    print(f"{operator}: {sum(noticed)} of {len(noticed)} elements would be noticed")
    assert sum(noticed) >= 0.97 * len(noticed) > 100


def wrong(value: float) -> float:
    return value + math.copysign(1e-3 * (1 + abs(value)), value)


def test_load__declares_each_operator_once() -> None:
    load()
    assert len(OPERATORS) == len(set(OPERATORS))


def test_choices__name_operators_and_reasons() -> None:
    """Every line of CHOICES.md has documented operators, a question, a choice and a reason."""
    lines = [line for line in CHOICES.read_text("utf-8").splitlines() if line.startswith("| ")][1:]
    for line in lines:
        names, *rest = [cell.strip() for cell in line.strip("|").split("|")]
        assert len(rest) == 3 and all(rest), line
        assert names.split() and set(names.split()) <= set(operators()), line
    assert len(lines) > 50
