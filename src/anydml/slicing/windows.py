"""The three dialects of windows: WebNN slice, DML_SLICE and DML_SLICE1. None knows an empty result."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from anydml.core.errors import Violation, raise_if_any
from anydml.core.geometry import check_geometry
from anydml.core.rules import rule
from anydml.core.windows import check_window, window_limits
from anydml.slicing.lists import check_steps, read_lists

EMPTY = rule("slicing.empty", "WebNN slice, DML_SLICE and DML_SLICE1 give at least one element along each axis.")
FORWARD = rule("slicing.forward", "WebNN slice and DML_SLICE only step forwards: strides are at least 1.")
BITS = rule("slicing.bits", "Offsets and sizes are unsigned 32-bit numbers; the strides of DML_SLICE1 are signed ones.")
INSIDE = rule("slicing.inside", "Every element selected lies inside its axis.")
_UINT_MAX = (1 << 32) - 1
_INT_MIN, _INT_MAX = -(1 << 31), (1 << 31) - 1


class WebnnSlice(NamedTuple):
    """WebNN slice: `sizes` is the window, of which every `strides`-th element is taken, the first included."""

    starts: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]


class DmlSlice(NamedTuple):
    """DML_SLICE: `sizes` counts the elements taken, so it is the output's sizes."""

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]
    strides: tuple[int, ...]


class DmlSlice1(NamedTuple):
    """DML_SLICE1: a window, walked from its end where the stride is negative."""

    input_window_offsets: tuple[int, ...]
    input_window_sizes: tuple[int, ...]
    input_window_strides: tuple[int, ...]
    output_sizes: tuple[int, ...]


def read_webnn(starts: object, sizes: object, strides: object, input_sizes: tuple[int, ...]) -> list[range]:
    rank = len(input_sizes)
    given = {"starts": starts, "sizes": sizes, "strides": (1,) * rank if strides is None else strides}
    window = WebnnSlice(*read_lists(given, "WebNN slice", rank))
    violations = _check_forward("strides", window.strides)
    violations += _renamed(check_window(input_sizes, window.starts, window.sizes, (1,) * rank), {"offsets": "starts"})
    raise_if_any(violations, subject="WebNN slice")
    return [range(start, start + size, stride) for start, size, stride in zip(*window, strict=True)]


def write_webnn(ranges: tuple[range, ...], input_sizes: tuple[int, ...]) -> WebnnSlice:
    violations = _check_sayable(ranges, backwards="a slice forwards, then WebNN reverse along this axis")
    violations += _check_bits("input_sizes", input_sizes, 0, _UINT_MAX, "splitting the tensor")
    raise_if_any(violations, subject="WebNN slice")
    return WebnnSlice(_lowest(ranges), _extents(ranges), tuple(part.step for part in ranges))


def read_dml_slice(offsets: object, sizes: object, strides: object, input_sizes: tuple[int, ...]) -> list[range]:
    given = {"offsets": offsets, "sizes": sizes, "strides": strides}
    spec = DmlSlice(*read_lists(given, "DML_SLICE", len(input_sizes)))
    violations = _check_forward("strides", spec.strides)
    violations += [EMPTY(f"sizes[{i}]", n, "at least 1", "1 or more") for i, n in enumerate(spec.sizes) if n < 1]
    for i, (offset, size, stride, whole) in enumerate(zip(*spec, input_sizes, strict=True)):
        last = offset + (size - 1) * stride
        if size >= 1 and stride >= 1 and not 0 <= offset <= last < whole:
            found, expected = f"elements {offset} to {last}", f"elements inside 0 to {whole - 1}"
            violations.append(INSIDE(f"sizes[{i}]", found, expected, "a smaller offset, size or stride"))
    raise_if_any(violations, subject="DML_SLICE")
    return [range(offset, offset + size * stride, stride) for offset, size, stride in zip(*spec, strict=True)]


def write_dml_slice(ranges: tuple[range, ...], input_sizes: tuple[int, ...]) -> DmlSlice:
    violations = _check_sayable(ranges, backwards="to_slice1(), which can reverse")
    raise_if_any([*violations, *_check_tensor(input_sizes)], subject="DML_SLICE")
    return DmlSlice(_lowest(ranges), tuple(map(len, ranges)), tuple(part.step for part in ranges))


