"""What each dialect selects, from its documentation alone: plain loops, one axis at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.slicing import DmlSlice, DmlSlice1, OnnxSlice, Selection, TensorFlowSlice, WebnnSlice

Array = npt.NDArray[Any]
INT32_MAX, INT64_MAX = 2**31 - 1, 2**63 - 1
INT32_MIN, INT64_MIN = -(2**31), -(2**63)
SENTINELS = (INT32_MIN, INT64_MIN, INT32_MAX, INT64_MAX)


class Refused(Exception):
    """The dialect's documentation does not allow this."""


def numbered(sizes: Sequence[int]) -> Array:
    """An array in which every element is different."""
    return np.arange(int(np.prod(sizes, dtype=np.int64)), dtype=np.int64).reshape(tuple(sizes))


def same(found: Any, expected: Any) -> bool:
    """Same shape, and the same elements in the same places."""
    left, right = np.asarray(found), np.asarray(expected)
    return left.shape == right.shape and bool((left == right).all())


def pick(array: Array, places: Iterable[Sequence[int]]) -> Array:
    """The elements at these places of each axis, all axes kept."""
    for axis, along in enumerate(places):
        array = np.take(array, np.array(along, np.intp), axis)
    return array


def of_selection(selection: Selection, array: Array) -> Array:
    return pick(array, map(list, selection.ranges)).reshape(selection.output_sizes)


def walk(start: int, end: int, step: int) -> list[int]:
    """From start on by step, stopping before end."""
    places = []
    while (start < end) if step > 0 else (start > end):
        places.append(start)
        start += step
    return places


def of_onnx(spec: OnnxSlice, array: Array) -> Array:
    """Negative values get the size added; then start and end are clamped as the step's sign says."""
    places = [list(range(size)) for size in array.shape]
    for start, end, axis, step in zip(*spec, strict=True):
        size = array.shape[axis]
        start, end = (value + size if value < 0 else value for value in (start, end))
        highest = size if step > 0 else size - 1
        lowest_end = 0 if step > 0 else -1
        start = 0 if start < 0 else highest if start > highest else start
        end = lowest_end if end < lowest_end else highest if end > highest else end
        places[axis] = walk(start, end, step) if size else []
    return pick(array, places)


def of_tensorflow(spec: TensorFlowSlice, array: Array) -> Array:
    """The documented bit masks: first the specifications are spread over the axes, then each is walked."""
    count, rank = len(spec.begin), array.ndim
    dots = [i for i in range(count) if spec.ellipsis_mask & (1 << i)]
    new = [i for i in range(count) if spec.new_axis_mask & (1 << i) and i not in dots]
    used = count - len(dots) - len(new)
    if len(dots) > 1 or used > rank:
        raise Refused
    places: list[list[int]] = []
    shape: list[int] = []
    for i in range(count + 1):
        if i in dots or (i == count and not dots):
            for _ in range(rank - used):
                shape.append(array.shape[len(places)])
                places.append(list(range(shape[-1])))
        elif i in new:
            shape.append(1)
        elif i < count:
            along, shrinks = _tensorflow_axis(spec, i, array.shape[len(places)])
            places.append(along)
            shape += [] if shrinks else [len(along)]
    return pick(array, places).reshape(shape)


def _tensorflow_axis(spec: TensorFlowSlice, i: int, size: int) -> tuple[list[int], bool]:
    begin, end, stride = spec.begin[i], spec.end[i], spec.strides[i]
    shrinks = bool(spec.shrink_axis_mask & (1 << i))
    if stride == 0 or (shrinks and stride < 0):
        raise Refused
    if shrinks:
        place = begin + size if begin < 0 else begin
        if place not in range(size):
            raise Refused
        return [place], True
    first, last = (0, size) if stride > 0 else (size - 1, -1)
    low, high = sorted((first, last))
    begin, end = (min(max(value + size if value < 0 else value, low), high) for value in (begin, end))
    begin = first if spec.begin_mask & (1 << i) else begin
    end = last if spec.end_mask & (1 << i) else end
    return walk(begin, end, stride), False


def of_webnn(spec: WebnnSlice, array: Array) -> Array:
    """A window of `sizes` elements from `starts`; ceil(size / stride) of them are taken."""
    places = []
    for start, size, stride, whole in zip(*spec, array.shape, strict=True):
        if start < 0 or size < 1 or stride < 1 or start + size > whole:
            raise Refused
        places.append([start + i * stride for i in range(-(-size // stride))])
    return pick(array, places)


def of_dml_slice(spec: DmlSlice, array: Array) -> Array:
    """out[c] = in[offset + stride * c] for each c below size."""
    places = []
    for offset, size, stride, whole in zip(*spec, array.shape, strict=True):
        along = [offset + stride * c for c in range(size)]
        if offset < 0 or size < 1 or stride < 1 or not all(0 <= place < whole for place in along):
            raise Refused
        places.append(along)
    return pick(array, places)


def of_slice1(spec: DmlSlice1, array: Array) -> Array:
    """Element by element: a negative stride starts at the window's end, and none leaves the window."""
    places = []
    for offset, size, stride, count, whole in zip(*spec, array.shape, strict=True):
        start = offset + size - 1 if stride < 0 else offset
        along = [start + stride * c for c in range(count)]
        inside = all(offset <= place < offset + size for place in along)
        if stride == 0 or size < 1 or offset < 0 or offset + size > whole or count < 1 or not inside:
            raise Refused
        places.append(along)
    return pick(array, places)
