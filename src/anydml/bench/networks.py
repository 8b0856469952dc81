"""Whole networks with seeded weights, each as a graph of DirectML's operators and as nodes of an ONNX model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

import anydml as dml
from anydml.bench.onnx_model import OnnxNode, write_model
from anydml.core.schema import Operator
from anydml.graph.graph import ConstantNode, Graph

Array = npt.NDArray[Any]
RELU, RELU6 = "Relu", "Clip"


@dataclass(frozen=True)
class Value:
    """A tensor of a network: the node that makes it (None for the input), its sizes, and its name in the ONNX model."""

    node: int | None
    sizes: tuple[int, ...]
    name: str


@dataclass
class Network:
    """Layers are added one by one; `graph` and `onnx` then hold the same computation."""

    input_sizes: tuple[int, ...]
    given: Mapping[str, Array] = field(default_factory=dict)
    """Weights by name; those that are missing are drawn."""
    seed: int = 0
    onnx: list[OnnxNode] = field(default_factory=list)
    constants: dict[str, Array] = field(default_factory=dict)
    _nodes: list[Operator | ConstantNode] = field(default_factory=list)
    _edges: list[tuple[int, int, int, int]] = field(default_factory=list)
    _inputs: list[tuple[int, int, int]] = field(default_factory=list)
    _count: int = 0

    @property
    def input(self) -> Value:
        return Value(None, self.input_sizes, "x")

    def graph(self, output: Value) -> Graph:
        assert output.node is not None
        return Graph(self._nodes, self._inputs, [(output.node, 0, 0)], self._edges)

    def model(self, output: Value) -> bytes:
        """The ONNX model."""
        read, written = [("x", "float32", self.input_sizes)], [(output.name, "float32", output.sizes)]
        return write_model(self.onnx, read, written, list(self.constants.items()))

    # --- pieces ------------------------------------------------------------------------------------

    def weights(self, name: str, sizes: Sequence[int], scale: float) -> Array:
        if name in self.given:
            return np.ascontiguousarray(self.given[name], np.float32).reshape(sizes)
        generator = np.random.default_rng([self.seed, len(self.constants)])
        return (generator.standard_normal(sizes) * scale).astype(np.float32)

    def _constant(self, array: Array, onnx_array: Array | None = None) -> Value:
        name = f"c{len(self.constants)}"
        self.constants[name] = array if onnx_array is None else onnx_array
        self._nodes.append(ConstantNode(array, name))
        return Value(len(self._nodes) - 1, array.shape, name)

    def _add(self, operator: Operator, inputs: Mapping[int, Value]) -> int:
        self._nodes.append(operator)
        node = len(self._nodes) - 1
        for place, value in inputs.items():
            if value.node is None:
                self._inputs.append((0, node, place))
            else:
                self._edges.append((value.node, 0, node, place))
        return node

    def _name(self) -> str:
        self._count += 1
        return f"t{self._count}"

    def _emit(self, operator: str, inputs: Sequence[Value | str], **attributes: Any) -> str:
        name = self._name()
        names = tuple(each if isinstance(each, str) else each.name for each in inputs)
        self.onnx.append(OnnxNode(operator, names, (name,), attributes))
        return name

    # --- layers ------------------------------------------------------------------------------------

    def convolution(
        self,
        x: Value,
        filters: int,
        window: int,
        stride: int = 1,
        groups: int = 1,
        activation: str | None = None,
        padding: int | None = None,
        weights: str = "",
    ) -> Value:
        channels, pad = x.sizes[1] // groups, window // 2 if padding is None else padding
        sizes = (filters, channels, window, window)
        kernel = self.weights(f"{weights}_weight", sizes, sqrt(2 / (channels * window * window)))
        bias = self.weights(f"{weights}_bias", (filters,), 0.1)
        kernel_value = self._constant(kernel)
        bias_value = self._constant(bias.reshape(1, filters, 1, 1), bias)
        fused: Any = {RELU: {"Type": "RELU"}, RELU6: {"Type": "ELEMENT_WISE_CLIP", "Min": 0.0, "Max": 6.0}}
        operator = dml.Convolution(
            input_tensor=_desc(x.sizes),
            filter_tensor=_desc(sizes),
            bias_tensor=_desc((1, filters, 1, 1)),
            strides=[stride] * 2,
            start_padding=[pad] * 2,
            end_padding=[pad] * 2,
            group_count=groups,
            fused_activation=fused[activation] if activation else None,
        )
        node = self._add(operator, {0: x, 1: kernel_value, 2: bias_value})
        attributes = {"kernel_shape": [window] * 2, "strides": [stride] * 2, "pads": [pad] * 4, "group": groups}
        name = self._emit("Conv", (x, kernel_value, bias_value), **attributes)
        if activation == RELU:
            name = self._emit(RELU, (name,))
        elif activation == RELU6:
            limits = [self._number(limit) for limit in (0.0, 6.0)]
            name = self._emit(RELU6, (name, *limits))
        return Value(node, operator.output_tensor.sizes, name)

    def _number(self, number: float) -> str:
        name = f"n{number}"
        self.constants[name] = np.array(number, np.float32)
        return name

    def max_pooling(self, x: Value, window: int, stride: int, padding: int) -> Value:
        operator = dml.MaxPooling(
            input_tensor=_desc(x.sizes),
            window_size=[window] * 2,
            strides=[stride] * 2,
            start_padding=[padding] * 2,
            end_padding=[padding] * 2,
        )
        attributes = {"kernel_shape": [window] * 2, "strides": [stride] * 2, "pads": [padding] * 4}
        name = self._emit("MaxPool", (x,), **attributes)
        return Value(self._add(operator, {0: x}), operator.output_tensor.sizes, name)

    def average_of_pixels(self, x: Value) -> Value:
        operator = dml.AveragePooling(
            input_tensor=_desc(x.sizes), window_size=x.sizes[2:], strides=[1, 1], include_padding=False
        )
        node = self._add(operator, {0: x})
        return Value(node, operator.output_tensor.sizes, self._emit("GlobalAveragePool", (x,)))

    def add(self, a: Value, b: Value, activation: str | None = None) -> Value:
        fused: Any = {"Type": "RELU"} if activation == RELU else None
        desc = _desc(a.sizes)
        operator = dml.ElementWiseAdd1(a_tensor=desc, b_tensor=desc, fused_activation=fused)
        name = self._emit("Add", (a, b))
        if activation:
            name = self._emit(activation, (name,))
        return Value(self._add(operator, {0: a, 1: b}), a.sizes, name)

    def join(self, values: Sequence[Value]) -> Value:
        operator = dml.Join(input_tensors=[_desc(value.sizes) for value in values], axis=1)
        node = self._add(operator, dict(enumerate(values)))
        return Value(node, operator.output_tensor.sizes, self._emit("Concat", values, axis=1))

    # --- transformers: tensors of (1, 1, tokens, width) -----------------------------------------------

    def linear(self, x: Value, width: int, activation: str | None = None) -> Value:
        tokens, depth = x.sizes[-2:]
        matrix = self._constant(self.weights("", (depth, width), 1 / sqrt(depth)))
        bias = self.weights("", (width,), 0.1)
        bias_value = self._constant(bias)
        sizes = (1, 1, tokens, width)
        operator = dml.Gemm(
            a_tensor=_desc(x.sizes),
            b_tensor=_desc((1, 1, depth, width)),
            c_tensor=dml.TensorDesc("FLOAT32", sizes, [0, 0, 0, 1]),
            output_tensor=_desc(sizes),
            fused_activation={"Type": "GELU"} if activation == "Gelu" else None,
        )
        node = self._add(operator, {0: x, 1: matrix, 2: bias_value})
        name = self._emit("Add", (self._emit("MatMul", (x, matrix)), bias_value))
        if activation == "Gelu":
            name = self._gelu(name)
        return Value(node, sizes, name)

    def _gelu(self, x: str) -> str:
        """As exporters write it; runtimes fuse it again."""
        root = self._emit("Div", (x, self._number(sqrt(2))))
        shifted = self._emit("Add", (self._emit("Erf", (root,)), self._number(1.0)))
        return self._emit("Mul", (self._emit("Mul", (x, shifted)), self._number(0.5)))

    def normalization(self, x: Value) -> Value:
        width = x.sizes[-1]
        scale, bias = (self._constant(self.weights("", (width,), 1.0)) for _ in range(2))
        spread = dml.TensorDesc("FLOAT32", x.sizes, [0, 0, 0, 1])
        operator = dml.MeanVarianceNormalization1(
            input_tensor=_desc(x.sizes),
            scale_tensor=spread,
            bias_tensor=spread,
            axes=[3],
            normalize_variance=True,
            epsilon=1e-5,
        )
        node = self._add(operator, {0: x, 1: scale, 2: bias})
        return Value(node, x.sizes, self._emit("LayerNormalization", (x, scale, bias), axis=-1, epsilon=1e-5))

    def attention(self, x: Value, heads: int) -> Value:
        """Queries, keys and values of every head, their products, and softmax between them."""
        tokens, width = x.sizes[-2:]
        part = width // heads
        query, key, value = (self.linear(x, width) for _ in range(3))
        split = dml.TensorDesc("FLOAT32", (1, heads, tokens, part), [tokens * width, part, width, 1])
        scores = dml.Gemm(
            a_tensor=split,
            b_tensor=split,
            output_tensor=_desc((1, heads, tokens, tokens)),
            trans_b="TRANSPOSE",
            alpha=1 / sqrt(part),
        )
        node = self._add(scores, {0: query, 1: key})
        softmax = dml.ActivationSoftmax1(input_tensor=_desc((1, heads, tokens, tokens)), axes=[3])
        likely = Value(self._add(softmax, {0: Value(node, (), "")}), (), "")
        mixed = dml.Gemm(a_tensor=_desc((1, heads, tokens, tokens)), b_tensor=split, output_tensor=split)
        node = self._add(mixed, {0: likely, 1: value})
        names = [self._heads(each.name, tokens, heads, part) for each in (query, key, value)]
        turned = self._emit("Transpose", (names[1],), perm=[0, 1, 3, 2])
        scaled = self._emit("Mul", (self._emit("MatMul", (names[0], turned)), self._number(1 / sqrt(part))))
        soft = self._emit("Softmax", (scaled,), axis=-1)
        back = self._emit("Transpose", (self._emit("MatMul", (soft, names[2])),), perm=[0, 2, 1, 3])
        return Value(node, x.sizes, self._emit("Reshape", (back, self._shape(x.sizes))))

    def _heads(self, name: str, tokens: int, heads: int, part: int) -> str:
        shaped = self._emit("Reshape", (name, self._shape((1, tokens, heads, part))))
        return self._emit("Transpose", (shaped,), perm=[0, 2, 1, 3])

    def _shape(self, sizes: Sequence[int]) -> str:
        name = f"s{'_'.join(map(str, sizes))}"
        self.constants[name] = np.array(sizes, np.int64)
        return name


def _desc(sizes: Sequence[int]) -> dml.TensorDesc:
    return dml.TensorDesc("FLOAT32", tuple(sizes))


# Topologies


def squeezenet(given: Mapping[str, Array]) -> tuple[Network, Value]:
    """SqueezeNet 1.1; weights may be given as squeezenet0_conv0_weight and so on."""
    network = Network((1, 3, 224, 224), given)
    number = iter(range(26))

    def convolve(x: Value, filters: int, window: int, stride: int = 1, padding: int | None = None) -> Value:
        name = f"squeezenet0_conv{next(number)}"
        return network.convolution(x, filters, window, stride, 1, RELU, padding, name)

    x = network.max_pooling(convolve(network.input, 64, 3, 2, 0), 3, 2, 0)
    for place, (squeezed, expanded) in enumerate([(16, 64)] * 2 + [(32, 128)] * 2 + [(48, 192)] * 2 + [(64, 256)] * 2):
        if place in (2, 4):
            x = network.max_pooling(x, 3, 2, 0)
        x = convolve(x, squeezed, 1)
        x = network.join([convolve(x, expanded, 1), convolve(x, expanded, 3)])
    return network, network.average_of_pixels(convolve(x, 1000, 1))


def resnet50(given: Mapping[str, Array]) -> tuple[Network, Value]:
    network = Network((1, 3, 224, 224), given)
    x = network.max_pooling(network.convolution(network.input, 64, 7, 2, activation=RELU), 3, 2, 1)
    for stage, (blocks, width) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)]):
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            y = network.convolution(x, width, 1, activation=RELU)
            y = network.convolution(y, width, 3, stride, activation=RELU)
            y = network.convolution(y, 4 * width, 1)
            shortcut = x if block else network.convolution(x, 4 * width, 1, stride)
            x = network.add(y, shortcut, RELU)
    return network, network.convolution(network.average_of_pixels(x), 1000, 1)


def mobilenet_v2(given: Mapping[str, Array]) -> tuple[Network, Value]:
    network = Network((1, 3, 224, 224), given)
    x = network.convolution(network.input, 32, 3, 2, activation=RELU6)
    table = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    for expansion, filters, repeats, first in table:
        for repeat in range(repeats):
            stride, hidden = first if repeat == 0 else 1, x.sizes[1] * expansion
            y = x if expansion == 1 else network.convolution(x, hidden, 1, activation=RELU6)
            y = network.convolution(y, hidden, 3, stride, hidden, RELU6)
            y = network.convolution(y, filters, 1)
            x = network.add(x, y) if stride == 1 and x.sizes[1] == filters else y
    x = network.average_of_pixels(network.convolution(x, 1280, 1, activation=RELU6))
    return network, network.convolution(x, 1000, 1)


def transformer_encoder(given: Mapping[str, Array]) -> tuple[Network, Value]:
    """Six layers of 12 heads, 768 wide, over 128 tokens."""
    network = Network((1, 1, 128, 768), given)
    x = network.input
    for _ in range(6):
        x = network.normalization(network.add(x, network.linear(network.attention(x, 12), 768)))
        x = network.normalization(network.add(x, network.linear(network.linear(x, 3072, "Gelu"), 768)))
    return network, x


NETWORKS: dict[str, Callable[[Mapping[str, Array]], tuple[Network, Value]]] = {
    "SqueezeNet 1.1": squeezenet,
    "ResNet-50": resnet50,
    "MobileNetV2": mobilenet_v2,
    "transformer encoder": transformer_encoder,
}


def operations_of(network: Network) -> int:
    """Multiplications and additions of its products."""
    total = 0
    for node in network._nodes:
        if isinstance(node, dml.Convolution):
            total += 2 * prod(node.output_tensor.sizes) * prod(node.filter_tensor.sizes[1:])
        elif isinstance(node, dml.Gemm):
            depth = node.a_tensor.sizes[-1]
            total += 2 * prod(node.output_tensor.sizes) * depth
    return total
