"""Graphs that are written as expressions: what they compute, how they are named and laid out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anydml as dml
import anydml.expression as dmlx

RANDOM = np.random.default_rng(5)


def floats(*sizes: int) -> np.ndarray[Any, Any]:
    return RANDOM.standard_normal(sizes).astype(np.float32)


def inputs(graph: dmlx.Graph, *arrays: np.ndarray[Any, Any]) -> list[dmlx.Expression]:
    first = len(graph.inputs)
    return [dmlx.input_tensor(graph, first + i, dml.TensorDesc.from_array(a)) for i, a in enumerate(arrays)]


def test_call__compiles_runs_and_returns_arrays() -> None:
    graph = dmlx.Graph()
    x, w = floats(1, 1, 4, 3), floats(1, 1, 3, 5)
    a, b = inputs(graph, x, w)
    dmlx.gemm(a, b, fused_activation=dmlx.FusedActivation.relu())
    np.testing.assert_allclose(graph(x, w), np.maximum(x @ w, 0), rtol=1e-5, atol=1e-6)


def test_call__returns_what_compile_was_given_or_what_nothing_reads() -> None:
    graph = dmlx.Graph()
    x = floats(2, 3)
    [a] = inputs(graph, x)
    double = a * 2
    _shifted, _negative = double + 1, -double
    both: Any = graph(x)
    np.testing.assert_array_equal(both[0], x * 2 + 1)
    np.testing.assert_array_equal(both[1], -x * 2)
    graph.compile([double])
    np.testing.assert_array_equal(graph(x), x * 2)
    _more = double * 3
    assert len(graph(x)) == 3, "new expressions are outputs again"


def test_operators__mean_what_numpy_means() -> None:
    graph = dmlx.Graph()
    x, y = floats(1, 1, 4, 6), np.abs(floats(1, 1, 4, 6)) + np.float32(0.5)
    a, b = inputs(graph, x, y)
    made = [a + b, a - b, a * b, a / b, a % b, 1 + a, 1 - a, 3 * a, 3 / b, a / 4, a - 0.5, -a, abs(a), b**2, b**a]
    wanted = [
        x + y,
        x - y,
        x * y,
        x / y,
        np.fmod(x, y),
        1 + x,
        1 - x,
        3 * x,
        3 / y,
        x / 4,
        x - 0.5,
        -x,
        abs(x),
        y**2,
        y**x,
    ]
    graph.compile(made)
    for found, expected in zip(graph(x, y), wanted, strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-6)


def test_comparisons__give_zeros_and_ones() -> None:
    graph = dmlx.Graph()
    x, y = floats(3, 4), floats(3, 4)
    y[0] = x[0]
    a, b = inputs(graph, x, y)
    made = [a < b, a <= b, a > b, a >= b, a == b, a != b, a < 0.25, a > 0.25]
    graph.compile(made)
    wanted = [x < y, x <= y, x > y, x >= y, x == y, x != y, x < 0.25, x > 0.25]
    for found, expected in zip(graph(x, y), wanted, strict=True):
        assert found.dtype == np.uint8
        np.testing.assert_array_equal(found, expected)


def test_bits__are_combined() -> None:
    graph = dmlx.Graph()
    x = RANDOM.integers(0, 1 << 16, (2, 5)).astype(np.uint32)
    y = RANDOM.integers(0, 8, (2, 5)).astype(np.uint32)
    a, b = inputs(graph, x, y)
    made = [a & b, a | b, a ^ b, a << b, a >> b, ~a]
    graph.compile(made)
    for found, expected in zip(graph(x, y), [x & y, x | y, x ^ y, x << y, x >> y, ~x], strict=True):
        np.testing.assert_array_equal(found, expected)


def test_policy__lays_results_out() -> None:
    image, filters = floats(1, 3, 8, 8), floats(4, 3, 3, 3)
    results = []
    for policy in (dmlx.DEFAULT, dmlx.INTERLEAVED_CHANNEL):
        graph = dmlx.Graph(policy=policy)
        a, f = inputs(graph, image, filters)
        out = dmlx.convolution(a, f)
        results.append(graph(image, filters))
        assert out.desc.strides == policy(out.sizes).strides
    assert results[1].strides[1:] == (4, 96, 16)
    np.testing.assert_allclose(results[0], results[1], rtol=1e-6)


def test_multiple_outputs__are_named() -> None:
    graph = dmlx.Graph()
    x = floats(1, 1, 2, 8)
    [a] = inputs(graph, x)
    top = dmlx.top_k(a, 3, 2, dml.AxisDirection.DECREASING)
    assert top._fields == ("output_value", "output_index")
    graph.compile(top.output_value)
    np.testing.assert_array_equal(graph(x), np.sort(x)[..., ::-1][..., :2])
    pooled = dmlx.max_pooling(a, [1, 2], strides=[1, 2], output_indices=True)
    assert pooled.output_indices.data_type is dml.DataType.UINT32
    assert dmlx.max_pooling(a, [1, 2]).output_indices is None
    parts = dmlx.split(a, 3, [5, 3])
    graph.compile(parts)
    np.testing.assert_array_equal(graph(x)[1], x[..., 5:])


def test_reinterpret__reads_the_same_memory() -> None:
    graph = dmlx.Graph()
    x = floats(2, 3)
    [a] = inputs(graph, x)
    turned = dmlx.reinterpret(a, None, [3, 2], [1, 3])
    bits = dmlx.reinterpret(a * 1, "UINT32")
    graph.compile([turned * 1, bits, a])
    transposed, words, same = graph(x)
    np.testing.assert_array_equal(transposed, x.T)
    np.testing.assert_array_equal(words, x.view(np.uint32))
    np.testing.assert_array_equal(same, x)
    row = dmlx.broadcast(dmlx.reinterpret(a, None, [1, 6]), [4, 6])
    graph.compile(row + 0)
    np.testing.assert_array_equal(graph(x), np.broadcast_to(x.reshape(1, 6), (4, 6)))


def test_constants__are_part_of_the_graph() -> None:
    graph = dmlx.Graph()
    x, w = floats(1, 1, 4, 3), floats(1, 1, 3, 5)
    [a] = inputs(graph, x)
    dmlx.gemm(a, dmlx.constant(graph, w))
    np.testing.assert_allclose(graph(x), x @ w, rtol=1e-5, atol=1e-6)


def test_owned_inputs__are_taken_once_for_each_array() -> None:
    graph = dmlx.Graph()
    x, w = floats(1, 1, 4, 3), floats(1, 1, 3, 5)
    a = dmlx.input_tensor(graph, 0, dml.TensorDesc("FLOAT32", x.shape))
    b = dmlx.input_tensor(graph, 1, dml.TensorDesc("FLOAT32", w.shape, flags="OWNED_BY_DML"))
    dmlx.gemm(a, b)
    for weights in (w, w, w * 2):
        np.testing.assert_allclose(graph(x, weights), x @ weights, rtol=1e-5, atol=1e-6)


def test_names__have_scopes_and_are_distinct() -> None:
    graph = dmlx.Graph()
    [a] = inputs(graph, floats(2, 2))
    with graph.name_scope("block"):
        first, second = a + 1, dmlx.activation_relu(a, name="gate")
        with graph.name_scope("inner"):
            third = dmlx.activation_relu(a, name="gate")
        fourth = dmlx.activation_relu(a, name="gate")
    names = [each.name for each in (first, second, third, fourth)]
    assert names == ["block/identity", "block/gate", "block/inner/gate", "block/gate_2"]
    assert [str(node) for node in graph.describe().nodes] == names


def test_fills_and_casts__need_no_operands_or_other_types() -> None:
    graph = dmlx.Graph()
    steps = dmlx.fill_value_sequence(graph, [2, 3], "INT32", 5, 2)
    graph.compile([dmlx.cast(steps, "FLOAT32"), dmlx.fill_value_constant(graph, [2], "FLOAT16", 1.5)])
    sequence, constant = graph()
    np.testing.assert_array_equal(sequence, np.array([[5, 7, 9], [11, 13, 15]], np.float32))
    assert constant.dtype == np.float16 and constant.tolist() == [1.5, 1.5]


def test_shapes_of_directmlx__are_there() -> None:
    graph = dmlx.Graph()
    x = floats(1, 2, 4, 4)
    [a] = inputs(graph, x)
    made = {
        "clip": (dmlx.clip(a, -0.5, 0.5), np.clip(x, -0.5, 0.5)),
        "padding": (
            dmlx.padding(a, "CONSTANT", 7, [0, 0, 1, 0], [0, 0, 0, 1]),
            np.pad(x, ((0, 0), (0, 0), (1, 0), (0, 1)), constant_values=7),
        ),
        "reduce": (dmlx.reduce(a, "SUM"), x.sum(keepdims=True).reshape(1, 1, 1, 1)),
        "softmax": (dmlx.activation_softmax(a, [1]), np.exp(x) / np.exp(x).sum(1, keepdims=True)),
        "resample": (
            dmlx.resample(a, [1, 2, 8, 8], "NEAREST_NEIGHBOR", "DECREASING", input_pixel_offsets=[0] * 4),
            x.repeat(2, 2).repeat(2, 3),
        ),
        "slice": (dmlx.slice(a, [0, 0, 0, 0], [1, 2, 4, 4], [1, 1, -1, 1]), x[:, :, ::-1]),
        "tile": (dmlx.tile(a, [1, 1, 2, 1]), np.tile(x, (1, 1, 2, 1))),
    }
    graph.compile([each for each, _ in made.values()])
    for name, found, (_, expected) in zip(made, graph(x), made.values(), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, err_msg=name)


def test_older_devices__get_older_variants() -> None:
    graph = dmlx.Graph(dml.Device(feature_level="2.0"))
    a = dmlx.input_tensor(graph, 0, dml.TensorDesc("FLOAT32", [1, 1, 4, 4]))
    dmlx.max_pooling(a, [2, 2])
    assert graph.steps[-1].operator.dml_type == "MAX_POOLING1"
    dmlx.clip(a, 0, 1)
    assert graph.steps[-1].operator.dml_type == "ELEMENT_WISE_CLIP"


def test_unread_inputs__may_be_given() -> None:
    graph = dmlx.Graph()
    x = floats(2)
    a, _ = inputs(graph, x, x)
    graph.compile(a + 1)
    np.testing.assert_array_equal(graph(x, x), x + 1)


def test_bool__is_refused() -> None:
    graph = dmlx.Graph()
    [a] = inputs(graph, floats(2))
    with pytest.raises(TypeError, match="no value yet"):
        assert a < 1
