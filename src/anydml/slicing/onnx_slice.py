"""ONNX Slice: starts, ends, axes and steps, clamped to the axis by rules close to NumPy's but not the same."""

from __future__ import annotations

from typing import NamedTuple

from anydml.core.errors import Violation, raise_if_any
from anydml.core.rules import rule
from anydml.slicing.lists import check_steps, count_of, read_lists

AXES = rule("slicing.onnx-axes", "Axes lie from -rank to rank - 1, and no axis is named twice.")
PAST_ZERO = -(1 << 63)
"""INT64_MIN: the end that lies before element 0 whatever the size; -1 would mean the last element."""


class OnnxSlice(NamedTuple):
    """The four inputs of ONNX Slice."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    axes: tuple[int, ...]
    steps: tuple[int, ...]


def read_onnx(starts: object, ends: object, axes: object, steps: object, sizes: tuple[int, ...]) -> list[range]:
    """What ONNX Slice takes of each axis; axes it does not name are whole."""
    count = count_of(starts)
    given = {
        "starts": starts,
        "ends": ends,
        "axes": range(count) if axes is None else axes,
        "steps": (1,) * count if steps is None else steps,
    }
    lists = OnnxSlice(*read_lists(given, "ONNX Slice"))
    violations = [*_check_axes(lists.axes, len(sizes)), *check_steps("steps", lists.steps)]
    raise_if_any(violations, subject="ONNX Slice")
    ranges = [range(size) for size in sizes]
    for start, end, axis, step in zip(*lists, strict=True):
        ranges[axis] = _clamped(start, end, step, sizes[axis])
    return ranges


def write_onnx(ranges: tuple[range, ...]) -> OnnxSlice:
    """Every axis written out, with ends that mean the same whoever clamps them."""
    return OnnxSlice(
        tuple(part.start for part in ranges),
        tuple(part.stop if part.stop >= 0 else PAST_ZERO for part in ranges),
        tuple(range(len(ranges))),
        tuple(part.step for part in ranges),
    )


def _check_axes(axes: tuple[int, ...], rank: int) -> list[Violation]:
    violations: list[Violation] = []
    seen: set[int] = set()
    for i, axis in enumerate(axes):
        if not -rank <= axis < rank:
            expected = f"{-rank} to {rank - 1}" if rank else "no axis: the input is a scalar"
            violations.append(AXES(f"axes[{i}]", axis, expected, "an axis of the input"))
        elif axis % rank in seen:
            violations.append(AXES(f"axes[{i}]", f"axis {axis % rank} again", "each axis once", "a second Slice"))
        else:
            seen.add(axis % rank)
    return violations


def _clamped(start: int, end: int, step: int, size: int) -> range:
    """The documented rule: negative numbers count from the end, then both are clamped by the step's sign."""
    if size == 0:
        return range(0)
    start, end = (value + size if value < 0 else value for value in (start, end))
    if step > 0:
        return range(min(max(start, 0), size), min(max(end, 0), size), step)
    # Stepping back, a start before element 0 becomes 0, where NumPy has nothing left to select.
    return range(min(max(start, 0), size - 1), min(max(end, -1), size - 1), step)
