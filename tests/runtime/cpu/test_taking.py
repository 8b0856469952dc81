"""What is read where data says agrees with the definitions, bit for bit, and is never read outside."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import anydml as dml
from anydml.runtime.native import llvm
from tests.runtime.cpu.machines import MACHINES, machine
from tests.runtime.cpu.products import run
from tests.runtime.cpu.support import assert_threads_change_no_bit
from tests.runtime.cpu.taking import MAKERS

needs_llvm = pytest.mark.skipif(not llvm.is_available(), reason="no llvmlite")


@pytest.mark.parametrize("seed", range(80))
@pytest.mark.parametrize("name", MAKERS)
def test_taken__agrees_with_its_definition(name: str, seed: int) -> None:
    trial = MAKERS[name](Random(f"{name} {seed}"))
    found, wanted = run(trial, "cpu"), run(trial, "reference")
    assert found.tobytes() == wanted.tobytes(), trial.operator


@needs_llvm
@pytest.mark.parametrize("name", MAKERS)
def test_taken__is_machine_code(name: str) -> None:
    for seed in range(8):
        plan = dml.Device().compile(MAKERS[name](Random(f"{name} {seed}")).operator).plan
        assert "program" not in plan.describe()


@needs_llvm
@pytest.mark.parametrize("name", MACHINES)
def test_machines__agree_with_the_definition(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with machine(monkeypatch, name):
        for seed in range(8):
            for make in MAKERS.values():
                trial = make(Random(f"machine {seed}"))
                assert run(trial, "cpu").tobytes() == run(trial, "reference").tobytes(), trial.operator


def test_rows_of_a_table__are_the_same_for_any_number_of_threads() -> None:
    generator = np.random.default_rng(1)
    table = generator.standard_normal((500, 700), np.float32)
    places = generator.integers(-500, 500, (1, 900)).astype(np.int64)
    operator = dml.Gather(
        input_tensor=dml.TensorDesc("FLOAT32", table.shape),
        indices_tensor=dml.TensorDesc("INT64", places.shape),
        output_tensor=dml.TensorDesc("FLOAT32", (900, 700)),
        axis=0,
        index_dimensions=1,
    )
    compiled = dml.Device().compile(operator)
    assert np.array_equal(compiled(table, places), table[places[0]])
    assert_threads_change_no_bit(lambda: compiled(table, places))


def test_what_follows__is_made_of_what_is_taken() -> None:
    """A graph that takes rows, and adds to them: one element after another outside is the nearest one."""
    table = np.arange(12, dtype=np.float32).reshape(4, 3)
    places = np.array([[3, 0, 9, -1, -9]], np.int32)
    taken = dml.Gather(
        input_tensor=dml.TensorDesc("FLOAT32", (4, 3)),
        indices_tensor=dml.TensorDesc("INT32", (1, 5)),
        output_tensor=dml.TensorDesc("FLOAT32", (5, 3)),
        axis=0,
        index_dimensions=1,
    )
    doubled = dml.ElementWiseIdentity(
        input_tensor=dml.TensorDesc("FLOAT32", (5, 3)), scale_bias={"Scale": 2.0, "Bias": 1.0}
    )
    graph = dml.Graph([taken, doubled], [(0, 0, 0), (1, 0, 1)], [(1, 0, 0)], [(0, 0, 1, 0)])
    found = dml.Device().compile_graph(graph)(table, places)
    assert np.array_equal(found, table[[3, 0, 3, 3, 0]] * 2 + 1)
