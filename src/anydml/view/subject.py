"""What a picture is of: a layout, the bytes around it, names for its axes, and perhaps a window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from anydml.core.datatype import DataType
from anydml.core.errors import InvalidDescriptionError, counted, raise_if_any, shown
from anydml.core.fixes import Use
from anydml.core.integers import require_integer, require_integers
from anydml.core.layout import AXIS, Layout
from anydml.core.orders import default_axes, logical_axes
from anydml.core.rules import rule
from anydml.core.tensor import GRANULARITY_BYTES, TensorDesc, round_up
from anydml.core.windows import WINDOW_COUNT, check_window, window_limits
from anydml.view.values import Values

NOT_A_LAYOUT = rule("window.layout", "What a window is over is a Layout.")


@dataclass(frozen=True)
class Window:
    """What Slice1 takes of every dimension; a negative stride starts at the window's end."""

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    output_sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        names = ("offsets", "sizes", "strides", "output_sizes")
        offsets, sizes, *rest = (require_integers(getattr(self, name), name) for name in names)
        # The least dimensions that it fits into: whether it lies inside those of a tensor is another question.
        whole = tuple(max(offset, 0) + max(size, 1) for offset, size in zip(offsets, sizes, strict=False))
        raise_if_any(check_window(whole, offsets, sizes, *rest), subject="window")
        for name, values in zip(names, (offsets, sizes, *rest), strict=True):
            object.__setattr__(self, name, values)

    @classmethod
    def of(
        cls,
        whole: tuple[int, ...],
        offsets: Sequence[int],
        sizes: Sequence[int],
        strides: Sequence[int],
        output_sizes: Sequence[int] | None = None,
    ) -> Window:
        """A window over dimensions of these sizes, checked; it gives all it reaches unless told less."""
        names, given = ("whole", "offsets", "sizes", "strides"), (whole, offsets, sizes, strides)
        total, *lists = (require_integers(values, name) for name, values in zip(names, given, strict=True))
        wanted = None if output_sizes is None else require_integers(output_sizes, "output_sizes")
        at, counts, steps = lists
        raise_if_any(check_window(total, at, counts, steps, wanted), subject="window")
        return cls(at, counts, steps, wanted or window_limits(counts, steps))

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The position along each dimension from which the first element is taken."""
        triples = zip(self.offsets, self.sizes, self.strides, strict=True)
        return tuple(offset + (size - 1 if stride < 0 else 0) for offset, size, stride in triples)

    @cached_property
    def lasts(self) -> tuple[int, ...]:
        """The position along each dimension from which the last element is taken."""
        triples = zip(self.starts, self.strides, self.output_sizes, strict=True)
        return tuple(start + stride * (count - 1) for start, stride, count in triples)

    def contains(self, axis: int, position: int) -> bool:
        number, place = require_integer(axis, "axis"), require_integer(position, "position")
        if not 0 <= number < len(self.offsets):
            raise InvalidDescriptionError(AXIS("axis", number, f"0 to {len(self.offsets) - 1}", Use(0)))
        return self.offsets[number] <= place < self.offsets[number] + self.sizes[number]

    def source(self, output_index: tuple[int, ...]) -> tuple[int, ...]:
        """The index that an element of the result is taken from."""
        triples = zip(self.starts, self.strides, self._index(output_index, "output_index"), strict=True)
        return tuple(start + stride * i for start, stride, i in triples)

    def _index(self, index: Sequence[int], path: str) -> tuple[int, ...]:
        """A number for each dimension."""
        found = require_integers(index, path)
        if len(found) != len(self.offsets):
            expected = f"{len(self.offsets)}, one for each dimension"
            raise InvalidDescriptionError(WINDOW_COUNT(path, counted(len(found), "value"), expected))
        return found

    def output(self, index: tuple[int, ...]) -> tuple[int, ...] | None:
        """Where an element goes to in the result, or None when it is not taken."""
        found = []
        places = self._index(index, "index")
        for i, start, stride, count in zip(places, self.starts, self.strides, self.output_sizes, strict=True):
            steps, rest = divmod(i - start, stride)
            if rest or not 0 <= steps < count:
                return None
            found.append(steps)
        return tuple(found)

    def result(self, layout: Layout) -> Layout:
        """The taken elements as a layout of their own."""
        return _require_layout(layout).window(self.offsets, self.sizes, self.strides, self.output_sizes)

    def inside(self, layout: Layout) -> Layout:
        """Every element of the window, stepped over or not."""
        whole = _require_layout(layout)
        return whole.window(self.offsets, self.sizes, (1,) * whole.rank)


def _require_layout(layout: Any) -> Layout:
    if not isinstance(layout, Layout):
        raise InvalidDescriptionError(NOT_A_LAYOUT("layout", shown(layout), "a Layout", "Layout([2, 3])"))
    return layout


@dataclass(frozen=True)
class Subject:
    """A layout with all that a picture says about it. Without a data type it has no bytes."""

    layout: Layout
    axes: str
    data_type: DataType | None = None
    total_bytes: int | None = None
    implicit_strides: bool = False
    order: str | None = None
    """The name the strides were given by, if by name."""
    window: Window | None = None
    indices: tuple[tuple[int, ...], ...] = ()
    """Indices to work out; with a window, indices of its result."""
    values: Values | None = field(default=None, compare=False)

    @classmethod
    def of(
        cls,
        value: Layout | TensorDesc,
        *,
        offset: int = 0,
        order: str | None = None,
        window: Window | None = None,
        indices: Sequence[Sequence[int]] = (),
        values: Any = None,
    ) -> Subject:
        """Draw a description, `offset` elements into its memory, or a layout as it stands."""
        name = order.upper() if order else None
        letters = logical_axes(name) if name else default_axes(len(value.sizes))
        if isinstance(value, Layout):
            subject = cls(value, letters, order=name, window=window)
        else:
            layout = Layout(value.sizes, value.strides, offset)
            total = value.total_tensor_size_in_bytes
            subject = cls(layout, letters, value.data_type, total, value.has_implicit_strides, name, window)
        return subject.with_indices(indices).with_values(values)

    def with_indices(self, indices: Sequence[Sequence[int]]) -> Subject:
        """The same subject with indices to work out, each checked."""
        whole = Layout(self.window.output_sizes) if self.window else self.layout
        for index in indices:
            whole(index)
        return replace(self, indices=tuple(tuple(map(int, index)) for index in indices))

    def with_values(self, values: Any) -> Subject:
        """The same subject with values in its cells."""
        return self if values is None else replace(self, values=Values(self.layout, self.places, values))

    @property
    def least_bytes(self) -> int:
        """The least total size of this layout's bytes."""
        assert self.data_type is not None
        return round_up(self.data_type.bytes_for(self.layout.span), GRANULARITY_BYTES)

    @property
    def has_room_after(self) -> bool:
        """Whether the buffer is larger than its elements need, beyond rounding its size up to 4 bytes."""
        return self.data_type is not None and self.total_bytes is not None and self.total_bytes > self.least_bytes

    @property
    def places(self) -> int:
        """The buffer in elements."""
        if not self.has_room_after:
            return self.layout.span
        assert self.data_type is not None and self.total_bytes is not None
        return self.total_bytes * 8 // self.data_type.bits

    @property
    def is_padded(self) -> bool:
        return self.layout.is_padded or self.has_room_after

    @property
    def tail_bits(self) -> int:
        """Bits after the last element: rounding up to 4 bytes, and what a larger total size adds."""
        if self.data_type is None or self.total_bytes is None:
            return 0
        return self.total_bytes * 8 - self.layout.span * self.data_type.bits

    @property
    def tail_cells(self) -> int:
        """The tail in elements, the last of them perhaps cut short."""
        return -(-self.tail_bits // self.data_type.bits) if self.data_type else 0
