"""prune: drop steps whose results nobody reads."""

from __future__ import annotations

from dataclasses import replace

from anydml.core.steps import Nest, Program, Step
from anydml.graph.plan import Plan, SlotKind, reads, writes


def prune(plan: Plan) -> Plan:
    """Backwards from the outputs: a step stays if something it writes is wanted."""
    wanted = {n for n, slot in enumerate(plan.slots) if slot.kind is SlotKind.OUTPUT}
    kept: list[Step] = []
    for step in reversed(plan.steps):
        if writes(step) & wanted:
            kept.append(_trimmed(step, wanted))
            wanted |= reads(kept[-1])
    once: list[Step] = []
    for step in reversed(plan.initialize):
        if writes(step) & wanted:
            once.append(step)
            wanted |= reads(step)
    return replace(plan, steps=tuple(reversed(kept)), initialize=tuple(reversed(once)))


def _trimmed(step: Step, wanted: set[int]) -> Step:
    """The step without the stores that nobody reads; programs still compute all their results."""
    if isinstance(step, Program):
        return replace(step, outputs=tuple(nest and _trimmed_nest(nest, wanted) for nest in step.outputs))
    return (_trimmed_nest(step, wanted) or step) if isinstance(step, Nest) else step


def _trimmed_nest(nest: Nest, wanted: set[int]) -> Nest | None:
    stores = tuple(store for store in nest.stores if store.access.slot in wanted)
    return replace(nest, stores=stores) if stores else None
