"""Steps: what a device does, over numbered slots of memory. They know nothing of operators' fields.

A `Nest` is loops around one element's work: moves, fills, conversions and pointwise chains. A `Program` is an array
program; each of its results goes through a nest of its own, so that what follows can be fused into it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING, Protocol

from anydml.core.datatype import DataType
from anydml.core.expression import Node, describe, leaves, load, substitute

if TYPE_CHECKING:
    from anydml.core.schema import Operator


@dataclass(frozen=True)
class Access:
    """A slot seen from loops: where, in elements of a type, each iteration reads or writes."""

    slot: int
    type: DataType
    strides: tuple[int, ...]
    offset: int = 0

    def bounds(self, sizes: tuple[int, ...]) -> tuple[int, int]:
        """The lowest and the highest element reached."""
        reaches = [(size - 1) * stride for size, stride in zip(sizes, self.strides, strict=True)]
        return self.offset + sum(r for r in reaches if r < 0), self.offset + sum(r for r in reaches if r > 0)


@dataclass(frozen=True)
class Store:
    """A value written to a slot, converted to its type as CAST does."""

    access: Access
    value: Node


@dataclass(frozen=True)
class Nest:
    """Loops around loads, expressions and stores; outermost loop first."""

    sizes: tuple[int, ...]
    loads: tuple[Access, ...]
    stores: tuple[Store, ...]

    @classmethod
    def copy(cls, sizes: tuple[int, ...], source: Access, destination: Access) -> Nest:
        """Elements that only move."""
        return cls(sizes, (source,), (Store(destination, load(0, source.type.numpy_dtype)),))

    def reads(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        """Every access that reads, with the sizes of its loops."""
        return ((access, self.sizes) for access in self.loads)

    def writes(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        return ((store.access, self.sizes) for store in self.stores)

    def describe(self, names: Callable[[int], str]) -> str:
        return _describe_nest(self, names)

    def renamed(self, slot: Callable[[int], int]) -> Nest:
        """The same over other slots."""
        loads = tuple(replace(access, slot=slot(access.slot)) for access in self.loads)
        stores = tuple(replace(s, access=replace(s.access, slot=slot(s.access.slot))) for s in self.stores)
        return Nest(self.sizes, loads, stores)

    @property
    def iterations(self) -> int:
        return prod(self.sizes)

    @property
    def is_copy(self) -> bool:
        """Whether elements only move: one load, one store of the same type."""
        if len(self.loads) != 1 or len(self.stores) != 1:
            return False
        store = self.stores[0]
        return store.value.op == "load" and store.access.type is self.loads[0].type

    @property
    def is_fill(self) -> bool:
        """Whether one constant is written."""
        return len(self.stores) == 1 and self.stores[0].value.op == "constant"


@dataclass(frozen=True)
class View:
    """An array that a program reads: a slot with sizes, strides and an offset in elements."""

    slot: int
    type: DataType
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    @property
    def access(self) -> Access:
        return Access(self.slot, self.type, self.strides, self.offset)


@dataclass(frozen=True)
class Program:
    """An operator's array program, or a kernel that a device has for it.

    `inputs` are in the order of the operator's input points, `outputs` in that of its output points; None where a
    tensor is absent. The nest of an output stores expressions of the `result` element, over the output's dimensions.
    """

    operator: Operator
    inputs: tuple[View | None, ...]
    outputs: tuple[Nest | None, ...]

    def reads(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        for view in self.inputs:
            if view is not None:
                yield view.access, view.sizes
        for nest in self.outputs:
            yield from nest.reads() if nest is not None else ()

    def writes(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        for nest in self.outputs:
            yield from nest.writes() if nest is not None else ()

    def describe(self, names: Callable[[int], str]) -> str:
        read = ", ".join("-" if view is None else names(view.slot) for view in self.inputs)
        written = ", ".join("-" if nest is None else _describe_nest(nest, names) for nest in self.outputs)
        return f"program {self.operator.dml_type} of {read}: {written}"

    def renamed(self, slot: Callable[[int], int]) -> Program:
        inputs = tuple(None if view is None else replace(view, slot=slot(view.slot)) for view in self.inputs)
        return Program(self.operator, inputs, tuple(n and n.renamed(slot) for n in self.outputs))


class Step(Protocol):
    """What a device does: a nest, a program, or a step of the device's own that came from one."""

    def reads(self) -> Iterator[tuple[Access, tuple[int, ...]]]:
        """Every access that reads, with the sizes of its loops."""
        ...

    def writes(self) -> Iterator[tuple[Access, tuple[int, ...]]]: ...

    def renamed(self, slot: Callable[[int], int]) -> Step:
        """The same over other slots."""
        ...

    def describe(self, names: Callable[[int], str]) -> str:
        """The step in one line."""
        ...


def shifted_loads(value: Node, by: int) -> Node:
    """The expression with the numbers of its loads raised."""
    return substitute(value, lambda node: load(node.value + by, node.type) if node.op == "load" else None)


def without_unused_loads(nest: Nest) -> Nest:
    """The nest with equal loads merged and unused ones dropped."""
    used = [node.value for node in leaves(*(store.value for store in nest.stores)) if node.op == "load"]
    kept = list(dict.fromkeys(nest.loads[number] for number in sorted(used)))
    if len(kept) == len(nest.loads):
        return nest
    place = {number: kept.index(nest.loads[number]) for number in used}

    def renumbered(node: Node) -> Node | None:
        return load(place[node.value], node.type) if node.op == "load" else None

    stores = tuple(Store(store.access, substitute(store.value, renumbered)) for store in nest.stores)
    return Nest(nest.sizes, tuple(kept), stores)


def _describe_nest(nest: Nest, names: Callable[[int], str]) -> str:
    if nest.is_copy:
        return f"copy {list(nest.sizes)} {_place(nest.loads[0], names)} -> {_place(nest.stores[0].access, names)}"
    loads = {number: _place(access, names) for number, access in enumerate(nest.loads)}
    parts = [f"{_place(store.access, names)} = {describe(store.value, loads)}" for store in nest.stores]
    return f"nest {list(nest.sizes)} {'; '.join(parts)}"


def _place(access: Access, names: Callable[[int], str]) -> str:
    offset = f"{access.offset:+d}" if access.offset else ""
    return f"{names(access.slot)}{list(access.strides)}{offset}"
