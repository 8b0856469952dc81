"""Questions about support: the answers are those of the documented tables."""

from __future__ import annotations

from typing import Any

import pytest

import anydml as dml
from anydml.catalog.levels import level_rows
from anydml.core.levels import FeatureLevel
from anydml.core.schema import OPERATORS
from anydml.core.schema.fields import Ladder
from tests.operators.facts import operators

X = dml.TensorDesc("FLOAT32", [1, 1, 2, 2])


def documented(name: str) -> dict[tuple[str, str | None], dict[str, tuple[set[str], int, int]]]:
    """Types and ranks by level, for each tensor and each function that the table tells apart."""
    found: dict[tuple[str, str | None], dict[str, tuple[set[str], int, int]]] = {}
    for level, tensors, dims, types, *when in operators()[name]["support"]:
        low, high = map(int, dims.split("-"))
        for tensor in tensors.split():
            for function in when[0]["Function"] if when else [None]:
                found.setdefault((tensor, function), {})[level] = (set(types.split()), low, high)
    return found


def lowest(name: str, rows: dict[str, Any], data_type: str, rank: int) -> str | None:
    """The first level from the operator's own on at which the table has the type and the rank."""
    since = FeatureLevel.parse(operators()[name]["since"])
    first = min(map(FeatureLevel.parse, rows))
    for level in FeatureLevel:
        types, low, high = Ladder.parse(rows).at(max(level, first)) or (set(), 0, 0)
        if level >= since and data_type in types and low <= rank <= high:
            return level.text
    return None


@pytest.mark.parametrize("name", operators())
def test_min_feature_level__is_that_of_the_table(name: str) -> None:
    for (tensor, function), rows in documented(name).items():
        field = next(field.name for field in OPERATORS[name].tensor_fields() if field.dml_name == tensor)
        asked = {"function": function} if function else {}
        for data_type in {kind for types, _, _ in rows.values() for kind in types}:
            for rank in (1, 2, 4, 5, 8):
                sizes = [1] * rank
                found = dml.min_feature_level(name, **asked, **{field: dml.TensorDesc(data_type, sizes)})
                assert (found.text if found else None) == lowest(name, rows, data_type, rank), (tensor, data_type, rank)


@pytest.mark.parametrize("name", operators())
def test_supports__from_its_level_on(name: str) -> None:
    since = FeatureLevel.parse(operators()[name]["since"])
    assert [dml.supports(name, level) for level in FeatureLevel] == [level >= since for level in FeatureLevel]
    assert dml.min_feature_level(name) is since


def test_names__in_every_spelling() -> None:
    for name in ("SLICE1", "slice1", "DML_OPERATOR_SLICE1", "Slice1", dml.Slice1):
        assert dml.supports(name) and not dml.supports(name, "2.0")


def test_data_type__is_of_some_input() -> None:
    assert dml.supports("ELEMENT_WISE_IF", data_type="FLOAT32") and dml.supports("ELEMENT_WISE_IF", data_type="UINT8")
    assert not dml.supports("MAX_POOLING2", "2.1", data_type="UINT32")  # its indices are, but they are an output
    assert dml.supports("FILL_VALUE_CONSTANT", data_type="INT8")
    assert dml.min_feature_level("SLICE1", data_type="FLOAT64") is FeatureLevel.LEVEL_4_1
    assert dml.min_feature_level("SLICE1", rank=8) is FeatureLevel.LEVEL_3_0
    assert dml.min_feature_level("SLICE1", rank=9) is None


def test_members__of_enumerations_have_levels() -> None:
    assert dml.min_feature_level("PADDING", padding_mode="WRAP") is FeatureLevel.LEVEL_6_4
    assert dml.min_feature_level("PADDING", padding_mode="EDGE") is FeatureLevel.LEVEL_1_0
    assert dml.min_feature_level("REDUCE", function="L2", input_tensor="INT64") is None
    assert dml.supports("REDUCE", function="SUM", input_tensor="INT64")


