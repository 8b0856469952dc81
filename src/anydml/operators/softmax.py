"""SOFTMAX, LOG_SOFTMAX and HARDMAX: along the last dimension or, the newer ones, over any axes."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from anydml.core.errors import Violation
from anydml.core.fixes import Advice
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import Axes, Operator, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.elementwise import ANY_RANK, FLOATS

ROWS = rule("softmax.rows", "The older softmax operators take at most two dimensions beyond leading sizes of 1.")


def softmax(xp: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """e^x over its sum; shifted by the largest, so that e is raised to no positive power."""
    powers = xp.exp(x - xp.max(x, axis=axes, keepdims=True))
    return powers / xp.sum(powers, axis=axes, keepdims=True)


def log_softmax(xp: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """x minus the logarithm of the sum of e^x, shifted by the largest."""
    shifted = x - xp.max(x, axis=axes, keepdims=True)
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=axes, keepdims=True))


def hardmax(xp: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """1 at the first largest element, 0 elsewhere; the axes count as one, in row-major order."""
    ordered = tuple(sorted(axes))
    kept = tuple(axis for axis in range(x.ndim) if axis not in ordered)
    moved = xp.transpose(x, kept + ordered)
    count = prod(x.shape[axis] for axis in ordered)
    rows = moved.reshape([x.shape[axis] for axis in kept] + [count])
    is_first = xp.arange(count) == xp.expand_dims(xp.argmax(rows, axis=-1), -1)
    places = [(kept + ordered).index(axis) for axis in range(x.ndim)]
    return xp.transpose(is_first.reshape(moved.shape), places).astype(x.dtype)


class _OfRows(Operator, abstract=True):
    """Along the last dimension."""

    rank = {"1.0": (4, 4), "2.0": (4, 5), "3.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input(FLOATS)
    output_tensor: TensorDesc = tensor_output(FLOATS)
    same = (same("input_tensor output_tensor", "DataType DimensionCount Sizes"),)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        leading = () if self.is_fused else self.input_tensor.sizes[:-2]
        if any(size != 1 for size in leading):
            expected = f"sizes of 1 before the last two, not {leading}"
            last = self.input_tensor.rank - 1
            fix = Advice(f"{type(self).__name__}1 with axes=[{last}]", f"{self.dml_type}1 with Axes [{last}]")
            yield ROWS("InputTensor.Sizes", self.input_tensor.sizes, expected, fix)


class ActivationSoftmax(_OfRows, since="1.0", id=48):
    """e^x divided by the sum of e^x along the last dimension."""

    fusable = True
    fuses_anywhere = False

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        return softmax(xp, input_tensor, (input_tensor.ndim - 1,))


class ActivationLogSoftmax(_OfRows, since="1.0", id=41):
    """The logarithm of SOFTMAX: x - ln(the sum of e^x along the last dimension)."""

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        return log_softmax(xp, input_tensor, (input_tensor.ndim - 1,))


class ActivationHardmax(_OfRows, since="1.0", id=36):
    """1 at the first largest element along the last dimension, 0 elsewhere."""

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        return hardmax(xp, input_tensor, (input_tensor.ndim - 1,))


class _OfAxes(Operator, abstract=True):
    """Over any axes."""

    rank = ANY_RANK
    input_tensor: TensorDesc = tensor_input(FLOATS)
    output_tensor: TensorDesc = tensor_output(FLOATS)
    axes: tuple[int, ...] = attribute(Axes(), length="AxisCount")
    same = (same("input_tensor output_tensor", "DataType DimensionCount Sizes"),)


class ActivationSoftmax1(_OfAxes, since="5.1", id=158):
    """e^x divided by the sum of e^x over some axes."""

    fusable = True
    fuses_anywhere = False

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        return softmax(xp, input_tensor, self.axes)


class ActivationLogSoftmax1(_OfAxes, since="5.1", id=159):
    """The logarithm of SOFTMAX1: x - ln(the sum of e^x over some axes)."""

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        return log_softmax(xp, input_tensor, self.axes)


class ActivationHardmax1(_OfAxes, since="5.1", id=160):
    """1 at the first largest element over some axes, 0 elsewhere."""

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        return hardmax(xp, input_tensor, self.axes)
