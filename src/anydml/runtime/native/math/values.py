"""Vectors while code is emitted: computing with them writes instructions.

A vector has a NumPy type, which knows what LLVM's types do not: whether integers have a sign. A vector of one lane is a
scalar. Python numbers beside a vector take its type. No instruction carries a fast-math flag.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from anydml.runtime.native.emit import Emitter, vector
from anydml.runtime.native.math.machine import Machine, host_machine

ElementType = np.dtype[Any]
Number = int | float

BOOL = np.dtype(np.bool_)
FLOAT16, FLOAT32, FLOAT64 = np.dtype(np.float16), np.dtype(np.float32), np.dtype(np.float64)
INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)
UINT32 = np.dtype(np.uint32)

_FLOAT_NAMES = {FLOAT16: "half", FLOAT32: "float", FLOAT64: "double"}
_MANTISSA_BITS = {FLOAT16: 10, FLOAT32: 23, FLOAT64: 52}


def scalar_name(type: ElementType) -> str:
    """LLVM's name of an element's type."""
    if type == BOOL:
        return "i1"
    return _FLOAT_NAMES.get(type) or f"i{8 * type.itemsize}"


def mantissa_bits(type: ElementType) -> int:
    return _MANTISSA_BITS[type]


def bits_type(type: ElementType) -> ElementType:
    """The signed integers as wide as floats of this type."""
    return np.dtype(f"i{type.itemsize}")


@dataclass(frozen=True)
class Lanes:
    """Where instructions go, on how many lanes they work, and for which machine."""

    e: Emitter
    count: int
    machine: Machine

    def type_name(self, type: ElementType) -> str:
        name = scalar_name(type)
        return name if self.count == 1 else vector(self.count, name)

    def suffix(self, type: ElementType) -> str:
        """The end of an intrinsic's name."""
        name = f"f{8 * type.itemsize}" if type.kind == "f" else scalar_name(type)
        return name if self.count == 1 else f"v{self.count}{name}"

    def named(self, name: str, type: ElementType) -> Vector:
        return Vector(self, name, type)

    def constant(self, number: Number, type: ElementType) -> Vector:
        text = _constant_text(number, type)
        if self.count > 1:
            text = f"<{', '.join([f'{scalar_name(type)} {text}'] * self.count)}>"
        return Vector(self, text, type)

    def value(self, instruction: str, type: ElementType) -> Vector:
        return Vector(self, self.e.value(instruction), type)


def lanes_of(e: Emitter, count: int) -> Lanes:
    return Lanes(e, count, host_machine())


def _constant_text(number: Number, type: ElementType) -> str:
    if type.kind != "f":
        return str(int(number))
    # LLVM writes floats of every width as the bits of a double.
    held = float(type.type(number))
    if type == FLOAT16:
        return f"0xH{struct.pack('>e', held).hex().upper()}"
    return f"0x{struct.pack('>d', held).hex().upper()}"


class Vector:
    """A value in every lane."""

    __slots__ = ("lanes", "name", "type")

    def __init__(self, lanes: Lanes, name: str, type: ElementType) -> None:
        self.lanes, self.name, self.type = lanes, name, type

    # --- instructions ------------------------------------------------------------------------

    @property
    def type_name(self) -> str:
        return self.lanes.type_name(self.type)

    @property
    def scalar_name(self) -> str:
        return scalar_name(self.type)

    @property
    def typed(self) -> str:
        """As an operand: "float %v1"."""
        return f"{self.type_name} {self.name}"

    def like(self, number: Operand) -> Vector:
        """A number as a vector of this one's type; vectors stay."""
        return number if isinstance(number, Vector) else self.lanes.constant(number, self.type)

    def _binary(self, instruction: str, other: Operand) -> Vector:
        return self.lanes.value(f"{instruction} {self.typed}, {self.like(other).name}", self.type)

    def _arithmetic(self, name: str, other: Operand) -> Vector:
        return self._binary(f"f{name}" if self.type.kind == "f" else name, other)

    def __add__(self, other: Operand) -> Vector:
        return self._arithmetic("add", other)

    def __sub__(self, other: Operand) -> Vector:
        return self._arithmetic("sub", other)

    def __mul__(self, other: Operand) -> Vector:
        return self._arithmetic("mul", other)

    def __radd__(self, other: Number) -> Vector:
        return self.like(other) + self

    def __rsub__(self, other: Number) -> Vector:
        return self.like(other) - self

    def __rmul__(self, other: Number) -> Vector:
        return self.like(other) * self

    def __truediv__(self, other: Operand) -> Vector:
        return self._binary("fdiv", other)

    def __rtruediv__(self, other: Number) -> Vector:
        return self.like(other) / self

    def __neg__(self) -> Vector:
        return self.lanes.value(f"fneg {self.typed}", self.type) if self.type.kind == "f" else 0 - self

    def __and__(self, other: Operand) -> Vector:
        return self._binary("and", other)

    def __or__(self, other: Operand) -> Vector:
        return self._binary("or", other)

    def __xor__(self, other: Operand) -> Vector:
        return self._binary("xor", other)

    def __invert__(self) -> Vector:
        return self ^ (1 if self.type == BOOL else -1)

    def __lshift__(self, count: Operand) -> Vector:
        """By fewer bits than there are: more would be undefined."""
        return self._binary("shl", count)

    def __rshift__(self, count: Operand) -> Vector:
        """The same; the sign, where there is one, comes in from above."""
        return self._binary("ashr" if self.type.kind == "i" else "lshr", count)

    # --- comparisons: with NaN all are false but `not_equal` ----------------------------------

    def compare(self, how: str, other: Operand) -> Vector:
        return self.lanes.value(f"{how} {self.typed}, {self.like(other).name}", BOOL)

    def _ordered(self, how: str, other: Operand) -> Vector:
        if self.type.kind == "f":
            return self.compare(f"fcmp o{how}", other)
        return self.compare(f"icmp {'s' if self.type.kind == 'i' else 'u'}{how}", other)

    def __lt__(self, other: Operand) -> Vector:
        return self._ordered("lt", other)

    def __le__(self, other: Operand) -> Vector:
        return self._ordered("le", other)

    def __gt__(self, other: Operand) -> Vector:
        return self._ordered("gt", other)

    def __ge__(self, other: Operand) -> Vector:
        return self._ordered("ge", other)

    def equals(self, other: Operand) -> Vector:
        return self.compare("fcmp oeq" if self.type.kind == "f" else "icmp eq", other)

    def differs(self, other: Operand) -> Vector:
        return self.compare("fcmp une" if self.type.kind == "f" else "icmp ne", other)

    def is_nan(self) -> Vector:
        return self.compare("fcmp uno", self)

    # --- other forms of the same value ---------------------------------------------------------

    def step(self, instruction: str, type: ElementType) -> Vector:
        """Converted by one instruction, such as `sext`."""
        return self.lanes.value(f"{instruction} {self.typed} to {self.lanes.type_name(type)}", type)

    @property
    def bits(self) -> Vector:
        """The bits of floats as signed integers."""
        return self.step("bitcast", bits_type(self.type))

    def as_bits_of(self, type: ElementType) -> Vector:
        """Integers read as the bits of floats, or with another sign."""
        if scalar_name(type) == scalar_name(self.type):
            return Vector(self.lanes, self.name, type)
        return self.step("bitcast", type)

    def widened(self) -> Vector:
        """float32 as float64."""
        return self.step("fpext", FLOAT64)

    def narrowed(self) -> Vector:
        """float64 as float32."""
        return self.step("fptrunc", FLOAT32)

    def call(self, intrinsic: str, *others: Operand, more: Sequence[str] = ()) -> Vector:
        """An intrinsic of LLVM whose operands and result have this type; `more` are operands of other types."""
        operands = [self, *(self.like(other) for other in others)]
        lanes, name = self.lanes, f"@llvm.{intrinsic}.{self.lanes.suffix(self.type)}"
        types = [operand.type_name for operand in operands] + [text.split()[0] for text in more]
        lanes.e.declare(f"{self.type_name} {name}({', '.join(types)})")
        written = ", ".join([operand.typed for operand in operands] + list(more))
        return lanes.value(f"call {self.type_name} {name}({written})", self.type)


