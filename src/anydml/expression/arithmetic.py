"""What `+`, `<`, `~` and the like mean between expressions, and between an expression and a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anydml.process.loading import load_module

if TYPE_CHECKING:
    from anydml.expression.graph import Expression


def _functions() -> Any:
    return load_module("anydml.expression.functions")


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not hasattr(value, "__len__") and not isinstance(value, Arithmetic)


class Arithmetic:
    """The operators of an expression. Numbers become the scale and bias of an identity, as in DirectMLX."""

    def _binary(self, name: str, a: Any, b: Any) -> Expression:
        filled = _functions().filled_like
        a, b = (filled(self, value) if _is_number(value) else value for value in (a, b))
        made: Expression = getattr(_functions(), name)(a, b)
        return made

    def _scaled(self, scale: float, bias: float, name: str = "identity") -> Expression:
        made: Expression = getattr(_functions(), name)(self, scale_bias=(float(scale), float(bias)))
        return made

    def __add__(self, other: Any) -> Expression:
        return self._scaled(1, other) if _is_number(other) else self._binary("add", self, other)

    def __radd__(self, other: Any) -> Expression:
        return self._scaled(1, other) if _is_number(other) else self._binary("add", other, self)

    def __sub__(self, other: Any) -> Expression:
        return self._scaled(1, -other) if _is_number(other) else self._binary("subtract", self, other)

    def __rsub__(self, other: Any) -> Expression:
        return self._scaled(-1, other) if _is_number(other) else self._binary("subtract", other, self)

    def __mul__(self, other: Any) -> Expression:
        return self._scaled(other, 0) if _is_number(other) else self._binary("multiply", self, other)

    def __rmul__(self, other: Any) -> Expression:
        return self._scaled(other, 0) if _is_number(other) else self._binary("multiply", other, self)

    def __truediv__(self, other: Any) -> Expression:
        if _is_number(other) and float(other):
            return self._scaled(1 / float(other), 0)
        return self._binary("divide", self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        if not _is_number(other):
            return self._binary("divide", other, self)
        made: Expression = _functions().recip(self)
        return made if float(other) == 1 else made * other

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
