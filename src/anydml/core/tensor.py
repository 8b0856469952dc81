"""TensorDesc: a data type, a layout and what DirectML's buffer description adds to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from anydml.core import nibbles
from anydml.core.calling import answering
from anydml.core.datatype import DataType, DataTypeLike
from anydml.core.describing import (
    C_FIELDS,
    GRANULARITY_BYTES,
    MINIMUM_ALIGNMENT_BYTES,
    TENSOR_FIELD,
    Reader,
    TensorFlags,
    check_strides,
    round_up,
)
from anydml.core.errors import (
    BindingError,
    InvalidDescriptionError,
    UnsupportedError,
    Violation,
    counted,
    raise_if_any,
    shown,
)
from anydml.core.fixes import Advice, Remove
from anydml.core.geometry import ELEMENTS, MAXIMUM_ELEMENTS, MAXIMUM_RANK, SPAN, check_geometry
from anydml.core.integers import all_integers, require_integer
from anydml.core.jsontext import read_json, require_object, to_json
from anydml.core.layout import Layout
from anydml.core.levels import LEVELS, FeatureLevel, FeatureLevelLike
from anydml.core.memory import Described, locate
from anydml.core.rules import rule
from anydml.core.stored import as_array, as_elements
from anydml.process.loading import load_module

__all__ = [
    "C_FIELDS",
    "GRANULARITY_BYTES",
    "MINIMUM_ALIGNMENT_BYTES",
    "TensorDesc",
    "TensorFlags",
    "calc_buffer_tensor_size",
    "round_up",
]

LEVEL_RANK = rule("level.rank", "Before feature level 3.0 a tensor has at most 5 dimensions.")
LEVEL_TYPE = rule("level.data-type", "64-bit types come with feature level 3.0, 4-bit types with 6.3.")
RANK_PADDING = rule("with-rank.leading", "Rank grows by leading 1s and shrinks by dropping leading 1s.")
READ_ONLY = rule("buffer.writable", "What is stored to is writable.")
ARRAY_STRIDES = rule("from-array.strides", "An array's strides are whole, non-negative numbers of elements.")


@answering()
def calc_buffer_tensor_size(data_type: DataTypeLike, sizes: Sequence[int], strides: Sequence[int] | None = None) -> int:
    """The least size in bytes of a buffer for this tensor: what DMLCalcBufferTensorSize is for, never wrapping."""
    reader = Reader()
    kind = reader.attempt(lambda: DataType.parse(data_type))
    counts, steps = reader.numbers(sizes, strides)
    checked = check_geometry(counts, steps) if counts is not None else []
    if isinstance(checked, list):
        # Sizes too large to describe still have an exact size; every other fault is told as for a TensorDesc.
        reader.violations += [v for v in checked if v.rule not in (ELEMENTS.id, SPAN.id)]
    reader.violations += check_strides(steps)
    raise_if_any(reader.violations, subject="calc_buffer_tensor_size")
    own, apart = all_integers(counts) or (), all_integers(steps)
    if apart is None:
        elements = prod(own)
    else:
        elements = 1 + sum((count - 1) * step for count, step in zip(own, apart, strict=True))
    return round_up(kind.bytes_for(elements), GRANULARITY_BYTES)


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

    @overload
    def __init__(
        self,
        /,
        data_type: DataTypeLike,
        sizes: Sequence[int] | Layout,
        strides: Sequence[int] | None = None,
        *,
        order: str | None = None,
        axes: str | None = None,
        flags: TensorFlags | int | str | Sequence[str] | None = TensorFlags.NONE,
        total_tensor_size_in_bytes: int | None = None,
        guaranteed_base_offset_alignment: int = 0,
    ) -> None: ...

    @overload
    def __init__(
        self,
        /,
        *,
        DataType: DataTypeLike,
        Sizes: Sequence[int],
        Strides: Sequence[int] | None = None,
        DimensionCount: int | None = None,
        Flags: TensorFlags | int | str | Sequence[str] | None = TensorFlags.NONE,
        TotalTensorSizeInBytes: int | None = None,
        GuaranteedBaseOffsetAlignment: int = 0,
    ) -> None: ...

    def __init__(
        self,
        /,
        data_type: DataTypeLike | None = None,
        sizes: Sequence[int] | Layout | None = None,
        strides: Sequence[int] | None = None,
        *,
        order: str | None = None,
        axes: str | None = None,
        flags: TensorFlags | int | str | Sequence[str] | None = TensorFlags.NONE,
        total_tensor_size_in_bytes: int | None = None,
        guaranteed_base_offset_alignment: int = 0,
        **c_fields: Any,
    ) -> None:
        reader = Reader()
        if c_fields or data_type is None or sizes is None:
            given: dict[str, Any] = {"data_type": data_type, "sizes": sizes, "strides": strides}
            reader.take_c_fields(c_fields, given)
            data_type, sizes, strides = given["data_type"], given["sizes"], given["strides"]
            flags = given.get("flags", flags)
            total_tensor_size_in_bytes = given.get("total_tensor_size_in_bytes", total_tensor_size_in_bytes)
            guaranteed_base_offset_alignment = given.get(
                "guaranteed_base_offset_alignment", guaranteed_base_offset_alignment
            )
        kind = reader.attempt(lambda: DataType.parse(data_type)) if data_type is not None else None
        layout = reader.layout(sizes, strides, order, axes) if sizes is not None else None
        read_flags = reader.attempt(lambda: TensorFlags.parse(flags))
        alignment = reader.alignment(guaranteed_base_offset_alignment, kind)
        total = reader.total(total_tensor_size_in_bytes, kind, layout)
        raise_if_any(reader.violations, subject="TensorDesc")
        implicit = strides is None and order is None and not isinstance(sizes, Layout)
        values = (kind, layout, read_flags, total, alignment, implicit)
        for name, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def from_array(cls, /, array: Any, **rest: Any) -> TensorDesc:
        """Describe an array in hand, strides and all, so that `desc.view(array's memory)` is that array."""
        array = as_array(array, "array")
        kind = DataType.parse(array.dtype)
        told = [name for name in ("data_type", "sizes", "strides") if name in rest]
        own = "none, since the array has its own"
        wrong = [TENSOR_FIELD(name, shown(rest[name]), own, Remove(name)) for name in told]
        raise_if_any(wrong, subject="TensorDesc.from_array")
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
        """The size of each dimension."""
        return self.layout.sizes

    @property
    def strides(self) -> tuple[int, ...]:
        """The strides in force; packed ones when none were given."""
        return self.layout.strides

    @property
    def rank(self) -> int:
        """How many dimensions there are."""
        return self.layout.rank

    @property
    def dimension_count(self) -> int:
        return self.layout.rank

    @property
    def minimum_size_in_bytes(self) -> int:
        """The bytes the strides reach, before rounding up to 4."""
        return self.data_type.bytes_for(self.layout.span)

    @property
    def least_total_size_in_bytes(self) -> int:
        """The least total size: what the strides reach, rounded up to 4 bytes."""
        return round_up(self.minimum_size_in_bytes, GRANULARITY_BYTES)

    @property
    def physical_element_count(self) -> int:
        """The buffer in elements. The 1 to 3 bytes that only round its size up to 4 are not counted."""
        if self.total_tensor_size_in_bytes == self.least_total_size_in_bytes:
            return self.layout.span
        return self.total_tensor_size_in_bytes * 8 // self.data_type.bits

    @property
    def is_packed(self) -> bool:
        """As many elements in the buffer as indices, each at an offset of its own."""
        return self.layout.is_packed and not self.is_padded

    @property
    def is_padded(self) -> bool:
        """The buffer is larger than its elements need: gaps between them, or room after the last."""
        return self.layout.is_padded or self.total_tensor_size_in_bytes > self.least_total_size_in_bytes

    @property
    def is_broadcast(self) -> bool:
        """Some dimension repeats its elements: a size above 1 with stride 0."""
        return self.layout.is_broadcast

    @property
    def is_owned_by_dml(self) -> bool:
        return TensorFlags.OWNED_BY_DML in self.flags

    def replace(self, /, **changes: Any) -> TensorDesc:
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

    def broadcast_to(self, sizes: Sequence[int]) -> TensorDesc:
        """The same memory seen with these sizes: dimensions of size 1, and new leading ones, repeat by stride 0."""
        wider = self.layout.broadcast_to(sizes)
        return self.replace(
            sizes=wider.sizes, strides=wider.strides, total_tensor_size_in_bytes=self.total_tensor_size_in_bytes
        )

    # As data

    def to_dict(self) -> dict[str, Any]:
        """DirectML's field names with plain values, as model files have them; what is at its default is left out."""
        found: dict[str, Any] = {"DataType": self.data_type.name, "Sizes": list(self.sizes)}
        if not self.has_implicit_strides:
            found["Strides"] = list(self.strides)
        if self.flags:
            found["Flags"] = self.flags.name
        if self.total_tensor_size_in_bytes != self.least_total_size_in_bytes:
            found["TotalTensorSizeInBytes"] = self.total_tensor_size_in_bytes
        if self.guaranteed_base_offset_alignment:
            found["GuaranteedBaseOffsetAlignment"] = self.guaranteed_base_offset_alignment
        return found

    def to_json(self) -> str:
        """`to_dict` as text."""
        return to_json(self.to_dict())

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> TensorDesc:
        """The description that `to_dict` wrote."""
        return cls(**require_object(fields, "TensorDesc"))

    @classmethod
    def from_json(cls, text: str) -> TensorDesc:
        """The description that `to_json` wrote."""
        return cls.from_dict(read_json(text, "TensorDesc"))

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
        """Write values through the strides; no byte between or around the elements changes.

        Floats are rounded to the nearest that the type has. What it has no number for is refused: fractions, NaN and
        what is out of range for integers, finite values beyond its largest for floats.
        """
        data = self.locate(buffer, offset)
        if not data.flags.writeable:
            found = f"read-only {type(buffer).__name__}"
            raise BindingError(READ_ONLY("buffer", found, "writable memory", Advice("a bytearray or a NumPy array")))
        elements = as_elements(values, self.data_type, "values", BindingError, self.sizes)
        spread = np.broadcast_to(elements, self.sizes)
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
        parts = [repr(self.data_type.name), repr(list(self.sizes))]
        parts += [
            f"{C_FIELDS[name]}={value!r}" for name, value in self.to_dict().items() if name not in ("DataType", "Sizes")
        ]
        return f"TensorDesc({', '.join(parts)})"

    def _repr_html_(self) -> str:
        """In a notebook, a description draws itself."""
        return str(load_module("anydml.view.notebook").draw(self))
