"""Vectors joined to wider ones, and cut into parts: as wide as an instruction takes, or as a register is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anydml.runtime.native.math.values import Lanes, Vector


def by_parts(operands: Sequence[Vector], widths: Sequence[int], emit: Callable[[list[Vector]], Vector]) -> Vector:
    """What an instruction for vectors of some widths, the widest last, makes of vectors of any power of two."""
    lanes = operands[0].lanes
    width = next((width for width in widths if width >= lanes.count), widths[-1])
    part = Lanes(lanes.e, width, lanes.machine)
    starts = range(0, lanes.count, width)
    result = joined([emit([_cut(part, operand, first) for operand in operands]) for first in starts])
    return result if width <= lanes.count else _cut(lanes, result, 0)


def joined(vectors: Sequence[Vector]) -> Vector:
    """One vector of all lanes, of a power of two of vectors that are equally wide."""
    found = list(vectors)
    while len(found) > 1:
        found = [_join(left, right) for left, right in zip(found[::2], found[1::2], strict=True)]
    return found[0]


def parts_of(x: Vector, lanes: Lanes) -> list[Vector]:
    """A vector as narrower ones."""
    return [_cut(lanes, x, first) for first in range(0, x.lanes.count, lanes.count)]


def _cut(part: Lanes, x: Vector, first: int) -> Vector:
    """Some lanes of a vector; where there are fewer, the others are undefined."""
    count = x.lanes.count
    if part.count == count:
        return x
    if count == 1:
        return part.named(part.e.value(f"insertelement {part.type_name(x.type)} poison, {x.typed}, i64 0"), x.type)
    if part.count == 1:
        return part.named(part.e.value(f"extractelement {x.typed}, i64 {first}"), x.type)
    chosen = [first + lane if lane < count else -1 for lane in range(part.count)]
    return part.named(part.e.shuffle(x.type_name, x.name, None, chosen), x.type)


def _join(left: Vector, right: Vector) -> Vector:
    lanes = Lanes(left.lanes.e, 2 * left.lanes.count, left.lanes.machine)
    return lanes.named(left.lanes.e.shuffle(left.type_name, left.name, right.name, range(lanes.count)), left.type)
