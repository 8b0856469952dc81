"""FILL_VALUE_CONSTANT and FILL_VALUE_SEQUENCE: tensors from nothing."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.moves import Fill
from anydml.core.schema import Operator, Scalar, TypeOf, attribute, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.types import ALL, UP_TO_32_BIT, WITHOUT_FLOAT64

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
