"""Odd numbers, names and lists in expressions: taken as what they are, or refused by name with the user's line."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import anydml as dml
import anydml.expression as dmlx
import pydirectml
from tests.core.checks import error_of

TENSOR = dml.TensorDesc("FLOAT32", [2, 3])
ARRAY = np.arange(1, 7, dtype=np.float32).reshape(2, 3)


class Failing:
    def _fail(self, *given: Any) -> Any:
        raise RuntimeError("no answer")

    __float__ = __index__ = __iter__ = __len__ = __repr__ = __bool__ = _fail  # type: ignore[assignment]


def computed(expression: Callable[[dmlx.Expression], Any], array: Any = ARRAY) -> Any:
    graph = dmlx.Graph()
    expression(dmlx.input_tensor(graph, 0, dml.TensorDesc.from_array(array)))
    return graph(array)


def refused(ask: Callable[[dmlx.Expression], Any], tensor: dml.TensorDesc = TENSOR) -> dml.Violation:
    error = error_of(lambda: ask(dmlx.input_tensor(dmlx.Graph(), 0, tensor)), dml.InvalidDescriptionError)
    assert "test_odd_arguments.py:" in error.subject
    return error.violations[0]


NUMBERS = [3, True, 2.5, np.float32(2.5), np.uint8(3), np.int64(-2), Fraction(5, 2), Decimal("0.5"), np.bool_(True)]
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv]


@pytest.mark.parametrize("number", NUMBERS, ids=repr)
@pytest.mark.parametrize("symbol", ARITHMETIC)
def test_numbers_of_any_kind__mean_their_value_on_both_sides(symbol: Callable[[Any, Any], Any], number: Any) -> None:
    value = float(number)
    np.testing.assert_allclose(computed(lambda x: symbol(x, number)), symbol(ARRAY, value), rtol=1e-6)
    np.testing.assert_allclose(computed(lambda x: symbol(number, x)), symbol(value, ARRAY), rtol=1e-6)


@pytest.mark.parametrize("symbol", [operator.add, operator.sub, operator.mul])
def test_numbers_too_large_for_a_float__are_infinite_as_in_every_scale(symbol: Callable[[Any, Any], Any]) -> None:
    for number in (10**400, Fraction(10**400)):
        assert computed(lambda x, number=number: symbol(x, number)).tolist() == symbol(ARRAY, math.inf).tolist()
    identity = dml.ElementWiseIdentity(input_tensor=TENSOR, scale_bias=(1, 10**400))
    assert operator.add(ARRAY, math.inf).tolist() == operator_result(identity)


def operator_result(described: dml.Operator) -> Any:
    return described(ARRAY).tolist()


NO_OPERANDS = [None, "2", b"2", [2], {2}, 1j, Failing(), Decimal("sNaN"), object, np.ones(3), np.array(["a"]), ...]


@pytest.mark.parametrize("other", NO_OPERANDS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize(
    "symbol", [*ARITHMETIC, operator.mod, operator.matmul, operator.lt, operator.eq, operator.and_, operator.lshift]
)
def test_what_is_no_number__is_no_operand(symbol: Callable[[Any, Any], Any], other: Any) -> None:
    assert refused(lambda x: symbol(x, other)).rule == "expression.operand"


@pytest.mark.parametrize("symbol", ARITHMETIC)
def test_arrays__leave_operators_to_expressions(symbol: Callable[[Any, Any], Any]) -> None:
    """NumPy's own would make an array of as many expressions as it has elements."""
    for array in (np.ones((2, 3), np.float32), np.ones(100_000), np.zeros(2, "M8[s]"), np.ones(3, object)):
        assert refused(lambda x, array=array: symbol(array, x)).rule == "expression.operand"


@pytest.mark.parametrize(
    ("kind", "number"), [("INT8", 300), ("INT8", 2.5), ("UINT8", -1), ("INT32", math.nan), ("FLOAT16", 1e5)]
)
def test_constants_beside_a_tensor__fit_its_type(kind: str, number: Any) -> None:
    """300 beside INT8 would be compared as 44."""
    violation = refused(lambda x: x < number, dml.TensorDesc(kind, [2, 3]))
    assert (violation.rule, violation.path) == ("values.range", "value")
    fits = np.ones((2, 3), dml.DataType[kind].numpy_dtype)
    assert computed(lambda x: x < 2.0, fits).tolist() == [[1, 1, 1], [1, 1, 1]]


NO_NAMES = [7, b"a", ["a"], np.array(["a", "b"]), Failing(), " ", "x" * 300, ...]


@pytest.mark.parametrize("name", NO_NAMES, ids=lambda each: str(type(each).__name__))
def test_names__are_texts(name: Any) -> None:
    for ask in (
        lambda x: dmlx.activation_relu(x, name=name),
        lambda x: dmlx.split(x, 1, [1, 2], name),
        lambda x: dmlx.input_tensor(x.graph, 1, TENSOR, name),
        lambda x: dmlx.constant(x.graph, ARRAY, name=name),
    ):
        assert refused(ask).rule == "expression.name"
    graph = dmlx.Graph()
    assert error_of(lambda: graph.name_scope(name).__enter__()).violations[0].rule == "expression.name"
    assert dmlx.input_tensor(graph, 0, TENSOR, "").name == "input0"


