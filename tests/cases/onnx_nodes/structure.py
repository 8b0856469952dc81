"""Translations of ONNX nodes that move elements, look them up or make them."""

from __future__ import annotations

import math

import numpy as np

from tests.cases.framework import Case
from tests.cases.onnx_nodes.arithmetic import unary
from tests.cases.onnx_nodes.nodes import Array, Node, broadcast, empty, operand, require

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1

# Movement


def expand(node: Node) -> Case:
    node.fields["input_tensor"] = broadcast(node.input(0), node.outputs[0].shape)
    node.output("output_tensor")
    return node.case("ELEMENT_WISE_IDENTITY")


def transpose(node: Node) -> Case:
    """The same elements with permuted strides."""
    x = node.input(0)
    order = list(node.get("perm", range(x.ndim)[::-1]))
    packed = [math.prod(x.shape[axis + 1 :]) for axis in range(x.ndim)]
    node.fields["input_tensor"] = operand(x, [x.shape[axis] for axis in order], [packed[axis] for axis in order])
    node.output("output_tensor")
    return node.case("ELEMENT_WISE_IDENTITY")


def slices(node: Node) -> Case:
    x = node.input(0)
    require(0 not in node.outputs[0].shape, "a tensor without elements")
    starts, ends = node.integers("starts", 1) or [], node.integers("ends", 2) or []
    axes = node.integers("axes", 3) or list(range(len(starts)))
    steps = node.integers("steps", 4) or [1] * len(starts)
    offsets, sizes, strides = [0] * x.ndim, list(x.shape), [1] * x.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        places = range(x.shape[axis])[slice(start, end if end > -x.shape[axis] - 1 or step > 0 else None, step)]
        offsets[axis], sizes[axis] = min(places), max(places) - min(places) + 1
        strides[axis] = step
    node.fields.update(input_window_offsets=offsets, input_window_sizes=sizes, input_window_strides=strides)
    return unary("SLICE1")(node)


def split(node: Node) -> Case:
    x = node.input(0)
    require(all(0 not in part.shape for part in node.outputs), "a tensor without elements")
    node.fields.update(input_tensor=operand(x), axis=node.axis(x.ndim, 0))
    node.fields["output_tensors"] = [empty(part) for part in node.outputs]
    node.answers["output_tensors"] = node.outputs  # type: ignore[assignment]
    return node.case("SPLIT")


def join(node: Node) -> Case:
    node.fields["input_tensors"] = [operand(node.input(place)) for place in range(len(node.inputs))]
    node.fields["axis"] = node.axis(node.input(0).ndim)
    node.output("output_tensor")
    return node.case("JOIN")


def padding(node: Node) -> Case:
    x, pads = node.input(0), node.integers("pads", 1) or []
    axes = [axis % x.ndim for axis in node.integers("axes", 3) or range(x.ndim)]
    require(min(pads) >= 0, "negative padding")
    before, after, value = [0] * x.ndim, [0] * x.ndim, node.optional(2)
    for place, axis in enumerate(axes):
        before[axis], after[axis] = pads[place], pads[place + len(axes)]
    names = {b"constant": "CONSTANT", b"edge": "EDGE", b"reflect": "REFLECTION", b"wrap": "WRAP"}
    node.fields.update(
        padding_mode=names[node.get("mode", b"constant")],
        padding_value_data_type=operand(x).data_type,
        padding_value=0 if value is None else value.reshape(-1)[0].item(),
        start_padding=before,
        end_padding=after,
    )
    return unary("PADDING1")(node)


def tile(node: Node) -> Case:
    node.fields["repeats"] = [int(n) for n in node.input(1)]
    return unary("TILE")(node)


def depth_to_space(node: Node) -> Case:
    order = "COLUMN_ROW_DEPTH" if node.get("mode", b"DCR") == b"CRD" else "DEPTH_COLUMN_ROW"
    node.fields.update(block_size=node.get("blocksize"), order=order)
    return unary("DEPTH_TO_SPACE1")(node)


def space_to_depth(node: Node) -> Case:
    require(node.get("mode", b"DCR") == b"DCR", "another order of channels")
    node.fields.update(block_size=node.get("blocksize"), order="DEPTH_COLUMN_ROW")
    return unary("SPACE_TO_DEPTH1")(node)


def reverse_sequence(node: Node) -> Case:
    x, lengths = node.input(0), node.input(1)
    batch, time = node.get("batch_axis", 1), node.get("time_axis", 0)
    shape = [x.shape[axis] if axis == batch else 1 for axis in range(x.ndim)]
    sizes = [1 if axis == time else n for axis, n in enumerate(x.shape)]
    node.fields["sequence_lengths_tensor"] = broadcast(lengths.astype(np.uint64).reshape(shape), sizes)
    node.fields["axis"] = time
    return unary("REVERSE_SUBSEQUENCES")(node)


# Indices


def gather(node: Node) -> Case:
    """All tensors get the rank of the largest, by leading 1s."""
    x, places = node.input(0), node.input(1)
    axis, rank = node.axis(x.ndim, 0), max(x.ndim, places.ndim, x.ndim + places.ndim - 1)
    node.fields.update(
        input_tensor=operand(x, leading(x, rank)),
        indices_tensor=operand(places, leading(places, rank)),
        axis=axis + rank - x.ndim,
        index_dimensions=places.ndim,
    )
    node.output("output_tensor", sizes=leading(node.outputs[0], rank))
    return node.case("GATHER")


