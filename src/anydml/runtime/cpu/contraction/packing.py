"""Functions that pack: elements of an operand become rows of cells, a row for each step in depth.

Rows of cells lie `pitch` bytes apart and are written in whole vectors, `groups` of them. What no element belongs to is
0, or is never read.
"""

from __future__ import annotations

from anydml.runtime.cpu.contraction.cells import Cells, Source
from anydml.runtime.cpu.contraction.machine import CELL_BYTES
from anydml.runtime.cpu.contraction.writer import Writer
from anydml.runtime.moves.kernels.lanes import Lanes
from anydml.runtime.native.emit import Value

STRAIGHT, TURNED, SCATTERED = "straight", "turned", "scattered"
"""How elements lie: lanes side by side, steps in depth side by side, or neither."""
_PARAMETERS = (
    "ptr %cells, i64 %pitch, i64 %groups, ptr %source, i64 %lanes, i64 %lane_stride, i64 %depth, i64 %depth_stride"
)


def emit_pack(e: Writer, source: Source, way: str, width: int) -> None:
    """`pack(cells, pitch, groups, source, lanes, lane_stride, depth, depth_stride)` packs so many lanes and numbers.

    Lanes are counted in panels of `width`; a panel has `groups` vectors.
    """
    _emit_scatter(e, source)
    with e.function("pack", _PARAMETERS):
        if way == STRAIGHT:
            _pack_straight(e, source)
        elif way == TURNED:
            _pack_turned(e, source, min(width, e.lanes))
        else:
            e.call("scatter", *_arguments("%cells", "%groups", "%source", "%lanes", "%depth"))


def _arguments(cells: str, groups: Value, source: str, lanes: Value, depth: Value) -> list[tuple[str, Value]]:
    return [
        ("ptr", cells),
        ("i64", "%pitch"),
        ("i64", groups),
        ("ptr", source),
        ("i64", lanes),
        ("i64", "%lane_stride"),
        ("i64", depth),
        ("i64", "%depth_stride"),
    ]


def _emit_scatter(e: Writer, source: Source) -> None:
    """Any strides, one number at a time."""
    count = source.cells.count
    with e.function("scatter", _PARAMETERS):
        zero_rows(e, "%cells", "%pitch", e.divide_rounding_up("%depth", count), "%groups")
        with e.loop(0, "%lanes") as lane, e.loop(0, "%depth") as number:
            element = e.load(source.element, e.step("%source", (lane, "%lane_stride"), (number, "%depth_stride")))
            value = source.numbers_of(e, element, 1)
            row, place = e.split(number, count)
            cell = e.step("%cells", (row, "%pitch"), (lane, CELL_BYTES))
            e.store(source.number, value, e.step(cell, (place, source.number_bytes)))


def zero_rows(e: Writer, cells: str, pitch: Value, rows: Value, groups: Value) -> None:
    with e.loop(0, rows) as row, e.loop(0, groups) as group:
        place = e.step(cells, (row, pitch), (group, e.vector_bytes))
        e.store(e.kind("i32"), "zeroinitializer", place)


# Lanes side by side


def _pack_straight(e: Writer, source: Source) -> None:
    count = source.cells.count
    whole_rows, rows = e.divide("%depth", count), e.divide_rounding_up("%depth", count)
    whole_groups = e.minimum(e.divide("%lanes", e.lanes), "%groups")
    with e.loop(0, whole_rows) as row:
        with e.loop(0, whole_groups) as group:
            _pack_vector(e, source, row, group, None, None)
        with e.loop(whole_groups, "%groups") as group:
            _pack_vector(e, source, row, group, _mask_of_lanes(e, group), None)
    if count > 1:
        with e.loop(whole_rows, rows) as row, e.loop(0, "%groups") as group:
            left = e.subtract("%depth", e.multiply(row, count))
            _pack_vector(e, source, row, group, _mask_of_lanes(e, group), left)


def _mask_of_lanes(e: Writer, group: Value) -> str:
    return e.first_lanes(e.maximum(e.subtract("%lanes", e.multiply(group, e.lanes)), 0))


