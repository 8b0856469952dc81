"""Programs in the style of PyDirectML's users: weights are inputs, bound in the order of their indices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import pydirectml as dml

Weights = Mapping[str, np.ndarray[Any, Any]]
RELU = dml.FusedActivation(dml.OperatorType.ACTIVATION_RELU)
OWNED = dml.TensorFlags.OWNED_BY_DML
FLOAT32 = dml.TensorDataType.FLOAT32


@dataclass
class Program:
    """A builder and the bindings of its inputs so far."""

    weights: Weights
    device: dml.Device = field(default_factory=dml.Device)
    bindings: list[dml.Binding] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.builder = dml.GraphBuilder(self.device)

    def input(self, data: Any, desc: dml.TensorDesc) -> dml.Expression:
        tensor = dml.input_tensor(self.builder, len(self.bindings), desc)
        self.bindings.append(dml.Binding(tensor, data))
        return tensor

    def weight(self, name: str, sizes: list[int] | None = None, flags: dml.TensorFlags = OWNED) -> dml.Expression:
        data = self.weights[name]
        return self.input(data, dml.TensorDesc(FLOAT32, flags, list(sizes or data.shape)))

    def channels(self, name: str, flags: dml.TensorFlags = OWNED) -> dml.Expression:
        """A number for each channel."""
        return self.weight(name, [1, self.weights[name].size, 1, 1], flags)

    def convolution(self, x: dml.Expression, name: str, **options: Any) -> dml.Expression:
        return dml.convolution(x, self.weight(f"{name}_weight"), self.channels(f"{name}_bias"), **options)

    def result(self, output: dml.Expression) -> np.ndarray[Any, Any]:
        model = self.builder.build(dml.ExecutionFlags.NONE, [output])
        return np.array(self.device.compute(model, self.bindings, [output])[0], np.float32)


def mnist(image: np.ndarray[Any, Any], weights: Weights) -> np.ndarray[Any, Any]:
    """The probability of each digit."""
    program = Program(weights)
    x = program.input(image, dml.TensorDesc(FLOAT32, [1, 1, 28, 28]))
    for number, (filters, sums, size, window) in enumerate(
        [("Parameter5", "Parameter6", 28, 2), ("Parameter87", "Parameter88", 14, 3)]
    ):
        count = weights[filters].shape[0]
        zero = program.input(np.zeros([1, count, 1, 1]), dml.TensorDesc(FLOAT32, OWNED, [1, count, 1, 1]))
        filter = program.weight(filters)
        x = dml.convolution(x, filter, zero, strides=[1, 1], start_padding=[2, 2], end_padding=[2, 2])
        spread = dml.TensorDesc(FLOAT32, [1, count, size, size], [count, 1, 0, 0])
        x = dml.activation_relu(dml.add(x, program.input(weights[sums], spread)))
        x = dml.max_pooling(x, strides=[window, window], window_sizes=[window, window]).values
        assert number < 2
    flat = dml.reinterpret(x, FLOAT32, [1, 1, 1, 256], [256, 256, 256, 1])
    matrix = dml.activation_identity(program.weight("Parameter193"))
    matrix = dml.reinterpret(matrix, FLOAT32, [1, 1, 256, 10], [2560, 2560, 10, 1])
    scores = dml.add(dml.gemm(flat, matrix), program.weight("Parameter194", [1, 1, 1, 10]))
    return program.result(dml.activation_soft_max(scores))


def squeezenet(image: np.ndarray[Any, Any], weights: Weights) -> np.ndarray[Any, Any]:
    """The probability of each of 1000 classes."""
    program = Program(weights)
    x = program.input(image, dml.TensorDesc(FLOAT32, [1, 3, 224, 224]))
    convolution = program.convolution
    x = convolution(x, "squeezenet0_conv0", strides=[2, 2], fused_activation=RELU)
    number = 1
    for fire in range(8):
        if fire in (0, 2, 4):
            x = dml.max_pooling(x, window_sizes=[3, 3], strides=[2, 2]).values
        squeezed = convolution(x, f"squeezenet0_conv{number}", fused_activation=RELU)
        one = convolution(squeezed, f"squeezenet0_conv{number + 1}", fused_activation=RELU)
        padded = {"start_padding": [1, 1], "end_padding": [1, 1]}
        three = convolution(squeezed, f"squeezenet0_conv{number + 2}", fused_activation=RELU, **padded)
        x = dml.join([one, three], 1)
        number += 3
    x = convolution(x, "squeezenet0_conv25", fused_activation=RELU)
    x = dml.average_pooling(x, [13, 13], [13, 13], [0, 0], [0, 0], False)
    return program.result(dml.activation_soft_max(dml.reinterpret(x, FLOAT32, [1, 1, 1, 1000], None)))


def style_transfer(image: np.ndarray[Any, Any], weights: Weights) -> np.ndarray[Any, Any]:
    """Reflected borders, instance normalization, residual blocks, and two ways up: transposed filters and nearest."""
    program = Program(weights)
    x = program.input(image, dml.TensorDesc(FLOAT32, [1, 3, *image.shape[2:]]))
    x = dml.value_scale_2d(x, 1.0, [-103.939, -116.779, -123.68])
    x = dml.padding(x, dml.PaddingMode.REFLECTION, 0.0, [0, 0, 4, 4], [0, 0, 4, 4])

    def normalized(y: dml.Expression, name: str, fused: dml.FusedActivation | None = None) -> dml.Expression:
        scale, bias = program.channels(f"{name}_scale", dml.TensorFlags.NONE), program.channels(f"{name}_shift")
        return dml.mean_variance_normalization(y, scale, bias, [0, 2, 3], True, True, 1e-5, fused)

    x = normalized(program.convolution(x, "first"), "first", RELU)
    x = normalized(
        program.convolution(x, "down", strides=[2, 2], start_padding=[1, 1], end_padding=[1, 1]), "down", RELU
    )
    inner = normalized(program.convolution(x, "residual1"), "residual1", RELU)
    inner = normalized(program.convolution(inner, "residual2"), "residual2")
    sizes = list(inner.get_output_desc().sizes)
    x = dml.add(inner, dml.slice(x, [0, 0, 2, 2], sizes, [1, 1, 1, 1]))
    backward = dml.ConvolutionDirection.BACKWARD
    up = [1, weights["up_weight"].shape[1], sizes[2] * 2 + 1, sizes[3] * 2 + 1]
    x = program.convolution(x, "up", direction=backward, strides=[2, 2], output_sizes=up)
    x = normalized(dml.slice(x, [0, 0, 1, 1], [1, up[1], up[2] - 1, up[3] - 1], [1, 1, 1, 1]), "up", RELU)
    x = dml.up_sample_2d(x, dml.Size2D(2, 2), dml.InterpolationMode.NEAREST_NEIGHBOR)
    tanh = dml.FusedActivation(dml.OperatorType.ACTIVATION_TANH)
    x = program.convolution(x, "last", start_padding=[1, 1], end_padding=[1, 1], fused_activation=tanh)
    x = dml.activation_linear(x, 150, 0)
    spread = dml.TensorDesc(FLOAT32, list(x.get_output_desc().sizes), [3, 1, 0, 0])
    return program.result(dml.add(x, program.input(weights["mean"], spread)))


def mobilenet(image: np.ndarray[Any, Any], weights: Weights) -> np.ndarray[Any, Any]:
    """Bottlenecks of depthwise convolutions with batch normalization; scores of classes."""
    program = Program(weights)
    x = program.input(image, dml.TensorDesc(FLOAT32, [1, 3, *image.shape[2:]]))

    def layer(y: dml.Expression, name: str, fused: dml.FusedActivation | None = RELU, **options: Any) -> dml.Expression:
        count = weights[f"{name}_weight"].shape[0]
        zero = program.input(np.zeros([1, count, 1, 1]), dml.TensorDesc(FLOAT32, OWNED, [1, count, 1, 1]))
        y = dml.convolution(y, program.weight(f"{name}_weight"), zero, **options)
        names = [f"{name}_{each}" for each in ("mean", "variance", "scale", "shift")]
        statistics = [program.channels(each, dml.TensorFlags.NONE) for each in names]
        return dml.batch_normalization(y, *statistics, 1, 1e-5, *([] if fused is None else [fused]))  # type: ignore[arg-type]

    padded = {"start_padding": [1, 1], "end_padding": [1, 1]}
    x = layer(x, "first", strides=[2, 2], **padded)
    for block, stride in enumerate([1, 2, 1]):
        wide = layer(x, f"block{block}_expand")
        groups = weights[f"block{block}_depth_weight"].shape[0]
        deep = layer(wide, f"block{block}_depth", strides=[stride, stride], group_count=groups, **padded)
        narrow = layer(deep, f"block{block}_project", None)
        x = dml.add(x, narrow) if block == 2 else narrow
    size = list(x.get_output_desc().sizes[2:])
    x = dml.average_pooling(x, [1, 1], size, [0, 0], [0, 0], True)
    classes = weights["classes"].shape[0]
    flat = dml.reinterpret(x, FLOAT32, [1, 1, 1, weights["classes"].shape[1]], None)
    matrix = program.weight("classes", [1, 1, *weights["classes"].shape])
    transposed = dml.MatrixTransform.TRANSPOSE
    scores = dml.gemm(flat, matrix, program.weight("shift", [1, 1, 1, classes]), trans_b=transposed)
    return program.result(scores)


def super_resolution(image: np.ndarray[Any, Any], weights: Weights, factor: int = 3) -> np.ndarray[Any, Any]:
    """A larger image: convolutions, then depth to space by strides alone (a join of views)."""
    program = Program(weights)
    height, width = image.shape[2:]
    x = program.input(image, dml.TensorDesc(FLOAT32, [1, 1, height, width]))
    for name in ("conv1", "conv2", "conv3"):
        border = weights[f"{name}_weight"].shape[2] // 2
        padded = {"start_padding": [border, border], "end_padding": [border, border]}
        x = program.convolution(x, name, fused_activation=RELU, **padded)
    # Depth to space: [1, r * r, H, W] as memory of [r, r, H, W], read as [H, r, W, r].
    area = height * width
    strides = [width, factor * area, 1, area]
    x = dml.activation_identity(dml.reinterpret(x, FLOAT32, [height, factor, width, factor], strides))
    large = [1, 1, height * factor, width * factor]
    return program.result(dml.activation_identity(dml.reinterpret(x, FLOAT32, large, None)))
