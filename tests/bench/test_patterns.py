"""The patterns are what their names say: checked with NumPy's own words for the same thing."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest

from anydml.bench.patterns import PATTERNS, Case, Pattern
from anydml.core.layout import Layout

Array = npt.NDArray[np.int64]
BY_NAME = {pattern.name: pattern for pattern in PATTERNS}


def read(layout: Layout, data: Array) -> Array:
    values = [data[layout(index)] for index in product(*map(range, layout.sizes))]
    return np.array(values).reshape(layout.sizes)


def read_source(case: Case) -> tuple[Array, Array]:
    """The source as the pattern sees it, and the packed tensor it is taken from."""
    packed = np.arange(np.prod(case.source_sizes), dtype=np.int64)
    return read(case.source, packed), packed.reshape(case.source_sizes)


WORDS: dict[str, Callable[[Array], Array]] = {
    "NCHW -> NHWC, C=64": lambda x: x.transpose(0, 2, 1),
    "NHWC -> NCHW, C=3": lambda x: x.transpose(0, 2, 1),
    "transpose": lambda x: x.T,
    "transpose, odd sizes": lambda x: x.T,
    "5-D permutation 4,2,0,3,1": lambda x: x.transpose(4, 2, 0, 3, 1),
    "4-D permutation 0,2,1,3, rows of 2 KiB": lambda x: x.transpose(0, 2, 1, 3),
    "every second column": lambda x: x[:, ::2],
    "every second column, reversed": lambda x: x[:, ::-2],
    "every second row and column, reversed": lambda x: x[::-2, ::-2],
    "reversed columns": lambda x: x[:, ::-1],
    "reversed rows": lambda x: x[::-1],
    "mirrored images, C=3": lambda x: x[:, ::-1],
    "BGRA -> RGB": lambda x: x[:, 2::-1],
}


@pytest.mark.parametrize("name", WORDS)
def test_pattern__is_what_numpy_calls_so(name: str) -> None:
    seen, packed = read_source(BY_NAME[name].build(2048, 4))
    assert np.array_equal(seen, WORDS[name](packed))


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
@pytest.mark.parametrize("size", [4 << 10, 100_000, 64 << 20])
@pytest.mark.parametrize("element", [1, 2, 4, 8])
def test_pattern__has_about_the_wanted_payload(pattern: Pattern, size: int, element: int) -> None:
    case = pattern.build(size // element, element)
    payload = case.destination.logical_element_count * element
    assert case.source.sizes == case.destination.sizes
    assert 0.4 * size <= payload <= 1.01 * size
    assert min(case.destination.strides) >= 0


@pytest.mark.parametrize("pattern", [p for p in PATTERNS if p.positive], ids=lambda pattern: pattern.name)
def test_positive_twin__differs_only_in_signs(pattern: Pattern) -> None:
    assert pattern.positive is not None
    case, twin = pattern.build(1 << 16, 4), pattern.positive(1 << 16, 4)
    assert tuple(map(abs, case.source.strides)) == twin.source.strides
    assert case.destination == twin.destination
    assert min(case.source.strides) < 0


def test_names__are_unique() -> None:
    assert len(BY_NAME) == len(PATTERNS)
