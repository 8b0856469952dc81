"""Whatever a description holds, the answer is an operator or a DmlError: never another exception, never a hang."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anydml as dml
import anydml.operators
from anydml.core.levels import FeatureLevel
from anydml.core.schema import OPERATORS, AttributeField, Operator, TensorField
from anydml.core.schema.validate import validate
from anydml.graph.graph import Graph
from anydml.graph.lower import lower
from tests.operators.layouts import randoms

NUMBERS = (
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    -1,
    -2,
    2**31,
    2**32 - 1,
    2**32,
    -(2**31),
    2**64,
    10**400,
    1.5,
    float("nan"),
    float("inf"),
)
TEXTS = ("", "RELU", "ELU", "FLOAT32", "UINT8", "INT4", "EDGE", "NONE", "SUM", "inf", "nan", "DML_", "\x00", "a" * 300)
ODD: tuple[Any, ...] = (None, True, False, [], {}, (), [[]], b"x", object(), {1: 2}, {"Type": {}}, [None], range(3))


def odd_value(random: Random, depth: int = 0) -> Any:
    kind = random.randrange(6 if depth < 3 else 3)
    if kind == 0:
        return random.choice(NUMBERS)
    if kind == 1:
        return random.choice(TEXTS)
    if kind == 2:
        return random.choice(ODD)
    if kind == 3:
        return [odd_value(random, depth + 1) for _ in range(random.randrange(5))]
    if kind == 4:
        return {random.choice(("Type", "Desc", "Sizes", "DataType", "Alpha", "x")): odd_value(random, depth + 1)}
    return random_tensor(random)


def random_tensor(random: Random) -> Any:
    sizes = [random.choice((1, 1, 2, 3, 4, 8)) for _ in range(random.choice((1, 2, 3, 4, 4, 4, 5, 8)))]
    tensor: dict[str, Any] = {
        "DataType": random.choice(("FLOAT32", "FLOAT16", "UINT8", "INT64", "UINT4")),
        "Sizes": sizes,
    }
    if random.random() < 0.2:
        tensor["Strides"] = [random.choice((0, 1, 2, 7, 2**31)) for _ in sizes]
    if random.random() < 0.1:
        tensor[random.choice(("Flags", "DimensionCount", "Stride"))] = odd_value(random, 2)
    return tensor


def likely_value(random: Random, field: Any) -> Any:
    """Mostly of the right kind, so that deeper rules are reached."""
    if isinstance(field, TensorField):
        tensors = [random_tensor(random) for _ in range(random.randrange(1, 4))]
        return tensors if field.is_list else tensors[0]
    kind = field.type_name
    number = random.choice((0, 1, 1, 2, 3, 5, 2**31, 2**32 - 1))
    if kind.endswith("_ARRAY"):
        signed = -number if kind.startswith("INT") and random.random() < 0.4 and number < 2**31 else number
        return [random.choice((1, 1, 2, signed)) for _ in range(random.choice((1, 2, 3, 4, 4, 8)))]
    if kind.startswith("ENUM"):
        return random.choice((0, 1, 2, "FLOAT32", "UINT8", "SUM", "WRAP", "REFLECTION"))
    if kind == "SIZE_2D":
        return [random.choice((1, 2, number)), random.choice((1, 2, number))]
    if kind == "SCALE_BIAS":
        return [1.0, float(number)]
    if kind == "FLOAT":
        return random.choice((0.5, 1, 2.0, float("inf"), number))
    return random.choice((number, "RELU", {"Type": "ELU", "Alpha": 1}, True, 1.5))


def random_fields(random: Random, operator: type[Operator]) -> dict[str, Any]:
    shared = random_tensor(random)
    fields: dict[str, Any] = {}
    for field in operator.fields.values():
        luck = random.random()
        if luck < 0.06:
            continue
        if luck < 0.16:
            fields[field.dml_name] = odd_value(random)
        elif luck < 0.6 and isinstance(field, TensorField):
            fields[field.dml_name] = [shared] if field.is_list else shared
        else:
            fields[field.name] = likely_value(random, field)
    if random.random() < 0.1:
        fields[random.choice(("x", "InputTensr", "DimensionCount", "dimension_count"))] = odd_value(random)
    return fields


def try_one(random: Random, operator: type[Operator], level: FeatureLevel) -> str:
    """Read, validate and plan; what became of it."""
    try:
        described = operator(**random_fields(random, operator))
    except dml.DmlError as error:
        assert error.violations and str(error)
        return "not read"
    violations = validate(described, level)
    assert all(str(violation) for violation in violations)
    if violations:
        return "not valid"
    if (
        described.all_points()
        and max(p.tensor.layout.logical_element_count for p in described.all_points() if p.tensor) < 2**16
    ):
        lower(Graph.of(described)).describe()
    run_if_small(described)
    return "valid"


def run_if_small(operator: Operator) -> None:
    """What is valid also runs."""
    tensors = {point.name: point.tensor for point in operator.all_points() if point.tensor is not None}
    if any(t.total_tensor_size_in_bytes > 2**16 or t.is_owned_by_dml for t in tensors.values()):
        return
    buffers: dict[str, Any] = {}
    for name, tensor in tensors.items():
        memory = np.zeros(tensor.total_tensor_size_in_bytes, np.uint8)
        bare, bracket, _ = name.partition("[")
        if bracket:
            buffers.setdefault(bare, []).append(memory)
        else:
            buffers[bare] = memory
    dml.Device().compile(operator)(**buffers)


@settings(max_examples=35)
@given(random=randoms, level=st.sampled_from(list(FeatureLevel)))
def test_random_descriptions__raise_dml_errors_alone(random: Random, level: FeatureLevel) -> None:
    """Every operator in each example: 177 descriptions at a time."""
    for operator in OPERATORS.values():
        try_one(random, operator, level)


def test_wrong_tensor__is_told_without_the_lists_that_follow_from_it() -> None:
    """Strides and paddings have defaults, one for each dimension of the input; nobody has to give them."""
    with pytest.raises(dml.InvalidDescriptionError) as caught:
        dml.Convolution(input_tensor=np.zeros((1, 3, 4, 4)), filter_tensor=dml.TensorDesc("FLOAT32", [4, 3, 3, 3]))
    assert [violation.path for violation in caught.value.violations] == ["InputTensor"]


def test_wrong_rank__is_told_before_patterns_look_at_dimensions() -> None:
    with pytest.raises(dml.InvalidDescriptionError, match=r"tensor\.rank"):
        dml.Convolution(
            input_tensor=dml.TensorDesc("FLOAT32", [1, 1, 4, 4]),
            filter_tensor=dml.TensorDesc("FLOAT32", [3]),
            bias_tensor=dml.TensorDesc("FLOAT32", [1, 1, 1, 1]),
        )


def test_random_descriptions__reach_all_three_answers() -> None:
    """The generator is no good if everything is refused at the door."""
    answers = {
        name: {try_one(Random(k), cls, FeatureLevel.LEVEL_6_4) for k in range(60)} for name, cls in OPERATORS.items()
    }
    assert all("not read" in found for found in answers.values())
    assert sum("not valid" in found for found in answers.values()) >= 45
    assert sum("valid" in found for found in answers.values()) >= 20, answers


def test_attribute_fields__have_likely_values() -> None:
    kinds = {f.type_name for cls in OPERATORS.values() for f in cls.fields.values() if isinstance(f, AttributeField)}
    assert kinds >= {"UINT", "FLOAT", "BOOL", "SIZE_2D", "SCALE_BIAS", "SCALAR_UNION", "UINT_ARRAY", "INT_ARRAY"}
