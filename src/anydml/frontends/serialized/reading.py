"""From a serialized graph to a Graph, or to an error that names the node and the field."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import anydml.operators  # noqa: F401 - declares them all
from anydml.core.datatype import DataType
from anydml.core.errors import DmlError, InvalidDescriptionError, ModelError, shortened, shown
from anydml.core.fixes import suggest
from anydml.core.memory import Bytes
from anydml.core.naming import free_name
from anydml.core.rules import rule
from anydml.core.schema import OPERATORS, Operator, Scalar, TensorField
from anydml.core.schema.fields import CountField, Field
from anydml.core.schema.names import ALIASES
from anydml.core.text import printable
from anydml.files.access import ARGUMENT, READ, SOURCE, SourceFile, as_path, file_size, read_bytes, read_into
from anydml.files.sources import Sources
from anydml.frontends.serialized import schema
from anydml.frontends.serialized.tables import FORMAT, MISSING, File, Table, refuse
from anydml.graph.graph import ConstantNode, Graph, InputEdge, IntermediateEdge, Node, OperatorNode, OutputEdge
from anydml.runtime.budget import memory_budget

OPERATOR = rule("serialized.operator", "An operator node has the type of an operator that exists.")
ATTRIBUTE = rule("serialized.attribute", "An attribute's value is of the kind that its operator has there.")
NAMES = rule("serialized.names", "A node's inputs come from graph inputs and from nodes before it, by name.")
WEIGHTS = rule("serialized.weights", "The bytes of a named constant are in a file of that name beside the graph.")
_DEEPEST_ACTIVATION = 1
_MAXIMUM_BYTES = 1 << 31
Weights = Callable[[str, str], Bytes]
"""The bytes of a constant, from its name and the path of its node."""


def read_graph(path: str | Path, *, allow_outside: bool = False) -> Graph:
    """The graph in a file; the weights lie beside it, in files that `allow_outside` lets lie anywhere."""
    found = as_path(path, "path")
    return read_graph_file(found, Sources.of_graph(found, allow_outside=allow_outside))


def read_graph_file(file: Path | SourceFile, sources: Sources) -> Graph:
    """The graph in a file whose weights are found in `sources`."""
    left = [memory_budget()]
    try:
        size = file_size(file)
        if size >= _MAXIMUM_BYTES:
            raise refuse(FORMAT, "", f"{size} bytes", f"less than {_MAXIMUM_BYTES}, what a flatbuffer can have")
        return parse_graph(read_bytes(file, size), lambda name, where: _read_weights(sources, name, where, left))
    except DmlError as error:
        name = shortened(printable(os.fspath(file)))
        raise ModelError(error.violations, name.strip() or repr(name)) from None


def parse_graph(data: bytes, weights: Weights | None = None) -> Graph:
    """The graph in these bytes. Nothing is allocated that the bytes do not back."""
    if weights is not None and not callable(weights):
        raise ModelError(ARGUMENT("weights", shown(weights), "a function of a name and a place", "read_graph(path)"))
    try:
        root = File(data).root(schema.GRAPH, "")
        return _GraphReader(root, _no_weights if weights is None else weights).read()
    except (InvalidDescriptionError, ModelError) as error:
        raise ModelError(error.violations, "serialized graph") from None


def _no_weights(name: str, where: str) -> Bytes:
    raise refuse(WEIGHTS, where, shown(name), "constants in the graph itself", "read_graph, which reads files")


def _read_weights(sources: Sources, name: str, where: str, left: list[int]) -> Bytes:
    """The bytes in the file of a constant."""
    try:
        file = sources.find(name + schema.WEIGHTS_SUFFIX)
        size = file_size(file)
        if size > left[0]:
            raise refuse(WEIGHTS, "", f"{size} bytes", f"at most {left[0]}, what fits in memory")
        left[0] -= size
        content = np.empty(size, np.uint8)
        read_into(file, content)
    except ModelError as error:
        told = error.violations[0]
        if told.rule in (SOURCE.id, READ.id):
            raise refuse(WEIGHTS, where, told.found, told.expected) from None
        raise ModelError(told.under(where)) from None
    return content


class _GraphReader:
    """Nodes in the order of the file, and the edges that names make between them."""

    def __init__(self, root: Table, weights: Weights) -> None:
        self.root, self.weights = root, weights
        self.input_names = root.texts("graphInputNames")
        self.output_names = [name for name in root.texts("graphOutputNames") if name]
        # Where a name is empty, nothing is connected.
        self.inputs = {name: i for i, name in enumerate(self.input_names) if name}
        self.outputs = {name: i for i, name in enumerate(self.output_names)}
        self.made: dict[str, tuple[int, int]] = {}
        self.nodes: list[Node] = []
        self.input_edges: list[InputEdge] = []
        self.output_edges: list[OutputEdge] = []
        self.between: list[IntermediateEdge] = []

    def read(self) -> Graph:
        for table in self.root.tables("nodes", schema.NODE):
            self._node(table)
        named = self.inputs.keys() | self.outputs.keys()
        return Graph(
            self.nodes,
            self.input_edges,
            self.output_edges,
            self.between,
            input_names=[name or free_name(f"input{i}", named) for i, name in enumerate(self.input_names)],
            output_names=self.output_names,
        )

    def _node(self, table: Table) -> None:
        name = table.require_text("name")
        index, kind = len(self.nodes), table.number("desc_type", "uint8")
        inputs, outputs = table.texts("inputNames"), table.texts("outputNames")
        if kind == schema.OPERATOR_NODE:
            desc = table.require_table("desc", schema.OPERATOR)
            self.nodes.append(OperatorNode(_OperatorReader(desc, inputs, outputs).read(), name))
        elif kind == schema.CONSTANT_NODE:
            self.nodes.append(self._constant(table.require_table("desc", schema.CONSTANT), name))
        else:
            raise refuse(FORMAT, table.where("desc_type"), kind, "1 (an operator) or 2 (a constant)")
        self._connect(table.path, index, inputs, outputs)

    def _constant(self, table: Table, name: str) -> ConstantNode:
        kind = table.number("data_type", "uint8")
        if kind == schema.NAMED_CONSTANT:
            constant = table.require_table("data", schema.CONSTANT_NAME).require_text("name")
            return ConstantNode(self.weights(constant, table.where("data.name")), name)
        if kind != schema.RAW_CONSTANT:
            raise refuse(FORMAT, table.where("data_type"), kind, "1 (a name) or 2 (bytes)")
        content = table.require_table("data", schema.RAW_DATA).bytes("data")
        if content is None or not content.size:
            raise refuse(MISSING, table.where("data.data"), "nothing", "the bytes of the constant")
        table.file.spend(content.size, table.where("data.data"))
        return ConstantNode(content.copy(), name)  # the file's bytes may lie at odd addresses

    def _connect(self, path: str, index: int, inputs: list[str], outputs: list[str]) -> None:
        for i, name in enumerate(inputs):
            if name in self.inputs:
                self.input_edges.append(InputEdge(self.inputs[name], index, i))
            elif name in self.made:
                self.between.append(IntermediateEdge(*self.made[name], index, i))
            elif name:
                expected = "a graph input, or an output of a node before it"
                raise refuse(NAMES, f"{path}.inputNames[{i}]", shown(name), expected)
        for i, name in enumerate(outputs):
            if not name:
                continue
            if name in self.made or name in self.inputs:
                expected = "a name of its own"
                raise refuse(NAMES, f"{path}.outputNames[{i}]", f"{shown(name)} a second time", expected)
            self.made[name] = (index, i)
            if name in self.outputs:
                self.output_edges.append(OutputEdge(index, i, self.outputs[name]))


class _OperatorReader:
    """An operator: tensors for the names that are not empty, attributes by their position."""

    def __init__(self, table: Table, inputs: list[str], outputs: list[str]) -> None:
        self.table = table
        self.names = {"input": iter(inputs), "output": iter(outputs)}
        self.left = {"input": _tensors(table, "inputs"), "output": _tensors(table, "outputs")}

    def read(self) -> Operator:
        text = self.table.require_text("type")
        cls = _find(text, self.table.where("type"))
        attributes = list(self.table.tables("attributes", schema.ATTRIBUTE))
        values = _attributes(cls, attributes, self.table.where("attributes"))
        for field in cls.tensor_fields():
            values[field.dml_name] = self._tensor(field)
        try:
            return cls.from_model({key: value for key, value in values.items() if value is not None})
        except DmlError as error:
            raise ModelError([violation.under(self.table.path) for violation in error.violations]) from None

    def _tensor(self, field: TensorField) -> Any:
        names, tensors = self.names[field.role], self.left[field.role]
        if field.is_list:
            return list(tensors)
        if not next(names, ""):
            return None
        found = next(tensors, None)
        if found is None:
            where = self.table.where(f"{field.role}s")
            raise refuse(MISSING, where, "too few tensors", f"one for each name, {field.dml_name} too")
        return found


def _find(text: str, where: str) -> type[Operator]:
    name = text.removeprefix(schema.OPERATOR_PREFIX)
    cls = OPERATORS.get(ALIASES.get(name, name))
    if cls is None:
        fix = suggest(name[:64], OPERATORS)
        raise ModelError(OPERATOR(where, shown(text), "an operator of DirectML", fix))
    return cls


def _tensors(table: Table, name: str) -> Iterator[dict[str, Any]]:
    """The descriptions that a vector has."""
    for tensor in table.tables(name, schema.TENSOR):
        strides = tensor.numbers("strides", "uint32")
        yield {
            "DataType": tensor.require_text("dataType"),
            "Sizes": tensor.numbers("sizes", "uint32") or [],
            **({} if strides is None else {"Strides": strides}),
            "TotalTensorSizeInBytes": tensor.number("totalTensorSizeInBytes", "uint64"),
        }


def _attributes(cls: type[Operator], given: list[Table], where: str, depth: int = 0) -> dict[str, Any]:
    """The values of attributes, by their names: they stand in the order of DirectML's structure, counts included."""
    fields = [field for field in cls.struct_fields() if not isinstance(field, TensorField)]
    if len(given) > len(fields):
        found, expected = f"{len(given)} attributes", f"at most {len(fields)}, those of {cls.dml_type}"
        raise refuse(ATTRIBUTE, where, found, expected)
    values: dict[str, Any] = {}
    for field, table in zip(fields, given, strict=False):
        name = table.text("name")
        if name and name != field.dml_name:
            raise refuse(ATTRIBUTE, table.where("name"), shown(name), f"{field.dml_name!r}")
        values[field.dml_name] = _value(field, table, depth)
    for scalar in (f for f in fields if not isinstance(f, CountField) and isinstance(f.type, Scalar)):
        values[scalar.dml_name] = _scalar(scalar, cls, values)
    return values


