"""ONNX node tests: the oracles agree with all of them, and so do the declared operators on every device.

One of them: python -m tests.cases.onnx_nodes test_softmax_axis_0
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest

from tests.cases.framework import Case, spec
from tests.cases.framework.run import check
from tests.cases.onnx_nodes.nodes import Untranslatable, node_tests
from tests.cases.onnx_nodes.table import translate
from tests.cases.onnx_nodes.verify import check_oracle, tolerance_of
from tests.operators.memory import DEVICES

LEAST_NODES = 785
LEAST_OPERATORS = 125


@cache
def translated() -> tuple[dict[str, tuple[Case, dict[str, Any]]], Counter[str]]:
    """Cases by the name of the test, and how often each reason kept a test out."""
    cases, reasons = {}, Counter[str]()
    for node in node_tests():
        try:
            cases[node.name] = translate(node)
        except Untranslatable as reason:
            reasons[str(reason)] += 1
    return cases, reasons


def failures(run: Any) -> list[str]:
    """The names of all tests that fail, with the first line of why."""
    found = []
    for name, (case, expected) in translated()[0].items():
        try:
            run(case, expected)
        except Exception as error:
            found.append(f"{name} ({case.operator}): {error}")
    return found


def test_nodes__are_counted() -> None:
    cases, reasons = translated()
    operators = Counter(case.operator for case, _ in cases.values())
    print(f"{len(cases)} node tests of {len(operators)} DirectML operators; left out:")
    for reason, count in reasons.most_common():
        print(f"  {count:3} {reason}")
    assert len(cases) >= LEAST_NODES and len(operators) >= LEAST_OPERATORS


def test_nodes__agree_with_the_oracles() -> None:
    found = failures(check_oracle)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("device", DEVICES)
def test_nodes__agree_with_the_device(device: str) -> None:
    declared = set(spec.declared())
    ran = sum(case.operator in declared for case, _ in translated()[0].values())
    print(f"{ran} node tests of declared operators on {device}")

    def run(case: Case, expected: dict[str, Any]) -> None:
        if case.operator in declared:
            check(case, expected, device, tolerance_of(case))

    found = failures(run)
    assert ran and not found, "\n".join(found)


def test_check_oracle__can_fail() -> None:
    case, expected = translated()[0]["test_relu"]
    (name, values), *_ = expected.items()
    index = next(iter(values))
    with pytest.raises(AssertionError, match="elements differ"):
        check_oracle(case, {name: {**values, index: values[index] + 1}})
