"""Tables of numbers held in registers: every lane picks an element of its own.

AVX-512 picks one of 32 with a single instruction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anydml.runtime.native.math.parts import by_parts
from anydml.runtime.native.math.values import FLOAT32, INT32, Lanes, Number, Vector, fused

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


_LOW_BITS = 20
"""Without these, the bits of a float32 have three of its mantissa: there are eight pieces from a power of two on."""


@dataclass(frozen=True)
class Pieces:
    """A function of numbers from 0 on as a polynomial for each of 32 pieces, which grow with the numbers."""

    before: float
    """The high bits of a number plus this say which piece it is in."""
    largest: float
    """Numbers are at most so large."""
    centres: tuple[float, ...]
    """A number within each piece, where the function is nearly a float32: the last of the coefficients."""
    coefficients: tuple[tuple[float, ...], ...]
    """Of falling powers of the distance from the centre, for each piece."""

    def around(self, x: Vector) -> tuple[Vector, Vector, Vector]:
        """Where the function is known, how steeply it gets from there to x, and how far that is."""
        piece = (x + self.before).bits >> _LOW_BITS
        last = self._number(0.0) + TABLE_SIZE - 1
        if self._number(self.largest) > last:
            piece = piece.call("smin", last)
        centre, slope, *others, value = (looked_up(self._by_bits(row), piece) for row in self._tables)
        distance = x - centre
        for coefficient in others:
            slope = fused(slope, distance, coefficient)
        return value, slope, distance

    @property
    def _tables(self) -> tuple[tuple[float, ...], ...]:
        return self.centres, *self.coefficients

    def _number(self, x: float) -> int:
        return int(np.float32(x + self.before).view(np.int32)) >> _LOW_BITS

    def _by_bits(self, row: Sequence[float]) -> Sequence[float]:
        """Only the low bits of a piece's number say where in a table it is."""
        start = self._number(0.0) % TABLE_SIZE
        return [*row[TABLE_SIZE - start :], *row[: TABLE_SIZE - start]]


def numbers(text: str) -> tuple[float, ...]:
    return tuple(float(number) for number in text.split())
