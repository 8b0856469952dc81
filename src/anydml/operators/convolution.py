"""CONVOLUTION: one to three spatial dimensions, both directions, groups."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

from anydml.core.enums import ConvolutionDirection, ConvolutionMode
from anydml.core.errors import Violation, counted
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import (
    Enumeration,
    Integer,
    Operator,
    attribute,
    per_dimension,
    same,
    tensor_input,
    tensor_output,
)
from anydml.core.schema.fusion import Activation
from anydml.core.tensor import TensorDesc
from anydml.operators.fused import apply_activation
from anydml.operators.sliding import reached
from anydml.operators.types import FLOAT_16_32

GROUPS = rule(
    "convolution.groups", "Groups share the channels evenly: input channels are the filter's times the groups."
)
WINDOW = rule("convolution.window", "The filter fits into the padded input.")
_ACTIVATION = Activation({"ELEMENT_WISE_CLIP": "6.0"})
_FLOATS = {"1.0": FLOAT_16_32}
_STEP = Integer(minimum=1)


class FilterOperator(Operator, abstract=True):
    """What sliding a filter over an input has in common: sizes, rules, and the program of the forward direction."""

    input_tensor: TensorDesc
    filter_tensor: TensorDesc
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    start_padding: tuple[int, ...]
    end_padding: tuple[int, ...]
    group_count: int

    @property
    def is_forward(self) -> bool:
        return True

    @property
    def _output_padding(self) -> tuple[int, ...]:
        return (0,) * len(self.strides)

    @property
    def _extents(self) -> tuple[int, ...]:
        """How far the dilated filter reaches along each spatial dimension."""
        spatial = zip(self.filter_tensor.sizes[2:], self.dilations, strict=True)
        return tuple(1 + (size - 1) * dilation for size, dilation in spatial)

    @property
    def batch(self) -> int:
        return self.input_tensor.sizes[0]

    @property
    def output_channels(self) -> int:
        batch, depth = self.filter_tensor.sizes[:2]
        return batch if self.is_forward else depth * self.group_count

    @property
    def output_sizes(self) -> tuple[int, ...]:
        """The output's spatial sizes."""
        rows = zip(
            self.input_tensor.sizes[2:],
            self._extents,
            self.strides,
            self.start_padding,
            self.end_padding,
            self._output_padding,
            strict=True,
        )
        if self.is_forward:
            return tuple((n + a + b - e) // s + 1 + extra for n, e, s, a, b, extra in rows)
        return tuple((n - 1) * s + e - a - b + extra for n, e, s, a, b, extra in rows)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        channels, groups = self.input_tensor.sizes[1], self.group_count
        filters, depth = self.filter_tensor.sizes[:2]
        if channels % groups:
            split = f"{channels} channels cannot be split into {groups} groups"
            fitting = channels // depth if channels % depth == 0 and filters % (channels // depth) == 0 else 1
            yield GROUPS("GroupCount", groups, f"a divisor of {channels}: {split}", Use(fitting))
        elif self.is_forward and depth * groups != channels:
            wanted = channels // groups
            found = f"{depth} with {counted(groups, 'group')}"
            yield GROUPS("FilterTensor.Sizes[1]", found, f"{wanted}, for {channels} input channels", Use(wanted))
        elif not self.is_forward and filters != channels:
            found = f"{filters} with {counted(groups, 'group')}"
            yield GROUPS("FilterTensor.Sizes[0]", found, f"{channels}, the input channels", Use(channels))
        if filters % groups:
            yield GROUPS("FilterTensor.Sizes[0]", filters, f"a multiple of GroupCount {groups}")
        yield from self._check_window()

    def _check_window(self) -> Iterator[Violation]:
        for i, size in enumerate(self.output_sizes):
            if self.is_forward:
                size -= self._output_padding[i]  # zeros after the result make no room for a window
            if size < 1:
                found = f"an output size of {size}"
                yield WINDOW(f"FilterTensor.Sizes[{i + 2}]", found, "at least 1", "more padding or a smaller filter")

    def _taps(self) -> Iterator[tuple[int, ...]]:
        """Every element of the filter."""
        return product(*(range(size) for size in self.filter_tensor.sizes[2:]))

    def _starts(self, tap: tuple[int, ...]) -> list[int]:
        """Where, seen from the unpadded tensor, the first window has this element of the filter."""
        return [k * d - before for k, d, before in zip(tap, self.dilations, self.start_padding, strict=True)]

    def forward(self, xp: Any, x: Any, weights: Any) -> Any:
        """For each element of the filter, a matrix product over channels, group by group, added up."""
        count, groups = x.shape[0], self.group_count
        sizes = [n - extra for n, extra in zip(self.output_sizes, self._output_padding, strict=True)]
        matrix = weights.reshape(groups, weights.shape[0] // groups, -1, *weights.shape[2:])
        result = xp.zeros((count, weights.shape[0], *self.output_sizes), x.dtype)
        for tap in self._taps():
            windows, read = reached(self._starts(tap), self.strides, sizes, x.shape[2:])
            window = x[(slice(None), slice(None), *read)]
            if window.size:
                part = xp.matmul(matrix[(..., *tap)][None], window.reshape(count, groups, matrix.shape[2], -1))
                result[(slice(None), slice(None), *windows)] += part.reshape(*result.shape[:2], *window.shape[2:])
        return result


class Convolution(FilterOperator, since="1.0", id=53):
    """Slides a filter over the input (FORWARD), or spreads the input through it (BACKWARD).

    FORWARD: y[o] = activation(bias + the sum over channels and k of x[o * stride + k * dilation - padding] * w[k]).
    BACKWARD adds x[i] * w[k] to y[i * stride + k * dilation - padding] instead. CONVOLUTION mirrors the filter.
    """

    rank = {"1.0": (4, 5), "4.0": (3, 5)}
    input_tensor: TensorDesc = tensor_input(_FLOATS)
    filter_tensor: TensorDesc = tensor_input(_FLOATS)
    bias_tensor: TensorDesc | None = tensor_input(_FLOATS, optional=True)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    mode: ConvolutionMode = attribute(Enumeration(ConvolutionMode), default=ConvolutionMode.CROSS_CORRELATION)
    direction: ConvolutionDirection = attribute(Enumeration(ConvolutionDirection), default=ConvolutionDirection.FORWARD)
    strides: tuple[int, ...] = per_dimension("input_tensor", _STEP, skip=2, default=1)
    dilations: tuple[int, ...] = per_dimension("input_tensor", _STEP, skip=2, default=1)
    start_padding: tuple[int, ...] = per_dimension("input_tensor", Integer(), skip=2, default=0)
    end_padding: tuple[int, ...] = per_dimension("input_tensor", Integer(), skip=2, default=0)
    output_padding: tuple[int, ...] = per_dimension("input_tensor", Integer(), skip=2, default=0)
    group_count: int = attribute(_STEP, default=1)
    fused_activation: Operator | None = attribute(_ACTIVATION, optional=True)
    same = (same("input_tensor filter_tensor bias_tensor output_tensor", "DataType DimensionCount"),)
    sizes_of = {"bias_tensor": "1 output_channels 1*", "output_tensor": "batch output_channels *output_sizes"}

    @property
    def is_forward(self) -> bool:
        return self.direction is ConvolutionDirection.FORWARD

    @property
    def _output_padding(self) -> tuple[int, ...]:
        return self.output_padding

    def compute(self, xp: Any, input_tensor: Any, filter_tensor: Any, bias_tensor: Any = None) -> Any:
        if self.mode is ConvolutionMode.CONVOLUTION:
            filter_tensor = xp.flip(filter_tensor, axis=tuple(range(2, filter_tensor.ndim)))
        work = self.forward if self.is_forward else self._backward
        result = work(xp, input_tensor, filter_tensor)
        if bias_tensor is not None:
            result = result + bias_tensor
        return apply_activation(xp, result, self.fused_activation)

    def _backward(self, xp: Any, x: Any, weights: Any) -> Any:
        """Each input element, times the filter, is added where a forward window would have read it."""
        count, groups, sizes = x.shape[0], self.group_count, x.shape[2:]
        outputs = self.output_channels
        grouped = x.reshape(count, groups, -1, prod(sizes))
        matrix = weights.reshape(groups, weights.shape[0] // groups, -1, *weights.shape[2:])
        result = xp.zeros((count, outputs, *self.output_sizes), x.dtype)
        for tap in self._taps():
            part = xp.matmul(matrix[(..., *tap)].swapaxes(1, 2)[None], grouped).reshape(count, outputs, *sizes)
            taken, written = reached(self._starts(tap), self.strides, sizes, result.shape[2:])
            result[(slice(None), slice(None), *written)] += part[(slice(None), slice(None), *taken)]
        return result
