"""Reading bindings: which range of which resource a tensor uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anydml.core.rules import rule
from anydml.core.schema import Operator
from anydml.files.json_tree import Node
from anydml.frontends.dxdispatch.fields import KIND, UINT32_MAX, Fields, Notes, nearest, quoted
from anydml.frontends.dxdispatch.model import Bindings, Source
from anydml.graph.graph import Graph

POINT = rule("bindings.point", "Bindings name tensors of the operator, or inputs and outputs of the graph.")


@dataclass(frozen=True)
class Points:
    """What a dispatchable's bindings can name."""

    owner: str
    known: Mapping[str, tuple[str, bool]]
    """The Python name for each spelling, and whether it stands for a list of tensors."""
    shown: tuple[str, ...]

    @classmethod
    def of_operator(cls, operator: type[Operator]) -> Points:
        fields = list(operator.tensor_fields())
        known = {name: (field.name, field.is_list) for field in fields for name in (field.dml_name, field.name)}
        return cls(f"a tensor of {operator.dml_type}", known, tuple(field.dml_name for field in fields))

    @classmethod
    def of_graph(cls, graph: Graph) -> Points:
        names = (*graph.input_names, *graph.output_names)
        return cls("an input or output of the graph", {name: (name, False) for name in names}, names)

    @classmethod
    def of(cls, graph: Graph) -> Points:
        operator = graph.single_operator
        return cls.of_graph(graph) if operator is None else cls.of_operator(type(operator))


def read_bindings(node: Node | None, points: Points | None, notes: Notes) -> Bindings:
    """Sources by the Python name of each tensor; what does not exist is noted."""
    if node is None:
        return {}
    if not node.is_object:
        notes.add(node, KIND, node.kind, "an object with a resource for each tensor")
        return {}
    found: dict[str, tuple[Source, ...]] = {}
    for key, entry in node.items():
        given = entry.entries() if entry.is_list else [entry]
        sources = [_read_source(each, notes) for each in notes.until_full(given)]
        name, is_list = points.known.get(key, ("", False)) if points is not None else ("", False)
        if not name:
            if points is not None and not notes.document.is_full:
                notes.add(entry, POINT, quoted(key), points.owner, nearest(key, points.shown))
        elif name in found:
            notes.add(entry, POINT, "the tensor a second time", "each tensor once", "removing one of them")
        elif not is_list and len(sources) != 1:
            notes.add(entry, POINT, f"{len(sources)} resources", "one, since this is one tensor")
        elif None not in sources:
            found[name] = tuple(source for source in sources if source is not None)
    return found


def _read_source(node: Node, notes: Notes) -> Source | None:
    if isinstance(node.value, str):
        return Source(node.value, 0, None)
    if not node.is_object:
        notes.add(node, KIND, node.kind, "the name of a resource, or an object with it")
        return None
    fields = Fields(node, notes, "a binding")
    name = fields.text("name", "the name of a resource", required=True)
    size = fields.integer("elementSizeInBytes", 0)
    offset = fields.integer("elementOffset", 0)
    # The rest describes views for shaders; operators have tensors that say all of it.
    fields.integer("elementCount", 0)
    fields.text("format", "a DXGI format")
    fields.text("counter", "the name of a resource")
    fields.integer("counterOffsetBytes", 0)
    fields.integers("shape", 0, UINT32_MAX)
    fields.finish()
    return None if name is None else Source(name, offset, size or None)
