"""verify: what holds for every plan. A plan that breaks it is a bug of a pass, not a mistake of the user."""

from __future__ import annotations

from anydml.core.expression import leaves
from anydml.core.steps import Access, Nest, Program, Step
from anydml.graph.plan import Plan, SlotKind


def verify(plan: Plan) -> Plan:
    """The plan itself, or a RuntimeError that says what is wrong with it."""
    known = set(plan.of_kind(SlotKind.INPUT, SlotKind.CONSTANT))
    _verify_steps(plan, plan.initialize, known | set(plan.of_kind(SlotKind.OWNED)), SlotKind.PERSISTENT)
    written = {access.slot for step in plan.initialize for access, _ in step.writes()}
    _verify_steps(plan, plan.steps, known | written, None)
    return plan


def _verify_steps(plan: Plan, steps: tuple[Step, ...], known: set[int], only: SlotKind | None) -> None:
    written = set(known)
    for number, step in enumerate(steps):
        for access, sizes in step.reads():
            if access.slot not in written:
                raise RuntimeError(f"step {number} reads {plan.shown_name_of(access.slot)} before it is written")
            _verify_access(plan, access, sizes)
        for access, sizes in step.writes():
            slot = plan.slots[access.slot]
            if slot.kind in (SlotKind.INPUT, SlotKind.CONSTANT, SlotKind.OWNED) or only not in (None, slot.kind):
                raise RuntimeError(f"step {number} writes {slot.kind.value} {plan.shown_name_of(access.slot)}")
            _verify_access(plan, access, sizes)
            written.add(access.slot)
        nests = (step,) if isinstance(step, Nest) else step.outputs if isinstance(step, Program) else ()
        for nest in nests:
            if nest is not None:
                _verify_nest(nest, isinstance(step, Program))


def _verify_access(plan: Plan, access: Access, sizes: tuple[int, ...]) -> None:
    low, high = access.bounds(sizes)
    room = plan.slots[access.slot].size_in_bytes * 8 // access.type.bits
    if low < 0 or high >= room:
        name = plan.shown_name_of(access.slot)
        raise RuntimeError(f"elements {low} to {high} of {name}, which has {room} of {access.type.name}")


def _verify_nest(nest: Nest, is_result: bool) -> None:
    for leaf in leaves(*(store.value for store in nest.stores)):
        if leaf.op == "load" and leaf.type != nest.loads[leaf.value].type.numpy_dtype:
            raise RuntimeError(f"load {leaf.value} is of {nest.loads[leaf.value].type.name}, not {leaf.type}")
        if leaf.op == "result" and not is_result:
            raise RuntimeError("a nest of its own has no result to read")
