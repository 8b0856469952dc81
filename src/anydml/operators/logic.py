"""Comparison and logic: ones and zeros, and a choice between two tensors."""

from __future__ import annotations

from typing import Any

from anydml.core.datatype import DataType
from anydml.core.enums import IsInfinityMode
from anydml.core.schema import Enumeration, Operator, attribute, same, tensor_input, tensor_output
from anydml.core.tensor import TensorDesc
from anydml.operators.elementwise import ANY_RANK, FLOATS, RANK_4, Binary, Unary
from anydml.operators.types import ALL, FLOAT16, FLOAT_16_32, UINT8, UINT32, UP_TO_32_BIT, WITHOUT_FLOAT64

_COMPARED = {"1.0": FLOAT_16_32, "2.1": UP_TO_32_BIT, "4.1": WITHOUT_FLOAT64}
_TRUTHS = {"1.0": UINT32, "2.0": UINT32 | UINT8}
_CHOSEN = {"2.0": FLOAT16, "3.0": UP_TO_32_BIT, "5.0": ALL}
_SAME_SIZES = (same("input_tensor output_tensor", "DimensionCount Sizes"),)


class _Comparison(Operator, abstract=True):
    """1 or 0 for each pair; every comparison with NaN is false."""

    rank = RANK_4
    a_tensor: TensorDesc = tensor_input(_COMPARED)
    b_tensor: TensorDesc = tensor_input(_COMPARED)
    output_tensor: TensorDesc = tensor_output(_TRUTHS, inferred_type=DataType.UINT8)
    same = (
        same("a_tensor b_tensor output_tensor", "DimensionCount Sizes"),
        same("a_tensor b_tensor", "DataType"),
    )


class ElementWiseLogicalEquals(_Comparison, since="1.0", id=15):
    """1 where a equals b, else 0."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a == b


class ElementWiseLogicalGreaterThan(_Comparison, since="1.0", id=16):
    """1 where a > b, else 0."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a > b


class ElementWiseLogicalLessThan(_Comparison, since="1.0", id=17):
    """1 where a < b, else 0."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a < b


class _LaterComparison(_Comparison, abstract=True):
    """Comparisons that came with feature level 3.0."""

    rank = ANY_RANK
    a_tensor: TensorDesc = tensor_input({"3.0": UP_TO_32_BIT, "4.1": WITHOUT_FLOAT64})
    b_tensor: TensorDesc = tensor_input({"3.0": UP_TO_32_BIT, "4.1": WITHOUT_FLOAT64})
    output_tensor: TensorDesc = tensor_output({"3.0": UINT32 | UINT8}, inferred_type=DataType.UINT8)


class ElementWiseLogicalGreaterThanOrEqual(_LaterComparison, since="3.0", id=126):
    """1 where a >= b, else 0."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a >= b


class ElementWiseLogicalLessThanOrEqual(_LaterComparison, since="3.0", id=127):
    """1 where a <= b, else 0."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return a <= b


class _Logic(Binary, abstract=True):
    """1 or 0 for each pair; every number but 0 counts as true."""

    a_tensor: TensorDesc = tensor_input(_TRUTHS)
    b_tensor: TensorDesc = tensor_input(_TRUTHS)
    output_tensor: TensorDesc = tensor_output(_TRUTHS)


class ElementWiseLogicalAnd(_Logic, since="1.0", id=14):
    """1 where neither a nor b is 0, else 0."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return (a != 0) & (b != 0)


class ElementWiseLogicalOr(_Logic, since="1.0", id=19):
    """1 where a or b is not 0, else 0."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return (a | b) != 0


class ElementWiseLogicalXor(_Logic, since="1.0", id=20):
    """1 where exactly one of a and b is 0, else 0."""

    def formula(self, m: Any, a: Any, b: Any) -> Any:
        return (a != 0) ^ (b != 0)


class ElementWiseLogicalNot(Unary, since="1.0", id=18):
    """1 where x is 0, else 0."""

    input_tensor: TensorDesc = tensor_input(_TRUTHS)
    output_tensor: TensorDesc = tensor_output(_TRUTHS)

    def formula(self, m: Any, x: Any) -> Any:
        return x == 0


class ElementWiseIsNan(Operator, since="2.0", id=80):
    """1 where x is NaN, else 0."""

    rank = RANK_4
    input_tensor: TensorDesc = tensor_input(FLOATS)
    output_tensor: TensorDesc = tensor_output({"2.0": UINT32 | UINT8}, inferred_type=DataType.UINT8)
    same = _SAME_SIZES

    def formula(self, m: Any, x: Any) -> Any:
        return x != x


class ElementWiseIsInfinity(Operator, since="2.1", id=100):
    """1 where x is infinite, of one sign or of either, else 0."""

    rank = RANK_4
    input_tensor: TensorDesc = tensor_input(FLOATS)
    output_tensor: TensorDesc = tensor_output({"2.1": UINT8}, inferred_type=DataType.UINT8)
    infinity_mode: IsInfinityMode = attribute(Enumeration(IsInfinityMode), default=IsInfinityMode.EITHER)
    same = _SAME_SIZES

    def formula(self, m: Any, x: Any) -> Any:
        if self.infinity_mode is IsInfinityMode.EITHER:
            return m.abs(x) == m.inf
        return x == (m.inf if self.infinity_mode is IsInfinityMode.POSITIVE else -m.inf)


class ElementWiseIf(Operator, since="2.0", id=88):
    """a where the condition is not 0, else b; elements keep their bits."""

    rank = RANK_4
    condition_tensor: TensorDesc = tensor_input({"2.0": UINT8})
    a_tensor: TensorDesc = tensor_input(_CHOSEN)
    b_tensor: TensorDesc = tensor_input(_CHOSEN)
    output_tensor: TensorDesc = tensor_output(_CHOSEN)
    same = (
        same("condition_tensor a_tensor b_tensor output_tensor", "DimensionCount Sizes"),
        same("a_tensor b_tensor output_tensor", "DataType"),
    )
    works_on_bits = True

    def formula(self, m: Any, condition: Any, a: Any, b: Any) -> Any:
        return m.where(condition != 0, a, b)
