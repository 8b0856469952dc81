"""Programs that work element by element, as pointwise nests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, FLOAT64, Node, cast, constant, load, substitute
from anydml.core.orders import packed_strides
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


def expand_adam(program: Program, workspace: Workspace) -> list[Step] | None:
    """The rate, which is one number for all, and then all parameters and averages at once."""
    operator: Any = program.operator
    nests = [nest for nest in program.outputs if nest is not None]
    views = [view for view in program.inputs if view is not None]
    if any(len(nest.stores) != 1 or nest.loads or nest.stores[0].value.op != "result" for nest in nests):
        return None
    *tensors, step = views
    slot = workspace.temporary(FLOAT32.itemsize, "rate")
    rate = Access(slot, DataType.FLOAT32, (0,) * len(nests[0].sizes))
    value = _adam_rate(operator, Traced(cast(load(0, step.type.numpy_dtype), FLOAT64)))
    first = Nest((1,), (Access(step.slot, step.type, (0,), step.offset),), (Store(replace(rate, strides=(0,)), value),))
    elements = [element_of(view, number) for number, view in enumerate(tensors)]
    moved = _adam(operator, elements, Traced(load(len(tensors), FLOAT32)))
    # Results are rounded to their own type first, whatever they are stored as.
    stores = [
        Store(nest.stores[0].access, cast(result.node, nest.stores[0].value.type))
        for nest, result in zip(nests, moved, strict=True)
    ]
    return [first, Nest(nests[0].sizes, (*map(repeated, tensors), rate), tuple(stores))]


def _adam_rate(operator: Any, step: Traced) -> Node:
    """In double precision: 1 - beta^t loses most of its digits otherwise."""
    m: Any = TRACED
    powers = [m.power(Traced(constant(beta, FLOAT64)), step) for beta in (operator.beta2, operator.beta1)]
    correction = m.sqrt(1.0 - powers[0]) / (1.0 - powers[1])
    return cast((correction * operator.learning_rate).node, FLOAT32)


def _adam(operator: Any, elements: Sequence[Traced], rate: Traced) -> list[Traced]:
    m: Any = TRACED
    x, first, second, gradient = elements
    mean = first * operator.beta1 + gradient * (1 - operator.beta1)
    square = second * operator.beta2 + (gradient * gradient) * (1 - operator.beta2)
    return [x - rate * mean / (m.sqrt(square) + operator.epsilon), mean, square]


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


def into_nest(
    nest: Nest | None, sizes: tuple[int, ...], type: DataType, workspace: Workspace
) -> tuple[Access, list[Step]]:
    """Where a result of this type goes: where the nest stores it as it is, or to memory for the steps after it."""
    store = nest.stores[0] if nest is not None and len(nest.stores) == 1 else None
    if store is not None and store.value.op == "result" and store.access.type is type:
        return store.access, []
    made = Access(workspace.temporary(prod(sizes) * type.element_bytes, "made"), type, packed_strides(sizes))
    return made, [] if nest is None else [with_result(nest, [made], load(0, type.numpy_dtype))]


def with_result(nest: Nest, loads: Sequence[Access], value: Node) -> Nest:
    """The nest of a program's output, whose result is this value of these loads."""

    def final(node: Node) -> Node | None:
        return cast(value, node.type) if node.op == "result" else None

    stores = tuple(
        Store(store.access, substitute(shifted_loads(store.value, len(loads)), final)) for store in nest.stores
    )
    return without_unused_loads(Nest(nest.sizes, (*loads, *nest.loads), stores))
