"""Initial values: every form gives the bytes DxDispatch would upload, and prints as it does."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.frontends.dxdispatch.models import parse, printed, resource, run, violations


def typed(values: Any, kind: str = "FLOAT32", **more: Any) -> dict[str, Any]:
    return {"initialValuesDataType": kind, "initialValues": values, **more}


PRINTED = [
    (typed([1, 2.5, -3]), "1, 2.5, -3"),
    (typed(["nan", "inf", "-inf", "NaN", "INF"]), "nan, inf, -inf, nan, inf"),
    (typed([0.1, 1e6, 1e-5, 123456789, -0.0, 1e39]), "0.1, 1e+06, 1e-05, 1.23457e+08, -0, inf"),
    (typed([0.1, 65504, 65520, 1e-8], "FLOAT16"), "0.0999756, 65504, inf, 0"),
    (typed([0.1, 1e300], "FLOAT64"), "0.1, 1e+300"),
    (typed([0, 255, 65], "UINT8"), "0, 255, 65"),
    (typed([-128, 127], "DML_TENSOR_DATA_TYPE_INT8"), "-128, 127"),
    (typed([2**64 - 1, 0], "UINT64"), "18446744073709551615, 0"),
    (typed([-(2**63)], "INT64"), "-9223372036854775808"),
    (typed([1, -8, 7], "INT4"), "1, -8, 7"),
    (typed([15, 0, 3], "UINT4"), "15, 0, 3"),
    (typed({"valueCount": 4, "value": 0}), "0, 0, 0, 0"),
    (typed({"valueCount": 2, "value": "inf"}), "inf, inf"),
    (typed({"valueCount": 3, "value": 7}, "UINT4"), "7, 7, 7"),
    (typed({"valueCount": 4, "valueStart": 1, "valueDelta": 2.5}), "1, 3.5, 6, 8.5"),
    (typed({"valueCount": 3, "valueStart": 250, "valueDelta": 5}, "UINT8"), "250, 255, 4"),
    (typed({"valueCount": 3, "valueStart": 6, "valueDelta": 1}, "INT4"), "6, 7, -8"),
    (typed({"valueCount": 3, "valueStart": 2048, "valueDelta": 1}, "FLOAT16"), "2048, 2048, 2048"),
    (typed([1, 2], sizeInBytes=64), "1, 2"),
    (typed([5], "UINT16", initialValuesOffsetInBytes=4), "0, 0, 5"),
    (typed([1], type="buffer"), "1"),
]


@pytest.mark.parametrize(("entry", "text"), PRINTED, ids=lambda each: str(each)[:60])
def test_print__shows_initial_values(entry: dict[str, Any], text: str) -> None:
    assert printed(entry) == text


def test_sequence__adds_up_in_its_own_type() -> None:
    entry = typed({"valueCount": 1000, "valueStart": 0, "valueDelta": 0.1})
    _, outcome = run(resource(entry))
    value, step, expected = np.float32(0), np.float32(0.1), []
    for _ in range(1000):
        expected.append(value)
        value = np.float32(value + step)
    assert outcome.resources["a"].view(np.float32).tolist() == [float(v) for v in expected]


@pytest.mark.parametrize(
    ("entry", "size"),
    [
        (typed([1, 2, 3], "UINT8"), 4),
        (typed([1, 2, 3, 4, 5], "FLOAT16"), 12),
        (typed([1, 2, 3], "UINT4"), 4),
        (typed([1], sizeInBytes=64), 64),
        (typed([1], "UINT8", sizeInBytes=5), 8),
        (typed([1], initialValuesOffsetInBytes=6), 12),
    ],
)
def test_size__is_a_multiple_of_four(entry: dict[str, Any], size: int) -> None:
    assert parse(resource(entry)).resources["a"].size_in_bytes == size


@pytest.mark.parametrize("values", [[1, 2, 3], {"valueCount": 3, "valueStart": 1, "valueDelta": 1}])
@pytest.mark.parametrize("offset", [1, 2, 6, 8])
def test_offset__need_not_suit_the_element(values: Any, offset: int) -> None:
    _, outcome = run(resource(typed(values, initialValuesOffsetInBytes=offset)))
    data = outcome.resources["a"].tobytes()
    assert struct.unpack_from("<3f", data, offset) == (1, 2, 3)
    assert not any(data[:offset]) and not any(data[offset + 12 :])


def test_mixed__packs_elements_without_padding() -> None:
    values = [
        {"name": "n", "type": "UINT8", "value": 7},
        {"type": "FLOAT64", "value": 0.5},
        {"type": "INT16", "value": -2},
    ]
    for entry in ({"initialValues": values}, typed(values, "UNKNOWN")):
        text, outcome = run(resource(entry))
        assert outcome.resources["a"].tobytes() == struct.pack("<Bdh", 7, 0.5, -2) + b"\0"
        assert text == "Resource 'a': 7, 0.5, -2\n"


def test_verbose_print_command__shows_index_value_and_bits() -> None:
    model = resource(typed([1, 0, "nan", -2]))
    model["commands"][0]["verbose"] = True
    assert run(model)[0] == (
        "Resource 'a':\n[0] 1 (0x3F800000)\n[1] 0 (0x       0)\n[2] nan (0x7FC00000)\n[3] -2 (0xC0000000)\n\n"
    )


BAD = [
    (typed([1, "x"]), "initial-values.number", "resources.a.initialValues[1]"),
    (typed([1.5], "INT32"), "initial-values.number", "resources.a.initialValues[0]"),
    (typed([256], "UINT8"), "initial-values.number", "resources.a.initialValues[0]"),
    (typed([-1], "UINT4"), "initial-values.number", "resources.a.initialValues[0]"),
    (typed(["nan"], "INT32"), "initial-values.number", "resources.a.initialValues[0]"),
    (typed([True]), "initial-values.number", "resources.a.initialValues[0]"),
    (typed([[1]]), "initial-values.number", "resources.a.initialValues[0]"),
    (typed([10**399]), "initial-values.number", "resources.a.initialValues[0]"),
    (typed([]), "initial-values.empty", "resources.a.initialValues"),
    (typed("deferred"), "initial-values.deferred", "resources.a.initialValues"),
    (typed("zeros"), "initial-values.form", "resources.a.initialValues"),
    (typed(7), "initial-values.form", "resources.a.initialValues"),
    (typed({}), "initial-values.form", "resources.a.initialValues"),
    (typed({"valueCount": 3, "value": 1, "valueStart": 1}), "initial-values.form", "resources.a.initialValues"),
    (typed({"value": 1}), "model.missing", "resources.a.initialValues.valueCount"),
    (typed({"valueStart": 1, "valueCount": 2}), "model.missing", "resources.a.initialValues.valueDelta"),
    (typed({"valueCount": 10**15, "value": 1}), "model.range", "resources.a.initialValues.valueCount"),
    (typed({"valueCount": 0, "value": 1}), "model.range", "resources.a.initialValues.valueCount"),
    (typed({"valueCount": 2.0, "value": 1}), "model.range", "resources.a.initialValues.valueCount"),
    (typed({"valueCount": 3, "valu": 1, "value": 2}), "model.unknown-key", "resources.a.initialValues.valu"),
    ({"initialValues": [1, 2]}, "initial-values.type", "resources.a.initialValues"),
    ({"initialValues": {"valueCount": 1, "value": 1}}, "initial-values.type", "resources.a.initialValues"),
    (typed([1], "FLOAT23"), "data-type.known", "resources.a.initialValuesDataType"),
    (typed([1], 7), "model.kind", "resources.a.initialValuesDataType"),
    ({"initialValuesDataType": "FLOAT32"}, "model.missing", "resources.a.initialValues"),
    (typed([1, 2], sizeInBytes=7), "resource.size", "resources.a.sizeInBytes"),
    (typed([1], sizeInBytes=-4), "model.range", "resources.a.sizeInBytes"),
    (typed([1], type="texture"), "model.kind", "resources.a.type"),
    ({"initialValues": [{"type": "INT4", "value": 1}]}, "initial-values.type", "resources.a.initialValues[0]"),
    ({"initialValues": [{"type": "UINT8"}]}, "model.missing", "resources.a.initialValues[0].value"),
    ({"initialValues": [{"type": "UNKNOWN", "value": 1}]}, "initial-values.type", "resources.a.initialValues[0].type"),
    (typed({"sourcePath": 4}), "model.kind", "resources.a.initialValues.sourcePath"),
    (typed({"sourcePath": "no.dat"}), "file.source", "resources.a.initialValues.sourcePath"),
]


@pytest.mark.parametrize(("entry", "rule", "path"), BAD, ids=lambda each: str(each)[:60])
def test_bad_values__are_told_with_rule_and_place(entry: dict[str, Any], rule: str, path: str) -> None:
    found = violations(resource(entry))
    assert (rule, path) in [(violation.rule, violation.path) for violation in found]
    assert all(violation.line > 1 for violation in found)  # type: ignore[attr-defined]


def test_memory__is_checked_before_it_is_allocated() -> None:
    entry = typed({"valueCount": 2**32 - 1, "value": 0}, "FLOAT64")
    (violation,) = violations(resource(entry), budget=1 << 30)
    assert violation.rule == "resource.memory" and str(8 * (2**32 - 1)) in violation.found
    many = {"resources": {f"r{i}": typed([1], sizeInBytes=400) for i in range(3)}, "dispatchables": {}, "commands": []}
    assert violations(many, budget=1200) == ()
    assert [v.rule for v in violations(many, budget=1199)] == ["resource.memory"]


def test_raw_file__is_taken_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "v.dat").write_bytes(struct.pack("<3h", 1, -2, 3))
    model = resource(typed({"sourcePath": "v.dat"}, "INT16"))
    assert parse(model, folder=tmp_path).resources["a"].initial.element_count == 3
    (tmp_path / "empty.dat").write_bytes(b"")
    assert [v.rule for v in violations(resource(typed({"sourcePath": "empty.dat"})), folder=tmp_path)] == [
        "initial-values.empty"
    ]
    assert [v.rule for v in violations(resource({"initialValues": {"sourcePath": "v.dat"}}), folder=tmp_path)] == [
        "initial-values.type"
    ]
