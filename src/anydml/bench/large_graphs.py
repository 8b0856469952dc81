"""How long graphs of very many nodes take to be checked and compiled, by their shape."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

import anydml as dml

_TENSOR = dml.TensorDesc("FLOAT32", [4, 4])
_TURNED = dml.TensorDesc("FLOAT32", [4, 4], strides=[1, 4])
_RELU = dml.ActivationRelu(input_tensor=_TENSOR, output_tensor=_TENSOR)
_TURNED_TANH = dml.ActivationTanh(input_tensor=_TURNED, output_tensor=_TENSOR)
_TANH = dml.ActivationTanh(input_tensor=_TENSOR, output_tensor=_TENSOR)
_SOFTMAX = dml.ActivationSoftmax(input_tensor=_TENSOR, output_tensor=_TENSOR)
_ADD = dml.ElementWiseAdd(a_tensor=_TENSOR, b_tensor=_TENSOR, output_tensor=_TENSOR)
_ADD_OWNED = _ADD.replace(b_tensor=_TENSOR.replace(flags="OWNED_BY_DML"))
Edges = list[tuple[int, ...]]
_MOST_ENDS = 1 << 16
"""Inputs, or outputs, that a graph may have."""


def chain(operators: Sequence[dml.Operator]) -> dml.Graph:
    """Each reads the result of the one before."""
    count = len(operators)
    return dml.Graph(operators, [(0, 0, 0)], [(count - 1, 0, 0)], _in_a_row(count))


def sums(operator: dml.Operator, count: int, is_one: bool) -> dml.Graph:
    """A graph input is added to what the one before added: the same each time, or another."""
    count = count if is_one else min(count, _MOST_ENDS - 1)
    inputs = [(0, 0, 0), *((1 if is_one else n + 1, n, 1) for n in range(count))]
    return dml.Graph([operator] * count, inputs, [(count - 1, 0, 0)], _in_a_row(count))


def residuals(count: int) -> dml.Graph:
    """What was computed from a value is added to that value."""
    inputs, edges = [(0, 0, 0), (0, 1, 0)], [(0, 0, 1, 1)]
    for n in range(2, count - 1, 2):
        edges += [(n - 1, 0, n, 0), (n - 1, 0, n + 1, 0), (n, 0, n + 1, 1)]
    return dml.Graph([_TANH, _ADD] * (count // 2), inputs, [(count // 2 * 2 - 1, 0, 0)], edges)


def after_constant(count: int) -> dml.Graph:
    """A chain that begins with a constant: it is computed once."""
    nodes: list[Any] = [dml.ConstantNode(np.ones(16, np.float32)), *([_SOFTMAX] * count), _ADD]
    return dml.Graph(nodes, [(0, count + 1, 1)], [(count + 1, 0, 0)], _in_a_row(count + 2))


def constants(count: int) -> dml.Graph:
    """Another constant is added each time."""
    half = count // 2
    values = [dml.ConstantNode(np.full(16, number, np.float32)) for number in range(half)]
    edges = [(n, 0, half + n, 1) for n in range(half)] + [(half + n, 0, half + n + 1, 0) for n in range(half - 1)]
    return dml.Graph([*values, *([_ADD] * half)], [(0, half, 0)], [(2 * half - 1, 0, 0)], edges)


def wide(operator: dml.Operator, count: int) -> dml.Graph:
    """All read the result of the first, and each is a graph output."""
    count = min(count, _MOST_ENDS + 1)
    outputs = [(n, 0, n - 1) for n in range(1, count)]
    return dml.Graph([operator] * count, [(0, 0, 0)], outputs, [(0, 0, n, 0) for n in range(1, count)])


def join(count: int) -> dml.Graph:
    """Results that are parts of one tensor."""
    nodes = [*([_SOFTMAX] * count), dml.Join(input_tensors=[_TENSOR] * count, axis=0)]
    inputs, edges = [(0, n, 0) for n in range(count)], [(n, 0, count, n) for n in range(count)]
    return dml.Graph(nodes, inputs, [(count, 0, 0)], edges)


def held(count: int) -> dml.Graph:
    """Results that all live at once: what was computed first is read last."""
    half = min(count // 2, _MOST_ENDS)
    inputs, outputs = [(0, n, 0) for n in range(half)], [(half + n, 0, n) for n in range(half)]
    return dml.Graph([_SOFTMAX] * (2 * half), inputs, outputs, [(half - 1 - n, 0, half + n, 0) for n in range(half)])


def _in_a_row(count: int) -> Edges:
    return [(n, 0, n + 1, 0) for n in range(count - 1)]


SHAPES: dict[str, Callable[[int], dml.Graph]] = {
    "chain: RELU": lambda count: chain([_RELU] * count),
    "chain: TANH, transposed": lambda count: chain([_TURNED_TANH] * count),
    "chain: softmax": lambda count: chain([_SOFTMAX] * count),
    "chain: softmax, RELU": lambda count: chain([_SOFTMAX, _RELU] * (count // 2)),
    "chain: + input": lambda count: sums(_ADD, count, is_one=True),
    "chain: + inputs": lambda count: sums(_ADD, count, is_one=False),
    "chain: + owned inputs": lambda count: sums(_ADD_OWNED, count, is_one=False),
    "chain: + constants": constants,
    "chain: residuals": residuals,
    "chain: after a constant": after_constant,
    "wide: RELU": lambda count: wide(_RELU, count),
    "wide: softmax": lambda count: wide(_SOFTMAX, count),
    "wide: join": join,
    "wide: held": held,
}
"""Graphs of about so many nodes, or as many as their inputs and outputs allow."""
LEAST_NODES = 4


@dataclass(frozen=True)
class Compiled:
    """Seconds of processor time."""

    name: str
    nodes: int
    steps: int
    make: float
    """To make and check the graph, its operators being described."""
    compile: float


def measure_graph(name: str, count: int) -> Compiled:
    """The graph is compiled a second time: the first time loads what compiling needs, and compiles the kernels."""
    gc.collect()
    start = process_time()
    graph = SHAPES[name](count)
    made = process_time()
    dml.Device("cpu").compile_graph(graph)
    gc.collect()
    between = process_time()
    compiled = dml.Device("cpu").compile_graph(graph)
    return Compiled(name, len(graph.nodes), len(compiled.plan.steps), made - start, process_time() - between)


def graph_table(runs: Sequence[Compiled]) -> str:
    lines = [f"{'seconds of processor time':25} {'nodes':>7} {'steps':>7} {'make':>7} {'compile':>8} {'us a node':>10}"]
    for run in runs:
        each = (run.make + run.compile) / run.nodes * 1e6
        numbers = f"{run.nodes:>7} {run.steps:>7} {run.make:>7.2f} {run.compile:>8.2f} {each:>10.0f}"
        lines.append(f"{run.name:25} {numbers}")
    return "\n".join(lines)
