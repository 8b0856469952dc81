"""What `+`, `<`, `~` and the like mean between expressions, and between an expression and a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anydml.core.outside import as_number
from anydml.process.loading import load_module

if TYPE_CHECKING:
    from anydml.expression.graph import Expression


def _functions() -> Any:
    return load_module("anydml.expression.functions")


class Arithmetic:
    """The operators of an expression. Numbers become the scale and bias of an identity, as in DirectMLX."""

    __array_ufunc__ = None
    """NumPy's arrays and numbers leave operators to this class: their own would make arrays of expressions."""

    def _binary(self, name: str, a: Any, b: Any) -> Expression:
        filled = _functions().filled_like
        a, b = (value if as_number(value) is None else filled(self, value) for value in (a, b))
        made: Expression = getattr(_functions(), name)(a, b)
        return made

    def _scaled(self, scale: float, bias: float) -> Expression:
        made: Expression = _functions().identity(self, scale_bias=(scale, bias))
        return made

    def __add__(self, other: Any) -> Expression:
        number = as_number(other)
        return self._binary("add", self, other) if number is None else self._scaled(1, number)

    def __radd__(self, other: Any) -> Expression:
        number = as_number(other)
        return self._binary("add", other, self) if number is None else self._scaled(1, number)

    def __sub__(self, other: Any) -> Expression:
        number = as_number(other)
        return self._binary("subtract", self, other) if number is None else self._scaled(1, -number)

    def __rsub__(self, other: Any) -> Expression:
        number = as_number(other)
        return self._binary("subtract", other, self) if number is None else self._scaled(-1, number)

    def __mul__(self, other: Any) -> Expression:
        number = as_number(other)
        return self._binary("multiply", self, other) if number is None else self._scaled(number, 0)

    def __rmul__(self, other: Any) -> Expression:
        number = as_number(other)
        return self._binary("multiply", other, self) if number is None else self._scaled(number, 0)

    def __truediv__(self, other: Any) -> Expression:
        number = as_number(other)
        return self._scaled(1 / number, 0) if number else self._binary("divide", self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        number = as_number(other)
        if number is None:
            return self._binary("divide", other, self)
        made: Expression = _functions().recip(self)
        return made if number == 1 else made * number

    def __mod__(self, other: Any) -> Expression:
        return self._binary("modulus_truncate", self, other)

    def __and__(self, other: Any) -> Expression:
        return self._binary("bit_and", self, other)

    def __or__(self, other: Any) -> Expression:
        return self._binary("bit_or", self, other)

    def __xor__(self, other: Any) -> Expression:
        return self._binary("bit_xor", self, other)

    def __lshift__(self, other: Any) -> Expression:
        return self._binary("bit_shift_left", self, other)

    def __rshift__(self, other: Any) -> Expression:
        return self._binary("bit_shift_right", self, other)

    def __lt__(self, other: Any) -> Expression:
        return self._binary("less_than", self, other)

    def __le__(self, other: Any) -> Expression:
        return self._binary("less_than_or_equal", self, other)

    def __gt__(self, other: Any) -> Expression:
        return self._binary("greater_than", self, other)

    def __ge__(self, other: Any) -> Expression:
        return self._binary("greater_than_or_equal", self, other)

    def __eq__(self, other: object) -> Expression:  # type: ignore[override]
        return self._binary("equals", self, other)

    def __ne__(self, other: object) -> Expression:  # type: ignore[override]
        made: Expression = _functions().logical_not(self == other)
        return made

    __hash__ = object.__hash__

    def __pow__(self, exponent: Any) -> Expression:
        made: Expression = _functions().pow(self, exponent)
        return made

    def __matmul__(self, other: Any) -> Expression:
        return self._binary("gemm", self, other)

    def __neg__(self) -> Expression:
        made: Expression = _functions().negate(self)
        return made

    def __abs__(self) -> Expression:
        made: Expression = _functions().abs(self)
        return made

    def __invert__(self) -> Expression:
        made: Expression = _functions().bit_not(self)
        return made

    def __bool__(self) -> bool:
        raise TypeError("an expression has no value yet; use logical_and, logical_or and if_ to compute with it")
