"""Oracles and random layouts for moves: plain loops over indices and bytes, nothing of the engine."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

from anydml.core.datatype import DataType
from anydml.core.layout import Layout

Bytes = npt.NDArray[np.uint8]
GUARD_BYTES = 96
TYPES = {1: DataType.UINT8, 2: DataType.UINT16, 4: DataType.UINT32, 8: DataType.UINT64}


def places(layout: Layout) -> Iterator[int]:
    """The element offset of every index, row-major."""
    for index in product(*map(range, layout.sizes)):
        yield layout.offset + sum(i * stride for i, stride in zip(index, layout.strides, strict=True))


def moved(source: bytes, destination: bytes, layouts: tuple[Layout, Layout], element_bytes: int) -> bytearray:
    """What the destination must hold afterwards: each element's bytes, and all others as they were."""
    result = bytearray(destination)
    for start, target in zip(places(layouts[0]), places(layouts[1]), strict=True):
        start, target = start * element_bytes, target * element_bytes
        result[target : target + element_bytes] = source[start : start + element_bytes]
    return result


def buffer(layout: Layout, element_bytes: int, misaligned: int, seed: int) -> Bytes:
    """Random bytes that reach past the layout's last element, starting `misaligned` bytes past a line."""
    reach = sum((n - 1) * s for n, s in zip(layout.sizes, layout.strides, strict=True) if s > 0)
    size = (layout.offset + reach + 1) * element_bytes + GUARD_BYTES
    whole = np.random.default_rng(seed).integers(0, 256, size + 128, dtype=np.uint8)
    start = -whole.ctypes.data % 64 + misaligned
    return whole[start : start + size]


def assert_same_bytes(found: Bytes, expected: bytearray, about: str) -> None:
    wanted = np.frombuffer(expected, np.uint8)
    assert found.size == wanted.size, f"{found.size} bytes, expected {wanted.size}\n{about}"
    different = np.flatnonzero(found != wanted)
    assert different.size == 0, f"{different.size} bytes differ, first at {different[0]}\n{about}"


def sizes(most: int = 3000) -> st.SearchStrategy[tuple[int, ...]]:
    """1 to 8 dimensions; few are large, so that the loop over indices stays short."""
    small, large = st.integers(1, 5), st.sampled_from([1, 2, 3, 4, 7, 8, 16, 17, 33, 64, 70, 130, 300])
    several = st.lists(st.one_of(small, small, large), min_size=1, max_size=8)
    return several.filter(lambda chosen: np.prod(chosen) <= most).map(tuple)


@st.composite
def layouts(draw: st.DrawFn, of: tuple[int, ...], may_repeat: bool) -> Layout:
    """Axes in any order, padded, reversed; broadcast too where elements may repeat."""
    strides = [0] * len(of)
    reach = draw(st.sampled_from([1, 1, 1, 1, 2, 3]))
    in_order = draw(st.booleans())
    order = list(range(len(of))) if in_order else draw(st.permutations(range(len(of))))
    for axis in reversed(order):
        strides[axis] = reach
        reach = reach * of[axis] + draw(st.sampled_from([0, 0, 0, 1, 3]))
        if draw(st.integers(0, 5)) == 0:  # padded to a line, as buffers often are
            reach += -reach % 64
    for axis in range(len(of)):
        strides[axis] *= draw(st.sampled_from([1, 1, 1, -1]))
        if may_repeat and draw(st.integers(0, 7)) == 0:
            strides[axis] = 0
    lowest = sum((n - 1) * s for n, s in zip(of, strides, strict=True) if s < 0)
    return Layout(of, strides, draw(st.integers(0, 3)) - lowest)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Layout, Layout]:
    """A source and a destination of the same sizes."""
    chosen = draw(sizes())
    return draw(layouts(chosen, may_repeat=True)), draw(layouts(chosen, may_repeat=False))
