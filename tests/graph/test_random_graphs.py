"""Whatever passes run, a graph leaves the same bytes, and nothing outside its outputs' elements changes."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.graph.lower import lower
from anydml.graph.passes import PASSES, Passes
from anydml.graph.passes.memory import lower_bound
from tests.graph.generate import random_graph, values_of
from tests.operators.memory import Placed, place, place_filled

GRAPHS = 150
CHOICES = {
    "all": Passes(),
    "none": Passes.none(),
    **{f"only {each.name}": Passes.only(each.name) for each in PASSES},
    **{f"without {each.name}": Passes.without(each.name) for each in PASSES},
}


def inputs_of(descs: list[dml.TensorDesc], random: Random) -> list[Placed]:
    placed = []
    for desc in descs:
        values = np.asarray(values_of(desc, random))
        placed.append(place_filled(desc, random, {i: values[i].item() for i in np.ndindex(*desc.sizes)}))
    return placed


def run(compiled: dml.CompiledOperator, inputs: list[Placed], noise: list[Placed]) -> list[Any]:
    """The whole memory of every output, guards included, after a run; inputs do not change."""
    before = [placed.memory.copy() for placed in inputs]
    outputs = [Placed(placed.desc, placed.memory.copy()) for placed in noise]
    compiled(*(placed.buffer for placed in (*inputs, *outputs)))
    for placed, old in zip(inputs, before, strict=True):
        assert np.array_equal(placed.memory, old)
    for placed, old in zip(outputs, noise, strict=True):
        restored = placed.with_values(old.values(raw=True), raw=True)
        assert np.array_equal(restored, old.memory), "a byte between elements was written"
    return [placed.memory for placed in outputs]


@pytest.mark.parametrize("seed", range(GRAPHS))
def test_passes__leave_the_same_bytes(seed: int) -> None:
    random = Random(f"graph {seed}")
    graph, descs = random_graph(random, random.randint(2, 12))
    inputs = inputs_of(descs, random)
    reference = dml.Device("reference").compile_graph(graph)
    noise = [place(port.tensor, random) for port in reference.outputs if port.tensor is not None]
    expected = run(reference, inputs, noise)
    names = ["all", "none", *random.sample(sorted(CHOICES), 4)] if seed >= 60 else list(CHOICES)
    for name in names:
        found = run(dml.Device().compile_graph(graph, passes=CHOICES[name]), inputs, noise)
        for i, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
            assert np.array_equal(mine, theirs), f"output {i} with passes: {name}\n{graph.describe()}"


@pytest.mark.parametrize("seed", range(60))
def test_memory__is_close_to_what_must_live_at_once(seed: int) -> None:
    random = Random(f"memory {seed}")
    graph, _ = random_graph(random, 20)
    for passes in (Passes.none(), Passes()):
        plan = passes.run(lower(graph))
        assert lower_bound(plan) <= plan.temporary_size_in_bytes <= 1.2 * lower_bound(plan)


def test_comparison__can_fail() -> None:
    """A byte outside the elements, and a wrong element, are both noticed."""
    random = Random(1)
    desc = dml.TensorDesc("FLOAT32", [2, 2], [4, 1])
    operator = dml.ActivationRelu(input_tensor=desc, output_tensor=desc)
    inputs, noise = inputs_of([desc], random), [place(desc, random)]

    class Careless:
        def __call__(self, source: Any, target: Any) -> None:
            target[8] ^= 1  # between the rows

    with pytest.raises(AssertionError, match="between elements"):
        run(Careless(), inputs, noise)  # type: ignore[arg-type]
    right = run(dml.Device().compile(operator), inputs, noise)
    assert not np.array_equal(right[0], noise[0].memory)
