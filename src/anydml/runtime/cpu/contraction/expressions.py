"""Expressions of results while they are in registers: the operations that need no function of their own.

Each operation has NumPy's meaning, bit for bit. What is not here is left to a nest that runs after the product.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anydml.core.expression import BOOL, ElementType, Node, walk
from anydml.runtime.cpu.contraction.machine import Machine
from anydml.runtime.cpu.contraction.writer import Writer

_FLOATS = {"float16": "half", "float32": "float", "float64": "double"}
_ARITHMETIC = {"add": "add", "subtract": "sub", "multiply": "mul"}
_COMPARED = {
    "equal": ("oeq", "eq", "eq"),
    "not_equal": ("une", "ne", "ne"),
    "less": ("olt", "slt", "ult"),
    "less_equal": ("ole", "sle", "ule"),
    "greater": ("ogt", "sgt", "ugt"),
    "greater_equal": ("oge", "sge", "uge"),
}
"""How floats, signed and unsigned integers are compared; NaN differs from everything."""
_ROUNDED = ("rint", "floor", "ceil", "trunc")
_LEAVES = ("load", "result", "constant")
MOST_OPERATIONS = 24
"""Longer expressions are compiled once and run in a loop, not written out for every vector of a tile."""

Leaf = Callable[[Node], str]


def type_name(type: ElementType) -> str:
    """LLVM's name of an element's type."""
    if type == BOOL:
        return "i1"
    return _FLOATS.get(type.name) or f"i{8 * type.itemsize}"


def can_emit(machine: Machine, *roots: Node) -> bool:
    """Whether all operations are here, for this machine."""
    return all(_is_known(machine, node) for node in walk(*roots))


def count_operations(*roots: Node) -> int:
    return sum(node.op not in _LEAVES for node in walk(*roots))


def _is_known(machine: Machine, node: Node) -> bool:
    if node.type == np.float16 and not (machine.has_half_floats and node.op in (*_LEAVES, "cast", "where")):
        return False
    if node.op in _ROUNDED:
        return machine.rounds and node.type.kind == "f"
    if node.op == "cast":
        return _can_cast(machine, node.args[0].type, node.type)
    if node.op in ("divide", "sqrt", "negative", "absolute"):
        return node.type.kind == "f"
    known = (*_LEAVES, *_ARITHMETIC, *_COMPARED, "minimum", "maximum", "where")
    return node.op in known


def _can_cast(machine: Machine, source: ElementType, target: ElementType) -> bool:
    if target == BOOL:
        return False
    if np.float16 in (source, target):
        return {source, target} == {np.dtype(np.float16), np.dtype(np.float32)}
    return max(source.itemsize, target.itemsize) <= 4 or {source.kind, target.kind} <= set("fi")


def emit_values(e: Writer, lanes: int, roots: Sequence[Node], leaf: Leaf) -> list[str]:
    """The values of expressions on so many lanes; `leaf` gives those of loads and results."""
    values: dict[Node, str] = {}
    for node in walk(*roots):
        if node.op == "constant":
            values[node] = constant_text(node.value, node.type, lanes)
        elif node.op in _LEAVES:
            values[node] = leaf(node)
        else:
            values[node] = _Operation(e, lanes, node, values).emit()
    return [values[root] for root in roots]


def constant_text(number: Any, type: ElementType, lanes: int) -> str:
    element = type_name(type)
    text = _float_text(float(number), type) if type.kind == "f" else str(int(number))
    return text if lanes == 1 else f"<{', '.join([f'{element} {text}'] * lanes)}>"


def _float_text(number: float, type: ElementType) -> str:
    """LLVM writes floats as the bits of a double, but half ones as their own."""
    if type == np.float16:
        return f"0xH{struct.pack('>e', number).hex().upper()}"
    return f"0x{struct.pack('>d', number).hex().upper()}"


class _Operation:
    """One operation on vectors."""

    def __init__(self, e: Writer, lanes: int, node: Node, values: Mapping[Node, str]) -> None:
        self.e, self.lanes, self.node = e, lanes, node
        self.args = [values[arg] for arg in node.args]
        self.type = node.args[-1].type
        self.kind = e.kind(type_name(self.type), lanes)

    @property
    def is_float(self) -> bool:
        return self.type.kind == "f"

    def emit(self) -> str:
        op = self.node.op
        if op in _ARITHMETIC:
            prefix = "f" if self.is_float else ""
            return self.e.value(f"{prefix}{_ARITHMETIC[op]} {self.kind} {self.args[0]}, {self.args[1]}")
        if op in _COMPARED:
            return self._compare(_COMPARED[op], *self.args)
        if op in ("minimum", "maximum"):
            return self._extreme("less" if op == "minimum" else "greater")
        if op == "where":
            return self._select(*self.args)
        if op == "cast":
            return self._cast()
        return self._unary(op)

    def _unary(self, op: str) -> str:
        if op == "divide":
            return self.e.value(f"fdiv {self.kind} {self.args[0]}, {self.args[1]}")
        if op == "negative":
            return self.e.value(f"fneg {self.kind} {self.args[0]}")
        name = {"absolute": "fabs"}.get(op, op)
        suffix = f"f{8 * self.type.itemsize}" if self.lanes == 1 else f"v{self.lanes}f{8 * self.type.itemsize}"
        return self.e.intrinsic(f"{name}.{suffix}", self.kind, self.args[0])

    def _compare(self, how: tuple[str, str, str], left: str, right: str) -> str:
        number = 0 if self.is_float else 1 if self.type.kind == "i" else 2
        return self.e.value(f"{'f' if self.is_float else 'i'}cmp {how[number]} {self.kind} {left}, {right}")

    def _select(self, condition: str, chosen: str, other: str) -> str:
        truth = self.e.kind("i1", self.lanes)
        return self.e.value(f"select {truth} {condition}, {self.kind} {chosen}, {self.kind} {other}")

    def _extreme(self, op: str) -> str:
        """The first value where it goes beyond the second, else the second; NaN on either side is the result."""
        first, second = self.args
        if not self.is_float:
            return self._select(self._compare(_COMPARED[op], first, second), first, second)
        how = "ult" if op == "less" else "ugt"
        chosen = self._select(self.e.value(f"fcmp {how} {self.kind} {first}, {second}"), first, second)
        if _is_number(self.node.args[1]):
            return chosen
        is_nan = self.e.value(f"fcmp uno {self.kind} {second}, {second}")
        return self._select(is_nan, second, chosen)

    def _cast(self) -> str:
        source, target = self.node.args[0].type, self.node.type
        to = self.e.kind(type_name(target), self.lanes)
        if source.kind == "f" and target.kind in "iu":
            return self._to_integer(to, target)
        return self.e.value(f"{_conversion(source, target)} {self.kind} {self.args[0]} to {to}")

    def _to_integer(self, to: str, target: ElementType) -> str:
        """Toward zero, kept inside the range, NaN as 0."""
        wide = f"i{8 * target.itemsize}" if self.lanes == 1 else f"v{self.lanes}i{8 * target.itemsize}"
        bits = 8 * self.type.itemsize
        suffix = f"{wide}.f{bits}" if self.lanes == 1 else f"{wide}.v{self.lanes}f{bits}"
        name = f"@llvm.fpto{'s' if target.kind == 'i' else 'u'}i.sat.{suffix}"
        self.e.declare(f"{to} {name}({self.kind})")
        return self.e.value(f"call {to} {name}({self.kind} {self.args[0]})")


def _is_number(node: Node) -> bool:
    return node.op == "constant" and node.value == node.value


def _conversion(source: ElementType, target: ElementType) -> str:
    if source.kind == "f":
        return "fpext" if target.itemsize > source.itemsize else "fptrunc"
    if target.kind == "f":
        return "sitofp" if source.kind == "i" else "uitofp"
    if source == BOOL:
        return "zext"
    if target.itemsize == source.itemsize:
        return "bitcast"
    return "trunc" if target.itemsize < source.itemsize else "sext" if source.kind == "i" else "zext"
