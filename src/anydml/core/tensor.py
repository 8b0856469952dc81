"""TensorDesc: a data type, a layout and what DirectML's buffer description adds to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntFlag
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core import nibbles
from anydml.core.datatype import DataType, DataTypeLike
from anydml.core.errors import (
    BindingError,
    InvalidDescriptionError,
    UnsupportedError,
    Violation,
    counted,
    raise_if_any,
    shown,
)
from anydml.core.fixes import Advice, Use, suggest
from anydml.core.geometry import ELEMENTS, MAXIMUM_ELEMENTS, MAXIMUM_RANK, SPAN, check_geometry
from anydml.core.integers import INT64_MAX, Integers, all_integers, read_integer, read_integers, require_integer
from anydml.core.layout import Layout
from anydml.core.levels import LEVELS, FeatureLevel, FeatureLevelLike
from anydml.core.memory import Described, locate
from anydml.core.orders import check_order, order_strides
from anydml.core.rules import rule

GRANULARITY_BYTES = 4
MINIMUM_ALIGNMENT_BYTES = 16

NEGATIVE_STRIDE = rule(
    "strides.negative", "A description's strides are unsigned; only a Slice1 window may run backwards."
)
STRIDE_RANGE = rule("strides.range", "A stride is a 32-bit number.")
STRIDES_OR_ORDER = rule("strides.or-order", "Strides are given as numbers or as a named order, not both.")
FLAGS = rule("flags.known", "Flags are NONE or OWNED_BY_DML.")
TOTAL_SIZE = rule("total-size.minimum", "The total size holds every element the strides reach, rounded up to 4 bytes.")
TOTAL_MULTIPLE = rule("total-size.multiple", "The total size is a multiple of 4 bytes.")
TOTAL_RANGE = rule("total-size.range", "A tensor has fewer than 2^63 bytes.")
ALIGNMENT_POWER = rule("alignment.power", "A guaranteed alignment is 0 or a power of two.")
ALIGNMENT_ELEMENT = rule("alignment.element", "A guaranteed alignment is at least an element.")
LEVEL_RANK = rule("level.rank", "Before feature level 3.0 a tensor has at most 5 dimensions.")
LEVEL_TYPE = rule("level.data-type", "64-bit types come with feature level 3.0, 4-bit types with 6.3.")
RANK_PADDING = rule("with-rank.leading", "Rank grows by leading 1s and shrinks by dropping leading 1s.")
READ_ONLY = rule("buffer.writable", "What is stored to is writable.")
STORED_SHAPE = rule("store.shape", "Stored values have the tensor's sizes, or broadcast to them.")
ARRAY_STRIDES = rule("from-array.strides", "An array's strides are whole, non-negative numbers of elements.")


class TensorFlags(IntFlag):
    """Flags of a tensor description."""

    NONE = 0
    OWNED_BY_DML = 1

    @classmethod
    def parse(cls, value: TensorFlags | int | str | Sequence[str] | None, path: str = "Flags") -> TensorFlags:
        """Flags from the enum, a number, a name with or without prefix, or a list of names."""
        if value is None:
            return cls.NONE
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1:
            return cls(value)
        names = value.split("|") if isinstance(value, str) else value
        if isinstance(names, (list, tuple)):
            found = [cls.__members__.get(str(name).strip().upper().removeprefix("DML_TENSOR_FLAG_")) for name in names]
            if None not in found:
                return cls(sum({int(flag) for flag in found if flag is not None}))
        fix = suggest(value[:64] if isinstance(value, str) else "", list(cls.__members__))
        raise InvalidDescriptionError(FLAGS(path, shown(value), "NONE or OWNED_BY_DML", fix))


def calc_buffer_tensor_size(data_type: DataTypeLike, sizes: Sequence[int], strides: Sequence[int] | None = None) -> int:
    """The least size in bytes of a buffer for this tensor: what DMLCalcBufferTensorSize is for, never wrapping."""
    reader = _Reader()
    kind = reader.attempt(lambda: DataType.parse(data_type))
    counts, steps = reader.numbers(sizes, strides)
    checked = check_geometry(counts, steps) if counts is not None else []
    if isinstance(checked, list):
        # Sizes too large to describe still have an exact size; every other fault is told as for a TensorDesc.
        reader.violations += [v for v in checked if v.rule not in (ELEMENTS.id, SPAN.id)]
    reader.violations += _check_strides(steps)
    raise_if_any(reader.violations, subject="calc_buffer_tensor_size")
    own, apart = all_integers(counts) or (), all_integers(steps)
    if apart is None:
        elements = prod(own)
    else:
        elements = 1 + sum((count - 1) * step for count, step in zip(own, apart, strict=True))
    return round_up(kind.bytes_for(elements), GRANULARITY_BYTES)


def round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def _check_strides(strides: Integers | None) -> list[Violation]:
    """What a description asks of strides beyond what a layout does."""
    violations = []
    for i, stride in enumerate(strides or ()):
        if stride is not None and stride < 0:
            fix = f"{-stride} here and Slice1 with a negative window stride to reverse"
            violations.append(NEGATIVE_STRIDE(f"Strides[{i}]", stride, "0 or more", fix))
        elif stride is not None and stride >= 1 << 32:
            violations.append(STRIDE_RANGE(f"Strides[{i}]", stride, "below 2^32", "a smaller stride"))
    return violations


@dataclass(frozen=True)
class TensorDesc:
    """DML_BUFFER_TENSOR_DESC: valid on construction, or an error with everything that is wrong."""

    data_type: DataType
    layout: Layout
    flags: TensorFlags
    total_tensor_size_in_bytes: int
    guaranteed_base_offset_alignment: int
    has_implicit_strides: bool = field(compare=False)
    """Whether no strides were given (DirectML's null): packed, last axis fastest."""

    def __init__(
        self,
        data_type: DataTypeLike,
        sizes: Sequence[int],
        strides: Sequence[int] | None = None,
        *,
        order: str | None = None,
        axes: str | None = None,
        flags: TensorFlags | int | str | Sequence[str] | None = TensorFlags.NONE,
        total_tensor_size_in_bytes: int | None = None,
        guaranteed_base_offset_alignment: int = 0,
    ) -> None:
        reader = _Reader()
        kind = reader.attempt(lambda: DataType.parse(data_type))
        layout = reader.layout(sizes, strides, order, axes)
        read_flags = reader.attempt(lambda: TensorFlags.parse(flags))
        alignment = reader.alignment(guaranteed_base_offset_alignment, kind)
        total = reader.total(total_tensor_size_in_bytes, kind, layout)
        raise_if_any(reader.violations, subject="TensorDesc")
        implicit = strides is None and order is None
        values = (kind, layout, read_flags, total, alignment, implicit)
        for name, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def from_array(cls, array: Any, **rest: Any) -> TensorDesc:
        """Describe an array in hand, strides and all, so that `desc.view(array's memory)` is that array."""
        array = np.asarray(array)
        kind = DataType.parse(array.dtype)
        if array.ndim == 0:
            return cls(kind, [1], **rest)
        if array.flags.c_contiguous:
            return cls(kind, array.shape, **rest)
        violations: list[Violation] = []
        for i, (step, size) in enumerate(zip(array.strides, array.shape, strict=True)):
            if step < 0 and size > 1:
                fix = f"the array reversed back (axis {i}), then Slice1 with window stride -1 there"
                violations.append(ARRAY_STRIDES(f"Strides[{i}]", step, "0 or more bytes", fix))
            elif step % kind.element_bytes and size > 1:
                expected = f"a multiple of {kind.element_bytes} bytes"
                violations.append(ARRAY_STRIDES(f"Strides[{i}]", step, expected, "a copy of the array"))
        raise_if_any(violations, subject="TensorDesc.from_array")
        # The stride of a size of 1 addresses nothing, and NumPy may have any number there.
        pairs = zip(array.strides, array.shape, strict=True)
        return cls(kind, array.shape, [s // kind.element_bytes if n > 1 else 1 for s, n in pairs], **rest)

    # What the description says

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.layout.sizes

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides in force; packed ones when none were given."""
        return self.layout.strides

    @property
    def rank(self) -> int:
        return self.layout.rank

    @property
    def dimension_count(self) -> int:
        return self.layout.rank

    @property
    def minimum_size_in_bytes(self) -> int:
        """The bytes the strides reach, before rounding up to 4."""
        return self.data_type.bytes_for(self.layout.span)

    @property
    def is_owned_by_dml(self) -> bool:
        return TensorFlags.OWNED_BY_DML in self.flags

    def replace(self, **changes: Any) -> TensorDesc:
        """A copy with some arguments of the constructor changed."""
        geometry = {"sizes", "strides", "order"} & changes.keys() or "data_type" in changes
        now: dict[str, Any] = {
            "data_type": self.data_type,
            "sizes": self.sizes,
            "strides": None if self.has_implicit_strides or "order" in changes else self.strides,
            "flags": self.flags,
            "total_tensor_size_in_bytes": None if geometry else self.total_tensor_size_in_bytes,
            "guaranteed_base_offset_alignment": self.guaranteed_base_offset_alignment,
        }
        return TensorDesc(**(now | changes))

    def with_rank(self, rank: int) -> TensorDesc:
        """The same tensor with leading 1s added (an HW tensor as {1, 1, H, W}) or dropped."""
        wanted = require_integer(rank, "rank")
        extra, dropped = max(wanted - self.rank, 0), max(self.rank - wanted, 0)
        if not 1 <= wanted <= MAXIMUM_RANK or any(size != 1 for size in self.sizes[:dropped]):
            expected = f"a rank of 1 to {MAXIMUM_RANK} that only adds or drops leading sizes of 1"
            raise InvalidDescriptionError(RANK_PADDING("Sizes", f"{self.sizes} to rank {wanted}", expected))
        outer = min(max(self.sizes[0] * self.strides[0], self.layout.span), MAXIMUM_ELEMENTS)
        sizes = (1,) * extra + self.sizes[dropped:]
        strides = (outer,) * extra + self.strides[dropped:]
        return self.replace(
            sizes=sizes,
            strides=None if self.has_implicit_strides else strides,
            total_tensor_size_in_bytes=self.total_tensor_size_in_bytes,
        )

    # Feature levels

    def check_level(self, level: FeatureLevelLike) -> list[Violation]:
        """What this feature level does not allow of any tensor."""
        facts = LEVELS[FeatureLevel.parse(level)]
        violations = []
        if self.rank > facts.maximum_rank:
            expected = f"at most {facts.maximum_rank}"
            violations.append(LEVEL_RANK("Sizes", counted(self.rank, "dimension"), expected, feature_level="3.0"))
        if self.data_type not in facts.data_types:
            lowest = next(lv for lv in FeatureLevel if self.data_type in LEVELS[lv].data_types)
            expected = "a type of that level"
            violations.append(LEVEL_TYPE("DataType", self.data_type.name, expected, feature_level=lowest.text))
        return violations

    def require_level(self, level: FeatureLevelLike) -> TensorDesc:
        """This description, or an error if the level does not allow it."""
        raise_if_any(self.check_level(level), UnsupportedError, subject="TensorDesc")
        return self

    # Memory

    def view(self, buffer: Any, offset: int = 0) -> npt.NDArray[Any]:
        """The tensor's elements in this memory, as an array that shares it and never reaches outside it.

        Two 4-bit elements share a byte, which no array can address: those come as a read-only unpacked copy;
        `store` writes them.
        """
        data = self.locate(buffer, offset)
        kind = self.data_type
        elements = nibbles.unpack(data, kind) if kind.is_packed_pair else data
        if kind.is_packed_pair:
            elements.flags.writeable = False
        # A size of 1 takes no step, and NumPy should not wonder where an enormous one would lead.
        steps = [s * kind.element_bytes if n > 1 else 0 for s, n in zip(self.strides, self.sizes, strict=True)]
        return np.ndarray(self.sizes, kind.numpy_dtype, elements, strides=steps)

    def store(self, buffer: Any, values: npt.ArrayLike, offset: int = 0) -> None:
        """Write values through the strides; no byte between or around the elements changes."""
        data = self.locate(buffer, offset)
        if not data.flags.writeable:
            found = f"read-only {type(buffer).__name__}"
            raise BindingError(READ_ONLY("buffer", found, "writable memory", Advice("a bytearray or a NumPy array")))
        given = np.asarray(values)
        try:
            spread = np.broadcast_to(given, self.sizes)
        except ValueError as error:
            found, expected = f"an array of shape {given.shape}", f"{self.sizes}, or what broadcasts to it"
            raise BindingError(STORED_SHAPE("values", found, expected)) from error
        if self.data_type.is_packed_pair:
            nibbles.write(data, self.layout.offsets(), spread)
        else:
            self.view(buffer, offset)[...] = spread

    def locate(self, buffer: Any, offset: int = 0) -> npt.NDArray[np.uint8]:
        """The bytes of the buffer from the tensor's first element to its last, checked."""
        return locate(
            buffer,
            offset,
            self.minimum_size_in_bytes,
            self.data_type.alignment_bytes,
            self.guaranteed_base_offset_alignment,
            self.described,
        )

    @cached_property
    def described(self) -> Described:
        """Where elements lie, in bytes: to tell whether a strided array is just this tensor."""
        size = self.data_type.element_bytes
        return Described.from_strides(self.sizes, tuple(stride * size for stride in self.strides), size)

    def __repr__(self) -> str:
        parts = [self.data_type.name, str(list(self.sizes))]
        if not self.has_implicit_strides:
            parts.append(f"strides={list(self.strides)}")
        if self.flags:
            parts.append("flags=OWNED_BY_DML")
        return f"TensorDesc({', '.join(parts)}, {self.total_tensor_size_in_bytes} bytes)"

    def _repr_html_(self) -> str:
        """In a notebook, a description draws itself."""
        from importlib import import_module

        return str(import_module("anydml.view.notebook").draw(self))


def _power_above(value: int) -> int:
    """The nearest power of two that is not below the value."""
    return min(1 << max(value - 1, 0).bit_length(), 1 << 31) if value > 0 else 0


class _Reader:
    """Collects every violation of one description, so that a user fixes them in one go."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []

    def attempt(self, read: Any) -> Any:
        try:
            return read()
        except InvalidDescriptionError as error:
            self.violations += error.violations
            return None

    def layout(self, sizes: object, strides: object, order: object, axes: str | None) -> Layout | None:
        if strides is not None and order is not None:
            self.violations.append(STRIDES_OR_ORDER("Strides", "strides and an order", "one of the two"))
        before = len(self.violations)
        counts, steps = self.numbers(sizes, strides)
        if counts is None or (len(self.violations) > before and strides is not None and steps is None):
            return None
        checked = check_geometry(counts, steps)
        wrong = [*(checked if isinstance(checked, list) else ()), *_check_strides(steps)]
        if order is not None:
            wrong += check_order(order, len(counts), axes)
        self.violations += wrong
        if isinstance(checked, list) or len(self.violations) > before:
            return None
        if order is not None:
            return Layout(checked[0], order_strides(checked[0], str(order), axes))
        return Layout.trusted(*checked)

    def numbers(self, sizes: object, strides: object) -> tuple[Integers | None, Integers | None]:
        """Sizes and strides, read once: what is read a second time may be something else then."""
        counts = read_integers(sizes, "Sizes", self.violations)
        return counts, None if strides is None else read_integers(strides, "Strides", self.violations)

    def alignment(self, value: object, kind: DataType | None) -> int:
        alignment = read_integer(value, "GuaranteedBaseOffsetAlignment", self.violations) or 0
        path = "GuaranteedBaseOffsetAlignment"
        if alignment < 0 or alignment & (alignment - 1) or alignment > 1 << 31:
            self.violations.append(
                ALIGNMENT_POWER(path, alignment, "0 or a power of two up to 2^31", Use(_power_above(alignment)))
            )
        elif alignment and kind is not None and alignment < kind.alignment_bytes:
            expected = f"0 or at least {kind.alignment_bytes}, an element of {kind.name}"
            self.violations.append(ALIGNMENT_ELEMENT(path, alignment, expected, Use(kind.alignment_bytes)))
        return alignment

    def total(self, value: object, kind: DataType | None, layout: Layout | None) -> int:
        path = "TotalTensorSizeInBytes"
        given = read_integer(value, path, self.violations) if value is not None else None
        if given is not None and not 0 <= given <= INT64_MAX:
            self.violations.append(TOTAL_RANGE(path, given, "0 to 2^63 - 1"))
        elif given is not None and given % GRANULARITY_BYTES:
            fix = Use(round_up(given, GRANULARITY_BYTES))
            self.violations.append(TOTAL_MULTIPLE(path, given, "a multiple of 4", fix))
        if kind is None or layout is None:
            return 0
        least = round_up(kind.bytes_for(layout.span), GRANULARITY_BYTES)
        if given is not None and 0 <= given < least:
            self.violations.append(TOTAL_SIZE(path, given, f"at least {least}", Use(least)))
        return least if given is None else given
