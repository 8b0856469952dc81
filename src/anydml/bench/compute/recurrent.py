"""Recurrent networks, of fixed sizes; weights are constants."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

import anydml as dml
from anydml.bench.compute.case import (
    ONNX,
    OURS,
    TORCH,
    Array,
    Case,
    Family,
    Goal,
    Problem,
    Work,
    onnx,
    ours,
    problem,
    random,
    zeros,
)
from anydml.bench.compute.case import torch as torch_work
from anydml.bench.onnx_model import OnnxNode
from anydml.graph.graph import ConstantNode, Graph

NAME = "recurrent"
_TIMES, _HIDDEN = 64, 256


@dataclass(frozen=True)
class _Kind:
    """A kind of network: its activations, its own fields, and where PyTorch has our gates."""

    name: str
    activations: tuple[str, ...]
    order: tuple[int, ...]
    fields: dict[str, Any]

    @property
    def gates(self) -> int:
        return len(self.order)


_KINDS = (
    _Kind(
        "LSTM",
        ("SIGMOID", "TANH", "TANH"),
        (0, 2, 3, 1),
        {"clip_threshold": 0.0, "use_clip_threshold": False, "couple_input_forget": False},
    ),
    _Kind("GRU", ("SIGMOID", "TANH"), (1, 0, 2), {"linear_before_reset": True}),
    _Kind("RNN", ("TANH",), (0,), {}),
)


def _network(kind: _Kind, batch: int, _: int, threads: int) -> Problem:
    """The states of all times; as wide inputs as states."""
    rows = kind.gates * _HIDDEN
    x = random((1, _TIMES, batch, _HIDDEN))
    weights, recurrence = (random((1, 1, rows, _HIDDEN), seed) * np.float32(0.05) for seed in (1, 2))
    bias = random((1, 1, 1, 2 * rows), 3)
    mine, by_onnx = (zeros((_TIMES, 1, batch, _HIDDEN)) for _ in range(2))
    by_torch: dict[str, Any] = {}
    work = _in_torch(kind, by_torch, (x, weights, recurrence, bias), threads) if find_spec("torch") else None
    attributes: dict[str, Any] = {"hidden_size": _HIDDEN}
    attributes |= {"linear_before_reset": 1} if kind.name == "GRU" else {}
    nodes = [OnnxNode(kind.name, ("x", "w", "r", "b"), ("y",), attributes)]
    constants = [("w", weights[0]), ("r", recurrence[0]), ("b", bias[0, 0])]
    return problem(
        {
            OURS: ours(_graph(kind, x, weights, recurrence, bias), [x], [mine], threads),
            TORCH: work,
            ONNX: onnx(nodes, {"x": x[0]}, {"y": by_onnx}, threads, constants),
        },
        {OURS: mine, TORCH: lambda: by_torch["result"].numpy()[:, None], ONNX: by_onnx},
        operations=2 * _TIMES * batch * rows * 2 * _HIDDEN,
        tolerance=1e-3,
    )


def _graph(kind: _Kind, x: Array, *constants: Array) -> Graph:
    descs = [dml.TensorDesc("FLOAT32", array.shape) for array in (x, *constants)]
    names = ("input_tensor", "weight_tensor", "recurrence_tensor", "bias_tensor")
    operator: Any = getattr(dml, kind.name.title())
    made = operator(
        **dict(zip(names, descs, strict=True)),
        output_sequence_tensor=dml.TensorDesc("FLOAT32", [x.shape[1], 1, x.shape[2], _HIDDEN]),
        output_single_tensor=None,
        **({"output_cell_single_tensor": None} if kind.name == "LSTM" else {}),
        activation_descs=[{"Type": name} for name in kind.activations],
        direction="FORWARD",
        **kind.fields,
    )
    edges = [(number, 0, 0, number) for number in range(1, 4)]
    return Graph([made, *(ConstantNode(array) for array in constants)], [(0, 0, 0)], [(0, 0, 0)], edges)


def _in_torch(
    kind: _Kind, results: dict[str, Any], arrays: tuple[Array, Array, Array, Array], threads: int
) -> Work | None:
    import torch

    x, weights, recurrence, bias = arrays

    def turned(array: Array) -> Any:
        parts = np.split(array, kind.gates)
        return torch.from_numpy(np.concatenate([parts[place] for place in kind.order]))

    network = getattr(torch.nn, kind.name)(_HIDDEN, _HIDDEN)
    halves = np.split(bias[0, 0, 0], 2)
    given = (weights[0, 0], recurrence[0, 0], *halves)
    with torch.no_grad():
        for name, array in zip(("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"), given, strict=True):
            getattr(network, name).copy_(turned(array))

    def work(t: Any, inputs: Any) -> None:
        with t.no_grad():
            results["result"] = network(inputs)[0]

    return torch_work(work, x[0], threads=threads)


CASES = tuple(
    Case(
        NAME,
        f"{kind.name} of {_TIMES} times, hidden {_HIDDEN}, batch {batch}",
        partial(_network, kind, batch),
        is_sized=False,
    )
    for kind in _KINDS
    for batch in (1, 8)
)
FAMILY = Family(NAME, CASES, {"": Goal(1.0, peer=TORCH)})
