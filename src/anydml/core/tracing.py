"""Tracing: a formula run once on stand-ins for elements gives the expression it computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anydml.core.expression import BOOL, ElementType, Node, cast, constant, operation
from anydml.core.operations import OPERATIONS


class Traced:
    """Stands for an element while a formula is traced; computing with it makes nodes.

    Python numbers take the type of the other operand. Other types are not mixed: a formula says where it converts,
    so that it means the same on every device.
    """

    __slots__ = ("node",)
    __array_ufunc__ = None
    """NumPy scalars leave operators to this class."""

    def __init__(self, node: Node) -> None:
        self.node = node

    @property
    def dtype(self) -> ElementType:
        return self.node.type

    def astype(self, dtype: Any) -> Traced:
        return Traced(cast(self.node, np.dtype(dtype)))

    def __bool__(self) -> bool:
        raise TypeError("a formula cannot branch on a value; use m.where")

    def __add__(self, other: Any) -> Traced:
        return apply("add", self, other)

    def __radd__(self, other: Any) -> Traced:
        return apply("add", other, self)

    def __sub__(self, other: Any) -> Traced:
        return apply("subtract", self, other)

    def __rsub__(self, other: Any) -> Traced:
        return apply("subtract", other, self)

    def __mul__(self, other: Any) -> Traced:
        return apply("multiply", self, other)

    def __rmul__(self, other: Any) -> Traced:
        return apply("multiply", other, self)

    def __truediv__(self, other: Any) -> Traced:
        return apply("divide", self, other)

    def __rtruediv__(self, other: Any) -> Traced:
        return apply("divide", other, self)

    def __floordiv__(self, other: Any) -> Traced:
        return apply("floor_divide", self, other)

    def __mod__(self, other: Any) -> Traced:
        return apply("remainder", self, other)

    def __pow__(self, other: Any) -> Traced:
        return apply("power", self, other)

    def __neg__(self) -> Traced:
        return apply("negative", self)

    def __abs__(self) -> Traced:
        return apply("absolute", self)

    def __invert__(self) -> Traced:
        return apply("invert", self)

    def __and__(self, other: Any) -> Traced:
        return apply("bitwise_and", self, other)

    def __or__(self, other: Any) -> Traced:
        return apply("bitwise_or", self, other)

    def __xor__(self, other: Any) -> Traced:
        return apply("bitwise_xor", self, other)

    def __lshift__(self, other: Any) -> Traced:
        return apply("left_shift", self, other)

    def __rshift__(self, other: Any) -> Traced:
        return apply("right_shift", self, other)

    def __eq__(self, other: Any) -> Traced:  # type: ignore[override]
        return apply("equal", self, other)

    def __ne__(self, other: Any) -> Traced:  # type: ignore[override]
        return apply("not_equal", self, other)

    def __lt__(self, other: Any) -> Traced:
        return apply("less", self, other)

    def __le__(self, other: Any) -> Traced:
        return apply("less_equal", self, other)

    def __gt__(self, other: Any) -> Traced:
        return apply("greater", self, other)

    def __ge__(self, other: Any) -> Traced:
        return apply("greater_equal", self, other)

    __hash__ = None  # type: ignore[assignment]


def apply(op: str, *args: Any) -> Traced:
    """An operation on traced values and numbers."""
    traced = [arg for arg in args if isinstance(arg, Traced)]
    numbers = traced[1:] or traced[:1] if op == "where" and isinstance(args[0], Traced) else traced
    if not numbers:
        raise TypeError(f"{op} of numbers alone has no type; leave it to Python")
    chosen = numbers[0].node.type
    nodes = [_node(arg, BOOL if op == "where" and i == 0 else chosen) for i, arg in enumerate(args)]
    return Traced(operation(op, *nodes))


def _node(value: Any, type: ElementType) -> Node:
    if isinstance(value, Traced):
        return value.node
    if isinstance(value, np.generic):
        if value.dtype != type:
            raise TypeError(f"a number of {value.dtype} beside elements of {type}")
        return constant(value.item(), type)
    if isinstance(value, float) and type.kind != "f":
        raise TypeError(f"a float beside elements of {type}; convert with .astype first")
    return constant(value, type)


class TracedFunctions:
    """NumPy's names for what formulas use; each makes nodes. Those that are no operation are composed of some."""

    inf, nan, pi, e = float("inf"), float("nan"), float(np.pi), float(np.e)
    iinfo, finfo = staticmethod(np.iinfo), staticmethod(np.finfo)
    float16, float32, float64 = np.float16, np.float32, np.float64
    int8, int16, int32, int64 = np.int8, np.int16, np.int32, np.int64
    uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64

    def __getattr__(self, name: str) -> Any:
        if name not in OPERATIONS:
            raise AttributeError(f"{name!r} is no operation of expressions")
        return lambda *args: apply(name, *args)

    @staticmethod
    def abs(x: Traced) -> Traced:
        return apply("absolute", x)

    @staticmethod
    def cast(x: Traced, dtype: Any) -> Traced:
        return x.astype(dtype)

    @staticmethod
    def where(condition: Any, chosen: Any, other: Any) -> Traced:
        if not isinstance(chosen, Traced) and not isinstance(other, Traced):
            raise TypeError("where needs a value with a type")
        typed = chosen if isinstance(chosen, Traced) else other
        nodes = [_node(value, typed.node.type) for value in (chosen, other)]
        return Traced(operation("where", condition.node, *nodes))

    @staticmethod
    def clip(x: Traced, low: Any, high: Any) -> Traced:
        return apply("minimum", apply("maximum", x, low), high)

    @staticmethod
    def square(x: Traced) -> Traced:
        return x * x

    @staticmethod
    def isnan(x: Traced) -> Traced:
        return x != x

    @staticmethod
    def isinf(x: Traced) -> Traced:
        return abs(x) == float("inf")

    @staticmethod
    def isfinite(x: Traced) -> Traced:
        return abs(x) < float("inf")

    logical_and = staticmethod(lambda a, b: apply("bitwise_and", a, b))
    logical_or = staticmethod(lambda a, b: apply("bitwise_or", a, b))
    logical_xor = staticmethod(lambda a, b: apply("bitwise_xor", a, b))
    logical_not = staticmethod(lambda a: apply("invert", a))


TRACED = TracedFunctions()


def trace(formula: Any, loads: Sequence[Node | None]) -> Node:
    """The expression a formula computes from these elements; None for tensors that are absent."""
    value = formula(TRACED, *(None if node is None else Traced(node) for node in loads))
    if not isinstance(value, Traced):
        raise TypeError(f"a formula returned {type(value).__name__}, not an element")
    return value.node