def test_description__answers_for_itself() -> None:
    operator = dml.ActivationRelu(input_tensor=X)
    assert dml.min_feature_level(operator) is FeatureLevel.LEVEL_1_0
    integers, halves = (X.replace(data_type=kind) for kind in ("INT32", "FLOAT16"))
    assert dml.min_feature_level(dml.ActivationRelu(input_tensor=integers)) is FeatureLevel.LEVEL_5_1
    assert dml.min_feature_level(dml.ActivationRelu(input_tensor=integers, output_tensor=halves)) is None
    flat = dml.TensorDesc("FLOAT32", [4])
    assert dml.min_feature_level(dml.ActivationRelu(input_tensor=flat)) is FeatureLevel.LEVEL_3_0


def test_graph__answers_for_itself() -> None:
    operator = dml.ActivationRelu(input_tensor=X)
    plain = dml.Graph([operator], [(0, 0, 0)], [(0, 0, 0)])
    assert dml.min_feature_level(plain) is FeatureLevel.LEVEL_2_1 and not dml.supports(plain, "2.0")
    constant = dml.Graph([operator, dml.ConstantNode(bytes(16))], [], [(0, 0, 0)], [(1, 0, 0, 0)])
    assert dml.min_feature_level(constant) is FeatureLevel.LEVEL_6_2


def test_wrong_questions__are_told_at_once() -> None:
    with pytest.raises(dml.InvalidDescriptionError) as caught:
        dml.supports("SLICE1", data_type="FLT", rank="x", input="INT8", output_tensor="NOPE")
    rules = [violation.rule for violation in caught.value.violations]
    assert rules == ["data-type.known", "integer", "support.field", "data-type.known"]
    with pytest.raises(dml.InvalidDescriptionError, match="try 'input_tensor'"):
        dml.supports("SLICE1", input="INT8")
    with pytest.raises(dml.InvalidDescriptionError, match="nothing beside a description"):
        dml.supports(dml.ActivationRelu(input_tensor=X), data_type="FLOAT32", rank=4)
    with pytest.raises(dml.InvalidDescriptionError, match="try ActivationSoftmax1"):
        dml.supports("Softmax")
    with pytest.raises(dml.InvalidDescriptionError, match=r"feature-level\.known"):
        dml.supports("SLICE1", "9.9")


@pytest.mark.parametrize(
    ("release", "level"),
    [
        *(("1.0", "1.0"), ("1.0.0", "1.0"), ("1.1", "2.0"), ("1.3", "2.1"), ("1.4.0", "3.0"), ("1.4.3", "3.0")),
        *(("1.8", "5.0"), ("1.10.1", "5.2"), ("1.14", "6.2"), ("1.15.4", "6.4"), ("2.0", "6.4")),
    ],
)
def test_release__has_its_highest_level(release: str, level: str) -> None:
    assert FeatureLevel.of_directml(release).text == level


@pytest.mark.parametrize("wrong", ["", "1", "0.9", "1.x", "v1.4", "1.4.0.1", "-1.0", None, 1.4])
def test_release__wrong_ones_are_refused(wrong: Any) -> None:
    with pytest.raises(dml.InvalidDescriptionError, match=r"feature-level\.release"):
        FeatureLevel.of_directml(wrong)


def test_levels__table_adds_up() -> None:
    rows = level_rows()
    assert [row["feature_level"] for row in rows] == [level.text for level in FeatureLevel]
    assert sum(len(row["operators"]) for row in rows) == rows[-1]["operator_count"] == 177
    assert all(str(level) == row["feature_level"] for level, row in zip(FeatureLevel, rows, strict=True))
    for row in rows:
        assert {operators()[name]["since"] for name in row["operators"]} <= {row["feature_level"]}
        assert FeatureLevel.of_directml(row["directml_version"]) >= FeatureLevel.parse(row["feature_level"])
