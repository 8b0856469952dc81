"""Laws between the answers: gradients against differences, adjoints, inverses, and operators that newer ones repeat."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from tests.cases.framework import Bits, Case, Operand, answer_of, make_case, number_of, numbers_of
from tests.cases.pooling import windows_of
from tests.oracle import indexing, moves, pooling
from tests.oracle.moves import Index, Tensor, indices
from tests.oracle.pointwise import clip, clip_gradient, larger

STEP = 2.0**-12


def plain(answer: Tensor) -> Tensor:
    """An answer's values, without what is known of their errors."""
    return {i: number_of(v) for i, v in answer.items()}


def inner(a: Tensor, b: Tensor) -> float:
    assert a.keys() == b.keys()
    return math.fsum(a[i] * b[i] for i in a)


def differences(forward: Callable[[Tensor], Tensor], x: Tensor, gradient: Tensor) -> Tensor:
    """How the forward result, weighted by the gradient, changes with every element: central differences."""
    result = {}
    for i in x:
        above, below = (inner(forward({**x, i: x[i] + step}), gradient) for step in (STEP, -STEP))
        result[i] = (above - below) / (2 * STEP)
    return result


def assert_near(found: Tensor, wanted: Tensor) -> None:
    assert found.keys() == wanted.keys()
    assert all(math.isclose(found[i], wanted[i], abs_tol=1e-9, rel_tol=1e-9) for i in wanted)


def test_assert_near__can_fail() -> None:
    with pytest.raises(AssertionError):
        assert_near({(0,): 1.0}, {(0,): 1.001})


def distinct(sizes: Index, random: Random) -> Tensor:
    """Numbers far enough apart that a step changes no order."""
    places = list(indices(sizes))
    return dict(
        zip(places, random.sample([k / 16 for k in range(-len(places), len(places))], len(places)), strict=True)
    )


# Gradients


@pytest.mark.parametrize("number", range(8))
def test_gradients__of_pointwise_functions(number: int) -> None:
    random = Random(number)
    x = {(i,): random.randint(-64, 64) / 16 + 1 / 32 for i in range(20)}  # never at a corner
    gradient = {i: random.uniform(-2, 2) for i in x}
    case = Case("ACTIVATION_RELU_GRAD", fields(x, gradient, "FLOAT64"))
    relu = differences(lambda x: {i: larger(v, 0.0) for i, v in x.items()}, x, gradient)
    assert_near(answer_of(case)["output_gradient_tensor"], relu)
    limited = differences(lambda x: {i: clip(v, -1.0, 2.0) for i, v in x.items()}, x, gradient)
    assert_near({i: clip_gradient(v, gradient[i], -1.0, 2.0) for i, v in x.items()}, limited)


def fields(x: Tensor, gradient: Tensor, kind: str) -> dict[str, Any]:
    sizes = (len(x),)
    return {
        "input_tensor": Operand.of(kind, sizes, x),
        "input_gradient_tensor": Operand.of(kind, sizes, gradient),
        "output_gradient_tensor": Operand(kind, sizes),
    }


@pytest.mark.parametrize("number", range(0, 24, 3))
def test_max_pooling_gradient__is_the_derivative(number: int) -> None:
    case = make_case("MAX_POOLING_GRAD", number)
    sizes, windows = case["input_tensor"].sizes, windows_of(case)
    x, gradient = distinct(sizes, Random(number)), case["input_gradient_tensor"].values

    def forward(x: Tensor) -> Tensor:
        return {i: x[place] for i, place in pooling.maximum_places(x, sizes, windows).items()}

    found = pooling.maximum_gradient(x, sizes, gradient, windows)
    assert_near({i: math.fsum(parts) for i, parts in found.items()}, differences(forward, x, gradient))


@pytest.mark.parametrize("number", range(0, 24, 2))
def test_average_pooling_gradient__is_the_adjoint(number: int) -> None:
    """<pooled(x), dy> is <x, gradient(dy)>."""
    case = make_case("AVERAGE_POOLING_GRAD", number)
    gradient, sizes = case["input_gradient_tensor"].values, case["output_gradient_tensor"].sizes
    x = distinct(sizes, Random(number))
    pooled = pooling.average(x, sizes, windows_of(case), case["include_padding"])
    assert math.isclose(
        inner(pooled, gradient), inner(x, plain(answer_of(case)["output_gradient_tensor"])), abs_tol=1e-9
    )


