"""Random descriptions: sizes, types, and strides that permute, pad and broadcast."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import product
from math import prod
from random import Random

from hypothesis import strategies as st

import anydml as dml
from tests.operators.memory import FORMATS, Tensor
from tests.oracle.numbers import integer_range, is_float

ALL_TYPES = tuple(FORMATS)
FLOAT_TYPES = ("FLOAT32", "FLOAT16")
randoms = st.integers(0, 2**32).map(Random)


def random_sizes(random: Random, rank: int, most: int = 72, longest: int = 5) -> tuple[int, ...]:
    sizes = [random.randint(1, longest) for _ in range(rank)]
    while prod(sizes) > most:
        sizes[random.randrange(rank)] = 1
    return tuple(sizes)


def random_strides(random: Random, sizes: Sequence[int], broadcast: bool) -> list[int]:
    """Axes in any memory order, gaps between them, stride 0 along some; anything goes where the size is 1."""
    strides = [0] * len(sizes)
    step = random.choice((1, 1, 2, 3))
    for axis in random.sample(range(len(sizes)), len(sizes)):
        if sizes[axis] == 1:
            strides[axis] = random.choice((0, 1, 7, 1000))
        elif not (broadcast and random.random() < 0.25):
            strides[axis] = step
            step = step * sizes[axis] + random.choice((0, 0, 1, 2))
    return strides


def random_desc(random: Random, data_type: str, sizes: Sequence[int], broadcast: bool = False) -> dml.TensorDesc:
    strides = None if random.random() < 0.25 else random_strides(random, sizes, broadcast)
    desc = dml.TensorDesc(data_type, sizes, strides)
    if random.random() < 0.2:
        return desc.replace(total_tensor_size_in_bytes=desc.total_tensor_size_in_bytes + 4 * random.randint(1, 5))
    return desc


def random_value(random: Random, data_type: str) -> float | int:
    """Any element of the type; of floats the finite ones, so that equality can be asked."""
    if not is_float(data_type):
        low, high = integer_range(data_type)
        return random.choice((low, high, 0, 1, random.randint(low, high), random.randint(low, high)))
    form = FORMATS[data_type]
    value = random.choice((0.0, -0.0, random.uniform(-8, 8), random.uniform(-60000, 60000), random.gauss(0, 1e-3)))
    return float(struct.unpack(form, struct.pack(form, value))[0])


def moderate_value(random: Random, data_type: str) -> float | int:
    """A value that sums and products do not lose: small, and exact in the type."""
    if not is_float(data_type):
        low, high = integer_range(data_type)
        return random.randint(max(low, -5), min(high, 5))
    return random.randint(-64, 64) / 32


def tensor_of(sizes: Sequence[int], random: Random, data_type: str, value=random_value) -> Tensor:
    return {index: value(random, data_type) for index in product(*(range(n) for n in sizes))}
