"""Lowering: a graph becomes steps over slots, each operator on its own, nothing merged or moved yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.errors import counted
from anydml.core.expression import FLOAT32, FLOAT64, ElementType, Node, cast, constant, load, operation, result
from anydml.core.moves import Fill, Move
from anydml.core.schema import BindingPoint, Operator
from anydml.core.steps import Access, Nest, Program, Step, Store, View, without_unused_loads
from anydml.core.tracing import trace
from anydml.graph.graph import ConstantNode, Graph, OperatorNode
from anydml.graph.plan import Plan, Slot, SlotKind

Claims = Callable[[Operator], bool]
"""Whether a device runs an operator as one program, whatever form its meaning has."""
Slots = dict[str, int]
"""The slot of each of an operator's tensors, by the name of its binding point."""


def lower(graph: Graph, claims: Claims = lambda operator: False) -> Plan:
    """The graph as steps in order; every tensor is a slot of its own."""
    return _Lowering(graph).run(claims)


class _Lowering:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.slots: list[Slot] = []
        self.steps: list[Step] = []
        self.initialize: list[Step] = []
        self.inputs: dict[tuple[int, int], int] = {}
        """The slot that feeds each input of each node."""
        self.outputs: dict[tuple[int, int], int] = {}

    def run(self, claims: Claims) -> Plan:
        self._graph_inputs()
        self._graph_outputs()
        for index in self.graph.order:
            node = self.graph.nodes[index]
            if isinstance(node, ConstantNode):
                self._constant(index, node)
            else:
                self._operator(index, node, claims)
        self._copies_of_outputs()
        aliases = frozenset(self._declared_aliases())
        operator = self.graph.single_operator
        name = operator.dml_type if operator is not None else f"graph of {counted(len(self.graph.nodes), 'node')}"
        return Plan(tuple(self.slots), tuple(self.steps), tuple(self.initialize), aliases, name=name)

    def _add(self, slot: Slot) -> int:
        self.slots.append(slot)
        return len(self.slots) - 1

    def _point(self, node: int, role: str, number: int) -> BindingPoint:
        found = self.graph.nodes[node]
        assert isinstance(found, OperatorNode)
        return found.points(role)[number]

    def _graph_inputs(self) -> None:
        """A slot for each graph input that is read; OWNED_BY_DML ones are copied once to persistent memory."""
        slots: dict[int, int] = {}
        reached: dict[int, int] = {}
        for edge in self.graph.input_edges:
            tensor = self._point(edge.to_node_index, "input", edge.to_node_input_index).tensor
            assert tensor is not None
            index, needed = edge.graph_input_index, tensor.total_tensor_size_in_bytes
            if index not in slots:
                kind = SlotKind.OWNED if tensor.is_owned_by_dml else SlotKind.INPUT
                slots[index] = self._add(Slot(kind, needed, self.graph.input_names[index], tensor, index=index))
            elif needed > self.slots[slots[index]].size_in_bytes:
                self.slots[slots[index]] = replace(self.slots[slots[index]], size_in_bytes=needed, tensor=tensor)
            reached[slots[index]] = max(reached.get(slots[index], 0), tensor.minimum_size_in_bytes)
            self.inputs[edge.to_node_index, edge.to_node_input_index] = slots[index]
        owned = [n for n in slots.values() if self.slots[n].kind is SlotKind.OWNED]
        kept = {number: self._keep(number, reached[number]) for number in owned}
        self.inputs = {place: kept.get(number, number) for place, number in self.inputs.items()}

    def _keep(self, number: int, size: int) -> int:
        """Persistent memory for an owned input, which everything reads from then on.

        The bytes that some reader reaches are copied: the caller's buffer may end after them.
        """
        slot = self.slots[number]
        kept = self._add(replace(slot, kind=SlotKind.PERSISTENT, name=f"kept {slot.name}"))
        self.initialize.append(_copy(number, kept, DataType.UINT8, (size,), (1,)))
        return kept

    def _graph_outputs(self) -> None:
        for edge in self.graph.output_edges:
            tensor = self._point(edge.from_node_index, "output", edge.from_node_output_index).tensor
            assert tensor is not None
            index = edge.graph_output_index
            name, size = self.graph.output_names[index], tensor.total_tensor_size_in_bytes
            slot = self._add(Slot(SlotKind.OUTPUT, size, name, tensor, index=index))
            # A second graph output of the same tensor is a copy of the first.
            self.outputs.setdefault((edge.from_node_index, edge.from_node_output_index), slot)

    def _constant(self, index: int, node: ConstantNode) -> None:
        slot = self._add(Slot(SlotKind.CONSTANT, node.data.size, self.graph.label_of(index), data=node.data))
        for edge in self.graph.readers.get((index, 0), ()):
            self.inputs[edge.to_node_index, edge.to_node_input_index] = slot

    def _operator(self, index: int, node: OperatorNode, claims: Claims) -> None:
        slots: Slots = {}
        for number, point in enumerate(node.points("input")):
            if point.tensor is not None:
                slots[point.name] = self.inputs[index, number]
        for number, point in enumerate(node.points("output")):
            if point.tensor is None:
                continue
            found = self.outputs.get((index, number))
            if found is None:
                name, size = f"{self.graph.label_of(index)}.{point.name}", point.tensor.total_tensor_size_in_bytes
                found = self._add(Slot(SlotKind.TEMPORARY, size, name, point.tensor))
                self.outputs[index, number] = found
            slots[point.name] = found
            for edge in self.graph.readers.get((index, number), ()):
                self.inputs[edge.to_node_index, edge.to_node_input_index] = found
        self.steps += lower_operator(node.operator, slots, claims)

    def _copies_of_outputs(self) -> None:
        written: dict[int, int] = {}
        for edge in self.graph.output_edges:
            first = self.outputs[edge.from_node_index, edge.from_node_output_index]
            written[edge.graph_output_index] = first
        for number in range(len(self.slots)):
            slot = self.slots[number]
            if slot.kind is SlotKind.OUTPUT and written[slot.index] != number:
                tensor = slot.tensor
                assert tensor is not None
                elements = tensor.data_type.unsigned, tensor.sizes, tensor.strides
                self.steps.append(_copy(written[slot.index], number, *elements))

    def _declared_aliases(self) -> Iterator[tuple[int, int]]:
        """Pairs of slots that the one operator of the graph may find in the same memory."""
        operator = self.graph.single_operator
        if operator is None:
            return
        inputs = {slot.name: n for n, slot in enumerate(self.slots) if slot.kind is SlotKind.INPUT}
        outputs = {slot.name: n for n, slot in enumerate(self.slots) if slot.kind is SlotKind.OUTPUT}
        for source, destination in operator.in_place:
            if source in inputs and destination in outputs:
                yield inputs[source], outputs[destination]


