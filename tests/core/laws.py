"""The laws of layouts, each checked point by point against plain index arithmetic.

A law takes a layout and a source of random choices, so that the same law runs on thousands of seeded layouts
and under Hypothesis, which shrinks what fails.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, permutations, product
from math import prod
from random import Random

import pytest

import anydml as dml
from anydml.core.orders import recognize_order

Index = tuple[int, ...]


def offsets_of(sizes: Sequence[int], strides: Sequence[int], offset: int = 0) -> list[int]:
    """The offset of every index by the definition: the dot product, summed axis by axis, the last axis fastest."""
    offsets = [offset]
    for size, stride in zip(sizes, strides, strict=True):
        offsets = [before + i * stride for before in offsets for i in range(size)]
    return offsets


def assert_points(layout: dml.Layout, expected: Callable[[Index], int]) -> None:
    """At every index the layout is the expected function."""
    for index in product(*map(range, layout.sizes)):
        assert layout(index) == expected(index), f"{layout} at {index}"


def random_layout(random: Random, most_elements: int = 20) -> dml.Layout:
    """Packed, permuted, padded, broadcast, reversed, overlapping and wild layouts of 1 to 5 dimensions."""
    sizes: list[int] = []
    for _ in range(random.randint(1, 5)):
        sizes.append(random.choice([n for n in (1, 1, 2, 2, 3, 4, 5, 7) if n * prod(sizes) <= most_elements]))
    if random.random() < 0.2:
        strides = [random.randint(-12, 12) for _ in sizes]
    else:
        strides = [0] * len(sizes)
        step = random.choice([1, 1, 1, 2])
        for axis in random.sample(range(len(sizes)), len(sizes)):
            strides[axis] = step
            step = step * sizes[axis] + random.choice([0, 0, 0, 1, 3])
        for axis in range(len(sizes)):
            change = random.random()
            strides[axis] *= 0 if change < 0.1 else -1 if change < 0.25 else 1
    return dml.Layout(sizes, strides, random.choice([0, 0, 7, -5]))


def law_definition(layout: dml.Layout, random: Random) -> None:
    walked = [layout(index) for index in layout.indices()]
    assert walked == offsets_of(layout.sizes, layout.strides, layout.offset)
    assert_points(layout, lambda index: layout.offset + sum(i * s for i, s in zip(index, layout.strides, strict=True)))
    assert dml.Layout(layout.sizes).strides == tuple(prod(layout.sizes[i + 1 :]) for i in range(layout.rank))


def law_value(layout: dml.Layout, random: Random) -> None:
    """A layout is a value: equal by its three parts, hashable, and itself again after a trip."""
    assert eval(repr(layout), {"Layout": dml.Layout}) == layout == pickle.loads(pickle.dumps(layout))
    assert hash(layout) == hash(dml.Layout(list(layout.sizes), list(layout.strides), layout.offset))
    assert layout != dml.Layout(layout.sizes, layout.strides, layout.offset + 1)


def law_extent(layout: dml.Layout, random: Random) -> None:
    offsets = offsets_of(layout.sizes, layout.strides, layout.offset)
    assert (layout.first_offset, layout.last_offset) == (min(offsets), max(offsets))
    assert layout.span == layout.physical_element_count == max(offsets) - min(offsets) + 1
    assert layout.logical_element_count == len(offsets)
    assert layout.has_overlap == (len(set(offsets)) < len(offsets))
    assert layout.is_padded == (len(set(offsets)) < layout.span)
    assert layout.is_packed == (sorted(offsets) == list(range(min(offsets), min(offsets) + len(offsets))))
    assert layout.is_row_major == (offsets == list(range(layout.offset, layout.offset + len(offsets))))
    repeats = any(n > 1 and s == 0 for n, s in zip(layout.sizes, layout.strides, strict=True))
    assert layout.is_broadcast == repeats


def law_permute(layout: dml.Layout, random: Random) -> None:
    axes = random.sample(range(layout.rank), layout.rank)
    permuted = layout.permute(axes)

    def expected(index: Index) -> int:
        return layout([index[axes.index(axis)] for axis in range(layout.rank)])

    assert permuted.sizes == tuple(layout.sizes[axis] for axis in axes)
    assert_points(permuted, expected)


def law_broadcast(layout: dml.Layout, random: Random) -> None:
    target = [random.randint(1, 3) if size == 1 else size for size in layout.sizes]
    target = [random.randint(1, 2) for _ in range(random.randint(0, 2))] + target
    repeated = layout.broadcast_to(target)

    def expected(index: Index) -> int:
        own = index[len(target) - layout.rank :]
        return layout([0 if size == 1 else i for i, size in zip(own, layout.sizes, strict=True)])

    assert repeated.sizes == tuple(target)
    assert_points(repeated, expected)


def is_nested(layout: dml.Layout) -> bool:
    """Whether in some order of the axes each step clears all of the steps inside it."""
    strides = [max(s, 1) if n == 1 else s for n, s in zip(layout.sizes, layout.strides, strict=True)]
    return min(strides) > 0 and any(
        all(strides[outer] >= strides[inner] * layout.sizes[inner] for inner, outer in pairwise(order))
        for order in permutations(range(layout.rank))
    )


def law_pad(layout: dml.Layout, random: Random) -> None:
    amounts = [random.randint(0, 2) for _ in layout.sizes]
    if not is_nested(layout):
        with pytest.raises(dml.InvalidDescriptionError, match=r"pad\.amount"):
            layout.pad(amounts)
        return
    padded = layout.pad(amounts)
    assert padded.sizes == layout.sizes
    # No amount, no change; and the order of elements in memory never changes.
    assert_points(layout.pad([0] * layout.rank), layout)
    indices = list(layout.indices())
    assert sorted(indices, key=layout) == sorted(indices, key=padded)
    # The room is there: the padded layout is the corner of a larger one that has no overlap either.
    roomy = [n + a for n, a in zip(layout.sizes, amounts, strict=True)]
    assert len(set(offsets_of(roomy, padded.strides))) == prod(roomy)


def random_window(sizes: Sequence[int], random: Random) -> tuple[list[int], list[int], list[int], list[int] | None]:
    offsets = [random.randrange(n) for n in sizes]
    counts = [random.randint(1, n - o) for n, o in zip(sizes, offsets, strict=True)]
    strides = [random.choice([1, -1, 2, -2, 3, -5, 2**40, -(2**40)]) for _ in sizes]
    outputs = [random.randint(1, 1 + (c - 1) // abs(s)) for c, s in zip(counts, strides, strict=True)]
    return offsets, counts, strides, outputs if random.random() < 0.5 else None


def window_source(window: tuple[list[int], list[int], list[int], list[int] | None], index: Index) -> list[int]:
    """Where an element of the window comes from: a negative stride starts at the window's last element."""
    offsets, counts, strides, _ = window
    return [o + (c - 1 if s < 0 else 0) + s * i for o, c, s, i in zip(offsets, counts, strides, index, strict=True)]


