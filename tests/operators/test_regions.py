"""Regions of interest: laws of interpolation, gradients against differences, known results, and hostile regions."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import anydml as dml
from tests.operators.guarded import Array, floats, inner, run, run_all, tensor
from tests.operators.layouts import randoms
from tests.operators.memory import DEVICES

CENTRES = {"input_pixel_offset": 0.5, "output_pixel_offset": -0.5}
MOST = 2**32 - 1


def sampling(least: int = 1, most: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "reduction_function": "AVERAGE",
        "interpolation_mode": "LINEAR",
        "spatial_scale_x": 1,
        "spatial_scale_y": 1,
        **CENTRES,
        "minimum_samples_per_output": least,
        "maximum_samples_per_output": most,
        "align_regions_to_corners": False,
        **changes,
    }


def align(
    image: Any, rois: Any, output: tuple[int, int], device: str = "cpu", outside: float = 0, **changes: Any
) -> Array:
    """Regions of the first image, by ROI_ALIGN1."""
    image, rois = np.asarray(image, np.float32), np.asarray(rois, np.float32)
    operator = dml.RoiAlign1(
        input_tensor=floats(*image.shape),
        roi_tensor=floats(*rois.shape),
        batch_indices_tensor=tensor("UINT32", len(rois)),
        output_tensor=floats(len(rois), image.shape[1], *output),
        out_of_bounds_input_value=outside,
        **sampling(**changes),
    )
    return run(operator, device, input_tensor=image, roi_tensor=rois, batch_indices_tensor=np.zeros(len(rois)))


def ramp(height: int, width: int) -> Array:
    rows, columns = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    return (100 * rows + columns).astype(np.float32).reshape(1, 1, height, width)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("samples", [(1, 1), (3, 3), (1, MOST)])
def test_roi_align__of_a_ramp_is_its_value_at_the_centres(samples: tuple[int, int], device: str) -> None:
    """Samples lie evenly around the centre of each output element, so their mean on a plane is its value there."""
    left, top, right, bottom = 1.25, 2.5, 6.25, 8.5
    found = align(ramp(12, 9), [[left, top, right, bottom]], (3, 4), device, least=samples[0], most=samples[1])
    columns = [left + (k + 0.5) * (right - left) / 4 - 0.5 for k in range(4)]
    rows = [top + (k + 0.5) * (bottom - top) / 3 - 0.5 for k in range(3)]
    assert np.allclose(found[0, 0], [[100 * y + x for x in columns] for y in rows], rtol=1e-5)


def test_roi_align__inverted_regions_are_mirrored() -> None:
    image = np.random.default_rng(4).random((1, 2, 6, 6), "f4")
    straight, turned = align(image, [[1, 1, 5, 4], [5, 4, 1, 1]], (3, 4))
    assert np.allclose(turned, straight[:, ::-1, ::-1], atol=1e-6)


def test_roi_align__an_empty_region_is_one_point() -> None:
    """What DirectML gave for these regions is told by a test of ONNX Runtime: just outside counts as the edge."""
    image = np.arange(75, dtype=np.float32).reshape(1, 3, 5, 5)
    rois = [[7, 5, 7, 5], [-15, -15, -15, -15], [-10, 21, -10, 21], [13, 8, 13, 8], [-14, 19, -14, 19]]
    for reduction in ("AVERAGE", "MAX"):
        how = sampling(2, 2, spatial_scale_x=1 / 16, spatial_scale_y=1 / 16, input_pixel_offset=0)
        found = align(image, rois, (3, 4), **{**rename(how), "reduction_function": reduction})
        for region, value in zip(found, [2, 0, 6.5625, 3.3125, 5.9375], strict=True):
            assert (region == np.array([value, value + 25, value + 50]).reshape(3, 1, 1)).all()


def rename(how: dict[str, Any]) -> dict[str, Any]:
    """Sampling as `align` takes it."""
    counts = {"least": how.pop("minimum_samples_per_output"), "most": how.pop("maximum_samples_per_output")}
    return {**how, **counts}


@pytest.mark.parametrize("device", DEVICES)
def test_roi_align__more_than_one_element_outside_is_the_given_value(device: str) -> None:
    """Up to one element beside the image a sample reads the edge."""
    image = np.full((1, 1, 4, 4), 5.0)
    points = [[x, 1, x, 1] for x in (-1.5, -1.0, 0, 3, 4.0, 4.5)]
    for mode in ("LINEAR", "NEAREST_NEIGHBOR"):
        found = align(image, points, (1, 1), device, 77, interpolation_mode=mode, input_pixel_offset=0)
        assert found.ravel().tolist() == [77, 5, 5, 5, 5, 77]


def test_roi_align__nearest_rounds_halves_down() -> None:
    found = align(
        ramp(1, 4),
        [[0.5, 0, 0.5, 0], [2.5, 0, 2.5, 0]],
        (1, 1),
        interpolation_mode="NEAREST_NEIGHBOR",
        input_pixel_offset=0,
    )
    assert found.ravel().tolist() == [0, 2]


def test_roi_align__samples_as_often_as_the_region_is_larger() -> None:
    """3 elements for each output element: 3 samples, on the centres of pixels; no more than the maximum."""
    image = np.random.default_rng(9).random((1, 1, 1, 6), "f4")
    row = image[0, 0, 0]
    region = [[0, 0, 6, 1]]
    nearest = {"interpolation_mode": "NEAREST_NEIGHBOR"}
    assert np.allclose(align(image, region, (1, 2), most=MOST, **nearest).ravel(), [row[:3].mean(), row[3:].mean()])
    assert np.allclose(
        align(image, region, (1, 2), most=MOST, reduction_function="MAX", **nearest).ravel(),
        [row[:3].max(), row[3:].max()],
    )
    assert align(image, region, (1, 2), most=1, **nearest).ravel().tolist() == [row[1], row[4]]


def test_roi_align__samples_no_more_than_a_region_as_large_as_the_image_needs() -> None:
    """A region of a thousand million elements ends soon; its samples lie outside."""
    assert align(ramp(4, 4), [[-1e9, -1e9, 1e9, 1e9]], (1, 1), most=MOST, outside=3).item() == 3


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 3e38])
def test_hostile_regions__read_nothing_outside(number: float, device: str) -> None:
    regions = [[number, 0, 1, 1], [0, 0, number, 1], [number] * 4]
    for mode in ("LINEAR", "NEAREST_NEIGHBOR"):
        found = align(ramp(3, 3), regions, (2, 2), device, 9, most=MOST, interpolation_mode=mode)
        assert np.isfinite(found).all() and found.min() >= 0 and found.max() <= ramp(3, 3).max()
    pool = dml.RoiPooling(input_tensor=floats(1, 1, 3, 3), roi_tensor=floats(1, 1, 3, 5), pooled_size=(2, 2))
    rows = np.array([[[[number, *region] for region in regions]]], np.float32)
    found = run(pool, device, input_tensor=ramp(3, 3), roi_tensor=rows)
    assert np.isin(found, [0, *ramp(3, 3).ravel()]).all()


@pytest.mark.parametrize("device", DEVICES)
def test_batch_indices__outside_take_the_nearest_image(device: str) -> None:
    operator = dml.RoiAlign(
        input_tensor=floats(2, 1, 1, 1),
        roi_tensor=floats(2, 4),
        batch_indices_tensor=tensor("UINT64", 2),
        output_tensor=floats(2, 1, 1, 1),
        out_of_bounds_input_value=0,
        **{key: value for key, value in sampling().items() if key not in (*CENTRES, "align_regions_to_corners")},
    )
    images, indices = np.array([3, 5]).reshape(2, 1, 1, 1), np.array([0, 2**64 - 1], np.uint64)
    found = run(operator, device, input_tensor=images, roi_tensor=[[0, 0, 1, 1]] * 2, batch_indices_tensor=indices)
    assert found.ravel().tolist() == [3, 5]


# Gradients


def random_regions(random: Random) -> tuple[Array, Array, Array, dict[str, Any], tuple[int, ...]]:
    """Images, regions in and around them, which image each is of, how they are sampled, and the output's sizes."""
    numbers = np.random.default_rng(random.randrange(2**32))
    batch, channels, height, width = (random.randint(1, most) for most in (2, 2, 6, 6))
    count = random.randint(1, 3)
    x = numbers.permutation(batch * channels * height * width).reshape(batch, channels, height, width)
    limits = (width, height, width, height)
    rois = np.array([[random.uniform(-3, limit + 2) for limit in limits] for _ in range(count)], np.float32)
    least = random.randint(1, 2)
    how = sampling(
        least,
        random.choice((least, least + 2, MOST)),
        spatial_scale_x=random.choice((1, 0.5, 1.25)),
        spatial_scale_y=random.choice((1, 0.5, 1.25)),
        input_pixel_offset=random.choice((0, 0.5)),
        output_pixel_offset=random.choice((0, -0.5)),
        align_regions_to_corners=random.random() < 0.3,
    )
    batches = numbers.integers(0, batch, count)
    return x, rois, batches, how, (count, channels, random.randint(1, 3), random.randint(1, 3))


