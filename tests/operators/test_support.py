"""The declarations and the documented facts agree, compared in both directions."""

from __future__ import annotations

from typing import Any

import pytest

import anydml as dml
import anydml.operators
from anydml.core.levels import LEVELS, FeatureLevel
from anydml.core.schema import OPERATORS, AttributeField, Operator, TensorField, When
from anydml.core.schema.fields import Ladder
from tests.operators.facts import EVERY_OPERATOR_IS_DECLARED, OPERATOR_COUNT, operators

NAMES = [name for name in operators() if name in OPERATORS]
# Who may read and write one buffer: the pages and the schema disagree on these, and either's yes is taken.
EITHER = {"ACTIVATION_GELU", "ACTIVATION_SWISH", "ACTIVATION_HARD_SWISH"}
# The schema says yes where nothing could be shared: no input, or elements of another size.
NEVER = {"FILL_VALUE_CONSTANT", "FILL_VALUE_SEQUENCE", "ELEMENT_WISE_IS_INFINITY"}
# Fused into some hosts only; the page of CLIP says so itself, that of softmax leaves it to GEMM's.
SOME_HOSTS = {"ELEMENT_WISE_CLIP", "ACTIVATION_SOFTMAX", "ACTIVATION_SOFTMAX1"}
RECURRENT = {"RNN", "LSTM", "GRU"}
# Prose, or what ONNX Runtime binds, names another type than the table does: both are taken.
ALSO = {
    ("ADAM_OPTIMIZER", "TrainingStepTensor"): {"UINT32"},
    ("MULTIHEAD_ATTENTION1", "PastSequenceLengthsTensor"): {"INT32"},
}


def test_operators__are_those_of_the_facts() -> None:
    """Every declared operator is documented; once the last one is declared, the reverse holds too."""
    print(f"{len(NAMES)} of {len(operators())} documented operators are declared")
    assert len(operators()) == OPERATOR_COUNT
    assert NAMES and set(OPERATORS) <= set(operators())
    assert (set(OPERATORS) == set(operators())) == EVERY_OPERATOR_IS_DECLARED


@pytest.mark.parametrize("name", NAMES)
def test_identity__id_level_and_flags(name: str) -> None:
    facts, operator = operators()[name], OPERATORS[name]
    assert (operator.dml_id, operator.since.text) == (facts["id"], facts["since"])
    assert operator.fusable == (facts["fusable"] or name in SOME_HOSTS)
    assert operator.fuses_anywhere == (name not in SOME_HOSTS)
    says = facts["in_place"]
    assert (says["pages"] != says["schema"]) == (name in EITHER | NEVER)
    assert bool(operator.in_place) == (name not in NEVER and (says["pages"] or says["schema"]))
    fuses = any(getattr(f, "type_name", "").startswith("FUSED_ACTIVATION") for f in operator.fields.values())
    assert fuses == (facts["fuses"] or name in RECURRENT)


@pytest.mark.parametrize("name", NAMES)
def test_fields__order_role_type_count(name: str) -> None:
    declared = [_row(operator_field) for operator_field in OPERATORS[name].fields.values()]
    counts = {field[2].split(" of ")[1].split()[0] for field in operators()[name]["fields"] if " of " in field[2]}
    documented = [field for field in operators()[name]["fields"] if field[0] not in counts]
    assert declared == documented
    assert counts == set(OPERATORS[name].counts)


def _row(field: TensorField | AttributeField) -> list[str]:
    role = field.role if isinstance(field, TensorField) else "attribute"
    length = f" of {field.length}" if field.length else ""
    return [field.dml_name, role, field.type_name + length + (" optional" if field.optional else "")]


def _declared_same(operator: type[Operator]) -> set[tuple[frozenset[str], frozenset[str]]]:
    return {
        (frozenset(g.properties), frozenset(operator.fields[name].dml_name for name in g.tensors))
        for g in operator.same
    }


@pytest.mark.parametrize("name", NAMES)
def test_same__groups(name: str) -> None:
    # What has a type of its own agrees with nobody's.
    free = {tensor for operator, tensor in ALSO if operator == name}
    documented = {(frozenset(p.split()), frozenset(t.split()) - free) for p, t in operators()[name]["same"]}
    assert _declared_same(OPERATORS[name]) == documented


