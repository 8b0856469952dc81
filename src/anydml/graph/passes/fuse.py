"""fuse: pointwise steps that follow one another become one nest, and what lies between them needs no memory.

A chain is not written anew for each nest that it takes in, which would cost its length every time: a `_Fusion` notes
which value each load stands for, and its expressions are put together when all is decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter

from anydml.core.expression import ElementType, Node, cast, load, substitute, walk
from anydml.core.loops import Route, route
from anydml.core.steps import Access, Nest, Store, without_unused_loads
from anydml.graph.plan import Plan, Uses

MOST_OPERATIONS = 256
"""Longer chains are cut: what is gained no longer grows, and the time to compile them does."""


def fuse(plan: Plan) -> Plan:
    """From the first step on: each nest takes in the nests that only it reads."""
    uses = Uses(plan)
    fusions = {number: _Fusion(number, step) for number, step in enumerate(plan.steps) if isinstance(step, Nest)}
    for number in fusions:
        while _merge_once(uses, fusions, number):
            pass
    for number, fusion in fusions.items():
        if uses.steps[number] is not None:
            uses.steps[number] = fusion.nest()
    return uses.result()


def operations_of(nest: Nest) -> int:
    return len(walk(*(store.value for store in nest.stores)))


def _merge_once(uses: Uses, fusions: dict[int, _Fusion], number: int) -> bool:
    """Whether the nest took in one of its producers."""
    consumer = fusions[number]
    for access in consumer.loads:
        first = uses.producer(access.slot, number)
        producer = None if first is None else fusions.get(first)
        if first is None or producer is None or len(producer.stores) != 1:
            continue
        if producer.least_operations + consumer.least_operations > MOST_OPERATIONS:
            continue
        found = _route_to(producer, consumer, access)
        if found is None or not uses.may_merge(first, number, access.slot) or not _is_short(producer, consumer):
            continue
        consumer.take_in(producer, access, found)
        uses.merge(first, number, access.slot)
        return True
    return False


def _route_to(producer: _Fusion, consumer: _Fusion, access: Access) -> Route | None:
    """Where the consumer reads the producer's value; None where the indices do not fit, or it is computed twice."""
    (written,) = producer.stores
    if access.type is not written.type or access.type.is_packed_pair:
        return None
    if sum(other.slot == access.slot for other in consumer.loads) != 1:
        return None
    found = route(consumer.sizes, access.strides, access.offset, producer.sizes, written.strides, written.offset)
    return None if found is None or found.repeats else found


def _is_short(producer: _Fusion, consumer: _Fusion) -> bool:
    """Whether both together are short enough. Their operations are counted only where a bound does not tell."""
    if producer.most_operations + consumer.most_operations <= MOST_OPERATIONS:
        return True
    return producer.operations() + consumer.operations() <= MOST_OPERATIONS


@dataclass(eq=False)
class _Part:
    """One of the nests that become one: values over loads, some of which are values of other parts."""

    number: int
    values: tuple[Node, ...]
    loads: list[_Load]


@dataclass(eq=False)
class _Load:
    """What a load of a part stands for: a load of the whole nest, or the value of a part that it took in."""

    type: ElementType
    number: int = 0
    part: _Part | None = None

    def node(self) -> Node:
        """A value that was taken in is rounded as the memory between would have."""
        return load(self.number, self.type) if self.part is None else cast(self.part.values[0], self.type)


class _Fusion:
    """A nest that takes in others."""

    def __init__(self, number: int, nest: Nest) -> None:
        self._number = number
        self._begin(without_unused_loads(nest))

    def _begin(self, nest: Nest) -> None:
        values = tuple(store.value for store in nest.stores)
        self._nest: Nest | None = nest
        self._part = _Part(self._number, values, [_Load(access.type.numpy_dtype) for access in nest.loads])
        self._parts = [self._part]
        self.sizes, self.stores = nest.sizes, [store.access for store in nest.stores]
        self.loads = {access: [each] for access, each in zip(nest.loads, self._part.loads, strict=True)}
        """What it reads in order, and the loads of its parts that read it."""
        self.least_operations = self.most_operations = operations_of(nest)
        """Bounds: parts may have operations in common, which are one operation in the end."""
        self._least_taken_in = 0
        """The most operations of a part that was taken in and has not changed since."""

    def nest(self) -> Nest:
        """All that it is so far as one nest."""
        if self._nest is None:
            self._begin(self._written())
        assert self._nest is not None
        return self._nest

    def operations(self) -> int:
        self.nest()
        return self.most_operations

    def take_in(self, producer: _Fusion, access: Access, found: Route) -> None:
        """Compute the producer's value where it was read."""
        readers = self.loads.pop(access)
        for reader in readers:
            reader.part = producer._part
        if not found.is_whole:
            self.sizes, self.stores = found.sizes, [_cut(each, found) for each in self.stores]
            self.loads = {_cut(each, found): loads for each, loads in self.loads.items()}
        accesses = _followed(producer.loads, found)
        for place, loads in zip(accesses, producer.loads.values(), strict=True):
            self.loads.setdefault(place, []).extend(loads)
        self._parts += producer._parts
        self._nest = None
        self.most_operations += producer.most_operations
        if any(reader not in self._part.loads for reader in readers):
            self._least_taken_in = 0
        if len(set(accesses)) == len(accesses):
            self._least_taken_in = max(self._least_taken_in, producer.least_operations)
        self.least_operations = self._least_taken_in

    def _written(self) -> Nest:
        """Part by part, those first whose values others use: their steps came first."""
        for number, loads in enumerate(self.loads.values()):
            for each in loads:
                each.number = number
        for part in sorted(self._parts, key=attrgetter("number")):
            nodes = [each.node() for each in part.loads]
            part.values = tuple(substitute(value, partial(_read, nodes)) for value in part.values)
        stores = map(Store, self.stores, self._part.values)
        return Nest(self.sizes, tuple(self.loads), tuple(stores))


def _followed(accesses: Iterable[Access], found: Route) -> list[Access]:
    """Accesses of a producer, seen from the loops that read its value. Many have the same strides."""
    known: dict[tuple[tuple[int, ...], int], tuple[tuple[int, ...], int]] = {}
    result = []
    for each in accesses:
        old = each.strides, each.offset
        new = known.get(old)
        if new is None:
            new = known[old] = found.follow(*old)
        result.append(each if new == old else Access(each.slot, each.type, *new))
    return result


def _cut(access: Access, found: Route) -> Access:
    return replace(access, strides=found.cut(access.strides))


def _read(nodes: Sequence[Node], node: Node) -> Node | None:
    return nodes[node.value] if node.op == "load" else None
