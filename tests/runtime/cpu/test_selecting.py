"""The best elements of rows, and their places, are those that sorting finds."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.runtime.cpu.selecting import FEW, MOST_HELD
from anydml.runtime.native import llvm
from tests.runtime.cpu.machines import MACHINES, machine
from tests.runtime.cpu.products import Array, Trial, buffer, elements_alone
from tests.runtime.cpu.support import assert_threads_change_no_bit
from tests.runtime.cpu.taking import top_k

needs_llvm = pytest.mark.skipif(not llvm.is_available(), reason="no llvmlite")
OUTPUTS = ("output_value_tensor", "output_index_tensor")


def run(trial: Trial, device: str) -> list[Array]:
    """Values and places; no byte but their elements may change."""
    operator = trial.operator
    source, _ = buffer(operator.input_tensor, trial.shift, 0)
    operator.input_tensor.view(source)[...] = trial.inputs["input_tensor"]
    written = {name: buffer(getattr(operator, name), trial.shift, 0xCD) for name in OUTPUTS}
    dml.Device(device).compile(operator)(input_tensor=source, **{name: data for name, (data, _) in written.items()})
    return [elements_alone(getattr(operator, name), *pair, 0xCD) for name, pair in written.items()]


def check(trial: Trial) -> None:
    (values, places), (right, right_places) = run(trial, "cpu"), run(trial, "reference")
    assert np.array_equal(places, right_places), trial.operator
    assert np.array_equal(values, right, equal_nan=values.dtype.kind == "f"), trial.operator


@pytest.mark.parametrize("seed", range(150))
def test_best__are_those_that_sorting_finds(seed: int) -> None:
    check(top_k(Random(f"best {seed}")))


@needs_llvm
@pytest.mark.parametrize("name", MACHINES)
def test_machines__agree_with_the_definition(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with machine(monkeypatch, name):
        for seed in range(20):
            check(top_k(Random(f"best on machine {seed}")))


def _operator(rows: int, columns: int, count: int, **options: Any) -> dml.TopK1:
    tensor = dml.TensorDesc("FLOAT32", (rows, columns))
    return dml.TopK1(input_tensor=tensor, axis=1, k=count, axis_direction="DECREASING", **options)


@needs_llvm
@pytest.mark.parametrize(
    ("count", "is_sorted"), [(1, False), (MOST_HELD, False), (MOST_HELD + 1, True), (FEW + 1, True)]
)
def test_few__are_found_by_machine_code(count: int, is_sorted: bool) -> None:
    columns = 100 if count == FEW + 1 else 2000
    plan = dml.Device().compile(_operator(3, columns, count)).plan
    assert ("program" in plan.describe()) == is_sorted


@pytest.mark.parametrize("step", [1, -1])
def test_rows_in_order__and_against_it(step: int) -> None:
    x = np.tile(np.arange(3000, dtype=np.float32)[::step], (5, 1))
    values, places = dml.Device().compile(_operator(5, 3000, 20))(x)
    wanted = np.arange(20) if step < 0 else 2999 - np.arange(20)
    assert np.array_equal(places, np.tile(wanted, (5, 1)))
    assert np.array_equal(values, np.tile(2999 - np.arange(20), (5, 1)))


def test_threads__give_the_same_bits() -> None:
    x = np.random.default_rng(3).integers(0, 50, (300, 1000)).astype(np.float32)
    compiled = dml.Device().compile(_operator(300, 1000, 12))
    assert_threads_change_no_bit(lambda: compiled(x))


@pytest.mark.parametrize("data_type", ["FLOAT32", "FLOAT16", "INT8", "UINT64"])
def test_what_follows__is_made_of_values_and_places(data_type: str) -> None:
    """Conversions that follow become a part of what stores the results."""
    x = np.random.default_rng(5).permutation(400).astype(np.float32).reshape(2, 200)
    wanted = dml.TensorDesc(data_type, (2, 7))
    best = _operator(2, 200, 7)
    casts = [
        dml.Cast(input_tensor=dml.TensorDesc(kind, (2, 7)), output_tensor=wanted) for kind in ("FLOAT32", "UINT32")
    ]
    graph = dml.Graph([best, *casts], [(0, 0, 0)], [(1, 0, 0), (2, 0, 1)], [(0, 0, 1, 0), (0, 1, 2, 0)])
    found, right = (dml.Device(device).compile_graph(graph)(x) for device in ("cpu", "reference"))
    assert all(map(np.array_equal, found, right))
