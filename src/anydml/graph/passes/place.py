"""place: a step whose result is only copied writes it straight to the copy's destination.

JOIN then costs nothing, and neither does PADDING's inner part. The step takes the place of the copy, so that a fill
of the whole destination still comes first.
"""

from __future__ import annotations

from dataclasses import replace

from anydml.core.loops import Route, route
from anydml.core.steps import Access, Nest, Program, Step, Store
from anydml.graph.passes.forward import cut_nest
from anydml.graph.plan import Plan, Uses


def place(plan: Plan) -> Plan:
    uses = Uses(plan)
    for number, copy in enumerate(plan.steps):
        if not isinstance(copy, Nest) or not copy.is_copy:
            continue
        between = copy.loads[0].slot
        first = uses.producer(between, number)
        producer = None if first is None else uses.steps[first]
        moved = None if producer is None else _moved(producer, copy)
        if first is not None and moved is not None and uses.may_merge(first, number, between):
            uses.merge(first, number, between, moved)
    return uses.result()


def _moved(producer: Step, copy: Nest) -> Step | None:
    """The producer, writing where the copy would have put its result."""
    between, target = copy.loads[0], copy.stores[0].access
    if isinstance(producer, Nest):
        return _moved_nest(producer, between, target, copy.sizes, may_cut=True)
    if not isinstance(producer, Program):
        return None
    outputs = list(producer.outputs)
    for number, nest in enumerate(outputs):
        if nest is not None and between.slot in {access.slot for access, _ in nest.writes()}:
            moved = _moved_nest(nest, between, target, copy.sizes, may_cut=False)
            if moved is None:
                return None
            outputs[number] = moved
    return Program(producer.operator, producer.inputs, tuple(outputs))


def _moved_nest(nest: Nest, between: Access, target: Access, sizes: tuple[int, ...], may_cut: bool) -> Nest | None:
    places = [number for number, store in enumerate(nest.stores) if store.access.slot == between.slot]
    if len(places) != 1:
        return None
    access = nest.stores[places[0]].access
    found = _through(access, nest.sizes, between, sizes)
    if found is None or not (may_cut or found.is_whole):
        return None
    nest = cut_nest(nest, found)
    strides, offset = found.follow(target.strides, target.offset)
    stores = list(nest.stores)
    stores[places[0]] = Store(Access(target.slot, access.type, strides, offset), stores[places[0]].value)
    return replace(nest, stores=tuple(stores))


def _through(access: Access, sizes: tuple[int, ...], between: Access, copied: tuple[int, ...]) -> Route | None:
    """How every element written is one that is copied."""
    if access.type is not between.type:
        return None
    return route(sizes, access.strides, access.offset, copied, between.strides, between.offset)
