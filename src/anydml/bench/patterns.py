"""The moves that are measured: each a pair of layouts whose payload has about a wanted size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt

from anydml.core.layout import Layout


@dataclass(frozen=True)
class Case:
    """One pattern at one size: what is moved, and the ONNX operator that would do the same, if one does."""

    source: Layout
    destination: Layout
    source_sizes: tuple[int, ...] = ()
    onnx: str | None = None
    axes: tuple[int, ...] = ()
    """Of a Transpose."""
    windows: tuple[tuple[int, int, int], ...] = ()
    """Of a Slice: start, end and step of each axis."""


@dataclass(frozen=True)
class Pattern:
    name: str
    build: Callable[[int, int], Case]
    """From the number of elements and the bytes of one."""
    is_transpose: bool = False
    positive: Callable[[int, int], Case] | None = None
    """The same pattern with positive strides."""


def _permuted(sizes: tuple[int, ...], axes: tuple[int, ...]) -> Case:
    source = Layout(sizes).permute(axes)
    return Case(source, Layout(source.sizes), sizes, "Transpose", axes)


def _sliced(sizes: tuple[int, ...], *windows: tuple[int, int, int]) -> Case:
    """Windows as (start, count, step) of each axis, as Python would slice."""
    packed = Layout(sizes)
    strides = [stride * step for stride, (_, _, step) in zip(packed.strides, windows, strict=True)]
    offset = sum(start * stride for stride, (start, _, _) in zip(packed.strides, windows, strict=True))
    source = Layout([count for _, count, _ in windows], strides, offset)
    bounds = tuple((start, start + count * step, step) for start, count, step in windows)
    return Case(source, Layout(source.sizes), sizes, "Slice", windows=bounds)


def _reversed(size: int, step: int = 1) -> tuple[int, int, int]:
    return size * step - 1, size, -step


def _rows(elements: int) -> tuple[int, int]:
    """A matrix of so many elements with a power of two of columns, 4096 when there are enough."""
    columns = min(4096, 1 << (isqrt(elements).bit_length() - 1))
    return max(1, elements // columns), columns


def _images(elements: int, channels: int) -> tuple[int, int, int]:
    """Count, channels and pixels of images."""
    count = 4 if elements >= 4 * channels * 64 else 1
    return count, channels, max(1, elements // (count * channels))


def _planes_to_pixels(channels: int) -> Callable[[int, int], Case]:
    return lambda elements, _: _permuted(_images(elements, channels), (0, 2, 1))


def _pixels_to_planes(channels: int) -> Callable[[int, int], Case]:
    def build(elements: int, _: int) -> Case:
        count, _channels, pixels = _images(elements, channels)
        return _permuted((count, pixels, channels), (0, 2, 1))

    return build


def _contiguous(elements: int, _: int) -> Case:
    return Case(Layout((elements,)), Layout((elements,)), (elements,))


def _square(less: int, mirror: bool = False) -> Callable[[int, int], Case]:
    def build(elements: int, _: int) -> Case:
        side = max(2, isqrt(elements) - less)
        if not mirror:
            return _permuted((side, side), (1, 0))
        source = Layout((side, side), (-1, side), side - 1)
        return Case(source, Layout((side, side)))

    return build


def _padded_source(elements: int, _: int) -> Case:
    rows, columns = _rows(elements)
    return _sliced((rows, columns), (0, rows, 1), (0, columns - columns // 43, 1))


def _padded_destination(elements: int, _: int) -> Case:
    rows, columns = _rows(elements)
    kept = columns - columns // 43
    return Case(Layout((rows, kept)), Layout((rows, kept), (columns, 1)))


def _partial_window(elements: int, _: int) -> Case:
    """A window out of the middle, of which the output takes fewer elements than it reaches."""
    rows, columns = _rows(elements)
    wide = columns + columns // 2
    return _sliced((rows * 2, wide), (rows // 2, rows, 1), (columns // 5, columns - 3, 1))


def _stepped(row_step: int, column_step: int) -> Callable[[int, int], Case]:
    """Every so-many-th row and column; a negative step starts at the end."""

    def window(size: int, step: int) -> tuple[int, int, int]:
        return (0, size, step) if step > 0 else _reversed(size, -step)

    def build(elements: int, _: int) -> Case:
        rows, columns = _rows(elements)
        sizes = (rows * abs(row_step), columns * abs(column_step))
        return _sliced(sizes, window(rows, row_step), window(columns, column_step))

    return build


def _mirrored_images(elements: int, _: int) -> Case:
    """Pixels of three channels, each row from its end."""
    columns = min(1024, max(1, elements // 12))
    rows = max(1, elements // (3 * columns))
    return _sliced((rows, columns, 3), (0, rows, 1), _reversed(columns), (0, 3, 1))


def _swapped_channels(elements: int, _: int) -> Case:
    """Red, green and blue out of blue, green, red and one more."""
    pixels = max(1, elements // 3)
    return _sliced((pixels, 4), (0, pixels, 1), (2, 3, -1))


def _spread(elements: int, _: int) -> Case:
    """Written to every second element."""
    rows, columns = _rows(elements)
    return Case(Layout((rows, columns)), Layout((rows, columns), (2 * columns, 2)))


def _broadcast(row: bool) -> Callable[[int, int], Case]:
    def build(elements: int, _: int) -> Case:
        rows, columns = _rows(elements)
        source = Layout((rows, columns), (0, 1) if row else (1, 0))
        return Case(source, Layout((rows, columns)), (1, columns) if row else (rows, 1), "Expand")

    return build


def _five(elements: int, _: int) -> Case:
    side = 1 << ((elements.bit_length() - 1) // 5 + 1)
    while side > 1 and side**4 > elements:
        side //= 2
    return _permuted((max(1, elements // side**4), side, side, side, side), (4, 2, 0, 3, 1))


def _swapped(row_bytes: int) -> Callable[[int, int], Case]:
    """The middle axes of four change places; rows stay whole."""

    def build(elements: int, element_bytes: int) -> Case:
        row = min(max(1, elements // 16), row_bytes // element_bytes)
        heads = min(16, max(1, elements // row))
        length = max(1, elements // (row * heads * 4)) if elements >= row * heads * 8 else 1
        return _permuted((max(1, elements // (row * heads * length)), length, heads, row), (0, 2, 1, 3))

    return build


PATTERNS = (
    Pattern("contiguous", _contiguous),
    Pattern("NCHW -> NHWC, C=64", _planes_to_pixels(64), is_transpose=True),
    Pattern("NHWC -> NCHW, C=64", _pixels_to_planes(64), is_transpose=True),
    Pattern("NCHW -> NHWC, C=3", _planes_to_pixels(3), is_transpose=True),
    Pattern("NHWC -> NCHW, C=3", _pixels_to_planes(3), is_transpose=True),
    Pattern("NCHW -> NHWC, C=4", _planes_to_pixels(4), is_transpose=True),
    Pattern("NHWC -> NCHW, C=4", _pixels_to_planes(4), is_transpose=True),
    Pattern("transpose", _square(0), is_transpose=True),
    Pattern("transpose, odd sizes", _square(3), is_transpose=True),
    Pattern("transpose, mirrored", _square(0, mirror=True), is_transpose=True, positive=_square(0)),
    Pattern("5-D permutation 4,2,0,3,1", _five, is_transpose=True),
    Pattern("4-D permutation 0,2,1,3, rows of 2 KiB", _swapped(2048)),
    Pattern("4-D permutation 0,2,1,3, rows of 192 B", _swapped(192)),
    Pattern("padded source rows", _padded_source),
    Pattern("padded destination rows", _padded_destination),
    Pattern("partial window", _partial_window),
    Pattern("every second column", _stepped(1, 2)),
    Pattern("every second column, reversed", _stepped(1, -2), positive=_stepped(1, 2)),
    Pattern("every second row and column", _stepped(2, 2)),
    Pattern("every second row and column, reversed", _stepped(-2, -2), positive=_stepped(2, 2)),
    Pattern("reversed columns", _stepped(1, -1), positive=_stepped(1, 1)),
    Pattern("reversed rows", _stepped(-1, 1), positive=_stepped(1, 1)),
    Pattern("mirrored images, C=3", _mirrored_images),
    Pattern("BGRA -> RGB", _swapped_channels),
    Pattern("to every second element", _spread),
    Pattern("broadcast row", _broadcast(row=True)),
    Pattern("broadcast column", _broadcast(row=False)),
)
