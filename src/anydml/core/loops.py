"""Loops over memory: how the elements one nest of loops reads are those another one wrote.

Addresses are affine: an offset plus the sum of index times stride. `route` expresses the loops of one access through
the loops of another, or says that it cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

Numbers = tuple[int, ...]


@dataclass(frozen=True)
class Route:
    """Where, in the index space of another nest, each iteration of this one lies.

    `splits` cuts each loop into factors, outermost first. For each loop so made, `steps` says how far one iteration
    moves along every loop of the other nest; `start` is where iteration 0 lies.
    """

    splits: tuple[Numbers, ...]
    steps: tuple[Numbers, ...]
    start: Numbers

    @property
    def is_whole(self) -> bool:
        """Whether no loop had to be cut."""
        return all(len(factors) == 1 for factors in self.splits)

    @property
    def sizes(self) -> Numbers:
        return tuple(size for factors in self.splits for size in factors)

    @property
    def repeats(self) -> bool:
        """Whether some elements are visited more than once."""
        return any(size > 1 and not any(step) for size, step in zip(self.sizes, self.steps, strict=True))

    def cut(self, strides: Sequence[int]) -> Numbers:
        """The strides of an access of this nest, after its loops were cut."""
        result: list[int] = []
        for stride, factors in zip(strides, self.splits, strict=True):
            inner = [prod(factors[i + 1 :]) for i in range(len(factors))]
            result += [stride * steps for steps in inner]
        return tuple(result)

    def follow(self, strides: Sequence[int], offset: int) -> tuple[Numbers, int]:
        """An access of the other nest, seen from the loops of this one: its strides and offset."""
        own = tuple(sum(step * stride for step, stride in zip(steps, strides, strict=True)) for steps in self.steps)
        return own, offset + sum(place * stride for place, stride in zip(self.start, strides, strict=True))

    def invert(self, sizes: Sequence[int], strides: Sequence[int]) -> Numbers | None:
        """An access of this nest (strides after `cut`), seen from the other nest's loops, where that can be said.

        Both nests must visit the same elements, each once.
        """
        if any(self.start) or prod(self.sizes) != prod(sizes) or self.repeats:
            return None
        result = []
        for axis, size in enumerate(sizes):
            parts = sorted(
                (step[axis], count, stride)
                for step, count, stride in zip(self.steps, self.sizes, strides, strict=True)
                if step[axis] and count > 1
            )
            unit, reach = (parts[0][2] if parts else 0), 1
            for step, count, stride in parts:
                if step != reach or stride != unit * step:
                    return None
                reach *= count
            if reach != size:
                return None
            result.append(unit)
        return tuple(result)


def route(
    sizes: Sequence[int],
    strides: Sequence[int],
    offset: int,
    through_sizes: Sequence[int],
    through_strides: Sequence[int],
    through_offset: int,
) -> Route | None:
    """The loops of an access expressed through those of another access to the same memory; None where they cannot be.

    The other access reaches every element at most once, along loops that are nested in memory.
    """
    digits = _digits(through_sizes, through_strides)
    if digits is None:
        return None
    low = through_offset + sum((n - 1) * s for n, s in zip(through_sizes, through_strides, strict=True) if s < 0)
    start = _decompose(offset - low, digits, len(through_sizes), last=True)
    if start is None:
        return None
    splits, steps = [], []
    for size, stride in zip(sizes, strides, strict=True):
        parts = _cut_loop(size, stride, digits, len(through_sizes))
        if parts is None:
            return None
        splits.append(tuple(count for count, _ in parts))
        steps += [step for _, step in parts]
    found = Route(tuple(splits), tuple(steps), start)
    if not _stays_inside(found, through_sizes):
        return None
    return _turned(found, through_sizes, through_strides)


@dataclass(frozen=True)
class _Digit:
    """A loop of the other access: its axis, size and distance in memory."""

    axis: int
    size: int
    stride: int


def _digits(sizes: Sequence[int], strides: Sequence[int]) -> list[_Digit] | None:
    """The loops by falling distance in memory; None where they are not nested, so that offsets have no one index."""
    loops = [
        _Digit(axis, size, abs(stride))
        for axis, (size, stride) in enumerate(zip(sizes, strides, strict=True))
        if size > 1
    ]
    loops.sort(key=lambda digit: -digit.stride)
    reach = 0
    for digit in reversed(loops):
        if digit.stride <= reach:
            return None
        reach += (digit.size - 1) * digit.stride
    return loops


def _decompose(distance: int, digits: list[_Digit], rank: int, last: bool = False) -> Numbers | None:
    """A distance in memory as steps along loops; `last` takes no more steps than a loop has."""
    steps, sign, rest = [0] * rank, 1 if distance >= 0 else -1, abs(distance)
    for digit in digits:
        count = rest // digit.stride
        if last:
            count = min(count, digit.size - 1)
        steps[digit.axis], rest = sign * count, rest - count * digit.stride
    return tuple(steps) if rest == 0 and (distance >= 0 or not last) else None


def _cut_loop(size: int, stride: int, digits: list[_Digit], rank: int) -> list[tuple[int, Numbers]] | None:
    """One loop as one or several, each of which moves evenly along the other access's loops."""
    if size == 1 or stride == 0:
        return [(size, (0,) * rank)]
    parts: list[tuple[int, Numbers]] = []
    while True:
        steps = _decompose(stride, digits, rank)
        if steps is None:
            return None
        whole = _steps_before_carry(steps, digits)
        if whole >= size:
            return [(size, steps), *parts]
        if whole < 2 or size % whole:
            return None
        parts = [(whole, steps), *parts]
        size, stride = size // whole, stride * whole


def _steps_before_carry(steps: Numbers, digits: list[_Digit]) -> int:
    """How many steps fit before a loop runs out and the next outer one would have to move on."""
    return min((-(-digit.size // abs(steps[digit.axis])) for digit in digits if steps[digit.axis]), default=1)


def _stays_inside(found: Route, sizes: Sequence[int]) -> bool:
    """Whether no combination of iterations leaves the other nest's index space."""
    for axis, size in enumerate(sizes):
        reaches = [(count - 1) * step[axis] for count, step in zip(found.sizes, found.steps, strict=True)]
        low = found.start[axis] + sum(reach for reach in reaches if reach < 0)
        high = found.start[axis] + sum(reach for reach in reaches if reach > 0)
        if low < 0 or high >= size:
            return False
    return True


def _turned(found: Route, sizes: Sequence[int], strides: Sequence[int]) -> Route:
    """Indices counted from the lowest address, counted along the loops' own directions instead."""
    backward = [stride < 0 and size > 1 for size, stride in zip(sizes, strides, strict=True)]
    if not any(backward):
        return found
    start = tuple(n - 1 - at if back else at for at, n, back in zip(found.start, sizes, backward, strict=True))
    steps = tuple(tuple(-s if back else s for s, back in zip(step, backward, strict=True)) for step in found.steps)
    return Route(found.splits, steps, start)
