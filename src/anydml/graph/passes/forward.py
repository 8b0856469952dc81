"""forward: readers of a copy read what was copied instead, through strides of their own.

Slicing, reversing, transposing, tiling and the like become views. A copy that nobody reads any more is pruned.
"""

from __future__ import annotations

from dataclasses import replace

from anydml.core.loops import Route, route
from anydml.core.steps import Access, Nest, Program, Step, Store, View, without_unused_loads
from anydml.graph.passes.prune import prune
from anydml.graph.plan import Plan, SlotKind


def forward(plan: Plan) -> Plan:
    """One walk suffices: a copy is itself forwarded before those that read it."""
    written = plan.writers
    copies: dict[int, Nest] = {}
    steps: list[Step] = []
    for step in plan.steps:
        step = _forwarded(step, copies)
        steps.append(step)
        if isinstance(step, Nest) and step.is_copy:
            target = step.stores[0].access.slot
            if written[target] == [len(steps) - 1] and _is_stable(plan, step.loads[0].slot, written):
                copies[target] = step
    return prune(replace(plan, steps=tuple(steps)))


def _is_stable(plan: Plan, slot: int, written: dict[int, list[int]]) -> bool:
    """Whether the slot keeps what it held when it was copied: it is written by one step, or before any runs."""
    kind = plan.slots[slot].kind
    return kind in (SlotKind.INPUT, SlotKind.CONSTANT, SlotKind.PERSISTENT) or len(written.get(slot, ())) == 1


def _forwarded(step: Step, copies: dict[int, Nest]) -> Step:
    if isinstance(step, Nest):
        return _forwarded_nest(step, copies)
    if not isinstance(step, Program):
        return step
    inputs = tuple(None if view is None else _forwarded_view(view, copies) for view in step.inputs)
    outputs = tuple(
        None if nest is None else _with_forwarded_loads(nest, copies, may_cut=False) for nest in step.outputs
    )
    return Program(step.operator, inputs, outputs)


def _forwarded_nest(nest: Nest, copies: dict[int, Nest]) -> Nest:
    return without_unused_loads(_with_forwarded_loads(nest, copies, may_cut=True))


def _with_forwarded_loads(nest: Nest, copies: dict[int, Nest], may_cut: bool) -> Nest:
    for number in range(len(nest.loads)):
        access = nest.loads[number]
        copy = copies.get(access.slot)
        found = _through(access, nest.sizes, copy) if copy is not None else None
        if copy is None or found is None or not (may_cut or found.is_whole):
            continue
        nest = cut_nest(nest, found)
        nest = _replaced(nest, number, followed(nest.loads[number], found, copy))
    return nest


def _forwarded_view(view: View, copies: dict[int, Nest]) -> View:
    copy = copies.get(view.slot)
    found = _through(view.access, view.sizes, copy) if copy is not None else None
    if copy is None or found is None or not found.is_whole:
        return view
    access = followed(view.access, found, copy)
    return View(access.slot, access.type, view.sizes, access.strides, access.offset)


def _through(access: Access, sizes: tuple[int, ...], copy: Nest) -> Route | None:
    """How a read of a copy's destination is a read of its source; types must be the same."""
    target = copy.stores[0].access
    if access.type is not target.type:
        return None
    return route(sizes, access.strides, access.offset, copy.sizes, target.strides, target.offset)


def followed(access: Access, found: Route, copy: Nest) -> Access:
    """The access to the copy's source."""
    source = copy.loads[0]
    strides, offset = found.follow(source.strides, source.offset)
    return Access(source.slot, access.type, strides, offset)


def cut_nest(nest: Nest, found: Route) -> Nest:
    """The nest with its loops cut as the route wants them."""
    if found.is_whole:
        return nest
    loads = tuple(replace(access, strides=found.cut(access.strides)) for access in nest.loads)
    stores = tuple(Store(replace(s.access, strides=found.cut(s.access.strides)), s.value) for s in nest.stores)
    return Nest(found.sizes, loads, stores)


def _replaced(nest: Nest, number: int, access: Access) -> Nest:
    return replace(nest, loads=(*nest.loads[:number], access, *nest.loads[number + 1 :]))
