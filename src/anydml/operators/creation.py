"""Tensors from attributes and indices: constants, sequences, diagonals and one-hot codes."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.layout import Layout
from anydml.core.levels import FeatureLevel
from anydml.core.moves import Fill
from anydml.core.rules import rule
from anydml.core.schema import (
    Axis,
    Float,
    Integer,
    Operator,
    Scalar,
    TypeOf,
    attribute,
    same,
    tensor_input,
    tensor_output,
)
from anydml.core.tensor import TensorDesc
from anydml.operators.indexing import from_start, steps_along
from anydml.operators.types import (
    ALL,
    FLOAT_16_32,
    INTEGERS_32,
    INTEGERS_64,
    UINT32,
    UP_TO_32_BIT,
    WITHOUT_FLOAT64,
)

MATRIX = rule("diagonal-matrix.sizes", "The matrices that are kept have the sizes of the output.")
HOT_AXIS = rule("one-hot.axis", "Along the axis the indices have a size of 1, beside it the sizes of the output.")
HOT_VALUES = rule("one-hot.values", "ValuesTensor has at least two elements: off and on.")
_RANK = {"2.1": (4, 4), "4.0": (1, 8)}


class FillValueConstant(Operator, since="2.1", id=103):
    """Writes one value to every element."""

    rank = _RANK
    output_tensor: TensorDesc = tensor_output({"2.1": UP_TO_32_BIT, "4.1": ALL})
    value_data_type: DataType = attribute(TypeOf())
    value: int | float = attribute(Scalar("value_data_type"))

    def moves(self) -> Iterator[Fill]:
        yield Fill("output_tensor", self.output_tensor.layout, self.value)


class FillValueSequence(Operator, since="2.1", id=104):
    """Counts from a start in equal steps, the last dimension fastest; integers wrap."""

    rank = _RANK
    output_tensor: TensorDesc = tensor_output({"2.1": UP_TO_32_BIT, "5.0": WITHOUT_FLOAT64})
    value_data_type: DataType = attribute(TypeOf())
    value_start: int | float = attribute(Scalar("value_data_type"))
    value_delta: int | float = attribute(Scalar("value_data_type", wraps=True))

    def compute(self, xp: Any) -> Any:
        count, kind = prod(self.output_tensor.sizes), self.output_tensor.data_type
        if kind.is_float:
            values = self.value_start + xp.arange(count, dtype=xp.float64) * self.value_delta
        else:
            # Two's complement makes wrapping the same for every integer type: count in 64 bits, keep the low ones.
            start, delta = (xp.asarray(v % 2**64, dtype=xp.uint64) for v in (self.value_start, self.value_delta))
            values = (start + xp.arange(count, dtype=xp.uint64) * delta).astype(kind.numpy_dtype)
        return values.reshape(self.output_tensor.sizes)


class DiagonalMatrix(Operator, since="2.0", id=93):
    """Matrices with one value along a diagonal and 0 elsewhere."""

    rank = {"2.0": (4, 4), "4.0": (2, 4)}
    output_tensor: TensorDesc = tensor_output({"2.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "5.1": ALL})
    offset: int = attribute(Integer(signed=True), default=0)
    value: float = attribute(Float())

    def moves(self) -> Iterator[Fill]:
        whole = self.output_tensor.layout
        yield Fill("output_tensor", whole, 0)
        diagonal = diagonal_of(whole, self.offset)
        if diagonal is not None:
            yield Fill("output_tensor", diagonal, self.value)


def diagonal_of(layout: Layout, offset: int) -> Layout | None:
    """The elements of matrices whose column is their row plus an offset, as the last dimension; None without any."""
    *batch, rows, columns = layout.sizes
    *strides, down, right = layout.strides
    row, column = max(-offset, 0), max(offset, 0)
    length = min(rows - row, columns - column)
    if length < 1:
        return None
    return Layout((*batch, length), (*strides, down + right), layout.offset + row * down + column * right)


class DiagonalMatrix1(Operator, since="5.1", id=163):
    """Fills a band of diagonals, or all but a band that ends before it begins; the rest is the input's, or 0."""

    rank = {"5.1": (2, 4)}
    input_tensor: TensorDesc | None = tensor_input({"5.1": ALL}, optional=True)
    output_tensor: TensorDesc = tensor_output({"5.1": ALL})
    value_data_type: DataType = attribute(TypeOf())
    value: int | float = attribute(Scalar("value_data_type"))
    diagonal_fill_begin: int = attribute(Integer(signed=True))
    diagonal_fill_end: int = attribute(Integer(signed=True))
    same = (same("input_tensor output_tensor", "DataType DimensionCount"),)
    only_moves = True

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        kept, whole = self.input_tensor, self.output_tensor
        if kept is not None and whole is not None and kept.sizes != whole.sizes:
            yield MATRIX("InputTensor.Sizes", kept.sizes, f"{whole.sizes} as OutputTensor has", Use(whole.sizes))

    def infer(self) -> dict[str, tuple[int, ...]]:
        return {} if self.input_tensor is None else {"output_tensor": self.input_tensor.sizes}

    def compute(self, xp: Any, input_tensor: Any = None) -> Any:
        kind = self.output_tensor.data_type.numpy_dtype
        *_, rows, columns = self.output_tensor.sizes
        diagonal = xp.arange(columns, dtype=xp.int64) - xp.arange(rows, dtype=xp.int64)[:, None]
        begin, end = self.diagonal_fill_begin, self.diagonal_fill_end
        is_filled = (diagonal >= begin) ^ (diagonal < end) ^ (end >= begin)
        kept = xp.zeros(1, kind) if input_tensor is None else input_tensor
        return xp.where(is_filled, xp.asarray(self.value, kind), kept)


