"""Data types, feature levels, names and errors."""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anydml as dml
from anydml.core.errors import raise_if_any, shown
from anydml.core.fixes import (
    Add,
    Advice,
    Bind,
    Describe,
    Either,
    Fix,
    Insert,
    OneOf,
    Option,
    Rank,
    Rename,
    Resize,
    Set,
    Spelling,
    Use,
    suggest,
    unquoted,
)
from anydml.core.levels import LEVELS
from anydml.core.naming import pascal, snake, upper
from anydml.core.rules import RULES, rule
from tests.core.checks import error_of, violations_of


class _NothingKnown:
    """A value of no kind that anyone expects; it looks the same in every process."""

    def __repr__(self) -> str:
        return "<nothing known>"


NOTHING_KNOWN = _NothingKnown()


DataType = dml.DataType


@pytest.mark.parametrize("kind", list(DataType))
def test_data_type__is_read_in_every_form(kind: dml.DataType) -> None:
    for form in (kind, kind.name, kind.name.lower(), kind.dml_name, kind.id, f" {kind.name} "):
        assert DataType.parse(form) is kind
    assert kind.dml_name == "DML_TENSOR_DATA_TYPE_" + kind.name
    if not kind.is_packed_pair:
        for form in (kind.numpy_dtype, kind.numpy_dtype.type, kind.numpy_dtype.str, kind.numpy_dtype.name):
            assert DataType.parse(form) is kind
        assert kind.numpy_dtype.itemsize * 8 == kind.bits == kind.element_bytes * 8
    assert kind.is_float == kind.name.startswith("FLOAT")
    assert kind.is_signed != kind.name.startswith("UINT")


@pytest.mark.parametrize("kind", [kind for kind in DataType if not kind.is_float])
def test_data_type__range_is_that_of_its_bits(kind: dml.DataType) -> None:
    low, high = kind.range
    assert high - low + 1 == 2**kind.bits and (low < 0) == kind.is_signed
    if not kind.is_packed_pair:
        information = np.iinfo(kind.numpy_dtype)  # type: ignore[arg-type]
        assert (information.min, information.max) == (low, high)


def test_data_type__floats_have_no_integer_range() -> None:
    assert violations_of(lambda: DataType.FLOAT16.range) == [("data-type.range", "range")]


@pytest.mark.parametrize(("elements", "size"), [(0, 0), (1, 1), (2, 1), (3, 2), (8, 4)])
def test_data_type__halves_fill_whole_bytes(elements: int, size: int) -> None:
    assert DataType.INT4.bytes_for(elements) == size
    assert DataType.FLOAT64.bytes_for(elements) == 8 * elements


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "FLOAT23",
        "UNKNOWN",
        0,
        14,
        -1,
        True,
        1.5,
        "bool",
        bool,
        ">f4",
        "f4,f4",
        ",",
        "(",
        "O",
        NOTHING_KNOWN,
        "complex64",
        {},
        [],
        [("a", "f4")],
        (np.float32, 2),
        "é" * 100000,
        10**5000,
        b"f4\xff",
    ],
    ids=shown,
)
def test_data_type__unknown_is_named(value: Any) -> None:
    assert violations_of(lambda: DataType.parse(value, "InputTensor.DataType")) == [
        ("data-type.known", "InputTensor.DataType")
    ]


@given(st.text(max_size=12))
def test_data_type__any_text_is_a_type_or_an_error(text: str) -> None:
    try:
        assert isinstance(DataType.parse(text), DataType)
    except dml.InvalidDescriptionError as error:
        assert error.violations[0].rule == "data-type.known"


@pytest.mark.parametrize("level", list(dml.FeatureLevel))
def test_level__is_read_in_every_form(level: dml.FeatureLevel) -> None:
    major, minor = level.text.split(".")
    assert level.value == int(major) << 12 | int(minor) << 8
    for form in (level, level.text, f"{major}_{minor}", f"DML_FEATURE_LEVEL_{major}_{minor}", level.value):
        assert dml.FeatureLevel.parse(form) is level
    assert dml.FeatureLevel.parse(float(level.text)) is level


