"""Tables of numbers held in registers: every lane picks an element of its own.

AVX-512 picks one of 32 with a single instruction.
"""

from __future__ import annotations

from collections.abc import Sequence

from anydml.runtime.native.math.parts import by_parts
from anydml.runtime.native.math.values import FLOAT32, INT32, Lanes, Number, Vector

TABLE_SIZE = 32
_WIDTH = 16
_INTRINSIC = "llvm.x86.avx512.vpermi2var.ps.512"


def can_look_up(lanes: Lanes) -> bool:
    return lanes.machine.looks_up


def looked_up(table: Sequence[Number], place: Vector) -> Vector:
    """The elements of a table of float32 at these places, of which only the low five bits count."""
    assert len(table) == TABLE_SIZE and place.type == INT32
    return by_parts([place], (_WIDTH,), lambda places: _picked(table, *places))


def _picked(table: Sequence[Number], place: Vector) -> Vector:
    lanes = place.lanes
    low, high = (_elements(lanes, table[first : first + _WIDTH]) for first in (0, _WIDTH))
    kind, integers = lanes.type_name(FLOAT32), place.type_name
    lanes.e.declare(f"{kind} @{_INTRINSIC}({kind}, {integers}, {kind})")
    return lanes.value(f"call {kind} @{_INTRINSIC}({low.typed}, {place.typed}, {high.typed})", FLOAT32)


def _elements(lanes: Lanes, numbers: Sequence[Number]) -> Vector:
    """A vector of different numbers."""
    one = Lanes(lanes.e, 1, lanes.machine)
    written = ", ".join(one.constant(number, FLOAT32).typed for number in numbers)
    return lanes.named(f"<{written}>", FLOAT32)
