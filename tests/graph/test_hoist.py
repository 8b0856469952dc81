"""Hoisting: all that can be known before a plan runs is computed once, however deep it lies."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import anydml as dml
from anydml.core.datatype import DataType
from anydml.core.expression import load
from anydml.core.steps import Access, Nest, Store
from anydml.graph.passes.hoist import hoist
from anydml.graph.plan import Plan, Slot, SlotKind, reads, writes

KNOWN = (SlotKind.CONSTANT, SlotKind.PERSISTENT)


def copy(sources: list[int], targets: list[int]) -> Nest:
    loads = tuple(Access(slot, DataType.FLOAT32, (1,)) for slot in sources)
    value = load(0, np.dtype(np.float32))
    return Nest((1,), loads, tuple(Store(Access(slot, DataType.FLOAT32, (1,)), value) for slot in targets))


def random_plan(random: Random) -> Plan:
    """Steps that each read what was written before; some write to a tensor that others write, too."""
    slots = [Slot(random.choice((SlotKind.CONSTANT, SlotKind.CONSTANT, SlotKind.INPUT)), 4) for _ in range(4)]
    steps: list[Nest] = []
    was_read: set[int] = set()
    for _ in range(random.randint(1, 25)):
        sources = random.sample(range(len(slots)), random.choice((1, 1, 2)))
        was_read |= set(sources)
        open_slots = sorted(set(range(4, len(slots))) - (was_read if random.random() < 0.8 else set()))
        targets = {random.choice(open_slots)} if open_slots and random.random() < 0.3 else set()
        for _ in range(random.choice((0, 1)) if targets else random.choice((1, 2))):
            slots.append(Slot(random.choice((SlotKind.TEMPORARY,) * 8 + (SlotKind.OUTPUT,)), 4))
            targets.add(len(slots) - 1)
        steps.append(copy(sources, sorted(targets)))
    return Plan(tuple(slots), tuple(steps))


def largest(plan: Plan) -> list[Nest]:
    """All steps, less those that cannot be known, until the rest can."""
    kept, fewer = set[int](), set(range(len(plan.steps)))
    while kept != fewer:
        kept, fewer = fewer, {n for n in fewer if can_be_known(plan, n, fewer)}
    return [step for n, step in enumerate(plan.steps) if n in kept]  # type: ignore[misc]


def can_be_known(plan: Plan, number: int, kept: set[int]) -> bool:
    written, read = writes(plan.steps[number]), reads(plan.steps[number])
    by_kept = all(set(plan.writers[slot]) <= kept for slot in written)
    known = all(plan.slots[s].kind in KNOWN or set(plan.writers.get(s, [-1])) <= kept for s in read)
    unchanged = all(max(plan.writers[s]) < n for s in written for n in plan.readers.get(s, []))
    return by_kept and known and unchanged and all(plan.slots[s].kind is SlotKind.TEMPORARY for s in written)


@pytest.mark.parametrize("seed", range(200))
def test_hoist__is_all_that_can_be_known(seed: int) -> None:
    plan = random_plan(Random(f"hoist {seed}"))
    expected = largest(plan)
    found = hoist(plan)
    assert list(found.initialize) == expected
    assert len(found.steps) + len(found.initialize) == len(plan.steps)


def test_hoist__of_a_long_chain() -> None:
    """Each step is known only when the one before is."""
    tensor = dml.TensorDesc("FLOAT32", [4])
    soft = dml.ActivationSoftmax(input_tensor=tensor, output_tensor=tensor)
    add = dml.ElementWiseAdd(a_tensor=tensor, b_tensor=tensor, output_tensor=tensor)
    count = 300
    edges = [*((n, 0, n + 1, 0) for n in range(count + 1)), (count, 0, count + 2, 0)]
    nodes = [dml.ConstantNode(np.ones(4, np.float32)), *[soft] * count, add, add]
    inputs, outputs = [(0, count + 1, 1), (1, count + 2, 1)], [(count + 1, 0, 0), (count + 2, 0, 1)]
    plan = dml.Device().compile_graph(dml.Graph(nodes, inputs, outputs, edges)).plan
    assert (len(plan.initialize), len(plan.steps)) == (count, 2)
