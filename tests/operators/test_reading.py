"""Descriptions as people and JSON write them: every spelling, every mistake named with the nearest right one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anydml as dml
import anydml.operators
from anydml.core.schema import OPERATORS

TENSOR = {"DataType": "FLOAT32", "Sizes": [1, 1, 2, 2]}
X = dml.TensorDesc("FLOAT32", [1, 1, 2, 2])
ADD1 = {"a_tensor": X, "b_tensor": X}
PADDING = {"input_tensor": X, "padding_value": 0, "start_padding": [0] * 4, "end_padding": [0] * 4}
CLIP1 = {"input_tensor": dml.TensorDesc("UINT8", [4]), "min_max_data_type": "UINT8"}
UPSAMPLE = {"input_tensor": X, "interpolation_mode": "NEAREST_NEIGHBOR"}


def refused(make: Any, **fields: Any) -> tuple[dml.Violation, ...]:
    with pytest.raises(dml.DmlError) as caught:
        make(**fields)
    return caught.value.violations


@pytest.mark.parametrize(
    "tensor",
    [
        X,
        TENSOR,
        {**TENSOR, "DataType": "DML_TENSOR_DATA_TYPE_FLOAT32"},
        {"Type": "BUFFER", "Desc": TENSOR},
        {"Type": "DML_TENSOR_TYPE_BUFFER", "Desc": {**TENSOR, "DimensionCount": 4}},
        {**TENSOR, "Strides": [4, 4, 2, 1], "Flags": [], "TotalTensorSizeInBytes": 16},
        {**TENSOR, "Strides": None, "Flags": "NONE", "GuaranteedBaseOffsetAlignment": 0},
        {**TENSOR, "TotalTensorSizeInBytes": 0},
        {**TENSOR, "Type": "BUFFER"},
        {"type": "buffer", "desc": TENSOR, "Desc": None},
    ],
    ids=[
        *("desc", "collapsed", "full type name", "nested", "nested with count", "all fields", "nulls", "size to find"),
        *("collapsed with type", "lower keys"),
    ],
)
def test_tensor__nested_or_collapsed(tensor: Any) -> None:
    operator = dml.ActivationRelu(InputTensor=tensor, OutputTensor=tensor)
    assert operator.input_tensor.sizes == (1, 1, 2, 2)
    assert operator.output_tensor.data_type is dml.DataType.FLOAT32


@pytest.mark.parametrize(
    ("tensor", "rule", "text"),
    [
        ([1, 2], "tensor.kind", "TensorDesc"),
        ({"DataType": "FLOAT32", "Size": [4]}, "tensor.field", "'Sizes'"),
        ({"Sizes": [4]}, "tensor.field", "giving data_type"),
        ({"DataType": "FLOAT32", "Sizes": [4], "DimensionCount": 2}, "tensor.field", "1"),
        ({"DataType": "FLOAT23", "Sizes": [4]}, "data-type.known", "FLOAT32"),
        ({"DataType": "FLOAT32", "Sizes": [0]}, "sizes.positive", ""),
        ({"DataType": "FLOAT32", "Sizes": [4], "Strides": [-1]}, "strides.negative", "Slice1"),
        ({"Type": "TEXTURE", "Desc": TENSOR}, "tensor.type", "BUFFER"),
        ({"type": "DML_TENSOR_TYPE_INVALID", "desc": TENSOR}, "tensor.type", "BUFFER"),
        ({"Type": 7, **TENSOR}, "tensor.type", "BUFFER"),
        ({"Type": "BUFFER", "Desc": {"Type": ["BUFFER"], **TENSOR}}, "tensor.type", "BUFFER"),
        ({"Type": "BUFFER", "Desc": 7}, "tensor.field", "DataType and Sizes inside"),
        ({"Desc": TENSOR, "desc": TENSOR}, "tensor.field", "leaving one of them out"),
        ({"Type": "BUFFER", "type": "BUFFER", "Desc": TENSOR}, "tensor.field", "leaving one of them out"),
        ({"Desc": TENSOR, **TENSOR}, "tensor.field", "leaving one of them out"),
    ],
)
def test_tensor__mistakes_are_named(tensor: Any, rule: str, text: str) -> None:
    violations = refused(dml.ActivationRelu, input_tensor=tensor)
    found = next(violation for violation in violations if violation.rule == rule)
    assert found.path.startswith("InputTensor") and text in str(found.fix)


@pytest.mark.parametrize("spelling", ["EDGE", "DML_PADDING_MODE_EDGE", "edge", 1, np.int64(1), dml.PaddingMode.EDGE])
def test_enumeration__short_full_number_member(spelling: Any) -> None:
    assert dml.Padding(**PADDING, padding_mode=spelling).padding_mode is dml.PaddingMode.EDGE


@pytest.mark.parametrize(
    "spelling", ["EDGY", "DML_PADDING_MODE_EDGES", 9, -1, True, 1.5, None, [1], np.arange(3), b"EDGE"]
)
def test_enumeration__others_are_refused_with_the_nearest(spelling: Any) -> None:
    violation = refused(dml.Padding, **PADDING, padding_mode=spelling)[0]
    assert violation.rule == ("field.missing" if spelling is None else "enum.known")
    assert violation.path == "PaddingMode"
    if isinstance(spelling, str):
        assert "'EDGE'" in str(violation.fix)


@pytest.mark.parametrize("value", [7, 7.0, np.uint8(7), {"UInt8": 7}, {"uint8": 7}, np.float32(7)])
def test_scalar_union__number_or_named(value: Any) -> None:
    operator = dml.ElementWiseClip1(**CLIP1, min=value, max=9)
    assert operator.min == 7 and isinstance(operator.min, int)


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ({"Float32": 7.0}, "scalar.kind"),
        ({"UInt8": 7, "UInt16": 7}, "scalar.kind"),
        ({}, "scalar.kind"),
        ("7", "scalar.kind"),
        ("nan", "scalar.kind"),
        (7.5, "scalar.kind"),
        (True, "scalar.kind"),
        (256, "scalar.range"),
        (-1, "scalar.range"),
        pytest.param(10**5000, "scalar.range", id="5001 digits"),
        (float("inf"), "scalar.kind"),
        ([7], "scalar.kind"),
    ],
)
def test_scalar_union__must_fit_its_type(value: Any, rule: str) -> None:
    violations = refused(dml.ElementWiseClip1, **CLIP1, min=value, max=9)
    assert [(v.rule, v.path) for v in violations] == [(rule, "Min")]


@pytest.mark.parametrize(
    ("text", "value"),
    [("inf", np.inf), ("-inf", -np.inf), ("nan", np.nan), pytest.param(10**400, np.inf, id="401 digits")],
)
def test_floats__infinities_and_nan_have_names(text: Any, value: float) -> None:
    operator = dml.ElementWiseClip(input_tensor=X, min=text, max=1)
    assert np.array_equal(operator.min, value, equal_nan=True)
    wide = dml.FillValueConstant(
        output_tensor=dml.TensorDesc("FLOAT32", [1]), value_data_type="FLOAT32", value={"Float32": text}
    )
    assert np.array_equal(wide.value, value, equal_nan=True)


def test_floats__are_single_precision() -> None:
    assert dml.ActivationElu(input_tensor=X, alpha=0.1).alpha == float(np.float32(0.1))


@pytest.mark.parametrize("value", [(2, 3), [2, 3], {"Width": 2, "Height": 3}, {"height": 3, "width": 2}])
def test_size_2d__width_then_height(value: Any) -> None:
    operator = dml.Upsample2D(**UPSAMPLE, scale_size=value)
    assert operator.scale_size == (2, 3)
    assert operator.output_tensor.sizes == (1, 1, 6, 4)


@pytest.mark.parametrize("value", [2, [2], {"Width": 2}, {"Width": 2, "Depth": 1}, "2x3", [2, 3, 4]])
def test_size_2d__is_a_pair(value: Any) -> None:
    assert [v.rule for v in refused(dml.Upsample2D, **UPSAMPLE, scale_size=value)] == ["attribute.size-2d"]


@pytest.mark.parametrize("value", [[-1, 2], ["a", 2], [2, 2.5]])
def test_size_2d__numbers_are_checked(value: Any) -> None:
    violation = refused(dml.Upsample2D, **UPSAMPLE, scale_size=value)[0]
    assert violation.path.startswith("ScaleSize.")


@pytest.mark.parametrize("value", [(2.0, 1.0), {"Scale": 2, "Bias": 1}])
def test_scale_bias__pair_or_object(value: Any) -> None:
    assert dml.ElementWiseIdentity(input_tensor=X, scale_bias=value).scale_bias == (2.0, 1.0)


@pytest.mark.parametrize("value", [2.0, {"Scale": 2}, {"Scale": 2, "Bia": 1}, [1, "x"]])
def test_scale_bias__mistakes(value: Any) -> None:
    assert refused(dml.ElementWiseIdentity, input_tensor=X, scale_bias=value)


def test_counts__agree_or_are_refused() -> None:
    window = {"input_window_offsets": [0] * 4, "input_window_sizes": [1] * 4, "input_window_strides": [1] * 4}
    assert dml.Slice1(input_tensor=X, DimensionCount=4, **window) == dml.Slice1(input_tensor=X, **window)
    told = refused(dml.Slice1, input_tensor=X, DimensionCount=3, **window)
    assert {v.rule for v in told} == {"field.count"} and len(told) == 3
    uneven = refused(dml.Slice1, input_tensor=X, **{**window, "input_window_sizes": [1] * 3})
    assert [(v.rule, v.path) for v in uneven] == [("field.count", "InputWindowSizes")]
    joined = refused(dml.Join, InputTensors=[TENSOR, TENSOR], InputCount=3, Axis=0, OutputTensor=TENSOR)
    assert [(v.rule, v.path) for v in joined] == [("field.count", "InputTensors")]


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("InputTensr", "InputTensor"), ("input_tensr", "input_tensor"), ("aplha", "alpha"), ("Aplha", "Alpha")],
)
def test_unknown_field__suggests_the_nearest(name: str, nearest: str) -> None:
    violations = refused(dml.ActivationElu, **{"input_tensor": X, "alpha": 1, name: 1})
    assert [(v.rule, v.path) for v in violations] == [("field.unknown", name)]
    assert nearest in str(violations[0].fix)


def test_field_given_twice__is_refused() -> None:
    assert refused(dml.ActivationRelu, input_tensor=X, InputTensor=X)[0].rule == "field.twice"


@pytest.mark.parametrize(
    "activation",
    [
        "ELU",
        "ACTIVATION_ELU",
        "DML_OPERATOR_ACTIVATION_ELU",
        "elu",
    ],
)
@pytest.mark.parametrize("form", ["nested", "collapsed", "nested with null tensors", "operator", "lower keys"])
def test_fused_activation__every_form(activation: str, form: str) -> None:
    forms: dict[str, Any] = {
        "nested": {"Type": activation, "Desc": {"Alpha": 2}},
        "collapsed": {"Type": activation, "Alpha": 2},
        "nested with null tensors": {
            "Type": activation,
            "Desc": {"InputTensor": None, "OutputTensor": None, "Alpha": 2},
        },
        "operator": dml.ActivationElu.fused(alpha=2),
        "lower keys": {"type": activation, "desc": {"alpha": 2}},
    }
    operator = dml.ElementWiseAdd1(**ADD1, fused_activation=forms[form])
    assert operator.fused_activation == dml.ActivationElu.fused(alpha=2)
    dml.Device().compile(operator)


@pytest.mark.parametrize(
    ("activation", "rule", "path"),
    [
        ("GEMM", "activation.fusable", "FusedActivation"),
        ("REUL", "activation.fusable", "FusedActivation"),
        ("SWISH", "activation.fusable", "FusedActivation"),
        (dml.ActivationSwish.fused(sigmoid_input_scale=1), "activation.fusable", "FusedActivation"),
        (dml.ActivationSwish, "activation.fusable", "FusedActivation"),
        (7, "activation.fusable", "FusedActivation"),
        ({}, "activation.fusable", "FusedActivation"),
        ({"Desc": {"Alpha": 1}}, "activation.fusable", "FusedActivation"),
        ({"Type": ["ELU"]}, "activation.fusable", "FusedActivation"),
        ({"Type": "ELU"}, "field.missing", "FusedActivation.Alpha"),
        ({"Type": "ELU", "Alpa": 1, "Alpha": 1}, "field.unknown", "FusedActivation.Alpa"),
        ({"Type": "ELU", "Alpha": "1"}, "attribute.number", "FusedActivation.Alpha"),
        ({"Type": "RELU", 3: 4}, "field.unknown", "FusedActivation.3"),
        ({"Type": "RELU", "InputTensor": TENSOR}, "activation.tensors", "FusedActivation.InputTensor"),
        ({"Type": "RELU", "Desc": {"OutputTensor": TENSOR}}, "activation.tensors", "FusedActivation.OutputTensor"),
        (dml.ActivationRelu(input_tensor=X), "activation.tensors", "FusedActivation"),
        ({"Type": "ELU", "Alpha": 1, "Desc": {"Alpha": 1}}, "activation.desc", "FusedActivation.Alpha"),
        ({"Type": "ELU", "Alpha": 1, "Desc": {"alpha": 1}}, "field.twice", "FusedActivation.alpha"),
        ({"Type": "RELU", "Desc": "nothing"}, "activation.desc", "FusedActivation.Desc"),
        ({"Type": "RELU", "Desc": []}, "activation.desc", "FusedActivation.Desc"),
        ({"Type": "RELU", "Desc": {}, "desc": {}}, "activation.desc", "FusedActivation.desc"),
        ({"Type": "RELU", "type": "ELU"}, "activation.desc", "FusedActivation.type"),
    ],
)
def test_fused_activation__mistakes(activation: Any, rule: str, path: str) -> None:
    violations = refused(dml.ElementWiseAdd1, **ADD1, fused_activation=activation)
    assert (rule, path) in [(v.rule, v.path) for v in violations]


def test_fused_activation__suggests_the_nearest_name() -> None:
    assert "ActivationRelu" in refused(dml.ElementWiseAdd1, **ADD1, fused_activation="REUL")[0].fix.text()


def test_fused__refuses_tensors_in_python_too() -> None:
    assert refused(dml.ActivationRelu.fused, input_tensor=X)[0].rule == "activation.tensors"


@pytest.mark.parametrize(
    ("activation", "level", "needed"),
    [
        ({"Type": "CELU", "Alpha": 1}, "2.1", "3.0"),
        ({"Type": "GELU"}, "5.0", "5.1"),
        ({"Type": "SHRINK", "Bias": 0, "Threshold": 1}, "2.0", None),
        ({"Type": "SOFTPLUS", "Steepness": 0.5}, "6.3", "6.4"),
        ({"Type": "SOFTPLUS", "Steepness": 2}, "2.0", None),
    ],
)
def test_fused_activation__has_a_level_of_its_own(activation: Any, level: str, needed: str | None) -> None:
    operator = dml.ElementWiseAdd1(**ADD1, fused_activation=activation)
    if needed is None:
        dml.Device(feature_level=level).compile(operator)
        return
    with pytest.raises(dml.UnsupportedError) as caught:
        dml.Device(feature_level=level).compile(operator)
    assert caught.value.feature_level == needed


def test_clip__fuses_into_gemm_and_convolution_only() -> None:
    clip = {"Type": "DML_OPERATOR_ELEMENT_WISE_CLIP", "Min": 0, "Max": 6}
    gemm = dml.Gemm(a_tensor=X, b_tensor=X, trans_a=0, trans_b=0, alpha=1, beta=0, fused_activation=clip)
    result = np.zeros(4, np.float32)
    dml.Device().compile(gemm)(a_tensor=np.full(4, 2, "f4"), b_tensor=np.full(4, 3, "f4"), output_tensor=result)
    assert result.tolist() == [6] * 4
    with pytest.raises(dml.UnsupportedError, match=r"activation\.host"):
        dml.Device(feature_level="5.2").compile(gemm)
    with pytest.raises(dml.InvalidDescriptionError, match=r"activation\.host"):
        dml.Device().compile(dml.ElementWiseAdd1(**ADD1, fused_activation=clip))


def test_values__are_frozen_equal_hashable_and_pickled() -> None:
    import pickle

    for cls in OPERATORS.values():
        with pytest.raises(dml.DmlError):
            cls()
    operator = dml.ElementWiseAdd1(**ADD1, fused_activation="RELU")
    again = pickle.loads(pickle.dumps(operator))
    assert again == operator and hash(again) == hash(operator) and "RELU" not in repr(operator).split("(")[0]
    with pytest.raises(AttributeError, match="frozen"):
        operator.fused_activation = None
