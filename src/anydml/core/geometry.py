"""What sizes, strides and an offset must be before they make a layout."""

from __future__ import annotations

from math import prod

from anydml.core.errors import Violation, counted
from anydml.core.integers import INT64_MAX, Integers, all_integers, read_integer, read_integers
from anydml.core.orders import packed_strides
from anydml.core.rules import rule

MAXIMUM_RANK = 8
MAXIMUM_ELEMENTS = (1 << 32) - 1

RANK = rule("sizes.count", "A tensor has 1 to 8 dimensions.")
SIZE = rule("sizes.positive", "Every size is at least 1.")
STRIDE_COUNT = rule("strides.count", "There is one stride for each size.")
ELEMENTS = rule("sizes.product", "The sizes' product is at most 2^32 - 1 elements.")
SPAN = rule("layout.span", "First to last element, a layout spans at most 2^32 - 1 elements.")
OFFSET = rule("layout.offset", "An offset is a 64-bit number.")


def check_geometry(
    sizes: object, strides: object = None, offset: object = 0
) -> tuple[tuple[int, ...], tuple[int, ...], int] | list[Violation]:
    """Sizes, strides and offset as plain integers, or everything that is wrong with them."""
    violations: list[Violation] = []
    raw_sizes = read_integers(sizes, "Sizes", violations)
    raw_strides = read_integers(strides, "Strides", violations) if strides is not None else None
    good_offset = read_integer(offset, "Offset", violations)
    if raw_sizes is not None:
        violations += _check_sizes(raw_sizes)
        if raw_strides is not None and len(raw_strides) != len(raw_sizes):
            found, fix = counted(len(raw_strides), "stride"), "no strides at all for a packed tensor"
            violations.append(STRIDE_COUNT("Strides", found, f"{len(raw_sizes)} as Sizes has", fix))
    if good_offset is not None and abs(good_offset) > INT64_MAX:
        violations.append(OFFSET("Offset", good_offset, "a 64-bit number"))
    good_sizes = all_integers(raw_sizes)
    if violations or good_sizes is None or good_offset is None:
        return violations
    good_strides = all_integers(raw_strides)
    violations += _check_extent(good_sizes, good_strides)
    return violations or (good_sizes, good_strides or packed_strides(good_sizes), good_offset)


def _check_sizes(sizes: Integers) -> list[Violation]:
    violations = []
    if not 1 <= len(sizes) <= MAXIMUM_RANK:
        fix = "merging dimensions" if sizes else "[1] for a single element"
        violations.append(RANK("Sizes", counted(len(sizes), "size"), f"1 to {MAXIMUM_RANK}", fix))
    for i, size in enumerate(sizes[:MAXIMUM_RANK]):
        if size is not None and size < 1:
            violations.append(SIZE(f"Sizes[{i}]", size, "at least 1", "1, or leaving the empty tensor out"))
    return violations


def _check_extent(sizes: tuple[int, ...], strides: tuple[int, ...] | None) -> list[Violation]:
    violations = []
    if prod(sizes) > MAXIMUM_ELEMENTS:
        fix = "splitting the tensor"
        violations.append(ELEMENTS("Sizes", f"{prod(sizes)} elements", f"at most {MAXIMUM_ELEMENTS}", fix))
    if strides is None:  # packed: the span is the product
        return violations
    span = 1 + sum((size - 1) * abs(stride) for size, stride in zip(sizes, strides, strict=True))
    if span > MAXIMUM_ELEMENTS:
        fix = "smaller strides"
        violations.append(SPAN("Strides", f"a span of {span} elements", f"at most {MAXIMUM_ELEMENTS}", fix))
    return violations
