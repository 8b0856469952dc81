"""Resampling by its laws: weights that add up, gradients as adjoints, older versions as newer ones, and refusals."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import anydml as dml
from anydml.core.schema.validate import validate
from tests.operators.guarded import Array, floats, inner, run, tensor
from tests.operators.layouts import randoms
from tests.operators.memory import DEVICES

MODES = ("NEAREST_NEIGHBOR", "LINEAR")
DIRECTIONS = ("INCREASING", "DECREASING")


def random_scaling(random: Random) -> tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]:
    """Sizes of input and output, and how one becomes the other, whether or not they fit together."""
    rank = random.randint(1, 4)
    each = range(rank)
    how = {
        "scales": [random.choice((1, 0.5, 2, 1.5, 0.3, 0.2, 3, 0.05, random.uniform(0.2, 3))) for _ in each],
        "input_pixel_offsets": [random.choice((0, 0.5, 1, -0.25)) for _ in each],
        "output_pixel_offsets": [random.choice((0, -0.5, 0.25)) for _ in each],
    }
    return tuple(random.randint(1, 6) for _ in each), tuple(random.randint(1, 6) for _ in each), how


@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=35)
@given(random=randoms)
def test_resample__keeps_what_is_constant(mode: str, random: Random) -> None:
    """The weights of every output element add up to 1, beyond the edges and under the filter against aliasing too."""
    sizes, output, how = random_scaling(random)
    operator = dml.Resample3(
        input_tensor=floats(*sizes),
        output_tensor=floats(*output),
        interpolation_mode=mode,
        rounding_direction=random.choice(DIRECTIONS),
        antialiased=random.random() < 0.5,
        **how,
    )
    assert np.allclose(run(operator, input_tensor=np.full(sizes, 3)), 3, rtol=1e-6)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("mode", MODES)
@settings(max_examples=35)
@given(random=randoms)
def test_resample_grad__is_the_adjoint(mode: str, device: str, random: Random) -> None:
    """<resample(x), y> == <x, grad(y)>."""
    sizes, output, how = random_scaling(random)
    how |= {"interpolation_mode": mode, "rounding_direction": random.choice(DIRECTIONS)}
    forward = dml.Resample2(input_tensor=floats(*sizes), output_tensor=floats(*output), **how)
    backward = dml.ResampleGrad1(input_gradient_tensor=floats(*output), output_gradient_tensor=floats(*sizes), **how)
    numbers = np.random.default_rng(random.randrange(2**32))
    x, y = numbers.integers(-8, 9, sizes), numbers.integers(-8, 9, output)
    there, back = run(forward, device, input_tensor=x), run(backward, device, input_gradient_tensor=y)
    assert inner(there, y) == pytest.approx(inner(x, back), abs=1e-3)


@pytest.mark.parametrize("device", DEVICES)
def test_resample__linear_follows_a_ramp(device: str) -> None:
    """Between elements the value is that of the straight line; beyond the edges it is that of the edge."""
    operator = dml.Resample1(
        input_tensor=floats(5),
        output_tensor=floats(12),
        interpolation_mode="LINEAR",
        scales=[2],
        input_pixel_offsets=[0],
        output_pixel_offsets=[1],
    )
    found = run(operator, device, input_tensor=[0, 10, 20, 30, 40])
    assert found.tolist() == [max(0, min((k - 1) * 5, 40)) for k in range(12)]


@pytest.mark.parametrize("device", DEVICES)
def test_resample__rounds_halves_down(device: str) -> None:
    """Which of two elements that are equally near counts is left open; the documented examples take the first."""
    row = [10, 20, 30, 40]
    shrunk = dml.Resample(
        input_tensor=floats(4), output_tensor=floats(2), interpolation_mode="NEAREST_NEIGHBOR", scales=[0.5]
    )
    assert run(shrunk, device, input_tensor=row).tolist() == [10, 30]
    corners = dml.Resample1(
        input_tensor=floats(4),
        output_tensor=floats(8),
        interpolation_mode="NEAREST_NEIGHBOR",
        scales=[2],
        input_pixel_offsets=[0],
        output_pixel_offsets=[0],
    )
    assert run(corners, device, input_tensor=row).tolist() == [10, 10, 20, 20, 30, 30, 40, 40]


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_resample2__rounds_up_or_down(direction: str) -> None:
    operator = dml.Resample2(
        input_tensor=floats(4),
        output_tensor=floats(8),
        interpolation_mode="NEAREST_NEIGHBOR",
        rounding_direction=direction,
        scales=[2],
        input_pixel_offsets=[0],
        output_pixel_offsets=[0],
    )
    places = [k / 2 for k in range(8)]
    turn = math.ceil if direction == "INCREASING" else math.floor
    assert run(operator, input_tensor=[0, 1, 2, 3]).tolist() == [min(turn(place), 3) for place in places]


@pytest.mark.parametrize("mode", MODES)
def test_older_versions__are_newer_ones_with_fixed_attributes(mode: str) -> None:
    x = np.random.default_rng(7).integers(0, 99, (1, 2, 5, 7))
    tensors = {"input_tensor": floats(*x.shape), "output_tensor": floats(1, 2, 4, 9)}
    how = {"interpolation_mode": mode, "scales": [1, 1, 0.8, 1.3]}
    centres = {"input_pixel_offsets": [0.5] * 4, "output_pixel_offsets": [-0.5] * 4}
    shifted = {**centres, "input_pixel_offsets": [1.0] * 4} if mode == "NEAREST_NEIGHBOR" else centres
    versions = [
        dml.Resample(**tensors, **how),
        dml.Resample1(**tensors, **how, **centres),
        dml.Resample2(**tensors, **how, **shifted, rounding_direction="INCREASING"),
        dml.Resample3(**tensors, **how, **shifted, rounding_direction="INCREASING", antialiased=False),
    ]
    first, *others = (run(operator, input_tensor=x) for operator in versions)
    assert all(np.array_equal(first, other) for other in others)


def antialiased(x: Array, count: int, scale: float) -> Array:
    operator = dml.Resample3(
        input_tensor=floats(*x.shape),
        output_tensor=floats(count),
        interpolation_mode="LINEAR",
        scales=[scale],
        antialiased=True,
    )
    return run(operator, input_tensor=x)


def test_antialiasing__weighs_all_elements_under_a_wide_triangle() -> None:
    """With a scale of 1/4 the triangle reaches 4 elements to both sides; edges are repeated."""
    impulse = np.zeros(16, np.float32)
    impulse[5] = 1
    centres = [4 * k + 1.5 for k in range(4)]
    expected = [max(0, 1 - abs(5 - centre) / 4) / 4 for centre in centres]
    assert np.allclose(antialiased(impulse, 4, 0.25), expected)
    step = np.array([1.0] + [0.0] * 15, np.float32)
    outside = sum(max(0, 1 - abs(k - 1.5) / 4) for k in range(-9, 1)) / 4
    assert antialiased(step, 4, 0.25)[0] == pytest.approx(outside)


def test_antialiasing__begins_where_an_axis_shrinks() -> None:
    """The numbers are those of a test of ONNX Runtime that DirectML runs too: 4 elements become 3."""
    assert np.allclose(antialiased(np.arange(4, dtype="f4"), 3, 0.75), [3 / 11, 1.5, 30 / 11])
    x = np.random.default_rng(2).random(12, "f4")
    for scale in (1.0, 2.0):
        operator = dml.Resample2(
            input_tensor=floats(12), output_tensor=floats(4), interpolation_mode="LINEAR", scales=[scale]
        )
        assert np.array_equal(antialiased(x, 4, scale), run(operator, input_tensor=x))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("scale", [1e-45, 1e-30, 3.4e38])
def test_extreme_scales__hold_the_edges(scale: float, device: str) -> None:
    for mode in MODES:
        operator = dml.Resample3(
            input_tensor=floats(3), output_tensor=floats(4), interpolation_mode=mode, scales=[scale], antialiased=True
        )
        found = run(operator, device, input_tensor=[1, 2, 3])
        assert np.isfinite(found).all() and found.min() >= 1 and found.max() <= 3


@pytest.mark.parametrize("device", DEVICES)
def test_infinite_elements__stay_where_they_have_weight(device: str) -> None:
    operator = dml.Resample1(
        input_tensor=floats(3),
        output_tensor=floats(5),
        interpolation_mode="LINEAR",
        scales=[2],
        input_pixel_offsets=[0],
        output_pixel_offsets=[0],
    )
    assert run(operator, device, input_tensor=[math.inf, 1, 2]).tolist() == [math.inf, math.inf, 1, 1.5, 2]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("data_type", ["INT8", "UINT8"])
def test_integers__are_cut_off(data_type: str, device: str) -> None:
    """Toward zero, as CAST does; a mean that is a whole number stays one."""
    operator = dml.Resample3(
        input_tensor=tensor(data_type, 2),
        output_tensor=tensor(data_type, 7),
        interpolation_mode="LINEAR",
        scales=[6],
        input_pixel_offsets=[0],
        output_pixel_offsets=[0],
    )
    assert run(operator, device, input_tensor=[3, 6]).tolist() == [3, 3, 4, 4, 5, 5, 6]
    if data_type == "INT8":
        assert run(operator, device, input_tensor=[-3, 3]).tolist() == [-3, -2, -1, 0, 1, 2, 3]


def test_output__is_inferred_from_the_scales_and_may_differ() -> None:
    """10 * 0.7 is 7, although 0.7 is a little less as a float."""
    operator = dml.Resample2(input_tensor=floats(10, 3), interpolation_mode="LINEAR", scales=[0.7, 0.1])
    assert operator.output_tensor.sizes == (7, 1)
    larger = operator.replace(output_tensor=floats(9, 2))
    assert validate(larger, dml.FeatureLevel.LEVEL_6_4) == []


@pytest.mark.parametrize("scale", [0, -1, "nan", "inf"])
def test_scales__that_are_no_scales_are_refused(scale: Any) -> None:
    for cls in (dml.Resample1, dml.Resample2, dml.Resample3):
        with pytest.raises(dml.InvalidDescriptionError, match=r"resample\.scale"):
            cls(input_tensor=floats(1, 1, 1, 4), interpolation_mode="LINEAR", scales=[1, 1, 1, scale])


@pytest.mark.parametrize("device", DEVICES)
def test_upsample__blends_as_resample_does(device: str) -> None:
    x = np.random.default_rng(5).integers(0, 99, (1, 2, 3, 4))
    upsample = dml.Upsample2D(input_tensor=floats(*x.shape), scale_size=(3, 2), interpolation_mode="LINEAR")
    resample = dml.Resample(input_tensor=floats(*x.shape), interpolation_mode="LINEAR", scales=[1, 1, 2, 3])
    assert upsample.output_tensor == resample.output_tensor
    assert np.allclose(run(upsample, device, input_tensor=x), run(resample, device, input_tensor=x), rtol=1e-6)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("data_type", ["FLOAT32", "FLOAT16"])
def test_value_scale__has_a_bias_for_each_channel(data_type: str, device: str) -> None:
    operator = dml.ValueScale2D(input_tensor=tensor(data_type, 2, 3, 1, 2), scale=0.5, bias=[1, -2, 0.25])
    x = np.arange(12).reshape(2, 3, 1, 2)
    expected = x * 0.5 + np.array([1, -2, 0.25]).reshape(3, 1, 1)
    assert np.array_equal(run(operator, device, input_tensor=x), expected)
