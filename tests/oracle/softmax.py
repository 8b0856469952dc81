"""Softmax, its logarithm and hardmax over any axes, group by group."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from tests.oracle.moves import Index, Tensor, indices


def groups(x: Tensor, sizes: Index, axes: Iterable[int]) -> Iterator[list[Index]]:
    """The indices that share everything but their places along the axes, each group in ascending order."""
    kept = [axis for axis in range(len(sizes)) if axis not in set(axes)]
    found: dict[Index, list[Index]] = {}
    for i in indices(sizes):
        found.setdefault(tuple(i[axis] for axis in kept), []).append(i)
    yield from found.values()


def softmax(x: Tensor, sizes: Index, axes: Iterable[int]) -> Tensor:
    result = {}
    for group in groups(x, sizes, axes):
        highest = max(x[i] for i in group)
        total = math.fsum(math.exp(x[i] - highest) for i in group)
        result.update({i: math.exp(x[i] - highest) / total for i in group})
    return result


def log_softmax(x: Tensor, sizes: Index, axes: Iterable[int]) -> Tensor:
    result = {}
    for group in groups(x, sizes, axes):
        highest = max(x[i] for i in group)
        total = math.log(math.fsum(math.exp(x[i] - highest) for i in group))
        result.update({i: x[i] - highest - total for i in group})
    return result


def hardmax(x: Tensor, sizes: Index, axes: Iterable[int]) -> Tensor:
    """1 at the first largest element of a group, 0 elsewhere."""
    result = {}
    for group in groups(x, sizes, axes):
        winner = max(group, key=lambda i: x[i])  # the first of equals
        result.update({i: 1.0 if i == winner else 0.0 for i in group})
    return result
