"""Every public name of PyDirectML is there, with its parameters and defaults."""

from __future__ import annotations

import enum
import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pydirectml as dml
from anydml.core.errors import InvalidDescriptionError
from anydml.core.fixes import Rename

FACTS = json.loads((Path(__file__).parents[1] / "spec" / "api.json").read_text("utf-8"))["pydirectml"]
FUNCTIONS = {entry["name"]: entry["params"] for entry in FACTS["functions"]}
DEFAULTS = {
    "None": None,
    "[]": (),
    "False": False,
    "1": 1,
    "1.0": 1.0,
    "DML_CONVOLUTION_MODE_CROSS_CORRELATION": dml.ConvolutionMode.CROSS_CORRELATION,
    "DML_CONVOLUTION_DIRECTION_FORWARD": dml.ConvolutionDirection.FORWARD,
    "DML_MATRIX_TRANSFORM_NONE": dml.MatrixTransform.NONE,
}


def mismatches(function: Any, facts: list[str]) -> list[str]:
    """What differs between a function and its facts."""
    found = [p for p in inspect.signature(function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    names = [fact.partition("=")[0] for fact in facts]
    if [p.name for p in found] != names:
        return [f"parameters {[p.name for p in found]}"]
    wrong = []
    optional = False
    for parameter, fact in zip(found, facts, strict=True):
        _, equals, text = fact.partition("=")
        optional = optional or bool(equals)
        if equals and parameter.default != DEFAULTS[text]:
            wrong.append(f"{parameter.name}={parameter.default!r}")
        # Python has no parameters without a default behind those with one: they are checked when called.
        if not equals and not optional and parameter.default is not inspect.Parameter.empty:
            wrong.append(f"{parameter.name} has a default")
    return wrong


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_function__has_its_parameters(name: str) -> None:
    assert mismatches(getattr(dml, name), FUNCTIONS[name]) == []


def test_mismatches__are_found() -> None:
    assert mismatches(dml.gemm, FUNCTIONS["add"]) and mismatches(dml.add, ["a=None", "b", "fused_activation=None"])


@pytest.mark.parametrize("name", sorted(FACTS["types"]))
def test_type__is_there(name: str) -> None:
    found = getattr(dml, name)
    assert inspect.isclass(found) and found.__doc__
    assert issubclass(found, enum.Enum) == (FACTS["types"][name] == "enum")


def test_all__is_what_the_facts_name() -> None:
    assert sorted(dml.__all__) == sorted({*FACTS["types"], *FUNCTIONS})


def test_enumerations__have_directmls_numbers() -> None:
    spec = Path(__file__).parents[1] / "spec"
    facts = json.loads((spec / "enumerations.json").read_text("utf-8"))
    for kind, prefix, first in (
        (dml.TensorDataType, "DML_TENSOR_DATA_TYPE", 1),
        (dml.MatrixTransform, "DML_MATRIX_TRANSFORM", 0),
        (dml.ConvolutionMode, "DML_CONVOLUTION_MODE", 0),
        (dml.ConvolutionDirection, "DML_CONVOLUTION_DIRECTION", 0),
        (dml.InterpolationMode, "DML_INTERPOLATION_MODE", 0),
        (dml.PaddingMode, "DML_PADDING_MODE", 0),
        (dml.RecurrentNetworkDirection, "DML_RECURRENT_NETWORK_DIRECTION", 0),
    ):
        numbers = {name: i + first for i, name in enumerate(facts[prefix])} | {"UNKNOWN": 0}
        assert all(numbers[member.name] == member.value for member in kind), prefix
    operators = json.loads((spec / "operators.json").read_text("utf-8"))
    names = {"SCATTER": "SCATTER_ELEMENTS"}
    for member in list(dml.OperatorType)[1:]:
        assert operators[names.get(member.name, member.name)]["id"] == member.value


def test_members__are_names_of_the_module() -> None:
    values: dict[str, Any] = vars(dml)
    assert values["FLOAT32"] is dml.TensorDataType.FLOAT32
    assert values["CONVOLUTION"] is dml.OperatorType["CONVOLUTION"], "of equal names the last one counts"
    assert "Both" not in values


def test_operator_types__end_with_level_2_0() -> None:
    assert next(iter(dml.OperatorType)).name == "INVALID" and list(dml.OperatorType)[-1].name == "RESAMPLE"
    assert dml.OperatorType["SCATTER"] and "SLICE1" not in dml.OperatorType.__members__


def test_tensor_desc__has_four_forms() -> None:
    kind, flags = dml.TensorDataType.FLOAT32, dml.TensorFlags.OWNED_BY_DML
    plain = dml.TensorDesc(kind, [1, 3, 4, 5])
    assert (plain.sizes, plain.strides, plain.flags) == ([1, 3, 4, 5], None, dml.TensorFlags.NONE)
    assert plain.total_tensor_size_in_bytes == 240 and plain.data_type is kind
    assert dml.TensorDesc(kind, flags, [1, 3, 4, 5]).flags is flags
    assert dml.TensorDesc(kind, [1, 3, 4, 5], [3, 1, 0, 0]).strides == [3, 1, 0, 0]
    nhwc = dml.TensorDesc(kind, flags, [1, 3, 4, 5], dml.TensorPolicy.interleaved_channel)
    assert nhwc.strides == [60, 1, 15, 3]
    whole = dml.TensorDesc(kind, flags, [2, 2], [2, 1], 64, 32)
    assert (whole.total_tensor_size_in_bytes, whole.guaranteed_base_offset_alignment) == (64, 32)
    assert dml.TensorDesc(data_type=kind, sizes=[2], strides=[2]).strides == [2]
    assert "FLOAT32" in repr(plain) and "[1,3,4,5]" in repr(plain)


def test_tensor_data__is_a_buffer() -> None:
    given = np.arange(6, dtype=np.float16).reshape(2, 3)
    data = dml.TensorData(given)
    view = memoryview(data)
    assert view.format == "e" and view.shape == (2, 3)
    given[0, 0] = 9
    assert np.asarray(data)[0, 0] == 0 and bytes(view) == np.arange(6, dtype=np.float16).tobytes()


@pytest.mark.parametrize(
    ("name", "near"),
    [("relu", "activation_relu"), ("convolutoin", "convolution"), ("concat", "join"), ("Tensor", "TensorD")],
)
def test_misspelt_names__are_told_with_the_nearest(name: str, near: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; try '{near}"):
        getattr(dml, name)


def test_unknown_names__get_no_far_suggestion() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'zzzz'$"):
        dml.zzzz  # noqa: B018


def test_unknown_keywords__are_told_with_the_nearest() -> None:
    with pytest.raises(InvalidDescriptionError) as caught:
        dml.convolution(None, None, stride=[1, 1], grups=2)
    first, second = caught.value.violations
    assert (first.rule, first.path, first.fix) == ("call.arguments", "stride", Rename("strides"))
    assert (second.found, second.expected) == ("2", "a parameter of convolution")
    assert "test_surface.py" in caught.value.subject
    assert "strides" in inspect.signature(dml.convolution).parameters


def test_size__can_be_changed() -> None:
    size = dml.Size2D(2, 3)
    size.width = 5
    assert (size.width, size.height) == (5, 3)


def test_device__says_which_it_is() -> None:
    device = dml.Device(use_gpu=False, use_debug_layer=True)
    assert repr(device).startswith("dml.Device on CPU") and device.name == "cpu"
    assert dml.Device().name in ("cuda", "cpu")
