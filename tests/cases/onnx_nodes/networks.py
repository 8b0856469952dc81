"""Translations of ONNX nodes with weights: matrix products, convolution, recurrent networks and attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.cases.framework import Case
from tests.cases.onnx_nodes.arithmetic import Translation, spatial_pads
from tests.cases.onnx_nodes.nodes import Array, Node, broadcast, empty, operand, require

# Products of matrices


def as_matrices(a: Array, b: Array) -> tuple[Array, Array]:
    """Vectors are a row on the left and a column on the right."""
    return (a[None, :] if a.ndim == 1 else a), (b[:, None] if b.ndim == 1 else b)


def factors(node: Node, places: tuple[int, int]) -> list[int]:
    """Both factors, broadcast to the leading sizes of the output; gives the output's sizes."""
    a, b = as_matrices(*(node.input(place) for place in places))
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    node.fields["a_tensor"] = broadcast(a, (*lead, *a.shape[-2:]))
    node.fields["b_tensor"] = broadcast(b, (*lead, *b.shape[-2:]))
    sizes = [*lead, a.shape[-2], b.shape[-1]]
    node.output("output_tensor", sizes=sizes)
    return sizes


def product(node: Node) -> Case:
    factors(node, (0, 1))
    node.fields.update(trans_a="NONE", trans_b="NONE", alpha=1.0, beta=0.0)
    return node.case("GEMM")


def gemm(node: Node) -> Case:
    c = node.optional(2)
    node.fields.update(a_tensor=operand(node.input(0)), b_tensor=operand(node.input(1)))
    if c is not None:
        node.fields["c_tensor"] = broadcast(c, node.outputs[0].shape)
    for name in ("trans_a", "trans_b"):
        node.fields[name] = "TRANSPOSE" if node.get(name.replace("_a", "A").replace("_b", "B"), 0) else "NONE"
    node.fields.update(alpha=float(node.get("alpha", 1.0)), beta=float(node.get("beta", 1.0)))
    node.output("output_tensor")
    return node.case("GEMM")


def parameters(node: Node, named: dict[str, int | None], rank: int) -> None:
    """Scales and zero points: single, or along the rows of A and of the output, or the columns of B."""
    for name, place in named.items():
        found = node.optional(place) if place is not None else None
        if found is None:
            continue
        require(found.ndim < 2, "a parameter per matrix")
        found = found.astype(np.float32) if name.endswith("scale_tensor") else found
        along_rows = found.size > 1 and not name.startswith("b_")
        node.fields[name] = operand(found, (*(1,) * (rank - 2), *((found.size, 1) if along_rows else (1, found.size))))


def product_of_integers(node: Node) -> Case:
    rank = len(factors(node, (0, 1)))
    parameters(node, {"a_zero_point_tensor": 2, "b_zero_point_tensor": 3}, rank)
    return node.case("MATRIX_MULTIPLY_INTEGER")


def product_of_quantized(node: Node) -> Case:
    rank = len(factors(node, (0, 3)))
    places = {
        "a_scale": 1,
        "a_zero_point": 2,
        "b_scale": 4,
        "b_zero_point": 5,
        "output_scale": 6,
        "output_zero_point": 7,
    }
    parameters(node, {f"{name}_tensor": place for name, place in places.items()}, rank)
    return node.case("QUANTIZED_LINEAR_MATRIX_MULTIPLY")


# Convolution


def steps(node: Node, spatial: tuple[int, ...], window: list[int]) -> None:
    count = len(window)
    strides = list(node.get("strides", [1] * count))
    pads = spatial_pads(node, spatial, window, strides)
    node.fields.update(
        strides=strides,
        dilations=list(node.get("dilations", [1] * count)),
        start_padding=pads[:count],
        end_padding=pads[count:],
        group_count=node.get("group", 1),
    )


def per_channel(array: Array, rank: int) -> Any:
    return operand(array, (1, array.size, *(1,) * (rank - 2)))


def convolution(node: Node) -> Case:
    x, weights = node.input(0), node.input(1)
    steps(node, x.shape[2:], list(weights.shape[2:]))
    node.fields.update(input_tensor=operand(x), filter_tensor=operand(weights))
    node.fields.update(mode="CROSS_CORRELATION", direction="FORWARD", output_padding=[0] * (x.ndim - 2))
    bias = node.optional(2)
    if bias is not None:
        node.fields["bias_tensor"] = per_channel(bias, x.ndim)
    node.output("output_tensor")
    return node.case("CONVOLUTION")


