"""The 13 data types of DirectML, and how each is stored."""

from __future__ import annotations

from contextlib import suppress
from enum import Enum
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from anydml.core.errors import InvalidDescriptionError, shown
from anydml.core.fixes import Advice, Either, Fix, Use, suggest
from anydml.core.integers import require_integer
from anydml.core.meanings import meant
from anydml.core.members import Members
from anydml.core.outside import answer, as_integer, as_text
from anydml.core.rules import rule

UNKNOWN_TYPE = rule("data-type.known", "A data type is one of DirectML's 13, given by enum, by name or by NumPy dtype.")
NO_RANGE = rule("data-type.range", "Integer types have a smallest and a largest number.")
PREFIX = "DML_TENSOR_DATA_TYPE_"
_LONGEST_NAME = 64
AMBIGUOUS = {
    "FLOAT": ("FLOAT32", "FLOAT64"),
    "INT": ("INT32", "INT64"),
    "UINT": ("UINT32", "UINT64"),
    "LONG": ("INT64", "INT32"),
    "ULONG": ("UINT64", "UINT32"),
    "BYTE": ("UINT8", "INT8"),
}
"""Names of types that have one width or sign in C, C# or PyTorch, and another in NumPy: none is guessed."""


class DataType(Enum, metaclass=Members):
    """A DirectML data type; the value is DirectML's own number."""

    __hash__ = object.__hash__  # members are unique; that of Enum asks for the hash of the name, at every look-up

    FLOAT32 = 1
    FLOAT16 = 2
    UINT32 = 3
    UINT16 = 4
    UINT8 = 5
    INT32 = 6
    INT16 = 7
    INT8 = 8
    FLOAT64 = 9
    UINT64 = 10
    INT64 = 11
    UINT4 = 12
    INT4 = 13

    bits: int
    """Bits an element takes in memory."""
    is_packed_pair: bool
    """Whether two elements share a byte (the 4-bit types; the even element is the low half)."""
    element_bytes: int
    """Bytes of one element once in an array: 4-bit values are held in a byte each."""
    alignment_bytes: int
    """What an element's address must be a multiple of."""
    numpy_dtype: np.dtype[np.generic]
    """The NumPy dtype of an element; INT4 and UINT4 unpack to int8 and uint8."""
    is_float: bool
    is_signed: bool

    @property
    def id(self) -> int:
        """DirectML's number of the type."""
        number: int = self.value
        return number

    @property
    def dml_name(self) -> str:
        return PREFIX + self.name

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest value of an integer type."""
        if self.is_float:
            raise InvalidDescriptionError(NO_RANGE("range", self.name, "an integer type", "np.finfo(...) of a float"))
        if self.is_signed:
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return 0, (1 << self.bits) - 1

    @property
    def unsigned(self) -> DataType:
        """The unsigned integer type of the same width: what an element is as bits."""
        return DataType[f"UINT{self.bits}"]

    def bytes_for(self, elements: int) -> int:
        """Bytes that hold this many elements."""
        count = elements if type(elements) is int else require_integer(elements, "elements")
        return (count * self.bits + 7) // 8

    @classmethod
    def parse(cls, value: DataTypeLike, path: str = "DataType") -> DataType:
        """A DataType from an enum, a name ("FLOAT32", with or without prefix) or a NumPy dtype.

        Names that mean one type in C and another in NumPy ("float", "int", "long") are refused.
        """
        if isinstance(value, DataType):
            return value
        text = as_text(value)
        found = cls._by_dtype(value) if text is None else cls._by_name(text)
        if found is None:
            given: object = value if text is None else text
            usual: Fix = Use(DataType.FLOAT32.name)
            fix = answer(lambda: _fix_for(given), usual)
            raise InvalidDescriptionError(UNKNOWN_TYPE(path, shown(value), "a DirectML data type", fix))
        return found

    @classmethod
    def _by_name(cls, name: str) -> DataType | None:
        if len(name) > _LONGEST_NAME:  # NumPy would read it as a list of types, however long
            return None
        bare = _bare(name)
        return None if bare in AMBIGUOUS else cls.__members__.get(bare) or cls._by_dtype(name)

    @classmethod
    def _by_dtype(cls, value: object) -> DataType | None:
        if isinstance(value, int) and not isinstance(value, bool):
            number = as_integer(value)
            return next((member for member in cls if member.value == number), None)
        if value is None:  # NumPy would read None as float64
            return None
        try:
            dtype = np.dtype(value)  # type: ignore[call-overload]
        except Exception:  # NumPy parses text from outside, and fails in many ways
            return cls._by_foreign(value)
        return _FROM_NUMPY.get(dtype)

    @classmethod
    def _by_foreign(cls, value: object) -> DataType | None:
        """The type that another library's dtype names: `torch.float32`."""
        if isinstance(value, (str, bytes, type)) or type(value).__name__ not in ("dtype", "DType"):
            return None
        return cls.__members__.get(answer(lambda: str(value), "").rpartition(".")[2].upper())