def test_level__each_holds_all_of_the_ones_below() -> None:
    facts = [LEVELS[level] for level in sorted(dml.FeatureLevel)]
    for below, above in itertools.pairwise(facts):
        assert below.data_types <= above.data_types and below.maximum_rank <= above.maximum_rank
    assert facts[0].directml_version == "1.0.0" and facts[-1].directml_version == "1.15.0"


@pytest.mark.parametrize(
    "value", ["7.0", "", None, 3, 6.41, True, "6", NOTHING_KNOWN, 10**5000, "x" * 100_000], ids=shown
)
def test_level__unknown_is_named(value: Any) -> None:
    assert violations_of(lambda: dml.FeatureLevel.parse(value, "level")) == [("feature-level.known", "level")]


@pytest.mark.parametrize(
    ("class_name", "dml_name"),
    [
        ("Slice1", "SLICE1"),
        ("MaxPooling2", "MAX_POOLING2"),
        ("Upsample2D", "UPSAMPLE_2D"),
        ("ValueScale2D", "VALUE_SCALE_2D"),
        ("GatherNd1", "GATHER_ND1"),
        ("Gemm", "GEMM"),
    ],
)
def test_names__of_operators(class_name: str, dml_name: str) -> None:
    assert upper(class_name) == dml_name


@pytest.mark.parametrize(
    ("field", "dml_field"),
    [
        ("input_window_sizes", "InputWindowSizes"),
        ("a_tensor", "ATensor"),
        ("roi_tensor", "ROITensor"),
        ("output_roi_gradient_tensor", "OutputROIGradientTensor"),
        ("epsilon", "Epsilon"),
    ],
)
def test_names__of_fields_go_both_ways(field: str, dml_field: str) -> None:
    assert pascal(field) == dml_field and snake(dml_field) == field


@pytest.mark.parametrize("name", ["float", "Int", "uint", "long", "ULONG", "DML_TENSOR_DATA_TYPE_FLOAT", " byte "])
def test_ambiguous_types__are_refused_with_both_candidates(name: str) -> None:
    with pytest.raises(dml.InvalidDescriptionError) as caught:
        DataType.parse(name)
    [violation] = caught.value.violations
    assert (violation.rule, violation.path, violation.found) == ("data-type.known", "DataType", repr(name))
    assert isinstance(violation.fix, Either)
    first, second = (DataType.parse(fix.value) for fix in violation.fix.fixes if isinstance(fix, Use))
    assert first is not second and first.is_float == second.is_float


@pytest.mark.parametrize(
    "name", ["single", "double", "half", "short", "f4", "<i8", "intc", float, int, np.dtype("int")]
)
def test_explicit_types__are_what_numpy_says(name: object) -> None:
    assert DataType.parse(name).numpy_dtype == np.dtype(name)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("FOO", ["FLOOR", "ROUND"]),
        ("--foo", ["--json", "--device"]),
        ("nofile", ["numpy_files", "bad", "a"]),
        ("slice1gather", ["slicegrad"]),
        ("a", ["b", "c"]),
        ("", ["b"]),
        ("-", ["--json"]),
    ],
)
def test_suggest__proposes_nothing_that_is_far(name: str, known: list[str]) -> None:
    assert isinstance(suggest(name, known), OneOf)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("slice", "Slice1"),
        ("GEMM", "Gemm"),
        ("mean_variance_normalisation", "mean_variance_normalization"),
        ("window_strides", "input_window_strides"),
        ("tensor_input", "input_tensor"),
        ("--devcie", "--device"),
        ("axs", "axes"),
        ("TensorInput", "InputTensor"),
        ("größe1", "größe2"),
        ("Epsilno", "Epsilon"),
    ],
)
def test_suggest__finds_misspellings_parts_and_other_capitals(name: str, near: str) -> None:
    others = ["--json", "Padding", "order", "input_window_offsets", "output_tensor", "weight"]
    assert suggest(name, [*others, near]) == Rename(near)


@pytest.mark.parametrize(
    ("value", "fix"), [("1", Use(1)), ("-2.5", Use(-2.5)), ("a", None), ("inf", None), (None, None)]
)
def test_unquoted__is_the_number_that_a_text_spells(value: object, fix: Use | None) -> None:
    assert unquoted(value) == fix


