"""What only the whole model shows: names, memory, and buffers that fit the tensors they are bound to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import lcm, prod
from typing import Any

import numpy as np

from anydml.core.errors import DmlError, Violation
from anydml.core.fixes import Advice, Resize, Use
from anydml.core.rules import rule
from anydml.core.tensor import MINIMUM_ALIGNMENT_BYTES
from anydml.files.json_tree import Node
from anydml.frontends.dxdispatch.commands import NAME
from anydml.frontends.dxdispatch.fields import Notes, nearest, quoted
from anydml.frontends.dxdispatch.model import Bindings, Command, Dispatch, Dispatchable, Resource, Source
from anydml.frontends.dxdispatch.resources import MEMORY
from anydml.graph.graph import Graph, OperatorNode
from anydml.runtime.binding import OFFSET, SIZE, Binder, BufferBinding, binder_of
from anydml.runtime.host import HostMemory
from anydml.runtime.ports import Port

WORK = rule(
    "dispatchable.memory",
    "An operator's tensors fit in memory with every element they have, broadcast ones too, and so does what it "
    "computes with.",
)
_WIDEST_ELEMENT_BYTES = 8
Buffers = Mapping[str, Any]


def buffer_bindings(bindings: Bindings, resources: Mapping[str, Resource], buffers: Buffers) -> dict[str, Any]:
    """What a compiled operator is called with: a list for each tensor that has several."""
    found: dict[str, Any] = {}
    for name, sources in bindings.items():
        each = [BufferBinding(buffers[s.resource], s.offset_in_bytes(resources[s.resource])) for s in sources]
        found[name] = each if len(each) != 1 else each[0]
    return found


def check_dispatchable(node: Node, dispatchable: Dispatchable, notes: Notes, budget: int) -> None:
    """Whether an operator's tensors, and what it computes with, can be held in memory at all."""
    desc = node.get("desc") or node.get("Desc") or node
    found = list[Violation]()
    for each in notes.until_full(dispatchable.graph.nodes):
        prefix = f"nodes.{each}." if dispatchable.operator is None else ""
        for point in (*each.points("input"), *each.points("output")) if isinstance(each, OperatorNode) else ():
            count = prod(point.tensor.sizes) if point.tensor is not None else 0
            if count * _WIDEST_ELEMENT_BYTES > budget:
                expected = f"at most {budget // _WIDEST_ELEMENT_BYTES}, half of this machine's memory"
                path = f"{prefix}{point.dml_name}.Sizes"
                found.append(WORK(path, f"{count} elements", expected, "smaller sizes"))
    notes.adopt(desc, found or list(_beyond_memory(dispatchable.graph, budget)))


def _beyond_memory(graph: Graph, budget: int) -> Iterator[Violation]:
    """Devices have kernels that take less, and a run asks its own: here only what is beyond all memory is refused."""
    for node in graph.nodes:
        operator = node.operator if isinstance(node, OperatorNode) else None
        if operator is not None and operator.form == "compute" and operator.scratch_size_in_bytes > 2 * budget:
            yield working_memory(operator.scratch_size_in_bytes, 2 * budget, "the memory of this machine")


def working_memory(needed: int, most: int, what: str = "half of this machine's memory") -> Violation:
    """What an operator computes with does not fit."""
    return WORK("", f"{needed} bytes to compute with", f"at most {most}, {what}", "smaller sizes")


def check_memory(root: Node, resources: Mapping[str, Resource], notes: Notes, budget: int) -> bool:
    """Whether all resources fit; the largest one is named when they do not."""
    total = sum(resource.size_in_bytes for resource in resources.values())
    if total <= budget:
        return True
    largest = max(resources.values(), key=lambda resource: resource.size_in_bytes)
    entries = root.get("resources")
    node = (entries.get(largest.name) if entries is not None else None) or root
    found = f"{largest.size_in_bytes} bytes here, {total} in all"
    notes.add(node, MEMORY, found, f"at most {budget}, half of this machine's memory", "fewer values")
    return False


def check_dispatches(
    notes: Notes,
    resources: Mapping[str, Resource | None],
    dispatchables: Mapping[str, Dispatchable],
    commands: Iterable[tuple[Node, Command]],
) -> None:
    """Bind every dispatchable and dispatch to memory of the right sizes, as a run will."""
    checker = _BindingChecker(notes, resources)
    owners = notes.document.root.get("dispatchables")
    for name, dispatchable in notes.until_full(dispatchables.items()):
        node = owners.get(name) if owners is not None else None
        assert node is not None  # it was read from there
        checker.check(node, dispatchable, dispatchable.bindings, owned=True)
    for node, command in notes.until_full(commands):
        if isinstance(command, Dispatch):
            checker.check(node, dispatchables[command.dispatchable], command.bindings, owned=False)


