"""The answers give the results of the documented examples: the oracles are right before any operator is."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.cases.framework import Case, Operand, answer_of, operators_with_cases, spec
from tests.cases.framework.compare import assert_elements
from tests.cases.framework.tolerance import EXACT, Tolerance
from tests.operators.facts import examples
from tests.oracle.moves import Tensor, indices
from tests.oracle.numbers import encode

EXAMPLES = [e for e in examples() if e["status"] != "doc_error" and e["operator"] in operators_with_cases()]
LEAST = 111


def name_of(example: dict[str, Any]) -> str:
    return f"{example['operator']} {example['title']}"


def at(values: Any, index: tuple[int, ...]) -> Any:
    for place in index:
        values = values[place]
    return values


def elements(tensor: dict[str, Any]) -> Tensor:
    """The values that the page gives, by index."""
    found = {index: at(tensor["values"], index) for index in indices(tensor["Sizes"])}
    return {index: value for index, value in found.items() if value is not None}


def operands(tensors: dict[str, Any], is_input: bool) -> dict[str, Any]:
    """`InputTensors[1]` is an entry of a list, any other name a field."""
    found: dict[str, Any] = {}
    for name, tensor in tensors.items():
        values = elements(tensor) if is_input else {}
        operand = Operand.of(tensor["DataType"], tensor["Sizes"], values)
        bare, bracket, _ = name.partition("[")
        if bracket:
            found.setdefault(spec.snake(bare), []).append(operand)
        else:
            found[spec.snake(bare)] = operand
    return found


def attribute(operator: str, name: str, value: Any) -> Any:
    """Members of enumerations without their prefix, as descriptions write them."""
    field = spec.fields(operator)[name]
    if not field.type_name.startswith("ENUM:"):
        return value
    return re.sub(f"^{field.type_name.removeprefix('ENUM:')}_", "", value)


def case_of(example: dict[str, Any]) -> Case:
    operator = example["operator"]
    named = {spec.snake(name): value for name, value in example["attributes"].items()}
    kept = {name: attribute(operator, name, v) for name, v in named.items() if name in spec.fields(operator)}
    return Case(operator, {**operands(example["inputs"], True), **operands(example["outputs"], False), **kept})


@pytest.mark.parametrize("example", EXAMPLES, ids=name_of)
def test_answer__is_the_documented_output(example: dict[str, Any]) -> None:
    case = case_of(example)
    tolerance = Tolerance(0, example["tolerance"]) if "tolerance" in example else EXACT
    documented: dict[str, list[Tensor]] = {}
    for name, tensor in example["outputs"].items():
        documented.setdefault(spec.snake(name.partition("[")[0]), []).append(elements(tensor))
    for name, found in answer_of(case).items():
        answers = found if isinstance(case[name], list) else [found]
        for operand, page, given in zip(case.operands(name), documented[name], answers, strict=True):
            bits = {i: encode(v, operand.data_type) for i, v in page.items()}
            assert given.keys() == page.keys()
            assert_elements(bits, given, operand, tolerance)


def test_examples__are_counted() -> None:
    print(f"{len(EXAMPLES)} documented examples compared with the answers")
    assert len(EXAMPLES) >= LEAST