def _value(field: Field | CountField, table: Table, depth: int) -> Any:
    wanted = "UInt32" if isinstance(field, CountField) else schema.value_of(field.type_name)
    target, kind = table.target("val"), table.number("val_type", "uint8")
    if target is None:
        return None
    if kind != schema.VALUES[wanted]:
        known = {number: name for name, number in schema.VALUES.items()}
        found, expected = known.get(kind, f"value {kind}"), f"{wanted} for {field.dml_name}"
        raise refuse(ATTRIBUTE, table.where("val_type"), found, expected)
    return _READERS[wanted](table, target, depth)


def _one(kind: str) -> Callable[[Table, int, int], Any]:
    return lambda table, target, depth: table.file.number(kind, target, table.where("val"))


def _two(kind: str, *names: str) -> Callable[[Table, int, int], Any]:
    def read(table: Table, target: int, depth: int) -> dict[str, Any]:
        numbers = (table.file.number(kind, target + 4 * i, table.where("val")) for i in range(2))
        return dict(zip(names, numbers, strict=True))

    return read


def _many(kind: str) -> Callable[[Table, int, int], Any]:
    def read(table: Table, target: int, depth: int) -> list[Any]:
        return Table(table.file, target, schema.ARRAY, table.where("val")).numbers("data", kind) or []

    return read


