"""What `fuse` does, one merge after another: each writes the whole nest anew, and looks at every step for the next."""

from __future__ import annotations

from dataclasses import dataclass

from anydml.core.expression import Node, cast, load, substitute, walk
from anydml.core.loops import route
from anydml.core.steps import Access, Nest, Step, Store, shifted_loads, without_unused_loads
from anydml.graph.passes.forward import cut_nest
from anydml.graph.passes.fuse import MOST_OPERATIONS
from anydml.graph.plan import Plan, SlotKind, reads, writes


@dataclass
class _Step:
    """A step, with the slots it reads and writes."""

    step: Step
    read: set[int]
    written: set[int]

    @classmethod
    def of(cls, step: Step) -> _Step:
        return cls(step, reads(step), writes(step))


def eager_fuse(plan: Plan) -> list[Step]:
    steps: list[_Step | None] = [_Step.of(step) for step in plan.steps]
    for number in range(len(steps)):
        while _merge_once(plan, steps, number):
            pass
    return [each.step for each in steps if each is not None]


def _merge_once(plan: Plan, steps: list[_Step | None], last: int) -> bool:
    found = steps[last]
    consumer = None if found is None else found.step
    for access in consumer.loads if isinstance(consumer, Nest) else ():
        if plan.slots[access.slot].kind is not SlotKind.TEMPORARY:
            continue
        readers = [n for n, each in enumerate(steps) if each is not None and access.slot in each.read]
        writers = [n for n, each in enumerate(steps) if each is not None and access.slot in each.written]
        first = steps[writers[0]] if readers == [last] and len(writers) == 1 else None
        if first is None or not isinstance(first.step, Nest) or len(first.step.stores) != 1:
            continue
        assert isinstance(consumer, Nest)
        nest = _merged(first.step, consumer)
        between = [each for each in steps[writers[0] + 1 : last] if each is not None]
        merged = None if nest is None else _Step.of(nest)
        if merged is None or any(merged.read & e.written or merged.written & e.read for e in between):
            continue
        steps[writers[0]], steps[last] = None, merged
        return True
    return False


def _merged(producer: Nest, consumer: Nest) -> Nest | None:
    (store,) = producer.stores
    numbers = [n for n, access in enumerate(consumer.loads) if access.slot == store.access.slot]
    if len(numbers) != 1 or _operations(producer) + _operations(consumer) > MOST_OPERATIONS:
        return None
    (number,), access, written = numbers, consumer.loads[numbers[0]], store.access
    if access.type is not written.type or access.type.is_packed_pair:
        return None
    found = route(consumer.sizes, access.strides, access.offset, producer.sizes, written.strides, written.offset)
    if found is None or found.repeats:
        return None
    consumer = cut_nest(consumer, found)
    moved = [Access(a.slot, a.type, *found.follow(a.strides, a.offset)) for a in producer.loads]
    value = cast(shifted_loads(store.value, len(consumer.loads)), written.type.numpy_dtype)

    def replaced(node: Node) -> Node | None:
        if node.op != "load":
            return None
        return value if node.value == number else load(node.value, node.type)

    stores = tuple(Store(s.access, substitute(s.value, replaced)) for s in consumer.stores)
    return without_unused_loads(Nest(consumer.sizes, (*consumer.loads, *moved), stores))


def _operations(nest: Nest) -> int:
    return len(walk(*(store.value for store in nest.stores)))
