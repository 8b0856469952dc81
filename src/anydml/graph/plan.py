"""Plan: steps over slots of memory, with the place of every slot; pure data that any device can run, anyone print."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property

from anydml.core.errors import counted
from anydml.core.memory import Bytes
from anydml.core.steps import Step
from anydml.core.tensor import TensorDesc
from anydml.core.text import printable


class SlotKind(Enum):
    """What a slot is, which says where its memory comes from."""

    INPUT = "input"
    """Bound by the caller, read."""
    OWNED = "owned"
    """Bound by the caller when the plan is initialized, read then and never again."""
    OUTPUT = "output"
    """Bound by the caller, written."""
    CONSTANT = "constant"
    """Known when the graph was made."""
    PERSISTENT = "persistent"
    """Written when the plan is initialized, read by every run."""
    TEMPORARY = "temporary"
    """Written and read within one run."""


@dataclass(frozen=True)
class Slot:
    """A range of memory that steps refer to by its number."""

    kind: SlotKind
    size_in_bytes: int
    name: str = ""
    tensor: TensorDesc | None = None
    """The data type and layout it was described with, where it is a tensor."""
    offset: int = 0
    """Where it lies in the arena of temporary, or of persistent, memory."""
    index: int = 0
    """Which graph input or output it is."""
    data: Bytes | None = field(default=None, compare=False, repr=False)
    """The bytes of a constant."""


@dataclass(frozen=True)
class Plan:
    """Steps in order: those of `initialize` run once, those of `steps` every time."""

    slots: tuple[Slot, ...]
    steps: tuple[Step, ...]
    initialize: tuple[Step, ...] = ()
    aliases: frozenset[tuple[int, int]] = frozenset()
    """Pairs of an input and an output slot that callers may bind to the same memory."""
    in_place: frozenset[tuple[int, int]] = frozenset()
    """Those of them that are right in the same memory; inputs of the others are copied first."""
    joined: frozenset[tuple[int, int]] = frozenset()
    """Pairs of temporary slots where the second takes the memory of the first."""
    temporary_size_in_bytes: int = 0
    persistent_size_in_bytes: int = 0
    name: str = ""

    @cached_property
    def readers(self) -> dict[int, list[int]]:
        """The steps that read each slot."""
        return _users(map(reads, self.steps))

    @cached_property
    def writers(self) -> dict[int, list[int]]:
        """The steps that write each slot."""
        return _users(map(writes, self.steps))

    def of_kind(self, *kinds: SlotKind) -> list[int]:
        """The numbers of the slots of some kinds."""
        return [number for number, slot in enumerate(self.slots) if slot.kind in kinds]

    def with_slots(self, changes: dict[int, Slot]) -> Plan:
        return replace(self, slots=tuple(changes.get(n, slot) for n, slot in enumerate(self.slots)))

    def name_of(self, number: int) -> str:
        slot = self.slots[number]
        return slot.name or f"{slot.kind.value}{number}"

    def shown_name_of(self, number: int) -> str:
        """The name as a text has it."""
        return printable(self.name_of(number))

    def describe(self) -> str:
        """The plan in words, a step per line."""
        lines = [f"{self.name}: {counted(len(self.steps), 'step')}"]
        lines += [f"  once: {step.describe(self.shown_name_of)}" for step in self.initialize]
        lines += [f"  {n}. {step.describe(self.shown_name_of)}" for n, step in enumerate(self.steps, 1)]
        if self.temporary_size_in_bytes:
            lines.append(f"  temporary memory: {self.temporary_size_in_bytes} bytes")
        if self.persistent_size_in_bytes:
            lines.append(f"  persistent memory: {self.persistent_size_in_bytes} bytes")
        return "\n".join(lines)


def reads(step: Step) -> set[int]:
    """The slots a step reads."""
    return {access.slot for access, _ in step.reads()}


def writes(step: Step) -> set[int]:
    return {access.slot for access, _ in step.writes()}


def _users(used: Iterable[set[int]]) -> dict[int, list[int]]:
    """The numbers of the steps that use each slot, from the slots that each step uses."""
    found: dict[int, list[int]] = {}
    for number, slots in enumerate(used):
        for slot in slots:
            found.setdefault(slot, []).append(number)
    return found


class Uses:
    """Steps while a pass merges them, with who reads and who writes each slot kept up to date."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.steps: list[Step | None] = list(plan.steps)
        self.readers, self.writers = (
            {slot: list(numbers) for slot, numbers in found.items()} for found in (plan.readers, plan.writers)
        )

    def producer(self, slot: int, reader: int) -> int | None:
        """The one step that writes a temporary slot which only this step reads."""
        if self.plan.slots[slot].kind is not SlotKind.TEMPORARY or self.readers.get(slot) != [reader]:
            return None
        writing = self.writers.get(slot, [])
        return writing[0] if len(writing) == 1 else None

    def may_merge(self, first: int, last: int, merged: Step) -> bool:
        """Whether two steps can become one at the place of the second: nothing between them gets in the way."""

        def is_between(numbers: list[int]) -> bool:
            return any(first < number < last for number in numbers)

        overwritten = any(is_between(self.writers.get(slot, [])) for slot in reads(merged))
        return not overwritten and not any(is_between(self.readers.get(slot, [])) for slot in writes(merged))

    def merge(self, first: int, last: int, merged: Step) -> None:
        for number in (first, last):
            step = self.steps[number]
            assert step is not None
            for table, slots in ((self.readers, reads(step)), (self.writers, writes(step))):
                for slot in slots:
                    table[slot].remove(number)
        for table, slots in ((self.readers, reads(merged)), (self.writers, writes(merged))):
            for slot in slots:
                table[slot] = sorted([*table.get(slot, []), last])
        self.steps[first], self.steps[last] = None, merged

    def result(self) -> Plan:
        return replace(self.plan, steps=tuple(step for step in self.steps if step is not None))
