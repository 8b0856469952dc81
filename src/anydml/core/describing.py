"""Reading a tensor description: its fields from what a user gave, with every problem noted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntFlag
from types import NoneType
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.enums import read_flags
from anydml.core.errors import InvalidDescriptionError, Violation, shown
from anydml.core.fixes import REMOVE_ONE, Add, Advice, Use, suggest
from anydml.core.geometry import MAXIMUM_RANK, check_geometry
from anydml.core.integers import INT64_MAX, Integers, read_integer, read_integers
from anydml.core.layout import Layout
from anydml.core.members import Members
from anydml.core.orders import check_order, order_strides
from anydml.core.outside import as_integer
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
TENSOR_FIELD = rule(
    "tensor.field", "A tensor's object has DataType, Sizes and the other fields of DML_BUFFER_TENSOR_DESC, no others."
)
LAYOUT_OFFSET = rule("layout.no-offset", "A description starts at its first element: its layout has no offset.")


C_FIELDS = {
    "DataType": "data_type",
    "Sizes": "sizes",
    "Strides": "strides",
    "Flags": "flags",
    "TotalTensorSizeInBytes": "total_tensor_size_in_bytes",
    "GuaranteedBaseOffsetAlignment": "guaranteed_base_offset_alignment",
}
"""The fields of DML_BUFFER_TENSOR_DESC, with their Python names."""


class TensorFlags(IntFlag, metaclass=Members):
    """Flags of a tensor description."""

    NONE = 0
    OWNED_BY_DML = 1

    @classmethod
    def parse(cls, value: TensorFlags | int | str | Sequence[str] | None, path: str = "Flags") -> TensorFlags:
        """Flags from the enum, a number, a name with or without prefix, or a list of names."""
        return read_flags(cls, value, "DML_TENSOR_FLAG_", FLAGS, path)


def round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def check_strides(strides: Integers | None) -> list[Violation]:
    """What a description asks of strides beyond what a layout does."""
    violations = []
    for i, stride in enumerate((strides or ())[:MAXIMUM_RANK]):
        if stride is not None and stride < 0:
            fix = f"{-stride} here and Slice1 with a negative window stride to reverse"
            violations.append(NEGATIVE_STRIDE(f"Strides[{i}]", stride, "0 or more", fix))
        elif stride is not None and stride >= 1 << 32:
            violations.append(STRIDE_RANGE(f"Strides[{i}]", stride, "below 2^32", "a smaller stride"))
    return violations


def _power_above(value: int) -> int:
    """The nearest power of two that is not below the value."""
    return min(1 << max(value - 1, 0).bit_length(), 1 << 31) if value > 0 else 0


class Reader:
    """Collects every violation of one description, so that a user fixes them in one go."""

    def __init__(self) -> None:
        self.violations: list[Violation] = []

    def attempt(self, read: Any) -> Any:
        try:
            return read()
        except InvalidDescriptionError as error:
            self.violations += error.violations
            return None

    def take_c_fields(self, c_fields: Mapping[str, Any], given: dict[str, Any]) -> None:
        """Sort DirectML's field names to the Python ones; note unknown names and what is missing."""
        for key, value in c_fields.items():
            name = C_FIELDS.get(key)
            if name is not None and given.get(name) is None:
                given[name] = value
            elif name is not None:
                self.violations.append(TENSOR_FIELD(key, f"{key} and {name}", "one of them", REMOVE_ONE))
            elif key != "DimensionCount":
                options = [*C_FIELDS.values(), "order", "axes"] if key[:1].islower() else list(C_FIELDS)
                fix = suggest(key, options)
                self.violations.append(TENSOR_FIELD(key, shown(key), "a field of a tensor", fix))
        for key in ("DataType", "Sizes"):
            if given[C_FIELDS[key]] is None:
                self.violations.append(TENSOR_FIELD(key, "nothing", f"{key} of the tensor", Add(C_FIELDS[key])))
        if c_fields.get("DimensionCount") is not None and not isinstance(given["sizes"], (Layout, NoneType)):
            given["sizes"] = self._counted(given["sizes"], c_fields["DimensionCount"])

    def _counted(self, sizes: object, count: object) -> Integers | None:
        """Sizes, as many as the count beside them says."""
        counts = read_integers(sizes, "Sizes", self.violations)
        if counts is not None and as_integer(count) != len(counts):
            expected = f"{len(counts)} as Sizes has"
            self.violations.append(TENSOR_FIELD("DimensionCount", shown(count), expected, Use(len(counts))))
        return counts

    def layout(self, sizes: object, strides: object, order: object, axes: str | None) -> Layout | None:
        if isinstance(sizes, Layout):
            given = sizes
            if given.offset:
                found, fix = f"a layout with offset {given.offset}", Advice("binding the buffer at an offset")
                self.violations.append(LAYOUT_OFFSET("Sizes", found, "offset 0", fix))
            if strides is not None or order is not None:
                found = "a layout beside strides or an order"
                self.violations.append(STRIDES_OR_ORDER("Strides", found, "one of them", REMOVE_ONE))
                return None
            sizes, strides = given.sizes, given.strides
        if strides is not None and order is not None:
            self.violations.append(STRIDES_OR_ORDER("Strides", "strides and an order", "one of the two"))
        before = len(self.violations)
        counts, steps = self.numbers(sizes, strides)
        if counts is None or (len(self.violations) > before and strides is not None and steps is None):
            return None
        checked = check_geometry(counts, steps)
        wrong = [*(checked if isinstance(checked, list) else ()), *check_strides(steps)]
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
