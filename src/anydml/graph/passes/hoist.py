"""hoist: what depends on nothing but constants and owned inputs is computed once, when the plan is initialized."""

from __future__ import annotations

from dataclasses import replace

from anydml.graph.plan import Plan, SlotKind, reads, writes

_KNOWN = (SlotKind.CONSTANT, SlotKind.PERSISTENT)


def hoist(plan: Plan) -> Plan:
    if not plan.of_kind(SlotKind.TEMPORARY):
        return plan
    written = plan.writers
    hoisted: set[int] = set()
    while True:
        more = {n for n in range(len(plan.steps)) if n not in hoisted and _may_hoist(plan, n, hoisted, written)}
        # A tensor that several steps write is computed once only if all of them are.
        more = {n for n in more if all(set(written[slot]) <= hoisted | more for slot in writes(plan.steps[n]))}
        if not more:
            break
        hoisted |= more
    if not hoisted:
        return plan
    kept = {slot for n in hoisted for slot in writes(plan.steps[n])}
    slots = {slot: replace(plan.slots[slot], kind=SlotKind.PERSISTENT) for slot in kept}
    steps = tuple(step for n, step in enumerate(plan.steps) if n not in hoisted)
    once = tuple(step for n, step in enumerate(plan.steps) if n in hoisted)
    return replace(plan.with_slots(slots), steps=steps, initialize=plan.initialize + once)


def _may_hoist(plan: Plan, number: int, hoisted: set[int], written: dict[int, list[int]]) -> bool:
    step = plan.steps[number]
    if any(plan.slots[slot].kind is not SlotKind.TEMPORARY for slot in writes(step)):
        return False
    return all(
        plan.slots[slot].kind in _KNOWN or (slot in written and set(written[slot]) <= hoisted) for slot in reads(step)
    )
