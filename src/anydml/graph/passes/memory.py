"""memory: temporary slots share one arena, each where nothing that lives at the same time lies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from anydml.core.tensor import round_up
from anydml.graph.plan import Plan, Slot, SlotKind

TEMPORARY_ALIGNMENT_BYTES = 64
"""A cache line."""
PERSISTENT_ALIGNMENT_BYTES = 256


@dataclass(frozen=True)
class _Range:
    """Slots that are one piece of memory: its size, and the first and last step that touches it."""

    slots: tuple[int, ...]
    size: int
    first: int
    last: int

    def meets(self, other: _Range) -> bool:
        return self.first <= other.last and other.first <= self.last


def assign_memory(plan: Plan) -> Plan:
    """Offsets for temporary and persistent slots, and the sizes of both arenas."""
    if not plan.of_kind(SlotKind.TEMPORARY, SlotKind.PERSISTENT):
        return plan
    offsets, temporary = _temporary(plan)
    persistent = 0
    for number in plan.of_kind(SlotKind.PERSISTENT):
        offsets[number] = round_up(persistent, PERSISTENT_ALIGNMENT_BYTES)
        persistent = offsets[number] + plan.slots[number].size_in_bytes
    slots = tuple(_at(slot, offsets.get(number, slot.offset)) for number, slot in enumerate(plan.slots))
    return replace(plan, slots=slots, temporary_size_in_bytes=temporary, persistent_size_in_bytes=persistent)


def _at(slot: Slot, offset: int) -> Slot:
    return slot if slot.offset == offset else replace(slot, offset=offset)


_ORDERS: tuple[Callable[[_Range], Any], ...] = (
    lambda piece: (-piece.size, piece.first),
    lambda piece: (-piece.size * (piece.last - piece.first + 1), piece.first),
    lambda piece: (piece.first - piece.last, -piece.size),
    lambda piece: (piece.first, -piece.size),
)
"""Which piece is placed next: no order is best for every plan."""


def _temporary(plan: Plan) -> tuple[dict[int, int], int]:
    """The smallest arena that one of the orders gives."""
    ranges = _ranges(plan)
    orders = _ORDERS if len(ranges) > 1 else _ORDERS[:1]
    placed = min((_place(sorted(ranges, key=order)) for order in orders), key=lambda found: found[1])
    return {slot: offset for offset, piece in placed[0] for slot in piece.slots}, placed[1]


def _place(ranges: list[_Range]) -> tuple[list[tuple[int, _Range]], int]:
    """Each piece at the lowest place that is free while it lives, and the size of it all."""
    placed: list[tuple[int, _Range]] = []
    total = 0
    for piece in ranges:
        offset = 0
        for start, other in sorted(((s, o) for s, o in placed if o.meets(piece)), key=lambda pair: pair[0]):
            if start - offset >= piece.size:
                break
            offset = max(offset, start + other.size)
        placed.append((offset, piece))
        total = max(total, offset + piece.size)
    return placed, total


def _ranges(plan: Plan) -> list[_Range]:
    read, written = plan.readers, plan.writers
    used = [n for n in plan.of_kind(SlotKind.TEMPORARY) if n in written]
    root = {number: number for number in used}
    for source, destination in sorted(plan.joined):
        root[destination] = source
    groups: dict[int, list[int]] = {}
    for number in used:
        top = number
        while root[top] != top:
            top = root[top]
        groups.setdefault(top, []).append(number)
    return [
        _Range(
            tuple(slots),
            round_up(max(plan.slots[n].size_in_bytes for n in slots), TEMPORARY_ALIGNMENT_BYTES),
            min(written[n][0] for n in slots),
            max([*(n for slot in slots for n in read.get(slot, ())), *(written[n][-1] for n in slots)]),
        )
        for slots in groups.values()
    ]


def lower_bound(plan: Plan) -> int:
    """What no arrangement can beat: the most memory that lives at one time."""
    ranges = _ranges(plan)
    return max((sum(r.size for r in ranges if r.first <= n <= r.last) for n in range(len(plan.steps))), default=0)
