"""Laws of resampling and ROI align: adjoints, derivatives, and versions that repeat each other."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from tests.cases.framework import Case, answer_of, make_case, number_of, numbers_of
from tests.cases.regions import align_of, tables_of
from tests.cases.resampling import samplings_of
from tests.cases.test_laws import distinct, inner, newer, plain
from tests.oracle import moves, programs, regions
from tests.oracle.moves import Index, Tensor
from tests.oracle.resampling import Sampling, resample

STEP = Fraction(1, 2**12)

# Resampling


@pytest.mark.parametrize("operator", ["RESAMPLE_GRAD", "RESAMPLE_GRAD1"])
def test_resampling_gradients__are_adjoints(operator: str) -> None:
    """<resampled(x), dy> is <x, gradient(dy)>."""
    for number in numbers_of(operator):
        case = make_case(operator, number)
        gradient, sizes = case["input_gradient_tensor"], case["output_gradient_tensor"].sizes
        x = distinct(sizes, Random(number))
        resampled = plain(resample(x, samplings_of(case, sizes), gradient.sizes))
        found = inner(x, plain(answer_of(case)["output_gradient_tensor"]))
        assert math.isclose(inner(resampled, gradient.values), found, abs_tol=1e-9), number


def halves(case: Case) -> dict[str, Any]:
    rank = case["input_tensor"].rank
    return {"input_pixel_offsets": [0.5] * rank, "output_pixel_offsets": [-0.5] * rank}


def rounded_up(case: Case) -> dict[str, Any]:
    """Nearest, with halves down, is half a pixel back and up to the next."""
    nearest = case["interpolation_mode"] == "NEAREST_NEIGHBOR"
    offsets = [offset + (0.5 if nearest else 0.0) for offset in case["input_pixel_offsets"]]
    return {"rounding_direction": "INCREASING", "input_pixel_offsets": offsets}


def scaled(case: Case) -> dict[str, Any]:
    scale, rank = case["scale_size"], case["input_tensor"].rank
    return {"scales": [1.0] * (rank - 2) + [float(scale["Height"]), float(scale["Width"])]}


def centred(case: Case) -> dict[str, Any]:
    return {"input_pixel_offset": 0.5, "output_pixel_offset": -0.5, "align_regions_to_corners": False}


SAME: dict[str, Callable[[Case], Case]] = {
    "RESAMPLE": newer("RESAMPLE1", halves),
    "RESAMPLE1": newer("RESAMPLE2", rounded_up),
    "RESAMPLE2": newer("RESAMPLE3", lambda case: {"antialiased": False}),
    "RESAMPLE_GRAD": newer("RESAMPLE_GRAD1", rounded_up),
    "UPSAMPLE_2D": newer("RESAMPLE", scaled),
    "ROI_ALIGN": newer("ROI_ALIGN1", centred),
}


@pytest.mark.parametrize("operator", SAME)
def test_newer_operators__repeat_older_ones(operator: str) -> None:
    for number in numbers_of(operator):
        case = make_case(operator, number)
        for name, found in answer_of(SAME[operator](case)).items():
            assert plain(found) == plain(answer_of(case)[name]), number


def test_upsampling__agrees_with_other_definitions() -> None:
    for number in numbers_of("UPSAMPLE_2D"):
        case = make_case("UPSAMPLE_2D", number)
        x, scale = case["input_tensor"], case["scale_size"]
        linear = case["interpolation_mode"] == "LINEAR"
        function = programs.upsample_linear if linear else moves.upsample_nearest
        wanted = function(x.values, x.sizes, scale["Width"], scale["Height"])
        found = plain(answer_of(case)["output_tensor"])
        assert found.keys() == wanted.keys()
        assert all(math.isclose(found[i], wanted[i], rel_tol=1e-9, abs_tol=1e-9) for i in found)


@pytest.mark.parametrize("rounding", ["linear", "stretched"])
@pytest.mark.parametrize("scale", [Fraction(1, 4), Fraction(3, 8), Fraction(1), Fraction(5, 2)])
def test_weights__add_up_to_1_and_keep_slopes(rounding: str, scale: Fraction) -> None:
    """A constant stays, and inside so does a straight line, however wide the filter."""
    size = 40
    sampling = Sampling(size, scale, Fraction(1, 2), Fraction(-1, 2), rounding)
    for place in range(int(size * scale)):
        taps = sampling.taps(place)
        assert taps is not None and sum(weight for _, weight in taps) == 1
        x = sampling.coordinate(place)
        if 5 < x < size - 6 and (rounding == "linear" or (1 / scale).denominator == 1):
            assert sum(k * weight for k, weight in taps) == x


def test_stretched_filter__is_plain_where_nothing_shrinks() -> None:
    for scale in (Fraction(1), Fraction(2), Fraction(7, 3)):
        plain_one, stretched = (Sampling(6, scale, Fraction(1, 2), Fraction(-1, 2), r) for r in ("linear", "stretched"))
        for place in range(12):
            assert sorted(plain_one.taps(place) or []) == sorted(stretched.taps(place) or [])


# Regions


def aligned(case: Case, image: Tensor, sizes: Index, found: list[list[Fraction]], batches: list[int]) -> Tensor:
    pooled = case["input_gradient_tensor"].sizes[2:]
    return plain(regions.align(image, sizes, found, batches, pooled, align_of(case)))


def gradients_of(reduction: str) -> list[int]:
    """The numbers of the cases with this reduction that ask for the gradient of the input."""
    cases = [make_case("ROI_ALIGN_GRAD", number) for number in numbers_of("ROI_ALIGN_GRAD")]
    return [
        number
        for number, case in enumerate(cases)
        if case["reduction_function"] == reduction and "output_gradient_tensor" in case.fields
    ]


@pytest.mark.parametrize("number", gradients_of("AVERAGE"))
def test_region_gradient__is_the_adjoint(number: int) -> None:
    """Of the mean of samples; what lies outside counts as 0."""
    case = make_case("ROI_ALIGN_GRAD", number)
    sizes, gradient = case["output_gradient_tensor"].sizes, case["input_gradient_tensor"].values
    x = distinct(sizes, Random(number))
    found = inner(x, plain(answer_of(case)["output_gradient_tensor"]))
    assert math.isclose(inner(aligned(case, x, sizes, *tables_of(case)), gradient), found, abs_tol=1e-9)


@pytest.mark.parametrize("number", gradients_of("MAX"))
def test_region_gradient__is_the_derivative_of_the_largest_sample(number: int) -> None:
    case = make_case("ROI_ALIGN_GRAD", number)
    x, gradient = case["input_tensor"], case["input_gradient_tensor"].values
    for i, found in answer_of(case)["output_gradient_tensor"].items():
        sides = [
            inner(aligned(case, {**x.values, i: x.values[i] + step}, x.sizes, *tables_of(case)), gradient)
            for step in (1e-6, -1e-6)
        ]
        assert math.isclose((sides[0] - sides[1]) / 2e-6, number_of(found), abs_tol=1e-6), i


def test_corner_gradients__are_derivatives() -> None:
    """Where no sample is on the border between two pixels or outside."""
    compared = 0
    for number in numbers_of("ROI_ALIGN_GRAD"):
        case = make_case("ROI_ALIGN_GRAD", number)
        if "output_roi_gradient_tensor" not in case.fields:
            continue
        x, gradient = case["input_tensor"], case["input_gradient_tensor"].values
        found, batches = tables_of(case)
        for i, slope in answer_of(case)["output_roi_gradient_tensor"].items():
            roi, corner = i[-2:]
            sides = []
            for step in (STEP, -STEP):
                moved = [list(row) for row in found]
                moved[roi][corner] += step / 64
                sides.append(aligned(case, x.values, x.sizes, moved, batches))
            if not all(len(side) == len(gradient) for side in sides):
                continue
            wanted = (inner(sides[0], gradient) - inner(sides[1], gradient)) / float(STEP / 32)
            if same_samples(case, found[roi], corner):
                assert math.isclose(wanted, number_of(slope), abs_tol=1e-5, rel_tol=1e-5), (number, i)
                compared += 1
    assert compared > 40


def same_samples(case: Case, region: list[Fraction], corner: int) -> bool:
    """Whether a small move of a corner leaves the number of samples as it is."""
    counts = []
    for step in (STEP, -STEP):
        moved = list(region)
        moved[corner] += step / 64
        pooled, sizes = case["input_gradient_tensor"].sizes[2:], case["input_tensor"].sizes[2:]
        found = regions.points(moved, pooled, sizes, align_of(case))
        counts.append(len(found[0][0]) if found else 0)
    return counts[0] == counts[1] > 0


def test_whole_image__is_itself() -> None:
    """One sample per pixel of a region that is the image."""
    sizes, half = (1, 2, 3, 4), Fraction(1, 2)
    x = distinct(sizes, Random(1))
    region = [[Fraction(0), Fraction(0), Fraction(4), Fraction(3)]]
    for linear, maximum in product((True, False), repeat=2):
        how = regions.Align((Fraction(1), Fraction(1)), half, -half, 0.0, (1, 1), False, linear, maximum)
        assert plain(regions.align(x, sizes, region, [0], (3, 4), how)) == x
