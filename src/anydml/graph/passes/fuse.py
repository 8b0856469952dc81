"""fuse: pointwise steps that follow one another become one nest, and what lies between them needs no memory."""

from __future__ import annotations

from anydml.core.expression import Node, cast, load, substitute, walk
from anydml.core.loops import Route, route
from anydml.core.steps import Access, Nest, Store, shifted_loads, without_unused_loads
from anydml.graph.passes.forward import cut_nest
from anydml.graph.plan import Plan, Uses

MOST_OPERATIONS = 256
"""Longer chains are cut: what is gained no longer grows, and the time to compile them does."""


def fuse(plan: Plan) -> Plan:
    """From the first step on: each nest takes in the nests that only it reads."""
    uses = Uses(plan)
    for number in range(len(plan.steps)):
        while _merge_once(uses, number):
            pass
    return uses.result()


def _merge_once(uses: Uses, number: int) -> bool:
    """Whether the nest took in one of its producers."""
    consumer = uses.steps[number]
    for access in consumer.loads if isinstance(consumer, Nest) else ():
        first = uses.producer(access.slot, number)
        producer = None if first is None else uses.steps[first]
        if first is None or not isinstance(producer, Nest) or len(producer.stores) != 1:
            continue
        assert isinstance(consumer, Nest)
        merged = merge(producer, consumer)
        if merged is not None and uses.may_merge(first, number, merged):
            uses.merge(first, number, merged)
            return True
    return False


def merge(producer: Nest, consumer: Nest) -> Nest | None:
    """One nest that computes the producer's value where the consumer reads it; None where the indices do not fit."""
    (store,) = producer.stores
    numbers = [n for n, access in enumerate(consumer.loads) if access.slot == store.access.slot]
    if len(numbers) != 1:  # at two indices, all would be computed twice
        return None
    if _operations(producer) + _operations(consumer) > MOST_OPERATIONS:
        return None
    found = _route_to(store.access, producer, consumer.loads[numbers[0]], consumer)
    if found is None:
        return None
    return without_unused_loads(_merged_load(producer, cut_nest(consumer, found), numbers[0], found))


def _operations(nest: Nest) -> int:
    return len(walk(*(store.value for store in nest.stores)))


def _route_to(written: Access, producer: Nest, access: Access, consumer: Nest) -> Route | None:
    """Equal types only, and nothing is computed twice."""
    if access.type is not written.type or access.type.is_packed_pair:
        return None
    found = route(consumer.sizes, access.strides, access.offset, producer.sizes, written.strides, written.offset)
    return None if found is None or found.repeats else found


def _merged_load(producer: Nest, consumer: Nest, number: int, found: Route) -> Nest:
    """The consumer with one load replaced by the producer's expression, rounded as the memory between would have."""
    store, base = producer.stores[0], len(consumer.loads)
    loads = [*consumer.loads]
    for access in producer.loads:
        strides, offset = found.follow(access.strides, access.offset)
        loads.append(Access(access.slot, access.type, strides, offset))
    value = cast(shifted_loads(store.value, base), store.access.type.numpy_dtype)

    def replaced(node: Node) -> Node | None:
        if node.op != "load":
            return None
        return value if node.value == number else load(node.value, node.type)

    stores = tuple(Store(s.access, substitute(s.value, replaced)) for s in consumer.stores)
    return Nest(consumer.sizes, tuple(loads), stores)