def _copy(source: int, destination: int, kind: DataType, sizes: tuple[int, ...], strides: tuple[int, ...]) -> Nest:
    """Elements that lie alike in both slots, and nothing between them."""
    read, written = (Access(slot, kind, strides) for slot in (source, destination))
    return Nest(sizes, (read,), (Store(written, load(0, kind.numpy_dtype)),))


# One operator


def lower_operator(operator: Operator, slots: Slots, claims: Claims) -> Iterator[Step]:
    """The steps of one operator over the slots of its tensors."""
    operator = _on_bits(operator) if operator.works_on_bits else operator
    moves = operator.moves() if hasattr(operator, "moves") else None
    if moves is not None:
        yield from (_fill(operator, m, slots) if isinstance(m, Fill) else _move(operator, m, slots) for m in moves)
    elif operator.form == "equivalent" and not claims(operator):
        yield from lower_operator(operator.equivalent(), slots, claims)  # type: ignore[attr-defined]
    elif operator.form == "formula" and not claims(operator):
        yield _formula(operator, slots)
    else:
        yield _program(operator, slots)


def _on_bits(operator: Operator) -> Operator:
    """The same operator with unsigned integers for elements."""
    tensors = {point.name: point.tensor for point in operator.all_points() if point.tensor is not None}
    return operator.replace(**{name: t.replace(data_type=t.data_type.unsigned) for name, t in tensors.items()})