def operators(
    x: Array, rois: Array, how: dict[str, Any], output: tuple[int, ...]
) -> tuple[dml.RoiAlign1, dml.RoiAlignGrad]:
    shared = {"roi_tensor": floats(*rois.shape), "batch_indices_tensor": tensor("UINT32", len(rois)), **how}
    forward = dml.RoiAlign1(
        input_tensor=floats(*x.shape), output_tensor=floats(*output), out_of_bounds_input_value=0, **shared
    )
    backward = dml.RoiAlignGrad(
        input_tensor=floats(*x.shape),
        input_gradient_tensor=floats(*output),
        output_gradient_tensor=floats(*x.shape),
        output_roi_gradient_tensor=floats(*rois.shape),
        **shared,
    )
    return forward, backward


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("reduction", ["AVERAGE", "MAX"])
@pytest.mark.parametrize("mode", ["LINEAR", "NEAREST_NEIGHBOR"])
@settings(max_examples=24)
@given(random=randoms)
def test_roi_align_grad__of_images_is_the_adjoint(mode: str, reduction: str, device: str, random: Random) -> None:
    """<align(x), y> == <x, grad(y)>: samples are weighted sums of pixels, and MAX picks one of them."""
    x, rois, batches, how, output = random_regions(random)
    how |= {"interpolation_mode": mode, "reduction_function": reduction}
    forward, backward = operators(x, rois, how, output)
    y = np.random.default_rng(random.randrange(2**32)).integers(-4, 5, output)
    regions = {"roi_tensor": rois, "batch_indices_tensor": batches}
    there = run(forward, device, input_tensor=x, **regions)
    back = run_all(backward, device, input_tensor=x, input_gradient_tensor=y, **regions)["output_gradient_tensor"]
    assert inner(there, y) == pytest.approx(inner(x, back), abs=1e-2)


