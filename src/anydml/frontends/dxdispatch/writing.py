"""A graph as a DxDispatch model: a dispatchable for each operator, a resource for each tensor between them.

The model runs wherever DxDispatch does: with it, what was made here can be run again on a Windows GPU.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anydml.core.errors import ModelError, Violation, counted, raise_if_any, shown
from anydml.core.integers import require_list
from anydml.core.jsontext import require_object
from anydml.core.memory import Bytes, as_bytes
from anydml.core.rules import rule
from anydml.core.schema import Operator, TensorField
from anydml.core.stored import as_array
from anydml.core.tensor import TensorDesc
from anydml.core.text import is_well_formed
from anydml.files.access import as_path, write_files
from anydml.graph.graph import ConstantNode, Graph, OperatorNode, require_graph

INPUTS = rule("export.inputs", "A model has values for every input of its graph, as many bytes as the tensor has.")
NAMES = rule("export.names", "Names in a model have no lone surrogates, which UTF-8 cannot encode.")
INLINE_BYTES = 64
"""Data up to this size stand in the model itself."""


def write_model(graph: Graph, path: str | Path, inputs: Sequence[Any] | Mapping[str, Any] = ()) -> list[Path]:
    """Write a model that runs a graph on these inputs and prints its outputs; the files that were written."""
    target = as_path(path, "path")
    model, data = describe_model(graph, inputs, target.stem)
    files = {target.with_name(name): [content.data] for name, content in data.items()}
    text = json.dumps(model, indent=2).encode()
    write_files({**files, target: [text]})
    return [target, *files]


def describe_model(
    graph: Graph, inputs: Sequence[Any] | Mapping[str, Any] = (), name: str = "model"
) -> tuple[dict[str, Any], dict[str, Bytes]]:
    """The model as JSON values, and the files it reads, by their names."""
    raise_if_any(_unwritable_names(require_graph(graph)), ModelError, "Graph")
    writer = _Writer(graph, name)
    writer.fill(inputs)
    model = {"resources": writer.resources, "dispatchables": writer.dispatchables, "commands": writer.commands()}
    return model, writer.files


def _unwritable_names(graph: Graph) -> Iterator[Violation]:
    """Names that no model can have."""
    names = {f"input_names[{i}]": name for i, name in enumerate(graph.input_names)}
    names |= {f"output_names[{i}]": name for i, name in enumerate(graph.output_names)}
    names |= {f"nodes[{i}].name": node.name for i, node in enumerate(graph.nodes)}
    for path, name in names.items():
        if not is_well_formed(name):
            yield NAMES(path, shown(name), "a name without lone surrogates", "another name")


class _Writer:
    def __init__(self, graph: Graph, name: str) -> None:
        self.graph, self.name = graph, name
        self.files: dict[str, Bytes] = {}
        self.resources: dict[str, Any] = {}
        self.dispatchables: dict[str, Any] = {}
        self.tensors: dict[str, TensorDesc] = {}
        self.at = self._name_tensors()
        self.titles = self._titles()

    # Names

    def _name_tensors(self) -> dict[tuple[str, int, int], str]:
        """The resource at each input and output of each node."""
        names: dict[tuple[str, int, int], str] = {}
        graph = self.graph
        for edge in graph.output_edges:
            key = ("output", edge.from_node_index, edge.from_node_output_index)
            names.setdefault(key, f"output_{graph.output_names[edge.graph_output_index]}")
        for between in graph.intermediate_edges:
            key = ("output", between.from_node_index, between.from_node_output_index)
            names.setdefault(key, f"tensor_{between.from_node_index}_{between.from_node_output_index}")
            names["input", between.to_node_index, between.to_node_input_index] = names[key]
        for edge_in in graph.input_edges:
            name = f"input_{graph.input_names[edge_in.graph_input_index]}"
            names["input", edge_in.to_node_index, edge_in.to_node_input_index] = name
        return names

    def _titles(self) -> dict[int, str]:
        """A name for each node that no other has."""
        return {i: f"{i}_{node}" for i, node in enumerate(self.graph.nodes)}

    # Resources

    def fill(self, inputs: Sequence[Any] | Mapping[str, Any]) -> None:
        """Resources for everything, and dispatchables for the operators."""
        for index in self.graph.order:
            node = self.graph.nodes[index]
            if isinstance(node, OperatorNode):
                self._operator(index, node.operator)
        self._inputs(inputs)
        for index, node in enumerate(self.graph.nodes):
            if isinstance(node, ConstantNode):
                name = self.at["output", index, 0]
                self._resource(name, node.data, self.tensors[name])
        for name, tensor in self.tensors.items():
            if name not in self.resources:
                self.resources[name] = self._zeros(tensor)

    def _inputs(self, inputs: Sequence[Any] | Mapping[str, Any]) -> None:
        names = self.graph.input_names
        if isinstance(inputs, Mapping):
            inputs = require_object(inputs, "inputs")
        else:
            given = require_list(inputs, "inputs", "arrays", fix="[array, ...]")
            if len(given) not in (0, len(names)):
                raise ModelError(INPUTS("inputs", counted(len(given), "array"), f"{len(names)}, one for each input"))
            inputs = dict(zip(names, given, strict=False))
        for name in names:
            tensor = self.tensors.get(f"input_{name}")
            if tensor is None or inputs.get(name) is None:
                continue  # nothing reads it, or zeros will do
            array = as_array(inputs[name], f"inputs.{name}")
            if not tensor.minimum_size_in_bytes <= array.nbytes <= tensor.total_tensor_size_in_bytes:
                found, expected = f"{array.nbytes} bytes", f"{tensor.total_tensor_size_in_bytes}, those of {tensor!r}"
                raise ModelError(INPUTS(f"inputs.{name}", found, expected))
            data = as_bytes(np.ascontiguousarray(array), f"inputs.{name}")
            self._resource(f"input_{name}", data, tensor)

    def _resource(self, name: str, data: Bytes, tensor: TensorDesc) -> None:
        whole = np.zeros(tensor.total_tensor_size_in_bytes, np.uint8)
        whole[: data.size] = data
        entry: dict[str, Any] = {"initialValuesDataType": tensor.data_type.name}
        if whole.size <= INLINE_BYTES and not tensor.data_type.is_packed_pair:
            values = whole.view(tensor.data_type.numpy_dtype).tolist()
            entry["initialValues"] = [v if not isinstance(v, float) or np.isfinite(v) else str(v) for v in values]
        else:
            file = f"{self.name}_{len(self.files)}.bin"
            self.files[file] = whole
            entry["initialValues"] = {"sourcePath": file}
        self.resources[name] = entry

    def _zeros(self, tensor: TensorDesc) -> dict[str, Any]:
        count = tensor.total_tensor_size_in_bytes * 8 // tensor.data_type.bits
        return {"initialValuesDataType": tensor.data_type.name, "initialValues": {"valueCount": count, "value": 0}}

    # Operators

    def _operator(self, index: int, operator: Operator) -> None:
        entry = operator.to_dict()
        owned: dict[str, Any] = {}
        for role in ("input", "output"):
            for i, point in enumerate(operator.points(role)):
                if point.tensor is None:
                    continue
                name = self.at[role, index, i]
                known = self.tensors.get(name)
                if known is None or known.total_tensor_size_in_bytes < point.tensor.total_tensor_size_in_bytes:
                    self.tensors[name] = point.tensor
                if point.tensor.is_owned_by_dml:
                    _append(owned, point.field, name)
        if owned:
            entry["bindings"] = owned
        self.dispatchables[self.titles[index]] = entry

    def commands(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for index in self.graph.order:
            node = self.graph.nodes[index]
            if not isinstance(node, OperatorNode):
                continue
            bound: dict[str, Any] = {}
            for role in ("input", "output"):
                for i, point in enumerate(node.operator.points(role)):
                    if point.tensor is not None and not point.tensor.is_owned_by_dml:
                        _append(bound, point.field, self.at[role, index, i])
            found.append({"type": "dispatch", "dispatchable": self.titles[index], "bindings": bound})
        printed = dict.fromkeys(
            self.at["output", edge.from_node_index, edge.from_node_output_index]
            for edge in sorted(self.graph.output_edges, key=lambda edge: edge.graph_output_index)
        )
        return found + [{"type": "print", "resource": name} for name in printed]


def _append(bound: dict[str, Any], field: TensorField, name: str) -> None:
    """A resource for a tensor, or one more for a list of them."""
    if field.is_list:
        bound.setdefault(field.dml_name, []).append(name)
    else:
        bound[field.dml_name] = name
