"""From a Graph to the serialized form that DirectML's tools read."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from anydml.core.errors import ModelError, Violation, raise_if_any, shown
from anydml.core.integers import require_integer
from anydml.core.memory import Bytes
from anydml.core.rules import rule
from anydml.core.schema import Operator, Scalar, TensorField
from anydml.core.schema.fields import AttributeField, CountField
from anydml.core.tensor import TensorDesc
from anydml.core.text import is_well_formed
from anydml.files.access import ARGUMENT, as_path, is_plain_name, write_file
from anydml.frontends.serialized import schema
from anydml.frontends.serialized.tables import LONGEST_TEXT
from anydml.graph.graph import ConstantNode, Graph, Node, OperatorNode, require_graph

TEXT = rule("serialized.text", f"A name in a serialized graph is text in UTF-8, of at most {LONGEST_TEXT} bytes.")
FILE = rule("serialized.file", "Constants have files that are called after that of their graph: by a plain name.")
TWO_NAMES = rule("serialized.two-outputs", "A tensor has one name in a serialized graph, so it is one graph output.")
LARGEST_INLINE_BYTES = 8
"""Constants up to this size are part of the graph file; larger ones have files of their own."""


def write_graph(graph: Graph, path: str | Path, largest_inline_bytes: int = LARGEST_INLINE_BYTES) -> list[Path]:
    """Write a graph, and a file of bytes beside it for each large constant; the files that were written."""
    target = as_path(path, "path")
    data, weights = serialize_graph(graph, largest_inline_bytes, prefix=f"{target.stem}_")
    written = [target.with_name(name + schema.WEIGHTS_SUFFIX) for name in weights]
    for file, content in zip(written, weights.values(), strict=True):
        write_file(file, content.data)
    write_file(target, data)
    return [target, *written]


def serialize_graph(
    graph: Graph, largest_inline_bytes: int | None = None, prefix: str = ""
) -> tuple[bytes, dict[str, Bytes]]:
    """The file, and the constants that are not in it by name. Flags and alignments are no part of the format."""
    limit = None if largest_inline_bytes is None else require_integer(largest_inline_bytes, "largest_inline_bytes")
    if not isinstance(prefix, str):
        raise ModelError(ARGUMENT("prefix", shown(prefix), "a text", "str(...)"))
    writer = _Writer(require_graph(graph), limit, prefix)
    return writer.write(), writer.weights


class _Writer:
    """Builds the tables from the leaves up, as flatbuffers are."""

    def __init__(self, graph: Graph, largest_inline_bytes: int | None, prefix: str) -> None:
        raise_if_any(_unwritable_names(graph), ModelError, "Graph")
        self.graph, self.limit, self.prefix = graph, largest_inline_bytes, prefix
        self.builder = schema.flatbuffers().Builder(1024)
        self.weights: dict[str, Bytes] = {}
        self.strings: dict[str, int] = {}
        self.used: set[str] = set()
        self.inputs = [self._unique(name) for name in graph.input_names]
        self.outputs = [self._unique(name) for name in graph.output_names]
        self.names = self._name_tensors()

    def write(self) -> bytes:
        nodes = [self._node(self.graph.nodes[index], index) for index in self.graph.order]
        fields = {
            "nodes": self._vector(nodes),
            "graphInputNames": self._texts(self.inputs),
            "graphOutputNames": self._texts([name for name in self.outputs if name in self.names.values()]),
        }
        self.builder.Finish(self._table(schema.GRAPH, fields))
        return bytes(self.builder.Output())

    # Names

    def _unique(self, name: str) -> str:
        wanted, count = name, 2
        while wanted in self.used:
            wanted, count = f"{name}_{count}", count + 1
        self.used.add(wanted)
        return wanted

    def _name_tensors(self) -> dict[tuple[str, int, int], str]:
        """The name at each input and output of each node."""
        names: dict[tuple[str, int, int], str] = {}
        for edge in self.graph.output_edges:
            key = ("output", edge.from_node_index, edge.from_node_output_index)
            if key in names:
                node = f"nodes[{edge.from_node_index}] ({self.graph.nodes[edge.from_node_index]})"
                expected = "one graph output for each tensor"
                raise ModelError(TWO_NAMES(node, "a tensor that is two graph outputs", expected, "an identity between"))
            names[key] = self.outputs[edge.graph_output_index]
        for between in self.graph.intermediate_edges:
            key = ("output", between.from_node_index, between.from_node_output_index)
            if key not in names:
                names[key] = self._unique(f"tensor_{between.from_node_index}_{between.from_node_output_index}")
            names["input", between.to_node_index, between.to_node_input_index] = names[key]
        for edge_in in self.graph.input_edges:
            name = self.inputs[edge_in.graph_input_index]
            names["input", edge_in.to_node_index, edge_in.to_node_input_index] = name
        return names

    # Nodes

    def _node(self, node: Node, index: int) -> int:
        points = {role: node.points(role) for role in ("input", "output")} if isinstance(node, OperatorNode) else {}
        counts = {"input": len(points.get("input", ())), "output": len(points.get("output", (0,)))}
        names = {role: [self.names.get((role, index, i), "") for i in range(counts[role])] for role in counts}
        is_operator = isinstance(node, OperatorNode)
        desc = self._operator(node.operator) if isinstance(node, OperatorNode) else self._constant(node, index)
        fields = {
            "desc_type": ("uint8", schema.OPERATOR_NODE if is_operator else schema.CONSTANT_NODE),
            "desc": desc,
            "name": self._text(node.name or f"{_kind(node)}_{index}"),
            "inputNames": self._texts(names["input"]),
            "outputNames": self._texts(names["output"]),
        }
        return self._table(schema.NODE, fields)

    def _constant(self, node: ConstantNode, index: int) -> int:
        if self.limit is None or node.data.size <= self.limit:
            content = self.builder.CreateByteVector(node.data.tobytes())
            kind, data = schema.RAW_CONSTANT, self._table(schema.RAW_DATA, {"data": content})
        else:
            name = _file_name(self.prefix, index)
            self.weights[name] = np.ascontiguousarray(node.data)
            kind, data = schema.NAMED_CONSTANT, self._table(schema.CONSTANT_NAME, {"name": self._text(name)})
        return self._table(schema.CONSTANT, {"data_type": ("uint8", kind), "data": data})

    def _operator(self, operator: Operator) -> int:
        tensors = {
            role: [self._tensor(point.tensor) for point in operator.points(role) if point.tensor is not None]
            for role in ("input", "output")
        }
        fields = {
            "type": self._text(schema.OPERATOR_PREFIX + operator.dml_type),
            "inputs": self._vector(tensors["input"]),
            "outputs": self._vector(tensors["output"]),
            "attributes": self._attributes(operator),
        }
        return self._table(schema.OPERATOR, fields)

    def _tensor(self, tensor: TensorDesc) -> int:
        fields: dict[str, Any] = {
            "dataType": self._text(tensor.data_type.dml_name),
            "sizes": self._numbers(tensor.sizes, "I"),
            "totalTensorSizeInBytes": ("uint64", tensor.total_tensor_size_in_bytes),
        }
        if not tensor.has_implicit_strides:
            fields["strides"] = self._numbers(tensor.strides, "I")
        return self._table(schema.TENSOR, fields)

    # Attributes

    def _attributes(self, operator: Operator) -> int:
        fields = [field for field in operator.struct_fields() if not isinstance(field, TensorField)]
        return self._vector([self._attribute(operator, field) for field in fields])

    def _attribute(self, operator: Operator, field: AttributeField | CountField) -> int:
        is_count = isinstance(field, CountField)
        kind = "UInt32" if is_count else schema.value_of(field.type_name)  # type: ignore[union-attr]
        value = operator.count(field) if isinstance(field, CountField) else getattr(operator, field.name)
        fields: dict[str, Any] = {"val_type": ("uint8", schema.VALUES[kind])}
        if value is not None:
            if isinstance(field, AttributeField) and isinstance(field.type, Scalar):
                value = _scalar_bytes(value, getattr(operator, field.type.type_field))
            fields |= {"name": self._text(field.dml_name), "val": self._value(kind, value)}
        return self._table(schema.ATTRIBUTE, fields)

    def _value(self, kind: str, value: Any) -> int:
        packed: dict[str, Callable[[], bytes]] = {
            "UInt32": lambda: struct.pack("<I", value if isinstance(value, int) else _number(value)),
            "Int32": lambda: struct.pack("<i", value),
            "Float32": lambda: struct.pack("<f", value),
            "Bool": lambda: struct.pack("<B", value),
            "ScaleBias": lambda: struct.pack("<ff", *value),
            "Size2D": lambda: struct.pack("<II", *value),
        }
        if kind in packed:
            return self._struct(packed[kind]())
        if kind == "ScalarUnionData":
            fields = {"data_type": ("uint8", schema.SCALAR_BYTES), "data": self._struct(value)}
            return self._table(schema.SCALAR, fields)
        if kind == "Activation":
            return self._activation(value)
        if kind == "ActivationArray":
            each = self._vector([self._activation(operator) for operator in value])
            return self._table(schema.ACTIVATIONS, {"data": each})
        code = {"UIntArray": "I", "IntArray": "i", "FloatArray": "f"}[kind]
        return self._table(schema.ARRAY, {"data": self._numbers(value, code)})

    def _activation(self, operator: Operator) -> int:
        text = self._text(schema.OPERATOR_PREFIX + operator.dml_type)
        return self._table(schema.ACTIVATION, {"type": text, "attributes": self._attributes(operator)})

    # Leaves

    def _table(self, names: tuple[str, ...], fields: dict[str, Any]) -> int:
        """A table; a number is given with its type, anything else as an offset."""
        self.builder.StartObject(len(names))
        for slot, name in enumerate(names):
            value = fields.get(name)
            if isinstance(value, tuple):
                getattr(self.builder, f"Prepend{value[0].capitalize()}Slot")(slot, value[1], 0)
            elif value is not None:
                self.builder.PrependUOffsetTRelativeSlot(slot, value, 0)
        return int(self.builder.EndObject())

    def _text(self, text: str) -> int:
        if text not in self.strings:
            self.strings[text] = int(self.builder.CreateString(text))
        return self.strings[text]

    def _texts(self, texts: list[str]) -> int:
        return self._vector([self._text(text) for text in texts])

    def _vector(self, offsets: list[int]) -> int:
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return int(self.builder.EndVector())

    def _numbers(self, values: Any, code: str) -> int:
        prepend = {"I": "PrependUint32", "i": "PrependInt32", "f": "PrependFloat32"}[code]
        self.builder.StartVector(4, len(values), 4)
        for value in reversed(list(values)):
            getattr(self.builder, prepend)(value)
        return int(self.builder.EndVector())

    def _struct(self, content: bytes) -> int:
        """A structure outside of any table, as the members of unions are."""
        self.builder.Prep(min(len(content), 8), len(content))
        for byte in reversed(content):
            self.builder.Place(byte, schema.flatbuffers().number_types.Uint8Flags)
        return int(self.builder.Offset())


def _unwritable_names(graph: Graph) -> Iterator[Violation]:
    """Names that the format cannot have."""
    named = {f"input_names[{i}]": name for i, name in enumerate(graph.input_names)}
    named |= {f"output_names[{i}]": name for i, name in enumerate(graph.output_names)}
    named |= {f"nodes[{i}].name": node.name for i, node in enumerate(graph.nodes)}
    for path, name in named.items():
        if not is_well_formed(name):
            yield TEXT(path, shown(name), "a name without lone surrogates", "another name")
        elif (size := len(name.encode())) > LONGEST_TEXT:
            yield TEXT(path, f"a name of {size} bytes", f"at most {LONGEST_TEXT}", "a shorter name")


def _file_name(prefix: str, index: int) -> str:
    """The name of a constant's file, without its ending."""
    name = f"{prefix}constant_{index}"
    if not is_plain_name(name) or "/" in name or "\\" in name or not is_well_formed(name):
        raise ModelError(FILE("path", shown(prefix), "the start of a name that every system can have", "'graph.dml'"))
    return name


def _kind(node: Node) -> str:
    return node.operator.dml_type.lower() if isinstance(node, OperatorNode) else "constant"


def _number(value: Any) -> int:
    """The number of an enumeration's member."""
    return int(value.value)


def _scalar_bytes(value: Any, kind: Any) -> bytes:
    """DML_SCALAR_UNION: a number of its type at the start of eight bytes."""
    dtype = kind.numpy_dtype.newbyteorder("<")
    if not kind.is_float:
        bits: int = int(value) & ((1 << kind.bits) - 1)
        return bits.to_bytes(8, "little")
    return bytes(np.array(value, dtype).tobytes().ljust(8, b"\0"))
