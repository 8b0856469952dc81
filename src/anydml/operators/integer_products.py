"""Products of small integers with zero points: matrices and convolutions, exact, as floats or quantized again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.levels import FeatureLevel
from anydml.core.naming import pascal
from anydml.core.rules import rule
from anydml.core.schema import Integer, Operator, attribute, per_dimension, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.block_quantization import quantized
from anydml.operators.convolution import FilterOperator
from anydml.operators.types import (
    FLOAT32,
    FLOAT_16_32,
    INT32,
    INTEGERS_8,
    INTEGERS_16,
    INTEGERS_32,
)

ROWS = rule("quantization.rows", "A scale or zero point of rows is one number, or one for each row: {..., rows, 1}.")
_STEP = Integer(minimum=1)
_BYTES, _SCALE, _SUMS = {"2.1": INTEGERS_8}, {"2.1": FLOAT32}, {"2.1": INT32}
_UP_TO_32_BIT_INTEGERS = {"6.2": INTEGERS_8 | INTEGERS_16 | INTEGERS_32}
_FLOATS_6_2 = {"6.2": FLOAT_16_32}
_RANK_1_4 = {"2.1": (4, 4), "4.0": (1, 4)}


def _centered(xp: Any, x: Any, zero_point: Any) -> Any:
    """x - zero point as float64: exact for integers up to 32 bits, and so are sums of 10^11 products of bytes."""
    wide = x.astype(xp.float64)
    return wide if zero_point is None else wide - zero_point


def _per_row(parameter: Any) -> Any:
    """Scales or zero points, one or one per row, as they meet a matrix."""
    return None if parameter is None else parameter.reshape(-1, 1)


def _per_column(parameter: Any) -> Any:
    return None if parameter is None else parameter.reshape(-1)


class _MatrixProduct(Operator, abstract=True):
    """What products of integer matrices have in common."""

    a_tensor: TensorDesc

    def _check_rows(self, names: str) -> Iterator[Violation]:
        rows = self.a_tensor.sizes[-2]
        for name in names.split():
            tensor = getattr(self, name)
            if tensor is None:
                continue
            place = max(tensor.rank - 2, 0)
            allowed = {(1,) * tensor.rank, _unit_but(tensor.rank, place, rows)}
            if tensor.sizes not in allowed:
                wanted = _unit_but(tensor.rank, place, rows)
                expected = f"{wanted}, for the rows of ATensor, or 1s alone"
                yield ROWS(f"{pascal(name)}.Sizes", tensor.sizes, expected, Use(wanted))


def _unit_but(rank: int, place: int, size: int) -> tuple[int, ...]:
    return tuple(size if axis == place else 1 for axis in range(rank))


_MATRICES = {
    "a_tensor": "*lead rows inner",
    "b_tensor": "*lead inner columns",
    "output_tensor": "*lead rows columns",
}
_COLUMNS = "[1] [1] [1] columns|1"


class MatrixMultiplyInteger(_MatrixProduct, since="2.1", id=117):
    """(A - zero point of A) x (B - zero point of B), as INT32; sums that are too large keep their low bits."""

    rank = {"2.1": (4, 4), "4.0": (2, 4)}
    a_tensor: TensorDesc = tensor_input(_BYTES)
    a_zero_point_tensor: TensorDesc | None = tensor_input(_BYTES, rank=_RANK_1_4, optional=True)
    b_tensor: TensorDesc = tensor_input(_BYTES)
    b_zero_point_tensor: TensorDesc | None = tensor_input(
        _BYTES, rank={"2.1": (4, 4), "4.0": (2, 4), "5.2": (1, 4)}, optional=True
    )
    output_tensor: TensorDesc = tensor_output(_SUMS, inferred_type=DataType.INT32)
    same = (
        same("a_tensor b_tensor output_tensor", "DimensionCount"),
        same("b_tensor b_zero_point_tensor", "DataType"),
        same("a_tensor a_zero_point_tensor", "DataType"),
    )
    sizes_of = {**_MATRICES, "b_zero_point_tensor": _COLUMNS}

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        return self._check_rows("a_zero_point_tensor")

    def compute(
        self, xp: Any, a_tensor: Any, a_zero_point_tensor: Any, b_tensor: Any, b_zero_point_tensor: Any = None
    ) -> Any:
        a = _centered(xp, a_tensor, _per_row(a_zero_point_tensor))
        b = _centered(xp, b_tensor, _per_column(b_zero_point_tensor))
        return xp.matmul(a, b).astype(xp.int64)


class MatrixMultiplyIntegerToFloat(_MatrixProduct, since="6.2", id=170):
    """((A - zero point of A) * scale of A) x ((B - zero point of B) * scale of B) + bias."""

    rank = {"6.2": (2, 4)}
    a_tensor: TensorDesc = tensor_input(_UP_TO_32_BIT_INTEGERS)
    a_scale_tensor: TensorDesc = tensor_input(_FLOATS_6_2, rank={"6.2": (1, 4)})
    a_zero_point_tensor: TensorDesc | None = tensor_input(_UP_TO_32_BIT_INTEGERS, rank={"6.2": (1, 4)}, optional=True)
    b_tensor: TensorDesc = tensor_input(_UP_TO_32_BIT_INTEGERS)
    b_scale_tensor: TensorDesc = tensor_input(_FLOATS_6_2, rank={"6.2": (1, 4)})
    b_zero_point_tensor: TensorDesc | None = tensor_input(_UP_TO_32_BIT_INTEGERS, rank={"6.2": (1, 4)}, optional=True)
    bias_tensor: TensorDesc | None = tensor_input(_FLOATS_6_2, optional=True)
    output_tensor: TensorDesc = tensor_output(_FLOATS_6_2)
    same = (
        same("a_scale_tensor a_zero_point_tensor b_scale_tensor b_zero_point_tensor", "DimensionCount"),
        same("a_tensor b_tensor bias_tensor output_tensor", "DimensionCount"),
        same("bias_tensor output_tensor", "Sizes"),
        same("a_tensor a_zero_point_tensor b_tensor b_zero_point_tensor", "DataType"),
        same("a_scale_tensor b_scale_tensor bias_tensor output_tensor", "DataType"),
    )
    sizes_of = {**_MATRICES, "b_scale_tensor": _COLUMNS, "b_zero_point_tensor": _COLUMNS}

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        return self._check_rows("a_scale_tensor a_zero_point_tensor")

    def compute(
        self,
        xp: Any,
        a_tensor: Any,
        a_scale_tensor: Any,
        a_zero_point_tensor: Any,
        b_tensor: Any,
        b_scale_tensor: Any,
        b_zero_point_tensor: Any = None,
        bias_tensor: Any = None,
    ) -> Any:
        a = _centered(xp, a_tensor, _per_row(a_zero_point_tensor))
        b = _centered(xp, b_tensor, _per_column(b_zero_point_tensor))
        result = xp.matmul(a, b) * _per_row(a_scale_tensor) * _per_column(b_scale_tensor)
        return result if bias_tensor is None else result + bias_tensor


class QuantizedLinearMatrixMultiply(_MatrixProduct, since="2.1", id=118):
    """The product of two matrices of quantized numbers, quantized again; rounded once, halves to even."""

    rank = {"2.1": (4, 4), "4.0": (2, 4)}
    a_tensor: TensorDesc = tensor_input(_BYTES)
    a_scale_tensor: TensorDesc = tensor_input(_SCALE, rank=_RANK_1_4)
    a_zero_point_tensor: TensorDesc | None = tensor_input(_BYTES, rank=_RANK_1_4, optional=True)
    b_tensor: TensorDesc = tensor_input(_BYTES)
    b_scale_tensor: TensorDesc = tensor_input(_SCALE, rank=_RANK_1_4)
    b_zero_point_tensor: TensorDesc | None = tensor_input(_BYTES, rank=_RANK_1_4, optional=True)
    output_scale_tensor: TensorDesc = tensor_input(_SCALE, rank=_RANK_1_4)
    output_zero_point_tensor: TensorDesc | None = tensor_input(_BYTES, rank=_RANK_1_4, optional=True)
    output_tensor: TensorDesc = tensor_output(_BYTES)
    same = (
        same(
            "a_scale_tensor a_zero_point_tensor b_scale_tensor b_zero_point_tensor output_scale_tensor "
            "output_zero_point_tensor",
            "DimensionCount",
        ),
        same("a_tensor b_tensor output_tensor", "DimensionCount"),
        same("b_tensor b_zero_point_tensor", "DataType"),
        same("output_tensor output_zero_point_tensor", "DataType"),
        same("a_tensor a_zero_point_tensor", "DataType"),
    )
    sizes_of = {**_MATRICES, "b_scale_tensor": _COLUMNS, "b_zero_point_tensor": _COLUMNS}

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        return self._check_rows("a_scale_tensor a_zero_point_tensor output_scale_tensor output_zero_point_tensor")

    def compute(
        self,
        xp: Any,
        a_tensor: Any,
        a_scale_tensor: Any,
        a_zero_point_tensor: Any,
        b_tensor: Any,
        b_scale_tensor: Any,
        b_zero_point_tensor: Any,
        output_scale_tensor: Any,
        output_zero_point_tensor: Any = None,
    ) -> Any:
        a = _centered(xp, a_tensor, _per_row(a_zero_point_tensor))
        b = _centered(xp, b_tensor, _per_column(b_zero_point_tensor))
        real = xp.matmul(a, b) * _per_row(a_scale_tensor) * _per_column(b_scale_tensor)
        zero_point = 0 if output_zero_point_tensor is None else _per_row(output_zero_point_tensor)
        return quantized(xp, real, _per_row(output_scale_tensor), zero_point, self.output_tensor.data_type)


def _per_channel(parameter: Any, rank: int, axis: int) -> Any:
    """Scales or zero points, one or one per channel, along an axis of a tensor of this rank."""
    return None if parameter is None else parameter.reshape((1,) * axis + (-1,) + (1,) * (rank - 1 - axis))


_CHANNELS = "[1] output_channels|1 1*"
_OUTPUT = "batch output_channels *output_sizes"


class ConvolutionInteger(FilterOperator, since="2.1", id=119):
    """A convolution after both zero points are subtracted, as INT32; sums that are too large keep their low bits."""

    rank = {"2.1": (4, 4), "4.0": (3, 4)}
    input_tensor: TensorDesc = tensor_input(_BYTES)
    input_zero_point_tensor: TensorDesc | None = tensor_input(_BYTES, rank=_RANK_1_4, optional=True)
    filter_tensor: TensorDesc = tensor_input(_BYTES)
    filter_zero_point_tensor: TensorDesc | None = tensor_input(_BYTES, rank=_RANK_1_4, optional=True)
    output_tensor: TensorDesc = tensor_output(_SUMS, inferred_type=DataType.INT32)
    strides: tuple[int, ...] = per_dimension("input_tensor", _STEP, skip=2, default=1)
    dilations: tuple[int, ...] = per_dimension("input_tensor", _STEP, skip=2, default=1)
    start_padding: tuple[int, ...] = per_dimension("input_tensor", Integer(), skip=2, default=0)
    end_padding: tuple[int, ...] = per_dimension("input_tensor", Integer(), skip=2, default=0)
    group_count: int = attribute(_STEP, default=1)
    same = (
        same("filter_zero_point_tensor input_zero_point_tensor", "DimensionCount"),
        same("filter_tensor input_tensor output_tensor", "DimensionCount"),
        same("input_tensor input_zero_point_tensor", "DataType"),
        same("filter_tensor filter_zero_point_tensor", "DataType"),
    )
    sizes_of = {
        "input_zero_point_tensor": "1*",
        "filter_zero_point_tensor": _CHANNELS,
        "output_tensor": _OUTPUT,
    }

    def compute(
        self,
        xp: Any,
        input_tensor: Any,
        input_zero_point_tensor: Any,
        filter_tensor: Any,
        filter_zero_point_tensor: Any = None,
    ) -> Any:
        x = _centered(xp, input_tensor, _per_channel(input_zero_point_tensor, input_tensor.ndim, 1))
        weights = _centered(xp, filter_tensor, _per_channel(filter_zero_point_tensor, filter_tensor.ndim, 0))
        return self.forward(xp, x, weights).astype(xp.int64)


class QuantizedLinearConvolution(FilterOperator, since="2.1", id=120):
    """A convolution of quantized numbers, quantized again; rounded once, halves to even.

    The bias counts in steps of the input's scale times the filter's.
    """

    rank = {"2.1": (4, 4), "4.0": (3, 4)}
    input_tensor: TensorDesc = tensor_input(_BYTES)
    input_scale_tensor: TensorDesc = tensor_input(_SCALE, rank=_RANK_1_4)
    input_zero_point_tensor: TensorDesc | None = tensor_input(_BYTES, rank=_RANK_1_4, optional=True)
    filter_tensor: TensorDesc = tensor_input(_BYTES)
    filter_scale_tensor: TensorDesc = tensor_input(_SCALE, rank={"2.1": (4, 4), "4.0": (3, 4), "5.2": (1, 4)})
    filter_zero_point_tensor: TensorDesc | None = tensor_input(_BYTES, rank=_RANK_1_4, optional=True)
    bias_tensor: TensorDesc | None = tensor_input(_SUMS, optional=True)
    output_scale_tensor: TensorDesc = tensor_input(_SCALE, rank=_RANK_1_4)
    output_zero_point_tensor: TensorDesc | None = tensor_input(_BYTES, rank=_RANK_1_4, optional=True)
    output_tensor: TensorDesc = tensor_output(_BYTES, inferred_type=DataType.UINT8)
    strides: tuple[int, ...] = per_dimension("input_tensor", _STEP, skip=2, default=1)
    dilations: tuple[int, ...] = per_dimension("input_tensor", _STEP, skip=2, default=1)
    start_padding: tuple[int, ...] = per_dimension("input_tensor", Integer(), skip=2, default=0)
    end_padding: tuple[int, ...] = per_dimension("input_tensor", Integer(), skip=2, default=0)
    group_count: int = attribute(_STEP, default=1)
    same = (
        same("bias_tensor filter_tensor input_tensor output_tensor", "DimensionCount"),
        same("output_tensor output_zero_point_tensor", "DataType"),
        same("input_tensor input_zero_point_tensor", "DataType"),
        same("filter_tensor filter_zero_point_tensor", "DataType"),
    )
    sizes_of = {
        "input_scale_tensor": "1*",
        "input_zero_point_tensor": "1*",
        "filter_scale_tensor": _CHANNELS,
        "filter_zero_point_tensor": _CHANNELS,
        "bias_tensor": "1 output_channels 1*",
        "output_scale_tensor": "1*",
        "output_zero_point_tensor": "1*",
        "output_tensor": _OUTPUT,
    }

    def infer_types(self) -> dict[str, DataType]:
        """The zero point's type, where there is one."""
        declared, told = super().infer_types(), self.output_zero_point_tensor
        return declared if told is None else declared | {"output_tensor": told.data_type}

    def compute(
        self,
        xp: Any,
        input_tensor: Any,
        input_scale_tensor: Any,
        input_zero_point_tensor: Any,
        filter_tensor: Any,
        filter_scale_tensor: Any,
        filter_zero_point_tensor: Any,
        bias_tensor: Any,
        output_scale_tensor: Any,
        output_zero_point_tensor: Any = None,
    ) -> Any:
        rank = input_tensor.ndim
        x = _centered(xp, input_tensor, _per_channel(input_zero_point_tensor, rank, 1))
        weights = _centered(xp, filter_tensor, _per_channel(filter_zero_point_tensor, rank, 0))
        sums = self.forward(xp, x, weights)
        if bias_tensor is not None:
            sums = sums + bias_tensor
        real = sums * _per_channel(input_scale_tensor, rank, 1) * _per_channel(filter_scale_tensor, rank, 1)
        zero_point = 0 if output_zero_point_tensor is None else _per_channel(output_zero_point_tensor, rank, 1)
        scale = _per_channel(output_scale_tensor, rank, 1)
        return quantized(xp, real, scale, zero_point, self.output_tensor.data_type)
