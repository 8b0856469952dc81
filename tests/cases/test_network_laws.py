"""Laws of products, convolution, recurrent networks and attention, between the answers and NumPy."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

from tests.cases.attention import PARTS
from tests.cases.convolution import Filtering, filtering_of
from tests.cases.framework import Case, Operand, answer_of, make_case, number_of, numbers_of
from tests.cases.framework.arrays import Array, array, close, without
from tests.cases.test_laws import distinct, inner, plain
from tests.oracle import programs
from tests.oracle.formulas import sigmoid
from tests.oracle.moves import Index, indices


def test_close__can_fail() -> None:
    assert close({(0,): 1.0}, np.array([1.0])) and not close({(0,): 1.0}, np.array([1.001]))
    assert not close({(0,): 1.0}, {(1,): 1.0})


# Products and convolution


def test_products__of_numpy() -> None:
    for number in numbers_of("GEMM"):
        case = make_case("GEMM", number)
        a, b = array(case["a_tensor"]), array(case["b_tensor"])
        a = a.swapaxes(-1, -2) if case["trans_a"] == "TRANSPOSE" else a
        b = b.swapaxes(-1, -2) if case["trans_b"] == "TRANSPOSE" else b
        found = case["alpha"] * (a @ b)
        if case.get("c_tensor"):
            found = found + case["beta"] * array(case["c_tensor"])
        bare = Case("GEMM", {name: value for name, value in case.fields.items() if name != "fused_activation"})
        assert close(answer_of(bare)["output_tensor"], found), number


def zeros_between(x: Array, how: Filtering, window: Index) -> Array:
    """What a transposed convolution slides a filter over: zeros between the elements, and around them."""
    spatial = range(len(how.strides))
    lengths = [(x.shape[2 + k] - 1) * how.strides[k] + 1 for k in spatial]
    reach = [(window[k] - 1) * how.dilations[k] for k in spatial]
    pads = [(reach[k] - how.before[k], reach[k] - how.after[k] + how.output_padding[k]) for k in spatial]
    wide = np.zeros((*x.shape[:2], *(n + sum(p) for n, p in zip(lengths, pads, strict=True))))
    places = tuple(slice(p[0], p[0] + n, s) for p, n, s in zip(pads, lengths, how.strides, strict=True))
    wide[(slice(None), slice(None), *places)] = x
    return wide


def correlate(x: Array, weights: Array, dilations: Index) -> Array:
    """The filter, as it is, over every place; filters are (out, in, ...)."""
    window, spatial = weights.shape[2:], range(x.ndim - 2)
    sizes = [x.shape[2 + k] - (window[k] - 1) * dilations[k] for k in spatial]
    result = np.zeros((x.shape[0], weights.shape[0], *sizes))
    for tap in indices(window):
        places = tuple(slice(t * d, t * d + n) for t, d, n in zip(tap, dilations, sizes, strict=True))
        part = x[(slice(None), slice(None), *places)]
        result += np.einsum("nc...,oc->no...", part, weights[(slice(None), slice(None), *tap)])
    return result


def convolutions(direction: str) -> list[int]:
    """The numbers of the cases in this direction."""
    numbers = numbers_of("CONVOLUTION")
    return [number for number in numbers if make_case("CONVOLUTION", number)["direction"] == direction]


@pytest.mark.parametrize("number", convolutions("BACKWARD"))
def test_backward_convolution__slides_the_turned_filter_over_zeros(number: int) -> None:
    """The filter is turned round for CROSS_CORRELATION, as it is for CONVOLUTION; groups stay apart."""
    case = make_case("CONVOLUTION", number)
    how, fields = filtering_of(case), without(case, "fused", "bias")
    weights, x = array(case["filter_tensor"]), array(case["input_tensor"])
    axes = tuple(range(2, weights.ndim))
    turned = np.flip(weights, axes) if how.correlates else weights
    parts = []
    for some, filters in zip(np.split(x, how.groups, 1), np.split(turned, how.groups, 0), strict=True):
        parts.append(correlate(zeros_between(some, how, weights.shape[2:]), filters.swapaxes(0, 1), how.dilations))
    assert close(answer_of(Case("CONVOLUTION", fields))["output_tensor"], np.concatenate(parts, 1))


@pytest.mark.parametrize("number", convolutions("FORWARD"))
def test_backward_convolution__is_the_adjoint_of_forward(number: int) -> None:
    """<filtered(x), y> is <x, spread(y)>; what a stride leaves over at the end of x is padding of the output."""
    case = make_case("CONVOLUTION", number)
    weights, sizes = case["filter_tensor"], case["input_tensor"].sizes
    how = filtering_of(case)._replace(output_padding=(0,) * len(case["strides"]))
    output = tuple(n - e for n, e in zip(case["output_tensor"].sizes[2:], case["output_padding"], strict=True))
    lead = case["output_tensor"].sizes[:2]
    x, y = distinct(sizes, Random(number)), distinct((*lead, *output), Random(-number))
    forward = programs.convolution(x, sizes, weights.values, weights.sizes, None, (*lead, *output), how)
    back = how._replace(forward=False)
    spread = programs.convolution(y, (*lead, *output), weights.values, weights.sizes, None, sizes, back)
    assert math.isclose(inner(forward, y), inner(x, spread), abs_tol=1e-9)


def test_products_of_integers__agree_with_one_another() -> None:
    for number in range(20):
        case = make_case("MATRIX_MULTIPLY_INTEGER", number)
        sizes = case["output_tensor"].sizes
        one = Operand.of("FLOAT32", (1,), {(0,): 1.0})
        scales = {f"{side}_scale_tensor": one for side in ("a", "b", "output")}
        whole = answer_of(case)["output_tensor"]
        real = Case(
            "MATRIX_MULTIPLY_INTEGER_TO_FLOAT", {**case.fields, **scales, "output_tensor": Operand("FLOAT32", sizes)}
        )
        assert close(answer_of(real)["output_tensor"], whole)
        narrow = Case(
            "QUANTIZED_LINEAR_MATRIX_MULTIPLY", {**case.fields, **scales, "output_tensor": Operand("INT8", sizes)}
        )
        assert answer_of(narrow)["output_tensor"] == {i: min(max(v, -128), 127) for i, v in whole.items()}


def test_convolutions_of_integers__agree_with_those_of_floats() -> None:
    for number in range(20):
        case = make_case("CONVOLUTION_INTEGER", number)
        rank = case["input_tensor"].rank
        how = {"mode": "CROSS_CORRELATION", "direction": "FORWARD", "output_padding": [0] * (rank - 2)}
        fields = {**without(case, "zero_point"), **how}
        for name in ("input_tensor", "filter_tensor"):
            fields[name] = Operand.of("FLOAT32", case[name].sizes, case[name].values)
        found = answer_of(Case("CONVOLUTION_INTEGER", without(case, "zero_point")))["output_tensor"]
        assert close(answer_of(Case("CONVOLUTION", fields))["output_tensor"], found)


# Networks


def one_step(case: Case) -> Case:
    """The first step alone, forward, with the usual activations of the whole case."""
    x = case["input_tensor"]
    first = Operand.of("FLOAT64", (1, 1, *x.sizes[2:]), {i: v for i, v in x.values.items() if i[1] == 0})
    fields = {**without(case, "sequence_lengths", "output_"), "input_tensor": first, "direction": "FORWARD"}
    state = (1, case["weight_tensor"].sizes[1], x.sizes[2], case["recurrence_tensor"].sizes[3])
    names = ["output_single_tensor"] + ["output_cell_single_tensor"] * (case.operator == "LSTM")
    return Case(case.operator, {**fields, **{name: Operand("FLOAT64", state) for name in names}})


def gates_of(case: Case, size: int) -> tuple[list[Array], list[Array], Array]:
    """For the first direction: what the input and what the state give to each gate, and the state."""
    x, w = array(case["input_tensor"])[0, 0], array(case["weight_tensor"])[0, 0]
    r, batch = array(case["recurrence_tensor"])[0, 0], case["input_tensor"].sizes[2]
    bias = array(case["bias_tensor"])[0, 0, 0] if case.get("bias_tensor") else np.zeros(2 * len(w))
    h = array(case["hidden_init_tensor"])[0, 0] if case.get("hidden_init_tensor") else np.zeros((batch, size))
    inputs = np.split(x @ w.T + bias[: len(w)], len(w) // size, 1)
    return inputs, np.split(h @ r.T + bias[len(w) :], len(w) // size, 1), h


def usual(case: Case) -> Case:
    """Every first function is a sigmoid and the others are tanh; RNN has a tanh."""
    count = {"RNN": 1, "GRU": 2, "LSTM": 3}[case.operator]
    names = ["TANH"] if count == 1 else ["SIGMOID", *["TANH"] * (count - 1)]
    ways = case["weight_tensor"].sizes[1]
    descs = [{"Type": name, "Desc": {}} for name in names * ways]
    return Case(case.operator, {**case.fields, "activation_descs": descs})


SIGMOID = np.vectorize(sigmoid)


@pytest.mark.parametrize("number", range(36))
def test_rnn__of_one_step(number: int) -> None:
    case = usual(one_step(make_case("RNN", number)))
    size = case["recurrence_tensor"].sizes[3]
    (inputs,), (states,), _ = gates_of(case, size)
    found = {i: v for i, v in answer_of(case)["output_single_tensor"].items() if i[1] == 0}
    assert close(found, np.tanh(inputs + states)[None, None])


@pytest.mark.parametrize("number", range(36))
def test_gru__of_one_step(number: int) -> None:
    case = usual(one_step(make_case("GRU", number)))
    size = case["recurrence_tensor"].sizes[3]
    (xz, xr, xh), (hz, hr, hh), h = gates_of(case, size)
    z, r = SIGMOID(xz + hz), SIGMOID(xr + hr)
    if not case["linear_before_reset"]:
        bias = array(case["bias_tensor"])[0, 0, 0, 5 * size :] if case.get("bias_tensor") else 0.0
        hh = (r * h) @ array(case["recurrence_tensor"])[0, 0, 2 * size :].T + bias
        r = np.ones_like(r)
    found = {i: v for i, v in answer_of(case)["output_single_tensor"].items() if i[1] == 0}
    assert close(found, ((1 - z) * np.tanh(xh + r * hh) + z * h)[None, None])


@pytest.mark.parametrize("number", range(48))
def test_lstm__of_one_step(number: int) -> None:
    case = usual(one_step(make_case("LSTM", number)))
    size, batch = case["recurrence_tensor"].sizes[3], case["input_tensor"].sizes[2]
    inputs, states, _ = gates_of(case, size)
    limit = case["clip_threshold"] if case["use_clip_threshold"] else np.inf
    i, o, f, c = (a + b for a, b in zip(inputs, states, strict=True))
    peep = np.split(array(case["peephole_tensor"])[0, 0, 0], 3) if case.get("peephole_tensor") else [0.0] * 3
    old = array(case["cell_mem_init_tensor"])[0, 0] if case.get("cell_mem_init_tensor") else np.zeros((batch, size))

    def gate(number: Array) -> Array:
        found: Array = SIGMOID(np.clip(number, -limit, limit))
        return found

    taken = gate(i + peep[0] * old)
    kept = 1 - taken if case["couple_input_forget"] else gate(f + peep[2] * old)
    new = kept * old + taken * np.tanh(np.clip(c, -limit, limit))
    found = answer_of(case)
    first = {name: {k: v for k, v in values.items() if k[1] == 0} for name, values in found.items()}
    assert close(first["output_cell_single_tensor"], new[None, None])
    assert close(first["output_single_tensor"], (gate(o + peep[1] * new) * np.tanh(new))[None, None])


def reversed_input(case: Case) -> Case:
    x = case["input_tensor"]
    turned = {i: x.values[0, x.sizes[1] - 1 - i[1], i[2], i[3]] for i in x.values}
    return Case(case.operator, {**case.fields, "input_tensor": Operand.of(x.data_type, x.sizes, turned)})


@pytest.mark.parametrize("operator", ["RNN", "GRU", "LSTM"])
def test_backward_networks__read_the_sequence_from_its_end(operator: str) -> None:
    compared = 0
    for number in numbers_of(operator):
        case = make_case(operator, number)
        if case["direction"] != "BACKWARD" or case.get("sequence_lengths_tensor"):
            continue
        forward = replace(reversed_input(case), fields={**reversed_input(case).fields, "direction": "FORWARD"})
        here, there = answer_of(case), answer_of(forward)
        steps = case["input_tensor"].sizes[1]
        for name in case.outputs:
            moved = {(steps - 1 - i[0] if "sequence" in name else 0, *i[1:]): v for i, v in there[name].items()}
            assert plain(here[name]) == plain({i: moved[i] for i in here[name]})
        compared += 1
    assert compared > 2


@pytest.mark.parametrize("operator", ["RNN", "GRU", "LSTM"])
def test_lengths__cut_sequences_off(operator: str) -> None:
    """Every sequence ends as the same network does on that sequence alone."""
    compared = 0
    for number in numbers_of(operator):
        case = make_case(operator, number)
        if "sequence_lengths_tensor" not in case.fields or "output_single_tensor" not in case.fields:
            continue
        x = case["input_tensor"]
        for b, length in enumerate(case["sequence_lengths_tensor"].values.values()):
            cut = {i: v for i, v in x.values.items() if i[1] < length}
            fields = {
                **without(case, "sequence"),
                "input_tensor": Operand.of(x.data_type, (1, length, *x.sizes[2:]), cut),
            }
            alone = answer_of(Case(operator, fields))["output_single_tensor"]
            found = answer_of(case)["output_single_tensor"]
            assert all(number_of(found[i]) == number_of(alone[i]) for i in found if i[2] == b)
            compared += 1
    assert compared > 4


def test_rnn__agrees_with_another_definition() -> None:
    class How:
        pass

    for number in numbers_of("RNN"):
        case = usual(make_case("RNN", number))
        x, ways = case["input_tensor"], case["weight_tensor"].sizes[1]
        how, lengths = How(), case.get("sequence_lengths_tensor")
        vars(how).update(
            sequence=x.sizes[1],
            batch=x.sizes[2],
            width=x.sizes[3],
            hidden=case["recurrence_tensor"].sizes[3],
            functions=[math.tanh] * ways,
            backward=[case["direction"] == "BACKWARD" or way == 1 for way in range(ways)],
            lengths=list(lengths.values.values()) if lengths else [x.sizes[1]] * x.sizes[2],
        )
        optional = [case[name].values if case.get(name) else None for name in ("bias_tensor", "hidden_init_tensor")]
        weights = [case[name].values for name in ("weight_tensor", "recurrence_tensor")]
        found = programs.rnn(x.values, *weights, *optional, how)  # type: ignore[arg-type]
        for name, wanted in zip(("output_sequence_tensor", "output_single_tensor"), found, strict=True):
            if name in case.fields:
                assert close(answer_of(case)[name], wanted)


# Attention


def parts_of(case: Case) -> dict[str, Array]:
    """Query, key and value as (batch, heads, length, size), by reshaping alone."""
    heads = {"query": case.get("head_count") or case.get("query_head_count")}
    heads["key"] = heads["value"] = case.get("key_value_head_count", heads["query"])
    found = {}
    for key, names in PARTS.items():
        if f"{key}_tensor" not in case.fields:
            continue
        given = array(case[f"{key}_tensor"])
        for place, name in enumerate(names):
            if len(names) > 1:
                found[name] = given[:, :, :, place].swapaxes(1, 2)
            else:
                batch, length, hidden = given.shape[-3:]
                shape = batch, length, heads[name], hidden // heads[name]
                found[name] = given.reshape(shape).swapaxes(1, 2)
    return found


def with_bias(case: Case, found: dict[str, Array]) -> None:
    if not case.get("bias_tensor"):
        return
    bias, start = array(case["bias_tensor"]).reshape(-1), 0
    for name in ("query", "key", "value"):
        heads, size = found[name].shape[1], found[name].shape[3]
        found[name] = found[name] + bias[start : start + heads * size].reshape(1, heads, 1, size)
        start += heads * size


def masked(case: Case, scores: Array) -> Array:
    kind, filtered = case["mask_type"], case["mask_filter_value"]
    if kind == "NONE":
        return scores
    mask, keys = array(case["mask_tensor"]), np.arange(scores.shape[3])
    if kind == "BOOLEAN":
        return scores + filtered * (mask == 0)
    count = scores.shape[0]
    ends = mask.reshape(-1)[:count, None, None, None]
    starts = mask[1][:, None, None, None] if kind == "KEY_SEQUENCE_END_START" else 0
    return np.where((keys >= starts) & (keys < ends), scores, filtered)


@pytest.mark.parametrize(("operator", "number"), [*product(("MULTIHEAD_ATTENTION", "MULTIHEAD_ATTENTION1"), range(60))])
def test_attention__by_matrix_products(operator: str, number: int) -> None:
    case = make_case(operator, number)
    found = parts_of(case)
    with_bias(case, found)
    for name in ("key", "value"):
        if case.get(f"past_{name}_tensor"):
            past = array(case[f"past_{name}_tensor"])
            found[name] = np.concatenate([past.reshape(past.shape[-4:]), found[name]], 2)
        if case.get(f"output_present_{name}_tensor"):
            given = answer_of(case)[f"output_present_{name}_tensor"]
            assert close(given, found[name].reshape(case[f"output_present_{name}_tensor"].sizes))
    times = found["query"].shape[1] // found["key"].shape[1]
    key, value = (np.repeat(found[name], times, 1) for name in ("key", "value"))
    scores = found["query"] @ key.swapaxes(2, 3) * case["scale"]
    if case.get("relative_position_bias_tensor"):
        scores = scores + array(case["relative_position_bias_tensor"]).reshape(scores.shape)
    scores = masked(case, scores)
    if case.get("past_sequence_lengths_tensor"):
        ends = array(case["past_sequence_lengths_tensor"])[:, None, None, None]
        places = np.arange(scores.shape[3])
        scores = np.where((places >= ends) & (places < scores.shape[3] - 1), -np.inf, scores)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    output = (powers / powers.sum(-1, keepdims=True)) @ value
    merged = output.swapaxes(1, 2).reshape(case["output_tensor"].sizes)
    assert close(answer_of(case)["output_tensor"], merged)