@pytest.mark.parametrize(
    ("order", "rank", "shorter"), [("NHWC", 3, "HWC"), ("NHWC", 2, "HW"), ("NDHWC", 4, "NHWC"), ("BAC", 2, "BA")]
)
def test_order__with_too_many_letters_keeps_those_of_the_rank(order: str, rank: int, shorter: str) -> None:
    with pytest.raises(dml.InvalidDescriptionError) as caught:
        dml.TensorDesc("FLOAT32", [2] * rank, order=order)
    [violation] = caught.value.violations
    assert violation.rule == "order.length" and violation.expected == f"{rank} letters"
    assert isinstance(violation.fix, Either) and violation.fix.fixes[0] == Use(shorter)
    dml.TensorDesc("FLOAT32", [2] * rank, order=shorter)
    dml.TensorDesc("FLOAT32", [2] * len(order), order=order)


def test_from_json__tells_fixes_in_the_names_of_json() -> None:
    described = {"DataType": "FLOAT32", "Sizes": [1, 1, 2, 2]}
    fields = {"ATensor": described, "BTensor": described, "OutputTensor": described, "Alpha": "1", "Beta": 0}
    with pytest.raises(dml.InvalidDescriptionError) as caught:
        dml.Operator.from_dict({"type": "GEMM", "desc": fields})
    told = {violation.path: violation for violation in caught.value.violations}
    assert str(told["TransA"].fix) == "giving trans_a" and 'try adding "TransA"' in str(told["TransA"])
    assert told["TransA"].expected == "one of NONE, TRANSPOSE" and told["TransA"].to_json()["fix"] == 'adding "TransA"'
    assert told["Alpha"].fix == Use(1) and 'adding "TransB"' in str(pickle.loads(pickle.dumps(caught.value)))
    dml.Operator.from_dict({"type": "GEMM", "desc": fields | {"TransA": "NONE", "TransB": "NONE", "Alpha": 1}})


def test_missing_fields__are_described_in_words() -> None:
    with pytest.raises(dml.InvalidDescriptionError) as caught:
        dml.Gru.from_model({})
    told = {violation.path: violation.expected for violation in caught.value.violations}
    assert told["ActivationDescs"] == "a list of fused activations" and told["InputTensor"] == "a tensor description"
    assert told["Direction"] == "one of FORWARD, BACKWARD, BIDIRECTIONAL"


def test_suggest__names_the_nearest() -> None:
    assert suggest("Slize1", ["Slice1", "Gemm"]) == Rename("Slice1")
    assert suggest("gem", ["Slice1", "Gemm"]) == Rename("Gemm")
    assert suggest("zzzz", ["a", "b"]).text() == "one of a, b"
    assert suggest("zzzz", [f"name{i}" for i in range(99)]).text().endswith(", ...")


@pytest.mark.parametrize(
    ("fix", "python", "model"),
    [
        (Use((1, 2)), "[1, 2]", "[1, 2]"),
        (Use("UINT8"), "'UINT8'", '"UINT8"'),
        (Use(True), "True", "true"),
        (Add("input_tensor"), "giving input_tensor", 'adding "InputTensor"'),
        (Set("trans_b", "TRANSPOSE"), "trans_b='TRANSPOSE'", '"TransB": "TRANSPOSE"'),
        (Insert((0, 1)), "adding (0, 1)", "adding (0, 1)"),
        (Rank(4, 2), "leading 1s: .with_rank(4)", "leading 1s in Sizes, 4 numbers in all"),
        (Rank(4, 5), "fewer dimensions", "fewer dimensions"),
        (Bind("input_tensor"), "input_tensor=a buffer", 'adding "InputTensor" with the name of a resource'),
        (Bind("in_tensors[1]"), "{'in_tensors[1]': a buffer}", 'adding "InTensors" with the name of a resource'),
        (Bind("in_put[1]", True), "{'in_put[1]': a buffer}", 'adding "in_put[1]" with the name of a resource'),
        (Resize(16), "a buffer of 16 bytes", "a resource of 16 bytes"),
        (Describe("INT8", (2,)), "TensorDesc('INT8', [2])", '{"DataType": "INT8", "Sizes": [2]}'),
        (Advice("np.asarray(x)", ""), "np.asarray(x)", ""),
        (Advice("another"), "another", "another"),
        (Option("input_path", "--input_path"), "input_path", "input_path"),
    ],
)
def test_fix__is_spelt_for_python_and_for_models(fix: Fix, python: str, model: str) -> None:
    assert (fix.text(), fix.text(Spelling.MODEL)) == (python, model)
    violation = dml.Violation("integer", "x", "0", "1", fix)
    assert violation.to_json(Spelling.MODEL)["fix"] == (model or None)
    assert ("; try " in violation.text(Spelling.MODEL)) == bool(model)


