"""The example of each operator: right by the oracle, and the same as a description, as Python and as a model."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.catalog.examples import Example, as_model, as_python, example_of, plain
from anydml.core.schema import OPERATORS, TensorField
from anydml.frontends.dxdispatch.executor import Executor, Options
from anydml.frontends.dxdispatch.parse import parse_model
from tests.cases.framework import Case, answer_of
from tests.cases.framework.case import Operand
from tests.cases.framework.run import check, is_untrustworthy

each_operator = pytest.mark.parametrize("name", sorted(OPERATORS))


def operand(tensor: dml.TensorDesc, elements: Any = None) -> Operand:
    values = {} if elements is None else {index: elements[index].item() for index in np.ndindex(*elements.shape)}
    return Operand.of(tensor.data_type.name, tensor.sizes, values)


def without_prefix(value: Any) -> Any:
    """Attributes as cases have them: activations without the first word of their names."""
    if isinstance(value, list):
        return [without_prefix(each) for each in value]
    is_activation = isinstance(value, dict) and "Type" in value
    return {**value, "Type": value["Type"].removeprefix("ACTIVATION_")} if is_activation else value


def case_of(example: Example) -> Case:
    """The example as a case, which the oracle can answer."""
    fields: dict[str, Any] = {}
    desc = as_model(example.operator, example.inputs)["dispatchables"]["operator"]["desc"]
    for name, value in example.operator.values().items():
        field = example.operator.fields[name]
        if value is None:
            continue
        if not isinstance(field, TensorField):
            fields[name] = value if name == "scale_bias" else without_prefix(desc[field.dml_name])
        elif field.is_list:
            arrays = example.inputs.get(name, [None] * len(value))
            fields[name] = [operand(*pair) for pair in zip(value, arrays, strict=True)]
        else:
            fields[name] = operand(value, example.inputs.get(name))
    return Case(type(example.operator).dml_type, fields)


@each_operator
@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_example__is_right(name: str, device: str) -> None:
    case = case_of(example_of(OPERATORS[name]))
    answer = answer_of(case)
    check(case, answer, device)
    assert not is_untrustworthy(case, answer) or name in ("FILL_VALUE_CONSTANT",)


@each_operator
def test_python__prints_what_comes_out(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    example = example_of(OPERATORS[name])
    program = as_python(example).replace("dml.Device()", "dml.Device('reference')")
    space: dict[str, Any] = {}
    exec(compile(program.replace("print(", "result = (", 1), name, "exec"), space)
    found = space["result"] if isinstance(space["result"], tuple) else (space["result"],)
    for one, other in zip(found, example.run().values(), strict=True):
        np.testing.assert_array_equal(one, other)
    exec(compile(as_python(example), name, "exec"), {})
    assert capsys.readouterr().out.strip()


@each_operator
def test_model__runs_to_the_same(name: str) -> None:
    example = example_of(OPERATORS[name])
    model = parse_model(json.dumps(as_model(example.operator, example.inputs)))
    assert model.dispatchables["operator"].operator == example.operator
    written: list[str] = []
    outcome = Executor(model, dml.Device("reference"), Options(), written.append).run()
    for name_of_output, elements in example.run().items():
        resource = name_of_output.replace("[", "_").rstrip("]")
        found = outcome.resources[resource].tobytes()[: elements.nbytes]
        assert found == np.ascontiguousarray(elements).tobytes()
        assert f"Resource '{resource}'" in "".join(written)


def test_plain__is_short_and_exact() -> None:
    values = np.array([[0.1, 2.0], [np.nan, -np.inf]], np.float32)
    assert plain(values) == [[0.1, 2], ["nan", "-inf"]]
    assert plain(np.float32(1) / np.array(3, np.float32)) == 0.33333334 and plain(np.array(1 / 3), 6) == 0.333333
    assert plain(np.array([1 << 63], np.uint64)) == [1 << 63]
    json.dumps(plain(np.arange(4, dtype=np.int8)))


def test_oracle__notices_a_wrong_example() -> None:
    """The comparison can fail: the oracle of SUBTRACT does not accept what ADD gives."""
    case = case_of(example_of(OPERATORS["ELEMENT_WISE_ADD"]))
    wrong = answer_of(Case("ELEMENT_WISE_SUBTRACT", case.fields))
    with pytest.raises(AssertionError, match="elements differ"):
        check(case, wrong, "reference")
