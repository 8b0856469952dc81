"""Whether two different indices of a layout share an element: exact, with bounded work.

Two indices collide when some difference d, not all zero, with |d[k]| <= size[k] - 1, has d . strides == 0.
Dimensions that cannot take part in such a d are struck out until nothing changes; nearly every real layout
is decided there. What is left is searched by meeting in the middle, which the limit of 2^32 - 1 elements bounds.
"""

from __future__ import annotations

from math import gcd, prod

import numpy as np
import numpy.typing as npt

Dimension = tuple[int, int]  # size, |stride|
_ENUMERATION_LIMIT = 1 << 22


def has_collision(sizes: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """True when distinct indices reach the same offset."""
    dimensions = [(size, abs(stride)) for size, stride in zip(sizes, strides, strict=True) if size > 1]
    if any(stride == 0 for _, stride in dimensions):
        return True
    span = 1 + sum((size - 1) * stride for size, stride in dimensions)
    if prod(size for size, _ in dimensions) > span:
        return True  # more indices than places
    dimensions = _strike_out(dimensions)
    if len(dimensions) <= 2:
        # One dimension cannot collide with itself; two that survived have a solution (see _step).
        return len(dimensions) == 2
    return _search(dimensions)


def _strike_out(dimensions: list[Dimension]) -> list[Dimension]:
    """Drop every dimension whose part of a collision can only be zero."""
    remaining = sorted(dimensions, key=lambda dimension: dimension[1])
    position = 0
    while position < len(remaining):
        size, stride = remaining[position]
        others = remaining[:position] + remaining[position + 1 :]
        reach = sum((other_size - 1) * other_stride for other_size, other_stride in others)
        if stride > reach or _step(stride, others) > size - 1:
            remaining, position = others, 0
        else:
            position += 1
    return remaining


def _step(stride: int, others: list[Dimension]) -> int:
    """The least positive d for which d * stride is a sum of multiples of the other strides."""
    common = gcd(*(other_stride for _, other_stride in others))
    return common // gcd(common, stride)


def _search(dimensions: list[Dimension]) -> bool:
    largest = max(dimensions)
    others = [dimension for dimension in dimensions if dimension is not largest]
    if prod(2 * size - 1 for size, _ in others) <= _ENUMERATION_LIMIT:
        return _solve_for(largest, _differences(others))
    return _meet(*(_differences(group) for group in _halves(dimensions)))


def _meet(left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> bool:
    """Whether a sum of one group undoes a sum of the other."""
    if np.count_nonzero(left == 0) > 1 or np.count_nonzero(right == 0) > 1:
        return True
    few, many = sorted((left, right), key=len)
    known = np.sort(few[few > 0])  # sums come in pairs +s and -s, so equal ones undo each other
    wanted = many[many > 0]
    places = np.searchsorted(known, wanted)
    return bool(np.any(known[np.minimum(places, known.size - 1)] == wanted))


def _solve_for(dimension: Dimension, sums: npt.NDArray[np.int64]) -> bool:
    """Whether some sum of the others is undone by this dimension alone."""
    if np.count_nonzero(sums == 0) > 1:
        return True
    size, stride = dimension
    nonzero = sums[sums != 0]
    return bool(np.any((nonzero % stride == 0) & (np.abs(nonzero) // stride <= size - 1)))


def _halves(dimensions: list[Dimension]) -> tuple[list[Dimension], list[Dimension]]:
    """Two groups with about equally many differences each."""
    left: list[Dimension] = []
    right: list[Dimension] = []
    for dimension in sorted(dimensions, reverse=True):
        smaller = min(left, right, key=lambda group: prod(2 * size - 1 for size, _ in group))
        smaller.append(dimension)
    return left, right


def _differences(dimensions: list[Dimension]) -> npt.NDArray[np.int64]:
    """Every sum d . strides over the allowed differences d."""
    sums = np.zeros(1, np.int64)
    for size, stride in dimensions:
        steps = np.arange(-(size - 1), size, dtype=np.int64) * stride
        sums = (sums[:, None] + steps).reshape(-1)
    return sums
