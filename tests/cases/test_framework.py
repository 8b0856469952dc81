"""The framework itself: draws are legal and repeatable, and every comparison can fail."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

import anydml as dml
from tests.cases.framework import Accumulated, Bits, Case, Draw, Operand, answer_of, make_case, number_of, spec, values
from tests.cases.framework import run as running
from tests.cases.framework.compare import assert_elements, assert_unchanged, assert_untouched, is_nearly_constant
from tests.cases.framework.run import check, is_untrustworthy, rerun_line
from tests.cases.framework.tolerance import CLASSES, EXACT, Tolerance
from tests.operators.memory import GUARD, place, snapshot
from tests.oracle.inexact import Inexact
from tests.oracle.numbers import decode, encode, spacing

# Numbers


@pytest.mark.parametrize("kind", [*spec.types("CAST", "input_tensor"), "UINT4", "INT4"])
def test_encode__is_undone_by_decode(kind: str) -> None:
    random = Random(kind)
    for _ in range(50):
        code = values.any_bits(random, kind)
        value = decode(code, kind)
        assert math.isnan(value) or encode(value, kind) == code


def test_encode__refuses_what_is_not_of_the_type() -> None:
    for value, kind in ((256, "UINT8"), (-1, "UINT4"), (8, "INT4"), (0.5, "INT32")):
        with pytest.raises(AssertionError, match="is not a number"):
            encode(value, kind)


@pytest.mark.parametrize("value", [1.0, -1.5, 1e-3, 60000.0, 2.0**-24, 0.0, 3.0e-8])
def test_spacing__is_the_distance_to_the_next_float(value: float) -> None:
    for kind, dtype in (("FLOAT16", np.float16), ("FLOAT32", np.float32), ("FLOAT64", np.float64)):
        number = dtype(value)
        expected = float(np.spacing(abs(number)))
        assert spacing(float(number), kind) == expected or not math.isfinite(expected)


# Tolerances


def test_exact__accepts_the_rounded_answer_alone() -> None:
    third = float(np.float32(1 / 3))
    assert EXACT.accepts(third, 1 / 3, "FLOAT32")
    assert not EXACT.accepts(float(np.nextafter(np.float32(third), np.float32(1))), 1 / 3, "FLOAT32")


def test_tolerance__counts_units_in_the_last_place() -> None:
    two = Tolerance(2)
    step = spacing(1.0, "FLOAT32")
    assert two.accepts(1 + 2 * step, 1.0, "FLOAT32") and not two.accepts(1 + 3 * step, 1.0, "FLOAT32")
    assert two.accepts(1 - 2 * step, 1.0, "FLOAT32") and not two.accepts(1 - 3 * step, 1.0, "FLOAT32")


def test_tolerance__rounds_half_precision_once() -> None:
    """A few units of single precision move a half precision result only across a midpoint."""
    half_step = spacing(1.0, "FLOAT16") / 2
    assert Tolerance(2).bounds(1.25 * half_step + 1, "FLOAT16") == (1 + 2 * half_step, 1 + 2 * half_step)
    assert Tolerance(2).bounds(1 + half_step, "FLOAT16") == (1.0, 1 + 2 * half_step)


def test_tolerance__nan_infinity_and_zero() -> None:
    for tolerance in CLASSES.values():
        assert tolerance.accepts(math.nan, math.nan, "FLOAT32") and tolerance.accepts(math.inf, math.inf, "FLOAT32")
        for actual, answer in (
            (1.0, math.nan),
            (math.nan, 1.0),
            (math.inf, 1.0),
            (-math.inf, math.inf),
            (3e38, math.inf),
        ):
            assert not tolerance.accepts(actual, answer, "FLOAT32")
        assert tolerance.accepts(-0.0, 0.0, "FLOAT32") != tolerance.signed_zero
    assert EXACT.accepts(math.inf, 1e6, "FLOAT16"), "too large for the type is infinite"


def test_tolerance__sums_are_measured_by_their_terms() -> None:
    step = spacing(1000.0, "FLOAT32")
    cancelled = Accumulated(0.0, 1000.0, 4)
    assert Tolerance(2).accepts(6 * step, cancelled, "FLOAT32")
    assert not Tolerance(2).accepts(7 * step, cancelled, "FLOAT32")
    assert not Tolerance(2).accepts(step, 0.0, "FLOAT32")


def test_tolerance__answers_with_an_error_of_their_own() -> None:
    answer = Inexact(1.0, 0.25)
    assert Tolerance(0).bounds(answer, "FLOAT32") == (0.75, 1.25)
    assert Tolerance(0).accepts(1.25, answer, "FLOAT32") and not Tolerance(0).accepts(1.26, answer, "FLOAT32")
    assert number_of(answer) == number_of(Accumulated(1.0, 2.0, 3)) == number_of(1.0) == 1.0


def test_tolerance__absolute_distance() -> None:
    assert Tolerance(0, 0.5).accepts(0.5, 0.0, "FLOAT32") and not Tolerance(0, 0.5).accepts(0.51, 0.0, "FLOAT32")


# Comparisons

PAIR = Operand("FLOAT32", (2,))


def codes(*numbers: float, kind: str = "FLOAT32") -> dict[Any, int]:
    return {(i,): encode(number, kind) for i, number in enumerate(numbers)}


def test_assert_elements__finds_a_wrong_one() -> None:
    assert_elements(codes(1, 2), {(0,): 1.0, (1,): 2.0}, PAIR, EXACT)
    with pytest.raises(AssertionError, match=r"1 of 2 elements differ:\n  \(1,\): found 2.5"):
        assert_elements(codes(1, 2.5), {(0,): 1.0, (1,): 2.0}, PAIR, EXACT)


def test_assert_elements__leaves_undefined_ones_open() -> None:
    assert_elements(codes(1, 99), {(0,): 1.0}, PAIR, EXACT)
    with pytest.raises(AssertionError, match="indices outside"):
        assert_elements(codes(1, 2), {(0,): 1.0, (7,): 1.0}, PAIR, EXACT)


def test_assert_elements__bits_must_be_equal() -> None:
    minus_zero = Bits(codes(-0.0, math.nan))
    assert_elements(codes(-0.0, math.nan), minus_zero, PAIR, EXACT)
    with pytest.raises(AssertionError, match="1 of 2"):
        assert_elements(codes(0.0, math.nan), minus_zero, PAIR, EXACT)


def test_assert_elements__integers_are_exact_and_answers_fit() -> None:
    operand = Operand("UINT8", (2,))
    assert_elements(codes(1, 255, kind="UINT8"), {(0,): 1, (1,): 255}, operand, Tolerance(1000))
    with pytest.raises(AssertionError, match="1 of 2"):
        assert_elements(codes(1, 254, kind="UINT8"), {(0,): 1, (1,): 255}, operand, Tolerance(1000))
    with pytest.raises(AssertionError, match="not a number of type UINT8"):
        assert_elements(codes(1, 2, kind="UINT8"), {(0,): 256}, operand, EXACT)


@pytest.mark.parametrize("place_of_change", [GUARD - 1, GUARD + 4, -1])
def test_assert_untouched__finds_one_byte(place_of_change: int) -> None:
    """Before the buffer, between two elements, and behind it."""
    placed = place(dml.TensorDesc("FLOAT32", [2], [2]), Random(1))
    before = snapshot(placed)
    placed.memory[GUARD] ^= 1
    assert_untouched(placed, before)
    placed.memory[place_of_change] ^= 1
    with pytest.raises(AssertionError, match="outside the elements"):
        assert_untouched(placed, before)
    with pytest.raises(AssertionError, match="x was written to"):
        assert_unchanged("x", placed, before)


def test_assert_untouched__finds_half_a_byte() -> None:
    """Every second 4-bit element belongs to the tensor: the other halves are not its own."""
    placed = place(dml.TensorDesc("UINT4", [3], [2]), Random(2))
    before = snapshot(placed)
    placed.memory[:] = before.with_codes({(0,): 5, (1,): 6, (2,): 7})
    assert placed.codes() == {(0,): 5, (1,): 6, (2,): 7}
    assert_untouched(placed, before)
    placed.memory[GUARD] ^= 0x10
    with pytest.raises(AssertionError, match="outside the elements"):
        assert_untouched(placed, before)


def test_four_bits__signed_values_and_odd_counts() -> None:
    placed = place(dml.TensorDesc("INT4", [3]), Random(3))
    placed.memory[:] = placed.with_values({(0,): -8, (1,): 7, (2,): -1})
    assert placed.values() == {(0,): -8, (1,): 7, (2,): -1}
    assert placed.memory[GUARD] == 0x78


def test_nearly_constant__counts_equal_elements() -> None:
    operand = Operand("FLOAT32", (20,))
    assert is_nearly_constant({(i,): 1.0 for i in range(20)}, operand)
    assert not is_nearly_constant({(i,): float(i) for i in range(20)}, operand)
    assert not is_nearly_constant({(0,): 1.0}, operand), "a single element is not constant"


# Runs


def changed(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer with one other element."""
    (name, found), *_ = answer.items()
    index = next(iter(found))
    return {**answer, name: type(found)({**found, index: found[index] + 1})}


