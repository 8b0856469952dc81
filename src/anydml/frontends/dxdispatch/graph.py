"""A model as one graph: its dispatches are the nodes, the resources between them the edges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from anydml.core.errors import ModelError, counted, raise_if_any
from anydml.core.rules import rule
from anydml.core.schema import BindingPoint, Operator
from anydml.files.places import LocatedViolation
from anydml.frontends.dxdispatch.model import Bindings, Dispatch, Dispatchable, Model
from anydml.graph.graph import Graph, OperatorNode

DISPATCHES = rule("model-graph.dispatches", "A model that is seen as a graph dispatches something.")
RANGE = rule(
    "model-graph.range",
    "In a model that is seen as a graph, a tensor reads what one dispatch wrote, or what none did.",
)

NESTED = rule("model-graph.nested", "A serialized graph is seen as a graph where it is all that a model dispatches.")


@dataclass(frozen=True)
class _Written:
    """A range of a resource, and the output of a node that it holds."""

    start: int
    size: int
    node: int
    output: int

    def overlaps(self, start: int, size: int) -> bool:
        return self.start < start + size and start < self.start + self.size


@dataclass
class _Builder:
    model: Model
    nodes: list[OperatorNode] = field(default_factory=list)
    inputs: dict[tuple[str, int, bool], int] = field(default_factory=dict)
    """Graph inputs by resource, offset and OWNED_BY_DML."""
    input_edges: list[tuple[int, int, int]] = field(default_factory=list)
    between: list[tuple[int, int, int, int]] = field(default_factory=list)
    current: dict[str, list[_Written]] = field(default_factory=dict)
    """What each resource holds now."""
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    """The resource that each output was written to."""
    shown: set[tuple[int, int]] = field(default_factory=set)
    """Outputs that a command prints or writes to a file."""
    violations: list[LocatedViolation] = field(default_factory=list)

    def run(self) -> Graph:
        for command in self.model.commands:
            if isinstance(command, Dispatch):
                self._dispatch(command, self.model.dispatchables[command.dispatchable])
            else:
                self.shown |= {(each.node, each.output) for each in self.current.get(command.resource, [])}
        if not self.nodes:
            found = counted(len(self.model.dispatchables), "dispatchable")
            violation = DISPATCHES("commands", f"{found}, no dispatch", "a dispatch of each operator")
            raise ModelError(violation, self.model.name)
        raise_if_any(self.violations, ModelError)
        read = {(source, output) for source, output, _, _ in self.between}
        outputs = [key for key in self.names if key in self.shown or key not in read]
        names = _unique([_input_name(*key) for key in self.inputs] + [self.names[key] for key in outputs])
        return Graph(
            self.nodes,
            self.input_edges,
            [(node, output, number) for number, (node, output) in enumerate(outputs)],
            self.between,
            input_names=names[: len(self.inputs)],
            output_names=names[len(self.inputs) :],
        )

    def _dispatch(self, command: Dispatch, dispatchable: Dispatchable) -> None:
        node, operator = len(self.nodes), dispatchable.operator
        assert operator is not None  # `model_graph` has seen to it
        self.nodes.append(OperatorNode(operator, dispatchable.name))
        bindings = {**dispatchable.bindings, **command.bindings}
        for number, point, resource, start in self._ranges(operator, "input", bindings):
            self._read(node, number, point, resource, start, command)
        for number, point, resource, start in self._ranges(operator, "output", bindings):
            assert point.tensor is not None
            size = point.tensor.total_tensor_size_in_bytes
            kept = [each for each in self.current.get(resource, []) if not _is_hidden(each, start, size)]
            self.current[resource] = [*kept, _Written(start, size, node, number)]
            self.names[node, number] = resource

    def _ranges(
        self, operator: Operator, role: str, bindings: Bindings
    ) -> Iterator[tuple[int, BindingPoint, str, int]]:
        """The tensors of a role, each with its number, resource and offset in bytes."""
        for number, point in enumerate(operator.points(role)):
            name, _, index = point.name.partition("[")
            if point.tensor is not None:
                source = bindings[name][int(index[:-1]) if index else 0]
                start = source.offset_in_bytes(self.model.resources[source.resource])
                yield number, point, source.resource, start

    def _read(self, node: int, number: int, point: BindingPoint, resource: str, start: int, command: Dispatch) -> None:
        assert point.tensor is not None
        owned, size = point.tensor.is_owned_by_dml, point.tensor.total_tensor_size_in_bytes
        writers = [each for each in self.current.get(resource, []) if each.overlaps(start, size)]
        if not writers or owned:  # what an operator owns is taken before anything runs
            index = self.inputs.setdefault((resource, start, owned), len(self.inputs))
            self.input_edges.append((index, node, number))
        elif [(each.start, each.size) for each in writers] == [(start, size)]:
            self.between.append((writers[0].node, writers[0].output, node, number))
        else:
            self.violations.append(self._mixed(point, resource, start, size, writers, command))

    def _mixed(
        self, point: BindingPoint, resource: str, start: int, size: int, writers: list[_Written], command: Dispatch
    ) -> LocatedViolation:
        parts = ", ".join(f"bytes {each.start} to {each.start + each.size - 1}" for each in writers)
        found = f"bytes {start} to {start + size - 1} of {resource!r}, of which dispatches wrote {parts}"
        expected = "exactly what one dispatch wrote, or what none did"
        fix = "a resource for each result, and JOIN or SLICE1 between them"
        violation = RANGE(f"{command.place.path}.bindings.{point.dml_name}", found, expected, fix)
        return LocatedViolation.at(violation, self.model.name, command.place.line, command.place.column)


def _is_hidden(written: _Written, start: int, size: int) -> bool:
    """Whether nothing is left of it."""
    return start <= written.start and written.start + written.size <= start + size


def _input_name(resource: str, start: int, owned: bool) -> str:
    return resource + (f" from byte {start}" if start else "") + (" (owned)" if owned else "")


def _unique(names: list[str]) -> list[str]:
    """The names, numbered from the second of each on, past numbers that would make the name of another."""
    counts, taken = dict.fromkeys(names, 0), set(names)
    found = []
    for name in names:
        counts[name] += 1
        unique = name
        while counts[name] > 1 and (unique := f"{name} ({counts[name]})") in taken:
            counts[name] += 1
        taken.add(unique)
        found.append(unique)
    return found


def model_graph(model: Model) -> Graph:
    """All dispatches of a model as one graph, or an error that says where it cannot be one."""
    dispatched = [model.dispatchables[each.dispatchable] for each in model.commands if isinstance(each, Dispatch)]
    whole = next((each for each in dispatched if each.operator is None), None)
    if whole is None:
        return _Builder(model).run()
    if len(dispatched) > 1:
        found = f"the graph {whole.name!r} among {len(dispatched)} dispatches"
        raise ModelError(NESTED("commands", found, "operators alone, or one graph"), model.name)
    return whole.graph
