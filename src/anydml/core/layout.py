"""Layout: a function from the index of an element to its place in memory.

`sizes` are logical, `strides` physical, both in elements; the offset of an index is the dot product of index
and strides. Packed, broadcast (stride 0), padded (a larger stride), reversed (a negative stride), NCHW and
NHWC are all just strides. A layout knows no bytes and no data type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from math import prod
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from anydml.core.errors import InvalidDescriptionError, OutOfMemoryError, Violation, counted, raise_if_any
from anydml.core.fixes import Fix, Use
from anydml.core.geometry import check_geometry
from anydml.core.integers import require_integer, require_integers
from anydml.core.jsontext import read_json, require_object, to_json
from anydml.core.orders import OrderMatch, order_strides, packed_strides, recognize_order
from anydml.core.overlap import has_collision
from anydml.core.rules import MEMORY, rule
from anydml.core.windows import check_window, window_limits
from anydml.process.loading import load_module

INDEX = rule("layout.index", "An index has one number for each dimension, each from 0 to its size - 1.")
PERMUTATION = rule("permute.axes", "A permutation names every axis once.")
BROADCAST = rule("broadcast.sizes", "Only a size of 1, or a new leading dimension, can be broadcast.")
PAD = rule("pad.amount", "Padding adds elements, none negative, to a layout whose axes are nested.")
AXIS = rule("axis.inside", "An axis is counted from 0.")
SPLIT = rule("split.factors", "The factors' product is the size that is split.")
RESHAPE_COUNT = rule("reshape.count", "A reshape keeps the number of elements.")
LAYOUT_FIELDS = rule("layout.fields", "A layout is written as sizes, strides and offset.")
RESHAPE_STRIDES = rule("reshape.strides", "Dimensions merge without a copy only where the strides run on evenly.")


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
    def trusted(cls, sizes: tuple[int, ...], strides: tuple[int, ...], offset: int = 0) -> Layout:
        """A layout of numbers that were checked already."""
        layout = cls.__new__(cls)
        for name, value in zip(("sizes", "strides", "offset"), (sizes, strides, offset), strict=True):
            object.__setattr__(layout, name, value)
        return layout

    @classmethod
    def from_order(cls, sizes: Sequence[int], order: str, axes: str | None = None) -> Layout:
        """A packed layout whose memory runs in a named order: `Layout.from_order((1, 3, 4, 4), "NHWC")`."""
        plain = cls(sizes)
        return cls(plain.sizes, order_strides(plain.sizes, order, axes))

    # Questions

    def __call__(self, index: Sequence[int]) -> int:
        """The offset, in elements, of the element at this index."""
        found = require_integers(index, "index")
        inside = len(found) == self.rank and all(0 <= i < n for i, n in zip(found, self.sizes, strict=True))
        if not inside:
            raise InvalidDescriptionError(self._index_problem(found))
        return self.offset + sum(i * stride for i, stride in zip(found, self.strides, strict=True))

    def _index_problem(self, found: tuple[int, ...]) -> Violation:
        """Why an index is not one of this layout's, with the nearest one that is."""
        limits = ", ".join(f"0 to {size - 1}" for size in self.sizes)
        fix: Fix | None = None
        if len(found) == self.rank:
            # A negative number counts from the end, as in Python; anything else goes to the nearest end.
            back = (i + n if -n <= i < 0 else i for i, n in zip(found, self.sizes, strict=True))
            fix = Use(tuple(min(max(i, 0), n - 1) for i, n in zip(back, self.sizes, strict=True)))
        return INDEX("index", found, f"{counted(self.rank, 'number')}: {limits}", fix)

    @overload
    def __getitem__(self, index: int | tuple[int, ...]) -> int: ...  # type: ignore[overload-overlap]

    @overload
    def __getitem__(self, index: slice | tuple[int | slice, ...]) -> Layout: ...

    def __getitem__(self, index: Any) -> int | Layout:
        """`layout[1, 2]` is the offset of an index; with slices, the layout of the elements that NumPy would take."""
        parts = index if isinstance(index, tuple) else (index,)
        if not any(isinstance(part, slice) for part in parts):
            return self(parts)
        return self._sliced(parts)

    __iter__ = None  # indexing alone would make Python try layout[0], layout[1], ...

    def _sliced(self, parts: tuple[Any, ...]) -> Layout:
        if len(parts) > self.rank:
            raise InvalidDescriptionError(INDEX("index", counted(len(parts), "part"), f"at most {self.rank}"))
        offset, kept = self.offset, []
        for axis, part in enumerate((*parts, *[slice(None)] * (self.rank - len(parts)))):
            size, stride = self.sizes[axis], self.strides[axis]
            whole = range(size)
            chosen = (
                _read_slice(part, axis) if isinstance(part, slice) else slice(require_inside(part, size, axis), None)
            )
            taken = whole[chosen]
            if not taken:
                found = f"no element along dimension {axis}"
                raise InvalidDescriptionError(INDEX("index", found, "at least one element"))
            offset += taken[0] * stride
            if isinstance(part, slice):
                kept.append((len(taken), taken.step * stride))
        return Layout([size for size, _ in kept], [stride for _, stride in kept], offset)

    @property
    def rank(self) -> int:
        """How many dimensions there are."""
        return len(self.sizes)

    @property
    def logical_element_count(self) -> int:
        """How many indices there are: the product of the sizes."""
        return prod(self.sizes)

    @cached_property
    def span(self) -> int:
        """How many elements of memory lie from the first element to the last, both included."""
        return 1 + sum((size - 1) * abs(stride) for size, stride in zip(self.sizes, self.strides, strict=True))

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
        for stride, size in sorted((abs(s), n) for s, n in zip(self.strides, self.sizes, strict=True) if n > 1):
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

    def offsets(self) -> npt.NDArray[np.intp]:
        """The offset of every index, as an array of the layout's sizes."""
        try:
            offsets = np.full(self.sizes, self.offset, np.intp)
        except MemoryError:
            found = f"{prod(self.sizes) * np.dtype(np.intp).itemsize} bytes"
            expected, fix = "less, since the system has no room for it now", "layout(index) for a few of them"
            raise OutOfMemoryError(MEMORY("offsets", found, expected, fix), "Layout") from None
        for axis, (size, stride) in enumerate(zip(self.sizes, self.strides, strict=True)):
            steps = np.arange(size, dtype=np.intp) * (stride if size > 1 else 0)
            offsets += steps.reshape([-1 if i == axis else 1 for i in range(self.rank)])
        return offsets

    # Layouts from layouts

    def permute(self, axes: Sequence[int]) -> Layout:
        """Axis i of the result is axis axes[i] of this layout."""
        found = require_integers(axes, "axes")
        if sorted(found) != list(range(self.rank)):
            raise InvalidDescriptionError(PERMUTATION("axes", found, f"each of 0 to {self.rank - 1} once"))
        return Layout([self.sizes[a] for a in found], [self.strides[a] for a in found], self.offset)

    def broadcast_to(self, sizes: Sequence[int]) -> Layout:
        """Repeat dimensions of size 1, and new leading ones, by stride 0."""
        target = require_integers(sizes, "sizes")
        if target == self.sizes:
            return self
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
        extra = require_integers(amounts, "amounts")
        # A size of 1 may have any stride; with room for more it needs one that leads somewhere.
        own = [max(stride, 1) if size == 1 else stride for size, stride in zip(self.sizes, self.strides, strict=True)]
        # At equal strides the axis of size 1 lies inside; the other one steps over it.
        order = sorted(range(self.rank), key=lambda axis: (own[axis], self.sizes[axis]))
        nested = min(own) > 0 and all(own[b] >= own[a] * self.sizes[a] for a, b in pairwise(order))
        if len(extra) != self.rank or min(extra) < 0 or not nested:
            expected = f"{self.rank} numbers from 0, on a layout whose axes are nested in memory"
            raise InvalidDescriptionError(PAD("amounts", f"{extra} for {self}", expected))
        strides = list(own)
        for inner, outer in pairwise(order):
            # How many steps of the inner axis one step of the outer is, and what is left over.
            steps, rest = divmod(own[outer], own[inner])
            strides[outer] = (steps + extra[inner]) * strides[inner] + rest
        return Layout(self.sizes, strides, self.offset)

    def window(
        self,
        offsets: Sequence[int],
        sizes: Sequence[int],
        strides: Sequence[int],
        output_sizes: Sequence[int] | None = None,
    ) -> Layout:
        """What DML_SLICE1 copies: a window along each dimension; a negative stride starts at the window's end."""
        at, counts, steps = (
            require_integers(values, name)
            for name, values in (("offsets", offsets), ("sizes", sizes), ("strides", strides))
        )
        wanted = None if output_sizes is None else require_integers(output_sizes, "output_sizes")
        raise_if_any(check_window(self.sizes, at, counts, steps, wanted), subject="window")
        outputs = wanted or window_limits(counts, steps)
        starts = [o + (n - 1 if s < 0 else 0) for o, n, s in zip(at, counts, steps, strict=True)]
        return Layout(
            outputs,
            # A single element takes no step, however long.
            [s * (k if n > 1 else 1) for s, k, n in zip(self.strides, steps, outputs, strict=True)],
            self.offset + sum(start * stride for start, stride in zip(starts, self.strides, strict=True)),
        )

    def split(self, axis: int, factors: Sequence[int]) -> Layout:
        """One axis becomes several: its index is the row-major combination of theirs."""
        parts = require_integers(factors, "factors")
        place = require_integer(axis, "axis")
        if not 0 <= place < self.rank:
            raise InvalidDescriptionError(AXIS("axis", place, f"0 to {self.rank - 1}"))
        if not parts or min(parts) < 1 or prod(parts) != self.sizes[place]:
            raise InvalidDescriptionError(SPLIT("factors", parts, f"factors of {self.sizes[place]}"))
        steps = tuple(self.strides[place] * step for step in packed_strides(parts))
        return Layout(
            self.sizes[:place] + parts + self.sizes[place + 1 :],
            self.strides[:place] + steps + self.strides[place + 1 :],
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
            raise InvalidDescriptionError(RESHAPE_COUNT("sizes", found, f"{count} elements as in {self.sizes}"))
        return Layout(target, _reshaped_strides(self.coalesce(), target), self.offset)

    # As data

    def to_dict(self) -> dict[str, Any]:
        """Sizes, strides and offset as plain lists and numbers."""
        return {"sizes": list(self.sizes), "strides": list(self.strides), "offset": self.offset}

    def to_json(self) -> str:
        """`to_dict` as text."""
        return to_json(self.to_dict())

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Layout:
        """The layout that `to_dict` wrote."""
        given = require_object(fields, "Layout")
        unknown = sorted(given.keys() - {"sizes", "strides", "offset"})
        if unknown or "sizes" not in given:
            found = f"unknown {', '.join(unknown)}" if unknown else "no sizes"
            raise InvalidDescriptionError(LAYOUT_FIELDS("", found, "sizes, and perhaps strides and offset"), "Layout")
        return cls(**given)

    @classmethod
    def from_json(cls, text: str) -> Layout:
        """The layout that `to_json` wrote."""
        return cls.from_dict(read_json(text, "Layout"))

    def _repr_html_(self) -> str:
        """In a notebook, a layout draws itself."""
        # The picture lives in a later layer; only a drawing asks for it.
        return str(load_module("anydml.view.notebook").draw(self))


def _read_slice(part: slice, axis: int) -> slice:
    """A slice of whole numbers with a step."""
    path = f"index[{axis}]"
    bounds = ((name, getattr(part, name)) for name in ("start", "stop", "step"))
    start, stop, step = (None if each is None else require_integer(each, f"{path}.{name}") for name, each in bounds)
    if step == 0:
        raise InvalidDescriptionError(INDEX(f"{path}.step", 0, "any other number", "1, or -1 to reverse"))
    return slice(start, stop, step)


def require_inside(position: object, size: int, axis: int) -> int:
    """A position along a dimension; it may be counted from the end."""
    number = require_integer(position, f"index[{axis}]")
    if not -size <= number < size:
        raise InvalidDescriptionError(INDEX(f"index[{axis}]", number, f"0 to {size - 1}", Use(size - 1)))
    return number % size


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
