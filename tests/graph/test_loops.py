"""Routes between accesses, against every single address."""

from __future__ import annotations

from itertools import product
from random import Random

from anydml.core.loops import Route, route

CASES = 6000
Sizes = list[int]


def indices(sizes: Sizes | tuple[int, ...]) -> list[tuple[int, ...]]:
    return list(product(*(range(n) for n in sizes)))


def address(index: tuple[int, ...], strides: Sizes | tuple[int, ...], offset: int) -> int:
    return offset + sum(i * s for i, s in zip(index, strides, strict=True))


def written(random: Random) -> tuple[Sizes, Sizes, int]:
    """An access that reaches every element once: nested, permuted, with gaps, some loops backwards."""
    sizes = [random.choice((1, 2, 3, 4, 6)) for _ in range(random.randint(1, 4))]
    strides, step = [0] * len(sizes), random.choice((1, 1, 1, 2))
    for axis in random.sample(range(len(sizes)), len(sizes)):
        strides[axis] = step if random.random() < 0.8 else -step
        step = step * sizes[axis] + random.choice((0, 0, 0, 1))
    start = sum((n - 1) * -s for n, s in zip(sizes, strides, strict=True) if s < 0)
    return sizes, strides, start + random.choice((0, 0, 3))


def window(random: Random, through: tuple[Sizes, Sizes, int]) -> tuple[Sizes, Sizes, int]:
    """A permuted window over the same loops, some reversed or with steps."""
    sizes, strides, offset = [], [], through[2]
    for axis in random.sample(range(len(through[0])), len(through[0])):
        total, stride = through[0][axis], through[1][axis]
        step = random.choice((1, 1, 2))
        count = random.randint(1, 1 + (total - 1) // step)
        start = random.randint(0, total - 1 - (count - 1) * step)
        if random.random() < 0.3:
            start, step = start + (count - 1) * step, -step
        sizes.append(count)
        strides.append(step * stride)
        offset += start * stride
    return sizes, strides, offset


def reshaped(random: Random, through: tuple[Sizes, Sizes, int]) -> tuple[Sizes, Sizes, int]:
    """All addresses from the lowest on, as a packed tensor of other sizes; some lie outside where there are gaps."""
    total = 1
    for n in through[0]:
        total *= n
    sizes = []
    while total > 1 and len(sizes) < 3:
        sizes.append(random.choice([d for d in range(1, total + 1) if total % d == 0]))
        total //= sizes[-1]
    sizes.append(total)
    strides = [1] * len(sizes)
    for axis in range(len(sizes) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * sizes[axis + 1]
    low = min(address(i, through[1], through[2]) for i in indices(through[0]))
    order = random.sample(range(len(sizes)), len(sizes))
    return [sizes[a] for a in order], [strides[a] for a in order], low


def check(found: Route, own: tuple[Sizes, Sizes, int], through: tuple[Sizes, Sizes, int], random: Random) -> None:
    """Every iteration, seen through the route, lies at its own address."""
    table = {address(i, through[1], through[2]): i for i in indices(through[0])}
    other, start = [random.randint(-9, 9) for _ in through[0]], random.randint(-5, 5)
    strides, offset = found.follow(other, start)
    cut = found.cut(own[1])
    places = [address(i, cut, own[2]) for i in indices(found.sizes)]
    assert places == [address(i, own[1], own[2]) for i in indices(own[0])], "cutting loops keeps their order"
    for index, place in zip(indices(found.sizes), places, strict=True):
        assert address(index, strides, offset) == address(table[place], other, start)
    inverse = found.invert(through[0], cut)
    if inverse is not None:
        for index in indices(through[0]):
            assert address(index, inverse, own[2]) == address(index, through[1], through[2])


def test_route__agrees_with_every_address() -> None:
    found = {"windows": 0, "reshapes": 0, "inverted": 0, "refused": 0}
    for seed in range(CASES):
        random = Random(f"route {seed}")
        through = written(random)
        make = window if seed % 2 else reshaped
        own = make(random, through)
        result = route(*own, *through)
        if result is None:
            found["refused"] += 1
            continue
        check(result, own, through, random)
        found["windows" if seed % 2 else "reshapes"] += 1
        found["inverted"] += result.invert(through[0], result.cut(own[1])) is not None
    assert found["windows"] == CASES // 2, "a window over the same loops always has a route"
    assert found["reshapes"] > CASES // 8 and found["inverted"] > CASES // 8 and found["refused"] > 0


def test_route__refuses_what_lies_outside() -> None:
    assert route([4], [1], 0, [3], [1], 0) is None
    assert route([3], [1], 1, [3], [1], 0) is None
    assert route([2], [1], 0, [2], [2], 0) is None, "an element between two that were written"
    assert route([2], [1], 0, [2, 2], [1, 1], 0) is None, "loops that reach an element twice"


def test_route__cuts_a_loop_that_runs_over_two() -> None:
    found = route([12], [1], 0, [3, 4], [10, 1], 0)
    assert found is None, "rows with gaps between them do not run on"
    found = route([12], [1], 0, [4, 3], [1, 4], 0)
    assert found is not None and found.splits == ((3, 4),) and not found.is_whole
