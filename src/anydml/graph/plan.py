"""Plan: steps over slots of memory, with the place of every slot; pure data that any device can run, anyone print."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
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
        self._reads, self._writes = [reads(step) for step in plan.steps], [writes(step) for step in plan.steps]
        self._readers, self._writers = _users(self._reads), _users(self._writes)

    def producer(self, slot: int, reader: int) -> int | None:
        """The one step that writes a temporary slot which only this step reads."""
        if self.plan.slots[slot].kind is not SlotKind.TEMPORARY or self._readers.get(slot) != [reader]:
            return None
        writing = self._writers.get(slot, [])
        return writing[0] if len(writing) == 1 else None

    def may_merge(self, first: int, last: int, between: int) -> bool:
        """Whether one step at the place of the second can do the work of both, without the slot between them.

        Nothing that lies between the two steps may get in the way.
        """
        read, written = self._used_by_both(first, last, between)
        is_overwritten = any(_is_between(first, self._writers.get(slot), last) for slot in read)
        return not is_overwritten and not any(_is_between(first, self._readers.get(slot), last) for slot in written)

    def merge(self, first: int, last: int, between: int, merged: Step | None = None) -> None:
        """Put one step for two: the second one itself, if none is given."""
        self.steps[first], self.steps[last] = None, merged or self.steps[last]
        tables = (self._reads, self._readers), (self._writes, self._writers)
        for (found, users), used in zip(tables, self._used_by_both(first, last, between), strict=True):
            _change(users, first, found[first], set())
            _change(users, last, found[last], used)
            found[first], found[last] = set(), used

    def _used_by_both(self, first: int, last: int, between: int) -> tuple[set[int], set[int]]:
        read, written = self._reads[first] | self._reads[last], self._writes[first] | self._writes[last]
        return read - {between}, written - {between}

    def result(self) -> Plan:
        return replace(self.plan, steps=tuple(step for step in self.steps if step is not None))


def _is_between(first: int, numbers: list[int] | None, last: int) -> bool:
    """Whether one of the numbers, which rise, lies between two others."""
    if not numbers:
        return False
    place = bisect_right(numbers, first)
    return place < len(numbers) and numbers[place] < last


def _change(users: dict[int, list[int]], number: int, old: set[int], new: set[int]) -> None:
    """Note that a step uses other slots. A slot may have very many users, of which only one is touched."""
    for slot in old - new:
        del users[slot][bisect_left(users[slot], number)]
    for slot in new - old:
        insort(users.setdefault(slot, []), number)
