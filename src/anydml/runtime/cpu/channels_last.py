"""Temporary images with the channels of each pixel side by side, where convolutions gain from it.

Nobody but the steps of a plan sees a temporary tensor: it may lie in memory in another order than it was described
with. Convolutions then read their windows in place, and store their results as they come.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from anydml.core.datatype import DataType
from anydml.core.loops import route
from anydml.core.orders import packed_strides
from anydml.core.steps import Access, Nest, Program, Step, Store, View
from anydml.core.tensor import TensorDesc
from anydml.graph.plan import Plan, SlotKind
from anydml.runtime.cpu.contraction.indirect import gains_from_channels_last

Numbers = tuple[int, ...]
_AS_FAST = ("CONVOLUTION", "AVERAGE_POOLING1", "MAX_POOLING2")
"""Programs that work along channels as fast as along rows; nests work along either."""


def with_channels_last(plan: Plan) -> Plan:
    """The plan with that order for images that convolutions use, and for those that other steps use beside them."""
    gaining = [
        n for n, step in enumerate(plan.steps) if isinstance(step, Program) and gains_from_channels_last(step.operator)
    ]
    images = _images(plan) if gaining else {}
    chosen = _used_together(plan, gaining, images.keys())
    if not chosen:
        return plan
    moved = {slot: images[slot] for slot in chosen}
    return replace(plan, steps=tuple(_moved(step, moved) for step in plan.steps))


def _used_together(plan: Plan, first: Sequence[int], images: Set[int]) -> set[int]:
    """The images that some steps use, that other steps use beside those, and so on."""
    chosen: set[int] = set()
    waiting, seen = list(first), set(first)
    while waiting:
        found = (_slots(plan.steps[waiting.pop()]) & images) - chosen
        chosen |= found
        users = {n for slot in found for table in (plan.readers, plan.writers) for n in table.get(slot, ())}
        waiting += users - seen
        seen |= users
    return chosen


def _slots(step: Step) -> set[int]:
    return {access.slot for access, _ in _accesses(step)}


def _accesses(step: Step) -> Iterator[tuple[Access, Numbers]]:
    yield from step.reads()
    yield from step.writes()


@dataclass(frozen=True)
class _Image:
    """A temporary tensor, and its strides in another order."""

    sizes: Numbers
    before: Numbers
    after: Numbers

    @classmethod
    def of(cls, tensor: TensorDesc) -> _Image:
        spatial = range(2, tensor.rank)
        return cls(tensor.sizes, tensor.strides, packed_strides(tensor.sizes, (0, *spatial, 1)))

    def moved(self, access: Access, sizes: Numbers) -> Access | None:
        """The same elements in the other order; None where loops would have to be cut for that."""
        if access.type.bits != DataType.FLOAT32.bits:
            return None
        found = route(sizes, access.strides, access.offset, self.sizes, self.before, 0)
        if found is None or not found.is_whole:
            return None
        strides, offset = found.follow(self.after, 0)
        return replace(access, strides=strides, offset=offset)


def _images(plan: Plan) -> dict[int, _Image]:
    """Temporary images in the usual order which all steps that use them could read and write in another one."""
    found = {
        number: _Image.of(slot.tensor)
        for number, slot in enumerate(plan.slots)
        if slot.tensor and _is_image(slot.tensor) and slot.kind is SlotKind.TEMPORARY
    }
    for step in plan.steps:
        is_as_fast = isinstance(step, Nest) or (isinstance(step, Program) and step.operator.dml_type in _AS_FAST)
        for access, sizes in _accesses(step):
            image = found.get(access.slot)
            if image is not None and not (is_as_fast and image.moved(access, sizes)):
                del found[access.slot]
    return found


def _is_image(tensor: TensorDesc) -> bool:
    is_dense = tensor.strides == packed_strides(tensor.sizes)
    is_thick = tensor.rank > 2 and tensor.sizes[1] > 1 and max(tensor.sizes[2:]) > 1
    return tensor.data_type is DataType.FLOAT32 and is_dense and is_thick


def _moved(step: Step, images: dict[int, _Image]) -> Step:
    def access(old: Access, sizes: Numbers) -> Access:
        image = images.get(old.slot)
        new = old if image is None else image.moved(old, sizes)
        assert new is not None
        return new

    def nest(old: Nest) -> Nest:
        loads = tuple(access(load, old.sizes) for load in old.loads)
        stores = tuple(Store(access(store.access, old.sizes), store.value) for store in old.stores)
        return Nest(old.sizes, loads, stores)

    def view(old: View) -> View:
        new = access(old.access, old.sizes)
        return replace(old, strides=new.strides, offset=new.offset)

    if isinstance(step, Nest):
        return nest(step)
    if not isinstance(step, Program):
        return step
    views = tuple(old and view(old) for old in step.inputs)
    return Program(step.operator, views, tuple(old and nest(old) for old in step.outputs))
