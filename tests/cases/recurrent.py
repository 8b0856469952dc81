"""RNN, LSTM and GRU: every direction, lengths, initial states, peepholes, clipping, coupling and activations."""

from __future__ import annotations

from typing import Any

from tests.cases.framework import Case, Draw, answer, case, values
from tests.cases.fused import FUSABLE, draw_activation, function_of
from tests.oracle.moves import Index, Tensor
from tests.oracle.recurrent import Cell, Network, Step, Weights, gru_step, lstm_step, rnn_step, run

GATES = {"RNN": 1, "LSTM": 4, "GRU": 3}
USUAL = {"RNN": ("TANH",), "LSTM": ("SIGMOID", "TANH", "TANH"), "GRU": ("SIGMOID", "TANH")}
STEPS: dict[str, Step] = {"RNN": rnn_step, "LSTM": lstm_step, "GRU": gru_step}
DIRECTIONS = ("FORWARD", "BACKWARD", "BIDIRECTIONAL")
SMALL = values.between(-0.75, 0.75)


def draw_network(draw: Draw, *more_outputs: str) -> Index:
    """All that the networks share; gives the sizes of a state.

    Weights are below 1, so that states stay small whatever the activations.
    """
    gates, direction = GATES[draw.operator], draw.cycle("direction", DIRECTIONS)
    ways = 2 if direction == "BIDIRECTIONAL" else 1
    steps, batch, width, hidden = draw_lengths(draw)
    draw.input("input_tensor", sizes=(1, steps, batch, width))
    draw.input("weight_tensor", sizes=(1, ways, gates * hidden, width), value=SMALL)
    draw.input("recurrence_tensor", sizes=(1, ways, gates * hidden, hidden), value=SMALL)
    state = (1, ways, batch, hidden)
    draw_optional(draw, "bias_tensor", (1, 1, ways, 2 * gates * hidden))
    draw_optional(draw, "hidden_init_tensor", state)
    if draw.optional("sequence_lengths_tensor"):
        draw.input("sequence_lengths_tensor", sizes=(1, 1, 1, batch), value=values.between(1, steps))
    draw.attributes(direction=direction, activation_descs=draw_activations(draw, ways))
    singles = ("output_single_tensor", *more_outputs)
    draw_outputs(draw, {"output_sequence_tensor": (steps, ways, batch, hidden), **dict.fromkeys(singles, state)})
    return state


def draw_lengths(draw: Draw) -> tuple[int, int, int, int]:
    """Steps, batch, input and hidden sizes."""
    most = (9, 4, 6, 6) if draw.is_large else (4, 3, 4, 4)
    steps, batch, width, hidden = (draw.integer(1, n) for n in most)
    return steps, batch, width, hidden


def draw_optional(draw: Draw, field: str, sizes: Index) -> None:
    if draw.optional(field):
        draw.input(field, sizes=sizes, value=SMALL)


def draw_activations(draw: Draw, ways: int) -> list[dict[str, Any]]:
    """The usual ones in every second case, any other in the rest."""
    usual, names = USUAL[draw.operator], list(FUSABLE)
    if draw.cycle("usual activations", (True, False)):
        return [draw_activation(draw, name) for name in usual * ways]
    first = draw.cycle("first activation", names)
    return [draw_activation(draw, name) for name in (first, *draw.each(ways * len(usual) - 1, *names))]


def draw_outputs(draw: Draw, sizes: dict[str, Index]) -> None:
    """Every output in some cases, and in each at least one."""
    wanted = [field for field in sizes if draw.optional(field)] or [draw.choice(*sizes)]
    for field in wanted:
        draw.output(field, sizes=sizes[field])


@case("RNN", count=36)
def plain_networks(draw: Draw) -> None:
    draw_network(draw)


@case("GRU", count=36)
def gated_networks(draw: Draw) -> None:
    draw_network(draw)
    draw.attributes(linear_before_reset=draw.cycle("reset", (True, False)))


@case("LSTM", count=48)
def memory_networks(draw: Draw) -> None:
    state = draw_network(draw, "output_cell_single_tensor")
    draw_optional(draw, "cell_mem_init_tensor", state)
    draw_optional(draw, "peephole_tensor", (1, 1, state[1], 3 * state[3]))
    clips, couples = draw.cycle("options", [(a, b) for a in (True, False) for b in (True, False)])
    draw.attributes(clip_threshold=draw.choice(0.25, 0.5), use_clip_threshold=clips, couple_input_forget=couples)


def weights_of(given: Case, way: int) -> Weights:
    """The parameters of one direction; those that are missing are zeros."""
    weight, recurrence = given["weight_tensor"], given["recurrence_tensor"]
    rows, hidden = recurrence.sizes[2:]

    def matrix(operand: Any) -> list[list[float]]:
        return [[operand.values[0, way, row, k] for k in range(operand.sizes[3])] for row in range(rows)]

    def line(name: str, length: int) -> list[float]:
        operand = given.get(name)
        return [operand.values[0, 0, way, k] if operand else 0.0 for k in range(length)]

    bias = line("bias_tensor", 2 * rows)
    peephole = line("peephole_tensor", 3 * hidden)
    return Weights(matrix(weight), matrix(recurrence), bias[:rows], bias[rows:], peephole)


@answer("RNN", "GRU", "LSTM")
def networks_answer(given: Case) -> dict[str, Tensor]:
    x, hidden = given["input_tensor"], given["recurrence_tensor"].sizes[3]
    ways, count = given["weight_tensor"].sizes[1], len(USUAL[given.operator])
    functions = [function_of(each) for each in given["activation_descs"]]
    clip = given["clip_threshold"] if given.get("use_clip_threshold") else None
    options = (clip, given.get("couple_input_forget", False), given.get("linear_before_reset", False))
    network = Network(
        STEPS[given.operator],
        [weights_of(given, way) for way in range(ways)],
        [Cell(functions[way * count : (way + 1) * count], *options) for way in range(ways)],
        [given["direction"] == "BACKWARD" or way == 1 for way in range(ways)],
        hidden,
    )
    lengths = given.get("sequence_lengths_tensor")
    ends = [int(v) for v in lengths.values.values()] if lengths else [x.sizes[1]] * x.sizes[2]
    starts = [given.get("hidden_init_tensor"), given.get("cell_mem_init_tensor")]
    found = run(network, x.values, x.sizes, ends, [start and start.values for start in starts])
    return dict(
        zip(("output_sequence_tensor", "output_single_tensor", "output_cell_single_tensor"), found, strict=True)
    )
