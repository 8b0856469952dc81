"""Windows that slide over a tensor's spatial dimensions: where they lie, and what is computed over each of them.

Everything works along one dimension after the other, so that the work grows with the sum of the window's sizes and
not with their product. Along a dimension either the elements of the windows are walked or the windows themselves,
whichever are fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from anydml.core.errors import Violation
from anydml.core.rules import rule

WINDOW = rule("pooling.window", "The window fits into the padded input.")
_FIRST_SPATIAL = 2


def reach(start: int, step: int, count: int, size: int) -> tuple[slice, slice]:
    """Of `count` places from a start in equal steps, those inside 0 to size - 1: which ones, and where."""
    low = max(0, -(start // step))
    high = max(min(count, (size - 1 - start) // step + 1), low)
    if high == low:
        return slice(0, 0), slice(0, 0)
    first = start + low * step
    return slice(low, high), slice(first, first + (high - low - 1) * step + 1, step)


def reached(
    starts: Sequence[int], steps: Sequence[int], counts: Sequence[int], sizes: Sequence[int]
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """`reach` for several dimensions."""
    pairs = [reach(*row) for row in zip(starts, steps, counts, sizes, strict=True)]
    return tuple(which for which, _ in pairs), tuple(where for _, where in pairs)


@dataclass(frozen=True)
class Slide:
    """Windows along one dimension: their elements lie `dilation` apart, the windows `stride`."""

    size: int
    window: int
    stride: int = 1
    dilation: int = 1
    before: int = 0
    after: int = 0

    @property
    def count(self) -> int:
        """How many windows fit into the padded dimension; below 1 where none does."""
        extent = 1 + (self.window - 1) * self.dilation
        return (self.size + self.before + self.after - extent) // self.stride + 1

    @property
    def is_identity(self) -> bool:
        """Whether every window is one element, and every element one window."""
        visits_all = self.stride == 1 or self.size == 1
        return self.window == 1 and visits_all and self.count == self.size and not self.before

    @property
    def is_whole(self) -> bool:
        """Whether there is one window, which is the whole dimension."""
        is_dense = self.dilation == 1 or self.size == 1
        return self.window == self.size and is_dense and not self.before and not self.after

    @property
    def has_fewer_windows(self) -> bool:
        """Whether there are fewer windows than elements in one."""
        return self.count < self.window

    @property
    def is_never_empty(self) -> bool:
        """Whether every window has an element that is no padding; False also where that is not easily told."""
        reach = (self.window - 1) * self.dilation
        return max(self.before, self.after) <= reach and self.dilation <= self.size

    def at_tap(self, tap: int) -> tuple[slice, slice]:
        """The windows whose element `tap` is no padding, and where in the input these elements are."""
        return reach(tap * self.dilation - self.before, self.stride, self.count, self.size)

    def at_window(self, number: int) -> tuple[slice, slice]:
        """Of one window the elements that are no padding, and where in the input they are."""
        return reach(number * self.stride - self.before, self.dilation, self.window, self.size)

    def first_inside(self, xp: Any) -> Any:
        """The first element of each window that is no padding, where there is one."""
        first = xp.arange(self.count, dtype=xp.int64) * self.stride - self.before
        return xp.where(first < 0, first % self.dilation, first)

    def inside(self, xp: Any) -> Any:
        """How many elements of each window are no padding."""
        first = xp.arange(self.count, dtype=xp.int64) * self.stride - self.before
        low = xp.maximum(-(first // self.dilation), 0)
        high = xp.minimum((self.size - 1 - first) // self.dilation + 1, self.window)
        return xp.maximum(high - low, 0)


def slides_of(
    sizes: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    before: Sequence[int],
    after: Sequence[int],
    dilations: Sequence[int] | None = None,
) -> tuple[Slide, ...]:
    """The windows over tensors of these sizes, for each of the dimensions after the first two."""
    rows = zip(sizes[_FIRST_SPATIAL:], window, strides, dilations or (1,) * len(window), before, after, strict=True)
    return tuple(Slide(*row) for row in rows)


def counts_of(slides: Sequence[Slide]) -> tuple[int, ...]:
    """How many windows there are along each dimension."""
    return tuple(slide.count for slide in slides)


def check_slides(slides: Sequence[Slide], field: str) -> Iterator[Violation]:
    for i, slide in enumerate(slides):
        if slide.count < 1:
            found = f"{slide.window} dilated by {slide.dilation}"
            room = slide.size + slide.before + slide.after
            yield WINDOW(f"{field}[{i}]", found, f"a window inside the padded input of {room}", "a smaller window")


def along(axis: int, place: Any) -> tuple[Any, ...]:
    """The index that takes a slice of one axis and everything of those before it."""
    return (*(slice(None),) * axis, place)


def by_shrinking(slides: Sequence[Slide]) -> list[tuple[int, Slide]]:
    """The axes of tensors with the windows along them, those that shrink most first.

    In this order no intermediate is larger than both the input and the output. Axes that do not change are left out.
    """
    axes = [(axis, slide) for axis, slide in enumerate(slides, _FIRST_SPATIAL) if not slide.is_identity]
    return sorted(axes, key=lambda item: (item[1].count / item[1].size, -item[0]))


def over_windows(
    xp: Any, array: Any, slides: Sequence[Slide], join: Callable[..., Any], fold: Callable[..., Any], start: Any
) -> Any:
    """Every window folded into one element; `join` does for two arrays what `fold` does along an axis."""
    for axis, slide in by_shrinking(slides):
        shape = [*array.shape[:axis], slide.count, *array.shape[axis + 1 :]]
        result = xp.full(shape, start, array.dtype)
        if slide.has_fewer_windows:
            for number in range(slide.count):
                taps, read = slide.at_window(number)
                if taps.stop:
                    result[along(axis, number)] = fold(array[along(axis, read)], axis=axis)
        else:
            for tap in range(slide.window):
                windows, read = slide.at_tap(tap)
                held = result[along(axis, windows)]
                join(held, array[along(axis, read)], out=held)
        array = result
    return array


def window_sums(xp: Any, array: Any, slides: Sequence[Slide]) -> Any:
    """The sum of every window; integers wrap."""

    def total(part: Any, axis: int) -> Any:
        return xp.sum(part, axis=axis, dtype=part.dtype)

    return over_windows(xp, array, slides, xp.add, total, 0)


def window_maxima(xp: Any, array: Any, slides: Sequence[Slide]) -> Any:
    """The largest element of every window; NaN is larger than every number, padding the lowest value."""
    return over_windows(xp, array, slides, xp.fold_maximum, xp.max, lowest(xp, array.dtype))


def spread_sums(xp: Any, array: Any, slides: Sequence[Slide]) -> Any:
    """The transpose of `window_sums`: each window's number is added to each of its elements."""
    for axis, slide in reversed(by_shrinking(slides)):
        shape = [*array.shape[:axis], slide.size, *array.shape[axis + 1 :]]
        result = xp.zeros(shape, array.dtype)
        steps = range(slide.count) if slide.has_fewer_windows else range(slide.window)
        for step in steps:
            if slide.has_fewer_windows:
                windows, written = slice(step, step + 1), slide.at_window(step)[1]
            else:
                windows, written = slide.at_tap(step)
            result[along(axis, written)] += array[along(axis, windows)]
        array = result
    return array


