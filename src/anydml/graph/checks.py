"""The rules of graphs: everything that is wrong with one, each with its node and edge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from heapq import heappop, heappush
from typing import Any, TypeVar

from anydml.core.errors import MOST_VIOLATIONS, InvalidDescriptionError, UnsupportedError, Violation, counted, shown
from anydml.core.fixes import Advice, Insert, Use
from anydml.core.integers import read_integer, read_list
from anydml.core.levels import FeatureLevel
from anydml.core.naming import free_name
from anydml.core.outside import answer
from anydml.core.rules import Rule, rule
from anydml.core.schema import BindingPoint, Operator
from anydml.core.schema.validate import validate
from anydml.core.tensor import TensorDesc
from anydml.graph.graph import NODE, ConstantNode, Graph, InputEdge, IntermediateEdge, Node, OperatorNode, OutputEdge

EDGE = rule("graph.edge", "An edge has an index for each of its ends.")
INDEX = rule("graph.index", "An edge's indices name nodes, inputs and outputs that exist.")
ABSENT = rule("graph.absent-tensor", "An edge ends at tensors that the operator describes.")
TWICE = rule("graph.one-producer", "A node's input, and a graph output, comes from one place.")
UNCONNECTED = rule("graph.unconnected", "Every tensor that an operator describes is connected.")
OUTPUT = rule("graph.output", "Every graph output comes from a node.")
CYCLE = rule("graph.cycle", "No node reads, directly or through others, what it computes itself.")
BYTES = rule("graph.bytes", "Tensors that an edge connects have the same total size in bytes.")
CONSTANT = rule("graph.constant-size", "A constant has as many bytes as the tensors that read it.")
OWNED = rule("graph.owned", "OWNED_BY_DML inputs come from graph inputs, and all that read one graph input agree.")
COUNT = rule("graph.count", "A graph has at least one node, and at most 65,536 inputs and outputs each.")
NAMES = rule("graph.names", "Names of graph inputs and outputs are as many as those, and each stands for one of them.")
LEVEL = rule("graph.level", "Graphs come with feature level 2.1, constant nodes with 6.2.")
GRAPHS_SINCE = FeatureLevel.LEVEL_2_1
_MOST_PORTS = 1 << 16
Edge = InputEdge | OutputEdge | IntermediateEdge
AnyEdge = TypeVar("AnyEdge", InputEdge, OutputEdge, IntermediateEdge)


# Reading what the caller gave


def read_graph(
    nodes: Iterable[Any],
    input_edges: Iterable[Any],
    output_edges: Iterable[Any],
    intermediate_edges: Iterable[Any],
    counts: tuple[int | None, int | None],
    names: tuple[Sequence[str], Sequence[str]],
) -> dict[str, Any]:
    """The fields of a graph; an error with everything that is no node, edge or count."""
    violations: list[Violation] = []
    given = _read_list(nodes, NODE, "nodes", violations)
    names = (
        _read_list(names[0], NAMES, "input_names", violations),
        _read_list(names[1], NAMES, "output_names", violations),
    )
    read_nodes = [_read_node(node, f"nodes[{i}]", violations) for i, node in enumerate(given)]
    inputs = _read_edges(InputEdge, input_edges, "input_edges", violations)
    outputs = _read_edges(OutputEdge, output_edges, "output_edges", violations)
    between = _read_edges(IntermediateEdge, intermediate_edges, "intermediate_edges", violations)
    in_count = _read_count(counts[0], [e.graph_input_index for e in inputs], names[0], "input_count", violations)
    out_count = _read_count(counts[1], [e.graph_output_index for e in outputs], names[1], "output_count", violations)
    if not read_nodes and not any(violation.path == "nodes" for violation in violations):
        violations.append(COUNT("nodes", "none", "at least one"))
    read_names = [
        _read_names(names[0], in_count, "input", names[1], violations),
        _read_names(names[1], out_count, "output", names[0], violations),
    ]
    violations += _shared_names(read_names)
    if violations:
        raise InvalidDescriptionError(violations, "Graph")
    return {
        "nodes": tuple(read_nodes),
        "input_edges": tuple(inputs),
        "output_edges": tuple(outputs),
        "intermediate_edges": tuple(between),
        "input_count": in_count,
        "output_count": out_count,
        "input_names": read_names[0],
        "output_names": read_names[1],
    }


def _read_list(values: Any, broken: Rule, path: str, violations: list[Violation]) -> list[Any]:
    """The values, if they are several and not one."""
    if isinstance(values, (set, frozenset)):
        values = list(values)
    of = path.rpartition("_")[2]
    return list(read_list(values, path, violations, of, fix="[...]", broken=broken, may_be_endless=True) or ())


def _read_node(node: Any, path: str, violations: list[Violation]) -> Node | None:
    if isinstance(node, Operator):
        return OperatorNode(node)
    if isinstance(node, (OperatorNode, ConstantNode)):
        if not isinstance(node.name, str):
            violations.append(NODE(f"{path}.name", shown(node.name), "a text", "a text, or no name"))
        return node
    violations.append(NODE(path, shown(node), "an operator or a ConstantNode", "OperatorNode(operator, name)"))
    return None


def _read_edges(kind: type[AnyEdge], edges: Iterable[Any], path: str, violations: list[Violation]) -> list[AnyEdge]:
    names = [f.name for f in fields(kind)]
    found: list[AnyEdge] = []
    for i, edge in enumerate(_read_list(edges, EDGE, path, violations)):
        values = _ends_of(edge, kind, names)
        if len(values) != len(names):
            if len(violations) > MOST_VIOLATIONS:
                break
            expected = f"{kind.__name__} or {len(names)} indices: {', '.join(names)}"
            violations.append(EDGE(f"{path}[{i}]", shown(edge), expected))
            continue
        before = len(violations)
        numbers = [read_integer(v, f"{path}[{i}].{n}", violations) for v, n in zip(values, names, strict=True)]
        if len(violations) == before:
            found.append(kind(*(number for number in numbers if number is not None)))
    return found


def _ends_of(edge: Any, kind: type[AnyEdge], names: Sequence[str]) -> Sequence[Any]:
    """The indices of an edge, or of a list that stands for one; none for all else."""
    if isinstance(edge, kind):
        return [getattr(edge, name) for name in names]
    return answer(lambda: [*edge], ()) if isinstance(edge, (tuple, list)) else ()


def _read_count(given: Any, used: list[int], names: Sequence[str], path: str, violations: list[Violation]) -> int:
    if given is None:
        count: int | None = max([len(names), *(index + 1 for index in used)])
    else:
        count = read_integer(given, path, violations)
    if count is not None and not 0 <= count <= _MOST_PORTS:
        violations.append(COUNT(path, count, f"0 to {_MOST_PORTS}"))
        return 0
    return count or 0


def _read_names(
    names: Sequence[str], count: int, role: str, others: Sequence[str], violations: list[Violation]
) -> tuple[str, ...]:
    """The names that were given, or `input0`, `input1`, ... where the others are not called so."""
    if not names:
        taken = {name for name in others if isinstance(name, str)}
        return tuple(free_name(f"{role}{i}", taken) for i in range(count))
    path = f"{role}_names"
    if len(names) != count:
        violations.append(NAMES(path, counted(len(names), "name"), f"{count}, one for each graph {role}"))
    for i, name in enumerate(names):
        if not isinstance(name, str) or not name:
            violations.append(NAMES(f"{path}[{i}]", shown(name), "a name"))
    texts = [name for name in names if isinstance(name, str)]
    twice, times = Counter(texts).most_common(1)[0] if texts else ("", 0)
    if times > 1:
        violations.append(NAMES(path, f"{twice!r} twice", "each name once", "other names"))
    return tuple(texts)


def _shared_names(names: list[tuple[str, ...]]) -> Iterator[Violation]:
    """Names that an input and an output have: nobody could tell which of them a buffer is for."""
    inputs = {name: i for i, name in enumerate(names[0])}
    for i, name in enumerate(names[1]):
        if name in inputs:
            found = f"{name!r}, which is input_names[{inputs[name]}] too"
            yield NAMES(f"output_names[{i}]", found, "a name of its own", "another name")


# Checking how it fits together


class _Checker:
    """Walks the edges of a graph once, and notes what is wrong."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.violations: list[Violation] = []
        self.fed: dict[tuple[int, int], str] = {}
        """The node inputs that have a producer, with the edge that feeds each."""
        self.taken: set[tuple[int, int]] = set()
        """The node outputs that something reads."""
        self.owned: dict[int, tuple[bool, str]] = {}
        self.ports = {"input": graph.input_count, "output": graph.output_count}
        """The next graph input and output, for suggestions."""

    def node_path(self, index: int) -> str:
        name = getattr(self.graph.nodes[index], "name", "") or str(self.graph.nodes[index])
        return f"nodes[{index}] ({name})"

    def node(self, index: int) -> Node | None:
        return self.graph.nodes[index] if 0 <= index < len(self.graph.nodes) else None

    def point(self, index: int, role: str, number: int, path: str, name: str) -> BindingPoint | None:
        """The tensor at one end of an edge, if there is one."""
        count = len(self.graph.nodes)
        if not 0 <= index < count:
            self.violations.append(INDEX(f"{path}.{name}_index", index, f"0 to {count - 1}, the nodes", Use(count - 1)))
            return None
        node = self.graph.nodes[index]
        if isinstance(node, ConstantNode):
            if role == "input" or number != 0:
                which = "a constant, which has no inputs" if role == "input" else f"output {number} of a constant"
                self.violations.append(INDEX(path, which, "output 0 of a constant, or a tensor of an operator"))
            return None
        points = node.points(role)
        if not 0 <= number < len(points):
            where = f"{path}.{name}_{role}_index"
            expected = f"0 to {len(points) - 1}, the {role}s of {self.node_path(index)}"
            self.violations.append(INDEX(where, number, expected))
            return None
        point = points[number]
        if point.tensor is None:
            found = f"{self.node_path(index)}.{point.dml_name}, which is absent"
            self.violations.append(ABSENT(path, found, "a tensor that the operator describes", f"giving {point.name}"))
            return None
        return point

    def feed(self, index: int, number: int, path: str) -> None:
        """Note who produces a node's input."""
        other = self.fed.setdefault((index, number), path)
        if other != path:
            found = f"a second producer of input {number} of {self.node_path(index)}, besides {other}"
            self.violations.append(TWICE(path, found, "one", Advice("leaving one of the edges out")))

    def input_edge(self, edge: InputEdge, path: str) -> None:
        if not 0 <= edge.graph_input_index < self.graph.input_count:
            expected = f"0 to {self.graph.input_count - 1}, the graph's inputs"
            self.violations.append(INDEX(f"{path}.graph_input_index", edge.graph_input_index, expected))
        point = self.point(edge.to_node_index, "input", edge.to_node_input_index, path, "to_node")
        if point is None or point.tensor is None:
            return
        self.feed(edge.to_node_index, edge.to_node_input_index, path)
        owned = point.tensor.is_owned_by_dml
        first, where = self.owned.setdefault(edge.graph_input_index, (owned, path))
        if first != owned:
            found = f"{'OWNED_BY_DML' if owned else 'NONE'}, unlike {where}"
            expected = "one flag for all tensors that read the graph input"
            self.violations.append(
                OWNED(f"{self.node_path(edge.to_node_index)}.{point.dml_name}.Flags", found, expected)
            )

    def intermediate_edge(self, edge: IntermediateEdge, path: str) -> None:
        source = self.point(edge.from_node_index, "output", edge.from_node_output_index, path, "from_node")
        target = self.point(edge.to_node_index, "input", edge.to_node_input_index, path, "to_node")
        if source is not None:
            self.taken.add((edge.from_node_index, edge.from_node_output_index))
        if target is None or target.tensor is None:
            return
        self.feed(edge.to_node_index, edge.to_node_input_index, path)
        place = f"{self.node_path(edge.to_node_index)}.{target.dml_name}"
        if target.tensor.is_owned_by_dml:
            expected = "NONE, since the tensor does not come from a graph input"
            self.violations.append(OWNED(f"{place}.Flags", "OWNED_BY_DML", expected, "a graph input"))
        needed = target.tensor.total_tensor_size_in_bytes
        if source is not None and source.tensor is not None:
            other = f"{self.node_path(edge.from_node_index)}.{source.dml_name} has ({path})"
            self.violations += _size_differences(source.tensor, target.tensor, place, other)
            return
        node = self.node(edge.from_node_index)
        if isinstance(node, ConstantNode) and edge.from_node_output_index == 0:
            minimum = target.tensor.minimum_size_in_bytes
            if not minimum <= node.data.size <= needed:
                found = f"{node.data.size} bytes in {self.node_path(edge.from_node_index)}"
                self.violations.append(CONSTANT(place, found, f"{needed} ({path})", f"a constant of {needed} bytes"))

    def output_edges(self) -> None:
        produced: dict[int, str] = {}
        for i, edge in enumerate(self.graph.output_edges):
            path = f"output_edges[{i}]"
            if not 0 <= edge.graph_output_index < self.graph.output_count:
                expected = f"0 to {self.graph.output_count - 1}, the graph's outputs"
                self.violations.append(INDEX(f"{path}.graph_output_index", edge.graph_output_index, expected))
            elif produced.setdefault(edge.graph_output_index, path) != path:
                found = f"a second producer of graph output {edge.graph_output_index}"
                self.violations.append(TWICE(path, found, "one", Advice("leaving one of the edges out")))
            source = self.point(edge.from_node_index, "output", edge.from_node_output_index, path, "from_node")
            if source is not None:
                self.taken.add((edge.from_node_index, edge.from_node_output_index))
            elif isinstance(self.node(edge.from_node_index), ConstantNode):
                self.violations.append(OUTPUT(path, "a constant", "the output of an operator"))
        for i, name in enumerate(self.graph.output_names):
            if i not in produced:
                self.violations.append(OUTPUT(f"output {i} ({name})", "no producer", "an output edge"))

    def unconnected(self) -> Iterator[Violation]:
        """Tensors that are described and lead nowhere."""
        for index, node in enumerate(self.graph.nodes):
            for role in ("input", "output"):
                points = node.points(role) if isinstance(node, OperatorNode) else ()
                known = self.fed if role == "input" else self.taken
                for number, point in enumerate(points):
                    if point.tensor is not None and (index, number) not in known:
                        path = f"{self.node_path(index)}.{point.dml_name}"
                        expected = "an edge that feeds it" if role == "input" else "an edge that reads it"
                        yield UNCONNECTED(path, "no edge", expected, Insert(self.new_edge(role, index, number)))

    def new_edge(self, role: str, index: int, number: int) -> Edge:
        """An edge that connects a tensor to a graph input or output that is not there yet."""
        port = self.ports[role]
        self.ports[role] += 1
        return InputEdge(port, index, number) if role == "input" else OutputEdge(index, number, port)

    def cycles(self) -> tuple[tuple[int, ...], list[Violation]]:
        """The nodes, each after those it reads from, and otherwise in the order they were given."""
        count = len(self.graph.nodes)
        after: list[list[int]] = [[] for _ in range(count)]
        waiting = [0] * count
        for edge in self.graph.intermediate_edges:
            if 0 <= edge.from_node_index < count and 0 <= edge.to_node_index < count:
                after[edge.from_node_index].append(edge.to_node_index)
                waiting[edge.to_node_index] += 1
        ready = [index for index in range(count) if not waiting[index]]
        order = []
        while ready:
            order.append(index := heappop(ready))
            for other in after[index]:
                waiting[other] -= 1
                if not waiting[other]:
                    heappush(ready, other)
        stuck = [index for index in range(count) if waiting[index]]
        if not stuck:
            return tuple(order), []
        names = ", ".join(self.node_path(index) for index in stuck[:8])
        found, expected = f"a cycle through {names}", "an order to compute the nodes in"
        fix = f"a graph input in place of intermediate_edges[{self._closing_edge(set(stuck))}]"
        return (), [CYCLE("intermediate_edges", found, expected, fix)]

    def _closing_edge(self, stuck: set[int]) -> int:
        """The edge of a cycle that leads back. Each of these nodes waits for another, so going back leads around."""
        before = {
            edge.to_node_index: (edge.from_node_index, number)
            for number, edge in enumerate(self.graph.intermediate_edges)
            if edge.from_node_index in stuck and edge.to_node_index in stuck
        }
        node = min(stuck)
        for _ in stuck:  # now it is on a cycle, wherever the walk began
            node, _ = before[node]
        while before[node][0] < node:
            node, _ = before[node]
        return before[node][1]


