"""hoist: what depends on nothing but constants and owned inputs is computed once, when the plan is initialized."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from anydml.graph.plan import Plan, SlotKind, reads, writes

_KNOWN = (SlotKind.CONSTANT, SlotKind.PERSISTENT)


def hoist(plan: Plan) -> Plan:
    if not plan.of_kind(SlotKind.TEMPORARY):
        return plan
    hoisted = _hoisted(plan)
    if not hoisted:
        return plan
    kept = {slot for n in hoisted for slot in writes(plan.steps[n])}
    slots = {slot: replace(plan.slots[slot], kind=SlotKind.PERSISTENT) for slot in kept}
    steps = tuple(step for n, step in enumerate(plan.steps) if n not in hoisted)
    once = tuple(step for n, step in enumerate(plan.steps) if n in hoisted)
    return replace(plan.with_slots(slots), steps=steps, initialize=plan.initialize + once)


def _hoisted(plan: Plan) -> set[int]:
    """All steps, less those that cannot run once, and those that read or write what such write.

    What is written again after somebody read it, as by the steps of a sequence, is not there to be kept.
    """
    read, written = plan.readers, plan.writers
    known = {n for n, slot in enumerate(plan.slots) if slot.kind in _KNOWN} | written.keys()
    kept = {n for n in plan.of_kind(SlotKind.TEMPORARY) if n in written and written[n][-1] < read.get(n, [inf])[0]}
    lost = [n for n, step in enumerate(plan.steps) if not (reads(step) <= known and writes(step) <= kept)]
    hoisted, changing = set(range(len(plan.steps))), set[int]()
    while lost:
        number = lost.pop()
        hoisted.discard(number)
        for slot in writes(plan.steps[number]) - changing:
            changing.add(slot)
            lost += [n for n in (*read.get(slot, ()), *written[slot]) if n in hoisted]
    return hoisted
