"""Queries, keys and values of an attention as arrays {batch, heads, sequence, size}, past ones in front of new ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.expression import FLOAT32, Node, cast, constant, load, operation, result
from anydml.core.steps import Access, Nest, Program, Step, Store, View
from anydml.core.tensor import TensorDesc
from anydml.operators.attending import Geometry
from anydml.process.loading import load_module
from anydml.runtime.cpu.expand import Workspace, expand_program

INT32 = np.dtype(np.int32)
Views = Mapping[str, View]
_STACKED = {
    "query": {"stacked_query_key_tensor": 0, "stacked_query_key_value_tensor": 0},
    "key": {"stacked_query_key_tensor": 1, "stacked_key_value_tensor": 0, "stacked_query_key_value_tensor": 1},
    "value": {"stacked_key_value_tensor": 1, "stacked_query_key_value_tensor": 2},
}
"""Where a role lies in stacked tensors {batch, sequence, heads, parts, size}."""


@dataclass(frozen=True)
class Heads:
    """Elements {batch, heads, sequence, size} of a tensor, and a bias to add to them."""

    view: View
    bias: Access | None = None

    @property
    def is_plain(self) -> bool:
        return self.bias is None and self.view.type is DataType.FLOAT32

    @property
    def loads(self) -> tuple[Access, ...]:
        return (self.view.access,) if self.bias is None else (self.view.access, self.bias)

    @property
    def value(self) -> Node:
        """In terms of the loads."""
        found = cast(load(0, self.view.type.numpy_dtype), FLOAT32)
        if self.bias is None:
            return found
        return operation("add", found, cast(load(1, self.bias.type.numpy_dtype), FLOAT32))

    def stored(self, target: View) -> Nest:
        return Nest(self.view.sizes, self.loads, (Store(target.access, self.value),))

    def held(self, workspace: Workspace, name: str) -> tuple[View, list[Step]]:
        """As float32 in memory: where they are, or computed."""
        if self.is_plain:
            return self.view, []
        target = dense(workspace, self.view.sizes, name)
        return target, [self.stored(target)]


def dense(workspace: Workspace, sizes: tuple[int, ...], name: str, type: DataType = DataType.FLOAT32) -> View:
    """New memory between steps."""
    strides = tuple(prod(sizes[axis + 1 :]) for axis in range(len(sizes)))
    return View(workspace.temporary(4 * prod(sizes), name), type, sizes, strides)


def rows_of(view: View, first: int, count: int) -> View:
    """Some places of the sequence."""
    sizes = (*view.sizes[:2], count, view.sizes[3])
    return replace(view, sizes=sizes, offset=view.offset + first * view.strides[2])


def find_heads(views: Views, geometry: Geometry) -> dict[str, Heads]:
    """What is given anew of queries, keys and values, each with its part of the bias."""
    counts = {"query": geometry.query_heads, "key": geometry.key_heads, "value": geometry.key_heads}
    found: dict[str, Heads] = {}
    start = 0
    for role, heads in counts.items():
        view = _source(views, role, heads)
        if view is None:
            continue
        size = view.sizes[3]
        bias = views.get("bias_tensor")
        found[role] = Heads(view, None if bias is None else _bias_of(bias, start, size))
        start += heads * size
    return found


def _source(views: Views, role: str, heads: int) -> View | None:
    alone = views.get(f"{role}_tensor")
    if alone is not None:
        return by_heads(alone, heads)
    for name, part in _STACKED[role].items():
        if name in views:
            view = views[name]
            batch, sequence, count, _, size = view.sizes
            outer, rows, head, parts, inner = view.strides
            place = view.offset + part * parts
            return replace(view, sizes=(batch, count, sequence, size), strides=(outer, head, rows, inner), offset=place)
    return None


def by_heads(view: View, heads: int) -> View:
    """{batch, sequence, heads * size} as {batch, heads, sequence, size}."""
    batch, sequence, hidden = view.sizes[-3:]
    size, (outer, rows, inner) = hidden // heads, view.strides[-3:]
    return replace(view, sizes=(batch, heads, sequence, size), strides=(outer, size * inner, rows, inner))


def _bias_of(bias: View, start: int, size: int) -> Access:
    """The part of a bias that begins with element `start`, for each head and place in it."""
    step = bias.strides[-1]
    return Access(bias.slot, bias.type, (0, size * step, 0, step), bias.offset + start * step)


def past_of(views: Views, role: str) -> View | None:
    view = views.get(f"past_{role}_tensor")
    return None if view is None else replace(view, sizes=view.sizes[-4:], strides=view.strides[-4:])


def extend(
    past: View | None, new: Heads | None, lengths: View | None, workspace: Workspace, name: str
) -> tuple[View, list[Step]]:
    """Past keys or values, then new ones: after all of the past, or after as much of it as lengths tell."""
    if past is None:
        assert new is not None
        return new.held(workspace, name)
    if lengths is not None:
        return _extend_valid(past, new, lengths, workspace, name)
    if new is None:
        return Heads(past).held(workspace, name)
    return _joined(past, new, workspace, name)


def _joined(past: View, new: Heads, workspace: Workspace, name: str) -> tuple[View, list[Step]]:
    places, count = past.sizes[2], new.view.sizes[2]
    whole = dense(workspace, (*past.sizes[:2], places + count, past.sizes[3]), name)
    return whole, [Heads(past).stored(rows_of(whole, 0, places)), new.stored(rows_of(whole, places, count))]


# Where lengths tell how much of the past is valid


def valid_lengths(tensor: View, geometry: Geometry, workspace: Workspace) -> tuple[View, list[Step]]:
    """Lengths as whole numbers inside the past; NaN counts as 0."""
    found, numbers = dense(workspace, (geometry.batch,), "lengths", DataType.INT32), load(0, tensor.type.numpy_dtype)
    kind = numbers.type if numbers.type.kind == "i" else FLOAT32
    value = cast(numbers, kind)
    zero, most = constant(0, kind), constant(geometry.past, kind)
    if kind == FLOAT32:
        value = operation("where", operation("equal", value, value), value, zero)
    value = operation("minimum", operation("maximum", value, zero), most)
    access = Access(tensor.slot, tensor.type, (tensor.strides[-1],), tensor.offset)
    return found, [Nest((geometry.batch,), (access,), (Store(found.access, cast(value, INT32)),))]


def _extend_valid(
    past: View, new: Heads | None, lengths: View, workspace: Workspace, name: str
) -> tuple[View, list[Step]]:
    if new is not None and new.view.sizes[2] > 1:
        joined, steps = _joined(past, new, workspace, name)
        whole, more = _gathered(joined, past.sizes[2], new.view.sizes[2], lengths, workspace, name)
        return whole, [*steps, *more]
    places, count = past.sizes[2], 0 if new is None else 1
    whole = dense(workspace, (*past.sizes[:2], places + count, past.sizes[3]), name)
    steps = [_valid_rows(rows_of(whole, 0, places), past, new, lengths, workspace)]
    if new is not None:
        steps.append(_last_row(rows_of(whole, places, 1), new, lengths, places))
    return whole, steps


def _valid_rows(target: View, past: View, new: Heads | None, lengths: View, workspace: Workspace) -> Step:
    """The past as far as it is valid, then the only new place, then zeros."""
    places = workspace.constant(np.arange(target.sizes[2], dtype=np.int32), "places")
    rows = Access(places, DataType.INT32, (0, 0, 1, 0))
    count = Access(lengths.slot, DataType.INT32, (1, 0, 0, 0))
    loads = (*(() if new is None else new.loads), past.access, rows, count)
    old, place, valid = (load(len(loads) - 3 + n, t) for n, t in enumerate((past.type.numpy_dtype, INT32, INT32)))
    value: Node = constant(0.0, FLOAT32)
    if new is not None:
        value = operation("where", operation("equal", place, valid), new.value, value)
        loads = (*(_spread(access) for access in new.loads), *loads[len(new.loads) :])
    value = operation("where", operation("less", place, valid), cast(old, FLOAT32), value)
    return Nest(target.sizes, loads, (Store(target.access, value),))


def _spread(access: Access) -> Access:
    """The same place of the sequence for all."""
    return replace(access, strides=(*access.strides[:2], 0, access.strides[3]))


def _last_row(target: View, new: Heads, lengths: View, places: int) -> Step:
    """The new place, where all of the past is valid."""
    count = Access(lengths.slot, DataType.INT32, (1, 0, 0, 0))
    is_here = operation("equal", load(len(new.loads), INT32), constant(places, INT32))
    value = operation("where", is_here, new.value, constant(0.0, FLOAT32))
    return Nest(target.sizes, (*new.loads, count), (Store(target.access, value),))


def _gathered(
    joined: View, past: int, count: int, lengths: View, workspace: Workspace, name: str
) -> tuple[View, list[Step]]:
    """New places moved to follow what is valid of the past; zeros after them."""
    make = load_module("anydml.operators.gathering").GatherNd1
    batch, heads, total, size = joined.sizes
    source = dense(workspace, (1, batch, total, 1), "places", DataType.INT32)
    places = workspace.constant(np.arange(total, dtype=np.int32), "places")
    loads = (Access(places, DataType.INT32, (0, 0, 1, 0)), Access(lengths.slot, DataType.INT32, (0, 1, 0, 0)))
    place, valid = load(0, INT32), load(1, INT32)
    moved = operation("add", operation("subtract", place, valid), constant(past, INT32))
    moved = operation("minimum", moved, constant(total - 1, INT32))
    index = operation("where", operation("less", place, valid), place, moved)
    steps: list[Step] = [Nest(source.sizes, loads, (Store(source.access, index),))]
    target = dense(workspace, joined.sizes, name)
    turned = [replace(v, sizes=(batch, total, heads, size), strides=_turned(v.strides)) for v in (joined, target)]
    operator = make(
        input_tensor=TensorDesc("FLOAT32", turned[0].sizes),
        indices_tensor=TensorDesc("INT32", source.sizes),
        input_dimension_count=4,
        indices_dimension_count=3,
        batch_dimension_count=1,
    )
    seen = tuple(replace(access, strides=(*access.strides[1:], 0)) for access in loads)
    is_used = operation("less", place, operation("add", valid, constant(count, INT32)))
    value = operation("where", is_used, result(FLOAT32), constant(0.0, FLOAT32))
    nest = Nest(turned[1].sizes, seen, (Store(turned[1].access, value),))
    return target, [*steps, *expand_program(Program(operator, (turned[0], source), (nest,)), workspace)]


def _turned(strides: tuple[int, ...]) -> tuple[int, ...]:
    return (strides[0], strides[2], strides[1], strides[3])
