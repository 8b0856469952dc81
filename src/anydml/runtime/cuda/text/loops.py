"""Loops over several accesses, in one canonical order, and exact division by their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from anydml.core.steps import Access

Numbers = tuple[int, ...]
SMALL = 1 << 31
"""Counts and distances below this fit 32-bit arithmetic."""


@dataclass(frozen=True)
class Loops:
    """Sizes, outermost first, and for each access its strides and its start, in elements."""

    sizes: Numbers
    strides: tuple[Numbers, ...]
    starts: Numbers

    @property
    def count(self) -> int:
        return prod(self.sizes)

    @property
    def is_small(self) -> bool:
        """Whether every iteration and every element is found by 32-bit arithmetic."""
        return self.count < SMALL and all(self.reach(number) < SMALL for number in range(len(self.strides)))

    def reach(self, access: int) -> int:
        """The farthest distance from the start, in elements."""
        steps = zip(self.sizes, self.strides[access], strict=True)
        return sum((size - 1) * abs(stride) for size, stride in steps) + 1


def canonical(sizes: Sequence[int], accesses: Sequence[Access]) -> Loops:
    """The first access rises from the innermost loop outwards; loops that run on evenly for all are one."""
    starts = [access.offset for access in accesses]
    loops: list[tuple[int, list[int]]] = []
    for axis, size in enumerate(sizes):
        if size == 1:
            continue
        strides = [access.strides[axis] for access in accesses]
        if strides[0] < 0:
            starts = [start + (size - 1) * stride for start, stride in zip(starts, strides, strict=True)]
            strides = [-stride for stride in strides]
        loops.append((size, strides))
    loops.sort(key=lambda loop: -loop[1][0])
    merged: list[tuple[int, list[int]]] = []
    for size, strides in loops:
        if merged and merged[-1][1] == [stride * size for stride in strides]:
            size *= merged.pop()[0]
        merged.append((size, strides))
    merged = merged or [(1, [0] * len(accesses))]
    return Loops(tuple(s for s, _ in merged), tuple(zip(*(s for _, s in merged), strict=True)), tuple(starts))


def magic(divisor: int) -> int:
    """What `divide` in kernels needs to divide numbers below 2^31: shift and factor."""
    shift = (divisor - 1).bit_length()
    factor = ((1 << 32) * ((1 << shift) - divisor)) // divisor + 1
    return shift << 32 | factor & 0xFFFFFFFF


def outer_lines(rank: int) -> str:
    """Lines that take a block's number b apart, and move `from` and `to` by its place in the outer loops."""
    lines = []
    for r in reversed(range(rank)):
        size, source, destination = (f"p.outer[{3 * r + n}]" for n in range(3))
        lines.append(f"  q = b / (uint32){size};")
        lines.append(f"  {{ const int64 k = (int64)(b - q * (uint32){size});")
        lines.append(f"    from += k * {source}; to += k * {destination}; }} b = q;")
    return "\n".join(lines)
