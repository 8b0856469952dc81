"""Sound calls of expressions, and of every operator: as a class, in a model and as a function."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import anydml as dml
from anydml import expression as dmlx
from anydml.catalog.examples import example_of
from anydml.core.schema import OPERATORS
from anydml.core.schema.fields import TensorField
from anydml.expression.functions import DERIVED, function_name, parameter_name
from tests.fuzz.sound.shared import TENSOR, Sound, call, numbers
from tests.fuzz.sound.surface import ARITHMETIC, Call

# Expressions


def graph() -> tuple[dmlx.Graph, dmlx.Expression]:
    made = dmlx.Graph()
    return made, dmlx.input_tensor(made, 0, TENSOR)


def _of_input(function: str, /, **arguments: Any) -> Callable[[], Call]:
    """A function of an expression, and perhaps of others: arguments that are tensors become those."""

    def make() -> Call:
        made = dmlx.Graph()
        given = {
            name: dmlx.input_tensor(made, i, value) if isinstance(value, dml.TensorDesc) else value
            for i, (name, value) in enumerate(arguments.items())
        }
        return Call(getattr(dmlx, function), given)

    return make


IMAGE = dml.TensorDesc("FLOAT32", [1, 2, 3, 4])
COLUMN = dml.TensorDesc("FLOAT32", [1, 2, 1, 1])
INDICES = dml.TensorDesc("UINT32", [2, 1])
EXPRESSIONS: Sound = {
    **{
        f"expression.Expression.__{each}__": lambda each=each: call(getattr(graph()[1], f"__{each}__"), 2)
        for each in ARITHMETIC
    },
    "expression.Expression.__pow__": lambda: call(graph()[1].__pow__, exponent=2),
    "expression.Expression.__lshift__": lambda: call(_whole().__lshift__, 2),
    "expression.Expression.__rshift__": lambda: call(_whole().__rshift__, 2),
    "expression.Expression.__matmul__": lambda: _matmul(),
    "expression.Graph": lambda: call(dmlx.Graph, device=dml.Device(), policy=dmlx.INTERLEAVED_CHANNEL),
    "expression.Graph.__call__": lambda: call(_relu(), numbers(2, 3)),
    "expression.Graph.compile": lambda: _compiled("compile", flags=0),
    "expression.Graph.describe": lambda: _compiled("describe"),
    "expression.Graph.constant": lambda: call(dmlx.Graph().constant, data=bytes(24), desc=TENSOR, name="c"),
    "expression.Graph.input": lambda: call(dmlx.Graph().input, index=0, desc=TENSOR, name="x"),
    "expression.Graph.name_scope": lambda: call(lambda name: dmlx.Graph().name_scope(name).__enter__(), name="x"),
    "expression.Graph.push_name": lambda: call(dmlx.Graph().push_name, name="x"),
    "expression.apply": lambda: call(dmlx.apply, dml.ActivationRelu, graph()[1], name="x", output_sizes=[2, 3]),
    "expression.constant": lambda: call(dmlx.constant, graph=dmlx.Graph(), data=numbers(2, 3), desc=TENSOR, name="c"),
    "expression.constant of values": lambda: call(dmlx.constant, dmlx.Graph(), [[1.0, 2.0]]),
    "expression.input_tensor": lambda: call(dmlx.input_tensor, graph=dmlx.Graph(), index=0, desc=TENSOR, name="x"),
    "expression.activation_hardmax": _of_input("activation_hardmax", input=TENSOR, axes=[1], name="x"),
    "expression.activation_log_softmax": _of_input("activation_log_softmax", input=TENSOR, axes=[1], name="x"),
    "expression.activation_softmax": _of_input("activation_softmax", input=TENSOR, axes=[1], name="x"),
    "expression.add": _of_input("add", a=TENSOR, b=TENSOR, fused_activation=dml.ActivationRelu, name="x"),
    "expression.broadcast": _of_input("broadcast", input=TENSOR, sizes=[2, 2, 3]),
    "expression.cast": _of_input("cast", input=TENSOR, target_data_type="INT8", name="x"),
    "expression.clip": _of_input("clip", input=TENSOR, min=0, max=1.5, scale_bias=(1, 2), name="x"),
    "expression.clip_grad": _of_input("clip_grad", input=TENSOR, input_gradient=TENSOR, min=0, max=1.5, name="x"),
    "expression.fill_value_constant": lambda: call(
        dmlx.fill_value_constant, graph=dmlx.Graph(), output_sizes=[2, 3], value_data_type="INT8", value=7, name="x"
    ),
    "expression.fill_value_sequence": lambda: call(
        dmlx.fill_value_sequence,
        graph=dmlx.Graph(),
        output_sizes=[2, 3],
        value_data_type="INT8",
        value_start=7,
        value_delta=2,
        name="x",
    ),
    "expression.mean_variance_normalization": _of_input(
        "mean_variance_normalization",
        input=IMAGE,
        scale=COLUMN,
        bias=COLUMN,
        axes=[0, 2, 3],
        normalize_variance=True,
        normalize_mean=True,
        epsilon=1e-5,
        fused_activation=None,
        name="x",
    ),
    "expression.one_hot": _of_input(
        "one_hot", indices=INDICES, values=dml.TensorDesc("FLOAT32", [1, 2]), output_length=3, axis=1, name="x"
    ),
    "expression.padding": _of_input(
        "padding",
        input=IMAGE,
        padding_mode="EDGE",
        padding_value=0,
        start_padding=[0, 0, 1, 1],
        end_padding=[0, 0, 1, 1],
        name="x",
    ),
    "expression.pow": _of_input("pow", input=TENSOR, exponent=2.5, scale_bias=(1, 2), name="x"),
    "expression.reduce": _of_input(
        "reduce", input=TENSOR, function="SUM", axes=[1], output_data_type="FLOAT32", name="x"
    ),
    "expression.reinterpret": _of_input(
        "reinterpret", input=TENSOR, new_type="INT8", new_sizes=[6], new_strides=[2], name="x"
    ),
    "expression.resample": _of_input(
        "resample",
        input=IMAGE,
        output_sizes=[1, 2, 6, 8],
        mode="LINEAR",
        rounding_direction="INCREASING",
        scales=[1, 1, 2, 2],
        input_pixel_offsets=[0.5] * 4,
        output_pixel_offsets=[-0.5] * 4,
        antialiased=False,
        name="x",
    ),
    "expression.split": _of_input("split", input=TENSOR, axis=1, output_axis_sizes=[1, 2], name="x"),
}


def _whole() -> dmlx.Expression:
    return dmlx.input_tensor(dmlx.Graph(), 0, INDICES)


def _relu() -> dmlx.Graph:
    made, x = graph()
    dmlx.activation_relu(x)
    return made


def _compiled(method: str, **more: Any) -> Call:
    made, x = graph()
    return call(getattr(made, method), outputs=[dmlx.activation_relu(x)], **more)


def _matmul() -> Call:
    made = dmlx.Graph()
    matrix = dml.TensorDesc("FLOAT32", [1, 1, 2, 2])
    return call(dmlx.input_tensor(made, 0, matrix).__matmul__, dmlx.input_tensor(made, 1, matrix))


# Operators, and what is made of them


@cache
def _given(name: str) -> Mapping[str, Any]:
    return example_of(OPERATORS[name]).given


def of_operator(name: str) -> Call:
    """An operator from its fields."""
    return Call(OPERATORS[name], dict(_given(name)))


def of_model(name: str) -> Call:
    """An operator as a model file has it."""
    desc = json.loads(json.dumps(example_of(OPERATORS[name]).operator.to_dict()))["desc"]
    return Call(lambda **fields: dml.Operator.from_dict({"type": name, "desc": fields}), desc)


def of_function(name: str) -> Call:
    """The function of expressions that makes an operator."""
    cls, made, arguments = OPERATORS[name], dmlx.Graph(), dict[str, Any]()
    for field in cls.fields.values():
        value = _given(name).get(field.name)
        if isinstance(field, TensorField) and field.is_input and value is not None:
            several = [made.input(len(made.inputs), each) for each in (value if field.is_list else [value])]
            arguments[parameter_name(field)] = several if field.is_list else several[0]
        elif isinstance(field, TensorField) and isinstance(value, dml.TensorDesc) and not field.optional:
            arguments.setdefault("output_sizes", value.sizes)
            arguments.setdefault("output_data_type", value.data_type)
        elif value is not None and not (isinstance(field, TensorField) and field.is_list):
            arguments[parameter_name(field)] = value
    if not made.inputs:
        arguments["graph"] = made
    function = DERIVED[function_name(cls)]
    chosen = function if function_name(cls)[-1].isdigit() else lambda **given: dmlx.apply(cls, **given)
    return Call(chosen, {"name": "x", **arguments})


OPERATOR_CALLS: Sound = {
    **{f"dml.{cls.__name__}": lambda name=name: of_operator(name) for name, cls in OPERATORS.items()},
    **{f"model {name}": lambda name=name: of_model(name) for name in OPERATORS},
    **{f"expression of {name}": lambda name=name: of_function(name) for name in OPERATORS},
}
