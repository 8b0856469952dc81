"""NaN, infinities, -0, subnormals and the extremes of integers, through every pointwise operator and data type.

Every pair of such elements goes through both devices. Both must give the exact answer, as closely as the operator's
tolerance asks; where no document defines an answer, they must give the same as each other.
"""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.core.schema import OPERATORS
from tests.cases.framework import Case, Operand, answer_of
from tests.cases.framework.compare import assert_elements
from tests.cases.framework.tolerance import Tolerance, tolerance_of
from tests.operators.memory import DEVICES, place
from tests.operators.pointwise import NAMES, cases_of
from tests.operators.ulp import distance
from tests.oracle.moves import Tensor
from tests.oracle.numbers import bits_of, decode, integer_range, is_float, wrap
from tests.oracle.pointwise import scaled


def run(case: Case, device: str, in_place: str | None = None) -> Tensor:
    """The bits of every element of the output; `in_place` names the input whose memory it takes."""
    (output,) = case.outputs
    placed = {name: place(case[name].desc(), Random(1)) for name in (*case.inputs, output)}
    for name in case.inputs:
        placed[name].memory[:] = placed[name].with_codes(case[name].bits)
    placed[output] = placed[in_place or output]
    dml.Device(device).compile(case.build())(**{name: each.buffer for name, each in placed.items()})
    return placed[output].codes()


# Definitions for what the answers of the cases do not reach


def integer_power(x: int, exponent: int, kind: str) -> int | None:
    """The low bits of the exact power; cut off toward zero where the exponent is negative."""
    if exponent >= 0:
        return wrap(pow(x, exponent, 1 << bits_of(kind)), kind)
    if x == 0:
        return None
    return x ** (exponent % 2) if abs(x) == 1 else 0


def powers(case: Case) -> dict[str, Tensor]:
    x, exponents = case["input_tensor"], case["exponent_tensor"]
    if is_float(x.data_type) or is_float(exponents.data_type):
        return answer_of(case)
    bases = {i: int(scaled(v, case.get("scale_bias"), x.data_type)) for i, v in x.values.items()}
    found = {i: integer_power(v, exponents.values[i], x.data_type) for i, v in bases.items()}
    return {"output_tensor": {i: v for i, v in found.items() if v is not None}}


def quantized(x: float, scale: float, zero_point: int, kind: str) -> int:
    """round(x / scale) + zero point, exactly; infinite quotients saturate, and what is no number gives 0."""
    low, high = integer_range(kind)
    if math.isnan(x) or math.isnan(scale) or (math.isinf(x) and math.isinf(scale)) or (x == 0 and scale == 0):
        return 0
    if math.isinf(x) or scale == 0:
        return high if math.copysign(1, x) * math.copysign(1, scale) > 0 else low
    steps = 0 if math.isinf(scale) else round(Fraction(x) / Fraction(scale))
    return min(max(steps + zero_point, low), high)


def quantization(case: Case) -> dict[str, Tensor]:
    scales, zeros = (
        case["scale_tensor"].values,
        case["zero_point_tensor"].values if case.get("zero_point_tensor") else {},
    )
    kind = case["output_tensor"].data_type
    pairs = case["input_tensor"].values.items()
    return {"output_tensor": {i: quantized(x, scales[i], zeros.get(i, 0), kind) for i, x in pairs}}


DEFINITIONS: dict[str, Any] = {"ELEMENT_WISE_POW": powers, "ELEMENT_WISE_QUANTIZE_LINEAR": quantization}


# The tests


@pytest.mark.parametrize("name", NAMES)
def test_hostile__gives_the_exact_answer_on_every_device(name: str) -> None:
    compared = 0
    for case in cases_of(name):
        (output,) = case.outputs
        answer = DEFINITIONS.get(name, answer_of)(case)[output]
        results = [run(case, device) for device in DEVICES]
        for codes in results:
            try:
                assert_elements(codes, answer, case[output], tolerance_of(name))
            except AssertionError as error:
                raise AssertionError(f"{case}\n{error}") from error
        assert_agree(results[0], results[1], set(results[0]) - set(answer), case[output], tolerance_of(name))
        compared += 1
    assert compared