def _size_differences(source: TensorDesc, target: TensorDesc, place: str, other: str) -> Iterator[Violation]:
    """Why two tensors that an edge connects differ in bytes: their types and sizes, else strides, else total sizes."""
    if source.total_tensor_size_in_bytes == target.total_tensor_size_in_bytes:
        return
    values = {
        "DataType": (source.data_type.name, target.data_type.name),
        "Sizes": (list(source.sizes), list(target.sizes)),
        "Strides": (list(source.layout.strides), list(target.layout.strides)),
        "TotalTensorSizeInBytes": (source.total_tensor_size_in_bytes, target.total_tensor_size_in_bytes),
    }
    differing = [name for name, (wanted, found) in values.items() if wanted != found]
    is_shape = differing[0] in ("DataType", "Sizes")
    for name in [each for each in differing if each in ("DataType", "Sizes")] if is_shape else differing[:1]:
        wanted, found = values[name]
        sizes = (source.total_tensor_size_in_bytes, target.total_tensor_size_in_bytes)
        told = [f"{value} ({size} bytes in all)" for value, size in zip((wanted, found), sizes, strict=True)]
        yield BYTES(f"{place}.{name}", told[1], f"{told[0]} as {other}", Use(wanted))


def check_graph(graph: Graph) -> tuple[tuple[int, ...], list[Violation]]:
    """An order of the nodes, and everything that is wrong."""
    checker = _Checker(graph)
    for i, edge in enumerate(graph.input_edges):
        checker.input_edge(edge, f"input_edges[{i}]")
    for i, between in enumerate(graph.intermediate_edges):
        checker.intermediate_edge(between, f"intermediate_edges[{i}]")
    checker.output_edges()
    order, cycles = checker.cycles()
    return order, [*checker.violations, *checker.unconnected(), *cycles]


def require_valid_graph(graph: Graph, level: FeatureLevel) -> None:
    """Return quietly if every operator, and the graph itself, is allowed at the level; else raise with all reasons."""
    violations: list[Violation] = []
    is_single = graph.single_operator is not None
    if not is_single and level < GRAPHS_SINCE:
        violations.append(LEVEL("", "a graph", "single operators at this level", feature_level="2.1"))
    for index, node in enumerate(graph.nodes):
        name = f"nodes[{index}] ({node})"
        if isinstance(node, OperatorNode):
            found = validate(node.operator, level)
            violations += found if is_single else [violation.under(name) for violation in found]
        elif level < FeatureLevel.LEVEL_6_2:
            violations.append(LEVEL(name, "a constant node", "a graph input", feature_level="6.2"))
    if violations:
        only_levels = all(violation.feature_level for violation in violations)
        subject = type(graph.single_operator).__name__ if is_single else "Graph"
        raise (UnsupportedError if only_levels else InvalidDescriptionError)(violations, subject)
