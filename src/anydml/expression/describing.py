"""From expressions to a graph description: the operators that the outputs need, and their edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anydml.core.errors import InvalidDescriptionError, shown
from anydml.core.integers import require_list
from anydml.core.naming import free_name
from anydml.core.rules import rule
from anydml.core.schema import OPERATORS
from anydml.expression.places import blamed_on
from anydml.graph.graph import Graph as GraphDescription
from anydml.graph.graph import InputEdge, IntermediateEdge, Node, OperatorNode, OutputEdge
from anydml.process.loading import load_module

if TYPE_CHECKING:
    from anydml.expression.graph import Expression, Graph, Step

OUTPUTS = rule("expression.outputs", "A graph is compiled for expressions of its own, at least one.")


def read_outputs(graph: Graph, outputs: Any) -> list[Expression]:
    """The expressions to compute, checked."""
    kind: type[Expression] = load_module("anydml.expression.graph").Expression
    given = graph.unread() if outputs is None else [outputs] if isinstance(outputs, kind) else outputs
    fix = "an expression, or a list of them"
    given = require_list(given, "outputs", "expressions", fix=fix)
    if not given:
        raise InvalidDescriptionError(OUTPUTS("outputs", shown(outputs), "at least one expression", fix))
    for i, each in enumerate(given):
        if not isinstance(each, kind) or each.graph is not graph:
            found = "an expression of another graph" if isinstance(each, kind) else shown(each)
            raise InvalidDescriptionError(OUTPUTS(f"outputs[{i}]", found, "an expression of this graph"))
    return list(given)


def describe_outputs(graph: Graph, outputs: Any) -> tuple[GraphDescription, list[Expression]]:
    """The description, and the expressions that its first outputs are."""
    with blamed_on("graph"):
        wanted = [_computed(graph, each) for each in read_outputs(graph, outputs)]
        return _Builder(graph, wanted).build(), wanted


def _computed(graph: Graph, expression: Expression) -> Expression:
    """The expression, copied where it is a graph input or a constant: graph outputs come from operators."""
    if isinstance(expression.source, load_module("anydml.expression.graph").Result):
        return expression
    plain = expression.desc.replace(flags=0)
    identity = OPERATORS["ELEMENT_WISE_IDENTITY"](input_tensor=expression.desc, output_tensor=plain)
    return graph.add_step(identity, [expression], "output")["output_tensor"]


def _needed(outputs: Sequence[Expression]) -> set[int]:
    """The steps that the outputs depend on."""
    found: set[int] = set()
    waiting: list[Any] = [output.source for output in outputs]
    while waiting:
        source = waiting.pop()
        step = getattr(source, "step", None)
        if step is not None and id(step) not in found:
            found.add(id(step))
            waiting += step.reads
    return found


class _Builder:
    """Numbers the nodes in the order they were made, and connects them."""

    def __init__(self, graph: Graph, outputs: Sequence[Expression]) -> None:
        needed = _needed(outputs)
        self.graph, self.outputs = graph, outputs
        self.steps = [step for step in graph.steps if id(step) in needed]
        self.nodes: list[Node] = []
        self.numbers: dict[int, int] = {}
        self.input_edges: list[InputEdge] = []
        self.intermediate_edges: list[IntermediateEdge] = []
        self.output_edges: list[OutputEdge] = []
        self.taken: set[tuple[int, int]] = set()

    def build(self) -> GraphDescription:
        for step in self.steps:
            self._add(step)
        for i, output in enumerate(self.outputs):
            self._output(output.source, i)
        unread = self._unread(len(self.outputs))
        inputs = self._input_names()
        outputs = [f"output{i}" for i in range(len(self.outputs))] + [f"unread{i}" for i in range(unread)]
        return GraphDescription(
            self.nodes,
            self.input_edges,
            self.output_edges,
            self.intermediate_edges,
            input_count=len(inputs),
            input_names=inputs,
            output_names=[free_name(name, inputs) for name in outputs],
        )

    def _input_names(self) -> list[str]:
        """The names of the inputs as expressions, which are all different; inputs that were not made have one, too."""
        made = {index: each.name for index, each in self.graph.inputs.items()}
        return [made.get(i) or free_name(f"input{i}", made.values()) for i in range(max(made, default=-1) + 1)]

    def _add(self, step: Step) -> None:
        constants = [read for read in step.reads if hasattr(read, "node")]
        for constant in constants:
            self._number(constant.node)  # type: ignore[union-attr]
        number = self._number(OperatorNode(step.operator, step.name), id(step))
        for i, read in enumerate(step.reads):
            if read is not None:
                self._connect(read, number, i)

    def _number(self, node: Node, key: int | None = None) -> int:
        key = id(node) if key is None else key
        if key not in self.numbers:
            self.numbers[key] = len(self.nodes)
            self.nodes.append(node)
        return self.numbers[key]

    def _connect(self, read: Any, number: int, index: int) -> None:
        """An edge from an input, a constant or a result of a step."""
        sources = load_module("anydml.expression.graph")
        if isinstance(read, sources.Input):
            self.input_edges.append(InputEdge(read.index, number, index))
        elif isinstance(read, sources.Constant):
            self.intermediate_edges.append(IntermediateEdge(self.numbers[id(read.node)], 0, number, index))
        else:
            source = self.numbers[id(read.step)]
            self.taken.add((source, read.output))
            self.intermediate_edges.append(IntermediateEdge(source, read.output, number, index))

    def _output(self, source: Any, index: int) -> None:
        number = self.numbers[id(source.step)]
        self.taken.add((number, source.output))
        self.output_edges.append(OutputEdge(number, source.output, index))

    def _unread(self, first: int) -> int:
        """Outputs that operators must have and nobody asked for become graph outputs behind the others."""
        count = 0
        for step in self.steps:
            number = self.numbers[id(step)]
            for i, point in enumerate(step.operator.points("output")):
                if point.tensor is not None and (number, i) not in self.taken:
                    self.output_edges.append(OutputEdge(number, i, first + count))
                    count += 1
        return count
