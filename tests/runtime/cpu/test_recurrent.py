"""Recurrent networks agree with their definitions, in any number of threads, without memory for each time."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import anydml as dml
from anydml.runtime.cpu.contraction.repeated import Repeated, repeat
from anydml.runtime.native import llvm
from tests.runtime.cpu.machines import MACHINES, machine
from tests.runtime.cpu.recurrent import GATES, TOLERANCE, Network, largest_difference, network, run
from tests.runtime.cpu.support import assert_threads_change_no_bit

TYPES = ("FLOAT32", "FLOAT32", "FLOAT16")
needs_llvm = pytest.mark.skipif(not llvm.is_available(), reason="no llvmlite")


def check(found: Network, data_type: str) -> None:
    difference = largest_difference(run(found, "cpu"), run(found, "reference"))
    assert difference <= TOLERANCE[data_type], f"{found.operator}: {difference}"


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("seed", range(24))
def test_network__agrees_with_its_definition(kind: str, seed: int) -> None:
    check(network(Random(f"{kind} {seed}"), kind, TYPES[seed % 3]), TYPES[seed % 3])


@needs_llvm
@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("kind", GATES)
def test_machines__agree_with_the_definition(monkeypatch: pytest.MonkeyPatch, name: str, kind: str) -> None:
    with machine(monkeypatch, name):
        for seed in range(3):
            check(network(Random(f"{name} {kind} {seed}"), kind), "FLOAT32")


@pytest.mark.parametrize("kind", GATES)
def test_threads__give_the_same_bits(kind: str) -> None:
    found = _network_of(kind, times=3, batch=2, hidden=150)
    assert_threads_change_no_bit(lambda: run(found, "cpu"))


def _network_of(kind: str, times: int, batch: int, hidden: int) -> Network:
    sizes = {
        "input_tensor": (1, times, batch, 7),
        "weight_tensor": (1, 1, GATES[kind] * hidden, 7),
        "recurrence_tensor": (1, 1, GATES[kind] * hidden, hidden),
    }
    activations = {"RNN": ["TANH"], "GRU": ["SIGMOID", "TANH"], "LSTM": ["SIGMOID", "TANH", "TANH"]}[kind]
    options: dict[str, object] = {"GRU": {"linear_before_reset": False}, "LSTM": _LSTM_OPTIONS}.get(kind, {})
    operator = getattr(dml, kind.title())(
        **{name: dml.TensorDesc("FLOAT32", size) for name, size in sizes.items()},
        output_sequence_tensor=dml.TensorDesc("FLOAT32", [times, 1, batch, hidden]),
        output_single_tensor=None,
        activation_descs=[{"Type": name} for name in activations],
        direction="FORWARD",
        **options,
    )
    generator = np.random.default_rng(5)
    given = {name: (generator.standard_normal(size) * 0.1).astype(np.float32) for name, size in sizes.items()}
    return Network(operator, given, ("output_sequence_tensor",), 0)


_LSTM_OPTIONS = {
    "clip_threshold": 0.0,
    "use_clip_threshold": False,
    "couple_input_forget": False,
    "output_cell_single_tensor": None,
}


@needs_llvm
@pytest.mark.parametrize("kind", GATES)
def test_plan__grows_by_the_weighted_inputs_alone(kind: str) -> None:
    """A time more takes the memory of its weighted inputs, and no step more."""
    plans = [dml.Device().compile(_network_of(kind, times, 1, 32).operator).plan for times in (16, 32)]
    assert len(plans[0].steps) == len(plans[1].steps)
    assert "program" not in plans[0].describe()
    growth = plans[1].temporary_size_in_bytes - plans[0].temporary_size_in_bytes
    assert growth == 16 * GATES[kind] * 32 * 4


@needs_llvm
def test_long_network__is_right_at_its_end() -> None:
    found = _network_of("GRU", 300, 1, 20)
    assert largest_difference(run(found, "cpu"), run(found, "reference")) <= TOLERANCE["FLOAT32"]


@needs_llvm
def test_repeated__refuses_what_does_not_move_evenly() -> None:
    plan = dml.Device().compile(_network_of("RNN", 4, 1, 8).operator).plan
    (step,) = (step for step in plan.steps if isinstance(step, Repeated))
    assert len(step.tasks()) == 4 * len(step.first)
    uneven = Repeated(step.first, step.second, step.second, step.count)
    with pytest.raises(RuntimeError, match="evenly"):
        uneven.tasks()
    assert repeat(lambda _: step.first, 1) == list(step.first)


def test_largest_difference__is_found() -> None:
    found = run(network(Random("difference"), "LSTM"), "reference")
    assert largest_difference(found, found) == 0
    name = next(iter(found))
    wrong = {**found, name: found[name] + np.float32(0.5)}
    assert largest_difference(wrong, found) > 0.4
    wrong[name].flat[0] = np.nan
    assert largest_difference(wrong, found) == float("inf")
