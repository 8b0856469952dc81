"""epilogue: pointwise steps are applied to a program's results before they are stored.

An activation, a residual sum or a conversion after a convolution then costs no pass over memory of its own.
"""

from __future__ import annotations

from dataclasses import replace

from anydml.core.expression import Node, cast, load, substitute
from anydml.core.loops import Route, route
from anydml.core.steps import Access, Nest, Program, Store, without_unused_loads
from anydml.graph.passes.forward import cut_nest
from anydml.graph.passes.fuse import MOST_OPERATIONS, operations_of
from anydml.graph.plan import Plan, Uses


def fuse_into_programs(plan: Plan) -> Plan:
    uses = Uses(plan)
    for number in range(len(plan.steps)):
        consumer = uses.steps[number]
        for access in consumer.loads if isinstance(consumer, Nest) else ():
            first = uses.producer(access.slot, number)
            producer = None if first is None else uses.steps[first]
            if first is None or not isinstance(producer, Program) or not uses.may_merge(first, number, access.slot):
                continue
            assert isinstance(consumer, Nest)
            merged = _merged(producer, consumer, access.slot)
            if merged is not None:
                uses.merge(first, number, access.slot, merged)
                break
    return uses.result()


def _merged(program: Program, consumer: Nest, slot: int) -> Program | None:
    outputs = list(program.outputs)
    for number, nest in enumerate(outputs):
        if nest is not None and any(store.access.slot == slot for store in nest.stores):
            merged = _merged_nest(nest, consumer, slot) if len(nest.stores) == 1 else None
            if merged is None:
                return None
            outputs[number] = merged
            return Program(program.operator, program.inputs, tuple(outputs))
    return None


def _merged_nest(nest: Nest, consumer: Nest, slot: int) -> Nest | None:
    """The consumer's work over the loops of the program's result."""
    (store,) = nest.stores
    numbers = [n for n, access in enumerate(consumer.loads) if access.slot == slot]
    if len(numbers) != 1:  # the same element is wanted at two indices
        return None
    number, access = numbers[0], consumer.loads[numbers[0]]
    if operations_of(nest) + operations_of(consumer) - 1 > MOST_OPERATIONS:  # one reads the other's result
        return None
    if access.type is not store.access.type or access.type.is_packed_pair:
        return None
    found = route(consumer.sizes, access.strides, access.offset, nest.sizes, store.access.strides, store.access.offset)
    if found is None:
        return None
    consumer = cut_nest(consumer, found)
    loads = [_inverted(each, found, nest.sizes) for each in consumer.loads]
    stores = [_inverted(each.access, found, nest.sizes) for each in consumer.stores]
    if None in loads or None in stores:
        return None
    base = len(nest.loads)
    value = cast(store.value, store.access.type.numpy_dtype)

    def replaced(node: Node) -> Node | None:
        if node.op != "load":
            return None
        return value if node.value == number else load(node.value + base, node.type)

    values = [substitute(old.value, replaced) for old in consumer.stores]
    written = tuple(Store(place, value) for place, value in zip(stores, values, strict=True) if place is not None)
    return without_unused_loads(Nest(nest.sizes, (*nest.loads, *(each for each in loads if each is not None)), written))


def _inverted(access: Access, found: Route, sizes: tuple[int, ...]) -> Access | None:
    strides = found.invert(sizes, access.strides)
    return None if strides is None else replace(access, strides=strides)
