"""What a buffer holds at first: known in size and type before a byte is allocated, filled in later."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from anydml.core.datatype import DataType
from anydml.core.memory import Bytes
from anydml.files import elements, images, npy
from anydml.files.access import SourceFile, read_into
from anydml.files.places import at_key


class InitialValues(ABC):
    """Initial bytes of a resource. `fill` may still fail, when a file is not what its header said."""

    data_type: DataType | None
    """None for mixed types."""

    @property
    @abstractmethod
    def element_count(self) -> int: ...

    @property
    def size_in_bytes(self) -> int:
        assert self.data_type is not None
        return self.data_type.bytes_for(self.element_count)

    @abstractmethod
    def fill(self, target: Bytes) -> None:
        """Write all bytes to `target`, which has exactly this size."""


@dataclass(frozen=True)
class Listed(InitialValues):
    """Numbers that stand in the model."""

    data_type: DataType
    values: np.ndarray[Any, Any]

    @property
    def element_count(self) -> int:
        return int(self.values.size)

    def fill(self, target: Bytes) -> None:
        target[:] = elements.to_bytes(self.values, self.data_type)


@dataclass(frozen=True)
class Constant(InitialValues):
    """One value, many times."""

    data_type: DataType
    count: int
    value: int | float

    @property
    def element_count(self) -> int:
        return self.count

    def fill(self, target: Bytes) -> None:
        value = elements.to_array([self.value], self.data_type)[0]
        if self.data_type.is_packed_pair:
            target[:] = elements.to_bytes(np.full(self.count, value), self.data_type)
        else:
            target.view(self.data_type.numpy_dtype)[:] = value


@dataclass(frozen=True)
class Sequence(InitialValues):
    """A start and a step, added up in the data type itself, as DxDispatch does: rounding and wrapping included."""

    data_type: DataType
    count: int
    start: int | float
    delta: int | float

    @property
    def element_count(self) -> int:
        return self.count

    def fill(self, target: Bytes) -> None:
        start, delta = elements.to_array([self.start, self.delta], self.data_type)
        is_packed = self.data_type.is_packed_pair
        values = np.empty(self.count, delta.dtype) if is_packed else target.view(delta.dtype)
        values[:] = delta
        values[0] = start
        with np.errstate(all="ignore"):
            np.add.accumulate(values, dtype=values.dtype, out=values)
        if is_packed:
            target[:] = elements.to_bytes(values, self.data_type)


@dataclass(frozen=True)
class Mixed(InitialValues):
    """Elements of different types, one after the other without padding."""

    types: tuple[DataType, ...]
    data: bytes
    data_type: None = None

    @property
    def element_count(self) -> int:
        return len(self.types)

    @property
    def size_in_bytes(self) -> int:
        return len(self.data)

    def fill(self, target: Bytes) -> None:
        target[:] = np.frombuffer(self.data, np.uint8)


@dataclass(frozen=True)
class NpyFile(InitialValues):
    """A NumPy array in a file, by its header."""

    file: SourceFile
    header: npy.Header

    @property
    def data_type(self) -> DataType:  # type: ignore[override]
        return self.header.data_type

    @property
    def element_count(self) -> int:
        return self.header.element_count

    def fill(self, target: Bytes) -> None:
        with at_key("sourcePath"):
            npy.read_into(self.file, self.header, target)


@dataclass(frozen=True)
class RawFile(InitialValues):
    """The bytes of a file as they are."""

    data_type: DataType
    file: SourceFile
    bytes_in_file: int

    @property
    def element_count(self) -> int:
        return self.bytes_in_file * 8 // self.data_type.bits

    @property
    def size_in_bytes(self) -> int:
        return self.bytes_in_file

    def fill(self, target: Bytes) -> None:
        with at_key("sourcePath"):
            read_into(self.file, target)


@dataclass(frozen=True)
class ImageFile(InitialValues):
    """A picture as an NCHW tensor of floats from 0 to 1."""

    data_type: DataType
    file: SourceFile
    sizes: tuple[int, int, int]
    """Channels, height and width."""

    @property
    def element_count(self) -> int:
        channels, height, width = self.sizes
        return channels * height * width

    def fill(self, target: Bytes) -> None:
        with at_key("sourcePath"):
            pixels = images.read_image(self.file, self.sizes)
        target[:] = elements.to_bytes(pixels.astype(self.data_type.numpy_dtype), self.data_type)
