"""Array programs on strided tensors, against nested loops in double precision.

Inputs are small multiples of 1/32, so products are exact and the tolerance is about sums: one ULP, and one more
for every few accumulated elements, as the WebNN conformance tests scale it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anydml as dml
from tests.operators.layouts import (
    FLOAT_TYPES,
    moderate_value,
    random_desc,
    random_sizes,
    random_value,
    randoms,
    tensor_of,
)
from tests.operators.memory import DEVICES, Placed, Tensor, assert_exact, dispatch, place, place_filled, snapshot
from tests.operators.ulp import assert_close
from tests.oracle import moves, programs
from tests.oracle.formulas import ACTIVATIONS
from tests.oracle.numbers import is_float, wrap

float_types = st.sampled_from(FLOAT_TYPES)
EXACT = 2.0**-20  # far below the 2^-10 that products of 1/32 are whole multiples of


def source_of(random: Random, data_type: str, sizes: Any, broadcast: bool = True) -> Placed:
    values = tensor_of(sizes, random, data_type, moderate_value)
    return place_filled(random_desc(random, data_type, sizes, broadcast=broadcast), random, values)


def values_of(placed: Placed | None) -> Tensor | None:
    return None if placed is None else placed.values()


def run_close(
    operator: dml.Operator, inputs: dict[str, Any], outputs: dict[str, Tensor], random: Random, ulp: float
) -> None:
    for device in DEVICES:
        placed = {name: place(operator.tensor(name), random) for name in outputs}
        before = {name: snapshot(value) for name, value in placed.items()}
        dispatch(operator, {k: v for k, v in inputs.items() if v is not None}, placed, device)
        for name, expected in outputs.items():
            assert_close(placed[name], before[name], expected, ulp, EXACT)


def described(inputs: dict[str, Placed | None]) -> dict[str, Any]:
    return {name: placed.desc for name, placed in inputs.items() if placed is not None}


@given(randoms, float_types, st.integers(2, 4))
def test_gemm__every_transform(random: Random, data_type: str, rank: int) -> None:
    lead = random_sizes(random, rank - 2, most=6, longest=3) if rank > 2 else ()
    rows, inner, columns = (random.randint(1, 6) for _ in range(3))
    turned = random.random() < 0.5, random.random() < 0.5
    a = source_of(random, data_type, (*lead, inner, rows) if turned[0] else (*lead, rows, inner))
    b = source_of(random, data_type, (*lead, columns, inner) if turned[1] else (*lead, inner, columns))
    sizes = (*lead, rows, columns)
    c = source_of(random, data_type, sizes) if random.random() < 0.6 else None
    alpha, beta = random.choice((1.0, 0.5, -2.0)), random.choice((0.0, 1.0, 0.25))
    name = random.choice((None, "RELU", "IDENTITY"))
    inputs = {"a_tensor": a, "b_tensor": b, "c_tensor": c}
    operator = dml.Gemm(
        **described(inputs),
        output_tensor=random_desc(random, data_type, sizes),
        trans_a="TRANSPOSE" if turned[0] else "NONE",
        trans_b="TRANSPOSE" if turned[1] else 0,
        alpha=alpha,
        beta=beta,
        fused_activation=name,
    )
    plain = programs.gemm(a.values(), b.values(), values_of(c), sizes, inner, turned, (alpha, beta))
    expected = {i: ACTIVATIONS[name](v) if name else v for i, v in plain.items()}
    run_close(operator, inputs, {"output_tensor": expected}, random, 1 + inner)


def test_gemm__without_c_beta_is_ignored() -> None:
    operator = dml.Gemm(
        a_tensor=dml.TensorDesc("FLOAT32", [1, 1]),
        b_tensor=dml.TensorDesc("FLOAT32", [1, 1]),
        trans_a=0,
        trans_b=0,
        alpha=2,
        beta=math.nan,
    )
    result = np.zeros(1, np.float32)
    dml.Device().compile(operator)(a_tensor=np.full(1, 3, "f4"), b_tensor=np.full(1, 5, "f4"), output_tensor=result)
    assert result[0] == 30


@dataclass
class Convolved:
    """What a convolution is besides its tensors."""

    forward: bool
    correlates: bool
    groups: int
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    output_padding: tuple[int, ...]

    @property
    def fields(self) -> dict[str, Any]:
        return {
            "mode": "CROSS_CORRELATION" if self.correlates else "CONVOLUTION",
            "direction": "FORWARD" if self.forward else "BACKWARD",
            "strides": self.strides,
            "dilations": self.dilations,
            "start_padding": self.before,
            "end_padding": self.after,
            "output_padding": self.output_padding,
            "group_count": self.groups,
        }

    def output(self, sizes: tuple[int, ...], window: tuple[int, ...]) -> tuple[int, ...]:
        rows = zip(
            sizes, window, self.strides, self.dilations, self.before, self.after, self.output_padding, strict=True
        )
        if self.forward:
            return tuple((n + a + b - (1 + (k - 1) * d)) // s + 1 + e for n, k, s, d, a, b, e in rows)
        return tuple((n - 1) * s + 1 + (k - 1) * d - a - b + e for n, k, s, d, a, b, e in rows)


def random_convolution(random: Random, spatial: int, forward: bool, correlates: bool) -> Convolved:
    def each(*choices: int) -> tuple[int, ...]:
        return tuple(random.choice(choices) for _ in range(spatial))

    strides = each(1, 1, 2, 3)
    extra = tuple(random.randint(0, s - 1) if random.random() < 0.3 else 0 for s in strides)
    groups = random.choice((1, 1, 2, 3))
    return Convolved(forward, correlates, groups, strides, each(1, 1, 2), each(0, 0, 1, 2), each(0, 1), extra)


@pytest.mark.parametrize("correlates", [True, False], ids=["cross-correlation", "convolution"])
@pytest.mark.parametrize("forward", [True, False], ids=["forward", "backward"])
@pytest.mark.parametrize("spatial", [1, 2, 3])
@settings(max_examples=14)
@given(random=randoms, data_type=float_types)
def test_convolution__dimensions_directions_modes_groups(
    spatial: int, forward: bool, correlates: bool, random: Random, data_type: str
) -> None:
    how = random_convolution(random, spatial, forward, correlates)
    window = tuple(random.randint(1, 3 if spatial < 3 else 2) for _ in range(spatial))
    sizes = tuple(random.randint(2, 6 if spatial < 3 else 3) for _ in range(spatial))
    output = how.output(sizes, window)
    if min(n - e for n, e in zip(output, how.output_padding, strict=True)) < 1:
        how.before = how.after = how.before if forward else (0,) * spatial
        window = (1,) * spatial
        output = how.output(sizes, window)
    inner, outer = random.randint(1, 2), random.randint(1, 2)
    channels, outputs = inner * how.groups, outer * how.groups
    weight_sizes = (outputs, inner, *window) if forward else (channels, outer, *window)
    batch = random.randint(1, 2)
    x = source_of(random, data_type, (batch, channels, *sizes))
    weights = source_of(random, data_type, weight_sizes)
    bias = source_of(random, data_type, (1, outputs, *(1,) * spatial)) if random.random() < 0.5 else None
    inputs = {"input_tensor": x, "filter_tensor": weights, "bias_tensor": bias}
    whole = (batch, outputs, *output)
    operator = dml.Convolution(**described(inputs), output_tensor=random_desc(random, data_type, whole), **how.fields)
    expected = programs.convolution(
        x.values(), x.desc.sizes, weights.values(), weight_sizes, values_of(bias), whole, how
    )
    assert operator.infer() == {"output_tensor": whole}
    run_close(operator, inputs, {"output_tensor": expected}, random, 2 + inner * math.prod(window))


@pytest.mark.parametrize("mode", ["CROSS_CORRELATION", "CONVOLUTION"])
@settings(max_examples=14)
@given(random=randoms, spatial=st.integers(1, 3))
def test_convolution__backward_is_the_adjoint_of_forward(mode: str, random: Random, spatial: int) -> None:
    """<forward(x), y> == <x, backward(y)> with one and the same filter: what makes it a transposed convolution."""
    how = random_convolution(random, spatial, forward=True, correlates=mode == "CROSS_CORRELATION")
    how.output_padding = (0,) * spatial
    window = tuple(random.randint(1, 3) for _ in range(spatial))
    reach = [1 + (k - 1) * d for k, d in zip(window, how.dilations, strict=True)]
    sizes = tuple(max(random.randint(1, 5), e - a - b) for e, a, b in zip(reach, how.before, how.after, strict=True))
    outer, inner = random.randint(1, 2), random.randint(1, 2)
    whole, part = (1, inner * how.groups, *sizes), (1, outer * how.groups, *how.output(sizes, window))
    fields = {**how.fields, "filter_tensor": dml.TensorDesc("FLOAT32", (part[1], inner, *window))}
    forward = dml.Convolution(input_tensor=dml.TensorDesc("FLOAT32", whole), **fields)
    assert forward.output_tensor.sizes == part
    # What the stride left over at the input's end, the transposed convolution needs told.
    rest = [(n + a + b - e) % s for n, a, b, e, s in zip(sizes, how.before, how.after, reach, how.strides, strict=True)]
    turned = {**fields, "direction": "BACKWARD", "output_padding": rest}
    backward = dml.Convolution(input_tensor=forward.output_tensor, **turned)
    assert backward.output_tensor.sizes == whole
    numbers = np.random.default_rng(random.randrange(2**32))
    x, y, weights = (
        numbers.integers(-4, 5, size).astype("f4") for size in (whole, part, fields["filter_tensor"].sizes)
    )
    there, back = np.zeros(part, "f4"), np.zeros(whole, "f4")
    dml.Device().compile(forward)(input_tensor=x, filter_tensor=weights, output_tensor=there)
    dml.Device().compile(backward)(input_tensor=y, filter_tensor=weights, output_tensor=back)
    assert (there * y).sum() == (x * back).sum()


@pytest.mark.parametrize("device", DEVICES)
def test_gemm__weights_owned_by_dml(device: str) -> None:
    """Weights given once, at initialization; their buffer may change afterwards."""
    operator = dml.Gemm(
        a_tensor=dml.TensorDesc("FLOAT32", [1, 2]),
        b_tensor=dml.TensorDesc("FLOAT32", [2, 2], [1, 2], flags="OWNED_BY_DML"),
        trans_a=0,
        trans_b=0,
        alpha=1,
        beta=0,
    )
    run, weights, result = dml.Device(device).compile(operator), np.array([1, 2, 3, 4], "f4"), np.zeros(2, "f4")
    run.initialize(b_tensor=weights)
    weights[:] = 0
    run(a_tensor=np.array([1, 10], "f4"), output_tensor=result)
    assert result.tolist() == [21, 43]


def test_convolution__huge_padding_costs_nothing() -> None:
    """The padded tensor, 4 GB here, is never made."""
    far = 2**30
    operator = dml.Convolution(
        input_tensor=dml.TensorDesc("FLOAT32", [1, 1, 4]),
        filter_tensor=dml.TensorDesc("FLOAT32", [1, 1, 1]),
        mode=1,
        direction=0,
        strides=[far],
        dilations=[1],
        start_padding=[far],
        end_padding=[far],
        output_padding=[0],
        group_count=1,
    )
    result = np.zeros(3, np.float32)
    dml.Device().compile(operator)(
        input_tensor=np.arange(5, 9, dtype="f4"), filter_tensor=np.full(1, 2, "f4"), output_tensor=result
    )
    assert result.tolist() == [0, 10, 0]


INTEGERS = {
    "L1 SUM_SQUARE MULTIPLY SUM": ["INT32", "UINT32", "INT64", "UINT64"],
    "MIN MAX ARGMIN ARGMAX": ["INT32", "UINT32", "INT64", "UINT64", "INT16", "UINT16", "INT8", "UINT8"],
}


def types_of(function: str) -> list[str]:
    found = next((types for names, types in INTEGERS.items() if function in names.split()), [])
    return [*FLOAT_TYPES, *found]


@pytest.mark.parametrize("function", [f.name for f in dml.ReduceFunction])
@settings(max_examples=14)
@given(random=randoms)
def test_reduce__every_function_and_type(function: str, random: Random) -> None:
    data_type = random.choice(types_of(function))
    sizes = random_sizes(random, random.randint(1, 8))
    axes = random.sample(range(len(sizes)), random.randint(0, len(sizes)))
    index = function.startswith("ARG")
    value = moderate_value
    if function == "LOG_SUM":
        value = lambda random, data_type: random.randint(1, 64) / 32  # noqa: E731  logarithms of sums above 0
    elif function == "MULTIPLY" and is_float(data_type):
        value = lambda random, data_type: random.choice((-2.0, -1.0, 1.0, 0.5))  # noqa: E731  exact in every order
    elif not is_float(data_type):
        value = random_value
    source = place_filled(
        random_desc(random, data_type, sizes, broadcast=True), random, tensor_of(sizes, random, data_type, value)
    )
    output_type = random.choice(("UINT32", "INT32", "UINT64", "INT64")) if index else data_type
    output = tuple(1 if axis in axes else n for axis, n in enumerate(sizes))
    operator = dml.Reduce(
        function=function,
        input_tensor=source.desc,
        output_tensor=random_desc(random, output_type, output),
        axes=axes,
    )
    expected = programs.reduce(source.values(), sizes, axes, function)
    for device in DEVICES:
        result = place(operator.output_tensor, random)
        before = snapshot(result)
        dispatch(operator, {"input_tensor": source}, {"output_tensor": result}, device)
        if is_float(output_type):
            count = math.prod(sizes[axis] for axis in axes)
            assert_close(result, before, expected, 2 + count, EXACT)
        else:
            assert_exact(result, before, {i: wrap(v, output_type) for i, v in expected.items()})


@pytest.mark.parametrize("device", DEVICES)
def test_reduce__sums_of_powers_do_not_overflow(device: str) -> None:
    """ln(e^x + e^y) is near the larger of x and y, also where e^x is beyond every float; infinities stay."""
    x = np.array([[1000, 1001, 999], [-1000, -1001, -1002], [np.inf, 0, 1], [-np.inf, -np.inf, -np.inf]], np.float32)
    operator = dml.Reduce(function="LOG_SUM_EXP", input_tensor=dml.TensorDesc("FLOAT32", x.shape), axes=[1])
    found = dml.Device(device).compile(operator)(x).ravel()
    tail = math.log1p(math.exp(-1) + math.exp(-2))
    np.testing.assert_allclose(found, [1001 + tail, -1000 + tail, np.inf, -np.inf], rtol=1e-6)


@dataclass
class Pooled:
    strides: tuple[int, ...]
    window: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    dilations: tuple[int, ...]


@given(randoms, st.sampled_from(["FLOAT32", "FLOAT16", "INT8", "UINT8", "INT64", "UINT16"]), st.integers(2, 3))
def test_max_pooling2__values_and_indices(random: Random, data_type: str, spatial: int) -> None:
    """Few distinct values, so that ties are common: the first in memory order wins."""
    sizes = (random.randint(1, 2), random.randint(1, 2), *(random.randint(2, 5) for _ in range(spatial)))
    rows = []
    for n in sizes[2:]:
        window, dilation = random.randint(1, 3), random.randint(1, 2)
        if 1 + (window - 1) * dilation > n:
            window = dilation = 1
        reach = (window - 1) * dilation
        # Every window holds an element: the padding is shorter than the window reaches.
        rows.append((random.randint(1, 3), window, random.randint(0, min(reach, 1)), min(reach, 1), dilation))
    how = Pooled(*zip(*rows, strict=True))
    output = sizes[:2] + tuple(
        (n + a + b - (1 + (w - 1) * d)) // s + 1
        for n, s, w, a, b, d in zip(
            sizes[2:], how.strides, how.window, how.before, how.after, how.dilations, strict=True
        )
    )
    values = {i: abs(moderate_value(random, "INT8")) for i in moves.indices(sizes)}
    source = place_filled(random_desc(random, data_type, sizes, broadcast=True), random, values)
    with_indices = random.random() < 0.8
    indices = random_desc(random, random.choice(("UINT32", "UINT64")), output) if with_indices else None
    operator = dml.MaxPooling2(
        input_tensor=source.desc,
        output_tensor=random_desc(random, data_type, output),
        output_indices_tensor=indices,
        strides=how.strides,
        window_size=how.window,
        start_padding=how.before,
        end_padding=how.after,
        dilations=how.dilations,
    )
    best, where = programs.max_pooling(source.values(), sizes, output, how)
    outputs = {"output_tensor": best} | ({"output_indices_tensor": where} if with_indices else {})
    for device in DEVICES:
        placed = {name: place(operator.tensor(name), random) for name in outputs}
        before = {name: snapshot(value) for name, value in placed.items()}
        dispatch(operator, {"input_tensor": source}, placed, device)
        for name, expected in outputs.items():
            assert_exact(placed[name], before[name], expected)


def test_max_pooling2__a_window_longer_than_memory_is_walked_where_it_meets_the_input() -> None:
    far = 2**31
    operator = dml.MaxPooling2(
        input_tensor=dml.TensorDesc("FLOAT32", [1, 1, 1, 3]),
        strides=[1, 1],
        window_size=[1, far],
        start_padding=[0, far - 2],
        end_padding=[0, 0],
        dilations=[1, 1],
    )
    result = np.zeros(2, np.float32)
    dml.Device().compile(operator)(input_tensor=np.array([3, 9, 11], "f4"), output_tensor=result)
    assert result.tolist() == [9, 11]


@given(randoms, st.sampled_from(["FLOAT32", "FLOAT16", "INT32", "UINT32", "INT64", "UINT64"]), st.integers(1, 8))
def test_cumulative_product__both_ways_with_and_without_the_current(random: Random, data_type: str, rank: int) -> None:
    sizes, axis = random_sizes(random, rank), random.randrange(rank)
    decreasing, exclusive = random.random() < 0.5, random.random() < 0.5
    if is_float(data_type):
        values = {i: random.choice((-2.0, -1.0, 0.5, 1.0, 2.0)) for i in moves.indices(sizes)}
    else:
        values = tensor_of(sizes, random, data_type)
    source = place_filled(random_desc(random, data_type, sizes, broadcast=True), random, values)
    operator = dml.CumulativeProduct(
        input_tensor=source.desc,
        output_tensor=random_desc(random, data_type, sizes),
        axis=axis,
        axis_direction="DECREASING" if decreasing else "INCREASING",
        has_exclusive_product=exclusive,
    )
    expected = programs.cumulative_product(source.values(), sizes, axis, decreasing, exclusive)
    for device in DEVICES:
        result = place(operator.output_tensor, random)
        before = snapshot(result)
        dispatch(operator, {"input_tensor": source}, {"output_tensor": result}, device)
        if is_float(data_type):
            assert_close(result, before, expected, 0)
        else:
            assert_exact(result, before, {i: wrap(v, data_type) for i, v in expected.items()})


@dataclass
class Recurrent:
    sequence: int
    batch: int
    width: int
    hidden: int
    lengths: list[int]
    backward: list[bool]
    functions: list[Any]


@pytest.mark.parametrize("direction", ["FORWARD", "BACKWARD", "BIDIRECTIONAL"])
@settings(max_examples=14)
@given(random=randoms, data_type=float_types)
def test_rnn__directions_lengths_bias_and_start(direction: str, random: Random, data_type: str) -> None:
    sequence, batch, width, hidden = (random.randint(1, 4) for _ in range(4))
    count = 2 if direction == "BIDIRECTIONAL" else 1
    names = [random.choice(("TANH", "RELU", "SIGMOID")) for _ in range(count)]
    backward = [False, True] if count == 2 else [direction == "BACKWARD"]
    lengths = [random.randint(0, sequence + 1) for _ in range(batch)]
    how = Recurrent(sequence, batch, width, hidden, lengths, backward, [ACTIVATIONS[name] for name in names])

    def maybe(*sizes: int) -> Placed | None:
        return source_of(random, data_type, sizes) if random.random() < 0.6 else None

    given_lengths = {(0, 0, 0, b): length for b, length in enumerate(lengths)}
    told = place_filled(random_desc(random, "UINT32", (1, 1, 1, batch)), random, given_lengths)
    use_lengths = random.random() < 0.7
    how.lengths = lengths if use_lengths else [sequence] * batch
    inputs: dict[str, Placed | None] = {
        "input_tensor": source_of(random, data_type, (1, sequence, batch, width)),
        "weight_tensor": source_of(random, data_type, (1, count, hidden, width)),
        "recurrence_tensor": source_of(random, data_type, (1, count, hidden, hidden)),
        "bias_tensor": maybe(1, 1, count, 2 * hidden),
        "hidden_init_tensor": maybe(1, count, batch, hidden),
        "sequence_lengths_tensor": told if use_lengths else None,
    }
    every, last = programs.rnn(
        *(values_of(inputs[name]) or {} for name in ("input_tensor", "weight_tensor", "recurrence_tensor")),
        values_of(inputs["bias_tensor"]),
        values_of(inputs["hidden_init_tensor"]),
        how,
    )
    wanted = random.choice(("both", "sequence", "single"))
    outputs = {}
    if wanted != "single":
        outputs["output_sequence_tensor"] = every
    if wanted != "sequence":
        outputs["output_single_tensor"] = last
    sizes = {
        "output_sequence_tensor": (sequence, count, batch, hidden),
        "output_single_tensor": (1, count, batch, hidden),
    }
    operator = dml.Rnn(
        **described(inputs),
        **{name: random_desc(random, data_type, sizes[name]) for name in outputs},
        activation_descs=[{"Type": name} for name in names],
        direction=direction,
    )
    # A rounding at each step feeds the next: the tolerance grows with the sequence.
    run_close(operator, inputs, outputs, random, 8 * sequence * (width + hidden))
