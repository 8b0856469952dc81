"""From a program's output to an epilogue: what happens to sums in registers, and what a nest does afterwards."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, Node, cast, load, result, substitute
from anydml.core.steps import Access, Nest, Step, Store, shifted_loads, without_unused_loads
from anydml.runtime.cpu.contraction.epilogue import Epilogue, Place
from anydml.runtime.cpu.contraction.expressions import can_emit
from anydml.runtime.cpu.contraction.machine import Machine
from anydml.runtime.cpu.expand import Workspace

Formula = Callable[[Node], Node]
Seen = Callable[[Access], Place]
"""An access over the dimensions of the output, seen from the loops of a product."""


@dataclass(frozen=True)
class Finish:
    """What becomes of sums: `value` is an expression of the `result` and of loads; `activate` follows."""

    value: Node
    loads: tuple[Access, ...] = ()
    activate: Formula | None = None

    def activated(self, value: Node) -> Node:
        return value if self.activate is None else self.activate(value)


@dataclass(frozen=True)
class Finished:
    """Where the sums go, over the dimensions of the output, and the steps that come after the product."""

    values: tuple[Node, ...]
    loads: tuple[Access, ...]
    stores: tuple[Access, ...]
    after: tuple[Step, ...] = ()

    def epilogue(self, seen: Seen, folded: str, is_single: bool) -> Epilogue:
        loads, stores = tuple(map(seen, self.loads)), tuple(map(seen, self.stores))
        return Epilogue(loads, stores, self.values, folded, is_single)


def finish(nest: Nest, how: Finish, output: DataType, machine: Machine, workspace: Workspace) -> Finished | None:
    """All of it in registers if that can be; else the activation and what follows are a nest of their own."""
    base = len(nest.loads)
    value = shifted_loads(how.value, base)
    whole = _through(nest, cast(how.activated(value), output.numpy_dtype))
    is_stored_whole = not any(store.access.type.is_packed_pair for store in whole.stores)
    if is_stored_whole and can_emit(machine, *(store.value for store in whole.stores)):
        loads = (*nest.loads, *how.loads)
        kept = without_unused_loads(Nest(nest.sizes, loads, whole.stores))
        if not any(access.type.is_packed_pair for access in kept.loads):
            stores = tuple(store.access for store in kept.stores)
            return Finished(tuple(store.value for store in kept.stores), kept.loads, stores)
    if how.value.type != FLOAT32 or not can_emit(machine, how.value):
        return None
    return _in_two(nest, how, output, workspace)


def _through(nest: Nest, value: Node) -> Nest:
    """The nest with its result replaced by a value, and values as their places hold them."""

    def replaced(node: Node) -> Node | None:
        return value if node.op == "result" else None

    stores = []
    for store in nest.stores:
        found = substitute(store.value, replaced)
        if not store.access.type.is_packed_pair:
            found = cast(found, store.access.type.numpy_dtype)
        stores.append(Store(store.access, found))
    return replace(nest, stores=tuple(stores))


def _in_two(nest: Nest, how: Finish, output: DataType, workspace: Workspace) -> Finished:
    """The sums with what is added to them go to memory between, and a nest does the rest."""
    between = _between(nest, workspace)
    value = cast(how.activated(load(len(nest.loads), FLOAT32)), output.numpy_dtype)
    rest = _through(nest, value)
    after = without_unused_loads(Nest(nest.sizes, (*nest.loads, between), rest.stores))
    return Finished((how.value,), how.loads, (between,), (after,))


def _between(nest: Nest, workspace: Workspace) -> Access:
    """Memory for float32 results: that of the output, if nothing else is there, or a slot of its own."""
    places = {access.slot for access in nest.loads}
    if len(nest.stores) == 1:
        access = nest.stores[0].access
        repeats = any(stride == 0 for stride, size in zip(access.strides, nest.sizes, strict=True) if size > 1)
        if access.type is DataType.FLOAT32 and access.slot not in places and not repeats:
            return access
    slot = workspace.temporary(prod(nest.sizes) * 4, "sums")
    strides = tuple(prod(nest.sizes[axis + 1 :]) for axis in range(len(nest.sizes)))
    return Access(slot, DataType.FLOAT32, strides)


def sums_of_floats() -> Node:
    """The sum that a product of floats computes."""
    return result(FLOAT32)
