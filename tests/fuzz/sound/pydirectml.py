"""A sound call of everything in `pydirectml`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import pydirectml as dml
from tests.fuzz.sound.surface import Call

FLOAT32, UINT32 = dml.TensorDataType.FLOAT32, dml.TensorDataType.UINT32
RELU = dml.FusedActivation(dml.OperatorType.ACTIVATION_RELU)


def _desc(*sizes: int) -> dml.TensorDesc:
    return dml.TensorDesc(FLOAT32, list(sizes))


IMAGE, COLUMN, MATRIX = _desc(1, 2, 4, 4), _desc(1, 2, 1, 1), _desc(1, 1, 2, 2)


def _of(function: str, /, **arguments: Any) -> Callable[[], Call]:
    """A function of expressions: arguments that are descriptions become inputs of a graph."""

    def make() -> Call:
        builder = dml.GraphBuilder(dml.Device(False))
        count = 0

        def given(value: Any) -> Any:
            nonlocal count
            if isinstance(value, list) and any(isinstance(each, dml.TensorDesc) for each in value):
                return [given(each) for each in value]
            if not isinstance(value, dml.TensorDesc):
                return value
            count += 1
            return dml.input_tensor(builder, count - 1, value)

        return Call(getattr(dml, function), {name: given(value) for name, value in arguments.items()})

    return make


def _expression() -> dml.Expression:
    return dml.input_tensor(dml.GraphBuilder(dml.Device(False)), 0, IMAGE)


def _computed() -> Call:
    device = dml.Device(False)
    builder = dml.GraphBuilder(device)
    x = dml.input_tensor(builder, 0, MATRIX)
    y = dml.activation_relu(x)
    model = builder.build(dml.ExecutionFlags.NONE, [y])
    binding = dml.Binding(x, np.ones((2, 2), np.float32))
    return Call(device.compute, {"model": model, "inputs": [binding], "outputs": [y]})


def _built() -> Call:
    builder = dml.GraphBuilder(dml.Device(False))
    y = dml.activation_relu(dml.input_tensor(builder, 0, MATRIX))
    return Call(builder.build, {"flags": 0, "outputs": [y]})


def call(function: Callable[..., Any], **named: Any) -> Call:
    return Call(function, named)


ARITHMETIC = ("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv")
PYDIRECTML: dict[str, Callable[[], Call]] = {
    **{
        f"pydirectml.Expression.__{each}__": lambda each=each: call(getattr(_expression(), f"__{each}__"), other=2.0)
        for each in ARITHMETIC
    },
    "pydirectml.Expression.__mod__": lambda: call(_expression().__mod__, other=2),
    "pydirectml.Binding": lambda: call(dml.Binding, expr=_expression(), data=np.ones((1, 2, 4, 4), np.float32)),
    "pydirectml.Device": lambda: call(dml.Device, use_gpu=False, use_debug_layer=True),
    "pydirectml.Device.compute": _computed,
    "pydirectml.Dimensions": lambda: Call(dml.Dimensions, {"*0": [2, 3]}),
    "pydirectml.FusedActivation": lambda: call(
        lambda **given: dml.FusedActivation(**given).operator, activation=7, param_1=0.5, param_2=1
    ),
    "pydirectml.GRUOutputs": lambda: call(dml.GRUOutputs, sequence=_expression(), single=_expression()),
    "pydirectml.MaxPoolingOutputs": lambda: call(dml.MaxPoolingOutputs, values=_expression(), indices=_expression()),
    "pydirectml.GraphBuilder": lambda: call(dml.GraphBuilder, device=dml.Device(False)),
    "pydirectml.GraphBuilder.build": _built,
    "pydirectml.Size2D": lambda: call(
        lambda **given: dml.up_sample_2d(_expression(), dml.Size2D(**given), 0), width=2, height=3
    ),
    "pydirectml.TensorData": lambda: call(dml.TensorData, data=[[1, 2], [3, 4]]),
    "pydirectml.TensorPolicy": lambda: call(dml.TensorPolicy, policy=dml.TensorPolicy.default._policy),
    "pydirectml.TensorDesc": lambda: call(
        dml.TensorDesc,
        data_type=FLOAT32,
        flags=0,
        sizes=[2, 3],
        strides=[4, 1],
        total_tensor_size_in_bytes=64,
        guaranteed_base_offset_alignment=16,
    ),
    "pydirectml.TensorDesc of a policy": lambda: Call(
        dml.TensorDesc, {"*0": FLOAT32, "*1": [1, 2, 3, 4], "*2": dml.TensorPolicy.interleaved_channel}
    ),
    "pydirectml.input_tensor": lambda: call(
        dml.input_tensor, scope=dml.GraphBuilder(dml.Device(False)), input_index=0, tensor_desc=IMAGE
    ),
    "pydirectml.activation_identity": _of("activation_identity", input=IMAGE),
    "pydirectml.activation_linear": _of("activation_linear", input=IMAGE, alpha=1, beta=2.5),
    "pydirectml.activation_relu": _of("activation_relu", input=IMAGE),
    "pydirectml.activation_sigmoid": _of("activation_sigmoid", input=IMAGE),
    "pydirectml.activation_soft_max": _of("activation_soft_max", input=MATRIX),
    "pydirectml.activation_tanh": _of("activation_tanh", input=IMAGE),
    "pydirectml.add": _of("add", a=IMAGE, b=IMAGE, fused_activation=RELU),
    "pydirectml.subtract": _of("subtract", a=IMAGE, b=IMAGE),
    "pydirectml.multiply": _of("multiply", a=IMAGE, b=IMAGE),
    "pydirectml.divide": _of("divide", a=IMAGE, b=IMAGE),
    "pydirectml.average_pooling": _of(
        "average_pooling",
        input=IMAGE,
        strides=[2, 2],
        window_sizes=[2, 2],
        start_padding=[0, 0],
        end_padding=[0, 0],
        include_padding=False,
    ),
    "pydirectml.batch_normalization": _of(
        "batch_normalization",
        input=IMAGE,
        mean=COLUMN,
        variance=COLUMN,
        scale=COLUMN,
        bias=COLUMN,
        spatial=True,
        epsilon=1e-5,
        fused_activation=RELU,
    ),
    "pydirectml.convolution": _of(
        "convolution",
        input=IMAGE,
        filter=_desc(3, 2, 2, 2),
        bias=_desc(1, 3, 1, 1),
        mode=1,
        direction=0,
        strides=[1, 1],
        dilations=[1, 1],
        start_padding=[0, 0],
        end_padding=[0, 0],
        output_padding=[0, 0],
        group_count=1,
        fused_activation=RELU,
        output_sizes=[1, 3, 3, 3],
    ),
    "pydirectml.gather": _of(
        "gather", input=IMAGE, indices=dml.TensorDesc(UINT32, [1, 1, 1, 2]), axis=3, index_dimensions=1
    ),
    "pydirectml.gemm": _of(
        "gemm", a=MATRIX, b=MATRIX, c=MATRIX, trans_a=1, trans_b=0, alpha=1.5, beta=2, fused_activation=RELU
    ),
    "pydirectml.gru": _of(
        "gru",
        input=_desc(1, 2, 1, 3),
        weight=_desc(1, 1, 6, 3),
        recurrence=_desc(1, 1, 6, 2),
        bias=_desc(1, 1, 1, 12),
        hidden_init=_desc(1, 1, 1, 2),
        sequence_lengths=dml.TensorDesc(UINT32, [1, 1, 1, 1]),
        activation_descs=[
            dml.FusedActivation(dml.OperatorType.ACTIVATION_SIGMOID),
            dml.FusedActivation(dml.OperatorType.ACTIVATION_TANH),
        ],
        direction=0,
        linear_before_reset=True,
        output_options=dml.OutputOptions.Both,
    ),
    "pydirectml.join": _of("join", input=[IMAGE, IMAGE], axis=1),
    "pydirectml.local_response_normalization": _of(
        "local_response_normalization", input=IMAGE, cross_channel=True, local_size=3, alpha=1e-4, beta=0.75, bias=1
    ),
    "pydirectml.max_pooling": _of(
        "max_pooling",
        input=IMAGE,
        window_sizes=[2, 2],
        strides=[2, 2],
        start_padding=[0, 0],
        end_padding=[0, 0],
        dilations=[1, 1],
        output_indices=True,
    ),
    "pydirectml.mean_variance_normalization": _of(
        "mean_variance_normalization",
        input=IMAGE,
        scale=COLUMN,
        bias=COLUMN,
        axes=[0, 2, 3],
        normalize_variance=True,
        epsilon=1e-5,
        fused_activation=RELU,
        normalize_mean=True,
    ),
    "pydirectml.padding": _of(
        "padding",
        input=IMAGE,
        padding_mode=0,
        padding_value=1.5,
        start_padding=[0, 0, 1, 1],
        end_padding=[0, 0, 1, 1],
    ),
    "pydirectml.reinterpret": _of("reinterpret", input=IMAGE, new_type=FLOAT32, new_size=[32], new_strides=[1]),
    "pydirectml.slice": _of(
        "slice",
        input=IMAGE,
        input_window_offsets=[0, 0, 0, 0],
        input_window_sizes=[1, 1, 2, 2],
        input_window_strides=[1, 1, 1, 1],
    ),
    "pydirectml.up_sample_2d": _of("up_sample_2d", input=IMAGE, scale_size=dml.Size2D(2, 2), interpolation_mode=0),
    "pydirectml.value_scale_2d": _of("value_scale_2d", input=_desc(1, 3, 4, 4), scale=2, bias=[1.5, 2, 3]),
}