@pytest.mark.parametrize("number", range(0, 24, 3))
def test_slice_gradient__is_the_adjoint(number: int) -> None:
    case = make_case("SLICE_GRAD", number)
    gradient, sizes = case["input_gradient_tensor"], case["output_gradient_tensor"].sizes
    how = (case["input_window_offsets"], case["input_window_sizes"], case["input_window_strides"])
    x, dy = distinct(sizes, Random(number)), {i: float(k) for k, i in enumerate(gradient.indices())}
    spread = moves.slice_grad(dy, gradient.sizes, sizes, *how)
    assert inner(moves.slice1(x, gradient.sizes, *how), dy) == inner(x, spread)


@pytest.mark.parametrize("number", range(0, 24, 3))
def test_fold__is_the_adjoint_of_unfold(number: int) -> None:
    case = make_case("FOLD", number)
    image, columns = case["output_tensor"].sizes, case["input_tensor"].sizes
    keys = ("window_sizes", "strides", "start_padding", "end_padding", "dilations")
    windows = pooling.Windows(*(tuple(case[key]) for key in keys))
    x, y = distinct(image, Random(number)), {i: float(k) for k, i in enumerate(indices(columns))}
    unfolded = {i: v or 0.0 for i, v in indexing.unfold(x, image, windows).items()}
    folded = {i: math.fsum(parts) for i, parts in indexing.fold(y, image, windows).items()}
    assert math.isclose(inner(unfolded, y), inner(x, folded), abs_tol=1e-9)


# Inverses


@pytest.mark.parametrize("number", range(0, 24, 3))
def test_gather_elements__finds_what_scatter_elements_wrote(number: int) -> None:
    case = make_case("SCATTER_ELEMENTS", number)
    places, updates = case["indices_tensor"].values, case["updates_tensor"].bits
    written = answer_of(case)["output_tensor"]
    assert indexing.gather_elements(written, case["input_tensor"].sizes, places, case["axis"]) == updates


@pytest.mark.parametrize("number", range(0, 24, 3))
def test_gather_nd__finds_what_scatter_nd_wrote(number: int) -> None:
    case = make_case("SCATTER_ND", number)
    gathered = Case(
        "GATHER_ND",
        {**case.fields, "input_tensor": replace(case["input_tensor"], bits=answer_of(case)["output_tensor"])},
    )
    gathered.fields["output_tensor"] = Operand(case["updates_tensor"].data_type, case["updates_tensor"].sizes)
    del gathered.fields["updates_tensor"]
    assert answer_of(gathered)["output_tensor"] == case["updates_tensor"].bits


@pytest.mark.parametrize("number", range(0, 24, 3))
def test_max_unpooling__puts_back_what_max_pooling_found(number: int) -> None:
    case = make_case("MAX_POOLING_GRAD", number)
    sizes = case["input_tensor"].sizes
    x = {i: abs(v) + 1 for i, v in distinct(sizes, Random(number)).items()}
    found = pooling.maximum_places(x, sizes, windows_of(case))
    numbers = {i: pooling.flat(place, sizes) for i, place in found.items()}
    back = pooling.unpool({i: x[place] for i, place in found.items()}, numbers, sizes)
    assert back == {i: x[i] if i in found.values() else 0 for i in x}


def test_roi_pooling__of_the_whole_image() -> None:
    """One bin holds the largest pixel; as many bins as pixels hold the image."""
    sizes = (1, 2, 3, 4)
    x = distinct(sizes, Random(1))
    roi = dict(zip(indices((1, 1, 1, 5)), (0, 0, 0, 3, 2), strict=True))
    assert pooling.regions(x, sizes, roi, 1, 1.0, (3, 4)) == x
    one = pooling.regions(x, sizes, roi, 1, 1.0, (1, 1))
    assert one[0, 1, 0, 0] == max(v for i, v in x.items() if i[1] == 1)


def test_roi_pooling__bins_share_pixels() -> None:
    """Two bins of three pixels overlap in the middle one."""
    x = {(0, 0, 0, k): float(v) for k, v in enumerate((1, 5, 2))}
    roi = dict(zip(indices((1, 1, 1, 5)), (0, 0, 0, 2, 0), strict=True))
    assert list(pooling.regions(x, (1, 1, 1, 3), roi, 1, 1.0, (1, 2)).values()) == [5, 5]


# Operators that newer ones repeat


def newer(operator: str, changes: Callable[[Case], dict[str, Any]]) -> Callable[[Case], Case]:
    return lambda case: Case(operator, {**case.fields, **changes(case)})


def ones(case: Case) -> dict[str, Any]:
    return {"dilations": [1] * len(case["window_size"])}


