"""The functions follow from the declarations, have DirectMLX's defaults, and refuse what is wrong with its line."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anydml as dml
import anydml.expression as dmlx
from anydml.core.naming import snake
from anydml.core.schema import OPERATORS
from anydml.expression.functions import function_name, parameters_of

FACTS = json.loads((Path(__file__).parents[1] / "spec" / "api.json").read_text("utf-8"))["directmlx"]
NAMES = {
    "ACos": "acos",
    "ACosh": "acosh",
    "ASin": "asin",
    "ASinh": "asinh",
    "ATan": "atan",
    "ATanYX": "atan_yx",
    "ATanh": "atanh",
    "If": "if_",
    "Upsample2D": "upsample_2d",
    "ValueScale2D": "value_scale_2d",
    "GRU": "gru",
    "ConstantData": "constant",
    "GatherND": "gather_nd",
    "ScatterND": "scatter_nd",
    "NonZeroCoordinates": "nonzero_coordinates",
    "IsNaN": "is_nan",
}


def name_of(entry: dict[str, Any]) -> str:
    return NAMES.get(entry["name"], snake(entry["name"]))


@pytest.mark.parametrize("cls", OPERATORS.values(), ids=lambda cls: cls.dml_type)
def test_operator__has_a_function(cls: type[dml.Operator]) -> None:
    for name in (function_name(cls), cls.dml_type.lower()):
        assert callable(getattr(dmlx, name)) and getattr(dmlx, name).__doc__
    names = [parameter.name for parameter in parameters_of(cls)]
    assert len(names) == len(set(names)), "two parameters of one name"


@pytest.mark.parametrize("entry", FACTS, ids=lambda entry: entry["name"])
def test_directmlx_function__is_there_with_its_defaults(entry: dict[str, Any]) -> None:
    parameters = inspect.signature(getattr(dmlx, name_of(entry))).parameters
    for text in entry["params"]:
        name, equals, default = text.partition("=")
        found = parameters.get(snake(name))
        if not equals or found is None or default in ("[]", "None"):
            continue
        value = found.default
        if default.startswith("DML_TENSOR_DATA_TYPE"):
            continue  # inferred: see test_logical_outputs
        if name_of(entry) == "random_generator" and name == "outputState":
            continue  # an optional output, and those are asked for
        known = value.name if hasattr(value, "name") else str(value)
        same = known == default or default.endswith(f"_{known}")
        assert same or float(default) == value, f"{name}: {value!r} for {default}"


def test_logical_outputs__are_bytes_unless_asked() -> None:
    graph = dmlx.Graph()
    a = dmlx.input_tensor(graph, 0, dml.TensorDesc("FLOAT32", [2]))
    assert dmlx.less_than(a, a).data_type is dml.DataType.UINT8
    assert dmlx.equals(a, a, output_data_type="UINT32").data_type is dml.DataType.UINT32
    assert dmlx.is_nan(a).data_type is dml.DataType.UINT8


def refused(rule: str, *words: str) -> Any:
    pattern = ".*".join(["test_functions.py:[0-9]+: ", *words, rf"\[{rule}\]"])
    return pytest.raises(dml.DmlError, match=f"(?s){pattern}")


def graph_with_input(*sizes: int) -> tuple[dmlx.Graph, dmlx.Expression]:
    graph = dmlx.Graph()
    return graph, dmlx.input_tensor(graph, 0, dml.TensorDesc("FLOAT32", list(sizes)))


def test_errors__point_at_the_line_and_name_the_expression() -> None:
    _, a = graph_with_input(1, 1, 4, 4)
    line = inspect.currentframe().f_lineno + 2  # type: ignore[union-attr]
    with pytest.raises(dml.DmlError) as caught:
        dmlx.convolution(a, a, strides=[0, 1], name="first layer")
    assert str(caught.value).startswith(f"{__file__}:{line}: convolution 'first layer': Strides[0]: found 0")


def test_wrong_arguments__are_refused() -> None:
    graph, a = graph_with_input(1, 1, 4, 4)
    with refused("expression.argument", "try 'strides'"):
        dmlx.convolution(a, a, stride=[1, 1])
    with refused("expression.argument", "4 arguments"):
        dmlx.activation_relu(a, a, a, a)
    with refused("expression.argument", "two values"):
        dmlx.activation_relu(a, input=a)
    with refused("expression.operand", "array"):
        dmlx.activation_relu(np.zeros(3))
    with refused("expression.operand", "nothing"):
        dmlx.gemm(a)
    with refused("expression.operand", "'input0' of another graph"):
        dmlx.add(a, graph_with_input(1, 1, 4, 4)[1])
    with refused("expression.operand", "graph"):
        dmlx.fill_value_constant(None, [2], "FLOAT32", 1)  # type: ignore[arg-type]
    with refused("field.missing", "WindowSize"):
        dmlx.max_pooling(a)
    with refused("output.infer"):
        dmlx.cast(a, None)  # type: ignore[arg-type]
    with refused("expression.reinterpret", "128 bytes, expected at most 64"):
        dmlx.reinterpret(a, None, [1, 1, 8, 4])
    with refused("expression.reinterpret"):
        dmlx.broadcast(a, [1, 1, 8, 4])
    with refused("expression.split"):
        dmlx.split(a, 3, [1, 2])
    with refused("expression.input", "index"):
        dmlx.input_tensor(graph, 0, a.desc)
    with refused("expression.name"):
        dmlx.activation_relu(a, name=" ")
    with pytest.raises(dml.DmlError, match=r"expression\.name"):
        graph.pop_name()


def test_wrong_outputs_and_arrays__are_refused() -> None:
    graph, a = graph_with_input(1, 1, 4, 4)
    with refused("expression.outputs", "graph"):
        graph.compile([])
    with refused("expression.outputs", "another graph"):
        graph.compile(graph_with_input(2)[1])
    graph.compile(a + 1)
    with pytest.raises(dml.BindingError, match=r"2 arrays, expected 1.*\[expression\.arrays\]"):
        graph(np.zeros(16, np.float32), np.zeros(16, np.float32))


def test_levels__are_those_of_the_device() -> None:
    graph = dmlx.Graph(dml.Device(feature_level="4.0"))
    a = dmlx.input_tensor(graph, 0, dml.TensorDesc("FLOAT32", [2]))
    with refused("operator.level", "allowed from feature level 5.0"):
        dmlx.negate(a)


def test_unknown_function__is_named() -> None:
    with pytest.raises(AttributeError, match="did you mean 'convolution'"):
        dmlx.convolutoin  # noqa: B018
    with pytest.raises(AttributeError, match="it has celu"):
        dmlx.FusedActivation.gemm()