def _pack_vector(e: Writer, source: Source, row: Value, group: Value, mask: str | None, left: Value | None) -> None:
    """One vector of cells: the numbers of each lane woven together. `left` numbers are there in depth."""
    first = e.step(
        "%source", (e.multiply(row, source.cells.count), "%depth_stride"), (group, e.lanes * source.element_bytes)
    )
    numbers = []
    for place in range(source.cells.count):
        held = mask
        if left is not None and mask is not None:
            is_there = e.compare("sgt", left, place)
            held = e.choose(is_there, e.kind("i1"), mask, "zeroinitializer")
        pointer = e.step(first, (place, "%depth_stride"))
        numbers.append(load_numbers(e, source, pointer, held))
    target = e.step("%cells", (row, "%pitch"), (group, e.vector_bytes))
    e.store(e.kind(source.cells.element), weave(e, source.cells, numbers), target)


def load_numbers(e: Writer, source: Source, pointer: str, mask: str | None) -> str:
    """A vector of elements, one for each lane, as numbers of cells."""
    if mask is None:
        elements = e.load(e.kind(source.element), pointer)
    else:
        elements = e.load_some(source.element, pointer, mask)
    return source.numbers_of(e, elements, e.lanes)


def weave(e: Writer, cells: Cells, numbers: list[str]) -> str:
    """Cells of vectors that hold the first, the second number of each lane, and so on."""
    size = CELL_BYTES // cells.count
    while len(numbers) > 1:
        kind = e.kind(f"i{8 * size}")
        order = [place for lane in range(e.lanes) for place in (lane, e.lanes + lane)]
        woven = [e.shuffle(kind, a, b, order) for a, b in zip(numbers[::2], numbers[1::2], strict=True)]
        size *= 2
        numbers = [e.value(f"bitcast <{2 * e.lanes} x i{4 * size}> {w} to {e.kind(f'i{8 * size}')}") for w in woven]
    return numbers[0]


# Steps in depth side by side


def _pack_turned(e: Writer, source: Source, width: int) -> None:
    """Blocks of as many lanes as steps are turned in registers; what is left over is scattered."""
    block = e.lanes * source.cells.count
    whole = e.multiply(e.divide("%depth", block), block)
    rest = e.subtract("%depth", whole)
    with e.loop(0, "%groups") as group:
        first = e.multiply(group, e.lanes)
        lanes = e.minimum(e.maximum(e.subtract("%lanes", first), 0), width)
        cells, origin = e.step("%cells", (first, CELL_BYTES)), e.step("%source", (first, "%lane_stride"))
        is_whole = e.compare("eq", lanes, width)
        with e.when(is_whole):
            with e.loop(0, whole, block) as number:
                target = e.step(cells, (e.divide(number, source.cells.count), "%pitch"))
                start = e.step(origin, (number, source.element_bytes))
                turn_block(e, source, width, start, target)
            with e.when(e.compare("ne", rest, 0)):
                target = e.step(cells, (e.divide(whole, source.cells.count), "%pitch"))
                start = e.step(origin, (whole, source.element_bytes))
                e.call("scatter", *_arguments(target, 1, start, lanes, rest))
        with e.unless(is_whole):
            e.call("scatter", *_arguments(cells, 1, origin, lanes, "%depth"))


def turn_block(e: Writer, source: Source, width: int, start: str, cells: str) -> None:
    """A vector of cells along depth for each of `width` lanes, turned and written as rows."""
    lanes = Lanes(CELL_BYTES, e.lanes)
    rows = [load_block(e, source, e.step(start, (lane, "%lane_stride"))) for lane in range(width)]
    rows += ["zeroinitializer"] * (e.lanes - width)
    for number, column in enumerate(lanes.turn(e, rows)):
        e.store(lanes.kind, column, e.step(cells, (number, "%pitch")))


def load_block(e: Writer, source: Source, pointer: str) -> str:
    """A vector of cells, all of one lane, as integers."""
    count = e.lanes * source.cells.count
    cells = source.cells_of(e, e.load(e.kind(source.element, count), pointer), count)
    return as_integers(e, source.cells, cells)


def as_integers(e: Writer, cells: Cells, value: str) -> str:
    return e.value(f"bitcast {e.kind('float')} {value} to {e.kind('i32')}") if cells.is_float else value
