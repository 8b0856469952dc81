"""Gathers, scatters, codes, orders and random bits where cases do not reach: hostile indices and values."""

from __future__ import annotations

import json
import math
from random import Random
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.frontends.dxdispatch import parse_model
from anydml.operators import random_bits
from tests.operators.guarded import assert_guards, floats, run, run_all, tensor
from tests.operators.memory import DEVICES, place, snapshot
from tests.oracle.philox import words

SIGNED, UNSIGNED = ("INT32", "INT64"), ("UINT32", "UINT64")


def extremes(data_type: str) -> list[int]:
    """Indices that no tensor has."""
    limits = np.iinfo(data_type.lower())
    return [int(limits.max), int(limits.max) - 1, int(limits.min)] if data_type in SIGNED else [int(limits.max)]


def test_assert_guards__can_fail() -> None:
    placed = place(floats(2), Random(0))
    before = snapshot(placed)
    assert_guards(placed, before)
    placed.memory[-1] ^= 1
    with pytest.raises(AssertionError):
        assert_guards(placed, before)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("index_type", SIGNED + UNSIGNED)
def test_gathers__take_the_nearest_element_for_indices_outside(index_type: str, device: str) -> None:
    outside = extremes(index_type)
    expected = [10 if index < 0 else 30 for index in outside]
    count = len(outside)
    gather = dml.Gather(input_tensor=floats(3), indices_tensor=tensor(index_type, count), axis=0, index_dimensions=1)
    elements = dml.GatherElements(input_tensor=floats(3), indices_tensor=tensor(index_type, count), axis=0)
    tuples = dml.GatherNd1(
        input_tensor=floats(1, 3),
        indices_tensor=tensor(index_type, count, 1),
        input_dimension_count=1,
        indices_dimension_count=2,
        batch_dimension_count=0,
    )
    places = np.array(outside, index_type.lower())
    for operator in (gather, elements, tuples):
        shaped = places.reshape(operator.indices_tensor.sizes)
        x = np.array([10, 20, 30]).reshape(operator.input_tensor.sizes)
        assert run(operator, device, input_tensor=x, indices_tensor=shaped).ravel().tolist() == expected


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("index_type", SIGNED + UNSIGNED)
def test_scatters__ignore_indices_outside(index_type: str, device: str) -> None:
    outside = [*extremes(index_type), 3, *([-4] if index_type in SIGNED else []), 1]
    count = len(outside)
    elements = dml.ScatterElements(
        input_tensor=floats(3), indices_tensor=tensor(index_type, count), updates_tensor=floats(count), axis=0
    )
    tuples = dml.ScatterNd(
        input_tensor=floats(1, 3),
        indices_tensor=tensor(index_type, count, 1),
        updates_tensor=floats(1, count),
        input_dimension_count=1,
        indices_dimension_count=2,
    )
    places, updates = np.array(outside, index_type.lower()), np.arange(count) + 100
    for operator in (elements, tuples):
        found = run(
            operator,
            device,
            input_tensor=np.array([10, 20, 30]).reshape(operator.input_tensor.sizes),
            indices_tensor=places.reshape(operator.indices_tensor.sizes),
            updates_tensor=updates.reshape(operator.updates_tensor.sizes),
        )
        assert found.ravel().tolist() == [10, 100 + count - 1, 30]


@pytest.mark.parametrize("device", DEVICES)
def test_scatter_nd__a_tuple_with_one_index_outside_is_ignored(device: str) -> None:
    """Its other indices, which would name an element of another row, do not count."""
    operator = dml.ScatterNd(
        input_tensor=floats(2, 2),
        indices_tensor=tensor("INT32", 3, 2),
        updates_tensor=floats(1, 3),
        input_dimension_count=2,
        indices_dimension_count=2,
    )
    places = [[0, 2], [-3, 1], [-1, -2]]
    found = run(operator, device, input_tensor=np.zeros((2, 2)), indices_tensor=places, updates_tensor=[[1, 2, 3]])
    assert found.tolist() == [[0, 0], [3, 0]]


@pytest.mark.parametrize("device", DEVICES)
def test_scatters__of_two_updates_of_one_element_the_last_stays(device: str) -> None:
    count = 1000
    elements = dml.ScatterElements(
        input_tensor=floats(2), indices_tensor=tensor("UINT32", count), updates_tensor=floats(count), axis=0
    )
    places = np.arange(count) % 2
    found = run(
        elements, device, input_tensor=[0, 0], indices_tensor=places, updates_tensor=np.arange(count, dtype="f4")
    )
    assert found.tolist() == [count - 2, count - 1]


def test_gather__undoes_scatter() -> None:
    numbers = np.random.default_rng(3)
    sizes, axis = (3, 5, 4), 1
    places = np.argsort(numbers.random(sizes), axis=axis).astype("i8")
    updates = numbers.random(sizes, "f4")
    scatter = dml.ScatterElements(
        input_tensor=floats(*sizes), indices_tensor=tensor("INT64", *sizes), updates_tensor=floats(*sizes), axis=axis
    )
    gather = dml.GatherElements(input_tensor=floats(*sizes), indices_tensor=tensor("INT64", *sizes), axis=axis)
    spread = run(scatter, input_tensor=np.zeros(sizes), indices_tensor=places, updates_tensor=updates)
    assert np.array_equal(run(gather, input_tensor=spread, indices_tensor=places), updates)


