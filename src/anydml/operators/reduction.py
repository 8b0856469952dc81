"""REDUCE, ARGMIN and ARGMAX: many elements into one."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.enums import AxisDirection, ReduceFunction
from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import (
    Axes,
    Enumeration,
    Operator,
    attribute,
    same,
    tensor_input,
    tensor_output,
    when,
)
from anydml.core.tensor import TensorDesc
from anydml.operators.types import (
    FLOAT_16_32,
    INTEGERS_32,
    INTEGERS_64,
    UINT32,
    UP_TO_32_BIT,
    WITHOUT_FLOAT64,
)

TYPES = rule("reduce.data-type", "Input and output have one data type, but for ARGMIN and ARGMAX.")

_NUMBERS_32 = FLOAT_16_32 | INTEGERS_32
_NUMBERS_64 = _NUMBERS_32 | INTEGERS_64
_FLOAT_FUNCTIONS = {"1.0": FLOAT_16_32}
_NORMS = {"1.0": FLOAT_16_32, "5.0": _NUMBERS_64}
_EXTREMES = {"1.0": FLOAT_16_32, "2.1": _NUMBERS_32, "3.0": UP_TO_32_BIT, "5.0": WITHOUT_FLOAT64}
_SUMS = {"1.0": FLOAT_16_32, "2.1": _NUMBERS_32, "5.0": _NUMBERS_64}
_OTHERS = {
    "AVERAGE L2 LOG_SUM LOG_SUM_EXP": _FLOAT_FUNCTIONS,
    "L1 SUM_SQUARE": _NORMS,
    "MIN MAX": _EXTREMES,
    "MULTIPLY SUM": _SUMS,
}
_ARGUMENTS = {"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "4.1": WITHOUT_FLOAT64}
_INDICES = {"1.0": UINT32, "3.0": INTEGERS_32 | INTEGERS_64}


def reduced_sizes(tensor: TensorDesc, axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(1 if axis in axes else size for axis, size in enumerate(tensor.sizes))


class Reduce(Operator, since="1.0", id=55):
    """Applies a function over some axes; those keep a size of 1.

    L1 is the sum of |x|, L2 the root of the sum of x^2, LOG_SUM the logarithm of the sum, LOG_SUM_EXP that of the sum
    of e^x, MULTIPLY the product, SUM_SQUARE the sum of x^2. ARGMIN and ARGMAX tell the place of the first extreme.
    """

    rank = {"1.0": (4, 4), "3.0": (1, 8)}
    function: ReduceFunction = attribute(Enumeration(ReduceFunction))
    input_tensor: TensorDesc = tensor_input(when("function", {"ARGMIN ARGMAX": _ARGUMENTS, **_OTHERS}))
    output_tensor: TensorDesc = tensor_output(when("function", {"ARGMIN ARGMAX": _INDICES, **_OTHERS}))
    axes: tuple[int, ...] = attribute(Axes(), length="AxisCount")

    @property
    def _finds_index(self) -> bool:
        return self.function in (ReduceFunction.ARGMIN, ReduceFunction.ARGMAX)

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        output, wanted = self.output_tensor, self.input_tensor.data_type
        if output is not None and not self._finds_index and output.data_type is not wanted:
            expected = f"{wanted.name} as InputTensor"
            yield TYPES("OutputTensor.DataType", output.data_type.name, expected, Use(wanted.name))

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": reduced_sizes(self.input_tensor, self.axes)}

    def infer_types(self) -> dict[str, DataType]:
        return {"output_tensor": DataType.UINT32 if self._finds_index else self.input_tensor.data_type}

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        axes = tuple(self.axes)
        if self._finds_index:
            return place_of_extreme(xp, input_tensor, axes, self.function is ReduceFunction.ARGMAX)
        return self._functions(xp, input_tensor, axes)

    def _functions(self, xp: Any, x: Any, axes: tuple[int, ...]) -> Any:
        reduced = {"axis": axes, "keepdims": True}
        total = {**reduced, "dtype": x.dtype}  # integers wrap in their own type
        count = prod(x.shape[axis] for axis in axes)
        match self.function:
            case ReduceFunction.AVERAGE:
                return xp.sum(x, **total) / x.dtype.type(count)
            case ReduceFunction.L1:
                return xp.sum(xp.abs(x), **total)
            case ReduceFunction.L2:
                return xp.sqrt(xp.sum(x * x, **total))
            case ReduceFunction.LOG_SUM:
                return xp.log(xp.sum(x, **total))
            case ReduceFunction.LOG_SUM_EXP:
                return _log_sum_exp(xp, x, axes)
            case ReduceFunction.MAX:
                return xp.max(x, **reduced)
            case ReduceFunction.MIN:
                return xp.min(x, **reduced)
            case ReduceFunction.MULTIPLY:
                return xp.prod(x, **total)
            case ReduceFunction.SUM_SQUARE:
                return xp.sum(x * x, **total)
            case _:
                return xp.sum(x, **total)


def place_of_extreme(xp: Any, x: Any, axes: tuple[int, ...], largest: bool, last: bool = False) -> Any:
    """The first (or last) place of the extreme, counted over the reduced axes as if they were one; NaN is extreme.

    The axes keep a size of 1.
    """
    reduced = tuple(sorted(axes))
    kept = tuple(axis for axis in range(x.ndim) if axis not in reduced)
    lined = xp.transpose(x, kept + reduced).reshape([x.shape[axis] for axis in kept] + [-1])
    find = xp.argmax if largest else xp.argmin
    places = lined.shape[-1] - 1 - find(xp.flip(lined, -1), axis=-1) if last else find(lined, axis=-1)
    return places.reshape([1 if axis in reduced else size for axis, size in enumerate(x.shape)])


def _log_sum_exp(xp: Any, x: Any, axes: tuple[int, ...]) -> Any:
    """ln of the sum of e^x, shifted by the largest so that e^x cannot overflow."""
    top = xp.max(x, axis=axes, keepdims=True)
    top = xp.where(xp.isfinite(top), top, x.dtype.type(0))
    return xp.log(xp.sum(xp.exp(x - top), axis=axes, keepdims=True)) + top


class _ArgumentOfExtreme(Operator, abstract=True):
    """What ARGMIN and ARGMAX have in common."""

    rank = {"3.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"3.0": UP_TO_32_BIT, "4.1": WITHOUT_FLOAT64})
    output_tensor: TensorDesc = tensor_output({"3.0": INTEGERS_32 | INTEGERS_64}, inferred_type=DataType.UINT32)
    axes: tuple[int, ...] = attribute(Axes(), length="AxisCount")
    axis_direction: AxisDirection = attribute(Enumeration(AxisDirection), default=AxisDirection.INCREASING)
    same = (same("input_tensor output_tensor", "DimensionCount"),)
    finds_largest = False

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {"output_tensor": reduced_sizes(self.input_tensor, self.axes)}

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        is_last = self.axis_direction is AxisDirection.DECREASING
        return place_of_extreme(xp, input_tensor, self.axes, self.finds_largest, is_last)


class Argmin(_ArgumentOfExtreme, since="3.0", id=137):
    """The place of the smallest element along some axes, as if they were one: the first of equal ones, or the last."""


class Argmax(_ArgumentOfExtreme, since="3.0", id=138):
    """The place of the largest element along some axes, as if they were one: the first of equal ones, or the last."""

    finds_largest = True
