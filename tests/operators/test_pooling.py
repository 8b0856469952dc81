"""Pooling where cases do not reach: windows of padding alone, hostile values, gradients as adjoints, huge windows."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anydml as dml
from anydml.operators import pooling
from tests.operators.guarded import floats, inner, run, run_all, tensor
from tests.operators.layouts import randoms
from tests.operators.memory import DEVICES
from tests.oracle.moves import indices
from tests.oracle.pooling import Windows, flat

HOSTILE = (math.nan, -math.inf, math.inf, 0.0, -0.0, 1.0, 1.0, -3.0)


def random_windows(random: Random, spatial: int) -> tuple[tuple[int, ...], Windows]:
    """Any windows that fit, also longer than the input, and with more padding than they reach."""
    while True:
        rows = [
            (
                random.randint(1, 4),
                random.randint(1, 3),
                random.randint(0, 4),
                random.randint(0, 4),
                random.randint(1, 3),
            )
            for _ in range(spatial)
        ]
        sizes = tuple(random.randint(1, 6) for _ in range(spatial))
        window, strides, before, after, dilations = zip(*rows, strict=True)
        windows = Windows(window, strides, before, after, dilations)
        if min(windows.counts(sizes)) > 0:
            return sizes, windows


def fields_of(windows: Windows) -> dict[str, Any]:
    return {
        "window_size": windows.window,
        "strides": windows.strides,
        "start_padding": windows.before,
        "end_padding": windows.after,
    }


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=35)
@given(random=randoms, spatial=st.integers(2, 3))
def test_max_pooling__of_hostile_values_and_of_padding_alone(device: str, random: Random, spatial: int) -> None:
    """NaN is the largest, the first of equal ones counts; a window of padding alone is the lowest value, index 0."""
    spatial_sizes, windows = random_windows(random, spatial)
    sizes = (1, 2, *spatial_sizes)
    x = {i: random.choice(HOSTILE) for i in indices(sizes)}
    operator = dml.MaxPooling2(
        input_tensor=floats(*sizes), output_indices_tensor=True, **fields_of(windows), dilations=windows.dilations
    )
    given_x = np.array([x[i] for i in indices(sizes)], np.float32).reshape(sizes)
    found = run_all(operator, device, input_tensor=given_x)
    alone = run(operator.replace(output_indices_tensor=None), device, input_tensor=given_x)
    for i in indices(operator.output_tensor.sizes):
        places = [(*i[:2], *at) for at in windows.inside(i[2:], spatial_sizes)]
        best = max(places, key=lambda place: (math.isnan(x[place]), x[place]), default=None)
        expected = -math.inf if best is None else x[best]
        assert found["output_tensor"][i] == expected or (math.isnan(expected) and math.isnan(found["output_tensor"][i]))
        assert found["output_indices_tensor"][i] == (0 if best is None else flat(best, sizes))
    assert np.array_equal(alone, found["output_tensor"], equal_nan=True)


def test_max_pooling__looks_for_places_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any) -> Any:
        raise AssertionError("nobody asked for indices")

    monkeypatch.setattr(pooling, "window_places", refuse)
    for cls in (dml.MaxPooling, dml.MaxPooling1, dml.MaxPooling2):
        operator = cls(input_tensor=floats(1, 1, 2, 2), window_size=[2, 2])
        assert run(operator, "reference", input_tensor=[[[[1, 4], [3, 2]]]]).item() == 4
    with pytest.raises(AssertionError, match="nobody asked"):
        run_all(operator.replace(output_indices_tensor=True), "reference", input_tensor=[[[[1, 4], [3, 2]]]])


@pytest.mark.parametrize("device", DEVICES)
def test_average_pooling__of_padding_alone_is_0(device: str) -> None:
    how: dict[str, Any] = {"window_size": [1, 1], "start_padding": [0, 1], "end_padding": [0, 1]}
    for include in (True, False):
        operator = dml.AveragePooling(input_tensor=floats(1, 1, 1, 2), include_padding=include, **how)
        assert run(operator, device, input_tensor=[[[[5, 7]]]]).ravel().tolist() == [0, 5, 7, 0]


@pytest.mark.parametrize("include_padding", [True, False])
@settings(max_examples=35)
@given(random=randoms, spatial=st.integers(2, 3))
def test_average_pooling_grad__is_the_adjoint(include_padding: bool, random: Random, spatial: int) -> None:
    """<pool(x), y> == <x, grad(y)>."""
    spatial_sizes, windows = random_windows(random, spatial)
    windows = Windows(windows.window, windows.strides, windows.before, windows.after, (1,) * spatial)
    how = {**fields_of(windows), "include_padding": include_padding}
    forward = dml.AveragePooling(input_tensor=floats(2, 1, *spatial_sizes), **how)
    backward = dml.AveragePoolingGrad(
        input_gradient_tensor=forward.output_tensor, output_gradient_tensor=forward.input_tensor, **how
    )
    numbers = np.random.default_rng(random.randrange(2**32))
    x, y = (numbers.integers(-8, 9, desc.sizes) for desc in (forward.input_tensor, forward.output_tensor))
    there, back = run(forward, input_tensor=x), run(backward, input_gradient_tensor=y)
    assert inner(there, y) == pytest.approx(inner(x, back), abs=1e-3)


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=35)
@given(random=randoms, spatial=st.integers(2, 3))
def test_max_pooling_grad__is_the_adjoint_of_picking(device: str, random: Random, spatial: int) -> None:
    """Pooling picks elements, so <pool(x), y> == <x, grad(y)> here too; windows of padding alone pick none."""
    spatial_sizes, windows = random_windows(random, spatial)
    sizes = (2, 1, *spatial_sizes)
    how = {**fields_of(windows), "dilations": windows.dilations}
    forward = dml.MaxPooling2(input_tensor=floats(*sizes), **how)
    backward = dml.MaxPoolingGrad(input_tensor=floats(*sizes), input_gradient_tensor=forward.output_tensor, **how)
    numbers = np.random.default_rng(random.randrange(2**32))
    x, y = numbers.integers(-4, 5, sizes), numbers.integers(-4, 5, forward.output_tensor.sizes)
    there = run(forward, device, input_tensor=x)
    back = run(backward, device, input_tensor=x, input_gradient_tensor=y)
    assert inner(np.where(np.isinf(there), 0, there), y) == inner(x, back)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("index_type", ["UINT32", "UINT64"])
def test_max_unpooling__ignores_indices_outside(index_type: str, device: str) -> None:
    operator = dml.MaxUnpooling(
        input_tensor=tensor("INT16", 1, 1, 1, 5),
        indices_tensor=tensor(index_type, 1, 1, 1, 5),
        output_tensor=tensor("INT16", 1, 1, 2, 2),
    )
    highest = 2 ** int(index_type[4:]) - 1
    places = np.array([3, 4, highest, 0, 3], index_type.lower()).reshape(1, 1, 1, 5)
    found = run(operator, device, input_tensor=[[[[1, 2, 3, 4, 5]]]], indices_tensor=places)
    assert found.ravel().tolist() == [4, 0, 0, 5]


def test_max_unpooling__inverts_pooling_without_overlap() -> None:
    x = np.random.default_rng(1).permutation(64).reshape(1, 2, 4, 8) + 1
    pool = dml.MaxPooling1(
        input_tensor=floats(*x.shape), output_indices_tensor=True, window_size=[2, 2], strides=[2, 2]
    )
    found = run_all(pool, input_tensor=x)
    back = dml.MaxUnpooling(
        input_tensor=pool.output_tensor, indices_tensor=pool.output_indices_tensor, output_tensor=floats(*x.shape)
    )
    spread = run(back, input_tensor=found["output_tensor"], indices_tensor=found["output_indices_tensor"])
    assert np.count_nonzero(spread) == found["output_tensor"].size
    assert np.array_equal(spread[spread != 0], x[spread != 0])


@pytest.mark.parametrize("device", DEVICES)
def test_windows__longer_than_memory_are_walked_where_they_meet_the_input(device: str) -> None:
    far = 2**31
    how: dict[str, Any] = {"window_size": [1, far], "start_padding": [0, far - 2], "end_padding": [0, 0]}
    row = [[[[3, 9, 11]]]]
    image = floats(1, 1, 1, 3)
    average = dml.AveragePooling(input_tensor=image, include_padding=False, **how)
    assert run(average, device, input_tensor=row).ravel().tolist() == [6, pytest.approx(23 / 3)]
    norm = dml.LpPooling(input_tensor=image, p=1, **how)
    assert run(norm, device, input_tensor=row).ravel().tolist() == [12, 23]
    places = dml.MaxPooling1(input_tensor=image, output_indices_tensor=True, **how)
    assert run_all(places, device, input_tensor=row)["output_indices_tensor"].ravel().tolist() == [1, 2]
    gradient = dml.MaxPoolingGrad(input_tensor=image, input_gradient_tensor=floats(1, 1, 1, 2), **how, dilations=[1, 1])
    assert run(gradient, device, input_tensor=row, input_gradient_tensor=[[[[5, 7]]]]).ravel().tolist() == [0, 5, 7]


@pytest.mark.parametrize("device", DEVICES)
def test_windows__of_one_element_that_skip_elements_are_not_the_input(device: str) -> None:
    """As many windows as elements, but the second one lies in the padding."""
    operator = dml.MaxPooling1(
        input_tensor=floats(1, 1, 1, 2),
        output_indices_tensor=True,
        window_size=[1, 1],
        strides=[1, 2],
        end_padding=[0, 2],
    )
    found = run_all(operator, device, input_tensor=[[[[5, 7]]]])
    assert found["output_tensor"].ravel().tolist() == [5, -math.inf]


def test_quantized_average__padding_is_a_real_0() -> None:
    """Not the number that is stored as 0."""
    operator = dml.QuantizedLinearAveragePooling(
        input_tensor=tensor("UINT8", 1, 1, 1, 2),
        input_scale_tensor=floats(1),
        input_zero_point_tensor=tensor("UINT8", 1),
        output_scale_tensor=floats(1),
        output_tensor=tensor("UINT8", 1, 1, 1, 3),
        window_size=[1, 2],
        start_padding=[0, 1],
        end_padding=[0, 1],
        include_padding=True,
    )
    for device in DEVICES:
        found = run(
            operator,
            device,
            input_tensor=[[[[110, 130]]]],
            input_scale_tensor=[1],
            input_zero_point_tensor=[100],
            output_scale_tensor=[1],
        )
        assert found.ravel().tolist() == [5, 20, 15]


@pytest.mark.parametrize("device", DEVICES)
def test_quantized_average__a_scale_of_0_or_nan_saturates_or_gives_0(device: str) -> None:
    operator = dml.QuantizedLinearAveragePooling(
        input_tensor=tensor("INT8", 1, 3, 1, 1),
        input_scale_tensor=floats(1),
        output_scale_tensor=floats(1, 3, 1, 1),
        output_tensor=tensor("INT8", 1, 3, 1, 1),
        window_size=[1, 1],
        include_padding=True,
    )
    x, scales = np.array([7, -7, 7]).reshape(1, 3, 1, 1), np.array([0, 0, math.nan]).reshape(1, 3, 1, 1)
    found = run(operator, device, input_tensor=x, input_scale_tensor=[1], output_scale_tensor=scales)
    assert found.ravel().tolist() == [127, -128, 0]