Operand = Vector | int | float


# Functions of several vectors


def select(condition: Vector, chosen: Operand, other: Operand) -> Vector:
    """`chosen` where the condition holds, else `other`; one of them is a vector."""
    typed = chosen if isinstance(chosen, Vector) else cast(Vector, other)
    first, second = typed.like(chosen), typed.like(other)
    return typed.lanes.value(f"select {condition.typed}, {first.typed}, {second.typed}", typed.type)


def fused(a: Vector, b: Operand, c: Operand) -> Vector:
    """a * b + c, rounded once. Where the machine cannot, float32 goes through float64: the product is exact there."""
    if a.lanes.machine.fuses:
        return a.call("fma", b, c)
    assert a.type == FLOAT32, "only float32 has a wider type to be exact in"
    first, second, third = (a.like(operand).widened() for operand in (a, b, c))
    return (first * second + third).narrowed()


def multiply_add(a: Vector, b: Operand, c: Operand) -> Vector:
    """a * b + c, rounded once or twice, whichever is faster."""
    return a.call("fma", b, c) if a.lanes.machine.fuses else a * b + c


def polynomial(x: Vector, coefficients: Sequence[Number]) -> Vector:
    """Coefficients of falling powers, by Horner's rule."""
    result: Operand = coefficients[0]
    for coefficient in coefficients[1:]:
        result = multiply_add(x, result, coefficient)
    return cast(Vector, result)


def absolute(x: Vector) -> Vector:
    return x.call("fabs")


def copy_sign(magnitude: Operand, sign: Vector) -> Vector:
    return sign.like(magnitude).call("copysign", sign)


def with_sign(size: Vector, sign: Vector) -> Vector:
    """A number that is not negative with the sign of another: one instruction less than for any number."""
    bits = size.bits | (sign.bits & -(1 << (8 * sign.type.itemsize - 1)))
    return bits.as_bits_of(size.type)


def square_root(x: Vector) -> Vector:
    return x.call("sqrt")


def at_most(x: Vector, limit: Operand) -> Vector:
    """The smaller of both; NaN stays."""
    bound = x.like(limit)
    return select(bound < x, bound, x)


def at_least(x: Vector, limit: Operand) -> Vector:
    """The larger of both; NaN stays."""
    bound = x.like(limit)
    return select(bound > x, bound, x)


def branch(condition: Vector, usual: Vector, rare: Callable[[], Vector]) -> Vector:
    """`usual`, or what `rare` computes where the condition holds; code for `rare` runs only if some lane needs it."""
    e, lanes = usual.lanes.e, usual.lanes
    name = condition.name
    if lanes.count > 1:
        reduce = f"@llvm.vector.reduce.or.v{lanes.count}i1"
        e.declare(f"i1 {reduce}({condition.type_name})")
        name = e.value(f"call i1 {reduce}({condition.typed})")
    before = e._block
    with e.when(name):
        result = select(condition, rare(), usual)
        inside = e._block
    pairs = f"[ {usual.name}, %{before} ], [ {result.name}, %{inside} ]"
    return lanes.value(f"phi {usual.type_name} {pairs}", usual.type)
