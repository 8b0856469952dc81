"""Random graphs of movement, pointwise, reduction and convolution nodes, on tensors with random layouts.

Values are small multiples of 1/32 and every operation is exact on them, so that results can be compared bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from random import Random
from typing import Any

import numpy as np

import anydml as dml
from anydml.graph.graph import ConstantNode, Graph, InputEdge, IntermediateEdge, Node, OutputEdge
from tests.operators.layouts import random_strides

MOST_ELEMENTS = 600


@dataclass(frozen=True)
class Source:
    """A tensor that nodes can read: a node's output, or (node None) a graph input."""

    node: int | None
    index: int
    desc: dml.TensorDesc


@dataclass
class Builder:
    """A graph under construction."""

    random: Random
    nodes: list[Node] = field(default_factory=list)
    input_edges: list[InputEdge] = field(default_factory=list)
    edges: list[IntermediateEdge] = field(default_factory=list)
    inputs: list[dml.TensorDesc] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    read: set[tuple[int, int]] = field(default_factory=set)

    def new_input(self, desc: dml.TensorDesc) -> Source:
        self.inputs.append(desc)
        self.sources.append(Source(None, len(self.inputs) - 1, desc))
        return self.sources[-1]

    def constant(self, desc: dml.TensorDesc) -> Source:
        data = np.zeros(desc.total_tensor_size_in_bytes, np.uint8)
        desc.store(data, values_of(desc, self.random))
        self.nodes.append(ConstantNode(data))
        return Source(len(self.nodes) - 1, 0, desc)

    def add(self, operator: dml.Operator, inputs: list[Source]) -> None:
        index = len(self.nodes)
        self.nodes.append(dml.OperatorNode(operator))
        for number, source in enumerate(inputs):
            if source.node is None:
                self.input_edges.append(InputEdge(source.index, index, number))
            else:
                self.edges.append(IntermediateEdge(source.node, source.index, index, number))
                self.read.add((source.node, source.index))
        for number, point in enumerate(operator.points("output")):
            assert point.tensor is not None
            self.sources.append(Source(index, number, point.tensor))

    def layout(self, data_type: dml.DataType, sizes: Any) -> dml.TensorDesc:
        """An output in a random layout."""
        strides = None if self.random.random() < 0.5 else random_strides(self.random, sizes, broadcast=False)
        return dml.TensorDesc(data_type, sizes, strides)

    def pick(self, accept: Callable[[dml.TensorDesc], bool] = lambda desc: True) -> Source | None:
        found = [source for source in self.sources if accept(source.desc)]
        return self.random.choice(found) if found else None

    def build(self, also_read: float = 0.1) -> Graph:
        """Every tensor that nobody reads is a graph output, and some that are read too."""
        loose = [s for s in self.sources if s.node is not None and (s.node, s.index) not in self.read]
        extra = [s for s in self.sources if s.node is not None and s not in loose and self.random.random() < also_read]
        outputs = [OutputEdge(s.node or 0, s.index, i) for i, s in enumerate([*loose, *extra])]
        return Graph(self.nodes, self.input_edges, outputs, self.edges, input_count=len(self.inputs))


def values_of(desc: dml.TensorDesc, random: Random) -> Any:
    seed = np.random.default_rng(random.randrange(1 << 32))
    if desc.data_type.is_float:
        return seed.integers(-64, 65, desc.sizes) / 32
    low = 0 if not desc.data_type.is_signed else -5
    return seed.integers(low, 6, desc.sizes)


def is_float(desc: dml.TensorDesc) -> bool:
    return desc.data_type in (dml.DataType.FLOAT32, dml.DataType.FLOAT16)


