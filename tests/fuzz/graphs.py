"""Mutated serialized graphs: refused by a rule, or read as a graph; some also through the command line."""

from __future__ import annotations

import json
import random
import struct
import tempfile
from pathlib import Path

import numpy as np

import anydml as dml
from anydml.frontends.serialized import parse_graph, serialize_graph
from tests.fuzz.harness import Summary, call_cleanly, run_cases
from tests.fuzz.mutate import mutate_bytes

WORDS = [0, 1, 2, 4, 8, 255, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0, 0xFFFFFFFF]
THROUGH_COMMAND_LINE = 20
"""One in so many cases goes through `anydml check`."""


def fuzz_graphs(seed: int, count: int | None = None, seconds: float | None = None) -> Summary:
    """Mutants of sound graphs: bytes, whole words, lengths and pieces of other graphs."""
    rng, summary = random.Random(seed), Summary("graphs", seed)
    sources = _sound_graphs()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = {"resources": {}, "dispatchables": {"g": {"type": "dmlSerializedGraph", "sourcePath": "g.dml"}}}
        (folder / "model.json").write_text(json.dumps({**model, "commands": []}), "utf-8")

        def case() -> None:
            data = _mutate(rng.choice(sources), sources, rng)
            _read(summary, data)
            if summary.cases % THROUGH_COMMAND_LINE == 0:
                (folder / "g.dml").write_bytes(data)
                call_cleanly(summary, ["check", str(folder / "model.json")], f"{data!r}")

        return run_cases(summary, case, count, seconds)


def _read(summary: Summary, data: bytes) -> None:
    try:
        graph = parse_graph(data)
    except dml.DmlError as error:
        summary.count(error.violations[0].rule)
        return
    constants = sum(node.data.size for node in graph.nodes if isinstance(node, dml.ConstantNode))
    if constants > 32 * len(data) + (1 << 16):
        summary.fail(f"{constants} bytes of constants from a file of {len(data)} bytes")
    summary.count("read")


def _mutate(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    kind = rng.random()
    if kind < 0.3:
        return mutate_bytes(data, rng)
    if kind < 0.4:
        other, cut = rng.choice(others), rng.randrange(len(data)) & ~3
        return data[:cut] + other[cut:]
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        place = rng.randrange(len(data) // 4) * 4
        word = rng.choice(WORDS) if rng.random() < 0.6 else rng.randrange(len(data))
        struct.pack_into("<I", changed, place, word)
    return bytes(changed)


def _sound_graphs() -> list[bytes]:
    """A few graphs with every kind of attribute."""
    tensor = dml.TensorDesc("FLOAT32", [1, 1, 4, 4])
    weights = dml.ConstantNode(np.arange(16, dtype=np.float32), "weights")
    gemm = dml.OperatorNode(dml.Gemm(a_tensor=tensor, b_tensor=tensor, fused_activation=dml.ActivationElu), "product")
    slice1 = dml.Slice1(
        input_tensor=tensor,
        input_window_offsets=[0, 0, 0, 1],
        input_window_sizes=[1, 1, 4, 3],
        input_window_strides=[1, 1, -2, 2],
    )
    clip = dml.ElementWiseClip1(input_tensor=tensor, min_max_data_type="FLOAT32", min=0, max=1, scale_bias=(2, 1))
    resample = dml.Upsample2D(input_tensor=tensor, scale_size=(2, 2), interpolation_mode="LINEAR")
    join = dml.Join(input_tensors=[tensor, tensor], axis=2)
    graphs = [
        dml.Graph([weights, gemm, slice1], [(0, 1, 0)], [(2, 0, 0)], [(0, 0, 1, 1), (1, 0, 2, 0)]),
        *(dml.Graph.of(operator) for operator in (clip, resample, join, slice1)),
    ]
    return [serialize_graph(graph)[0] for graph in graphs]
