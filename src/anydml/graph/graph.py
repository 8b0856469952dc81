"""Graph: operators and constants connected by edges; one operator is a graph of one node.

The three kinds of edges are those of DML_GRAPH_DESC. The index of a node's input is its position among the operator's
input tensors in DirectML's order, absent ones included and lists spread out; outputs likewise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from anydml.core.errors import InvalidDescriptionError, raise_if_any, shown
from anydml.core.jsontext import read_json, require_object, to_json
from anydml.core.memory import Bytes, as_bytes
from anydml.core.rules import rule
from anydml.core.schema import BindingPoint, Operator
from anydml.core.schema.names import require_described
from anydml.process.loading import load_module

NODE = rule("graph.node", "A node is an operator, or a constant; its name, if it has one, is a text.")
_ROLES = ("input", "output")
NOT_A_GRAPH = rule("graph.kind", "What is compiled or written as a graph is a Graph.")


def require_graph(graph: Any, fix: str = "") -> Graph:
    """A graph, or an error that says how one is made."""
    if not isinstance(graph, Graph):
        own = "Graph.of(...)" if isinstance(graph, Operator) else "Graph(...)"
        raise InvalidDescriptionError(NOT_A_GRAPH("graph", type(graph).__name__, "a Graph", fix or own))
    return graph


def _require_name(name: object) -> None:
    if not isinstance(name, str):
        raise InvalidDescriptionError(NODE("name", shown(name), "a text", "str(...)"))


@dataclass(frozen=True)
class OperatorNode:
    """An operator in a graph."""

    operator: Operator
    name: str = ""

    def __post_init__(self) -> None:
        require_described(self.operator)
        _require_name(self.name)

    def points(self, role: str) -> tuple[BindingPoint, ...]:
        if type(role) is not str or role not in _ROLES:
            raise InvalidDescriptionError(NODE("role", shown(role), "'input' or 'output'", "'input'"))
        return self.operator.points(role)

    def __str__(self) -> str:
        return self.name or self.operator.dml_type


@dataclass(frozen=True, eq=False)
class ConstantNode:
    """Bytes that are known when the graph is compiled, from feature level 6.2 on. The memory is not copied.

    Of an array, the elements are row-major: a transposed one would be read as if it were not.
    """

    data: Bytes
    name: str = ""

    def __init__(self, data: Any, name: str = "") -> None:
        object.__setattr__(self, "data", as_bytes(data, "data", in_order=True))
        object.__setattr__(self, "name", name)
        _require_name(name)

    @cached_property
    def digest(self) -> bytes:
        return sha256(self.data.data).digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConstantNode) and (self.name, self.digest) == (other.name, other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __str__(self) -> str:
        return self.name or f"constant of {self.data.size} bytes"


Node = OperatorNode | ConstantNode


@dataclass(frozen=True)
class InputEdge:
    """A graph input read by a node."""

    graph_input_index: int
    to_node_index: int
    to_node_input_index: int


@dataclass(frozen=True)
class OutputEdge:
    """A node's output that is a graph output."""

    from_node_index: int
    from_node_output_index: int
    graph_output_index: int


@dataclass(frozen=True)
class IntermediateEdge:
    """A node's output read by another node."""

    from_node_index: int
    from_node_output_index: int
    to_node_index: int
    to_node_input_index: int