def _slice(b: Builder) -> bool:
    source = b.pick()
    if source is None:
        return False
    rows = []
    for n in source.desc.sizes:
        size = b.random.randint(max(1, n - 2), n)
        stride = b.random.choice((1, 1, -1, 2))
        rows.append((b.random.randint(0, n - size), size, stride, 1 + (size - 1) // abs(stride)))
    offsets, window, strides, output = zip(*rows, strict=True)
    operator = dml.Slice1(
        input_tensor=source.desc,
        output_tensor=b.layout(source.desc.data_type, output),
        input_window_offsets=offsets,
        input_window_sizes=window,
        input_window_strides=strides,
    )
    b.add(operator, [source])
    return True


def _identity(b: Builder) -> bool:
    source = b.pick()
    if source is None:
        return False
    scaled = (0.5, 0.25) if is_float(source.desc) and b.random.random() < 0.4 else None
    output = b.layout(source.desc.data_type, source.desc.sizes)
    b.add(dml.ElementWiseIdentity(input_tensor=source.desc, output_tensor=output, scale_bias=scaled), [source])
    return True


def _transposed(b: Builder) -> bool:
    """A permutation is the same elements described with permuted strides, then copied."""
    source = b.pick(lambda desc: desc.rank > 1 and not desc.layout.is_broadcast)
    if source is None:
        return False
    axes = b.random.sample(range(source.desc.rank), source.desc.rank)
    seen = source.desc.layout.permute(axes)
    total = source.desc.total_tensor_size_in_bytes
    desc = dml.TensorDesc(source.desc.data_type, seen.sizes, seen.strides, total_tensor_size_in_bytes=total)
    output = b.layout(source.desc.data_type, seen.sizes)
    b.add(dml.ElementWiseIdentity(input_tensor=desc, output_tensor=output), [source])
    return True


def _reshaped(b: Builder) -> bool:
    """The bytes of a packed tensor under other sizes: a reinterpretation by the edge alone."""
    source = b.pick(lambda desc: desc.layout.is_row_major)
    if source is None:
        return False
    count = prod(source.desc.sizes)
    first = b.random.choice([n for n in range(1, count + 1) if count % n == 0])
    total = source.desc.total_tensor_size_in_bytes
    desc = dml.TensorDesc(source.desc.data_type, [first, count // first], total_tensor_size_in_bytes=total)
    output = b.layout(source.desc.data_type, desc.sizes)
    b.add(dml.ElementWiseIdentity(input_tensor=desc, output_tensor=output), [source])
    return True


def _join(b: Builder) -> bool:
    first = b.pick()
    if first is None:
        return False
    axis = b.random.randrange(first.desc.rank)
    rest = (*first.desc.sizes[:axis], *first.desc.sizes[axis + 1 :])

    def fits(desc: dml.TensorDesc) -> bool:
        sizes = (*desc.sizes[:axis], *desc.sizes[axis + 1 :])
        return desc.data_type is first.desc.data_type and desc.rank == first.desc.rank and sizes == rest

    parts = [first, *(found for _ in range(b.random.randint(0, 2)) if (found := b.pick(fits)) is not None)]
    total = sum(part.desc.sizes[axis] for part in parts)
    sizes = (*first.desc.sizes[:axis], total, *first.desc.sizes[axis + 1 :])
    if prod(sizes) > MOST_ELEMENTS:
        return False
    output = b.layout(first.desc.data_type, sizes)
    b.add(dml.Join(input_tensors=[part.desc for part in parts], output_tensor=output, axis=axis), parts)
    return True


def _split(b: Builder) -> bool:
    source = b.pick(lambda desc: max(desc.sizes) > 1)
    if source is None:
        return False
    axis = b.random.choice([i for i, n in enumerate(source.desc.sizes) if n > 1])
    cut = b.random.randint(1, source.desc.sizes[axis] - 1)
    parts = [
        b.layout(source.desc.data_type, (*source.desc.sizes[:axis], n, *source.desc.sizes[axis + 1 :]))
        for n in (cut, source.desc.sizes[axis] - cut)
    ]
    b.add(dml.Split(input_tensor=source.desc, output_tensors=parts, axis=axis), [source])
    return True


def _padding(b: Builder) -> bool:
    source = b.pick()
    if source is None:
        return False
    before, after = ([b.random.choice((0, 0, 1, 2)) for _ in source.desc.sizes] for _ in range(2))
    sizes = [n + p + q for n, p, q in zip(source.desc.sizes, before, after, strict=True)]
    if prod(sizes) > MOST_ELEMENTS:
        return False
    operator = dml.Padding1(
        input_tensor=source.desc,
        output_tensor=b.layout(source.desc.data_type, sizes),
        padding_mode=b.random.choice(["CONSTANT", "CONSTANT", "EDGE", "REFLECTION"]),
        padding_value_data_type=source.desc.data_type,
        padding_value=3,
        start_padding=before,
        end_padding=after,
    )
    b.add(operator, [source])
    return True


def _tile(b: Builder) -> bool:
    source = b.pick()
    if source is None:
        return False
    repeats = [b.random.choice((1, 1, 2)) for _ in source.desc.sizes]
    sizes = [n * r for n, r in zip(source.desc.sizes, repeats, strict=True)]
    if prod(sizes) > MOST_ELEMENTS:
        return False
    output = b.layout(source.desc.data_type, sizes)
    b.add(dml.Tile(input_tensor=source.desc, output_tensor=output, repeats=repeats), [source])
    return True


def _cast(b: Builder) -> bool:
    source = b.pick()
    if source is None:
        return False
    kind = b.random.choice([dml.DataType.FLOAT32, dml.DataType.FLOAT16, dml.DataType.INT32])
    output = b.layout(kind, source.desc.sizes)
    b.add(dml.Cast(input_tensor=source.desc, output_tensor=output), [source])
    return True


def _unary(b: Builder) -> bool:
    source = b.pick(is_float)
    if source is None:
        return False
    output = b.layout(source.desc.data_type, source.desc.sizes)
    tensors = {"input_tensor": source.desc, "output_tensor": output}
    makers: list[Callable[[], dml.Operator]] = [
        lambda: dml.ActivationRelu(**tensors),
        lambda: dml.ActivationLeakyRelu(**tensors, alpha=0.5),
        lambda: dml.ElementWiseClip(**tensors, min=-1, max=1, scale_bias=b.random.choice([None, (2.0, 0.5)])),
        lambda: dml.ActivationThresholdedRelu(**tensors, alpha=0.25),
    ]
    b.add(b.random.choice(makers)(), [source])
    return True


def _binary(b: Builder) -> bool:
    first = b.pick(is_float)
    second = (
        None if first is None else b.pick(lambda d: d.sizes == first.desc.sizes and d.data_type is first.desc.data_type)
    )
    if first is None or second is None:
        return False
    if b.random.random() < 0.3:
        desc = dml.TensorDesc(first.desc.data_type, first.desc.sizes, [0] * first.desc.rank)
        second = b.constant(desc)
    output = b.layout(first.desc.data_type, first.desc.sizes)
    name = b.random.choice([None, "RELU"])
    tensors = {"a_tensor": first.desc, "b_tensor": second.desc, "output_tensor": output}
    b.add(dml.ElementWiseAdd1(**tensors, fused_activation=name), [first, second])
    return True


def _reduce(b: Builder) -> bool:
    source = b.pick(is_float)
    if source is None:
        return False
    axes = b.random.sample(range(source.desc.rank), b.random.randint(1, source.desc.rank))
    sizes = [1 if i in axes else n for i, n in enumerate(source.desc.sizes)]
    output = b.layout(source.desc.data_type, sizes)
    function = b.random.choice(["MAX", "MIN"])
    b.add(dml.Reduce(function=function, input_tensor=source.desc, output_tensor=output, axes=axes), [source])
    return True


def _convolution(b: Builder) -> bool:
    source = b.pick(lambda desc: is_float(desc) and desc.rank == 4)
    if source is None:
        return False
    channels = source.desc.sizes[1]
    window = [min(n, b.random.choice((1, 2))) for n in source.desc.sizes[2:]]
    weights = b.constant(dml.TensorDesc(source.desc.data_type, [2, channels, *window]))
    operator = dml.Convolution(
        input_tensor=source.desc,
        filter_tensor=weights.desc,
        fused_activation=b.random.choice([None, "RELU"]),
        output_tensor=b.layout(
            source.desc.data_type,
            [source.desc.sizes[0], 2, *(n - w + 1 for n, w in zip(source.desc.sizes[2:], window, strict=True))],
        ),
    )
    b.add(operator, [source, weights])
    return True


MAKERS = (
    *(_slice, _identity, _transposed, _reshaped, _join, _split, _padding, _tile, _cast),
    *(_unary, _unary, _binary, _binary, _reduce, _convolution),
)


def random_graph(random: Random, nodes: int) -> tuple[Graph, list[dml.TensorDesc]]:
    """A graph of about so many operators, and the descriptions of its inputs."""
    b = Builder(random)
    kind = random.choice([dml.DataType.FLOAT32, dml.DataType.FLOAT32, dml.DataType.FLOAT16])
    sizes = [random.randint(1, 4) for _ in range(random.choice((4, 4, 2, 3)))]
    for _ in range(random.randint(1, 3)):
        strides = None if random.random() < 0.4 else random_strides(random, sizes, broadcast=True)
        b.new_input(dml.TensorDesc(kind, sizes, strides))
    made = 0
    while made < nodes:
        made += random.choice(MAKERS)(b)
    return used_only(b.build(), b.inputs)


def used_only(graph: Graph, inputs: list[dml.TensorDesc]) -> tuple[Graph, list[dml.TensorDesc]]:
    """The graph without inputs that nothing reads."""
    used = sorted({edge.graph_input_index for edge in graph.input_edges})
    edges = [
        InputEdge(used.index(e.graph_input_index), e.to_node_index, e.to_node_input_index) for e in graph.input_edges
    ]
    trimmed = Graph(graph.nodes, edges, graph.output_edges, graph.intermediate_edges)
    return trimmed, [inputs[i] for i in used]


def random_pointwise_graph(random: Random, nodes: int) -> Graph:
    """Long chains with side branches: every node reads something recent, transposed at times; all are 4 by 4."""
    b = Builder(random)
    plain, turned = dml.TensorDesc("FLOAT32", [4, 4]), dml.TensorDesc("FLOAT32", [4, 4], [1, 4])
    half = dml.TensorDesc("FLOAT16", [4, 4])
    for _ in range(3):
        b.new_input(plain)
    unread = b.sources[:]
    often, shared = random.choice((0, 0.02, 0.1, 0.3)), random.choice((0, 0.01, 0.05, 0.2))

    def recent() -> Source:
        among = b.sources[-8:] if random.random() < shared else unread[-3:] or b.sources[:3]
        found = random.choice(among)
        unread[:] = [source for source in unread if source is not found]
        return found

    def add(operator: dml.Operator, *inputs: Source) -> None:
        b.add(operator, list(inputs))
        unread.append(b.sources[-1])
        b.sources[:] = [source for source in b.sources if source.desc is plain]

    while len(b.nodes) < nodes:
        kind = random.choice(
            ("relu", "tanh", "scaled", "sum", "sum", "product", "turned", "constant", "half", "softmax")
        )
        if kind in ("sum", "product"):
            make = dml.ElementWiseAdd if kind == "sum" else dml.ElementWiseMultiply
            second = turned if random.random() < often else plain
            add(make(a_tensor=plain, b_tensor=second, output_tensor=plain), recent(), recent())
        elif kind == "constant":
            add(dml.ElementWiseAdd(a_tensor=plain, b_tensor=plain, output_tensor=plain), recent(), b.constant(plain))
        elif kind == "half":
            b.add(dml.Cast(input_tensor=plain, output_tensor=half), [recent()])
            add(dml.Cast(input_tensor=half, output_tensor=plain), b.sources[-1])
        elif kind == "softmax" and random.random() < often:
            add(dml.ActivationSoftmax(input_tensor=plain, output_tensor=plain), recent())
        elif kind == "scaled":
            scale = random.choice((0.5, 0.25, 2.0)), 0.5
            add(dml.ElementWiseIdentity(input_tensor=plain, output_tensor=plain, scale_bias=scale), recent())
        else:
            make = dml.ActivationTanh if kind == "tanh" else dml.ActivationRelu
            add(make(input_tensor=turned if kind == "turned" else plain, output_tensor=plain), recent())
    return used_only(b.build(also_read=0), b.inputs)[0]