def _bytes_of_scalar(table: Table, target: int, depth: int) -> bytes:
    union = Table(table.file, target, schema.SCALAR, table.where("val"))
    kind, place = union.number("data_type", "uint8"), union.target("data")
    if kind != schema.SCALAR_BYTES or place is None:
        raise refuse(ATTRIBUTE, union.where("data_type"), kind, "1, the eight bytes of a scalar")
    return bytes(table.file.number("uint8", place + i, union.where("data")) for i in range(8))


def _activation(table: Table, target: int, depth: int) -> dict[str, Any]:
    return _read_activation(Table(table.file, target, schema.ACTIVATION, table.where("val")), depth)


def _activations(table: Table, target: int, depth: int) -> list[dict[str, Any]]:
    inner = Table(table.file, target, schema.ACTIVATIONS, table.where("val"))
    return [_read_activation(each, depth) for each in inner.tables("data", schema.ACTIVATION)]


def _read_activation(table: Table, depth: int) -> dict[str, Any]:
    if depth >= _DEEPEST_ACTIVATION:
        raise refuse(FORMAT, table.path, "an activation inside an activation", "numbers alone")
    text = table.require_text("type")
    cls = _find(text, table.where("type"))
    given = list(table.tables("attributes", schema.ATTRIBUTE))
    values = _attributes(cls, given, table.where("attributes"), depth + 1)
    return {"Type": cls.dml_type, **{key: value for key, value in values.items() if value is not None}}


def _scalar(field: Any, cls: type[Operator], values: dict[str, Any]) -> Any:
    """The number in the bytes of a scalar, of the type that the field beside it names."""
    content, number = values.get(field.dml_name), values.get(cls.fields[field.type.type_field].dml_name)
    if not isinstance(content, bytes) or not isinstance(number, int):
        return None
    kind = next((kind for kind in DataType if kind.id == number), None)
    return None if kind is None else np.frombuffer(content, kind.numpy_dtype.newbyteorder("<"))[0].item()


_READERS: dict[str, Callable[[Table, int, int], Any]] = {
    "UInt32": _one("uint32"),
    "Int32": _one("int32"),
    "Float32": _one("float32"),
    "Bool": lambda table, target, depth: bool(table.file.number("uint8", target, table.where("val"))),
    "UIntArray": _many("uint32"),
    "IntArray": _many("int32"),
    "FloatArray": _many("float32"),
    "ScaleBias": _two("float32", "Scale", "Bias"),
    "Size2D": _two("uint32", "Width", "Height"),
    "ScalarUnionData": _bytes_of_scalar,
    "Activation": _activation,
    "ActivationArray": _activations,
}