def window_sizes(xp: Any, slides: Sequence[Slide], include_padding: bool) -> Any:
    """The number of elements of every window, padding counted or not; at least 1, so that one can divide by it."""
    if include_padding:
        return prod(slide.window for slide in slides)
    sizes: Any = 1
    for place, slide in enumerate(slides):
        shape = [-1 if axis == place else 1 for axis in range(len(slides))]
        sizes = sizes * slide.inside(xp).reshape(shape)
    return xp.maximum(sizes, 1)


NOWHERE = 2**62
"""The place of the largest element of a window without elements: after every other."""


def window_places(xp: Any, array: Any, slides: Sequence[Slide]) -> tuple[Any, Any]:
    """The largest element of every window, and its place among the elements of its channel in row-major order.

    Of equal elements the first counts, of several NaNs too.
    """
    spatial = array.shape[_FIRST_SPATIAL:]
    places = xp.arange(prod(spatial), dtype=xp.int64).reshape(1, 1, *spatial)
    innermost, is_simple = array.ndim, True
    for axis, slide in by_shrinking(slides):
        # As long as axes come from the last to the first, an element that comes later also has a later place.
        is_simple, innermost = is_simple and axis < innermost and slide.is_never_empty, min(axis, innermost)
        if slide.has_fewer_windows:
            array, places = _places_by_window(xp, array, places, axis, slide)
        else:
            array, places = _places_by_tap(xp, array, places, axis, slide, is_simple)
    return array, xp.broadcast_to(places, array.shape)