def transposed_convolution(node: Node) -> Case:
    """The sizes of the output, where given, decide the padding: what is too much, more at the end unless SAME_LOWER."""
    x, weights, bias = node.input(0), node.input(1), node.optional(2)
    count = x.ndim - 2
    strides, dilations = (list(node.get(name, [1] * count)) for name in ("strides", "dilations"))
    extra, pads = list(node.get("output_padding", [0] * count)), list(node.get("pads", [0] * 2 * count))
    for axis in range(count) if node.get("output_shape") or node.get("auto_pad", b"NOTSET").startswith(b"SAME") else ():
        reach = (weights.shape[2 + axis] - 1) * dilations[axis] + 1
        wanted = node.outputs[0].shape[2 + axis]
        surplus = strides[axis] * (x.shape[2 + axis] - 1) + extra[axis] + reach - wanted
        less, more = surplus // 2, surplus - surplus // 2
        lower = node.get("auto_pad") == b"SAME_LOWER"
        pads[axis], pads[count + axis] = (more, less) if lower else (less, more)
        if surplus < 0:
            pads[axis], pads[count + axis], extra[axis] = 0, 0, extra[axis] - surplus
    node.fields.update(input_tensor=operand(x), filter_tensor=operand(weights), strides=strides, dilations=dilations)
    node.fields.update(start_padding=pads[:count], end_padding=pads[count:], output_padding=extra)
    node.fields.update(mode="CROSS_CORRELATION", direction="BACKWARD", group_count=node.get("group", 1))
    if bias is not None:
        node.fields["bias_tensor"] = per_channel(bias, x.ndim)
    node.output("output_tensor")
    return node.case("CONVOLUTION")


def convolution_of_integers(node: Node) -> Case:
    x, weights = node.input(0), node.input(1)
    steps(node, x.shape[2:], list(weights.shape[2:]))
    node.fields.update(input_tensor=operand(x), filter_tensor=operand(weights))
    for name, place in (("input_zero_point_tensor", 2), ("filter_zero_point_tensor", 3)):
        zero = node.optional(place)
        if zero is not None:
            node.fields[name] = per_channel(zero, x.ndim)
    node.output("output_tensor")
    return node.case("CONVOLUTION_INTEGER")


def convolution_of_quantized(node: Node) -> Case:
    x, weights = node.input(0), node.input(3)
    steps(node, x.shape[2:], list(weights.shape[2:]))
    node.fields.update(input_tensor=operand(x), filter_tensor=operand(weights))
    places = {"input_scale": 1, "input_zero_point": 2, "filter_scale": 4, "filter_zero_point": 5}
    places |= {"output_scale": 6, "output_zero_point": 7, "bias": 8}
    for name, place in places.items():
        found = node.optional(place)
        if found is not None:
            node.fields[f"{name}_tensor"] = per_channel(found, x.ndim)
    node.output("output_tensor")
    return node.case("QUANTIZED_LINEAR_CONVOLUTION")


# Recurrent networks

USUAL = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
DIRECTIONS = {b"forward": "FORWARD", b"reverse": "BACKWARD", b"bidirectional": "BIDIRECTIONAL"}


def recurrent(operator: str) -> Translation:
    """Steps come first in DirectML; ONNX may have the batch first."""

    def translate(node: Node) -> Case:
        direction = DIRECTIONS[node.get("direction", b"forward")]
        ways, batch_first = 2 if direction == "BIDIRECTIONAL" else 1, bool(node.get("layout", 0))
        require(not node.get("activation_alpha") and not node.get("activation_beta"), "activations with parameters")
        given = [name.decode() for name in node.get("activations", [])] or USUAL[operator] * ways
        x = node.input(0)
        node.fields.update(
            input_tensor=operand((x.swapaxes(0, 1) if batch_first else x)[None]),
            weight_tensor=operand(node.input(1)[None]),
            recurrence_tensor=operand(node.input(2)[None]),
            direction=direction,
            activation_descs=[{"Type": name.upper(), "Desc": {}} for name in given],
        )
        optional_inputs(node, batch_first)
        names = ["output_sequence_tensor", "output_single_tensor", "output_cell_single_tensor"]
        for place, array in zip(node.produced, node.outputs, strict=True):
            recurrent_output(node, names[place], array, batch_first)
        if operator == "LSTM":
            limit = node.get("clip")
            node.fields.update(clip_threshold=float(limit or 0.0), use_clip_threshold=limit is not None)
            node.fields["couple_input_forget"] = bool(node.get("input_forget", 0))
        else:
            require(node.get("clip") is None, "clipping")
        if operator == "GRU":
            node.fields["linear_before_reset"] = bool(node.get("linear_before_reset", 0))
        return node.case(operator)

    return translate


def optional_inputs(node: Node, batch_first: bool) -> None:
    bias, lengths, peephole = node.optional(3), node.optional(4), node.optional(7)
    if bias is not None:
        node.fields["bias_tensor"] = operand(bias[None, None])
    if lengths is not None:
        node.fields["sequence_lengths_tensor"] = operand(lengths.astype(np.uint32)[None, None, None])
    for name, place in (("hidden_init_tensor", 5), ("cell_mem_init_tensor", 6)):
        start = node.optional(place)
        if start is not None:
            node.fields[name] = operand((start.swapaxes(0, 1) if batch_first else start)[None])
    if peephole is not None:
        node.fields["peephole_tensor"] = operand(peephole[None, None])