@pytest.mark.parametrize("reduction", ["AVERAGE", "MAX"])
@settings(max_examples=24)
@given(random=randoms)
def test_roi_align_grad__of_regions_is_the_derivative(reduction: str, random: Random) -> None:
    """Against central differences, where the function has no kink between its two ends."""
    x, rois, batches, how, output = random_regions(random)
    how |= {"reduction_function": reduction}
    forward, backward = operators(x, rois, how, output)
    y = np.random.default_rng(random.randrange(2**32)).integers(-4, 5, output)
    same = {"input_tensor": x, "batch_indices_tensor": batches}
    found = run_all(backward, input_gradient_tensor=y, roi_tensor=rois, **same)["output_roi_gradient_tensor"]
    step = 2.0**-6

    def weighted(corners: Array) -> float:
        return inner(run(forward, roi_tensor=corners, **same), y)

    for place in np.ndindex(rois.shape):
        moved = [rois.copy(), rois.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        middle, (above, below) = weighted(rois), map(weighted, moved)
        if abs(above + below - 2 * middle) < 1e-3:
            assert found[place] == pytest.approx((above - below) / (2 * step), abs=0.1, rel=1e-2)


def test_roi_align_grad__nearest_does_not_follow_its_region() -> None:
    x, rois = ramp(4, 4), np.array([[0.3, 0.4, 3.1, 2.7]], np.float32)
    how = sampling(2, 2, interpolation_mode="NEAREST_NEIGHBOR")
    _, backward = operators(x, rois, how, (1, 1, 2, 2))
    found = run_all(
        backward,
        input_tensor=np.where(x == 0, math.inf, x),
        input_gradient_tensor=np.ones((1, 1, 2, 2)),
        roi_tensor=rois,
        batch_indices_tensor=[0],
    )
    assert not found["output_roi_gradient_tensor"].any()


@pytest.mark.parametrize("device", DEVICES)
def test_roi_pooling__rounds_halves_up_and_leaves_bins_outside_0(device: str) -> None:
    operator = dml.RoiPooling(input_tensor=floats(1, 1, 1, 6), roi_tensor=floats(1, 1, 3, 5), pooled_size=(2, 1))
    rois = np.array([[[[0, 0.5, 0, 2.5, 0], [0, 4, 0, 7, 0], [0, 9, 0, 12, 0]]]])
    found = run(operator, device, input_tensor=[[[[-1, -2, -3, -4, -5, -6]]]], roi_tensor=rois)
    assert found.reshape(3, 2).tolist() == [[-2, -3], [-5, 0], [0, 0]]
