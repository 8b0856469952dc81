"""Compares an oracle's answer with what an ONNX node test expects."""

from __future__ import annotations

from typing import Any

from tests.cases.framework import Case, answer_of
from tests.cases.framework.compare import assert_elements
from tests.cases.framework.tolerance import Tolerance
from tests.oracle.numbers import encode

# The expected values were computed by NumPy, often in single precision.
TOLERANCE = Tolerance(64, absolute=1e-6)
# Inputs and expected values of these are written with four decimals.
ROUNDED = {"ROI_ALIGN1": Tolerance(64, absolute=1e-4)}


def tolerance_of(case: Case) -> Tolerance:
    """How near the operator must come to the expected values."""
    return ROUNDED.get(case.operator, TOLERANCE)


def check_oracle(case: Case, expected: dict[str, Any]) -> None:
    """Every element that both define is the same; the oracle defines no element that the test lacks."""
    answers = answer_of(case)
    for name in case.outputs:
        found, wanted = (
            [side[name]] if not isinstance(case[name], list) else side[name] for side in (answers, expected)
        )
        for operand, ours, theirs in zip(case.operands(name), found, wanted, strict=True):
            assert set(ours) <= set(theirs), f"{name}: the oracle defines elements that the test does not have"
            codes = {i: encode(v, operand.data_type) for i, v in theirs.items()}
            assert_elements(codes, ours, operand, tolerance_of(case))
