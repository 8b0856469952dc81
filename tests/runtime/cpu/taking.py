"""Random operators that read where data says, also where that is far outside."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import anydml as dml
from tests.runtime.cpu.products import Array, Trial, layout

_TYPES = ("FLOAT32", "FLOAT32", "FLOAT16", "UINT8", "INT64", "FLOAT64")
_INDEX_TYPES = ("INT32", "UINT32", "INT64", "UINT64")
_SIZES = (1, 2, 3, 5, 16, 17, 40)


def some_indices(random: Random, sizes: tuple[int, ...], data_type: str, size: int) -> Array:
    """Mostly inside, at times counted from the end, or any number of the type."""
    generator = np.random.default_rng(random.getrandbits(32))
    kind = dml.DataType.parse(data_type)
    low, high = kind.range
    inside = generator.integers(-size if low < 0 else 0, size, sizes).astype(kind.numpy_dtype)
    anything = generator.integers(low, high, sizes, dtype=kind.numpy_dtype, endpoint=True)
    return np.where(generator.random(sizes) < random.choice((0.0, 0.3)), anything, inside)


def some_values(random: Random, sizes: tuple[int, ...], data_type: str) -> Array:
    """Any bits: elements only move."""
    kind = dml.DataType.parse(data_type)
    count = int(np.prod(sizes))
    data = np.random.default_rng(random.getrandbits(32)).bytes(count * kind.element_bytes)
    numbers = np.frombuffer(data, kind.numpy_dtype).reshape(sizes)
    return np.nan_to_num(numbers) if numbers.dtype.kind == "f" else numbers  # NaN is not equal to itself


def _made(random: Random, cls: Any, sizes: dict[str, tuple[int, ...]], size: int, **options: Any) -> Trial:
    data_type, index_type = random.choice(_TYPES), random.choice(_INDEX_TYPES)
    tensors = {
        "input_tensor": layout(random, sizes["input_tensor"], data_type),
        "indices_tensor": layout(random, sizes["indices_tensor"], index_type),
    }
    output = cls(**tensors, **options).output_tensor
    operator = cls(**tensors, output_tensor=layout(random, output.sizes, data_type), **options)
    given = {
        "input_tensor": some_values(random, sizes["input_tensor"], data_type),
        "indices_tensor": some_indices(random, sizes["indices_tensor"], index_type, size),
    }
    return Trial(operator, given, 1, shift=random.randrange(0, 64, 8))


def gather(random: Random) -> Trial:
    rank = random.randint(1, 4)
    sizes = tuple(random.choice(_SIZES) for _ in range(rank))
    axis, count = random.randrange(rank), random.randint(0, 1)
    if count == 1 and axis > 0 and random.random() < 0.5:
        # Two dimensions of indices in place of one: a leading size of 1 makes room.
        sizes, axis, count = (1, *sizes), axis + 1, 2
        rank += 1
    taken = tuple(random.choice(_SIZES) for _ in range(count))
    shape = {"input_tensor": sizes, "indices_tensor": (1,) * (rank - count) + taken}
    return _made(random, dml.Gather, shape, sizes[axis], axis=axis, index_dimensions=count)


def gather_elements(random: Random) -> Trial:
    rank = random.randint(1, 4)
    sizes = tuple(random.choice(_SIZES) for _ in range(rank))
    axis = random.randrange(rank)
    taken = tuple(random.choice(_SIZES) if number == axis else size for number, size in enumerate(sizes))
    return _made(random, dml.GatherElements, {"input_tensor": sizes, "indices_tensor": taken}, sizes[axis], axis=axis)


def gather_nd(random: Random) -> Trial:
    count = random.randint(1, 3)
    sizes = tuple(random.choice(_SIZES[:6]) for _ in range(count))
    batch = random.randint(0, count - 1)
    length = random.randint(1, count - batch)
    places = tuple(random.choice(_SIZES[:6]) for _ in range(random.randint(0, 1)))
    taken = (*sizes[:batch], *places, length)
    rank = max(count, len(taken), len(taken) - 1 + count - batch - length)
    shape = {
        "input_tensor": (1,) * (rank - count) + sizes,
        "indices_tensor": (1,) * (rank - len(taken)) + taken,
    }
    counts = {"input_dimension_count": count, "indices_dimension_count": len(taken), "batch_dimension_count": batch}
    return _made(random, dml.GatherNd1, shape, max(sizes), **counts)


def one_hot(random: Random) -> Trial:
    rank = random.randint(1, 4)
    axis, size = random.randrange(rank), random.choice(_SIZES)
    whole = tuple(size if number == axis else random.choice(_SIZES) for number in range(rank))
    places = tuple(1 if number == axis else count for number, count in enumerate(whole))
    data_type, index_type = random.choice(_TYPES), random.choice(_INDEX_TYPES)
    values = (1,) * (rank - 1) + (2,)
    operator = dml.OneHot(
        indices_tensor=layout(random, places, index_type),
        values_tensor=layout(random, values, data_type),
        output_tensor=layout(random, whole, data_type),
        axis=axis,
    )
    given = {
        "indices_tensor": some_indices(random, places, index_type, size),
        "values_tensor": some_values(random, values, data_type),
    }
    return Trial(operator, given, 1, shift=random.randrange(0, 64, 8))


_ORDERED_TYPES = (
    "FLOAT32",
    "FLOAT32",
    "FLOAT16",
    "INT8",
    "UINT8",
    "INT16",
    "UINT16",
    "INT32",
    "UINT32",
    "INT64",
    "UINT64",
)
_SPECIAL = (np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0)


def _numbers_to_order(random: Random, sizes: tuple[int, ...], data_type: str) -> Array:
    """Many are equal, and some are no numbers; or any bits."""
    kind = dml.DataType.parse(data_type)
    generator = np.random.default_rng(random.getrandbits(32))
    if random.random() < 0.4:
        data = generator.bytes(int(np.prod(sizes)) * kind.element_bytes)
        return np.frombuffer(data, kind.numpy_dtype).reshape(sizes)
    few = generator.integers(0, random.choice((3, 100)), sizes).astype(kind.numpy_dtype)
    if not kind.is_float:
        return few
    special = generator.choice(np.array(_SPECIAL, kind.numpy_dtype), sizes)
    return np.where(generator.random(sizes) < 0.2, special, few - few.dtype.type(1))


def top_k(random: Random) -> Trial:
    """Rows of up to a few hundred elements; at times more are wanted than machine code holds."""
    rank, data_type = random.randint(1, 4), random.choice(_ORDERED_TYPES)
    axis = random.randrange(rank)
    long = random.choice((1, 3, 17, 64, 100, 333, 700))
    sizes = tuple(long if number == axis else random.choice((1, 2, 5, 9)) for number in range(rank))
    count = random.choice((1, 1, long, random.randint(1, long), min(long, 10), -(-long // 8), -(-long // 9)))
    taken = tuple(count if number == axis else size for number, size in enumerate(sizes))
    operator = dml.TopK1(
        input_tensor=layout(random, sizes, data_type),
        output_value_tensor=layout(random, taken, data_type),
        output_index_tensor=layout(random, taken, random.choice(("UINT32", "UINT64"))),
        axis=axis,
        k=count,
        axis_direction=random.choice(("INCREASING", "DECREASING")),
    )
    given = {"input_tensor": _numbers_to_order(random, sizes, data_type)}
    return Trial(operator, given, 1, shift=random.randrange(0, 64, 8))


MAKERS: dict[str, Callable[[Random], Trial]] = {
    "gather": gather,
    "gathered elements": gather_elements,
    "gathered tuples": gather_nd,
    "one hot": one_hot,
}
