"""Slots and nests for programs that become steps of the device's own."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from anydml.core.expression import Node, substitute
from anydml.core.steps import Access, Nest, Store
from anydml.graph.plan import Plan, Slot, SlotKind


class Workspace:
    """The slots of a plan while programs are replaced."""

    def __init__(self, plan: Plan) -> None:
        self.slots = list(plan.slots)

    def temporary(self, size_in_bytes: int, name: str) -> int:
        """A new slot for a result that lies between steps."""
        self.slots.append(Slot(SlotKind.TEMPORARY, max(size_in_bytes, 1), name))
        return len(self.slots) - 1


def packed_strides(sizes: Sequence[int]) -> tuple[int, ...]:
    return tuple(prod(sizes[axis + 1 :]) for axis in range(len(sizes)))


def with_value(nest: Nest, value: Node, loads: Sequence[Access]) -> Nest:
    """An output's nest whose `result` is a value over further loads, numbered after the nest's own."""
    stores = tuple(
        Store(s.access, substitute(s.value, lambda node: value if node.op == "result" else None)) for s in nest.stores
    )
    return Nest(nest.sizes, (*nest.loads, *loads), stores)