Row = tuple[frozenset[str], tuple[int, int]]


def _documented(name: str, tensor: str, member: str | None) -> dict[str, Row]:
    rows = {}
    for level, tensors, dims, types, *when in operators()[name]["support"]:
        if tensor in tensors.split() and (not when or member in when[0]["Function"]):
            low, high = dims.split("-")
            rows[level] = (frozenset(types.split()), (int(low), int(high)))
    return rows


def _declared(operator: type[Operator], field: TensorField, member: str | None) -> Any:
    types = field.types.choose(member or "") if isinstance(field.types, When) else field.types
    return types, field.rank or operator.ranks


@pytest.mark.parametrize("name", NAMES)
def test_support__every_level_both_ways(name: str) -> None:
    """At each of the 15 levels the types and ranks declared are those of the last documented row reached."""
    operator, compared = OPERATORS[name], 0
    members = [m.name for m in dml.ReduceFunction] if name == "REDUCE" else [None]
    for member in members:
        for field in operator.tensor_fields():
            documented = _documented(name, field.dml_name, member)
            assert documented, f"no support row for {field.dml_name}"
            types, ranks = _declared(operator, field, member)
            # Some operators are older than their first row, which then holds from the start.
            first = min(FeatureLevel.parse(row) for row in documented)
            for level in FeatureLevel:
                if level < operator.since:
                    continue
                expected = Ladder.parse(documented).at(max(level, first))
                declared = types.at(level), ranks.at(level)
                assert declared[0] is not None and declared[1] is not None and expected is not None
                also = ALSO.get((name, field.dml_name), set())
                found = frozenset(kind.name for kind in declared[0]) - also, declared[1]
                assert also <= {kind.name for kind in declared[0]}
                assert found == expected, f"{field.dml_name} {member or ''} at {level.text}"
                compared += 1
            # No declared step is invented: each is a level at which the documents have a row.
            assert _levels(types) | _levels(ranks) <= {*documented, "1.0", operator.since.text} | _other_rows(name)
    assert compared >= len(list(operator.tensor_fields()))


def _levels(ladder: Ladder[Any]) -> set[str]:
    return {level.text for level, _ in ladder.steps}


def _other_rows(name: str) -> set[str]:
    return {row[0] for row in operators()[name]["support"]}


def test_inferred_outputs__are_checked_at_the_level() -> None:
    """Comparisons write UINT8 from feature level 2.0 on, whether or not their output was described."""
    tensor = dml.TensorDesc("FLOAT32", [1, 1, 1, 4])
    operator = dml.ElementWiseLogicalEquals(a_tensor=tensor, b_tensor=tensor)
    assert [point.tensor is None for point in operator.all_points()] == [False] * 3
    with pytest.raises(dml.UnsupportedError) as caught:
        dml.Device(feature_level="1.0").compile(operator)
    assert [violation.path for violation in caught.value.violations] == ["OutputTensor.DataType"]


def test_compare__can_fail() -> None:
    """A changed table is noticed."""
    documented = _documented("SLICE1", "InputTensor", None)
    assert documented["2.1"] != documented["3.0"] != documented["4.1"]
    assert Ladder.parse(documented).at(FeatureLevel.LEVEL_4_0) == documented["3.0"]


def test_rows__allow_nothing_that_the_level_forbids() -> None:
    """So that validation need not ask the levels again."""
    for operator in OPERATORS.values():
        for field in operator.tensor_fields():
            ladders = list(field.types.ladders.values()) if isinstance(field.types, When) else [field.types]
            for level in FeatureLevel:
                if level < operator.since:
                    continue
                low, high = (field.rank or operator.ranks).at(level) or (0, 0)
                assert 1 <= low <= high <= LEVELS[level].maximum_rank, (operator, level)
                for ladder in ladders:
                    assert (ladder.at(level) or frozenset()) <= LEVELS[level].data_types, (operator, level)


def test_registry__has_every_operator_with_its_number() -> None:
    documented = {name: entry["id"] for name, entry in operators().items()}
    assert {name: cls.dml_id for name, cls in OPERATORS.items()} == documented and len(documented) == 177
