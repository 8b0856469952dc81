"""CONVOLUTION: one to three spatial dimensions, both directions, groups."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any

from anydml.core.attributes import Array, Enumeration, Integer
from anydml.core.enums import ConvolutionDirection, ConvolutionMode
from anydml.core.errors import Violation, counted
from anydml.core.fusion import Activation
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Operator, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.elementwise import activated
from anydml.operators.pooling import reached
from anydml.operators.types import FLOAT_16_32

COUNT = rule(
    "convolution.dimension-count",
    "There is a stride, a dilation and the paddings for each spatial dimension: two fewer than the tensor has.",
)
STEP = rule("convolution.step", "Strides and dilations are at least 1.")
GROUPS = rule(
    "convolution.groups", "Groups share the channels evenly: input channels are the filter's times the groups."
)
WINDOW = rule("convolution.window", "The filter fits into the padded input.")
BIAS = rule("convolution.bias", "The bias has one value an output channel: sizes {1, channels, 1, ...}.")
_ACTIVATION = Activation({"ELEMENT_WISE_CLIP": "6.0"})
_FLOATS = {"1.0": FLOAT_16_32}
_EACH = Array(Integer())


class Convolution(Operator, since="1.0", id=53):
    """Slides a filter over the input (FORWARD), or spreads the input through it (BACKWARD)."""

    rank = {"1.0": (4, 5), "4.0": (3, 5)}
    input_tensor: TensorDesc = tensor_input(_FLOATS)
    filter_tensor: TensorDesc = tensor_input(_FLOATS)
    bias_tensor: TensorDesc | None = tensor_input(_FLOATS, optional=True)
    output_tensor: TensorDesc = tensor_output(_FLOATS)
    mode: ConvolutionMode = attribute(Enumeration(ConvolutionMode))
    direction: ConvolutionDirection = attribute(Enumeration(ConvolutionDirection))
    strides: tuple[int, ...] = attribute(_EACH, length="DimensionCount")
    dilations: tuple[int, ...] = attribute(_EACH, length="DimensionCount")
    start_padding: tuple[int, ...] = attribute(_EACH, length="DimensionCount")
    end_padding: tuple[int, ...] = attribute(_EACH, length="DimensionCount")
    output_padding: tuple[int, ...] = attribute(_EACH, length="DimensionCount")
    group_count: int = attribute(Integer())
    fused_activation: Operator | None = attribute(_ACTIVATION, optional=True)
    same = (same("input_tensor filter_tensor bias_tensor output_tensor", "DataType DimensionCount"),)

    @property
    def is_forward(self) -> bool:
        return self.direction is ConvolutionDirection.FORWARD

    @property
    def _extents(self) -> tuple[int, ...]:
        """How far the dilated filter reaches along each spatial dimension."""
        spatial = zip(self.filter_tensor.sizes[2:], self.dilations, strict=True)
        return tuple(1 + (size - 1) * dilation for size, dilation in spatial)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        yield from _ACTIVATION.check(self.fused_activation, level, "FusedActivation")
        spatial = self.input_tensor.rank - 2
        if len(self.strides) != spatial:
            expected = f"{spatial}, one for each spatial dimension"
            yield COUNT("DimensionCount", counted(len(self.strides), "value"), expected, counted(spatial, "value"))
            return
        for name, values in (("Strides", self.strides), ("Dilations", self.dilations)):
            for i, value in enumerate(values):
                if value < 1:
                    yield STEP(f"{name}[{i}]", value, "at least 1", "1")
        yield from self._check_channels()
        yield from self._check_window()

    def _check_channels(self) -> Iterator[Violation]:
        channels, groups = self.input_tensor.sizes[1], self.group_count
        batch, depth = self.filter_tensor.sizes[:2]
        if groups < 1:
            yield GROUPS("GroupCount", groups, "at least 1", "1")
            return
        taken = depth * groups if self.is_forward else batch
        if taken != channels:
            path = "FilterTensor.Sizes[1]" if self.is_forward else "FilterTensor.Sizes[0]"
            wanted = channels // groups if self.is_forward else channels
            found = f"{depth if self.is_forward else batch} with {groups} groups"
            yield GROUPS(path, found, f"{wanted}, for {channels} input channels", str(wanted))
        if batch % groups:
            yield GROUPS("FilterTensor.Sizes[0]", batch, f"a multiple of GroupCount {groups}")
        outputs = self._output_channels()
        if self.bias_tensor is not None and self.bias_tensor.sizes != (
            1,
            outputs,
            *(1,) * (self.input_tensor.rank - 2),
        ):
            expected = (1, outputs, *(1,) * (self.input_tensor.rank - 2))
            yield BIAS("BiasTensor.Sizes", self.bias_tensor.sizes, expected, str(list(expected)))

    def _check_window(self) -> Iterator[Violation]:
        if min(self.strides + self.dilations) < 1:
            return
        for i, size in enumerate(self._spatial_sizes()):
            if self.is_forward:
                size -= self.output_padding[i]  # zeros after the result make no room for a window
            if size < 1:
                found = f"an output size of {size}"
                yield WINDOW(f"FilterTensor.Sizes[{i + 2}]", found, "at least 1", "more padding or a smaller filter")

    def _output_channels(self) -> int:
        batch, depth = self.filter_tensor.sizes[:2]
        return batch if self.is_forward else depth * self.group_count

    def _spatial_sizes(self) -> tuple[int, ...]:
        rows = zip(
            self.input_tensor.sizes[2:],
            self._extents,
            self.strides,
            self.start_padding,
            self.end_padding,
            self.output_padding,
            strict=True,
        )
        if self.is_forward:
            return tuple((n + a + b - e) // s + 1 + extra for n, e, s, a, b, extra in rows)
        return tuple((n - 1) * s + e - a - b + extra for n, e, s, a, b, extra in rows)

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": (self.input_tensor.sizes[0], self._output_channels(), *self._spatial_sizes())}

    def compute(self, xp: Any, input_tensor: Any, filter_tensor: Any, bias_tensor: Any = None) -> Any:
        if self.mode is ConvolutionMode.CONVOLUTION:
            filter_tensor = xp.flip(filter_tensor, axis=tuple(range(2, filter_tensor.ndim)))
        work = self._forward if self.is_forward else self._backward
        result = work(xp, input_tensor, filter_tensor)
        if bias_tensor is not None:
            result = result + bias_tensor
        return activated(xp, result, self.fused_activation)

    def _taps(self) -> Iterator[tuple[int, ...]]:
        """Every element of the filter."""
        return product(*(range(size) for size in self.filter_tensor.sizes[2:]))

    def _starts(self, tap: tuple[int, ...]) -> list[int]:
        """Where, seen from the unpadded tensor, the first window has this element of the filter."""
        return [k * d - before for k, d, before in zip(tap, self.dilations, self.start_padding, strict=True)]

    def _forward(self, xp: Any, x: Any, weights: Any) -> Any:
        """A matrix product over (channel, tap) of the windows, group by group."""
        count, groups = x.shape[0], self.group_count
        sizes = [n - extra for n, extra in zip(self._spatial_sizes(), self.output_padding, strict=True)]
        columns = xp.zeros((count, x.shape[1], prod(self.filter_tensor.sizes[2:]), *sizes), x.dtype)
        for k, tap in enumerate(self._taps()):
            windows, read = reached(self._starts(tap), self.strides, sizes, x.shape[2:])
            columns[(slice(None), slice(None), k, *windows)] = x[(slice(None), slice(None), *read)]
        columns = columns.reshape(count, groups, -1, prod(sizes))
        matrix = weights.reshape(groups, weights.shape[0] // groups, -1)
        result = xp.matmul(matrix[None], columns).reshape(count, weights.shape[0], *sizes)
        return xp.pad(result, [(0, 0), (0, 0), *((0, extra) for extra in self.output_padding)])

    def _backward(self, xp: Any, x: Any, weights: Any) -> Any:
        """Each input element, times the filter, is added where a forward window would have read it."""
        count, groups, sizes = x.shape[0], self.group_count, x.shape[2:]
        outputs = self._output_channels()
        grouped = x.reshape(count, groups, -1, prod(sizes))
        matrix = weights.reshape(groups, weights.shape[0] // groups, -1, *weights.shape[2:])
        result = xp.zeros((count, outputs, *self._spatial_sizes()), x.dtype)
        for tap in self._taps():
            part = xp.matmul(matrix[(..., *tap)].swapaxes(1, 2)[None], grouped).reshape(count, outputs, *sizes)
            taken, written = reached(self._starts(tap), self.strides, sizes, result.shape[2:])
            result[(slice(None), slice(None), *written)] += part[(slice(None), slice(None), *taken)]
        return result
