"""Small groups of elements, such as pixels, that are taken backwards, out of larger groups, or in another order.

As many groups as a vector has lanes are read as whole vectors, and their elements shuffled into whole vectors of
the destination, which is contiguous.
"""

from __future__ import annotations

from dataclasses import dataclass

from anydml.runtime.moves.kernels.frame import (
    AHEAD_BYTES,
    CHUNK_BYTES,
    FORESEEN_ROW_BYTES,
    STAGING_BYTES,
    Frame,
    Lowered,
    Shape,
    power_at_most,
    rows_ahead,
)
from anydml.runtime.moves.kernels.lanes import Lanes
from anydml.runtime.moves.kernels.pending import Rows, Writer
from anydml.runtime.moves.plan import MovePlan
from anydml.runtime.native.emit import SECOND_LEVEL, Value

GRAIN_BYTES = 8 * 1024


def lower(plan: MovePlan, vector_bytes: int, stream: bool) -> Lowered:
    rows, groups, row = plan.inner
    element = plan.element_bytes
    lanes = min(vector_bytes // element, power_at_most(groups.size))
    steps = groups.source_stride // element, row.source_stride // element
    shape = Shape("regroup", element, vector_bytes, stream, (row.size, *steps, lanes))
    group_bytes = row.size * element
    # Short rows are staged together, and those that go backwards as a whole: what is written between whole lines is
    # written slowly.
    row_bytes = groups.size * group_bytes
    together = CHUNK_BYTES // row_bytes
    is_staged_whole = together or (steps[0] < 0 and row_bytes <= STAGING_BYTES // 2)
    chunk = groups.size if is_staged_whole else max(lanes, CHUNK_BYTES // group_bytes // lanes * lanes)
    grains = 1, GRAIN_BYTES // element if rows.size == 1 else 0, 0
    return Lowered(shape, (max(1, together), chunk, _ahead(plan)), grains, (0, 1, 2))


def _ahead(plan: MovePlan) -> int:
    """How far from a group the one lies that is asked for while it is moved."""
    rows, groups, _ = plan.inner
    row_bytes = groups.size * abs(groups.source_stride)
    if rows.size == 1 and plan.outer:
        rows = plan.outer[-1]
    following = 0 if row_bytes > FORESEEN_ROW_BYTES else rows_ahead(row_bytes, rows)
    return following or AHEAD_BYTES


@dataclass(frozen=True)
class _Groups:
    """Where the elements of groups lie, in elements."""

    size: int
    apart: int
    step: int
    lanes: Lanes

    @property
    def reach(self) -> int:
        """Elements from the first to the last of a group's in memory."""
        return (self.size - 1) * abs(self.step) + 1

    @property
    def gap(self) -> int:
        """Elements between one group and the next."""
        return abs(self.apart) - self.reach

    @property
    def base(self) -> int:
        """Where the vectors begin that hold as many groups as lanes, seen from the first group's first element.

        They end with a gap, or begin with one when groups go backwards, so that only the last group's gap may
        lie outside the tensor.
        """
        lowest = min(0, (self.size - 1) * self.step)
        return lowest if self.apart > 0 else lowest + (self.lanes.count - 1) * self.apart - self.gap

    def place(self, number: int) -> int:
        """Where an element of the destination lies in those vectors."""
        group, member = divmod(number, self.size)
        return group * self.apart + member * self.step - self.base


def _groups(f: Frame) -> _Groups:
    size, apart, step, lanes = (int(detail) for detail in f.shape.details)
    return _Groups(size, apart, step, Lanes(f.shape.element_bytes, lanes))


def emit(f: Frame) -> None:
    e, (rows, groups, _), (together, chunk, _) = f.e, f.inner, f.extras
    group_bytes = _groups(f).size * f.shape.element_bytes
    is_piped = f.shape.stream and not f.shape.written
    writer = Writer(f, is_piped, group_bytes * _groups(f).lanes.count)
    if not f.shape.stream:
        with e.loop(0, rows.size) as row:
            place = f.from_destination((row, rows.destination_stride))
            _regroup(f, f.from_source((row, rows.source_stride)), 0, groups.size, place, writer)
        return
    with e.loop(0, rows.size, together) as first, e.loop(0, groups.size, chunk) as wanted:
        row_count = e.minimum(together, e.subtract(rows.size, first))
        count = e.minimum(chunk, e.subtract(groups.size, wanted))
        start = wanted if _groups(f).apart > 0 else e.subtract(e.subtract(groups.size, wanted), count)
        size = e.multiply(count, group_bytes)
        staged = writer.staging()
        with e.loop(0, row_count) as row:
            source = f.from_source((e.add(first, row), rows.source_stride))
            _regroup(f, source, start, count, e.at(staged, e.multiply(row, size)), writer)
        target = f.from_destination((first, rows.destination_stride), (start, _groups(f).size * f.written_bytes))
        writer.write(Rows(staged, target, 1, e.multiply(row_count, size)))
    writer.finish()


def _regroup(f: Frame, source: str, start: Value, count: Value, target: str, writer: Writer) -> None:
    """Groups `start` to `start + count` of a row, written without gaps from `target` on."""
    e, groups = f.e, _groups(f)
    lanes = groups.lanes.count
    first = e.at(source, e.multiply(start, groups.apart * f.shape.element_bytes))
    readable: Value = count
    if groups.gap:  # the gap after the very last group need not belong to the buffer
        readable = e.minimum(count, e.subtract(e.subtract(f.inner[1].size, 1), start))
    enough = e.value(f"icmp sge i64 {readable}, {lanes}")
    whole = e.value(f"select i1 {enough}, i64 {readable}, i64 0")
    with e.loop(0, whole, lanes) as wanted:
        # The last vectors begin early enough to be whole: some groups are written twice, alike. Groups that go
        # backwards are taken last to first, which reads the source forwards.
        last = e.subtract(whole, lanes)
        number = e.minimum(wanted, last)
        _regroup_vectors(f, first, number if groups.apart > 0 else e.subtract(last, number), target)
        writer.go_on()
    with e.loop(whole, count) as single:
        _regroup_one(f, first, single, target)


def _regroup_vectors(f: Frame, source: str, number: Value, target: str) -> None:
    e, element, groups = f.e, f.shape.element_bytes, _groups(f)
    lanes = groups.lanes
    base = e.at(e.at(source, e.multiply(number, groups.apart * element)), groups.base * element)
    parts = [e.at(base, part * lanes.count * element) for part in range(abs(groups.apart))]
    for part in parts:
        e.prefetch(e.at(part, f.extras[2]), SECOND_LEVEL)
    vectors = [lanes.load(e, part) for part in parts]
    place = e.at(target, e.multiply(number, groups.size * element))
    for first in range(0, groups.size * lanes.count, lanes.count):
        wanted = [groups.place(first + lane) for lane in range(lanes.count)]
        lanes.store(e, lanes.select(e, vectors, wanted), e.at(place, first * element))


def _regroup_one(f: Frame, source: str, number: Value, target: str) -> None:
    e, element, groups = f.e, f.shape.element_bytes, _groups(f)
    kind = f"i{element * 8}"
    source = e.at(source, e.multiply(number, groups.apart * element))
    place = e.at(target, e.multiply(number, groups.size * element))
    for member in range(groups.size):
        value = e.load(kind, e.at(source, member * groups.step * element))
        e.store(kind, value, e.at(place, member * element))
