"""Bits: logic on them, shifts and counts. Of the data types only the width matters."""

from __future__ import annotations

from typing import Any

from anydml.core.datatype import DataType
from anydml.core.schema import Operator, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.elementwise import ANY_RANK, Binary, Unary
from anydml.operators.types import ALL, UINT8, UINT32, UINT64, UNSIGNED_UP_TO_32_BIT

_BITS = {"3.0": UNSIGNED_UP_TO_32_BIT, "4.1": ALL}
_SHIFTED = {"2.1": UNSIGNED_UP_TO_32_BIT, "4.1": UNSIGNED_UP_TO_32_BIT | UINT64}


class _Bitwise(Binary, abstract=True):
    """Logic on each pair of bits."""

    rank = ANY_RANK
    a_tensor: TensorDesc = tensor_input(_BITS)
    b_tensor: TensorDesc = tensor_input(_BITS)
    output_tensor: TensorDesc = tensor_output(_BITS)
    works_on_bits = True


class ElementWiseBitAnd(_Bitwise, since="3.0", id=121):
    """The bits that are 1 in both a and b."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a & b


class ElementWiseBitOr(_Bitwise, since="3.0", id=122):
    """The bits that are 1 in a or b."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a | b


class ElementWiseBitXor(_Bitwise, since="3.0", id=123):
    """The bits that differ between a and b."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a ^ b


class ElementWiseBitNot(Unary, since="3.0", id=124):
    """Every bit inverted."""

    rank = ANY_RANK
    input_tensor: TensorDesc = tensor_input(_BITS)
    output_tensor: TensorDesc = tensor_output(_BITS)
    works_on_bits = True

    def formula(self, m: Any, x: Any) -> Any:
        return ~x


class ElementWiseBitCount(Operator, since="3.0", id=125):
    """The number of bits that are 1."""

    rank = ANY_RANK
    input_tensor: TensorDesc = tensor_input(_BITS)
    output_tensor: TensorDesc = tensor_output({"3.0": UINT32 | UINT8}, inferred_type=DataType.UINT8)
    same = (same("input_tensor output_tensor", "DimensionCount Sizes"),)
    works_on_bits = True

    def formula(self, m: Any, x: Any) -> Any:
        return m.bitwise_count(x)


class _Shift(Binary, abstract=True):
    """Bits moved by b places; zeros come in, and a distance of the width or more leaves none."""

    a_tensor: TensorDesc = tensor_input(_SHIFTED)
    b_tensor: TensorDesc = tensor_input(_SHIFTED)
    output_tensor: TensorDesc = tensor_output(_SHIFTED)


class ElementWiseBitShiftLeft(_Shift, since="2.1", id=97):
    """The bits of a, b places higher; 0 where b is the width of the type or more."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return m.left_shift(a, b)


class ElementWiseBitShiftRight(_Shift, since="2.1", id=98):
    """The bits of a, b places lower; 0 where b is the width of the type or more."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return m.right_shift(a, b)