@pytest.mark.parametrize(
    ("fix", "text"),
    [
        (Option("deep=True", "--deep"), "--deep"),
        (Either((Use(1), Option("deep=True", "--deep"))), "1 or --deep"),
        (Either((Use(True), Advice("a", "b"))), "true or b"),
        (Use(True), "true"),
    ],
)
def test_fix__names_options_as_they_are_typed(fix: Fix, text: str) -> None:
    assert fix.typed().text(Spelling.MODEL) == text


def test_violation__moves_under_an_enclosing_path() -> None:
    inner = dml.Violation("sizes.positive", "Strides[2]", "0", "1", Use(2), "3.0")
    assert inner.under("InputTensor").path == "InputTensor.Strides[2]"
    assert dml.Violation("integer", "[2]", "0", "1").under("Sizes").path == "Sizes[2]"
    assert dml.Violation("integer", "", "0", "1").under("Sizes").path == "Sizes"
    assert inner.under("x").to_json() == {
        "rule": "sizes.positive",
        "path": "x.Strides[2]",
        "found": "0",
        "expected": "1",
        "fix": "2",
        "feature_level": "3.0",
    }


@pytest.mark.parametrize(
    ("kind", "code", "base"),
    [
        (dml.InvalidDescriptionError, 0x80070057, ValueError),
        (dml.UnsupportedError, 0x887A0004, dml.DmlError),
        (dml.BindingError, 0x887A0005, ValueError),
        (dml.OutOfMemoryError, 0x8007000E, MemoryError),
        (dml.ModelError, 0x80070057, ValueError),
    ],
)
def test_errors__have_codes_and_travel(kind: type[dml.DmlError], code: int, base: type[Exception]) -> None:
    problems = [dml.Violation("integer", f"a[{i}]", "1", "2") for i in range(3)]
    error = error_of(lambda: raise_if_any(problems, kind, "Thing"), kind)
    assert error.hresult == code and isinstance(error, base) and isinstance(error, dml.DmlError)
    assert str(error).startswith("Thing: 3 problems\n  - a[0]: found 1, expected 2")
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert twin.violations == error.violations and twin.subject == "Thing"


def test_errors__the_level_that_would_allow_all() -> None:
    def at(*levels: str | None) -> str | None:
        return dml.UnsupportedError([dml.Violation("level.rank", "p", "f", "e", "", lv) for lv in levels]).feature_level

    assert at("3.0", "6.3") == "6.3" and at("10.0", "9.0") == "10.0"
    assert at("3.0", None) is None and at() is None


def test_errors__stay_readable_however_large_the_input() -> None:
    error = error_of(lambda: dml.Layout([0] * 100_000))
    assert len(error.violations) == 9, "of sizes that are too many, no more are looked at than a tensor has"
    many = dml.InvalidDescriptionError(error.violations[:1] * 100_001)
    assert len(str(many)) < 10_000 and "and 99961 more" in str(many)


class _Silent:
    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize("value", [10**5000, "x" * 10**6, np.zeros((50, 50)), _Silent(), b"\x00" * 10**6], ids=type)
def test_shown__is_one_short_line(value: Any) -> None:
    assert len(shown(value)) < 250 and "\n" not in shown(value) and shown(value)


def test_rules__are_declared_once() -> None:
    with pytest.raises(RuntimeError, match="twice"):
        rule("integer", "again")
    assert RULES["integer"].says != "again"