def _places_by_window(xp: Any, array: Any, places: Any, axis: int, slide: Slide) -> tuple[Any, Any]:
    shape = [*array.shape[:axis], slide.count, *array.shape[axis + 1 :]]
    best, where = xp.full(shape, lowest(xp, array.dtype), array.dtype), xp.full(shape, NOWHERE, xp.int64)
    for number in range(slide.count):
        taps, read = slide.at_window(number)
        if taps.stop:
            at, part = along(axis, number), along(axis, read)
            best[at], where[at] = _first_largest(xp, array[part], places[part], axis)
    return best, where


def _places_by_tap(xp: Any, array: Any, places: Any, axis: int, slide: Slide, is_simple: bool) -> tuple[Any, Any]:
    shape = [*array.shape[:axis], slide.count, *array.shape[axis + 1 :]]
    if is_simple:
        first = slide.first_inside(xp)
        best = xp.take(array, first, axis=axis)
        where = xp.broadcast_to(xp.take(places, first, axis=axis), shape).copy()
    else:
        best, where = xp.full(shape, lowest(xp, array.dtype), array.dtype), xp.full(shape, NOWHERE, xp.int64)
    choose = _larger_and_later if is_simple else _larger
    for tap in range(slide.window):
        windows, read = slide.at_tap(tap)
        at, part = along(axis, windows), along(axis, read)
        best[at], where[at] = choose(xp, (best[at], where[at]), (array[part], places[part]))
    return best, where


def _larger_and_later(xp: Any, held: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
    """`_larger` for others whose places are all later: of equal elements those that are held stay."""
    (a, place_a), (b, place_b) = held, other
    stays = a >= b
    if a.dtype.kind == "f":
        stays = stays | (a != a)
    return xp.where(stays, a, b), xp.where(stays, place_a, place_b)


def _larger(xp: Any, held: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
    """Of two arrays of elements with their places the larger elements, the earlier ones where they are equal."""
    (a, place_a), (b, place_b) = held, other
    a_is_nan, b_is_nan = a != a, b != b
    above = (b > a) | (b_is_nan & ~a_is_nan)
    level = (b == a) | (b_is_nan & a_is_nan)
    better = above | (level & (place_b < place_a))
    return xp.where(better, b, a), xp.where(better, place_b, place_a)


def _first_largest(xp: Any, part: Any, places: Any, axis: int) -> tuple[Any, Any]:
    """The largest element along an axis, and the lowest of its places."""
    largest = xp.max(part, axis=axis, keepdims=True)
    chosen = (part == largest) | (part != part)
    return xp.max(part, axis=axis), xp.min(xp.where(chosen, places, NOWHERE), axis=axis)


def lowest(xp: Any, dtype: Any) -> Any:
    """The lowest value of a type."""
    return -xp.inf if dtype.kind == "f" else xp.iinfo(dtype).min
