"""Ports: what a compiled graph reads from and writes to its caller, each a graph input or output."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np

from anydml.core.memory import Described
from anydml.core.naming import pascal
from anydml.core.tensor import TensorDesc, round_up
from anydml.graph.graph import Graph, OperatorNode
from anydml.graph.plan import Plan, SlotKind

_KEPT_NAMES = 1024


@dataclass(frozen=True)
class Port:
    """A graph input or output, with what the checks of a binding need, looked up once and not at every run."""

    name: str
    index: int
    is_output: bool
    slot: int | None
    """Its slot of the plan; None where nothing reads it, or no tensor was described."""
    is_owned: bool
    tensor: TensorDesc | None
    total: int
    """The total size of its tensor in bytes."""
    needed: int
    """The bytes that a buffer must have: Python ones may lack those of the rounding to whole words."""
    alignment: int
    offset_step: int
    """What a binding's offset is a multiple of."""
    dtype: np.dtype[Any] | None
    """The type of number arrays; None where any bytes will do."""
    described: Described | None

    dml_name: str
    """The name for messages: that of an operator's tensor in DirectML's spelling, that of a graph's as it is."""
    is_of_graph: bool
    """Whether the name is one that a graph has, and may be any text."""


def ports_of(graph: Graph, plan: Plan) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """The ports of a graph's inputs and outputs, in order."""
    kinds = {True: (SlotKind.OUTPUT,), False: (SlotKind.INPUT, SlotKind.OWNED)}
    found: dict[bool, list[Port]] = {}
    is_of_graph = graph.single_operator is None
    for is_output, names in ((False, graph.input_names), (True, graph.output_names)):
        slots = {plan.slots[n].index: n for n in plan.of_kind(*kinds[is_output])}
        readers = _tensors(graph, is_output)
        found[is_output] = [
            _port(name, i, is_output, slots.get(i), plan, readers.get(i, []), is_of_graph)
            for i, name in enumerate(names)
        ]
    return tuple(found[False]), tuple(found[True])


def _tensors(graph: Graph, is_output: bool) -> dict[int, list[TensorDesc]]:
    """The tensors that each graph input or output is."""
    found: dict[int, list[TensorDesc]] = {}
    ends = (
        [(e.graph_output_index, e.from_node_index, e.from_node_output_index) for e in graph.output_edges]
        if is_output
        else [(e.graph_input_index, e.to_node_index, e.to_node_input_index) for e in graph.input_edges]
    )
    for index, node_index, number in ends:
        node = graph.nodes[node_index]
        assert isinstance(node, OperatorNode)
        tensor = node.points("output" if is_output else "input")[number].tensor
        if tensor is not None:
            found.setdefault(index, []).append(tensor)
    return found


@lru_cache(_KEPT_NAMES)
def _dml_name(name: str) -> str:
    bare, bracket, rest = name.partition("[")
    return (pascal(bare) if bare.islower() and "_" in bare else bare) + bracket + rest


def _port(
    name: str, index: int, is_output: bool, slot: int | None, plan: Plan, tensors: list[TensorDesc], is_of_graph: bool
) -> Port:
    dml_name = name if is_of_graph else _dml_name(name)
    if not tensors:
        return Port(name, index, is_output, None, False, None, 0, 0, 1, 0, None, None, dml_name, is_of_graph)
    largest = max(tensors, key=attrgetter("total_tensor_size_in_bytes"))
    total, minimum = largest.total_tensor_size_in_bytes, max([t.minimum_size_in_bytes for t in tensors])
    same = len(tensors) == 1 or len({(t.data_type, t.layout) for t in tensors}) == 1
    return Port(
        name,
        index,
        is_output,
        slot,
        is_owned=slot is not None and plan.slots[slot].kind is SlotKind.OWNED,
        tensor=largest,
        total=total,
        needed=minimum if round_up(minimum, 4) == total else total,
        alignment=max([tensor.data_type.alignment_bytes for tensor in tensors]),
        offset_step=max([tensor.guaranteed_base_offset_alignment for tensor in tensors]),
        dtype=largest.data_type.numpy_dtype if same else None,
        described=largest.described if same else None,
        dml_name=dml_name,
        is_of_graph=is_of_graph,
    )