def _fix_for(value: object) -> Fix:
    """What to write instead of a type that DirectML does not have; types of other libraries are converted first."""
    known = [member.name for member in DataType]
    if isinstance(value, str) and _bare(value) in AMBIGUOUS:
        return Either(tuple(map(Use, AMBIGUOUS[_bare(value)])))
    value = _as_dtype(value)
    if isinstance(value, np.dtype) and value.kind == "c":
        return Advice("two tensors, one of array.real and one of array.imag")
    if isinstance(value, str):
        return suggest(_bare(value), known)
    if isinstance(value, (np.ndarray, np.generic)):
        return Advice("the dtype of the array, or TensorDesc.from_array(...)")
    name = str(getattr(value, "name", None) or getattr(value, "__name__", None) or shown(value))[:64]
    if isinstance(value, np.dtype) and not value.isnative:
        native = value.newbyteorder("=").name
        return Advice(f"{native!r} and array.astype(np.{native}), since numbers lie in the machine's byte order")
    bare = name.rpartition(".")[2].upper()
    near = meant(bare, known)
    if not near:
        return suggest(bare, known)
    cast = DataType[near[0]].numpy_dtype.name
    if bare == near[0]:  # PyTorch, JAX and others have the same type under the same name
        return Use(near[0])
    return Advice(f"{near[0]!r} and a cast, such as array.astype(np.{cast})")


def _bare(name: str) -> str:
    """A name in DirectML's spelling, without its prefix."""
    return name.strip().upper().removeprefix(PREFIX)[:_LONGEST_NAME]


def _as_dtype(value: object) -> object:
    """The NumPy dtype that a name or class stands for; anything else as it is."""
    if isinstance(value, str) and len(value) > _LONGEST_NAME:  # NumPy would read it as a list of types, however long
        return value
    if isinstance(value, str) or (isinstance(value, type) and issubclass(value, np.generic)):
        with suppress(Exception):  # NumPy parses text from outside, and fails in many ways
            return np.dtype(value)
    return value


DataTypeLike: TypeAlias = DataType | str | int | npt.DTypeLike

FLOATS = frozenset({DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT64})
SIGNED_INTEGERS = frozenset({DataType.INT4, DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64})
UNSIGNED_INTEGERS = frozenset({DataType.UINT4, DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.UINT64})
INTEGERS = SIGNED_INTEGERS | UNSIGNED_INTEGERS


def _state_facts() -> None:
    """What is asked of a type at every run, as attributes: properties that look it up take longer."""
    for member in DataType:
        member.bits = int("".join(filter(str.isdigit, member.name)))
        member.is_packed_pair = member.bits < 8
        member.element_bytes = member.alignment_bytes = max(member.bits // 8, 1)
        member.is_float = member.name.startswith("FLOAT")
        member.is_signed = not member.name.startswith("UINT")
        name = member.name.lower()
        member.numpy_dtype = np.dtype(name.replace("int4", "int8") if member.is_packed_pair else name)


_state_facts()
_FROM_NUMPY = {member.numpy_dtype: member for member in DataType if not member.is_packed_pair}