def recurrent_output(node: Node, name: str, array: Array, batch_first: bool) -> None:
    """The sequence is (steps, directions, batch, hidden), a single state the same without steps."""
    if name == "output_sequence_tensor":
        moved = array.transpose(1, 2, 0, 3) if batch_first else array
    else:
        moved = (array.swapaxes(0, 1) if batch_first else array)[None]
    node.fields[name] = empty(moved)
    node.answers[name] = np.ascontiguousarray(moved)


# Attention

KNOWN = {"is_causal", "kv_num_heads", "q_num_heads", "scale", "softmax_precision", "qk_matmul_output_mode", "softcap"}
HIDDEN = -1e30
"""Added to a score, it leaves no weight."""


def merged_heads(array: Array) -> Array:
    """(batch, heads, length, size) as (batch, length, heads * size)."""
    if array.ndim == 3:
        return array
    batch, heads, length, size = array.shape
    return np.ascontiguousarray(array.transpose(0, 2, 1, 3)).reshape(batch, length, heads * size)


def attention(node: Node) -> Case:
    query, key, value = (node.input(place) for place in range(3))
    require(set(node.attributes) <= KNOWN and not node.get("softcap", 0.0), "an attribute that DirectML lacks")
    require(query.dtype != np.float16, "expected numbers computed in half precision")
    heads = query.shape[1] if query.ndim == 4 else node.get("q_num_heads")
    shared = key.shape[1] if key.ndim == 4 else node.get("kv_num_heads")
    for name, array in (("query", query), ("key", key), ("value", value)):
        node.fields[f"{name}_tensor"] = operand(merged_heads(array))
    size = node.fields["query_tensor"].sizes[2] // heads
    past = node.optional(4)
    for name, place in (("past_key_tensor", 4), ("past_value_tensor", 5)):
        found = node.optional(place)
        if found is not None:
            node.fields[name] = operand(found)
    total = node.fields["key_tensor"].sizes[1] + (0 if past is None else past.shape[2])
    sizes = (query.shape[0], heads, node.fields["query_tensor"].sizes[1], total)
    masks(node, sizes, 0 if past is None else past.shape[2])
    node.fields.update(scale=float(node.get("scale", 1 / math.sqrt(size))), mask_filter_value=HIDDEN)
    attention_outputs(node)
    if heads == shared:
        node.fields["head_count"] = heads
        return node.case("MULTIHEAD_ATTENTION")
    node.fields.update(query_head_count=heads, key_value_head_count=shared)
    return node.case("MULTIHEAD_ATTENTION1")


def masks(node: Node, sizes: tuple[int, ...], past: int) -> None:
    """Truth values and causality become a BOOLEAN mask, numbers a bias, and lengths of keys their own mask."""
    mask, lengths, causal = node.optional(3), node.optional(6), bool(node.get("is_causal", 0))
    seen = np.ones(sizes, np.int32)
    if causal:
        require(lengths is None, "causality behind a padded past")
        seen &= np.tril(np.ones(sizes[2:], np.int32), past)
    if mask is not None:
        require(mask.shape[-1] == sizes[3], "a mask that is shorter than the keys")
        if mask.dtype == np.bool_:
            seen &= np.broadcast_to(mask, sizes).astype(np.int32)
        else:
            bias = np.broadcast_to(np.where(np.isfinite(mask), mask, 0).astype(mask.dtype), sizes)
            seen &= np.broadcast_to(mask > -np.inf, sizes).astype(np.int32)
            node.fields["relative_position_bias_tensor"] = operand(np.ascontiguousarray(bias))
    require(bool(seen.any(-1).all()), "a query that sees no key")
    node.fields["mask_type"] = "NONE"
    if lengths is not None:
        require(bool(seen.all()) and bool((lengths > 0).all()), "a mask beside lengths")
        node.fields.update(mask_type="KEY_SEQUENCE_LENGTH", mask_tensor=operand(lengths.astype(np.int32)[None]))
    elif not seen.all():
        node.fields.update(mask_type="BOOLEAN", mask_tensor=operand(seen))


def attention_outputs(node: Node) -> None:
    """The product of query and key, a fourth output, is no output of DirectML."""
    names = ["output_tensor", "output_present_key_tensor", "output_present_value_tensor"]
    for place, array in zip(node.produced, node.outputs, strict=True):
        if place < len(names):
            moved = merged_heads(array) if place == 0 else array
            node.fields[names[place]] = empty(moved)
            node.answers[names[place]] = moved
