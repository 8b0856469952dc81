"""Binding, computing and refusing, through the names of PyDirectML."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anydml
import pydirectml as dml

KINDS = [kind for kind in dml.TensorDataType if kind.name not in ("UNKNOWN", "FLOAT64")]


def desc(*sizes: int, kind: dml.TensorDataType = dml.TensorDataType.FLOAT32, flags: int = 0) -> dml.TensorDesc:
    return dml.TensorDesc(kind, dml.TensorFlags(flags), list(sizes))


class Case:
    """A builder with two inputs of 2 by 3."""

    def __init__(self, owned: bool = False) -> None:
        self.device = dml.Device(False)
        self.builder = dml.GraphBuilder(self.device)
        self.a = dml.input_tensor(self.builder, 0, desc(1, 1, 2, 3))
        self.b = dml.input_tensor(self.builder, 1, desc(1, 1, 2, 3, flags=int(owned)))
        self.sum = dml.add(self.a, self.b)
        self.model = self.builder.build(dml.ExecutionFlags.NONE, [self.sum])

    def bindings(self, a: Any = 1.0, b: Any = 2.0) -> list[dml.Binding]:
        return [dml.Binding(self.a, np.full((2, 3), a)), dml.Binding(self.b, np.full((2, 3), b))]


def refused(rule: str, *words: str) -> Any:
    """A check that an error names its rule, these words and a line of this file."""
    pattern = ".*".join(["test_compute.py:[0-9]+: ", *words, rf"\[{rule}\]"])
    return pytest.raises(anydml.DmlError, match=f"(?s){pattern}")


def test_compute__honours_bindings_of_wider_types() -> None:
    case = Case()
    [result] = case.device.compute(case.model, case.bindings(), [case.sum])
    assert isinstance(result, dml.TensorData) and result.dtype == np.float32
    assert np.array(result).tolist() == [[[[3.0] * 3] * 2]]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_compute__honours_every_data_type(kind: dml.TensorDataType) -> None:
    device = dml.Device(False)
    builder = dml.GraphBuilder(device)
    x = dml.input_tensor(builder, 0, desc(1, 1, 2, 3, kind=kind))
    joined = dml.join([x, x], 3)
    model = builder.build(dml.ExecutionFlags.NONE, [joined])
    values = np.array([[1, 2, 3], [4, 5, 100]])
    [result] = device.compute(model, [dml.Binding(x, values)], [joined])
    assert result.dtype == np.dtype(kind.name.lower())
    assert result.tolist() == [[np.concatenate([values, values], 1).tolist()]]


def test_compute__takes_owned_data_again_when_it_is_bound_again() -> None:
    case = Case(owned=True)
    first = case.bindings()
    results = [case.device.compute(case.model, first, [case.sum])[0].max() for _ in range(2)]
    compiled = case.model.runner.compiled
    results.append(case.device.compute(case.model, case.bindings(), [case.sum])[0].max())
    assert case.model.runner.compiled is compiled, "equal data need no compilation"
    results.append(case.device.compute(case.model, case.bindings(b=5.0), [case.sum])[0].max())
    assert results == [3, 3, 3, 6]


def test_binding__copies_its_data() -> None:
    case = Case()
    data = np.ones((2, 3), np.float32)
    binding = dml.Binding(case.a, data)
    data[:] = 100
    [result] = case.device.compute(case.model, [binding, case.bindings()[1]], [case.sum])
    assert result.max() == 3


def test_expressions__have_the_operators_of_python() -> None:
    device = dml.Device(False)
    builder = dml.GraphBuilder(device)
    x, y = (dml.input_tensor(builder, i, desc(1, 1, 1, 4)) for i in range(2))
    a, b = np.array([1.5, -2.0, 3.0, 7.0], np.float32), np.array([2.0, 4.0, -5.0, 0.5], np.float32)
    made = [x + y, x - y, x * y, x / y, x % y, x + 2, x - 2, x * 2, x / 2, 2 + x, 2 - x, 2 * x, 2 / x, -x]
    expected = [a + b, a - b, a * b, a / b, np.fmod(a, b), a + 2, a - 2, a * 2, a / 2, 2 + a, 2 - a, 2 * a, 2 / a, -a]
    x += 1
    model = builder.build(dml.ExecutionFlags.NONE, [*made, x])
    bindings = [dml.Binding(each, data) for each, data in zip(_inputs(builder), (a, b), strict=True)]
    results = device.compute(model, bindings, [*made, x])
    for found, wanted in zip(results, [*expected, a + 1], strict=True):
        np.testing.assert_allclose(found.reshape(-1), wanted, rtol=1e-6)


def _inputs(builder: dml.GraphBuilder) -> list[dml.Expression]:
    return [dml.Expression.of(builder.graph.inputs[i]) for i in sorted(builder.graph.inputs)]


def test_max_pooling__gives_indices_when_asked() -> None:
    device = dml.Device(False)
    builder = dml.GraphBuilder(device)
    x = dml.input_tensor(builder, 0, desc(1, 1, 2, 2))
    pooled = dml.max_pooling(x, [2, 2], output_indices=True)
    model = builder.build(dml.ExecutionFlags.NONE, [pooled.values, pooled.indices])
    values, indices = device.compute(model, [dml.Binding(x, [3, 1, 4, 1])], [pooled.values, pooled.indices])
    assert (values.item(), indices.item(), indices.dtype) == (4.0, 2, np.uint32)
    assert "Expression()" in repr(dml.max_pooling(x, [2, 2]).indices)


def test_gru__gives_the_outputs_that_are_asked_for() -> None:
    builder = dml.GraphBuilder(dml.Device(False))
    x, w, r = (
        dml.input_tensor(builder, i, desc(*s)) for i, s in enumerate([(1, 3, 1, 2), (1, 1, 12, 2), (1, 1, 12, 4)])
    )
    sigmoid = dml.FusedActivation(dml.OperatorType["ACTIVATION_SIGMOID"])
    tanh = dml.FusedActivation(dml.OperatorType["ACTIVATION_TANH"])
    forward = dml.RecurrentNetworkDirection.FORWARD
    options = {"activation_descs": [sigmoid, tanh], "direction": forward}
    both = dml.gru(x, w, r, output_options=dml.OutputOptions.Both, **options)  # type: ignore[arg-type]
    assert both.sequence.get_output_desc().sizes == [3, 1, 1, 4] and both.single.get_output_desc().sizes == [1, 1, 1, 4]
    single = dml.gru(x, w, r, output_options=dml.OutputOptions.Single, **options)  # type: ignore[arg-type]
    assert "Expression()" in repr(single.sequence)
    with refused("pydirectml.argument", "output_options"):
        dml.gru(x, w, r, activation_descs=[sigmoid, tanh], direction=forward)


def test_fused_activation__takes_its_first_two_attributes() -> None:
    hard = dml.FusedActivation(dml.OperatorType["ACTIVATION_HARD_SIGMOID"], 0.3, 0.6)
    assert hard.operator == anydml.ActivationHardSigmoid.fused(alpha=0.3, beta=0.6)
    assert dml.FusedActivation(dml.OperatorType["ACTIVATION_ELU"], param1=2).operator.alpha == 2  # type: ignore[union-attr]


def test_mean_variance_normalization__takes_both_orders() -> None:
    device = dml.Device(False)
    builder = dml.GraphBuilder(device)
    x = dml.input_tensor(builder, 0, desc(1, 1, 2, 2))
    old = dml.mean_variance_normalization(x, None, None, [2, 3], True, 1e-5)
    new = dml.mean_variance_normalization(x, None, None, [2, 3], True, True, 1e-5)
    uncentred = dml.mean_variance_normalization(
        x, axes=[2, 3], normalize_variance=False, normalize_mean=False, epsilon=0
    )
    model = builder.build(dml.ExecutionFlags.NONE, [old, new, uncentred])
    data = np.array([1, 2, 3, 6], np.float32)
    results = device.compute(model, [dml.Binding(x, data)], [old, new, uncentred])
    wanted = (data - data.mean()) / np.sqrt(data.var() + 1e-5)
    np.testing.assert_allclose(results[0].reshape(-1), wanted, rtol=1e-5)
    np.testing.assert_allclose(results[1].reshape(-1), wanted, rtol=1e-5)
    np.testing.assert_allclose(results[2].reshape(-1), data)


# What is refused


def test_count_and_order__are_checked() -> None:
    case = Case()
    first, second = case.bindings()
    with refused("pydirectml.inputs", "1 binding, expected 2"):
        case.device.compute(case.model, [first], [case.sum])
    with refused("pydirectml.inputs", "a binding of input 1, expected one of 'input0'"):
        case.device.compute(case.model, [second, first], [case.sum])
    with refused("pydirectml.outputs", "2 outputs, expected 1"):
        case.device.compute(case.model, [first, second], [case.sum, case.sum])
    with refused("pydirectml.outputs", "'add', which was built"):
        case.device.compute(case.model, [first, second], [case.a])
    with refused("pydirectml.inputs", "no binding"):
        case.device.compute(case.model, [first, None], [case.sum])
    with refused("pydirectml.inputs", "a Binding of 'input1'"):
        case.device.compute(case.model, [first, np.zeros(6)], [case.sum])  # type: ignore[list-item]


def test_types_and_sizes_of_data__are_checked() -> None:
    builder = dml.GraphBuilder(dml.Device(False))
    index = dml.input_tensor(builder, 0, desc(1, 1, 1, 2, kind=dml.TensorDataType.UINT8))
    with refused("pydirectml.data-type", "input0: found data of type float32, expected UINT8"):
        dml.Binding(index, np.zeros(2, np.float32))
    with refused("values.range", "input0: found 300 at \\[1\\], expected whole numbers from 0 to 255"):
        dml.Binding(index, [1, 300])
    with refused("values.numbers", "complex"):
        dml.Binding(index, np.zeros(2, complex))
    with refused("pydirectml.data-size", "input0: found 99 elements"):
        dml.Binding(index, np.zeros(99, int))


def test_graphs__are_not_mixed() -> None:
    case, other = Case(), Case()
    with refused("expression.operand", "'input0' of another graph"):
        dml.add(case.a, other.a)
    with refused("pydirectml.inputs", "of another graph"):
        case.device.compute(case.model, [other.bindings()[0], case.bindings()[1]], [case.sum])
    with refused("pydirectml.model", "another device"):
        other.device.compute(case.model, case.bindings(), [case.sum])


def test_empty_expressions__are_refused() -> None:
    case = Case()
    empty = dml.Expression()
    for use in (
        lambda: dml.add(case.a, empty),
        lambda: empty + 1,
        lambda: dml.Binding(empty, [1]),
        lambda: case.builder.build(dml.ExecutionFlags.NONE, [empty]),
    ):
        with refused("pydirectml.empty", "an empty expression"):
            use()


def test_descriptions__are_refused_with_their_line() -> None:
    with refused("pydirectml.tensor-desc"):
        dml.TensorDesc("FLOAT32", [2])
    with refused("pydirectml.tensor-desc"):
        dml.TensorDesc(dml.TensorDataType.FLOAT32)
    with refused("sizes.positive"):
        dml.TensorDesc(dml.TensorDataType.FLOAT32, [0, 2])
    case = Case()
    with refused("expression.input", "index"):
        dml.input_tensor(case.builder, 0, desc(2))
    with refused("same.sizes", "add"):
        dml.add(case.a, dml.input_tensor(case.builder, 2, desc(1, 1, 2, 4)))
