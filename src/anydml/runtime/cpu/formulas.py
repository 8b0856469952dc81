"""Programs that work element by element, as pointwise nests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.expression import Node, cast, load, substitute
from anydml.core.steps import Access, Nest, Program, Step, Store, View, shifted_loads, without_unused_loads
from anydml.core.tracing import TRACED, Traced
from anydml.graph.lower import computed_type
from anydml.runtime.cpu.expand import Workspace

_MOST_PLACES = 1 << 20
"""Along an axis; the list of more would take too much memory."""


def expand_batch_normalization(program: Program, workspace: Workspace) -> list[Step] | None:
    operator: Any = program.operator
    nests = [nest for nest in program.outputs if nest is not None]
    views = [view for view in program.inputs if view is not None]
    if len(nests) != 1 or len(views) != len(program.inputs) or not has_formula(operator.fused_activation):
        return None
    elements = [element_of(view, number) for number, view in enumerate(views)]
    result = activated(operator.fused_activation, normalized(operator, *elements))
    return [with_result(nests[0], [repeated(view) for view in views], result.node)]


def expand_one_hot(program: Program, workspace: Workspace) -> list[Step] | None:
    """Every element asks whether the index is its own place along the axis, of which there is a list."""
    operator: Any = program.operator
    indices, values = program.inputs
    (nest,) = program.outputs
    assert indices is not None and values is not None
    size = operator.output_tensor.sizes[operator.axis]
    if nest is None or values.type.is_packed_pair or size > _MOST_PLACES:
        return None
    kind = indices.type.numpy_dtype
    slot = workspace.constant(np.arange(size, dtype=kind), "places")
    along = tuple(int(axis == operator.axis) for axis in range(len(nest.sizes)))
    fastest = max(axis for axis, count in enumerate(values.sizes) if count > 1)
    still = Access(values.slot, values.type, (0,) * len(nest.sizes), values.offset)
    loads = [
        repeated(indices),
        Access(slot, indices.type, along),
        still,
        replace(still, offset=values.offset + values.strides[fastest]),
    ]
    m: Any = TRACED
    index, place = (Traced(load(number, kind)) for number in (0, 1))
    off, on = (Traced(load(number, values.type.numpy_dtype)) for number in (2, 3))
    if indices.type in (DataType.INT32, DataType.INT64):
        index = m.where(index < 0, index + size, index)
    return [with_result(nest, loads, m.where(index == place, on, off).node)]


def normalized(operator: Any, x: Traced, mean: Traced, variance: Traced, scale: Traced, bias: Traced) -> Any:
    m: Any = TRACED
    return (x - mean) * (scale / m.sqrt(variance + operator.epsilon)) + bias


def repeated(view: View) -> Access:
    """The access of a view whose sizes of 1 are repeated."""
    strides = tuple(0 if size == 1 else stride for size, stride in zip(view.sizes, view.strides, strict=True))
    return Access(view.slot, view.type, strides, view.offset)


def element_of(view: View, number: int) -> Traced:
    """What a load of a view reads, in the type that is computed with."""
    return Traced(cast(load(number, view.type.numpy_dtype), computed_type(view.type)))


def has_formula(activation: Any) -> bool:
    """Whether an activation, if there is one, is an expression of single elements."""
    return activation is None or activation.form == "formula"


def activated(activation: Any, x: Traced) -> Any:
    return x if activation is None else activation.formula(TRACED, x)


def with_result(nest: Nest, loads: Sequence[Access], value: Node) -> Nest:
    """The nest of a program's output, whose result is this value of these loads."""

    def final(node: Node) -> Node | None:
        return cast(value, node.type) if node.op == "result" else None

    stores = tuple(
        Store(store.access, substitute(shifted_loads(store.value, len(loads)), final)) for store in nest.stores
    )
    return without_unused_loads(Nest(nest.sizes, (*loads, *nest.loads), stores))