@pytest.mark.parametrize(("operator", "number"), [("ELEMENT_WISE_ADD", 1), ("ELEMENT_WISE_ADD", 5), ("SLICE1", 2)])
def test_check__fails_for_another_answer(operator: str, number: int) -> None:
    case = make_case(operator, number)
    check(case, answer_of(case), "reference")
    with pytest.raises(AssertionError, match=r"1 of \d+ elements differ"):
        check(case, changed(answer_of(case)), "reference")


class Careless:
    """A device that computes rightly and then damages one buffer."""

    def __init__(self, damage: Callable[[dict[str, Any]], None]) -> None:
        self.damage = damage
        self.backend = dml.Device("reference").backend

    def compile(self, operator: dml.Operator) -> Callable[..., None]:
        run = dml.Device("reference").compile(operator)

        def dispatch(**buffers: Any) -> None:
            run(**buffers)
            self.damage(buffers)

        return dispatch


def flip(buffer: Any) -> None:
    buffer[-1] ^= 1


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda buffers: flip(buffers["a_tensor"]), "a_tensor was written to"),
        (lambda buffers: flip(buffers["output_tensor"]), "outside the elements|elements differ"),
    ],
)
def test_check__notices_a_careless_device(damage: Any, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(c for c in (make_case("ELEMENT_WISE_ADD", n) for n in range(24)) if not c.in_place)
    device = Careless(damage)
    monkeypatch.setattr(running, "dml", type("Fake", (), {"Device": lambda name: device}))
    with pytest.raises(AssertionError, match=message):
        check(case, answer_of(case), "careless")


def test_check__works_in_place() -> None:
    case = next(c for c in (make_case("ACTIVATION_RELU", n) for n in range(24)) if c.in_place)
    assert case["output_tensor"].strides == case["input_tensor"].strides
    check(case, answer_of(case), "cpu")


def test_output__takes_inputs_of_its_own_in_place() -> None:
    """Three outputs lie in three of the four inputs, never in the training step."""
    cases = [make_case("ADAM_OPTIMIZER", number) for number in range(36)]
    shared = [case for case in cases if case.in_place]
    assert shared
    for case in shared:
        assert set(case.in_place) == set(case.outputs) and len(set(case.in_place.values())) == 3
        assert "training_step_tensor" not in case.in_place.values()
        assert all(case[output].strides == case[taken].strides for output, taken in case.in_place.items())


class Late:
    """A device that reads an owned input when it runs, instead of keeping it at initialization."""

    def __init__(self, case: Case) -> None:
        self.run = dml.Device("reference").compile(replace(case, owned=None).build())
        self.owned: dict[str, Any] = {}
        self.backend = dml.Device("reference").backend

    def compile(self, operator: dml.Operator) -> Late:
        return self

    def initialize(self, **buffers: Any) -> None:
        self.owned = buffers

    def __call__(self, **buffers: Any) -> None:
        self.run(**self.owned, **buffers)


def test_check__owned_inputs_must_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(c for c in (make_case("ELEMENT_WISE_ADD", n) for n in range(30)) if c.owned)
    check(case, answer_of(case), "reference")
    device = Late(case)
    monkeypatch.setattr(running, "dml", type("Fake", (), {"Device": lambda name: device}))
    with pytest.raises(AssertionError, match="elements differ"):
        check(case, answer_of(case), "late")


def test_rerun_line__names_one_case() -> None:
    line = rerun_line(make_case("SLICE1", 2))
    assert line == "scripts/test 'tests/cases/test_cases.py::test_case[SLICE1-2]'"


def test_untrustworthy__needs_all_outputs_constant() -> None:
    case = Case(
        "TOP_K", {"output_value_tensor": Operand("FLOAT32", (9,)), "output_index_tensor": Operand("UINT32", (9,))}
    )
    constant, distinct = {(i,): 0 for i in range(9)}, {(i,): i for i in range(9)}
    assert is_untrustworthy(case, {"output_value_tensor": constant, "output_index_tensor": constant})
    assert not is_untrustworthy(case, {"output_value_tensor": constant, "output_index_tensor": distinct})


# Draws


def test_cycle__takes_every_option_once_a_round() -> None:
    options = ["a", "b", "c"]
    for turn in range(4):
        assert sorted(Draw("CAST", 3 * turn + k).cycle("letter", options) for k in range(3)) == options


@pytest.mark.parametrize("kind", ["UINT4", "INT4"])
def test_input__of_four_bits(kind: str) -> None:
    """Two elements to a byte, in any layout: what is placed is what was drawn."""
    for number in range(20):
        x = Draw("DEQUANTIZE", number).input("input_tensor", kind, (3, 5), values.any_bits)
        placed = place(x.desc(), Random(number))
        placed.memory[:] = placed.with_codes(x.bits)
        assert placed.codes() == x.bits and placed.values() == x.values


def test_lists__may_mix_types_and_sizes() -> None:
    draw = Draw("QUANTIZE", 1)
    draw.inputs(
        "quantization_tensors",
        [draw.operand("FLOAT16", (2, 1), values.moderate), draw.operand("INT4", (2, 1), values.whole)],
    )
    assert [each.data_type for each in draw.made().operands("quantization_tensors")] == ["FLOAT16", "INT4"]


def test_type__is_shared_by_tensors_that_must_agree() -> None:
    for number in range(20):
        draw = Draw("ELEMENT_WISE_DEQUANTIZE_LINEAR", number)
        assert draw.type("input_tensor") == draw.type("zero_point_tensor")
        assert draw.type("scale_tensor") == draw.type("output_tensor")


def test_input__folds_values_where_the_layout_broadcasts() -> None:
    folded = 0
    for number in range(60):
        x = Draw("ACTIVATION_RELU", number).input("input_tensor", "FLOAT32", (4, 5), values.any_bits)
        zero = [axis for axis, stride in enumerate(x.strides or (1, 1)) if stride == 0]
        for index in x.indices():
            first = tuple(0 if axis in zero else k for axis, k in enumerate(index))
            assert x.bits[index] == x.bits[first]
        folded += len(set(x.bits.values())) < 10
    assert folded > 5


def test_hostile__values_come_up_on_request_alone() -> None:
    def drawn(hostile: bool) -> list[float]:
        found = []
        for number in range(30):
            draw = Draw("ACTIVATION_RELU", number, number if hostile else None)
            found += draw.input("input_tensor", "FLOAT32", (4, 5)).values.values()
        return found

    assert any(map(math.isnan, drawn(True))) and any(map(math.isinf, drawn(True)))
    assert all(map(math.isfinite, drawn(False)))


def test_value_makers__give_numbers_of_the_type() -> None:
    makers = [values.moderate, values.whole, values.wide, values.hostile, values.between(-3, 30), values.few(0, 1)]
    random = Random(4)
    for kind in spec.types("CAST", "input_tensor"):
        for make in makers:
            for _ in range(20):
                value = make(random, kind)
                assert math.isnan(value) or decode(encode(value, kind), kind) == value


# Facts


@pytest.mark.parametrize(
    ("name", "expected"),
    [("InputTensor", "input_tensor"), ("ROITensor", "roi_tensor"), ("ATensor", "a_tensor"), ("P", "p")],
)
def test_snake__of_documented_names(name: str, expected: str) -> None:
    assert spec.snake(name) == expected


def test_declared_operators__have_the_documented_fields() -> None:
    for operator in spec.declared():
        made = spec.class_of(operator)
        assert made is not None
        assert list(made.__signature__.parameters) == list(spec.fields(operator)), operator


def test_in_place__needs_an_input_of_the_output_type() -> None:
    assert spec.is_in_place("ACTIVATION_RELU") and not spec.is_in_place("ELEMENT_WISE_IS_INFINITY")
    assert not spec.is_in_place("FILL_VALUE_CONSTANT") and not spec.is_in_place("SLICE1")