@dataclass(frozen=True)
class Graph:
    """Nodes and edges: DML_GRAPH_DESC. Immutable.

    Edges are checked on construction, operators by `Device.compile_graph`.

    `input_names` and `output_names` are what buffers can be bound by, besides their index. Counts that are left out
    follow from the edges.
    """

    nodes: tuple[Node, ...]
    input_edges: tuple[InputEdge, ...]
    output_edges: tuple[OutputEdge, ...]
    intermediate_edges: tuple[IntermediateEdge, ...] = ()
    input_count: int = 0
    output_count: int = 0
    input_names: tuple[str, ...] = ()
    output_names: tuple[str, ...] = ()
    order: tuple[int, ...] = field(default=(), compare=False, repr=False)
    """The nodes, each after those it reads from."""

    def __init__(
        self,
        nodes: Iterable[Node | Operator],
        input_edges: Iterable[InputEdge | Sequence[int]],
        output_edges: Iterable[OutputEdge | Sequence[int]],
        intermediate_edges: Iterable[IntermediateEdge | Sequence[int]] = (),
        *,
        input_count: int | None = None,
        output_count: int | None = None,
        input_names: Sequence[str] = (),
        output_names: Sequence[str] = (),
    ) -> None:
        checks = load_module("anydml.graph.checks")
        values = checks.read_graph(
            nodes,
            input_edges,
            output_edges,
            intermediate_edges,
            (input_count, output_count),
            (input_names, output_names),
        )
        for name, value in values.items():
            object.__setattr__(self, name, value)
        order, violations = checks.check_graph(self)
        raise_if_any(violations, subject="Graph")
        object.__setattr__(self, "order", order)

    @classmethod
    def of(cls, operator: Operator) -> Graph:
        """The graph of one operator: every tensor is a graph input or output, at its own index and by its name."""
        graph = cls.__new__(cls)
        require_described(operator)
        inputs, outputs = operator.points("input"), operator.points("output")
        vars(graph).update(
            nodes=(OperatorNode(operator),),
            input_edges=tuple([InputEdge(i, 0, i) for i, point in enumerate(inputs) if point.tensor is not None]),
            output_edges=tuple([OutputEdge(0, i, i) for i, point in enumerate(outputs) if point.tensor is not None]),
            intermediate_edges=(),
            input_count=len(inputs),
            output_count=len(outputs),
            input_names=tuple([point.name for point in inputs]),
            output_names=tuple([point.name for point in outputs]),
            order=(0,),
            single_operator=operator,
        )
        return graph

    @cached_property
    def single_operator(self) -> Operator | None:
        """The operator of a graph that is one operator and nothing else."""
        node = self.nodes[0] if len(self.nodes) == 1 else None
        if not isinstance(node, OperatorNode):
            return None
        names = tuple(p.name for p in node.points("input")), tuple(p.name for p in node.points("output"))
        return node.operator if (self.input_names, self.output_names) == names else None

    @cached_property
    def readers(self) -> dict[tuple[int, int], list[IntermediateEdge]]:
        """The edges that leave each output of each node."""
        found: dict[tuple[int, int], list[IntermediateEdge]] = {}
        for edge in self.intermediate_edges:
            found.setdefault((edge.from_node_index, edge.from_node_output_index), []).append(edge)
        return found

    def label_of(self, index: int) -> str:
        """The name of a node, or what it is with its index: `constant#4`."""
        node = self.nodes[index]
        return node.name or f"{node.operator.dml_type if isinstance(node, OperatorNode) else 'constant'}#{index}"

    def describe(self) -> str:
        """The graph in words, a node per line."""
        return str(load_module("anydml.graph.describe").describe_graph(self))

    def to_dict(self) -> dict[str, Any]:
        """Nodes, edges and names as plain values."""
        return dict(load_module("anydml.graph.writing").to_dict(self))

    def to_json(self) -> str:
        """`to_dict` as text."""
        return to_json(self.to_dict())

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Graph:
        """The graph that `to_dict` wrote."""
        found: Graph = load_module("anydml.graph.writing").from_dict(require_object(value, "Graph"))
        return found

    @classmethod
    def from_json(cls, text: str) -> Graph:
        """The graph that `to_json` wrote."""
        return cls.from_dict(read_json(text, "Graph"))

    def to_svg(self) -> str:
        """The graph as a picture."""
        return str(load_module("anydml.view.graph").to_svg(self))

    def to_cpp(self) -> str:
        """The graph as DirectML's structures in C++: its operators, then its edges."""
        return str(load_module("anydml.view.cpp").to_cpp(self))

    def _repr_html_(self) -> str:
        return self.to_svg()
