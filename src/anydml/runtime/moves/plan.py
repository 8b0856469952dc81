"""How a pair of layouts is moved: a canonical nest of loops and the kernel that runs its inner part.

Nothing here knows a device. Strides are in bytes; destination strides are positive and descend from the
outermost loop to the innermost, except that a kernel may walk a loop of its own backwards and have the loop
around it chosen for the source.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod

from anydml.core.errors import counted
from anydml.core.layout import Layout

LINE_BYTES = 64
"""A cache line: the unit in which memory is read and written."""
WIDEST_ELEMENT = 16
"""Runs of 2, 4, 8 or 16 bytes are moved as one element."""
FARTHEST_PICK = 8
"""Elements at most this far apart are picked out of whole vectors; farther ones are loaded one by one."""
LONG_GROUP_BYTES = 56
"""Longer groups whose elements stay neighbours are copied as they are."""
WEAVE_SIZES = (2, 3, 4, 5, 6, 7, 8)
"""So many planes are woven into one by shuffles of whole vectors."""
MOST_SPREAD, FARTHEST_SPREAD = 8, 16
"""Groups of so many elements, so far apart, are spread by shuffles."""
STAGING_KERNELS = ("pick", "weave", "regroup", "tile", "gather")
LONG_ROW_BYTES = 4096
"""Longer rows are read at full speed wherever they lie."""
SHORT_ROW_BYTES = 256
"""Shorter rows are joined with their neighbours where they can be."""


_CALL_PRICE = 300
_PRICES = {
    "runs": (1.0, 16),
    "fill": (1.0, 100),
    "pick": (1.5, 0),
    "weave": (1.5, 0),
    "regroup": (1.5, 0),
    "spread": (1.5, 0),
    "tile": (1.5, 200),
    "gather": (8.0, 0),
    "scatter": (1.5, 0),
    "convert": (1.0, 0),
}
"""For each kernel, how slow it is on long rows, and how many bytes could be copied while it begins a row; `_CALL_PRICE`
is the same for its inner loops together. Measured roughly: it decides between few times as long and many times."""
_FIRST_OF_ROW = {"weave": -2, "regroup": -2, "spread": -2, "tile": -2}
"""Kernels that begin a row only after several inner loops."""


@dataclass(frozen=True)
class Loop:
    """One loop: how often it runs and how far each side steps, in bytes."""

    size: int
    source_stride: int
    destination_stride: int

    def flipped(self) -> Loop:
        return Loop(self.size, -self.source_stride, -self.destination_stride)


ONCE = Loop(1, 0, 0)


@dataclass(frozen=True)
class MovePlan:
    """A kernel, the loops it runs itself (`inner`) and the loops around it (`outer`).

    | kernel  | inner loops               | what it does                                              |
    |---------|---------------------------|-----------------------------------------------------------|
    | runs    | across, rows, elements    | both sides are contiguous                                 |
    | fill    | elements                  | one source element is repeated                            |
    | pick    | channels, elements        | elements a few apart, or backwards, out of whole vectors  |
    | weave   | elements, channels        | a few planes become neighbours                            |
    | regroup | rows, groups, elements    | groups of a few elements, backwards or out of larger ones |
    | tile    | across, middle, elements  | the sides are contiguous along different loops            |
    | gather  | across, elements          | any source, one element at a time, into contiguous rows   |
    | scatter | elements                  | destination elements have gaps between them               |
    | spread  | groups, elements          | small groups have gaps between them in the destination    |
    | convert | elements                  | the elements change their type or value                   |
    """

    kernel: str
    element_bytes: int
    destination_bytes: int
    source_offset: int
    destination_offset: int
    outer: tuple[Loop, ...]
    inner: tuple[Loop, ...]
    converts: bool = False
    """Whether elements change their type or value."""

    @property
    def element_count(self) -> int:
        return prod(loop.size for loop in self.outer + self.inner)

    @property
    def payload_bytes(self) -> int:
        """Bytes that are written."""
        return self.element_count * self.destination_bytes

    @property
    def read_bytes(self) -> int:
        """Memory that is read, in whole lines."""
        return _touched([(loop.size, abs(loop.source_stride)) for loop in self.outer + self.inner], self.element_bytes)

    @property
    def written_bytes(self) -> int:
        """Memory whose lines are written, whole or in part."""
        loops = [(loop.size, abs(loop.destination_stride)) for loop in self.outer + self.inner]
        return _touched(loops, self.destination_bytes)

    @property
    def touched_bytes(self) -> int:
        """Both, halved: the payload if both sides are contiguous."""
        return (self.read_bytes + self.written_bytes) // 2

    @property
    def slowness(self) -> float:
        """About how many times as long as a copy of contiguous elements it takes: rows have a price of their own."""
        base, price = _PRICES[self.kernel]
        row = prod(loop.size for loop in self.inner[_FIRST_OF_ROW.get(self.kernel, -1) :])
        call = prod(loop.size for loop in self.inner)
        return base + (price / row + _CALL_PRICE / call) / self.destination_bytes

    def describe(self) -> str:
        """The plan as text, one line a loop, outermost first; loops that run once are left out."""
        elements = counted(self.element_count, "element")
        head = f"{self.kernel}: {elements} of {self._element_text()}"
        starts = f"start at byte {self.source_offset} of the source, {self.destination_offset} of the destination"
        lines = [head, f"  {starts}"]
        marked = [(loop, "") for loop in self.outer] + [(loop, f"  [{self.kernel}]") for loop in self.inner]
        for depth, (loop, mark) in enumerate(entry for entry in marked if entry[0].size > 1):
            lines.append(f"  {'  ' * depth}{_loop_text(loop)}{mark}")
        return "\n".join(lines)

    def _element_text(self) -> str:
        if self.converts:
            return f"{self.element_bytes} -> {self.destination_bytes} bytes"
        return f"{self.element_bytes} bytes"


def _touched(loops: list[tuple[int, int]], element: int) -> int:
    """The bytes of one side's lines: each contiguous run takes whole lines, unless others share them."""
    run, runs = element, 1
    for size, stride in sorted(loops, key=lambda loop: loop[1]):
        if stride == 0:
            continue
        if runs == 1 and stride <= run:
            run += (size - 1) * stride
        else:
            run = min(stride, -(-run // LINE_BYTES) * LINE_BYTES) if runs == 1 else run
            runs *= size
    return run * runs


def _loop_text(loop: Loop) -> str:
    return f"{loop.size} x  source {loop.source_stride:+d}  destination {loop.destination_stride:+d}"


@lru_cache(maxsize=4096)
def plan_move(
    source: Layout, destination: Layout, element_bytes: int, destination_bytes: int | None = None
) -> MovePlan:
    """The plan that writes every element of `source` to the same index of `destination`.

    With `destination_bytes` the elements are converted on the way, otherwise they are moved as they are.
    """
    if source.sizes != destination.sizes:
        raise ValueError(f"a move needs equal sizes: found {source.sizes} and {destination.sizes}")
    # Destinations are counted in source elements until a kernel is chosen.
    loops = [
        Loop(size, from_stride * element_bytes, to_stride * element_bytes)
        for size, from_stride, to_stride in zip(source.sizes, source.strides, destination.strides, strict=True)
        if size > 1
    ]
    flipped = [loop for loop in loops if loop.destination_stride < 0]
    plan = MovePlan(
        kernel="convert",
        element_bytes=element_bytes,
        destination_bytes=element_bytes,
        source_offset=source.offset * element_bytes + sum(_end(loop)[0] for loop in flipped),
        destination_offset=destination.offset * element_bytes + sum(_end(loop)[1] for loop in flipped),
        outer=_canonical(loops),
        inner=(),
        converts=destination_bytes is not None,
    )
    return _with_kernel(_widened(plan)) if destination_bytes is None else _converted(plan, destination_bytes)


def _end(loop: Loop) -> tuple[int, int]:
    """Where the loop's last element lies, seen from its first: source, destination."""
    return (loop.size - 1) * loop.source_stride, (loop.size - 1) * loop.destination_stride


def _canonical(loops: list[Loop]) -> tuple[Loop, ...]:
    """Positive destination strides, largest first, loops merged that run on evenly on both sides."""
    forward = [loop.flipped() if loop.destination_stride < 0 else loop for loop in loops]
    merged: list[Loop] = []
    for loop in sorted(forward, key=lambda loop: -loop.destination_stride):
        if merged and _runs_on(merged[-1], loop):
            loop = replace(loop, size=loop.size * merged.pop().size)
        merged.append(loop)
    return tuple(merged)


def _runs_on(outer: Loop, inner: Loop) -> bool:
    return (
        outer.source_stride == inner.source_stride * inner.size
        and outer.destination_stride == inner.destination_stride * inner.size
    )


def _converted(plan: MovePlan, destination_bytes: int) -> MovePlan:
    """Kernels that stage can convert what they stage; rows that need no staging are converted one by one."""
    chosen = _with_kernel(plan)
    if chosen.kernel not in STAGING_KERNELS:
        loops = plan.outer or (Loop(1, plan.element_bytes, plan.element_bytes),)
        chosen = replace(plan, outer=loops[:-1], inner=loops[-1:])

    def rescaled(stride: int) -> int:
        return stride // plan.element_bytes * destination_bytes

    def in_bytes(loops: tuple[Loop, ...]) -> tuple[Loop, ...]:
        return tuple(replace(loop, destination_stride=rescaled(loop.destination_stride)) for loop in loops)

    return replace(
        chosen,
        destination_bytes=destination_bytes,
        destination_offset=rescaled(chosen.destination_offset),
        outer=in_bytes(chosen.outer),
        inner=in_bytes(chosen.inner),
    )


def _with_kernel(plan: MovePlan) -> MovePlan:
    loops, element = plan.outer, plan.element_bytes
    if not loops:
        return _chosen(plan, "runs", ONCE, ONCE, Loop(1, element, element))
    row = loops[-1]
    if row.destination_stride != element:
        return _chosen(plan, "scatter", row)
    if len(loops) > 1 and _regroups(loops[-2], row, element):
        follows = len(loops) > 2 and loops[-3].destination_stride == loops[-2].size * loops[-2].destination_stride
        return _chosen(plan, "regroup", loops[-3] if follows else ONCE, loops[-2], row)
    if len(loops) > 1 and not plan.converts and _spreads(loops[-2], row, element):
        return _chosen(plan, "spread", loops[-2], row)
    if row.source_stride == element:
        return _runs(plan, row)
    across = _along_source(loops[:-1], element)
    if across is not None and _weaves(loops, across, element):
        return _chosen(plan, "weave", across, row)
    if row.source_stride == 0:
        return _chosen(plan, "fill", row)
    distance = abs(row.source_stride) // element
    if row.source_stride % element == 0 and distance <= FARTHEST_PICK:
        has_channels = across is not None and across.size <= distance
        channels = across if across is not None and has_channels else ONCE
        return _turned(_chosen(plan, "pick", channels, row), 0)
    if across is not None:
        return _tiled(plan, across, row)
    return _chosen(plan, "gather", _nearest(loops), row)


def _widened(plan: MovePlan) -> MovePlan:
    """Makes the longest even part of an inner run one element, and drops the run when that is all of it."""
    element = plan.element_bytes
    row = plan.outer[-1] if plan.outer else ONCE
    if not row.source_stride == row.destination_stride == element:
        return plan
    wide, size = element, row.size
    while size % 2 == 0 and wide < WIDEST_ELEMENT:
        wide, size = wide * 2, size // 2
    rest = () if size == 1 else (Loop(size, wide, wide),)
    return replace(plan, element_bytes=wide, destination_bytes=wide, outer=plan.outer[:-1] + rest)


def _chosen(plan: MovePlan, kernel: str, *inner: Loop) -> MovePlan:
    """The plan with these loops given to the kernel."""
    outer = tuple(loop for loop in plan.outer if loop not in inner)
    return replace(plan, kernel=kernel, outer=outer, inner=inner)


def _turned(plan: MovePlan, number: int) -> MovePlan:
    """Walks an inner loop from its other end if that reads the source forwards."""
    loop = plan.inner[number]
    if loop.source_stride >= 0:
        return plan
    source_end, destination_end = _end(loop)
    return replace(
        plan,
        inner=(*plan.inner[:number], loop.flipped(), *plan.inner[number + 1 :]),
        source_offset=plan.source_offset + source_end,
        destination_offset=plan.destination_offset + destination_end,
    )


def _along_source(loops: tuple[Loop, ...], element: int) -> Loop | None:
    """The loop along which source elements are neighbours."""
    found = [loop for loop in loops if abs(loop.source_stride) == element]
    return max(found, key=lambda loop: loop.size, default=None)


def _nearest(loops: tuple[Loop, ...]) -> Loop:
    """The loop around the row that steps least in the source, if it steps less than the row does."""
    row = loops[-1]
    near = [loop for loop in loops[:-1] if 0 < abs(loop.source_stride) < abs(row.source_stride)]
    return min(near, key=lambda loop: abs(loop.source_stride), default=ONCE)


def _weaves(loops: tuple[Loop, ...], across: Loop, element: int) -> bool:
    row = loops[-1]
    return (
        across is loops[-2]
        and row.size in WEAVE_SIZES
        and across.source_stride == element
        and across.destination_stride == row.size * element
    )


def _regroups(groups: Loop, row: Loop, element: int) -> bool:
    """Whether groups of a few elements lie close together, each in a place of its own, and are written without gaps."""
    apart, step = abs(groups.source_stride), abs(row.source_stride)
    if row.source_stride == element and row.size * element > LONG_GROUP_BYTES:
        return False
    return (
        groups.destination_stride == row.size * element
        and 0 < apart <= FARTHEST_PICK * element
        and apart % element == step % element == 0
        and step > 0
        and (row.size - 1) * step < apart
    )


def _spreads(groups: Loop, row: Loop, element: int) -> bool:
    """Whether groups of a few elements are written with gaps between: out of groups that lie close together, out of
    planes, or out of one element."""
    pitch, uneven = divmod(groups.destination_stride, element)
    if uneven or not row.size < pitch <= FARTHEST_SPREAD or row.size > MOST_SPREAD:
        return False
    if row.source_stride != element:
        return groups.source_stride == element or groups.source_stride == row.source_stride == 0
    apart, uneven = divmod(groups.source_stride, element)
    return not uneven and row.size <= apart <= FARTHEST_SPREAD and row.size * element <= LONG_GROUP_BYTES


def _runs(plan: MovePlan, row: Loop) -> MovePlan:
    """Short rows are moved together with those that lie beside them in the source."""
    rows = plan.outer[-2] if len(plan.outer) > 1 else ONCE
    across = ONCE
    if row.size * plan.element_bytes <= LONG_ROW_BYTES:
        across = _nearest(plan.outer[:-1]) if rows is not ONCE else ONCE
    runs = _chosen(plan, "runs", across, rows, row)
    follows = rows.destination_stride == row.size * plan.element_bytes
    # Rows that follow one another are written together, which needs the destination's order.
    is_short = row.size * plan.element_bytes < 4 * SHORT_ROW_BYTES
    return runs if follows and is_short else _turned(runs, 1)


def _tiled(plan: MovePlan, across: Loop, row: Loop) -> MovePlan:
    element = plan.element_bytes
    middle = ONCE
    neighbour = plan.outer[-2]
    row_bytes = row.size * element
    if row_bytes < SHORT_ROW_BYTES and neighbour is not across and neighbour.destination_stride == row_bytes:
        middle = neighbour
    tiled = _turned(_chosen(plan, "tile", across, middle, row), 0)
    across_bytes = across.size * element
    following = [loop for loop in tiled.outer if abs(loop.source_stride) == across_bytes]
    if across_bytes < SHORT_ROW_BYTES and following:
        # Lines that short source rows share are still in the cache when the next row is read at once.
        others = tuple(loop for loop in tiled.outer if loop is not following[0])
        return replace(tiled, outer=(*others, following[0]))
    return tiled
