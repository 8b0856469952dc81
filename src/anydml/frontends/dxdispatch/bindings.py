"""Reading bindings: which range of which resource a tensor uses."""

from __future__ import annotations

from anydml.core.rules import rule
from anydml.core.schema import Operator
from anydml.files.json_tree import Node
from anydml.frontends.dxdispatch.fields import KIND, UINT32_MAX, Fields, Notes, nearest, quoted
from anydml.frontends.dxdispatch.model import Bindings, Source

POINT = rule("bindings.point", "Bindings name tensors of the operator.")


def read_bindings(node: Node | None, cls: type[Operator] | None, notes: Notes) -> Bindings:
    """Sources by the Python name of each tensor; what does not exist is noted."""
    if node is None:
        return {}
    if not node.is_object:
        notes.add(node, KIND, node.kind, "an object with a resource for each tensor")
        return {}
    tensors = (
        {} if cls is None else {name: field for field in cls.tensor_fields() for name in (field.dml_name, field.name)}
    )
    found: dict[str, tuple[Source, ...]] = {}
    for key, entry in node.items():
        given = entry.entries() if entry.is_list else [entry]
        sources = [_read_source(each, notes) for each in notes.until_full(given)]
        field = tensors.get(key)
        if field is None:
            if cls is not None and not notes.document.is_full:
                known = [field.dml_name for field in cls.tensor_fields()]
                notes.add(entry, POINT, quoted(key), f"a tensor of {cls.dml_type}", nearest(key, known))
        elif field.name in found:
            notes.add(entry, POINT, "the tensor a second time", "each tensor once", "removing one of them")
        elif not field.is_list and len(sources) != 1:
            notes.add(entry, POINT, f"{len(sources)} resources", "one, since this is one tensor")
        elif None not in sources:
            found[field.name] = tuple(source for source in sources if source is not None)
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
