"""LSTM, GRU and RNN against their equations, unrolled sequence by sequence."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anydml as dml
from tests.operators.arrays import WAYS, Array, described, outputs_of
from tests.operators.memory import DEVICES
from tests.operators.test_errata import rules
from tests.oracle.formulas import ACTIVATIONS

SEQUENCE, BATCH, WIDTH, HIDDEN = 5, 4, 3, 2
LENGTHS = [5, 0, 3, 9]  # whole, empty, cut off, and longer than there is
DIRECTIONS = {"FORWARD": [False], "BACKWARD": [True], "BIDIRECTIONAL": [False, True]}
GATES = {"RNN": 1, "LSTM": 4, "GRU": 3}
FUNCTIONS = {"RNN": 1, "LSTM": 3, "GRU": 2}
CLASSES: dict[str, Any] = {"RNN": dml.Rnn, "LSTM": dml.Lstm, "GRU": dml.Gru}
Cell = Callable[..., tuple[Array, ...]]


def each(function: str, x: Array) -> Array:
    """An activation by its definition on plain numbers."""
    return np.array([ACTIVATIONS[function](float(value)) for value in x])


def rnn(x: Array, h: Array, w: Any, names: list[str], how: Any) -> tuple[Array, ...]:
    return (each(names[0], w["W"] @ x + w["R"] @ h + w["Wb"] + w["Rb"]),)


def lstm(x: Array, h: Array, c: Array, w: Any, names: list[str], how: Any) -> tuple[Array, ...]:
    sums = dict(zip("iofc", (w["W"] @ x + w["R"] @ h + w["Wb"] + w["Rb"]).reshape(4, -1), strict=True))
    peepholes = dict(zip("iof", w["P"].reshape(3, -1), strict=True))
    limit = how["clip_threshold"] if how["use_clip_threshold"] else math.inf
    i = each(names[0], np.clip(sums["i"] + peepholes["i"] * c, -limit, limit))
    f = each(names[0], np.clip(sums["f"] + peepholes["f"] * c, -limit, limit))
    if how["couple_input_forget"]:
        f = 1 - i
    new = f * c + i * each(names[1], np.clip(sums["c"], -limit, limit))
    o = each(names[0], np.clip(sums["o"] + peepholes["o"] * new, -limit, limit))
    return o * each(names[2], new), new


def gru(x: Array, h: Array, w: Any, names: list[str], how: Any) -> tuple[Array, ...]:
    wz, wr, wh = (w["W"] @ x + w["Wb"]).reshape(3, -1)
    rz, rr, rh = w["R"].reshape(3, len(h), -1)
    bz, br, bh = w["Rb"].reshape(3, -1)
    z, r = each(names[0], wz + rz @ h + bz), each(names[0], wr + rr @ h + br)
    inner = r * (rh @ h + bh) if how["linear_before_reset"] else rh @ (r * h) + bh
    return ((1 - z) * each(names[1], wh + inner) + z * h,)


CELLS: dict[str, Cell] = {"RNN": rnn, "LSTM": lstm, "GRU": gru}


def unrolled(kind: str, given: dict[str, Any], names: list[str], backward: list[bool], how: Any) -> list[Array]:
    """The output sequence, and the last value of each state: every sequence alone, cut to its length."""
    count = len(backward)
    states = ["hidden_init_tensor", "cell_mem_init_tensor"][: 2 if kind == "LSTM" else 1]
    sequence = np.zeros((SEQUENCE, count, BATCH, HIDDEN))
    last = [np.zeros((1, count, BATCH, HIDDEN)) for _ in states]
    for d, turned in enumerate(backward):
        weights = weights_of(given, d)
        functions = names[d * FUNCTIONS[kind] : (d + 1) * FUNCTIONS[kind]]
        for b in range(BATCH):
            now = [np.zeros(HIDDEN) if given[name] is None else given[name][0, d, b].astype(float) for name in states]
            lengths = given["sequence_lengths_tensor"]
            times = range(SEQUENCE if lengths is None else min(SEQUENCE, lengths[0, 0, 0, b]))
            for t in reversed(times) if turned else times:
                now = list(CELLS[kind](given["input_tensor"][0, t, b], *now, weights, functions, how))
                sequence[t, d, b] = now[0]
            for found, state in zip(last, now, strict=True):
                found[0, d, b] = state
    return [sequence, *last]


def weights_of(given: dict[str, Any], d: int) -> dict[str, Array]:
    rows = given["weight_tensor"].shape[2]
    bias = np.zeros(2 * rows) if given["bias_tensor"] is None else given["bias_tensor"][0, 0, d]
    peepholes = given.get("peephole_tensor")
    return {
        "W": given["weight_tensor"][0, d].astype(float),
        "R": given["recurrence_tensor"][0, d].astype(float),
        "Wb": bias[:rows].astype(float),
        "Rb": bias[rows:].astype(float),
        "P": np.zeros(3 * HIDDEN) if peepholes is None else peepholes[0, 0, d].astype(float),
    }


def random_case(kind: str, count: int, seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Inputs, some left out, and attributes; different ones for each seed."""
    random = np.random.default_rng([seed, count, GATES[kind]])

    def array(*sizes: int, optional: bool = False) -> Array | None:
        keep = not optional or random.random() < 0.6
        values = random.uniform(-1, 1, sizes).astype(np.float32)
        return values if keep else None

    rows = GATES[kind] * HIDDEN
    given: dict[str, Any] = {
        "input_tensor": array(1, SEQUENCE, BATCH, WIDTH),
        "weight_tensor": array(1, count, rows, WIDTH),
        "recurrence_tensor": array(1, count, rows, HIDDEN),
        "bias_tensor": array(1, 1, count, 2 * rows, optional=True),
        "hidden_init_tensor": array(1, count, BATCH, HIDDEN, optional=True),
        "sequence_lengths_tensor": np.array(LENGTHS, np.uint32).reshape(1, 1, 1, -1) if seed % 3 else None,
    }
    how: dict[str, Any] = {}
    if kind == "GRU":
        how["linear_before_reset"] = bool(seed % 2)
    if kind == "LSTM":
        given["cell_mem_init_tensor"] = array(1, count, BATCH, HIDDEN, optional=True)
        given["peephole_tensor"] = array(1, 1, count, 3 * HIDDEN, optional=True)
        how = {"clip_threshold": 0.4, "use_clip_threshold": bool(seed % 2), "couple_input_forget": seed % 4 >= 2}
    return given, how


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("kind", CLASSES)
def test_network__is_its_equations_unrolled(kind: str, direction: str, device: str) -> None:
    backward = DIRECTIONS[direction]
    outputs = ["output_sequence_tensor", "output_single_tensor", "output_cell_single_tensor"]
    for seed in range(8):
        given, how = random_case(kind, len(backward), seed)
        random = np.random.default_rng(seed)
        names = [str(random.choice(["SIGMOID", "TANH", "RELU"])) for _ in range(FUNCTIONS[kind] * len(backward))]
        wanted = unrolled(kind, given, names, backward, how)
        asked = [name for i, name in enumerate(outputs[: len(wanted)]) if seed == 0 or i != seed % len(wanted)]
        operator = CLASSES[kind](
            **described(given), **dict.fromkeys(asked, True), **how, activation_descs=names, direction=direction
        )
        found = outputs_of(operator, given, device)
        assert list(found) == asked
        for name, expected in zip(outputs, wanted, strict=False):
            assert name not in found or np.allclose(found[name], expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("device", DEVICES)
def test_states__of_half_precision_are_rounded_at_the_store_alone(device: str) -> None:
    """2048 + 1 is no half-precision number: a state rounded at each step would never grow."""
    given = {
        "input_tensor": np.ones((1, 6, 1, 1), np.float16),
        "weight_tensor": np.ones((1, 1, 1, 1), np.float16),
        "recurrence_tensor": np.ones((1, 1, 1, 1), np.float16),
        "hidden_init_tensor": np.full((1, 1, 1, 1), 2048, np.float16),
    }
    operator = dml.Rnn(
        **described(given), output_single_tensor=True, activation_descs=["IDENTITY"], direction="FORWARD"
    )
    assert outputs_of(operator, given, device)["output_single_tensor"].item() == 2054


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_steps__are_the_same_however_many_inputs_are_weighted_at_once(direction: str) -> None:
    """The more outputs there are, the more steps share one product."""
    count = len(DIRECTIONS[direction])
    random = np.random.default_rng(count)
    given = {
        "input_tensor": random.uniform(-1, 1, (1, 9, 16, 1)).astype(np.float32),
        "weight_tensor": random.uniform(-1, 1, (1, count, 16, 1)).astype(np.float32),
        "recurrence_tensor": random.uniform(-1, 1, (1, count, 16, 4)).astype(np.float32),
    }
    fields: dict[str, Any] = {"clip_threshold": 0, "use_clip_threshold": False, "couple_input_forget": False}
    fields |= {"activation_descs": ["SIGMOID", "TANH", "TANH"] * count, "direction": direction}
    few = dml.Lstm(**described(given), **fields, output_single_tensor=True)
    many = few.replace(output_sequence_tensor=True, output_cell_single_tensor=True)
    assert 1 <= few.element_count // (16 * 16) < many.element_count // (16 * 16) < 9
    single, every = outputs_of(few, given), outputs_of(many, given)
    assert np.allclose(single["output_single_tensor"], every["output_single_tensor"], atol=1e-6)
    last = every["output_sequence_tensor"][[0 if turned else -1 for turned in DIRECTIONS[direction]], range(count)]
    assert np.allclose(last, every["output_single_tensor"][0], atol=1e-6)


@pytest.mark.parametrize("device", DEVICES)
def test_gelu__runs_where_an_array_library_has_no_error_function(device: str) -> None:
    given, how = random_case("GRU", 1, 1)
    operator = dml.Gru(
        **described(given),
        **how,
        output_single_tensor=True,
        activation_descs=["SIGMOID", "GELU"],
        direction="FORWARD",
    )
    expected = unrolled("GRU", given, ["SIGMOID", "GELU"], [False], how)[1]
    assert np.abs(outputs_of(operator, given, device)["output_single_tensor"] - expected).max() < 1e-5


@pytest.mark.parametrize("kind", CLASSES)
def test_network__refuses_owned_inputs_and_too_few_activations(kind: str) -> None:
    given, how = random_case(kind, 2, 0)
    fields = {**described(given), **how, "output_single_tensor": True, "direction": "BIDIRECTIONAL"}
    names = ["TANH"] * (2 * FUNCTIONS[kind])
    owned = dml.TensorDesc("FLOAT32", given["input_tensor"].shape, flags="OWNED_BY_DML")
    operator = CLASSES[kind](**{**fields, "input_tensor": owned}, activation_descs=names)
    assert rules(operator) == ["flags.owned"]
    with pytest.raises(dml.InvalidDescriptionError, match=r"recurrent\.activations"):
        CLASSES[kind](**fields, activation_descs=names[1:])
