"""Graphs in words."""

from __future__ import annotations

from anydml.core.errors import counted
from anydml.core.text import printable
from anydml.graph.graph import ConstantNode, Graph


def describe_graph(graph: Graph) -> str:
    """A line per node, in the order they run: what it reads, what it is, who reads it."""
    given, wanted = (list(map(printable, names)) for names in (graph.input_names, graph.output_names))
    fed = {(e.to_node_index, e.to_node_input_index): given[e.graph_input_index] for e in graph.input_edges}
    for edge in graph.intermediate_edges:
        source = f"{edge.from_node_index}" + (f".{edge.from_node_output_index}" if edge.from_node_output_index else "")
        fed[edge.to_node_index, edge.to_node_input_index] = f"node {source}"
    made: dict[int, list[str]] = {}
    for out in graph.output_edges:
        made.setdefault(out.from_node_index, []).append(wanted[out.graph_output_index])
    lines = [f"{counted(len(graph.nodes), 'node')}: {', '.join(given)} -> {', '.join(wanted)}"]
    for index in graph.order:
        node = graph.nodes[index]
        if isinstance(node, ConstantNode):
            lines.append(f"  {index}. {printable(str(node))}")
            continue
        inputs = [fed[index, n] for n, point in enumerate(node.points("input")) if point.tensor is not None]
        name = f" {node.name!r}" if node.name else ""
        result = f" -> {', '.join(made[index])}" if index in made else ""
        sizes = next((list(p.tensor.sizes) for p in node.points("output") if p.tensor is not None), [])
        lines.append(f"  {index}. {node.operator.dml_type}{name}({', '.join(inputs)}) {sizes}{result}")
    return "\n".join(lines)
