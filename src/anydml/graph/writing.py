"""Graphs as data: plain lists and objects, ready for JSON, and back."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from anydml.core.errors import DmlError, InvalidDescriptionError, raise_if_any, shown
from anydml.core.rules import rule
from anydml.core.schema import Operator
from anydml.process.loading import load_module

if TYPE_CHECKING:
    from anydml.graph.graph import Graph, Node

WRITTEN = rule("graph.written", "A graph is written as nodes (operators, or constants in base64), edges and names.")
_EDGES = ("input_edges", "output_edges", "intermediate_edges")
_NAMES = ("input_names", "output_names")
_COUNTS = ("input_count", "output_count")


def to_dict(graph: Graph) -> dict[str, Any]:
    """Nodes, edges as lists of numbers in the order of their fields, counts and names."""
    return {
        "nodes": [_node(node) for node in graph.nodes],
        **{name: [list(astuple(edge)) for edge in getattr(graph, name)] for name in _EDGES},
        **{name: getattr(graph, name) for name in _COUNTS},
        **{name: list(getattr(graph, name)) for name in _NAMES},
    }


def _node(node: Node) -> dict[str, Any]:
    named = {"name": node.name} if node.name else {}
    operator = getattr(node, "operator", None)
    if operator is not None:
        return {"operator": operator.to_dict(), **named}
    return {"constant": b64encode(bytes(node.data)).decode("ascii"), **named}  # type: ignore[union-attr]


def from_dict(value: Mapping[str, Any]) -> Graph:
    """The graph that `to_dict` wrote, or an error with everything that is wrong."""
    make: type[Graph] = load_module("anydml.graph.graph").Graph
    known = {"nodes", *_EDGES, *_NAMES, *_COUNTS}
    unknown = sorted(value.keys() - known)
    nodes = value.get("nodes")
    if unknown or not isinstance(nodes, list):
        found = f"unknown {', '.join(unknown)}" if unknown else shown(nodes)
        raise InvalidDescriptionError(WRITTEN("nodes", found, "a list of nodes"), "Graph")
    violations: list[Any] = []
    read: list[Any] = []
    for number, entry in enumerate(nodes):
        try:
            read.append(_read_node(entry))
        except DmlError as error:
            violations += [violation.under(f"nodes[{number}]") for violation in error.violations]
    raise_if_any(violations, subject="Graph")
    edges = [[] if value.get(name) is None else value[name] for name in _EDGES]
    rest = {name: value[name] for name in (*_COUNTS, *_NAMES) if value.get(name) is not None}
    return make(read, *edges, **rest)


def _read_node(entry: Any) -> Node:
    if not isinstance(entry, Mapping) or ("operator" in entry) == ("constant" in entry):
        raise InvalidDescriptionError(WRITTEN("", shown(entry), "an object with operator or constant"))
    name = "" if entry.get("name") is None else entry["name"]
    kinds = load_module("anydml.graph.graph")
    made: Node
    if "operator" in entry:
        made = kinds.OperatorNode(Operator.from_dict(entry["operator"]), name)
        return made
    try:
        made = kinds.ConstantNode(b64decode(entry["constant"], validate=True), name)
    except (Base64Error, TypeError, ValueError):
        raise InvalidDescriptionError(WRITTEN("constant", shown(entry["constant"]), "bytes in base64")) from None
    return made
