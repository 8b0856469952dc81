"""Networks with random weights, built twice at once: as a graph of operators and as calls of PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import anydml as dml
from anydml.core.schema import Operator
from anydml.graph.graph import ConstantNode, Graph

Call = Callable[[dict[str, Any]], Any]


@dataclass(frozen=True)
class Value:
    """A tensor on its way: which node made it, its sizes, and its name among PyTorch's tensors."""

    node: int
    sizes: tuple[int, ...]
    name: str


INPUT = -1


@dataclass
class Network:
    """Nodes and edges, and the calls of PyTorch that compute the same."""

    nodes: list[Any] = field(default_factory=list)
    edges: list[tuple[int, int, int, int]] = field(default_factory=list)
    inputs: list[tuple[int, int, int]] = field(default_factory=list)
    calls: list[tuple[str, Call]] = field(default_factory=list)
    random: Any = field(default_factory=lambda: np.random.default_rng(0))
    last: Value | None = None

    def add(self, operator: Operator, operands: Sequence[Value | Any], call: Call, sizes: Any = None) -> Value:
        """A node that reads values, and arrays as constants."""
        numbers = []
        for operand in operands:
            if not isinstance(operand, Value):
                self.nodes.append(ConstantNode(operand))
            numbers.append(operand.node if isinstance(operand, Value) else len(self.nodes) - 1)
        self.nodes.append(operator)
        place = len(self.nodes) - 1
        for index, number in enumerate(numbers):
            if number == INPUT:
                self.inputs.append((0, place, index))
            else:
                self.edges.append((number, 0, place, index))
        tensor = operator.points("output")[0].tensor
        assert tensor is not None
        self.calls.append((f"v{place}", call))
        self.last = Value(place, sizes or tensor.sizes, f"v{place}")
        return self.last

    def graph(self) -> Graph:
        assert self.last is not None
        return Graph(self.nodes, self.inputs, [(self.last.node, 0, 0)], self.edges)

    def run_torch(self, x: Any) -> Any:
        values = {"x": x}
        for name, call in self.calls:
            values[name] = call(values)
        return values[self.calls[-1][0]]

    def _weights(self, *sizes: int) -> Any:
        return self.random.standard_normal(sizes).astype(np.float32) / np.float32(np.prod(sizes[1:]) ** 0.5)

    # Layers

    def convolution(self, x: Value, channels: int, window: int, stride: int = 1, relu: bool = True) -> Value:
        import torch

        weights, bias = self._weights(channels, x.sizes[1], window, window), self._weights(1, channels, 1, 1)
        padding = [window // 2] * 2
        operator = dml.Convolution(
            input_tensor=_tensor(x.sizes),
            filter_tensor=_tensor(weights.shape),
            bias_tensor=_tensor(bias.shape),
            strides=[stride] * 2,
            start_padding=padding,
            end_padding=padding,
        )
        theirs = torch.from_numpy(weights).cuda(), torch.from_numpy(bias.reshape(-1)).cuda()

        def call(values: dict[str, Any]) -> Any:
            return torch.conv2d(values[x.name], *theirs, stride, window // 2)

        made = self.add(operator, [x, weights, bias], call)
        return self.relu(made) if relu else made

    def relu(self, x: Value) -> Value:
        import torch

        return self.add(
            dml.ActivationRelu(input_tensor=_tensor(x.sizes)), [x], lambda values: torch.relu(values[x.name])
        )

    def gelu(self, x: Value) -> Value:
        import torch

        gelu = torch.nn.functional.gelu
        return self.add(dml.ActivationGelu(input_tensor=_tensor(x.sizes)), [x], lambda values: gelu(values[x.name]))

    def plus(self, x: Value, y: Value) -> Value:
        operator = dml.ElementWiseAdd(a_tensor=_tensor(x.sizes), b_tensor=_tensor(x.sizes))
        return self.add(operator, [x, y], lambda values: values[x.name] + values[y.name])

    def pool(self, x: Value, padding: int = 0) -> Value:
        import torch

        around = [padding] * 2
        operator = dml.MaxPooling(
            input_tensor=_tensor(x.sizes), strides=[2, 2], window_size=[3, 3], start_padding=around, end_padding=around
        )
        return self.add(operator, [x], lambda values: torch.max_pool2d(values[x.name], 3, 2, padding))

    def mean(self, x: Value) -> Value:
        operator = dml.Reduce(function="AVERAGE", input_tensor=_tensor(x.sizes), axes=[2, 3])
        return self.add(operator, [x], lambda values: values[x.name].mean((2, 3), keepdim=True))

    def join(self, x: Value, y: Value) -> Value:
        import torch

        operator = dml.Join(input_tensors=[_tensor(x.sizes), _tensor(y.sizes)], axis=1)
        return self.add(operator, [x, y], lambda values: torch.cat((values[x.name], values[y.name]), 1))

    def linear(self, x: Value, columns: int) -> Value:
        import torch

        rows, depth = x.sizes
        weights, bias = self._weights(columns, depth), self._weights(1, columns)
        repeated = dml.TensorDesc("FLOAT32", [rows, columns], strides=[0, 1])
        operator = dml.Gemm(
            a_tensor=_tensor(x.sizes), b_tensor=_tensor(weights.shape), c_tensor=repeated, trans_b="TRANSPOSE"
        )
        theirs = torch.from_numpy(weights).cuda(), torch.from_numpy(bias.reshape(-1)).cuda()
        linear = torch.nn.functional.linear
        return self.add(operator, [x, weights, bias], lambda values: linear(values[x.name], *theirs))

    def normalize(self, x: Value) -> Value:
        import torch

        columns = x.sizes[-1]
        scale, bias = self._weights(1, columns), self._weights(1, columns)
        operator = dml.MeanVarianceNormalization1(
            input_tensor=_tensor(x.sizes),
            scale_tensor=_tensor(scale.shape),
            bias_tensor=_tensor(bias.shape),
            axes=[1],
            normalize_variance=True,
            epsilon=1e-5,
        )
        theirs = [torch.from_numpy(each.reshape(-1)).cuda() for each in (scale, bias)]

        def call(values: dict[str, Any]) -> Any:
            return torch.nn.functional.layer_norm(values[x.name], (columns,), *theirs, 1e-5)

        return self.add(operator, [x, scale, bias], call)

    def attend(self, q: Value, k: Value, v: Value, heads: int) -> Value:
        """Softmax of scaled products, times values; heads are views of the rows."""
        import torch

        rows, columns = q.sizes
        depth = columns // heads
        head = dml.TensorDesc("FLOAT32", [1, heads, rows, depth], strides=[rows * columns, depth, columns, 1])

        def split(values: dict[str, Any], value: Value) -> Any:
            return values[value.name].view(rows, heads, depth).transpose(0, 1)

        product = dml.Gemm(a_tensor=head, b_tensor=head, trans_b="TRANSPOSE", alpha=depth**-0.5)
        scores = self.add(product, [q, k], lambda t: split(t, q) @ split(t, k).transpose(1, 2) * depth**-0.5)
        softmax = dml.ActivationSoftmax1(input_tensor=_tensor(scores.sizes), axes=[3])
        chances = self.add(softmax, [scores], lambda t: torch.softmax(t[scores.name], -1))
        mixed = dml.Gemm(a_tensor=_tensor(scores.sizes), b_tensor=head, output_tensor=head)
        return self.add(
            mixed,
            [chances, v],
            lambda t: (t[chances.name] @ split(t, v)).transpose(0, 1).reshape(rows, columns),
            q.sizes,
        )


def _tensor(sizes: Sequence[int]) -> dml.TensorDesc:
    return dml.TensorDesc("FLOAT32", list(sizes))


def resnet50() -> Network:
    """The topology of ResNet-50, batch 1, without its last product."""
    net = Network()
    x = net.pool(net.convolution(Value(INPUT, (1, 3, 224, 224), "x"), 64, 7, 2), 1)
    for width, count, first in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for number in range(count):
            stride = first if number == 0 else 1
            y = net.convolution(net.convolution(x, width, 1), width, 3, stride)
            y = net.convolution(y, width * 4, 1, relu=False)
            same = net.convolution(x, width * 4, 1, stride, relu=False) if number == 0 else x
            x = net.relu(net.plus(y, same))
    net.mean(x)
    return net


def squeezenet() -> Network:
    """The topology of SqueezeNet 1.1, batch 1."""
    net = Network()
    x = net.pool(net.convolution(Value(INPUT, (1, 3, 224, 224), "x"), 64, 3, 2))
    for number, (narrow, wide) in enumerate([(16, 64)] * 2 + [(32, 128)] * 2 + [(48, 192)] * 2 + [(64, 256)] * 2):
        x = net.pool(x) if number in (2, 4) else x
        y = net.convolution(x, narrow, 1)
        x = net.join(net.convolution(y, wide, 1), net.convolution(y, wide, 3))
    net.mean(net.convolution(x, 1000, 1))
    return net


def transformer() -> Network:
    """One block of an encoder: 128 rows of 768, 12 heads."""
    net = Network()
    x = Value(INPUT, (128, 768), "x")
    h = net.normalize(x)
    attended = net.attend(net.linear(h, 768), net.linear(h, 768), net.linear(h, 768), 12)
    y = net.plus(x, net.linear(attended, 768))
    net.plus(y, net.linear(net.gelu(net.linear(net.normalize(y), 3072)), 768))
    return net


NETWORKS: dict[str, tuple[Callable[[], Network], tuple[int, ...]]] = {
    "SqueezeNet 1.1": (squeezenet, (1, 3, 224, 224)),
    "ResNet-50": (resnet50, (1, 3, 224, 224)),
    "transformer block": (transformer, (128, 768)),
}
"""What makes each, and the sizes of its input."""
