"""Every case of every operator, on every device that computes.

One operator: scripts/test tests/cases/test_cases.py -k 'ACTIVATION_SOFTMAX1-'
"""

from __future__ import annotations

import pytest

from tests.cases.framework import answer_of, make_case, numbers_of, operators_with_cases
from tests.cases.framework.run import check, rerun_line
from tests.operators.memory import DEVICES

RUN = operators_with_cases()
CASES = [(name, number) for name in RUN for number in numbers_of(name)]


@pytest.mark.parametrize(("operator", "number"), CASES, ids=[f"{name}-{number}" for name, number in CASES])
def test_case(operator: str, number: int) -> None:
    case = make_case(operator, number)
    print(f"Run this case alone: {rerun_line(case)}\n{case}")
    answer = answer_of(case)
    for device in DEVICES:
        print(f"device: {device}")
        check(case, answer, device)


def test_cases__are_counted() -> None:
    """Nothing is green because nothing ran."""
    print(f"{len(CASES)} cases of {len(RUN)} operators, on each of {len(DEVICES)} devices")
    assert len(CASES) >= 20 * len(RUN) > 0