def law_window(layout: dml.Layout, random: Random) -> None:
    window = random_window(layout.sizes, random)
    result = layout.window(*window)
    limits = tuple(1 + (c - 1) // abs(s) for c, s in zip(window[1], window[2], strict=True))
    assert result.sizes == (limits if window[3] is None else tuple(window[3]))
    assert_points(result, lambda index: layout(window_source(window, index)))
    second = random_window(result.sizes, random)
    composed = result.window(*second)
    assert_points(composed, lambda index: layout(window_source(window, tuple(window_source(second, index)))))


def law_split(layout: dml.Layout, random: Random) -> None:
    axis = random.randrange(layout.rank)
    size = layout.sizes[axis]
    first = random.choice([n for n in range(1, size + 1) if size % n == 0])
    second = size // first
    result = layout.split(axis, (first, second))

    def expected(index: Index) -> int:
        return layout([*index[:axis], index[axis] * second + index[axis + 1], *index[axis + 2 :]])

    assert result.sizes == (*layout.sizes[:axis], first, second, *layout.sizes[axis + 1 :])
    assert_points(result, expected)


def factorizations(count: int, most: int) -> Iterator[tuple[int, ...]]:
    """Every way to write a count as a product of at most so many factors above 1, in every order."""
    if count == 1:
        yield ()
    elif most > 0:
        for first in range(2, count + 1):
            if count % first == 0:
                for rest in factorizations(count // first, most - 1):
                    yield (first, *rest)


def strides_that_walk(offsets: list[int], sizes: Sequence[int]) -> tuple[int, ...] | None:
    """The strides with which these sizes visit the offsets in order, if any do."""
    steps = [prod(sizes[i + 1 :]) for i in range(len(sizes))]
    strides = [offsets[step] - offsets[0] if n > 1 else 0 for step, n in zip(steps, sizes, strict=True)]
    return tuple(strides) if offsets_of(sizes, strides, offsets[0]) == offsets else None


def law_reshape(layout: dml.Layout, random: Random) -> None:
    offsets = offsets_of(layout.sizes, layout.strides, layout.offset)
    target = list(random.choice(list(factorizations(len(offsets), 4))))
    for _ in range(random.randint(0 if target else 1, 3)):
        target.insert(random.randint(0, len(target)), 1)
    if strides_that_walk(offsets, target) is None:
        with pytest.raises(dml.InvalidDescriptionError, match=r"reshape\.strides"):
            layout.reshape(target)
    else:
        result = layout.reshape(target)
        assert result.sizes == tuple(target)
        assert [result(index) for index in result.indices()] == offsets


def law_coalesce(layout: dml.Layout, random: Random) -> None:
    offsets = offsets_of(layout.sizes, layout.strides, layout.offset)
    merged = layout.coalesce()
    assert [merged(index) for index in merged.indices()] == offsets
    fewer = (sizes for sizes in factorizations(len(offsets), merged.rank - 1) if sizes)
    assert all(strides_that_walk(offsets, sizes) is None for sizes in fewer)


def law_order(layout: dml.Layout, random: Random) -> None:
    """A name fits exactly when walking memory in that order, slowest axis first, only moves forward."""
    letters = "NCDHW"[-layout.rank :] if layout.rank < 4 else "NCHW" if layout.rank == 4 else "NCDHW"
    fitting = set()
    for order in permutations(range(layout.rank)):
        walk = offsets_of([layout.sizes[a] for a in order], [layout.strides[a] for a in order])
        if all(before < after for before, after in pairwise(walk)):
            fitting.add("".join(letters[axis] for axis in order))
    match = recognize_order(layout)
    assert match.axes == letters
    assert match.total == len(fitting)
    assert set(match.names) <= fitting and len(match.names) == min(len(fitting), 24) == len(set(match.names))
    assert match.is_ambiguous == (len(fitting) > 1)
    assert ("ambiguous" in str(match)) == match.is_ambiguous
    for name in match.exact:
        assert dml.Layout.from_order(layout.sizes, name, letters).strides == layout.strides


def law_from_order(layout: dml.Layout, random: Random) -> None:
    letters = "".join(random.sample("ABCDEFGHNWXYZ", layout.rank))
    name = "".join(random.sample(letters, layout.rank))
    ordered = dml.Layout.from_order(layout.sizes, name, letters)
    memory = [letters.index(letter) for letter in name]
    # Walking the axes as the name has them visits 0, 1, 2, ...
    walk = offsets_of([ordered.sizes[a] for a in memory], [ordered.strides[a] for a in memory])
    assert walk == list(range(layout.logical_element_count))
    match = recognize_order(ordered, letters)
    assert name in match.names or match.total > 24
    assert name in match.exact or match.total > 24


LAWS: list[Callable[[dml.Layout, Random], None]] = [
    law_definition,
    law_value,
    law_extent,
    law_permute,
    law_broadcast,
    law_pad,
    law_window,
    law_split,
    law_reshape,
    law_coalesce,
    law_order,
    law_from_order,
]
