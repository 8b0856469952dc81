"""RESAMPLE in all versions, and its gradients: tensors of other sizes, scaled along any dimension."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, isfinite
from typing import Any

from anydml.core.enums import AxisDirection, InterpolationMode
from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import (
    Boolean,
    Enumeration,
    Float,
    Operator,
    attribute,
    per_dimension,
    same,
    tensor_input,
    tensor_output,
)
from anydml.core.tensor import TensorDesc
from anydml.operators.interpolation import Scaling, Taps, by_growth, cut_off, resample, spread
from anydml.operators.types import FLOAT_16_32, INTEGERS_8

SCALE = rule("resample.scale", "Every scale is a finite number above 0.")
OFFSET = rule("resample.offset", "Pixel offsets are finite numbers.")
_FLOAT_DIGITS = 2.0**-24

_Numbers = tuple[float, ...]
_INCREASING, _NEAREST = AxisDirection.INCREASING, InterpolationMode.NEAREST_NEIGHBOR


class _Resample(Operator, abstract=True):
    """What all versions have in common: a scale and two offsets for each dimension."""

    same = (same("input_tensor output_tensor", "DataType DimensionCount"),)
    partial_outputs = True
    input_tensor: TensorDesc
    output_tensor: TensorDesc
    interpolation_mode: InterpolationMode
    scales: _Numbers

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        return _check_numbers(self)

    def infer(self) -> dict[str, tuple[int, ...]]:
        """Sizes times scales, rounded down; outputs may also be smaller (cropped) or larger (edges are held)."""
        # A scale such as 0.7 is a little less than that as a float: 10 * 0.7 is meant to be 7.
        scaled = (
            size * scale * (1 + _FLOAT_DIGITS) for size, scale in zip(self.input_tensor.sizes, self.scales, strict=True)
        )
        return {"output_tensor": tuple(max(floor(size), 1) for size in scaled)}


def _check_numbers(operator: Any) -> Iterator[Violation]:
    for i, scale in enumerate(operator.scales):
        if not (isfinite(scale) and scale > 0):
            yield SCALE(f"Scales[{i}]", scale, "a finite number above 0", Use(1.0))
    for name in ("input_pixel_offsets", "output_pixel_offsets"):
        for i, offset in enumerate(getattr(operator, name, ())):
            if not isfinite(offset):
                yield OFFSET(f"{operator.fields[name].dml_name}[{i}]", offset, "a finite number", Use(0.0))


def _nearest_by_rounding_up(mode: InterpolationMode, offsets: Sequence[float]) -> _Numbers:
    """Input offsets with which rounding up finds the nearest element, and of two that are equally near the first."""
    return tuple(offset + 0.5 for offset in offsets) if mode is _NEAREST else tuple(offsets)


class Resample3(_Resample, since="6.4", id=175):
    """RESAMPLE2 with a filter against aliasing: where an axis shrinks, all its elements count."""

    rank = {"6.4": (1, 4)}
    input_tensor: TensorDesc = tensor_input({"6.4": FLOAT_16_32 | INTEGERS_8})
    output_tensor: TensorDesc = tensor_output({"6.4": FLOAT_16_32 | INTEGERS_8})
    interpolation_mode: InterpolationMode = attribute(Enumeration(InterpolationMode))
    rounding_direction: AxisDirection = attribute(Enumeration(AxisDirection), default=_INCREASING)
    scales: _Numbers = per_dimension("input_tensor", Float())
    input_pixel_offsets: _Numbers = per_dimension("input_tensor", Float(), default=0.5)
    output_pixel_offsets: _Numbers = per_dimension("input_tensor", Float(), default=-0.5)
    antialiased: bool = attribute(Boolean(), default=False)

    def taps(self, xp: Any) -> list[tuple[int, Taps]]:
        """For each dimension that changes, what its elements are made of."""
        sizes = zip(self.input_tensor.sizes, self.output_tensor.sizes, strict=True)
        numbers = zip(self.scales, self.input_pixel_offsets, self.output_pixel_offsets, strict=True)
        scalings = [Scaling(*size, *number) for size, number in zip(sizes, numbers, strict=True)]
        return [(axis, self._taps(xp, scaling)) for axis, scaling in by_growth(scalings)]

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        axes = self.taps(xp)
        if self.interpolation_mode is _NEAREST or input_tensor.dtype.kind == "f":
            return resample(xp, input_tensor, axes)
        return cut_off(xp, resample(xp, input_tensor.astype(xp.float64), axes))

    def _taps(self, xp: Any, scaling: Scaling) -> Taps:
        if self.interpolation_mode is _NEAREST:
            return scaling.nearest(xp, self.rounding_direction)
        return scaling.antialiased(xp) if self.antialiased and scaling.scale < 1 else scaling.linear(xp)


class Resample2(_Resample, since="5.1", id=161):
    """Another size of each dimension by interpolation between elements, or by rounding to one of them up or down."""

    rank = {"5.1": (1, 4)}
    input_tensor: TensorDesc = tensor_input({"5.1": FLOAT_16_32, "6.2": FLOAT_16_32 | INTEGERS_8})
    output_tensor: TensorDesc = tensor_output({"5.1": FLOAT_16_32, "6.2": FLOAT_16_32 | INTEGERS_8})
    interpolation_mode: InterpolationMode = attribute(Enumeration(InterpolationMode))
    rounding_direction: AxisDirection = attribute(Enumeration(AxisDirection), default=_INCREASING)
    scales: _Numbers = per_dimension("input_tensor", Float())
    input_pixel_offsets: _Numbers = per_dimension("input_tensor", Float(), default=0.5)
    output_pixel_offsets: _Numbers = per_dimension("input_tensor", Float(), default=-0.5)

    def equivalent(self) -> Operator:
        return Resample3(**self.values(), antialiased=False)


class Resample1(_Resample, since="2.1", id=116):
    """Another size of each dimension by interpolation between elements, or by the nearest of them.

    Output element o lies at (o - output offset) / scale - input offset of the input; edges are held.
    """

    rank = {"2.1": (4, 4), "5.1": (1, 4)}
    input_tensor: TensorDesc = tensor_input({"2.1": FLOAT_16_32, "6.2": FLOAT_16_32 | INTEGERS_8})
    output_tensor: TensorDesc = tensor_output({"2.1": FLOAT_16_32, "6.2": FLOAT_16_32 | INTEGERS_8})
    interpolation_mode: InterpolationMode = attribute(Enumeration(InterpolationMode))
    scales: _Numbers = per_dimension("input_tensor", Float())
    input_pixel_offsets: _Numbers = per_dimension("input_tensor", Float(), default=0.5)
    output_pixel_offsets: _Numbers = per_dimension("input_tensor", Float(), default=-0.5)

    def equivalent(self) -> Operator:
        offsets = _nearest_by_rounding_up(self.interpolation_mode, self.input_pixel_offsets)
        return Resample3(**self.values() | {"input_pixel_offsets": offsets})


class Resample(_Resample, since="2.0", id=96):
    """Another size of each dimension, seen from the centres of pixels."""

    rank = {"2.0": (4, 4), "5.1": (1, 4)}
    input_tensor: TensorDesc = tensor_input({"2.0": FLOAT_16_32, "6.2": FLOAT_16_32 | INTEGERS_8})
    output_tensor: TensorDesc = tensor_output({"2.0": FLOAT_16_32, "6.2": FLOAT_16_32 | INTEGERS_8})
    interpolation_mode: InterpolationMode = attribute(Enumeration(InterpolationMode))
    scales: _Numbers = per_dimension("input_tensor", Float(), length="ScaleCount")

    def equivalent(self) -> Operator:
        offsets = _nearest_by_rounding_up(self.interpolation_mode, (0.5,) * len(self.scales))
        return Resample3(**self.values(), input_pixel_offsets=offsets)


class _ResampleGrad(Operator, abstract=True):
    """What the gradients have in common."""

    same = (same("input_gradient_tensor output_gradient_tensor", "DataType DimensionCount"),)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        return _check_numbers(self)


class ResampleGrad1(_ResampleGrad, since="5.1", id=162):
    """The gradient of RESAMPLE2: each element's gradient goes to those it was made of, by their weights."""

    rank = {"5.1": (1, 4)}
    input_gradient_tensor: TensorDesc = tensor_input({"5.1": FLOAT_16_32})
    output_gradient_tensor: TensorDesc = tensor_output({"5.1": FLOAT_16_32})
    interpolation_mode: InterpolationMode = attribute(Enumeration(InterpolationMode))
    rounding_direction: AxisDirection = attribute(Enumeration(AxisDirection), default=_INCREASING)
    scales: _Numbers = per_dimension("input_gradient_tensor", Float())
    input_pixel_offsets: _Numbers = per_dimension("input_gradient_tensor", Float(), default=0.5)
    output_pixel_offsets: _Numbers = per_dimension("input_gradient_tensor", Float(), default=-0.5)

    def compute(self, xp: Any, input_gradient_tensor: Any) -> Any:
        sizes = zip(self.output_gradient_tensor.sizes, self.input_gradient_tensor.sizes, strict=True)
        numbers = zip(self.scales, self.input_pixel_offsets, self.output_pixel_offsets, strict=True)
        scalings = [Scaling(*size, *number) for size, number in zip(sizes, numbers, strict=True)]
        axes = [(axis, self._taps(xp, scaling), scaling.size) for axis, scaling in reversed(by_growth(scalings))]
        return spread(xp, input_gradient_tensor, axes)

    def _taps(self, xp: Any, scaling: Scaling) -> Taps:
        is_nearest = self.interpolation_mode is _NEAREST
        return scaling.nearest(xp, self.rounding_direction) if is_nearest else scaling.linear(xp)


class ResampleGrad(_ResampleGrad, since="3.0", id=134):
    """The gradient of RESAMPLE1: each element's gradient goes to those it was made of, by their weights."""

    rank = {"3.0": (4, 4), "5.1": (1, 4)}
    input_gradient_tensor: TensorDesc = tensor_input({"3.0": FLOAT_16_32})
    output_gradient_tensor: TensorDesc = tensor_output({"3.0": FLOAT_16_32})
    interpolation_mode: InterpolationMode = attribute(Enumeration(InterpolationMode))
    scales: _Numbers = per_dimension("input_gradient_tensor", Float())
    input_pixel_offsets: _Numbers = per_dimension("input_gradient_tensor", Float(), default=0.5)
    output_pixel_offsets: _Numbers = per_dimension("input_gradient_tensor", Float(), default=-0.5)

    def equivalent(self) -> Operator:
        offsets = _nearest_by_rounding_up(self.interpolation_mode, self.input_pixel_offsets)
        return ResampleGrad1(**self.values() | {"input_pixel_offsets": offsets})
