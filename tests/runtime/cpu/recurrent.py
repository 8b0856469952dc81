"""Random recurrent networks, run on the processor and by definition."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

import anydml as dml
from tests.runtime.cpu.products import buffer, elements_alone, layout, values

Array = npt.NDArray[Any]
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
ACTIVATIONS = {"RNN": ["TANH"], "GRU": ["SIGMOID", "TANH"], "LSTM": ["SIGMOID", "TANH", "TANH"]}
TOLERANCE = {"FLOAT32": 2e-5, "FLOAT16": 3e-3}
"""Beside states that lie between -1 and 1."""


@dataclass(frozen=True)
class Network:
    operator: Any
    inputs: dict[str, Array]
    outputs: tuple[str, ...]
    shift: int


def network(random: Random, kind: str, data_type: str = "FLOAT32") -> Network:
    direction = random.choice(("FORWARD", "BACKWARD", "BIDIRECTIONAL"))
    ways, gates = 2 if direction == "BIDIRECTIONAL" else 1, GATES[kind]
    times, batch = random.choice((1, 2, 3, 9)), random.choice((1, 1, 2, 5, 9))
    width, hidden = random.randint(1, 40), random.choice((1, 5, 16, 33, random.randint(2, 70)))
    state = (1, ways, batch, hidden)
    sizes: dict[str, tuple[int, ...]] = {
        "input_tensor": (1, times, batch, width),
        "weight_tensor": (1, ways, gates * hidden, width),
        "recurrence_tensor": (1, ways, gates * hidden, hidden),
        "bias_tensor": (1, 1, ways, 2 * gates * hidden),
        "hidden_init_tensor": state,
        "sequence_lengths_tensor": (1, 1, 1, batch),
    }
    if kind == "LSTM":
        sizes |= {"cell_mem_init_tensor": state, "peephole_tensor": (1, 1, ways, 3 * hidden)}
    kept = [name for number, name in enumerate(sizes) if number < 3 or random.random() < 0.5]
    types = {name: "UINT32" if name == "sequence_lengths_tensor" else data_type for name in kept}
    tensors = {name: layout(random, sizes[name], types[name]) for name in kept}
    given = {name: values(random, sizes[name], data_type) * _scale(name, sizes[name]) for name in kept}
    if "sequence_lengths_tensor" in given:
        lengths = [random.randint(1, times) for _ in range(batch)]
        given["sequence_lengths_tensor"] = np.array(lengths, np.uint32).reshape(sizes["sequence_lengths_tensor"])
    wanted = {"output_sequence_tensor": (times, ways, batch, hidden), "output_single_tensor": state}
    if kind == "LSTM":
        wanted["output_cell_single_tensor"] = state
    chosen = [name for name in wanted if random.random() < 0.7] or ["output_sequence_tensor"]
    outputs = {name: layout(random, wanted[name], data_type) if name in chosen else None for name in wanted}
    options: dict[str, Any] = {"activation_descs": [{"Type": name} for name in ACTIVATIONS[kind]] * ways}
    if kind == "GRU":
        options["linear_before_reset"] = random.random() < 0.5
    if kind == "LSTM":
        options |= {"clip_threshold": 0.5, "use_clip_threshold": random.random() < 0.3}
        options["couple_input_forget"] = random.random() < 0.3
    operator = getattr(dml, kind.title())(**tensors, **outputs, direction=direction, **options)
    shift = random.randrange(0, 64, dml.DataType.parse(data_type).element_bytes)
    return Network(operator, given, tuple(chosen), shift - shift % 4)


def _scale(name: str, sizes: tuple[int, ...]) -> Any:
    """Sums of products stay near 1."""
    return np.float16(sizes[-1] ** -0.5) if name in ("weight_tensor", "recurrence_tensor") else np.float16(0.5)


def run(network: Network, device: str) -> dict[str, Array]:
    """The results; no byte but their elements may change."""
    compiled = dml.Device(device).compile(network.operator)
    buffers = {}
    for name, given in network.inputs.items():
        desc = getattr(network.operator, name)
        buffers[name], _ = buffer(desc, network.shift, 0)
        desc.view(buffers[name])[...] = given
    written = {name: buffer(getattr(network.operator, name), network.shift, 0xCD) for name in network.outputs}
    compiled(**buffers, **{name: data for name, (data, _) in written.items()})
    return {name: elements_alone(getattr(network.operator, name), *pair, 0xCD) for name, pair in written.items()}


def largest_difference(found: dict[str, Array], wanted: dict[str, Array]) -> float:
    """Infinite where one of them is not finite."""
    pairs = [(found[name].astype(np.float64), wanted[name].astype(np.float64)) for name in wanted]
    differences = [float(np.max(np.abs(a - b), initial=0.0)) for a, b in pairs]
    return max(difference if difference == difference else float("inf") for difference in differences)
