"""UNFOLD and FOLD by their laws: adjoints of each other, and what convolutions are made of."""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import anydml as dml
from tests.operators.guarded import floats, inner, run, tensor
from tests.operators.layouts import randoms
from tests.operators.memory import DEVICES


def random_unfold(random: Random, data_type: str = "FLOAT32") -> tuple[dml.Unfold, dict[str, Any]]:
    """Windows over 1 to 6 dimensions, some of padding alone."""
    while True:
        spatial = random.randint(1, 6)
        sizes = [random.randint(1, 5 if spatial < 4 else 2) for _ in range(spatial)]
        how = {
            "window_sizes": [random.randint(1, 3 if spatial < 4 else 2) for _ in sizes],
            "strides": [random.randint(1, 3) for _ in sizes],
            "dilations": [random.randint(1, 3) for _ in sizes],
            "start_padding": [random.randint(0, 2) for _ in sizes],
            "end_padding": [random.randint(0, 2) for _ in sizes],
        }
        try:
            operator = dml.Unfold(input_tensor=tensor(data_type, random.randint(1, 2), 2, *sizes), **how)
        except dml.InvalidDescriptionError:
            continue  # a window longer than the padded input
        if prod(operator.output_tensor.sizes) < 5000:
            return operator, how


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=35)
@given(random=randoms)
def test_fold__is_the_adjoint_of_unfold(device: str, random: Random) -> None:
    """<unfold(x), y> == <x, fold(y)>."""
    unfold, how = random_unfold(random)
    fold = dml.Fold(input_tensor=unfold.output_tensor, output_tensor=unfold.input_tensor, **how)
    numbers = np.random.default_rng(random.randrange(2**32))
    x, y = (numbers.integers(-4, 5, desc.sizes) for desc in (unfold.input_tensor, unfold.output_tensor))
    assert inner(run(unfold, device, input_tensor=x), y) == inner(x, run(fold, device, input_tensor=y))


def test_fold__keeps_low_bits_of_integers() -> None:
    unfold = dml.Unfold(input_tensor=tensor("UINT8", 1, 1, 3), window_sizes=[3], start_padding=[2], end_padding=[2])
    fold = dml.Fold(
        input_tensor=unfold.output_tensor,
        output_tensor=unfold.input_tensor,
        window_sizes=[3],
        start_padding=[2],
        end_padding=[2],
    )
    columns = run(unfold, input_tensor=[[[100, 1, 2]]])
    assert run(fold, input_tensor=columns).tolist() == [[[300 % 256, 3, 6]]]


def test_unfold__columns_times_a_filter_are_a_convolution() -> None:
    numbers = np.random.default_rng(11)
    x, weights = numbers.integers(-4, 5, (2, 3, 6, 5)), numbers.integers(-4, 5, (4, 3, 3, 2))
    how = {"strides": [2, 1], "dilations": [1, 2], "start_padding": [1, 0], "end_padding": [2, 1]}
    unfold = dml.Unfold(input_tensor=floats(*x.shape), window_sizes=[3, 2], **how)
    convolution = dml.Convolution(input_tensor=floats(*x.shape), filter_tensor=floats(*weights.shape), **how)
    product = weights.reshape(4, -1) @ run(unfold, input_tensor=x)
    expected = run(convolution, input_tensor=x, filter_tensor=weights)
    assert np.array_equal(product.reshape(expected.shape), expected)


def test_fold__needs_the_image_described() -> None:
    with pytest.raises(dml.InvalidDescriptionError, match=r"output\.infer"):
        dml.Fold(
            input_tensor=floats(1, 4, 9),
            window_sizes=[2, 2],
            strides=[1, 1],
            dilations=[1, 1],
            start_padding=[0, 0],
            end_padding=[0, 0],
        )
