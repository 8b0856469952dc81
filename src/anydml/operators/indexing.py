"""Indices that are data: what they point at, and safe ways to read and write there.

Negative indices count from the end. DirectML leaves open what an index outside does: here a read takes the nearest
element, and a write does not happen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from anydml.core.errors import Violation
from anydml.core.fixes import Use
from anydml.core.orders import packed_strides
from anydml.core.rules import rule
from anydml.core.tensor import TensorDesc

LEADING = rule("tensor.leading", "Dimensions that only fill up the rank have a size of 1.")


def check_leading(path: str, tensor: TensorDesc, count: int) -> Iterator[Violation]:
    """Only the last `count` dimensions of a tensor count; those before them are 1."""
    for i, size in enumerate(tensor.sizes[: tensor.rank - count]):
        if size != 1:
            yield LEADING(f"{path}.Sizes[{i}]", size, f"1, before the last {count} dimensions", Use(1))


def from_start(xp: Any, indices: Any, size: int) -> Any:
    """Indices that count from the start, as int64; -1 where one lies outside."""
    if indices.dtype.kind == "u":
        return xp.where(indices < size, indices, 0).astype(xp.int64) - (indices >= size)
    places = indices.astype(xp.int64)
    places = xp.where(places < 0, places + size, places)
    return xp.where((places < 0) | (places >= size), -1, places)


def nearest_inside(xp: Any, indices: Any, size: int) -> Any:
    """Indices that count from the start, as int64; those outside point at the nearest element."""
    if indices.dtype.kind == "u":
        return xp.minimum(indices, size - 1).astype(xp.int64)
    places = indices.astype(xp.int64)
    return xp.clip(xp.where(places < 0, places + size, places), 0, size - 1)


def flat_places(xp: Any, coordinates: Sequence[Any], sizes: Sequence[int]) -> Any:
    """The row-major number of elements, given one array of places (-1: outside) for each dimension."""
    number: Any = 0
    is_inside: Any = True
    for place, stride in zip(coordinates, packed_strides(tuple(sizes)), strict=True):
        number = number + place * stride
        is_inside = is_inside & (place >= 0)
    return xp.where(is_inside, number, -1)


def steps_along(xp: Any, axis: int, rank: int, size: int) -> Any:
    """The numbers from 0 along one axis of an array of this rank."""
    return xp.arange(size, dtype=xp.int64).reshape([-1 if i == axis else 1 for i in range(rank)])


def write_rows(xp: Any, rows: Any, places: Any, values: Any) -> Any:
    """A copy of an array in which some rows are others; a place of -1 drops its row.

    Where a place occurs twice, the last row stays.
    """
    spare = xp.zeros_like(rows[:1])
    result = xp.concatenate([rows, spare])
    xp.write_at(result, xp.where(places < 0, rows.shape[0], places), values)
    return result[: rows.shape[0]]


def add_at(xp: Any, count: int, places: Any, values: Any) -> Any:
    """The sums of the values at each of `count` places; -1 drops a value."""
    result = xp.zeros(count + 1, values.dtype)
    xp.add.at(result, xp.where(places < 0, count, places).reshape(-1), values.reshape(-1))
    return result[:count]
