"""Cells: what a lane of a packed operand holds, and how two of them are multiplied and added to a sum.

A cell of floats is one float32. Small integers are multiplied several at once: a cell holds four bytes, or two 16-bit
integers, that follow one another in depth.
"""

from __future__ import annotations

from dataclasses import dataclass

from anydml.core.datatype import DataType
from anydml.runtime.cpu.contraction.machine import Machine
from anydml.runtime.cpu.contraction.writer import Writer

_NAMES = {DataType.FLOAT32: "float", DataType.FLOAT16: "half", DataType.INT8: "i8", DataType.UINT8: "i8"}
FLIP = 128
"""Added to a signed byte, this gives an unsigned one; taken off an unsigned one, a signed one."""


@dataclass(frozen=True)
class Cells:
    """The numbers of a cell, and the instruction that multiplies two cells."""

    count: int
    """Numbers that follow one another in depth."""
    is_float: bool = True
    is_left_unsigned: bool = False
    """Of bytes: the instruction takes unsigned ones from one side and signed ones from the other."""

    @property
    def element(self) -> str:
        """LLVM's type of a cell and of a sum."""
        return "float" if self.is_float else "i32"

    def depth(self, numbers: int) -> int:
        """How many cells hold so many numbers."""
        return -(-numbers // self.count)

    def multiply_add(self, e: Writer, left: str, right: str, total: str) -> str:
        kind = e.kind(self.element)
        if self.is_float:
            return _add_floats(e, kind, left, right, total)
        if self.count == 4:
            unsigned, signed = (left, right) if self.is_left_unsigned else (right, left)
            name = f"x86.avx512.vpdpbusd.{8 * e.machine.vector_bytes}"
            return e.intrinsic(name, kind, total, unsigned, signed)
        return e.value(f"add {kind} {total}, {_multiply_words(e, kind, left, right)}")


FLOATS = Cells(1)
WORDS = Cells(2, is_float=False)


def integer_cells(machine: Machine, is_left_unsigned: bool) -> Cells:
    """Cells for products of bytes."""
    return Cells(4, False, is_left_unsigned) if machine.multiplies_bytes else WORDS


def _add_floats(e: Writer, kind: str, left: str, right: str, total: str) -> str:
    if e.machine.fuses:
        return e.intrinsic(f"fma.v{e.lanes}f32", kind, left, right, total)
    return e.value(f"fadd {kind} {total}, {e.value(f'fmul {kind} {left}, {right}')}")


def _multiply_words(e: Writer, kind: str, left: str, right: str) -> str:
    """The sum of the products of both halves of each lane."""
    if e.machine.multiplies_words:
        narrow = f"<{2 * e.lanes} x i16>"
        name = {4: "x86.sse2.pmadd.wd", 8: "x86.avx2.pmadd.wd", 16: "x86.avx512.pmaddw.d.512"}[e.lanes]
        words = [e.value(f"bitcast {kind} {value} to {narrow}") for value in (left, right)]
        e.declare(f"{kind} @llvm.{name}({narrow}, {narrow})")
        return e.value(f"call {kind} @llvm.{name}({narrow} {words[0]}, {narrow} {words[1]})")
    sixteen = f"<{', '.join(['i32 16'] * e.lanes)}>"
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
    flips: bool = False
    """Whether bytes change their sign on the way; see `FLIP`."""

    @property
    def element(self) -> str:
        return _NAMES[self.type]

    @property
    def element_bytes(self) -> int:
        return self.type.element_bytes

    @property
    def is_plain(self) -> bool:
        """Whether cells are the elements as they are."""
        return self.type is DataType.FLOAT32

    @property
    def number(self) -> str:
        """LLVM's type of a number inside a cell."""
        return {1: "float", 2: "i16", 4: "i8"}[self.cells.count]

    def number_bytes(self) -> int:
        """Of a number inside a cell."""
        return 4 // self.cells.count

    def cells_of(self, e: Writer, elements: str, count: int, mask: str | None = None) -> str:
        """Cells of consecutive elements, `count` of them; those outside the mask, which are 0, stay 0."""
        if self.cells.is_float:
            return (
                elements
                if self.is_plain
                else e.value(f"fpext {e.kind('half', count)} {elements} to {e.kind('float', count)}")
            )
        lanes = count // self.cells.count
        if self.cells.count == 2:
            extend = "sext" if self.type is DataType.INT8 else "zext"
            wide = e.value(f"{extend} {e.kind('i8', count)} {elements} to {e.kind('i16', count)}")
            return e.value(f"bitcast {e.kind('i16', count)} {wide} to {e.kind('i32', lanes)}")
        return e.value(
            f"bitcast {e.kind('i8', count)} {self.flipped(e, elements, count, mask)} to {e.kind('i32', lanes)}"
        )

    def flipped(self, e: Writer, elements: str, count: int, mask: str | None = None) -> str:
        if not self.flips:
            return elements
        kind = e.kind("i8", count)
        turned = e.value(f"xor {kind} {elements}, <{', '.join(['i8 -128'] * count)}>")
        return (
            turned
            if mask is None
            else e.value(f"select {e.kind('i1', count)} {mask}, {kind} {turned}, {kind} zeroinitializer")
        )

    def number_of(self, e: Writer, element: str) -> tuple[str, str]:
        """One element as the number that a cell holds: its type and value."""
        if self.cells.is_float:
            return "float", element if self.is_plain else e.value(f"fpext half {element} to float")
        if self.cells.count == 2:
            extend = "sext" if self.type is DataType.INT8 else "zext"
            return "i16", e.value(f"{extend} i8 {element} to i16")
        return "i8", e.value(f"xor i8 {element}, -128") if self.flips else element
