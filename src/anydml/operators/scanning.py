"""CUMULATIVE_SUMMATION and CUMULATIVE_PRODUCT: a running value along an axis. TOP_K and TOP_K1: its ends in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.enums import AxisDirection
from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.rules import rule
from anydml.core.schema import (
    Axis,
    Boolean,
    Enumeration,
    Integer,
    Operator,
    aliases,
    attribute,
    same,
    tensor_input,
    tensor_output,
)
from anydml.core.tensor import TensorDesc
from anydml.operators.sliding import along
from anydml.operators.types import (
    FLOAT_16_32,
    INTEGERS_32,
    INTEGERS_64,
    UINT32,
    UINT64,
    UP_TO_32_BIT,
    WITHOUT_FLOAT64,
)

MOST = rule("top-k.count", "K is at most the size of the axis.")
_NUMBERS_32 = FLOAT_16_32 | INTEGERS_32
_NUMBERS_64 = _NUMBERS_32 | INTEGERS_64
_IN_PLACE = aliases("input_tensor", "output_tensor")
_ALL_SAME = (same("input_tensor output_tensor", "DataType DimensionCount Sizes"),)


def _running(
    xp: Any, x: Any, axis: int, direction: AxisDirection, scan: Callable[..., Any], neutral: int | None
) -> Any:
    """A running value from either end; with a neutral element to begin with, the current one is left out."""
    is_backward = direction is AxisDirection.DECREASING
    x = xp.flip(x, axis) if is_backward else x
    if neutral is not None:
        first = xp.full_like(x[along(axis, slice(0, 1))], neutral)
        x = xp.concatenate([first, x[along(axis, slice(None, -1))]], axis=axis)
    result = scan(x, axis=axis, dtype=x.dtype)
    return xp.flip(result, axis) if is_backward else result


class CumulativeSummation(Operator, since="2.1", id=105):
    """The running sum along an axis, from either end, with or without the current element."""

    rank = {"2.1": (4, 4), "4.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"2.1": _NUMBERS_32, "5.0": _NUMBERS_64})
    output_tensor: TensorDesc = tensor_output({"2.1": _NUMBERS_32, "5.0": _NUMBERS_64})
    axis: int = attribute(Axis())
    axis_direction: AxisDirection = attribute(Enumeration(AxisDirection))
    has_exclusive_sum: bool = attribute(Boolean())
    same = _ALL_SAME
    in_place = _IN_PLACE

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        neutral = 0 if self.has_exclusive_sum else None
        return _running(xp, input_tensor, self.axis, self.axis_direction, xp.cumsum, neutral)


class CumulativeProduct(Operator, since="3.1", id=145):
    """The running product along an axis, from either end, with or without the current element."""

    rank = {"3.1": (4, 4), "4.0": (1, 8)}
    input_tensor: TensorDesc = tensor_input({"3.1": _NUMBERS_32, "5.0": _NUMBERS_64})
    output_tensor: TensorDesc = tensor_output({"3.1": _NUMBERS_32, "5.0": _NUMBERS_64})
    axis: int = attribute(Axis())
    axis_direction: AxisDirection = attribute(Enumeration(AxisDirection))
    has_exclusive_product: bool = attribute(Boolean())
    same = _ALL_SAME
    in_place = _IN_PLACE

    def compute(self, xp: Any, input_tensor: Any) -> Any:
        neutral = 1 if self.has_exclusive_product else None
        return _running(xp, input_tensor, self.axis, self.axis_direction, xp.cumprod, neutral)


class _TopK(Operator, abstract=True):
    """What TOP_K and TOP_K1 have in common."""

    input_tensor: TensorDesc
    axis: int
    k: int
    same = (
        same("input_tensor output_value_tensor output_index_tensor", "DimensionCount"),
        same("input_tensor output_value_tensor", "DataType"),
    )

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        size = self.input_tensor.sizes[self.axis]
        if self.k > size:
            yield MOST("K", self.k, f"1 to {size}", Use(size))

    def infer(self) -> dict[str, tuple[int, ...]]:
        sizes = tuple(self.k if axis == self.axis else n for axis, n in enumerate(self.input_tensor.sizes))
        return {"output_value_tensor": sizes, "output_index_tensor": sizes}


_NEW = {"2.1": UP_TO_32_BIT, "5.0": WITHOUT_FLOAT64}
_OLD = {"1.0": FLOAT_16_32, **_NEW}
_PLACES = {"1.0": UINT32, "5.0": UINT32 | UINT64}


class TopK1(_TopK, since="2.1", id=112):
    """The K largest elements along an axis, the largest first, or the K smallest, the smallest first, and their places;
    equal elements stand in the order of their places. NaN is larger than every number.
    """

    rank = {"2.1": (4, 4), "3.1": (1, 8)}
    input_tensor: TensorDesc = tensor_input(_NEW)
    output_value_tensor: TensorDesc = tensor_output(_NEW)
    output_index_tensor: TensorDesc = tensor_output(_PLACES, inferred_type=DataType.UINT32)
    axis: int = attribute(Axis())
    k: int = attribute(Integer(minimum=1))
    axis_direction: AxisDirection = attribute(Enumeration(AxisDirection))

    def compute(self, xp: Any, input_tensor: Any) -> dict[str, Any]:
        chosen = along(self.axis, slice(0, self.k))
        if self.axis_direction is AxisDirection.INCREASING:
            places = xp.argsort(input_tensor, axis=self.axis, kind="stable")[chosen]
        else:
            # Sorted backward and read backward: the largest first, and equal ones in their own order again.
            backward = xp.argsort(xp.flip(input_tensor, self.axis), axis=self.axis, kind="stable")
            places = input_tensor.shape[self.axis] - 1 - xp.flip(backward, self.axis)[chosen]
        values = xp.take_along_axis(input_tensor, places, axis=self.axis)
        return {"output_value_tensor": values, "output_index_tensor": places}


class TopK(_TopK, since="1.0", id=71):
    """The K largest elements along an axis, the largest first, and their places."""

    rank = {"1.0": (4, 4), "3.1": (1, 8)}
    input_tensor: TensorDesc = tensor_input(_OLD)
    output_value_tensor: TensorDesc = tensor_output(_OLD)
    output_index_tensor: TensorDesc = tensor_output(_PLACES, inferred_type=DataType.UINT32)
    axis: int = attribute(Axis())
    k: int = attribute(Integer(minimum=1))

    def equivalent(self) -> Operator:
        return TopK1(**self.values(), axis_direction=AxisDirection.DECREASING)