NO_LISTS = [7, "23", {2, 3}, Failing(), itertools.count(), np.ones((2, 2)), range(10**12), float("nan")]


@pytest.mark.parametrize("values", NO_LISTS, ids=lambda each: type(each).__name__)
def test_lists__are_refused_by_name(values: Any) -> None:
    asks: dict[str, Callable[[dmlx.Expression], Any]] = {
        "axes": lambda x: dmlx.reduce(x, "SUM", values),
        "output_axis_sizes": lambda x: dmlx.split(x, 1, values),
        "sizes": lambda x: dmlx.broadcast(x, values),
        "new_sizes": lambda x: dmlx.reinterpret(x, new_sizes=values),
        "new_strides": lambda x: dmlx.reinterpret(x, new_strides=values),
        "scales": lambda x: dmlx.resample(x, [2, 3], "LINEAR", scales=values),
        "output_sizes": lambda x: dmlx.resample(x, values, "LINEAR"),
        "outputs": lambda x: x.graph.compile(values),
    }
    for path, ask in asks.items():
        assert refused(ask).path.partition("[")[0] == path, path
    assert refused(lambda x: dmlx.activation_relu(x, output_sizes=values)).path.partition("[")[0] == "output_sizes"


@pytest.mark.parametrize("wrong", [None, 7, "FLOAT32", dml.TensorDesc, Failing(), {"Sizes": [2]}])
def test_descriptions__are_refused_by_name(wrong: Any) -> None:
    assert refused(lambda x: dmlx.input_tensor(x.graph, 1, wrong)).path == "desc"
    assert error_of(lambda: dmlx.Graph().constant(bytes(24), wrong)).violations[0].path == "desc"
    if wrong is not None:
        assert refused(lambda x: dmlx.constant(x.graph, ARRAY, wrong)).path == "desc"
        assert error_of(lambda: dmlx.Graph(wrong)).violations[0].path == "device"
    assert error_of(lambda: dmlx.Graph(policy=wrong)).violations[0].path == "policy"


def test_pydirectml__answers_in_kind() -> None:
    def image() -> pydirectml.Expression:
        builder = pydirectml.GraphBuilder(pydirectml.Device(False))
        return pydirectml.input_tensor(
            builder, 0, pydirectml.TensorDesc(pydirectml.TensorDataType.FLOAT32, [1, 1, 2, 2])
        )

    for ask in (
        lambda: pydirectml.padding(image(), math.inf, 0, [0] * 4, [0] * 4),  # type: ignore[arg-type]
        lambda: pydirectml.padding(image(), 0, 0, itertools.count(), [0] * 4),  # type: ignore[arg-type]
        lambda: pydirectml.reinterpret(image(), "x", [4], None),  # type: ignore[arg-type]
        lambda: pydirectml.join(7, 0),  # type: ignore[arg-type]
        lambda: pydirectml.average_pooling(image(), [1, 1], [2, 2], [0, 0], [0, 0], "no"),  # type: ignore[arg-type]
        lambda: pydirectml.Binding(image(), [[1], [2, 3]]),
        lambda: pydirectml.Binding(image(), [1e39] * 4),
        lambda: pydirectml.TensorData(range(10**15)),  # type: ignore[arg-type]
        lambda: pydirectml.TensorData(np.broadcast_to(np.float32(1), (1 << 30, 1 << 20))),
        lambda: pydirectml.TensorDesc(pydirectml.TensorDataType.UNKNOWN, [1]),
        lambda: pydirectml.TensorDataType("FLOAT32"),
        lambda: pydirectml.FusedActivation(10**400),  # type: ignore[arg-type]
        lambda: pydirectml.FusedActivation(pydirectml.OperatorType.ACTIVATION_ELU, param1=1, parm=2),
        lambda: pydirectml.GraphBuilder(dml.Device()),  # type: ignore[arg-type]
        lambda: pydirectml.GraphBuilder(pydirectml.Device(False)).build("fast", [image()]),  # type: ignore[arg-type]
        lambda: pydirectml.GraphBuilder(pydirectml.Device(False)).build(0, itertools.count()),  # type: ignore[arg-type]
        lambda: pydirectml.Device(use_gpu="yes"),  # type: ignore[arg-type]
        lambda: pydirectml.Dimensions(7),  # type: ignore[arg-type]
        lambda: pydirectml.TensorPolicy(7),  # type: ignore[arg-type]
        lambda: image() + np.ones(3),  # type: ignore[operator]
        lambda: np.ones(3) * image(),
    ):
        error_of(ask)
    np.testing.assert_array_equal(pydirectml.TensorData([[1, 2]]), [[1, 2]])
    assert pydirectml.Dimensions((2, np.int64(3))) == [2, 3] and (10**400 + image()) is not None
