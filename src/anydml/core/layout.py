"""Layout: a function from the index of an element to its place in memory.

`sizes` are logical, `strides` physical, both in elements; the offset of an index is the dot product of index
and strides. Packed, broadcast (stride 0), padded (a larger stride), reversed (a negative stride), NCHW and
NHWC are all just strides. A layout knows no bytes and no data type.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from anydml.core.errors import InvalidDescriptionError, Violation, raise_if_any
from anydml.core.integers import INT64_MAX, all_integers, read_integer, read_integers
from anydml.core.orders import OrderMatch, order_strides, packed_strides, recognize_order
from anydml.core.overlap import has_collision
from anydml.core.rules import rule

MAXIMUM_RANK = 8
MAXIMUM_ELEMENTS = (1 << 32) - 1

RANK = rule("sizes.count", "A tensor has 1 to 8 dimensions.", "dml.Layout((1,) * 9)")
SIZE = rule("sizes.positive", "Every size is at least 1.", "dml.Layout((2, 0))")
STRIDE_COUNT = rule("strides.count", "There is one stride for each size.", "dml.Layout((2, 3), (1,))")
ELEMENTS = rule(
    "sizes.product", "The sizes' product is at most 2^32 - 1 elements.", "dml.Layout((65536, 65536), (0, 1))"
)
SPAN = rule(
    "layout.span",
    "First to last element, a layout spans at most 2^32 - 1 elements.",
    "dml.Layout((2, 2), (2**32, 1))",
)
OFFSET = rule("layout.offset", "An offset is a 64-bit number.", "dml.Layout((2,), (1,), 2**63)")
INDEX = rule(
    "layout.index", "An index has one number a dimension, each inside its size.", "dml.Layout((2, 3))((0, 3))"
)
PERMUTATION = rule(
    "permute.axes", "A permutation names every axis once.", "dml.Layout((2, 3)).permute((0, 0))"
)
BROADCAST = rule(
    "broadcast.sizes",
    "Only a size of 1, or a new leading dimension, can be broadcast.",
    "dml.Layout((2, 3)).broadcast_to((2, 6))",
)
PAD = rule(
    "pad.amount",
    "Padding adds elements, none negative, to a layout whose axes are nested.",
    "dml.Layout((2, 3)).pad((0, -1))",
)
WINDOW_COUNT = rule(
    "window.count",
    "A window has an offset, a size and a stride for each dimension.",
    "dml.Layout((4, 4)).window((0,), (4,), (1,))",
)
WINDOW_INSIDE = rule(
    "window.inside",
    "A window is not empty and ends inside its dimension.",
    "dml.Layout((4,)).window((2,), (3,), (1,))",
)
WINDOW_STRIDE = rule(
    "window.stride", "A window's stride is not 0.", "dml.Layout((4,)).window((0,), (4,), (0,))"
)
WINDOW_OUTPUT = rule(
    "window.output",
    "A window gives from 1 to 1 + (size - 1) / |stride| elements.",
    "dml.Layout((4,)).window((0,), (4,), (-2,), (3,))",
)
SPLIT = rule(
    "split.factors", "The factors' product is the size that is split.", "dml.Layout((6,)).split(0, (2, 2))"
)
RESHAPE_COUNT = rule(
    "reshape.count", "A reshape keeps the number of elements.", "dml.Layout((2, 3)).reshape((4,))"
)
RESHAPE_STRIDES = rule(
    "reshape.strides",
    "Dimensions merge without a copy only where the strides run on evenly.",
    "dml.Layout((2, 3), (5, 1)).reshape((6,))",
)


@dataclass(frozen=True)
class Layout:
    """Sizes, signed strides and an element offset: 1 to 8 dimensions, valid on construction."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    def __init__(self, sizes: Sequence[int], strides: Sequence[int] | None = None, offset: int = 0) -> None:
        checked = check_geometry(sizes, strides, offset)
        if isinstance(checked, list):
            raise InvalidDescriptionError(checked, "Layout")
        for name, value in zip(("sizes", "strides", "offset"), checked, strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def from_order(cls, sizes: Sequence[int], order: str, axes: str | None = None) -> Layout:
        """A packed layout whose memory runs in a named order: `Layout.from_order((1, 3, 4, 4), "NHWC")`."""
        plain = cls(sizes)
        return cls(plain.sizes, order_strides(plain.sizes, order, axes))

    # Questions

    def __call__(self, index: Sequence[int]) -> int:
        """The offset, in elements, of the element at this index."""
        violations: list[Violation] = []
        found = all_integers(read_integers(index, "index", violations))
        raise_if_any(violations)
        found = found or ()
        inside = len(found) == self.rank and all(0 <= i < n for i, n in zip(found, self.sizes, strict=True))
        if not inside:
            raise InvalidDescriptionError(
                INDEX("index", found, f"{self.rank} numbers, each from 0 and below {self.sizes}")
            )
        return self.offset + sum(i * stride for i, stride in zip(found, self.strides, strict=True))

    @property
    def rank(self) -> int:
        return len(self.sizes)

    @property
    def logical_element_count(self) -> int:
        """How many indices there are: the product of the sizes."""
        return prod(self.sizes)

    @cached_property
    def span(self) -> int:
        """How many elements of memory lie from the first element to the last, both included."""
        return 1 + sum(
            (size - 1) * abs(stride) for size, stride in zip(self.sizes, self.strides, strict=True)
        )

    @property
    def physical_element_count(self) -> int:
        """The elements of memory the layout needs: its span."""
        return self.span

    @property
    def first_offset(self) -> int:
        """The lowest offset any index reaches."""
        return self.offset + sum(
            (size - 1) * stride for size, stride in zip(self.sizes, self.strides, strict=True) if stride < 0
        )

    @property
    def last_offset(self) -> int:
        """The highest offset any index reaches."""
        return self.first_offset + self.span - 1

    @property
    def packed_strides(self) -> tuple[int, ...]:
        """The strides these sizes have with no gaps, the last axis fastest."""
        return packed_strides(self.sizes)

    @property
    def is_row_major(self) -> bool:
        """Packed with the last axis fastest: what a description without strides means."""
        return all(
            size == 1 or stride == packed
            for size, stride, packed in zip(self.sizes, self.strides, self.packed_strides, strict=True)
        )

    @property
    def is_packed(self) -> bool:
        """As many elements of memory as indices, every element at a place of its own."""
        return self.span == self.logical_element_count and not self.is_padded

    @property
    def is_broadcast(self) -> bool:
        """Some dimension repeats its elements: a size above 1 with stride 0."""
        return any(size > 1 and stride == 0 for size, stride in zip(self.sizes, self.strides, strict=True))

    @property
    def is_padded(self) -> bool:
        """Some element of memory inside the span belongs to no index."""
        reach = 0  # every offset from 0 to reach is covered so far
        for stride, size in sorted(
            (abs(s), n) for s, n in zip(self.strides, self.sizes, strict=True) if n > 1
        ):
            if stride > reach + 1:
                return True
            reach += (size - 1) * stride
        return False

    @cached_property
    def has_overlap(self) -> bool:
        """Whether distinct indices share an element (broadcasting is the usual case); exact."""
        return has_collision(self.sizes, self.strides)

    @property
    def order(self) -> OrderMatch:
        """The named orders (NCHW, NHWC, ...) this layout has; it says so when several fit."""
        return recognize_order(self)

    def indices(self) -> Iterator[tuple[int, ...]]:
        """Every index, the last axis fastest."""
        return product(*(range(size) for size in self.sizes))

    # Layouts from layouts

    def permute(self, axes: Sequence[int]) -> Layout:
        """Axis i of the result is axis axes[i] of this layout."""
        if sorted(axes) != list(range(self.rank)):
            raise InvalidDescriptionError(
                PERMUTATION("axes", tuple(axes), f"each of 0 to {self.rank - 1} once")
            )
        return Layout([self.sizes[a] for a in axes], [self.strides[a] for a in axes], self.offset)

    def broadcast_to(self, sizes: Sequence[int]) -> Layout:
        """Repeat dimensions of size 1, and new leading ones, by stride 0."""
        target = tuple(sizes)
        new = len(target) - self.rank
        own = (1,) * new + self.sizes
        strides = (0,) * new + self.strides
        if new < 0 or any(a not in (1, b) for a, b in zip(own, target, strict=True)):
            raise InvalidDescriptionError(
                BROADCAST("sizes", target, f"{self.sizes} with sizes of 1 or leading dimensions replaced")
            )
        return Layout(
            target,
            [0 if a != b else s for a, b, s in zip(own, target, strides, strict=True)],
            self.offset,
        )

    def pad(self, amounts: Sequence[int]) -> Layout:
        """The same axes in the same memory order, with room for `amounts[i]` more elements along axis i."""
        match = sorted(range(self.rank), key=lambda axis: (-self.strides[axis], axis))
        valid = len(amounts) == self.rank and min(amounts) >= 0
        if not valid or self.has_overlap or min(self.strides) < 0:
            raise InvalidDescriptionError(
                PAD("amounts", tuple(amounts), f"{self.rank} numbers from 0, on a layout without overlap")
            )
        roomy = tuple(size + amount for size, amount in zip(self.sizes, amounts, strict=True))
        return Layout(self.sizes, packed_strides(roomy, tuple(match)), self.offset)

    def window(
        self,
        offsets: Sequence[int],
        sizes: Sequence[int],
        strides: Sequence[int],
        output_sizes: Sequence[int] | None = None,
    ) -> Layout:
        """What DML_SLICE1 copies: a window a dimension; a negative stride starts at the window's end."""
        raise_if_any(check_window(self.sizes, offsets, sizes, strides, output_sizes), subject="window")
        outputs = output_sizes or window_limits(sizes, strides)
        starts = [o + (n - 1 if s < 0 else 0) for o, n, s in zip(offsets, sizes, strides, strict=True)]
        return Layout(
            outputs,
            [step * stride for step, stride in zip(strides, self.strides, strict=True)],
            self.offset + sum(start * stride for start, stride in zip(starts, self.strides, strict=True)),
        )

    def split(self, axis: int, factors: Sequence[int]) -> Layout:
        """One axis becomes several: its index is the row-major combination of theirs."""
        if prod(factors) != self.sizes[axis] or min(factors) < 1:
            raise InvalidDescriptionError(SPLIT("factors", tuple(factors), f"factors of {self.sizes[axis]}"))
        steps = [self.strides[axis] * step for step in packed_strides(tuple(factors))]
        return Layout(
            self.sizes[:axis] + tuple(factors) + self.sizes[axis + 1 :],
            self.strides[:axis] + tuple(steps) + self.strides[axis + 1 :],
            self.offset,
        )

    def coalesce(self) -> Layout:
        """The fewest dimensions that visit the same offsets in the same order."""
        merged: list[tuple[int, int]] = []
        for size, stride in zip(self.sizes, self.strides, strict=True):
            if size == 1:
                continue
            if merged and merged[-1][1] == size * stride:
                merged[-1] = (merged[-1][0] * size, stride)
            else:
                merged.append((size, stride))
        merged = merged or [(1, 1)]
        return Layout([size for size, _ in merged], [stride for _, stride in merged], self.offset)

    def reshape(self, sizes: Sequence[int]) -> Layout:
        """Other sizes over the same elements in the same order, where strides can say it."""
        target = Layout(sizes).sizes
        if prod(target) != self.logical_element_count:
            found, count = f"{target} ({prod(target)} elements)", self.logical_element_count
            raise InvalidDescriptionError(
                RESHAPE_COUNT("sizes", found, f"{count} elements as in {self.sizes}")
            )
        return Layout(target, _reshaped_strides(self.coalesce(), target), self.offset)

    def _repr_html_(self) -> str:
        """In a notebook, a layout draws itself."""
        from importlib import import_module

        # The picture lives in a later layer; only a drawing asks for it.
        return str(import_module("anydml.view.notebook").draw(self))


def window_limits(sizes: Sequence[int], strides: Sequence[int]) -> tuple[int, ...]:
    """The most elements a window gives along each dimension: 1 + (size - 1) / |stride|."""
    return tuple(1 + (size - 1) // abs(stride) for size, stride in zip(sizes, strides, strict=True))


def _reshaped_strides(source: Layout, target: tuple[int, ...]) -> list[int]:
    """Cut the source's merged runs into the target's sizes, fastest axis first."""
    runs = list(zip(source.sizes, source.strides, strict=True))
    strides = [1] * len(target)
    room, stride = runs.pop()
    for axis in range(len(target) - 1, -1, -1):
        if room == 1 and runs:
            room, stride = runs.pop()
        if room % target[axis]:
            raise InvalidDescriptionError(
                RESHAPE_STRIDES(
                    f"sizes[{axis}]",
                    target[axis],
                    f"a size that ends where the strides do: elements run evenly only {room} at a time there",
                    "copying to a packed tensor first",
                )
            )
        strides[axis] = stride
        room //= target[axis]
        stride *= target[axis]
    return strides


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
            found, fix = f"{len(raw_strides)} strides", "no strides at all for a packed tensor"
            violations.append(STRIDE_COUNT("Strides", found, f"{len(raw_sizes)} as Sizes has", fix))
    if good_offset is not None and abs(good_offset) > INT64_MAX:
        violations.append(OFFSET("Offset", good_offset, "a 64-bit number"))
    good_sizes = all_integers(raw_sizes)
    if violations or good_sizes is None or good_offset is None:
        return violations
    good_strides = all_integers(raw_strides) or packed_strides(good_sizes)
    violations += _check_extent(good_sizes, good_strides)
    return violations or (good_sizes, good_strides, good_offset)


def _check_sizes(sizes: list[int | None]) -> list[Violation]:
    violations = []
    if not 1 <= len(sizes) <= MAXIMUM_RANK:
        fix = "merging dimensions" if sizes else "[1] for a single element"
        violations.append(RANK("Sizes", f"{len(sizes)} sizes", f"1 to {MAXIMUM_RANK}", fix))
    for i, size in enumerate(sizes):
        if size is not None and size < 1:
            violations.append(SIZE(f"Sizes[{i}]", size, "at least 1", "1, or leaving the empty tensor out"))
    return violations


def _check_extent(sizes: tuple[int, ...], strides: tuple[int, ...]) -> list[Violation]:
    violations = []
    if prod(sizes) > MAXIMUM_ELEMENTS:
        fix = "splitting the tensor"
        violations.append(ELEMENTS("Sizes", f"{prod(sizes)} elements", f"at most {MAXIMUM_ELEMENTS}", fix))
    span = 1 + sum((size - 1) * abs(stride) for size, stride in zip(sizes, strides, strict=True))
    if span > MAXIMUM_ELEMENTS:
        fix = "smaller strides"
        violations.append(SPAN("Strides", f"a span of {span} elements", f"at most {MAXIMUM_ELEMENTS}", fix))
    return violations


def check_window(
    whole: tuple[int, ...],
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    output_sizes: Sequence[int] | None = None,
) -> list[Violation]:
    """Everything wrong with a window over dimensions of these sizes."""
    violations = []
    fields = {"offsets": offsets, "sizes": sizes, "strides": strides, "output_sizes": output_sizes}
    for name, values in fields.items():
        if values is not None and len(values) != len(whole):
            violations.append(WINDOW_COUNT(name, f"{len(values)} values", f"{len(whole)}, one a dimension"))
    if violations:
        return violations
    for i, (total, offset, size, stride) in enumerate(zip(whole, offsets, sizes, strides, strict=True)):
        if offset < 0 or size < 1 or offset + size > total:
            found = f"offset {offset}, size {size}"
            fix = f"a size from 1 to {total - offset}" if 0 <= offset < total else f"an offset below {total}"
            violations.append(WINDOW_INSIDE(f"sizes[{i}]", found, f"a window inside 0 to {total - 1}", fix))
        if stride == 0:
            violations.append(WINDOW_STRIDE(f"strides[{i}]", 0, "a stride other than 0", "1 or -1"))
        elif output_sizes is not None and size >= 1:
            limit = 1 + (size - 1) // abs(stride)
            if not 1 <= output_sizes[i] <= limit:
                violations.append(
                    WINDOW_OUTPUT(f"output_sizes[{i}]", output_sizes[i], f"1 to {limit}", str(limit))
                )
    return violations