def last_axis(case: Case) -> dict[str, Any]:
    return {"axes": [case["input_tensor"].rank - 1]}


SAME = {
    "ACTIVATION_SOFTMAX": newer("ACTIVATION_SOFTMAX1", last_axis),
    "ACTIVATION_LOG_SOFTMAX": newer("ACTIVATION_LOG_SOFTMAX1", last_axis),
    "ACTIVATION_HARDMAX": newer("ACTIVATION_HARDMAX1", last_axis),
    "ELEMENT_WISE_ADD1": newer("ELEMENT_WISE_ADD", lambda case: {}),
    "ELEMENT_WISE_CLIP1": newer("ELEMENT_WISE_CLIP", lambda case: {}),
    "ELEMENT_WISE_CLIP_GRAD1": newer("ELEMENT_WISE_CLIP_GRAD", lambda case: {}),
    "MAX_POOLING": newer("MAX_POOLING1", lambda case: {}),
    "MAX_POOLING1": newer("MAX_POOLING2", ones),
    "AVERAGE_POOLING": newer("AVERAGE_POOLING1", ones),
    "LP_POOLING": newer("LP_POOLING1", ones),
    "TOP_K": newer("TOP_K1", lambda case: {"axis_direction": "DECREASING"}),
    "GATHER_ND": newer("GATHER_ND1", lambda case: {"batch_dimension_count": 0}),
    "DEPTH_TO_SPACE": newer("DEPTH_TO_SPACE1", lambda case: {"order": "DEPTH_COLUMN_ROW"}),
    "SPACE_TO_DEPTH": newer("SPACE_TO_DEPTH1", lambda case: {"order": "DEPTH_COLUMN_ROW"}),
}


@pytest.mark.parametrize("operator", SAME)
def test_newer_operators__repeat_older_ones(operator: str) -> None:
    for number in numbers_of(operator):
        case = make_case(operator, number)
        if case.get("fused_activation"):
            continue
        for name, found in answer_of(SAME[operator](case)).items():
            assert str(plain(found)) == str(plain(answer_of(case)[name])), number


def test_arguments__of_reduce_are_those_of_the_operators() -> None:
    compared = 0
    for number in numbers_of("REDUCE"):
        case = make_case("REDUCE", number)
        if case["function"] in ("ARGMIN", "ARGMAX"):
            same = Case(case["function"], {**case.fields, "axis_direction": "INCREASING"})
            assert answer_of(same) == answer_of(case)
            compared += 1
    assert compared == 20


def test_diagonals__are_bands_of_one() -> None:
    for number in numbers_of("DIAGONAL_MATRIX"):
        case = make_case("DIAGONAL_MATRIX", number)
        kind, offset = case["output_tensor"].data_type, case["offset"]
        found = plain(answer_of(case)["output_tensor"])
        band = {"value": max(found.values(), default=0), "value_data_type": kind}
        same = Case(
            "DIAGONAL_MATRIX1", {**case.fields, **band, "diagonal_fill_begin": offset, "diagonal_fill_end": offset + 1}
        )
        bits = answer_of(same)["output_tensor"]
        assert isinstance(bits, Bits)
        assert bits == Operand.of(kind, case["output_tensor"].sizes, found).bits


def test_random_words__do_not_depend_on_sizes() -> None:
    """The row-major elements of any shape are one sequence."""
    state = Operand.of("UINT32", (6,), {(k,): 7 * k for k in range(6)})

    def sequence(*sizes: int) -> list[int]:
        given = {"input_state_tensor": state, "output_tensor": Operand("UINT32", sizes), "type": "PHILOX_4X32_10"}
        found = answer_of(Case("RANDOM_GENERATOR", given))["output_tensor"]
        return [found[i] for i in indices(sizes)]

    assert sequence(2, 3, 5) == sequence(30) == sequence(31)[:30]
    assert len(set(sequence(100))) == 100


def test_quantized_sums__undo_their_own_scale() -> None:
    """Adding a quantized 0 gives the tensor back."""
    for number in range(12):
        case = make_case("ELEMENT_WISE_QUANTIZED_LINEAR_ADD", number)
        a, scale = case["a_tensor"], case["a_scale_tensor"]
        same = {name: value for name, value in case.fields.items() if "zero_point" not in name}
        nothing = Operand.of("UINT8", a.sizes, dict.fromkeys(a.indices(), 0))
        given = {
            **same,
            "b_tensor": nothing,
            "output_scale_tensor": scale,
            "output_tensor": Operand(a.data_type, a.sizes),
        }
        assert answer_of(Case(case.operator, given))["output_tensor"] == a.values
