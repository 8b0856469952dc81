"""Operators that move elements, as loops over indices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

Index = tuple[int, ...]
Tensor = dict[Index, Any]


def indices(sizes: Sequence[int]) -> Iterator[Index]:
    return product(*(range(size) for size in sizes))


def slice_(x: Tensor, sizes: Index, offsets: Index, strides: Index) -> Tensor:
    return {i: x[tuple(o + s * k for o, s, k in zip(offsets, strides, i, strict=True))] for i in indices(sizes)}


def slice1(x: Tensor, sizes: Index, offsets: Index, window: Index, strides: Index) -> Tensor:
    starts = [o + n - 1 if s < 0 else o for o, n, s in zip(offsets, window, strides, strict=True)]
    return {i: x[tuple(a + s * k for a, s, k in zip(starts, strides, i, strict=True))] for i in indices(sizes)}


def slice_grad(
    gradient: Tensor, gradient_sizes: Index, sizes: Index, offsets: Index, window: Index, strides: Index
) -> Tensor:
    result: Tensor = dict.fromkeys(indices(sizes), 0)
    starts = [o + n - 1 if s < 0 else o for o, n, s in zip(offsets, window, strides, strict=True)]
    for i in indices(gradient_sizes):
        result[tuple(a + s * k for a, s, k in zip(starts, strides, i, strict=True))] = gradient[i]
    return result


def join(parts: Sequence[tuple[Tensor, Index]], axis: int) -> Tensor:
    result, start = {}, 0
    for tensor, sizes in parts:
        for i in indices(sizes):
            result[(*i[:axis], i[axis] + start, *i[axis + 1 :])] = tensor[i]
        start += sizes[axis]
    return result


def split(x: Tensor, sizes: Sequence[Index], axis: int) -> list[Tensor]:
    results, start = [], 0
    for part in sizes:
        results.append({i: x[(*i[:axis], i[axis] + start, *i[axis + 1 :])] for i in indices(part)})
        start += part[axis]
    return results


def padded_place(place: int, size: int, mode: str) -> int | None:
    """Which element of an axis a place outside or inside it shows; one step at a time."""
    if mode == "CONSTANT":
        return place if 0 <= place < size else None
    if mode == "EDGE":
        return min(max(place, 0), size - 1)
    if mode == "WRAP":
        while place < 0:
            place += size
        while place >= size:
            place -= size
        return place
    if size == 1:
        return 0
    edge = 0 if mode == "REFLECTION" else 1  # SYMMETRIC repeats the edge itself
    while not 0 <= place < size:
        place = -place - edge if place < 0 else 2 * (size - 1) - place + edge
    return place


def padding(x: Tensor, sizes: Index, before: Index, output: Index, mode: str, value: Any) -> Tensor:
    result = {}
    for i in indices(output):
        place = [padded_place(k - b, n, mode) for k, b, n in zip(i, before, sizes, strict=True)]
        result[i] = value if None in place else x[tuple(p for p in place if p is not None)]
    return result


def tile(x: Tensor, sizes: Index, repeats: Index) -> Tensor:
    whole = [n * r for n, r in zip(sizes, repeats, strict=True)]
    return {i: x[tuple(k % n for k, n in zip(i, sizes, strict=True))] for i in indices(whole)}


def depth_channel(block: int, channels: int, order: str, row: int, column: int, channel: int) -> int:
    """Where in the depth a channel of one pixel of a block lies."""
    if order == "DEPTH_COLUMN_ROW":
        return (row * block + column) * channels + channel
    return (channel * block + row) * block + column


def depth_to_space(x: Tensor, sizes: Index, block: int, order: str) -> Tensor:
    batch, depth, height, width = sizes
    channels = depth // (block * block)
    result = {}
    for n, c, h, w in indices((batch, channels, height * block, width * block)):
        deep = depth_channel(block, channels, order, h % block, w % block, c)
        result[n, c, h, w] = x[n, deep, h // block, w // block]
    return result


def space_to_depth(x: Tensor, sizes: Index, block: int, order: str) -> Tensor:
    result = {}
    for n, c, h, w in indices(sizes):
        deep = depth_channel(block, sizes[1], order, h % block, w % block, c)
        result[n, deep, h // block, w // block] = x[n, c, h, w]
    return result


def upsample_nearest(x: Tensor, sizes: Index, width_scale: int, height_scale: int) -> Tensor:
    whole = (*sizes[:-2], sizes[-2] * height_scale, sizes[-1] * width_scale)
    return {i: x[(*i[:-2], i[-2] // height_scale, i[-1] // width_scale)] for i in indices(whole)}


def reverse_subsequences(x: Tensor, sizes: Index, lengths: Tensor, axis: int) -> Tensor:
    result = {}
    for i in indices(sizes):
        length = min(lengths[(*i[:axis], 0, *i[axis + 1 :])], sizes[axis])
        place = length - 1 - i[axis] if i[axis] < length else i[axis]
        result[i] = x[(*i[:axis], place, *i[axis + 1 :])]
    return result
