"""Translations of ONNX nodes that compute: pointwise operators, softmax, reductions, sorting and pooling."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.cases.framework import Case
from tests.cases.onnx_nodes.nodes import Array, Node, broadcast, operand, require
from tests.oracle.numbers import integer_range

Translation = Callable[[Node], Case]

# Pointwise

SAME_NAME = (
    *("Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cos", "Cosh", "Erf", "Exp", "Floor"),
    *("Identity", "Log", "Sign", "Sin", "Sinh", "Sqrt", "Tan", "Tanh"),
)
UNARY = {
    **{name: f"ELEMENT_WISE_{name.upper()}" for name in SAME_NAME},
    "Neg": "ELEMENT_WISE_NEGATE",
    "Not": "ELEMENT_WISE_LOGICAL_NOT",
    "Reciprocal": "ELEMENT_WISE_RECIP",
    "IsNaN": "ELEMENT_WISE_IS_NAN",
    "BitwiseNot": "ELEMENT_WISE_BIT_NOT",
    "Relu": "ACTIVATION_RELU",
    "Sigmoid": "ACTIVATION_SIGMOID",
    "Softsign": "ACTIVATION_SOFTSIGN",
    "Cast": "CAST",
    "CastLike": "CAST",
}
# The attributes of activations: ONNX name, DirectML name, value where ONNX leaves it out.
ACTIVATIONS: dict[str, tuple[str, list[tuple[str, str, float]]]] = {
    "Elu": ("ELU", [("alpha", "alpha", 1.0)]),
    "Celu": ("CELU", [("alpha", "alpha", 1.0)]),
    "HardSigmoid": ("HARD_SIGMOID", [("alpha", "alpha", 0.2), ("beta", "beta", 0.5)]),
    "HardSwish": ("HARD_SWISH", [("", "alpha", 1 / 6), ("", "beta", 0.5)]),
    "LeakyRelu": ("LEAKY_RELU", [("alpha", "alpha", 0.01)]),
    "Selu": ("SCALED_ELU", [("alpha", "alpha", 1.67326319217681884765625), ("gamma", "gamma", 1.0507010221481323)]),
    "Shrink": ("SHRINK", [("bias", "bias", 0.0), ("lambd", "threshold", 0.5)]),
    "Softplus": ("SOFTPLUS", [("", "steepness", 1.0)]),
    "Swish": ("SWISH", [("alpha", "sigmoid_input_scale", 1.0)]),
    "ThresholdedRelu": ("THRESHOLDED_RELU", [("alpha", "alpha", 1.0)]),
}
BINARY = {
    "Add": "ADD",
    "Sum": "ADD",
    "Sub": "SUBTRACT",
    "Mul": "MULTIPLY",
    "Div": "DIVIDE",
    "Max": "MAX",
    "Min": "MIN",
    "Mean": "MEAN",
    "And": "LOGICAL_AND",
    "Or": "LOGICAL_OR",
    "Xor": "LOGICAL_XOR",
    "Equal": "LOGICAL_EQUALS",
    "Greater": "LOGICAL_GREATER_THAN",
    "GreaterOrEqual": "LOGICAL_GREATER_THAN_OR_EQUAL",
    "Less": "LOGICAL_LESS_THAN",
    "LessOrEqual": "LOGICAL_LESS_THAN_OR_EQUAL",
    "BitwiseAnd": "BIT_AND",
    "BitwiseOr": "BIT_OR",
    "BitwiseXor": "BIT_XOR",
}


def unary(operator: str) -> Translation:
    def translate(node: Node) -> Case:
        node.fields["input_tensor"] = operand(node.input(0))
        node.output("output_tensor")
        return node.case(operator)

    return translate


def activation(name: str, attributes: list[tuple[str, str, float]]) -> Translation:
    def translate(node: Node) -> Case:
        node.fields.update({ours: float(np.float32(node.get(theirs, value))) for theirs, ours, value in attributes})
        return unary(f"ACTIVATION_{name}")(node)

    return translate


def binary(operator: str, a: str = "a_tensor", b: str = "b_tensor") -> Translation:
    """Two tensors, broadcast to the output."""

    def translate(node: Node) -> Case:
        require(len(node.inputs) == 2, "not two inputs")
        sizes = node.outputs[0].shape
        node.fields[a], node.fields[b] = broadcast(node.input(0), sizes), broadcast(node.input(1), sizes)
        node.output("output_tensor")
        return node.case(operator)

    return translate


def modulus(node: Node) -> Case:
    return binary(f"ELEMENT_WISE_MODULUS_{'TRUNCATE' if node.get('fmod') else 'FLOOR'}")(node)


def bit_shift(node: Node) -> Case:
    return binary(f"ELEMENT_WISE_BIT_SHIFT_{node.get('direction').decode()}")(node)


def power(node: Node) -> Case:
    return binary("ELEMENT_WISE_POW", "input_tensor", "exponent_tensor")(node)


def is_infinity(node: Node) -> Case:
    found = node.get("detect_positive", 1), node.get("detect_negative", 1)
    require(found != (0, 0), "neither sign is looked for")
    node.fields["infinity_mode"] = {(1, 1): "EITHER", (1, 0): "POSITIVE", (0, 1): "NEGATIVE"}[found]
    return unary("ELEMENT_WISE_IS_INFINITY")(node)


def rounding(node: Node) -> Case:
    node.fields["rounding_mode"] = "HALVES_TO_NEAREST_EVEN"
    return unary("ELEMENT_WISE_ROUND")(node)


def choice(node: Node) -> Case:
    sizes = node.outputs[0].shape
    for place, name in enumerate(("condition_tensor", "a_tensor", "b_tensor")):
        node.fields[name] = broadcast(node.input(place), sizes)
    node.output("output_tensor")
    return node.case("ELEMENT_WISE_IF")


def clip(node: Node) -> Case:
    """A limit that is left out is the end of the type."""
    made = operand(node.input(0))
    kind = made.data_type
    lowest, highest = (-math.inf, math.inf) if kind.startswith("FLOAT") else integer_range(kind)
    low, high = node.optional(1), node.optional(2)
    node.fields["min_max_data_type"] = kind
    node.fields["min"] = lowest if low is None else low.reshape(-1)[0].item()
    node.fields["max"] = highest if high is None else high.reshape(-1)[0].item()
    require(node.fields["min"] <= node.fields["max"], "limits in the wrong order")
    return unary("ELEMENT_WISE_CLIP1")(node)


def gelu(node: Node) -> Case:
    require(node.get("approximate", b"none") == b"none", "approximated")
    return unary("ACTIVATION_GELU")(node)


def parameterized_relu(node: Node) -> Case:
    return binary("ACTIVATION_PARAMETERIZED_RELU", "input_tensor", "slope_tensor")(node)


def quantized(operator: str) -> Translation:
    """A scale and zero point for all, or one per index of an axis."""

    def translate(node: Node) -> Case:
        x, scale, zero = node.input(0), node.input(1), node.optional(2)
        require(node.get("block_size", 0) == 0, "blocks")
        shape = [1] * x.ndim
        if scale.size > 1:
            shape[node.axis(x.ndim, 1)] = scale.size
        node.fields["input_tensor"] = operand(x)
        node.fields["scale_tensor"] = broadcast(scale.reshape(shape), x.shape)
        if zero is not None:
            node.fields["zero_point_tensor"] = broadcast(zero.reshape(shape), x.shape)
        node.output("output_tensor")
        return node.case(operator)

    return translate


# Softmax, reductions, sorting


def softmax(name: str) -> Translation:
    def translate(node: Node) -> Case:
        node.fields["axes"] = [node.axis(node.input(0).ndim)]
        return unary(f"ACTIVATION_{name}1")(node)

    return translate


def kept_sizes(x: Array, axes: list[int]) -> list[int]:
    return [1 if axis in axes else n for axis, n in enumerate(x.shape)]


REDUCTIONS = {
    "ReduceSum": "SUM",
    "ReduceMean": "AVERAGE",
    "ReduceMax": "MAX",
    "ReduceMin": "MIN",
    "ReduceProd": "MULTIPLY",
    "ReduceL1": "L1",
    "ReduceL2": "L2",
    "ReduceLogSum": "LOG_SUM",
    "ReduceLogSumExp": "LOG_SUM_EXP",
    "ReduceSumSquare": "SUM_SQUARE",
}


def reduction(function: str) -> Translation:
    def translate(node: Node) -> Case:
        x, axes = node.input(0), node.integers("axes", 1) or []
        require(x.ndim > 0 and x.dtype != np.bool_, "a scalar or truth values")
        if not axes and not node.get("noop_with_empty_axes", 0):
            axes = list(range(x.ndim))
        axes = [axis % x.ndim for axis in axes]
        node.fields.update(function=function, axes=axes, input_tensor=operand(x))
        node.output("output_tensor", sizes=kept_sizes(x, axes))
        return node.case("REDUCE")

    return translate


def argument(operator: str) -> Translation:
    def translate(node: Node) -> Case:
        x = node.input(0)
        axis = node.axis(x.ndim, 0)
        direction = "DECREASING" if node.get("select_last_index", 0) else "INCREASING"
        node.fields.update(input_tensor=operand(x), axes=[axis], axis_direction=direction)
        node.output("output_tensor", sizes=kept_sizes(x, [axis]))
        return node.case(operator)

    return translate


def top_k(node: Node) -> Case:
    x = node.input(0)
    direction = "DECREASING" if node.get("largest", 1) else "INCREASING"
    require(bool(node.get("sorted", 1)), "any order")
    k = int(node.input(1).reshape(-1)[0])
    node.fields.update(input_tensor=operand(x), axis=node.axis(x.ndim), k=k, axis_direction=direction)
    node.output("output_value_tensor")
    node.output("output_index_tensor", 1, kind="UINT64")
    return node.case("TOP_K1")


def cumulative(operator: str, exclusive: str) -> Translation:
    def translate(node: Node) -> Case:
        x = node.input(0)
        node.fields["axis"] = int(node.input(1).reshape(-1)[0]) % x.ndim
        node.fields["axis_direction"] = "DECREASING" if node.get("reverse", 0) else "INCREASING"
        node.fields[exclusive] = bool(node.get("exclusive", 0))
        return unary(operator)(node)

    return translate


# Pooling


def spatial_pads(node: Node, spatial: tuple[int, ...], window: list[int], strides: list[int]) -> list[int]:
    """Start and end padding; SAME pads as much as the output needs, more at the named end if odd."""
    mode, dilations = node.get("auto_pad", b"NOTSET"), node.get("dilations", [1] * len(window))
    if mode == b"NOTSET":
        return list(node.get("pads", [0] * 2 * len(window)))
    if mode == b"VALID":
        return [0] * 2 * len(window)
    starts, ends = [], []
    for n, w, s, d in zip(spatial, window, strides, dilations, strict=True):
        total = max((-(-n // s) - 1) * s + (w - 1) * d + 1 - n, 0)
        less, more = total // 2, total - total // 2
        starts.append(more if mode == b"SAME_LOWER" else less)
        ends.append(less if mode == b"SAME_LOWER" else more)
    return starts + ends


def pooling(operator: str, everything: bool = False, **fixed: Any) -> Translation:
    """A tensor with one spatial dimension gets another one of size 1."""

    def translate(node: Node) -> Case:
        x = node.input(0)
        spatial = x.shape[2:]
        require(node.get("ceil_mode", 0) == 0, "sizes rounded up")
        require(node.get("storage_order", 0) == 0, "column-major indices")
        window = list(spatial) if everything else list(node.get("kernel_shape"))
        strides = list(node.get("strides", [1] * len(window)))
        pads = spatial_pads(node, spatial, window, strides)
        dilations = list(node.get("dilations", [1] * len(window)))
        more = [1] if len(window) == 1 else []
        none = [0] * len(more)
        node.fields["input_tensor"] = operand(x, (*x.shape[:2], *more, *spatial))
        sizes = (*x.shape[:2], *more, *node.outputs[0].shape[2:])
        node.output("output_tensor", sizes=sizes)
        if len(node.outputs) > 1:
            node.output("output_indices_tensor", 1, sizes, "UINT64")
        node.fields.update(
            strides=more + strides,
            window_size=more + window,
            start_padding=none + pads[: len(window)],
            end_padding=none + pads[len(window) :],
            dilations=more + dilations,
            **{name: value(node) for name, value in fixed.items()},
        )
        return node.case(operator)

    return translate


def unpooling(node: Node) -> Case:
    require(len(node.inputs) < 3 and not node.get("pads"), "an output larger than the windows")
    for place, name in enumerate(("input_tensor", "indices_tensor")):
        node.fields[name] = operand(node.input(place).astype(np.uint64) if place else node.input(place))
    node.output("output_tensor")
    return node.case("MAX_UNPOOLING")
