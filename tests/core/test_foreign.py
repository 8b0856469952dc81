"""Names of other libraries: each leads to the operator of DirectML that does the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import onnx
import pytest

import anydml as dml
from anydml.core.fixes import Advice, Call, Either, Fix, OneOf, Spelling
from anydml.core.foreign import fold, foreign_names, needless_names
from anydml.core.schema import OPERATORS
from anydml.core.schema.names import ALIASES, find_operator, require_operator, suggest_operator
from anydml.frontends.dxdispatch.parse import parse_model
from tests.cases.onnx_nodes import arithmetic
from tests.cases.onnx_nodes.table import TABLE

FACTS = json.loads((Path(__file__).parents[1] / "spec" / "foreign.json").read_text("utf-8"))
EXPECTED: dict[str, str] = FACTS["names"]
"""What people write, and the operator they mean: several libraries, several spellings."""
NOTHING: list[str] = FACTS["without"]
"""Operators of ONNX that DirectML has nothing for."""
each_name = pytest.mark.parametrize(("name", "operator"), EXPECTED.items())


def targets(fix: Fix) -> list[str]:
    """The operators that a suggestion names."""
    if isinstance(fix, Either):
        return [name for each in fix.fixes for name in targets(each)]
    return [fix.operator] if isinstance(fix, Call) else []


def test_table__has_many_names() -> None:
    assert len(EXPECTED) >= 80 and len(set(EXPECTED.values())) >= 60


@each_name
def test_name__leads_to_the_operator(name: str, operator: str) -> None:
    assert targets(suggest_operator(name))[0] == operator


@each_name
def test_python__suggests_the_class(name: str, operator: str) -> None:
    last = re.split(r"[.:]", name)[-1]
    if hasattr(dml, last):  # one of DirectML's own names, or an older version of the operator
        assert getattr(dml, last).dml_type in (operator, operator.rstrip("1"))
        return
    with pytest.raises(AttributeError, match=rf"try {OPERATORS[operator].__name__}\b"):
        getattr(dml, last)


@each_name
def test_model__suggests_the_operator(name: str, operator: str) -> None:
    model = {"resources": {}, "dispatchables": {"a": {"type": name}}, "commands": []}
    with pytest.raises(dml.ModelError) as caught:
        parse_model(json.dumps(model))
    if name.upper() in OPERATORS:
        assert all(violation.rule != "dispatchable.type" for violation in caught.value.violations)
        return
    violation = next(each for each in caught.value.violations if each.rule == "dispatchable.type")
    assert str(violation).count(f"try '{operator}'") == 1


def test_onnx__every_operator_that_has_a_counterpart_leads_to_it() -> None:
    """The table that runs ONNX's own node tests says which operator is which."""
    known = {**arithmetic.UNARY, **{name: f"ELEMENT_WISE_{rest}" for name, rest in arithmetic.BINARY.items()}}
    known |= {name: f"ACTIVATION_{rest}" for name, (rest, _) in arithmetic.ACTIVATIONS.items()}
    for name, operator in known.items():
        assert operator in targets(suggest_operator(name)), name
    assert not [name for name in TABLE if not targets(suggest_operator(name))]


def test_onnx__what_has_no_counterpart_is_listed() -> None:
    domains = ("", "ai.onnx.preview.training")
    names = {
        schema.name for schema in onnx.defs.get_all_schemas() if schema.domain in domains and not schema.deprecated
    }
    without = {
        name
        for name in names
        if not any(name.endswith(word) for word in ("Gradient", "Adagrad", "Momentum"))
        and not (fold(name) in foreign_names() or fold(name) in needless_names() or find_operator(name))
    }
    assert without <= set(NOTHING) and len(names) > 150


@pytest.mark.parametrize(
    ("name", "operator"),
    [
        ("Threshold", "ELEMENT_WISE_THRESHOLD"),
        ("ElementWiseSum", "ELEMENT_WISE_ADD"),
        ("ActivationSelu", "ACTIVATION_SCALED_ELU"),
    ],
)
def test_prefixes__may_be_missing_or_too_much(name: str, operator: str) -> None:
    assert targets(suggest_operator(name))[0] == operator


def test_needless_operators__are_told_so() -> None:
    for name in ("Reshape", "np.squeeze", "Flatten", "Shape", "Dropout"):
        assert isinstance(suggest_operator(name), Advice)
    with pytest.raises(AttributeError, match="needs no operator"):
        dml.Reshape  # noqa: B018


def test_tables__name_operators_and_fields_that_exist() -> None:
    for entries in foreign_names().values():
        for entry in entries:
            words = entry.partition(" (")[0].split()
            operator = OPERATORS[words[0]]
            assert all(word.partition("=")[0] in operator.fields for word in words[1:])


def test_fields__are_spelt_for_their_reader() -> None:
    fix = suggest_operator("ReduceMean")
    assert fix.text() == "Reduce(function='AVERAGE')"
    assert fix.text(Spelling.MODEL) == """'REDUCE' with "Function": "AVERAGE\""""
    both = suggest_operator("MEAN")
    assert both.text() == "ElementWiseMean or Reduce(function='AVERAGE')"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("MEAN", "AVERAGE"), ("PROD", "MULTIPLY"), ("mean", "AVERAGE"), ("LOGSUM", "LOG_SUM")],
)
def test_members__of_enumerations_are_suggested_too(value: str, expected: str) -> None:
    with pytest.raises(dml.InvalidDescriptionError, match=f"try '{expected}'"):
        dml.ReduceFunction.parse(value)


def test_activations__lead_to_fusable_ones_alone() -> None:
    a = dml.TensorDesc("FLOAT32", [4])
    for name, expected in (("Selu", "ActivationScaledElu"), ("Sofplus", "ActivationSoftplus")):
        with pytest.raises(dml.InvalidDescriptionError, match=f"try {expected}"):
            dml.ElementWiseAdd1(a_tensor=a, b_tensor=a, fused_activation=name)


def test_find__takes_every_spelling_of_a_name() -> None:
    for name, cls in OPERATORS.items():
        for spelling in (name, name.lower(), f"DML_OPERATOR_{name}", cls.__name__):
            assert find_operator(spelling) is cls
    assert {alias: find_operator(alias) for alias in ALIASES} == {"SCATTER": dml.ScatterElements}
    assert find_operator("Conv") is None and isinstance(suggest_operator("no such thing at all"), OneOf)


def test_require__takes_names_classes_and_descriptions() -> None:
    operator = dml.ActivationRelu(input_tensor=dml.TensorDesc("FLOAT32", [2]))
    assert {require_operator(each) for each in ("ACTIVATION_RELU", type(operator), operator)} == {dml.ActivationRelu}
    for wrong in ("Softmax", 7, None, dml.Operator):
        with pytest.raises(dml.InvalidDescriptionError) as caught:
            require_operator(wrong)
        assert caught.value.violations[0].rule == "operator.name"
