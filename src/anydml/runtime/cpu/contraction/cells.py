"""Cells: what a lane of a packed operand holds, and how two of them are multiplied and added to a sum.

A cell of floats is one float32. Small integers are multiplied two at once: a cell holds two 16-bit integers that follow
one another in depth. Bytes become such integers when they are packed.
"""

from __future__ import annotations

from dataclasses import dataclass

from anydml.core.datatype import DataType
from anydml.runtime.cpu.contraction.writer import Writer

_NAMES = {
    DataType.FLOAT32: "float",
    DataType.FLOAT16: "half",
    DataType.INT8: "i8",
    DataType.UINT8: "i8",
    DataType.INT16: "i16",
}


@dataclass(frozen=True)
class Cells:
    """The numbers of a cell, and the instruction that multiplies two cells."""

    count: int
    """Numbers that follow one another in depth: one float, or two integers of 16 bits."""

    @property
    def is_float(self) -> bool:
        return self.count == 1

    @property
    def element(self) -> str:
        """LLVM's type of a cell and of a sum."""
        return "float" if self.is_float else "i32"

    def depth(self, numbers: int) -> int:
        """How many cells hold so many numbers."""
        return -(-numbers // self.count)

    def multiply_add(self, e: Writer, left: str, right: str, total: str, lanes: int | None = None) -> str:
        count = e.lanes if lanes is None else lanes
        kind = e.kind(self.element, count)
        if self.is_float:
            return _add_floats(e, count, left, right, total)
        return e.value(f"add {kind} {total}, {_multiply_words(e, count, left, right)}")

    def add(self, e: Writer, left: str, right: str) -> str:
        return e.value(f"{'fadd' if self.is_float else 'add'} {e.kind(self.element)} {left}, {right}")


FLOATS, WORDS = Cells(1), Cells(2)


def _add_floats(e: Writer, lanes: int, left: str, right: str, total: str) -> str:
    kind = e.kind("float", lanes)
    if e.machine.fuses:
        return e.intrinsic(f"fma.v{lanes}f32", kind, left, right, total)
    return e.value(f"fadd {kind} {total}, {e.value(f'fmul {kind} {left}, {right}')}")


def _multiply_words(e: Writer, lanes: int, left: str, right: str) -> str:
    """The sum of the products of both halves of each lane."""
    kind = e.kind("i32", lanes)
    if e.machine.multiplies_words:
        narrow = f"<{2 * lanes} x i16>"
        name = {4: "x86.sse2.pmadd.wd", 8: "x86.avx2.pmadd.wd", 16: "x86.avx512.pmaddw.d.512"}[lanes]
        words = [e.value(f"bitcast {kind} {value} to {narrow}") for value in (left, right)]
        e.declare(f"{kind} @llvm.{name}({narrow}, {narrow})")
        return e.value(f"call {kind} @llvm.{name}({narrow} {words[0]}, {narrow} {words[1]})")
    sixteen = f"<{', '.join(['i32 16'] * lanes)}>"
    high = [e.value(f"ashr {kind} {value}, {sixteen}") for value in (left, right)]
    raised = [e.value(f"shl {kind} {value}, {sixteen}") for value in (left, right)]
    low = [e.value(f"ashr {kind} {value}, {sixteen}") for value in raised]
    products = [e.value(f"mul {kind} {a}, {b}") for a, b in (low, high)]
    return e.value(f"add {kind} {products[0]}, {products[1]}")


@dataclass(frozen=True)
class Source:
    """Elements of a tensor that become cells."""

    type: DataType
    cells: Cells

    @property
    def element(self) -> str:
        return _NAMES[self.type]

    @property
    def element_bytes(self) -> int:
        return self.type.element_bytes

    @property
    def number(self) -> str:
        """LLVM's type of a number inside a cell."""
        return "float" if self.cells.is_float else "i16"

    @property
    def number_bytes(self) -> int:
        return 4 // self.cells.count

    def numbers_of(self, e: Writer, elements: str, count: int) -> str:
        """So many elements as the numbers that cells hold."""
        if self.element == self.number:
            return elements
        convert = "fpext" if self.cells.is_float else "sext" if self.type is DataType.INT8 else "zext"
        kinds = e.kind(self.element, count), e.kind(self.number, count)
        return e.value(f"{convert} {kinds[0]} {elements} to {kinds[1]}")

    def cells_of(self, e: Writer, elements: str, count: int) -> str:
        """Cells of consecutive elements, `count` of them."""
        numbers = self.numbers_of(e, elements, count)
        if self.cells.is_float:
            return numbers
        return e.value(f"bitcast {e.kind('i16', count)} {numbers} to {e.kind('i32', count // 2)}")
