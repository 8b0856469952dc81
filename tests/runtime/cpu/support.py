"""Random accesses in memory with guards, and nests run natively, at any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from anydml.core.datatype import DataType
from anydml.core.steps import Access
from anydml.runtime.native.tasks import Task, TaskList
from anydml.runtime.native.threads import get_threads, set_threads

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]


def random_access(
    random: Random, slot: int, data_type: DataType, sizes: Sequence[int], is_store: bool
) -> tuple[Access, int]:
    """Any order of the loops, with gaps, backwards or repeated (only what is read); and the elements needed."""
    order = list(range(len(sizes)))
    random.shuffle(order)
    strides, step = [0] * len(sizes), random.choice((1, 1, 1, 2, 3))
    for loop in order:
        strides[loop] = step
        step *= sizes[loop]
        step += random.choice((0, 0, 0, 1, 5))
    if not is_store:
        strides = [0 if random.random() < 0.2 else stride for stride in strides]
    strides = [-stride if random.random() < 0.15 else stride for stride in strides]
    low = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True) if stride < 0)
    high = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True) if stride > 0)
    offset = -low + random.choice((0, 0, 1, 7))
    return Access(slot, data_type, tuple(strides), offset), offset + high + 1


def random_bytes(generator: np.random.Generator, data_type: DataType, count: int) -> Bytes:
    """Elements of ordinary size, with some special ones."""
    kind = data_type.numpy_dtype
    if not data_type.is_float:
        return generator.integers(0, 256, count * kind.itemsize, np.uint8)
    values = generator.standard_normal(count) * 3
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-42, 1.0])
    chosen = generator.random(count) < 0.05
    values[chosen] = generator.choice(special, int(chosen.sum()))
    with np.errstate(all="ignore"):
        return values.astype(kind).view(np.uint8)


def run(tasks: Sequence[Task], memory: Sequence[Bytes], threads: int = 1) -> None:
    TaskList(tasks, len(memory)).run([part.ctypes.data for part in memory], threads)


def assert_threads_change_no_bit(work: Callable[[], Any]) -> None:
    """An array, or several of them, that comes out the same for any number of threads."""
    before, results = get_threads(), set()
    try:
        for count in (1, 2, 8):
            set_threads(count)
            results.add(_bits(work()))
    finally:
        set_threads(before)
    assert len(results) == 1, "the number of threads changes the result"


def _bits(found: Any) -> bytes:
    parts = list(found.values()) if isinstance(found, dict) else found
    parts = parts if isinstance(parts, (list, tuple)) else [parts]
    return b"".join(np.asarray(part).tobytes() for part in parts)


def softmax(x: Any, axes: Any) -> Any:
    """By its definition."""
    powers = np.exp(x - x.max(axes, keepdims=True))
    return powers / powers.sum(axes, keepdims=True)


def normalized(x: Any, axes: Any) -> Any:
    """By mean and variance, with an epsilon of 0.001."""
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axes, keepdims=True) + 1e-3)


def same_elements(a: Bytes, b: Bytes, data_type: DataType, ulp: int) -> bool:
    """Bytes beside the elements are equal too: they are elements of the same type."""
    if not data_type.is_float or ulp == 0:
        x, y = (array.view(data_type.numpy_dtype) for array in (a, b))
        if data_type.is_float:
            return bool(np.all((x == y) | (np.isnan(x) & np.isnan(y))))
        return bool(np.array_equal(x, y))
    x, y = (array.view(data_type.numpy_dtype) for array in (a, b))
    width = np.dtype(f"i{data_type.element_bytes}")
    places = []
    for array in (x, y):
        bits = array.view(width).astype(np.int64)
        places.append(np.where(bits < 0, np.iinfo(width).min - bits, bits))
    near = np.abs(places[0] - places[1]) <= ulp
    return bool(np.all(near | (np.isnan(x) & np.isnan(y))))
