"""Texts of kernels: what their loops visit, and that sizes are arguments. No GPU, no compiler."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from anydml.bench.gpu import nest_of
from anydml.bench.patterns import PATTERNS
from anydml.core.datatype import DataType
from anydml.core.expression import load
from anydml.core.steps import Access, Nest, Store
from anydml.runtime.cuda.moves import MoveKernel, kernel_of
from anydml.runtime.cuda.text.exchange import Exchange, picked
from anydml.runtime.cuda.text.loops import Loops, canonical, magic

ADDRESSES = (1 << 30, 1 << 31)


def divided(n: int, packed: int) -> int:
    """What `divide` in kernels computes."""
    factor, shift = packed & 0xFFFFFFFF, packed >> 32
    return ((n * factor >> 32) + n) >> shift


def test_magic__divides_exactly() -> None:
    random = Random(1)
    divisors = [1, 2, 3, 7, 641, (1 << 31) - 1, *(random.randrange(1, 1 << 31) for _ in range(200))]
    for divisor in divisors:
        numbers = [
            0,
            1,
            divisor - 1,
            divisor,
            divisor + 1,
            (1 << 31) - 1,
            *(random.randrange(1 << 31) for _ in range(50)),
        ]
        for n in numbers:
            assert divided(n, magic(divisor)) == n // divisor, (n, divisor)


def visited(loops: Loops) -> set[tuple[int, ...]]:
    """Where each iteration lies in every access."""
    places = set()
    for index in product(*(range(size) for size in loops.sizes)):
        steps = [sum(i * s for i, s in zip(index, strides, strict=True)) for strides in loops.strides]
        places.add(tuple(start + step for start, step in zip(loops.starts, steps, strict=True)))
    return places


@pytest.mark.parametrize("seed", range(40))
def test_canonical__visits_the_same_elements(seed: int) -> None:
    random = Random(seed)
    sizes = [random.randint(1, 4) for _ in range(random.randint(1, 5))]
    accesses = []
    for _ in range(3):
        strides = [random.choice((-7, -1, 0, 1, 2, 4, 12, 48)) for _ in sizes]
        accesses.append(Access(0, DataType.FLOAT32, tuple(strides), 100))
    plain = Loops(tuple(sizes), tuple(a.strides for a in accesses), (100,) * 3)
    found = canonical(sizes, accesses)
    assert visited(found) == visited(plain)
    assert all(stride >= 0 for stride in found.strides[0])


def copy(sizes: tuple[int, ...], strides: tuple[int, ...]) -> Nest:
    written = Access(1, DataType.UINT8, (sizes[1], 1))
    read = Access(0, DataType.UINT8, strides)
    return Nest(sizes, (read,), (Store(written, load(0, DataType.UINT8.numpy_dtype)),))


def test_text__has_no_sizes() -> None:
    first, second = (
        kernel_of(copy(sizes, strides)).launch(ADDRESSES)
        for sizes, strides in (((64, 4096), (8192, 1)), ((80, 1024), (2048, 1)))
    )
    assert first.text == second.text and first.arguments != second.arguments


def test_text__depends_on_alignment() -> None:
    kernel = kernel_of(copy((64, 4096), (8192, 1)))
    assert kernel.launch(ADDRESSES).text != kernel.launch((ADDRESSES[0] + 1, ADDRESSES[1])).text


def test_offsets_beyond_32_bits__are_computed_in_64() -> None:
    for stride in (1 << 30, 1 << 33):
        kernel = kernel_of(copy((3, 4096), (stride, 1)))
        assert "int64 o0" in kernel.launch(ADDRESSES).text


@pytest.mark.parametrize("seed", range(20))
def test_picked__takes_the_bytes_it_should(seed: int) -> None:
    """`pick_bytes` of texts, as the hardware defines it, on words of known bytes."""
    random = Random(seed)
    sources = random.sample(range(24), 4) if seed else [4, 5, 6, 7]

    def pick_bytes(low: int, high: int, which: int) -> int:
        both = (high << 32 | low).to_bytes(8, "little")
        return int.from_bytes(bytes(both[which >> 4 * n & 7] for n in range(4)), "little")

    words = [int.from_bytes(bytes(range(4 * n, 4 * n + 4)), "little") for n in range(6)]
    found = eval(picked(sources), {"pick_bytes": pick_bytes, "i": words})
    assert list(found.to_bytes(4, "little")) == sources


@pytest.mark.parametrize("size", [64, 100, 1000, 1024, 4096, 5000, 1 << 20])
def test_blocks_of_pixels__are_filled(size: int) -> None:
    made = Exchange(1, 3, 3, True, False, False, 0, 256, 1, True, True, 0, True).fitted(size)
    count = -(-size // made.pixels)
    assert size / (count * made.pixels) >= 0.9 or made.threads * made.rounds <= 64
    assert made.group_bytes * made.threads * made.rounds <= 1 << 14


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_patterns__have_the_kernel_they_need(pattern: object) -> None:
    case = pattern.build(1 << 18, 4)  # type: ignore[attr-defined]
    kernel = kernel_of(nest_of(case, DataType.FLOAT32))
    assert isinstance(kernel, MoveKernel)
    name = pattern.name  # type: ignore[attr-defined]
    wanted = "TileKernel" if "64" in name or "transpose" in name or "5-D" in name else None
    is_exchanged = any(word in name for word in ("C=3", "C=4", "second column", "row and column", "BGRA"))
    wanted = "ExchangeKernel" if is_exchanged else wanted
    found = type(kernel.specials[0]).__name__ if kernel.specials else None
    assert found == wanted or (wanted is None and found is None)