def assert_agree(found: Tensor, wanted: Tensor, where: Any, operand: Operand, tolerance: Tolerance) -> None:
    """The devices give the same elements: integers exactly, floats as if both lay within the tolerance."""
    kind = operand.data_type
    most = 1 if kind == "FLOAT16" else 2 * tolerance.ulp
    for index in where:
        a, b = decode(found[index], kind), decode(wanted[index], kind)
        near = a == b or (is_float(kind) and (distance(a, b, kind) <= most or abs(a - b) <= 2 * tolerance.absolute))
        assert near, f"{index}: the devices give {a} and {b}"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", [name for name in NAMES if OPERATORS[name].in_place])
def test_in_place__the_result_is_that_aside(name: str, device: str) -> None:
    compared = 0
    for case in cases_of(name):
        aside = run(case, device)
        for source, _ in OPERATORS[name].in_place:
            assert run(case, device, source) == aside, case
            compared += 1
    assert compared


def test_assert_agree__can_fail() -> None:
    for kind, a, b in (("FLOAT32", 0x3F800000, 0x3F800003), ("FLOAT16", 0x3C00, 0x3C02), ("INT8", 1, 2)):
        assert_agree({(0,): a}, {(0,): a}, [(0,)], Operand(kind, (1,)), Tolerance(1))
        with pytest.raises(AssertionError, match="the devices give"):
            assert_agree({(0,): a}, {(0,): b}, [(0,)], Operand(kind, (1,)), Tolerance(1))
    with pytest.raises(AssertionError, match="the devices give nan"):
        assert_agree({(0,): 0x7FC00000}, {(0,): 0}, [(0,)], Operand("FLOAT32", (1,)), Tolerance(8, 1.0))


def test_definitions__of_powers_and_quotients() -> None:
    """Known values of the definitions above."""
    assert integer_power(-2, 7, "INT8") == -128 and integer_power(3, 6, "INT8") == 729 - 768
    assert [integer_power(x, -3, "INT8") for x in (1, -1, 2, 0)] == [1, -1, 0, None]
    assert [quantized(x, 2.0, 1, "UINT8") for x in (1.0, 3.0, 5.0, -9.0, 1e9)] == [1, 3, 3, 0, 255]
    assert [quantized(x, 0.0, 1, "INT8") for x in (1.0, -1.0, 0.0, math.nan)] == [127, -128, 0, 0]


# Softmax and its relatives


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("data_type", ["FLOAT32", "FLOAT16"])
def test_softmax__of_large_numbers_is_finite(data_type: str, device: str) -> None:
    """Shifting all elements changes nothing, however large they are; -infinity counts for nothing."""
    desc = dml.TensorDesc(data_type, [3, 4])
    rows = np.array([[6e4, 6e4, -6e4, -np.inf], [-6e4, -6e4, -np.inf, -6e4], [0, 0, 0, 0]], desc.data_type.numpy_dtype)
    found = np.zeros_like(rows)
    dml.Device(device).compile(dml.ActivationSoftmax1(input_tensor=desc, axes=[1]))(
        input_tensor=rows, output_tensor=found
    )
    third = desc.data_type.numpy_dtype.type(1 / 3)
    assert found.tolist() == [[0.5, 0.5, 0, 0], [third, third, 0, third], [0.25] * 4]
    dml.Device(device).compile(dml.ActivationLogSoftmax1(input_tensor=desc, axes=[1]))(
        input_tensor=rows, output_tensor=found
    )
    lowest = -1.2e5 if data_type == "FLOAT32" else -np.inf
    assert np.allclose(found[0], [-math.log(2), -math.log(2), lowest, -np.inf], rtol=1e-3)
    assert np.isfinite(found[2]).all()


@pytest.mark.parametrize("device", DEVICES)
def test_softmax__hands_nan_on_within_its_group(device: str) -> None:
    """So do infinity, and a group of minus infinity alone, whose quotients are no numbers."""
    rows = np.array([[1, np.nan, 2], [1, np.inf, 2], [-np.inf] * 3, [1, -np.inf, 2]], np.float32)
    desc = dml.TensorDesc("FLOAT32", [4, 3])
    for cls in (dml.ActivationSoftmax1, dml.ActivationLogSoftmax1):
        found = np.zeros_like(rows)
        dml.Device(device).compile(cls(input_tensor=desc, axes=[1]))(input_tensor=rows, output_tensor=found)
        assert np.isnan(found[:3]).all() and not np.isnan(found[3]).any()
