"""memory: temporary slots share one arena, each where nothing that lives at the same time lies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from anydml.core.tensor import round_up
from anydml.graph.passes.arena import Piece, most_alive, pairs_alive, place_in_time, place_lowest
from anydml.graph.passes.groups import connected
from anydml.graph.plan import Plan, Slot, SlotKind

TEMPORARY_ALIGNMENT_BYTES = 64
"""A cache line."""
PERSISTENT_ALIGNMENT_BYTES = 256
MOST_NEIGHBOURS = 128
"""Pieces that live at the same time as another, in the mean. With more, to try several orders takes too long."""


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


_ORDERS: tuple[Callable[[Piece], Any], ...] = (
    lambda piece: (-piece.size, piece.first),
    lambda piece: (-piece.size * (piece.last - piece.first + 1), piece.first),
    lambda piece: (piece.first - piece.last, -piece.size),
    lambda piece: (piece.first, -piece.size),
)
"""Which piece is placed next: no order is best for every plan."""


def _temporary(plan: Plan) -> tuple[dict[int, int], int]:
    """The smallest arena that one of the orders gives."""
    pieces = _pieces(plan)
    if pairs_alive(pieces) > MOST_NEIGHBOURS * len(pieces):
        offsets, total = place_in_time(pieces)
    else:
        pieces, offsets, total = _smallest(pieces)
    return {slot: offset for offset, piece in zip(offsets, pieces, strict=True) for slot in piece.slots}, total


def _smallest(pieces: list[Piece]) -> tuple[list[Piece], list[int], int]:
    best: tuple[list[Piece], list[int], int] | None = None
    least = most_alive(pieces)
    for order in _ORDERS:
        ordered = sorted(pieces, key=order)
        offsets, total = place_lowest(ordered)
        if best is None or total < best[2]:
            best = ordered, offsets, total
        if total == least:
            break
    assert best is not None
    return best


def _pieces(plan: Plan) -> list[Piece]:
    read, written = plan.readers, plan.writers
    used = [n for n in plan.of_kind(SlotKind.TEMPORARY) if n in written]
    return [
        Piece(
            tuple(slots),
            round_up(max(plan.slots[n].size_in_bytes for n in slots), TEMPORARY_ALIGNMENT_BYTES),
            min(written[n][0] for n in slots),
            max([*(n for slot in slots for n in read.get(slot, ())), *(written[n][-1] for n in slots)]),
        )
        for slots in connected(used, sorted(plan.joined))
    ]


def lower_bound(plan: Plan) -> int:
    """What no arrangement can beat: the most memory that lives at one time."""
    return most_alive(_pieces(plan))
