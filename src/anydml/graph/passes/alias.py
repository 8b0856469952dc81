"""alias: results take the memory of operands where every element is read just before it is written."""

from __future__ import annotations

from dataclasses import replace

from anydml.core.steps import Nest, Step
from anydml.graph.plan import Plan, SlotKind, reads, writes


def alias(plan: Plan) -> Plan:
    """Join temporary slots, and find which of the pairs that callers may bind to one memory need no copy."""
    joined = _joined(plan)
    safe = frozenset(pair for pair in plan.aliases if is_safe(plan, *pair))
    return replace(plan, joined=joined, in_place=safe) if joined or safe else plan


def _joined(plan: Plan) -> frozenset[tuple[int, int]]:
    """Pairs of temporary slots where the second can take the memory of the first."""
    temporary = set(plan.of_kind(SlotKind.TEMPORARY))
    if len(temporary) < 2:
        return frozenset()
    read, written = plan.readers, plan.writers
    joined: dict[int, int] = {}
    taken: set[int] = set()
    for number, step in enumerate(plan.steps):
        for source, destination in _pairs(temporary, step):
            is_last = read[source][-1] == number and written[destination] == [number]
            if is_last and source not in taken and destination not in joined and _fits(plan, source, destination):
                joined[destination] = source
                taken.add(source)
    return frozenset((b, a) for a, b in joined.items())


def _pairs(temporary: set[int], step: Step) -> list[tuple[int, int]]:
    if not isinstance(step, Nest):
        return []
    sources = sorted({access.slot for access in step.loads} & temporary)
    destinations = sorted({store.access.slot for store in step.stores} & temporary)
    return [(a, b) for a in sources for b in destinations if a != b and reads_before_writing(step, a, b)]


def _fits(plan: Plan, source: int, destination: int) -> bool:
    return plan.slots[destination].size_in_bytes <= plan.slots[source].size_in_bytes


def reads_before_writing(nest: Nest, source: int, destination: int) -> bool:
    """Whether each iteration writes just the element that it, and no other iteration, read."""
    stores = [store.access for store in nest.stores if store.access.slot == destination]
    loads = [access for access in nest.loads if access.slot == source]
    if len(stores) != 1:
        return False
    place = stores[0]
    return all(
        (access.strides, access.offset, access.type.bits) == (place.strides, place.offset, place.type.bits)
        and not access.type.is_packed_pair
        for access in loads
    ) and not any(stride == 0 for stride, size in zip(place.strides, nest.sizes, strict=True) if size > 1)


def is_safe(plan: Plan, source: int, destination: int) -> bool:
    """Whether an input and an output may be one memory: nothing is read from it after something was written to it."""
    first = next((n for n, step in enumerate(plan.steps) if destination in writes(step)), len(plan.steps))
    for number, step in enumerate(plan.steps[first:]):
        if source not in reads(step):
            continue
        if number > 0 or not isinstance(step, Nest) or not reads_before_writing(step, source, destination):
            return False
    return True