class OneHot(Operator, since="2.0", id=95):
    """One value along the axis where the index says, another everywhere else; indices outside give no place."""

    rank = {"2.0": (4, 4), "3.0": (1, 8)}
    indices_tensor: TensorDesc = tensor_input({"2.0": UINT32, "3.0": INTEGERS_32 | INTEGERS_64})
    values_tensor: TensorDesc = tensor_input({"2.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "4.1": ALL})
    output_tensor: TensorDesc = tensor_output({"2.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "4.1": ALL})
    axis: int = attribute(Axis(tensor="indices_tensor"))
    same = (
        same("indices_tensor values_tensor output_tensor", "DimensionCount"),
        same("values_tensor output_tensor", "DataType"),
    )
    only_moves = True

    def check(self, level: FeatureLevel) -> Iterator[Violation]:
        if prod(self.values_tensor.sizes) < 2:
            yield HOT_VALUES("ValuesTensor.Sizes", self.values_tensor.sizes, "at least two elements")
        whole = self.output_tensor.sizes if self.output_tensor is not None else self.indices_tensor.sizes
        for i, found in enumerate(self.indices_tensor.sizes):
            wanted = 1 if i == self.axis else whole[i]
            if found != wanted:
                reason = "along the axis" if i == self.axis else "as OutputTensor has"
                yield HOT_AXIS(f"IndicesTensor.Sizes[{i}]", found, f"{wanted} {reason}", Use(wanted))

    def compute(self, xp: Any, indices_tensor: Any, values_tensor: Any) -> Any:
        off = (0,) * values_tensor.ndim
        fastest = max(axis for axis, size in enumerate(values_tensor.shape) if size > 1)
        on = tuple(int(axis == fastest) for axis in range(values_tensor.ndim))
        size = self.output_tensor.sizes[self.axis]
        places = from_start(xp, indices_tensor, size)
        is_on = steps_along(xp, self.axis, indices_tensor.ndim, size) == places
        return xp.where(is_on, values_tensor[on], values_tensor[off])