class _BindingChecker:
    """Binds as a run does, to memory nobody touches: that costs nothing, and the rules need no second wording."""

    def __init__(self, notes: Notes, resources: Mapping[str, Resource | None]) -> None:
        self.notes, self.resources, self.memory = notes, resources, HostMemory()
        self.known = {name: resource for name, resource in resources.items() if resource is not None}
        self.binders: dict[str, Binder] = {}
        self.buffers = {name: np.zeros(found.size_in_bytes, np.uint8) for name, found in self.known.items()}

    def check(self, node: Node, dispatchable: Dispatchable, bindings: Bindings, owned: bool) -> None:
        place = node.get("bindings") or node
        named = list(dict.fromkeys(source.resource for sources in bindings.values() for source in sources))
        places = _places(place)
        for name in named:
            if name not in self.resources and not self.notes.document.is_full:
                fix = nearest(name, self.resources)
                self.notes.add(places.get(name, place), NAME, quoted(name), "a resource of the model", fix)
        if not all(name in self.known for name in named):
            return
        try:
            binder = self._binder(dispatchable)
            binder.bind_call((), buffer_bindings(bindings, self.known, self.buffers), initializing=owned)
        except DmlError as error:
            ports = {port.dml_name: port for port in self._binder(dispatchable).ports}
            told = [self._in_elements(violation, bindings, ports) for violation in error.violations]
            self.notes.adopt(place, told)

    def _binder(self, dispatchable: Dispatchable) -> Binder:
        """One for all commands that run the same operator."""
        if dispatchable.name not in self.binders:
            self.binders[dispatchable.name] = binder_of(dispatchable.graph, self.memory)
        return self.binders[dispatchable.name]

    def _in_elements(self, violation: Violation, bindings: Bindings, ports: Mapping[str, Port]) -> Violation:
        """A wrong offset in the unit and under the name a model gives it; anything else as it is."""
        port = ports.get(violation.path.removesuffix(".Offset"))
        named = replace(violation, path=violation.path.replace(".Offset", ".elementOffset"))
        if port is None or port.tensor is None or violation.rule not in (OFFSET.id, SIZE.id):
            return named
        source = _source_of(port, bindings)
        if violation.rule == SIZE.id:
            return self._too_little(violation, source)
        bits = source.element_bits(self.known[source.resource])
        alignment = max(port.offset_step, MINIMUM_ALIGNMENT_BYTES)
        step = lcm(alignment * 8, bits) // bits
        return replace(
            named,
            found=f"{source.element_offset} ({violation.found} bytes)",
            expected=f"a multiple of {step} ({step * bits // 8} bytes)",
            fix=Use(-(-source.element_offset // step) * step),
        )

    def _too_little(self, violation: Violation, source: Source) -> Violation:
        """A resource that ends before the offset, or before the tensor that starts there."""
        resource = self.known[source.resource]
        offset, size = source.offset_in_bytes(resource), resource.size_in_bytes
        if offset < size:
            needed = violation.fix.size_in_bytes + offset if isinstance(violation.fix, Resize) else None
            start = f" from element {source.element_offset} on" if offset else ""
            fix = violation.fix if needed is None else Resize(needed)
            return replace(violation, found=violation.found + start, fix=fix)
        end = -(-size * 8 // source.element_bits(resource))
        return replace(
            violation,
            path=f"{violation.path}.elementOffset",
            found=f"{source.element_offset} ({offset} bytes)",
            expected=f"less than {end} ({size} bytes), the end of {quoted(source.resource)}",
            fix=Advice("a smaller offset, or a larger resource"),
        )


def _source_of(port: Port, bindings: Bindings) -> Source:
    """The range that is bound to a port: its own, or its part of a list."""
    if port.name in bindings:
        return bindings[port.name][0]
    name, _, index = port.name.partition("[")
    return bindings[name][int(index.rstrip("]") or 0)]


def _places(bindings: Node) -> dict[Any, Node]:
    """Where each resource is named first."""
    places: dict[Any, Node] = {}
    for _, entry in bindings.items():
        for source in entry.entries() if entry.is_list else [entry]:
            name = (source.get("name") or source).value
            if isinstance(name, str):
                places.setdefault(name, source)
    return places
