"""Layouts to draw, and what lies in memory by the definition alone."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

import anydml as dml

Index = tuple[int, ...]


@st.composite
def small_layouts(draw: st.DrawFn) -> dml.Layout:
    """Any layout of 1 to 4 dimensions with at most 4 positions along each: packed or wild."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    stride = st.integers(-9, 9)
    strides = draw(st.one_of(st.none(), st.lists(stride, min_size=len(sizes), max_size=len(sizes))))
    return dml.Layout(sizes, strides, draw(st.integers(0, 3)))


@st.composite
def windows(draw: st.DrawFn, sizes: Index) -> tuple[list[int], list[int], list[int], list[int]]:
    """Offsets, sizes, strides and output sizes of a window inside these sizes."""
    offsets = [draw(st.integers(0, size - 1)) for size in sizes]
    inner = [draw(st.integers(1, size - offset)) for size, offset in zip(sizes, offsets, strict=True)]
    strides = [draw(st.integers(1, 3)) * draw(st.sampled_from([1, -1])) for _ in sizes]
    limits = [1 + (n - 1) // abs(s) for n, s in zip(inner, strides, strict=True)]
    return offsets, inner, strides, [draw(st.integers(1, limit)) for limit in limits]


def readers_of(layout: dml.Layout) -> dict[int, list[Index]]:
    """For every offset that is reached, the indices that reach it, in row-major order."""
    found: dict[int, list[Index]] = {}
    for index in product(*map(range, layout.sizes)):
        offset = layout.offset + sum(i * s for i, s in zip(index, layout.strides, strict=True))
        found.setdefault(offset, []).append(index)
    return found


def repeats_of(layout: dml.Layout) -> int:
    """How many indices share each element by stride 0 alone."""
    repeats = 1
    for size, stride in zip(layout.sizes, layout.strides, strict=True):
        repeats *= size if stride == 0 else 1
    return repeats