def leading(array: Array, rank: int) -> tuple[int, ...]:
    return (1,) * (rank - array.ndim) + array.shape


def gather_elements(node: Node) -> Case:
    x, places = node.input(0), node.input(1)
    axis = node.axis(x.ndim, 0)
    same = all(n == m or k == axis for k, (n, m) in enumerate(zip(x.shape, places.shape, strict=True)))
    require(same, "sizes that differ beside the axis")
    node.fields.update(indices_tensor=operand(places), axis=axis)
    return unary("GATHER_ELEMENTS")(node)


def scatter_elements(node: Node) -> Case:
    x, places = node.input(0), node.input(1)
    axis = node.axis(x.ndim, 0)
    require(node.get("reduction", b"none") == b"none", "a reduction")
    same = all(n == m or k == axis for k, (n, m) in enumerate(zip(x.shape, places.shape, strict=True)))
    require(same, "sizes that differ beside the axis")
    node.fields.update(indices_tensor=operand(places), updates_tensor=operand(node.input(2)), axis=axis)
    return unary("SCATTER_ELEMENTS")(node)


def gather_nd(node: Node) -> Case:
    x, places = node.input(0), node.input(1)
    rank = max(x.ndim, places.ndim, node.outputs[0].ndim)
    node.fields.update(
        input_tensor=operand(x, leading(x, rank)),
        indices_tensor=operand(places, leading(places, rank)),
        input_dimension_count=x.ndim,
        indices_dimension_count=places.ndim,
        batch_dimension_count=node.get("batch_dims", 0),
    )
    node.output("output_tensor", sizes=leading(node.outputs[0], rank))
    return node.case("GATHER_ND1")


def scatter_nd(node: Node) -> Case:
    x, places, updates = node.input(0), node.input(1), node.input(2)
    require(node.get("reduction", b"none") == b"none", "a reduction")
    rank = max(x.ndim, places.ndim, updates.ndim)
    for name, array in (("input_tensor", x), ("indices_tensor", places), ("updates_tensor", updates)):
        node.fields[name] = operand(array, leading(array, rank))
    node.fields.update(input_dimension_count=x.ndim, indices_dimension_count=places.ndim)
    node.output("output_tensor", sizes=leading(node.outputs[0], rank))
    return node.case("SCATTER_ND")


def one_hot(node: Node) -> Case:
    places, chosen = node.input(0), node.input(2)
    rank = node.outputs[0].ndim
    axis = node.axis(rank)
    require(places.dtype.kind in "iu" and places.dtype.itemsize >= 4, "indices of another type")
    node.fields.update(
        indices_tensor=operand(places, (*places.shape[:axis], 1, *places.shape[axis:])),
        values_tensor=operand(chosen, leading(chosen, rank)),
        axis=axis,
    )
    node.output("output_tensor")
    return node.case("ONE_HOT")


def nonzero(node: Node) -> Case:
    """ONNX gives a column per element, DirectML a row, and room for all."""
    x, found = node.input(0), node.outputs[0]
    require(x.ndim > 0 and found.size > 0, "a scalar or nothing found")
    node.fields["input_tensor"] = operand(x)
    node.fields["output_count_tensor"] = empty(found, [1], "UINT32")
    node.fields["output_coordinates_tensor"] = empty(found, [x.size, x.ndim], "UINT32")
    node.answers["output_count_tensor"] = np.array([found.shape[1]])
    node.answers["output_coordinates_tensor"] = found.T
    return node.case("NONZERO_COORDINATES")


# Generators


def eye_like(node: Node) -> Case:
    node.fields.update(offset=node.get("k", 0), value=1.0)
    node.output("output_tensor")
    return node.case("DIAGONAL_MATRIX")


def constant_of_shape(node: Node) -> Case:
    node.output("output_tensor")
    node.fields.update(
        value_data_type=node.fields["output_tensor"].data_type, value=node.outputs[0].reshape(-1)[0].item()
    )
    return node.case("FILL_VALUE_CONSTANT")


def sequence(node: Node) -> Case:
    node.output("output_tensor")
    start, delta = node.input(0).reshape(-1)[0].item(), node.input(2).reshape(-1)[0].item()
    kind = node.fields["output_tensor"].data_type
    node.fields.update(value_data_type=kind, value_start=start, value_delta=delta)
    return node.case("FILL_VALUE_SEQUENCE")


def triangle(node: Node) -> Case:
    """What lies beyond the diagonal is filled with 0."""
    x, offset = node.input(0), node.optional(1)
    k = int(offset.reshape(-1)[0]) if offset is not None else 0
    begin, end = (INT32_MIN, k) if node.get("upper", 1) else (k + 1, INT32_MAX)
    require(x.ndim <= 4, "more than 4 dimensions")
    node.fields.update(diagonal_fill_begin=begin, diagonal_fill_end=end, value=0, value_data_type=operand(x).data_type)
    return unary("DIAGONAL_MATRIX1")(node)


def fold(node: Node) -> Case:
    window = [int(n) for n in node.input(2)]
    count = len(window)
    pads = node.get("pads", [0] * 2 * count)
    node.fields.update(
        window_sizes=window,
        strides=list(node.get("strides", [1] * count)),
        dilations=list(node.get("dilations", [1] * count)),
        start_padding=list(pads[:count]),
        end_padding=list(pads[count:]),
    )
    return unary("FOLD")(node)