def test_scatter__is_an_older_name_of_scatter_elements() -> None:
    assert dml.Scatter is dml.ScatterElements
    fields = {
        "InputTensor": {"DataType": "FLOAT32", "Sizes": [3]},
        "IndicesTensor": {"DataType": "UINT32", "Sizes": [2]},
        "UpdatesTensor": {"DataType": "FLOAT32", "Sizes": [2]},
        "OutputTensor": {"DataType": "FLOAT32", "Sizes": [3]},
        "Axis": 0,
    }
    for name in ("SCATTER", "DML_OPERATOR_SCATTER", "DML_OPERATOR_SCATTER_ELEMENTS"):
        text = json.dumps({"resources": {}, "dispatchables": {"s": {"type": name, "desc": fields}}, "commands": []})
        model = parse_model(text)
        assert model.dispatchables["s"].operator.dml_type == "SCATTER_ELEMENTS"


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("index_type", SIGNED + UNSIGNED)
def test_one_hot__extreme_indices_give_no_place(index_type: str, device: str) -> None:
    outside = extremes(index_type)
    operator = dml.OneHot(
        indices_tensor=tensor(index_type, len(outside), 1),
        values_tensor=floats(1, 2),
        output_tensor=floats(len(outside), 3),
        axis=1,
    )
    places = np.array(outside, index_type.lower()).reshape(-1, 1)
    assert not run(operator, device, indices_tensor=places, values_tensor=[[0, 1]]).any()


@pytest.mark.parametrize("device", DEVICES)
def test_nonzero__rows_after_the_last_are_0(device: str) -> None:
    operator = dml.NonzeroCoordinates(input_tensor=floats(2, 3))
    assert operator.output_coordinates_tensor.sizes == (6, 2) and operator.output_count_tensor.sizes == (1, 1)
    found = run_all(operator, device, input_tensor=[[0, math.nan, -0.0], [0, 0, -1]])
    assert found["output_count_tensor"].item() == 2
    assert found["output_coordinates_tensor"].tolist() == [[0, 1], [1, 2], [0, 0], [0, 0], [0, 0], [0, 0]]


# Orders


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("data_type", ["FLOAT32", "FLOAT16"])
def test_top_k__nan_is_larger_than_every_number(data_type: str, device: str) -> None:
    row = [1, math.nan, math.inf, -math.inf, math.nan, 1]
    expected = {"DECREASING": [1, 4, 2, 0, 5, 3], "INCREASING": [3, 0, 5, 2, 1, 4]}
    for direction, places in expected.items():
        operator = dml.TopK1(input_tensor=tensor(data_type, 6), axis=0, k=6, axis_direction=direction)
        found = run_all(operator, device, input_tensor=row)
        assert found["output_index_tensor"].tolist() == places
        assert np.array_equal(found["output_value_tensor"], np.array(row, "f4")[places], equal_nan=True)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("data_type", ["INT64", "UINT64"])
def test_top_k__tells_64_bit_integers_apart(data_type: str, device: str) -> None:
    """Numbers that are equal as floats."""
    limits = np.iinfo(data_type.lower())
    row = np.array([limits.max - 2, limits.max, limits.max - 1, limits.min], data_type.lower())
    operator = dml.TopK1(input_tensor=tensor(data_type, 4), axis=0, k=3, axis_direction="DECREASING")
    assert run_all(operator, device, input_tensor=row)["output_index_tensor"].tolist() == [1, 2, 0]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("cls", "first", "last"), [(dml.Argmin, 1, 3), (dml.Argmax, 1, 3)])
def test_arguments__find_nan_before_every_number(cls: Any, first: int, last: int, device: str) -> None:
    row = [1, math.nan, -math.inf, math.nan, math.inf]
    for direction, place_found in (("INCREASING", first), ("DECREASING", last)):
        operator = cls(input_tensor=floats(5), axes=[0], axis_direction=direction)
        assert run(operator, device, input_tensor=row).item() == place_found


@pytest.mark.parametrize("device", DEVICES)
def test_arguments__over_no_axes_are_0(device: str) -> None:
    operator = dml.Argmax(input_tensor=floats(3), axes=[], axis_direction="DECREASING")
    assert run(operator, device, input_tensor=[3, 1, 2]).tolist() == [0, 0, 0]


# Generators


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("offset", [-(2**31), 2**31 - 1, -3, 4])
def test_diagonal_matrix__beyond_the_matrix_is_empty(offset: int, device: str) -> None:
    operator = dml.DiagonalMatrix(output_tensor=tensor("INT8", 3, 4), offset=offset, value=7)
    assert not run(operator, device).any()


@pytest.mark.parametrize("device", DEVICES)
def test_diagonal_matrix1__an_end_before_the_begin_fills_all_but_the_band(device: str) -> None:
    def filled(begin: int, end: int) -> Any:
        operator = dml.DiagonalMatrix1(
            output_tensor=tensor("UINT8", 3, 4),
            value_data_type="UINT8",
            value=1,
            diagonal_fill_begin=begin,
            diagonal_fill_end=end,
        )
        return run(operator, device)

    lowest, highest = -(2**31), 2**31 - 1
    assert (filled(2, -1) == 1 - filled(-1, 2)).all()
    assert not filled(1, 1).any() and filled(lowest, highest).all()
    assert np.array_equal(filled(lowest, 1), np.tril(np.ones((3, 4), np.uint8)))


@pytest.mark.parametrize("device", DEVICES)
def test_random_generator__is_one_stream_over_all_its_blocks(device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many blocks are computed at once, and where the counter carries into its next word between them."""
    monkeypatch.setattr(random_bits, "_MOST_BLOCKS", 3)
    state = [2**32 - 4, 2**32 - 1, 5, 0, 123, 456]
    operator = dml.RandomGenerator(
        input_state_tensor=tensor("UINT32", 6), output_tensor=tensor("UINT32", 5, 7), output_state_tensor=True
    )
    found = run_all(operator, device, input_state_tensor=state)
    expected, after = words(state, 35)
    assert found["output_tensor"].ravel().tolist() == expected
    assert found["output_state_tensor"].tolist() == after