def read_slice1(
    offsets: object, sizes: object, strides: object, output_sizes: object, input_sizes: tuple[int, ...]
) -> list[range]:
    names = ("input_window_offsets", "input_window_sizes", "input_window_strides")
    given = dict(zip(names, (offsets, sizes, strides), strict=True))
    lists = read_lists(given, "DML_SLICE1", len(input_sizes))
    outputs: tuple[int, ...] | None = None
    if output_sizes is not None:
        (outputs,) = read_lists({"output_sizes": output_sizes}, "DML_SLICE1", len(input_sizes))
    violations = _check_bits(names[2], lists[2], _INT_MIN, _INT_MAX, "a stride no longer than the window")
    violations += _renamed(
        check_window(input_sizes, lists[0], lists[1], lists[2], outputs),
        dict(zip(("offsets", "sizes", "strides"), names, strict=True)),
    )
    raise_if_any(violations, subject="DML_SLICE1")
    counts = outputs or window_limits(lists[1], lists[2])
    starts = [at + (n - 1 if step < 0 else 0) for at, n, step in zip(*lists, strict=True)]
    return [range(at, at + n * step, step) for at, n, step in zip(starts, counts, lists[2], strict=True)]


def write_slice1(ranges: tuple[range, ...], input_sizes: tuple[int, ...]) -> DmlSlice1:
    """The smallest window, from the lowest element selected to the highest, so that all it reaches is taken."""
    strides = tuple(part.step for part in ranges)
    violations = [*_check_sayable(ranges), *_check_tensor(input_sizes)]
    fix = "to_dml_slice() if it steps forwards, or splitting the tensor"
    violations += _check_bits("strides", strides, _INT_MIN, _INT_MAX, fix)
    raise_if_any(violations, subject="DML_SLICE1")
    return DmlSlice1(_lowest(ranges), _extents(ranges), strides, tuple(map(len, ranges)))


def _lowest(ranges: tuple[range, ...]) -> tuple[int, ...]:
    return tuple(min(part[0], part[-1]) for part in ranges)


def _extents(ranges: tuple[range, ...]) -> tuple[int, ...]:
    return tuple(abs(part[-1] - part[0]) + 1 for part in ranges)


def _renamed(violations: list[Violation], names: dict[str, str]) -> list[Violation]:
    """The core's words for a window, in those of the dialect."""
    parts = [(violation, violation.path.partition("[")) for violation in violations]
    return [replace(violation, path="".join((names.get(bare, bare), *rest))) for violation, (bare, *rest) in parts]


def _check_sayable(ranges: tuple[range, ...], backwards: str = "") -> list[Violation]:
    """What no window can say; `backwards` is the way out for a dialect that only steps forwards."""
    violations = []
    for axis, part in enumerate(ranges):
        if not part:
            fix = "leaving the operator out: an empty result needs no work"
            violations.append(EMPTY(f"axis {axis}", "no element", "at least one element", fix))
        elif backwards and part.step < 0:
            violations.append(FORWARD(f"axis {axis}", f"a step of {part.step}", "at least 1", backwards))
    return violations


def _check_forward(name: str, strides: tuple[int, ...]) -> list[Violation]:
    backwards = [(i, stride) for i, stride in enumerate(strides) if stride < 0]
    fix = "from_slice1, whose windows can be reversed"
    return check_steps(name, strides) + [FORWARD(f"{name}[{i}]", s, "at least 1", fix) for i, s in backwards]


def _check_bits(name: str, values: tuple[int, ...], low: int, high: int, fix: str) -> list[Violation]:
    outside = [(i, value) for i, value in enumerate(values) if not low <= value <= high]
    return [BITS(f"{name}[{i}]", value, f"{low} to {high}", fix) for i, value in outside]


def _check_tensor(input_sizes: tuple[int, ...]) -> list[Violation]:
    """Whether DirectML can describe the input at all."""
    checked = check_geometry(input_sizes)
    return _renamed(checked, {"Sizes": "input_sizes"}) if isinstance(checked, list) else []