def computed_type(data_type: DataType) -> ElementType:
    """The type a formula computes in: half precision is for storage, sums in it lose what float32 keeps."""
    return FLOAT32 if data_type is DataType.FLOAT16 else data_type.numpy_dtype


def _formula(operator: Operator, slots: Slots) -> Nest:
    """One nest over the output; an input with sizes of 1, such as a single scale, is repeated along those."""
    (point,) = (point for point in operator.points("output") if point.tensor is not None)
    output = point.tensor
    assert output is not None
    loads: list[Access] = []
    elements: list[Node | None] = []
    for given in operator.points("input"):
        if given.tensor is None:
            elements.append(None)
            continue
        data_type, layout = given.tensor.data_type, given.tensor.layout
        layout = layout if layout.sizes == output.sizes else layout.broadcast_to(output.sizes)
        leaf = load(len(loads), data_type.numpy_dtype)
        loads.append(Access(slots[given.name], data_type, layout.strides))
        elements.append(cast(leaf, computed_type(data_type)))
    value = trace(operator.formula, elements)  # type: ignore[attr-defined]
    store = Store(Access(slots[point.name], output.data_type, output.strides), value)
    return without_unused_loads(Nest(output.sizes, tuple(loads), (store,)))


def _move(operator: Operator, move: Move, slots: Slots) -> Nest:
    source, destination = operator.tensor(move.source), operator.tensor(move.destination)
    layouts = move.source_layout, move.destination_layout
    read = Access(slots[move.source], source.data_type, layouts[0].strides, layouts[0].offset)
    written = Access(slots[move.destination], destination.data_type, layouts[1].strides, layouts[1].offset)
    value = load(0, source.data_type.numpy_dtype)
    if move.scale_bias is not None:
        value = _scaled(value, source.data_type, move.scale_bias)
    return Nest(layouts[0].sizes, (read,), (Store(written, value),))


def _scaled(value: Node, data_type: DataType, scale_bias: tuple[float, float]) -> Node:
    """x * scale + bias, each step rounded: in float32 for types up to float32, in float64 for all others."""
    wide = FLOAT32 if data_type in (DataType.FLOAT16, DataType.FLOAT32) else FLOAT64
    scale, bias = (constant(number, wide) for number in scale_bias)
    return operation("add", operation("multiply", cast(value, wide), scale), bias)


def _fill(operator: Operator, fill: Fill, slots: Slots) -> Nest:
    data_type, layout = operator.tensor(fill.destination).data_type, fill.destination_layout
    kind = FLOAT64 if isinstance(fill.value, float) else np.dtype(np.int64 if fill.value < 0 else np.uint64)
    written = Access(slots[fill.destination], data_type, layout.strides, layout.offset)
    return Nest(layout.sizes, (), (Store(written, constant(fill.value, kind)),))


def _program(operator: Operator, slots: Slots) -> Program:
    inputs = tuple(_view(point, slots) for point in operator.points("input"))
    outputs = tuple(_result(point, slots) for point in operator.points("output"))
    return Program(operator, inputs, outputs)


def _view(point: BindingPoint, slots: Slots) -> View | None:
    tensor = point.tensor
    return None if tensor is None else View(slots[point.name], tensor.data_type, tensor.sizes, tensor.strides)


def _result(point: BindingPoint, slots: Slots) -> Nest | None:
    tensor = point.tensor
    if tensor is None:
        return None
    store = Store(Access(slots[point.name], tensor.data_type, tensor.strides), result(tensor.data_type.numpy_dtype))
    return Nest(tensor.sizes, (), (store,))
