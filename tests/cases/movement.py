"""Operators that move elements by a fixed plan: slices, joins, padding, tiles, blocks, casts and sliding windows.

Elements are any bits: nothing may change them on the way.
"""

from __future__ import annotations

from math import prod
from typing import Any

from tests.cases.framework import Accumulated, Bits, Case, Draw, answer, case, values
from tests.cases.pooling import attributes_of
from tests.oracle import indexing, moves
from tests.oracle.moves import Index, Tensor
from tests.oracle.numbers import convert, encode, is_float, wrap
from tests.oracle.pooling import Windows

PADDING_MODES = ("CONSTANT", "EDGE", "REFLECTION", "SYMMETRIC", "WRAP")


@case("SLICE")
def slices(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"))
    offsets = [draw.integer(0, n - 1) for n in sizes]
    strides = [draw.integer(1, 3) for _ in sizes]
    output = [draw.integer(1, 1 + (n - 1 - o) // s) for n, o, s in zip(sizes, offsets, strides, strict=True)]
    draw.input("input_tensor", sizes=sizes, value=values.any_bits)
    draw.output("output_tensor", sizes=output)
    draw.attributes(offsets=offsets, sizes=output, strides=strides)


@answer("SLICE")
def slices_answer(given: Case) -> Tensor:
    x, output = given["input_tensor"], given["output_tensor"].sizes
    return Bits(moves.slice_(x.bits, output, given["offsets"], given["strides"]))


def draw_input_window(draw: Draw, sizes: Index) -> Index:
    """A window with strides of either sign, and how many elements are taken from it; many take all there is."""
    offsets = [0 if draw.chance(0.6) else draw.integer(0, n - 1) for n in sizes]
    window = [n - o if draw.chance(0.6) else draw.integer(1, n - o) for n, o in zip(sizes, offsets, strict=True)]
    strides = [draw.choice(1, 1, 2, 3) * draw.choice(1, -1) for _ in sizes]
    draw.attributes(input_window_offsets=offsets, input_window_sizes=window, input_window_strides=strides)
    reach = [1 + (n - 1) // abs(s) for n, s in zip(window, strides, strict=True)]
    return tuple(n if draw.chance(0.7) else draw.integer(1, n) for n in reach)


def input_window(given: Case) -> tuple[Any, Any, Any]:
    return given["input_window_offsets"], given["input_window_sizes"], given["input_window_strides"]


@case("SLICE1")
def windows(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"))
    draw.input("input_tensor", sizes=sizes, value=values.any_bits)
    draw.output("output_tensor", sizes=draw_input_window(draw, sizes))


@answer("SLICE1")
def windows_answer(given: Case) -> Tensor:
    return Bits(moves.slice1(given["input_tensor"].bits, given["output_tensor"].sizes, *input_window(given)))


@case("SLICE_GRAD")
def window_gradients(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("output_gradient_tensor"))
    draw.input("input_gradient_tensor", sizes=draw_input_window(draw, sizes), value=values.any_bits)
    draw.output("output_gradient_tensor", sizes=sizes)


@answer("SLICE_GRAD")
def window_gradients_answer(given: Case) -> Tensor:
    gradient, sizes = given["input_gradient_tensor"], given["output_gradient_tensor"].sizes
    return Bits(moves.slice_grad(gradient.bits, gradient.sizes, sizes, *input_window(given)))


@case("CAST", count=33, hostile=33)
def casts(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"))
    draw.input("input_tensor", sizes=sizes, value=values.wide)
    draw.output("output_tensor", sizes=sizes)


@answer("CAST")
def casts_answer(given: Case) -> Tensor:
    x, kind = given["input_tensor"], given["output_tensor"].data_type
    return {i: convert(v, x.data_type, kind) for i, v in x.values.items()}


def parts_of(draw: Draw, sizes: Index, axis: int) -> list[Index]:
    """A list of sizes that differ along one axis alone."""
    lengths = [draw.integer(1, 3) for _ in range(draw.integer(1, 4))]
    return [(*sizes[:axis], length, *sizes[axis + 1 :]) for length in lengths]


def joined(parts: list[Index], axis: int) -> Index:
    return (*parts[0][:axis], sum(part[axis] for part in parts), *parts[0][axis + 1 :])


@case("JOIN")
def joins(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("output_tensor"), most=24)
    axis = draw.axis(len(sizes))
    parts, kind = parts_of(draw, sizes, axis), draw.type("output_tensor")
    draw.inputs("input_tensors", [draw.operand(kind, part, values.any_bits) for part in parts])
    draw.output("output_tensor", kind, joined(parts, axis))
    draw.attributes(axis=axis)


@answer("JOIN")
def joins_answer(given: Case) -> Tensor:
    return Bits(moves.join([(each.bits, each.sizes) for each in given["input_tensors"]], given["axis"]))


@case("SPLIT")
def splits(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"), most=24)
    axis = draw.axis(len(sizes))
    parts, kind = parts_of(draw, sizes, axis), draw.type("input_tensor")
    draw.input("input_tensor", kind, joined(parts, axis), values.any_bits)
    draw.outputs("output_tensors", kind, parts)
    draw.attributes(axis=axis)


@answer("SPLIT")
def splits_answer(given: Case) -> list[Tensor]:
    parts = [each.sizes for each in given["output_tensors"]]
    return [Bits(each) for each in moves.split(given["input_tensor"].bits, parts, given["axis"])]


@case("PADDING", "PADDING1", count=30)
def paddings(draw: Draw) -> None:
    """Padding longer than the tensor too; the value of PADDING is a float for every type."""
    kind, sizes = draw.type("input_tensor"), draw.sizes(draw.rank("input_tensor", high=6), most=16, longest=4)
    before, after, output = [0] * len(sizes), [0] * len(sizes), list(sizes)
    for axis in draw.axes(len(sizes)):
        n = sizes[axis]
        options = (0, 2, n + 1, 9 * n + 1, 20 * n) if draw.is_large else (0, 1, 2, n + 1)
        a, b = draw.choice(*options), draw.choice(*options)
        if prod(output) // n * (a + n + b) <= (8000 if draw.is_large else 200):
            before[axis], after[axis], output[axis] = a, b, a + n + b
    draw.input("input_tensor", kind, sizes, values.any_bits)
    draw.output("output_tensor", kind, output)
    draw.attributes(
        padding_mode=draw.cycle("mode", PADDING_MODES),
        padding_value=draw.choice(7.5, 10.75) if draw.operator == "PADDING" else values.moderate(draw.random, kind),
        padding_value_data_type=None if draw.operator == "PADDING" else kind,
        start_padding=before,
        end_padding=after,
    )


@answer("PADDING", "PADDING1")
def paddings_answer(given: Case) -> Tensor:
    x, output = given["input_tensor"], given["output_tensor"].sizes
    value = encode(convert(given["padding_value"], "FLOAT64", x.data_type), x.data_type)
    return Bits(moves.padding(x.bits, x.sizes, tuple(given["start_padding"]), output, given["padding_mode"], value))


@case("TILE")
def tiles(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"), most=12)
    repeats = [1] * len(sizes)
    for axis in draw.axes(len(sizes))[:3]:
        repeats[axis] = draw.integer(1, 3)
    draw.input("input_tensor", sizes=sizes, value=values.any_bits)
    draw.output("output_tensor", sizes=[n * r for n, r in zip(sizes, repeats, strict=True)])
    draw.attributes(repeats=repeats)


@answer("TILE")
def tiles_answer(given: Case) -> Tensor:
    return Bits(moves.tile(given["input_tensor"].bits, given["input_tensor"].sizes, given["repeats"]))


DEPTH_ORDERS = ("DEPTH_COLUMN_ROW", "COLUMN_ROW_DEPTH")


@case("DEPTH_TO_SPACE", "DEPTH_TO_SPACE1", "SPACE_TO_DEPTH", "SPACE_TO_DEPTH1")
def blocks(draw: Draw) -> None:
    block = draw.integer(1, 3)
    batch, channels, height, width = (draw.integer(1, 2) for _ in range(4))
    deep = (batch, channels * block * block, height, width)
    wide = (batch, channels, height * block, width * block)
    to_space = draw.operator.startswith("DEPTH")
    draw.input("input_tensor", sizes=deep if to_space else wide, value=values.any_bits)
    draw.output("output_tensor", sizes=wide if to_space else deep)
    order = draw.cycle("order", DEPTH_ORDERS) if draw.operator.endswith("1") else None
    draw.attributes(block_size=block, order=order)


@answer("DEPTH_TO_SPACE", "DEPTH_TO_SPACE1", "SPACE_TO_DEPTH", "SPACE_TO_DEPTH1")
def blocks_answer(given: Case) -> Tensor:
    x = given["input_tensor"]
    move = moves.depth_to_space if given.operator.startswith("DEPTH") else moves.space_to_depth
    return Bits(move(x.bits, x.sizes, given["block_size"], given.get("order", "DEPTH_COLUMN_ROW")))


@case("REVERSE_SUBSEQUENCES")
def reversals(draw: Draw) -> None:
    """Lengths beyond the axis count as all of it."""
    sizes = draw.sizes(draw.rank("input_tensor"), longest=6)
    axis = draw.axis(len(sizes))
    draw.input("input_tensor", sizes=sizes, value=values.any_bits)
    lengths = (*sizes[:axis], 1, *sizes[axis + 1 :])
    draw.input("sequence_lengths_tensor", sizes=lengths, value=values.between(0, sizes[axis] + 2))
    draw.output("output_tensor", sizes=sizes)
    draw.attributes(axis=axis)


@answer("REVERSE_SUBSEQUENCES")
def reversals_answer(given: Case) -> Tensor:
    x, lengths = given["input_tensor"], given["sequence_lengths_tensor"].values
    return Bits(moves.reverse_subsequences(x.bits, x.sizes, lengths, given["axis"]))


# Sliding windows as columns


def draw_sliding(draw: Draw) -> tuple[Index, Index, Windows]:
    """An image, its columns, and the windows between them; a window may lie in the padding alone."""
    spatial = draw.cycle("spatial dimensions", (1, 2, 2, 3))
    while True:
        sizes = [draw.integer(1, 5 if spatial < 3 else 3) for _ in range(spatial)]
        choices = ((1, 2, 3), (1, 1, 2), (0, 0, 1), (0, 1), (1, 1, 2))
        windows = Windows(*(tuple(draw.each(spatial, *options)) for options in choices))
        counts = windows.counts(sizes)
        if min(counts) > 0 and prod((*counts, *windows.window)) <= 80:
            batch, channels = draw.integer(1, 2), draw.integer(1, 2)
            columns = (batch, channels * prod(windows.window), prod(counts))
            return (batch, channels, *sizes), columns, windows


def sliding_attributes(found: Windows) -> dict[str, Any]:
    given = attributes_of(found, dilated=True)
    return {"window_sizes": given.pop("window_size"), **given}


def sliding_windows(given: Case) -> Windows:
    keys = ("window_sizes", "strides", "start_padding", "end_padding", "dilations")
    return Windows(*(tuple(given[key]) for key in keys))


@case("UNFOLD")
def unfolding(draw: Draw) -> None:
    image, columns, found = draw_sliding(draw)
    draw.input("input_tensor", sizes=image, value=values.any_bits)
    draw.output("output_tensor", sizes=columns)
    draw.attributes(**sliding_attributes(found))


@answer("UNFOLD")
def unfolding_answer(given: Case) -> Tensor:
    x = given["input_tensor"]
    return Bits({i: v or 0 for i, v in indexing.unfold(x.bits, x.sizes, sliding_windows(given)).items()})


@case("FOLD")
def folding(draw: Draw) -> None:
    image, columns, found = draw_sliding(draw)
    draw.input("input_tensor", sizes=columns, value=values.whole)
    draw.output("output_tensor", sizes=image)
    draw.attributes(**sliding_attributes(found))


@answer("FOLD")
def folding_answer(given: Case) -> Tensor:
    kind = given["output_tensor"].data_type
    parts = indexing.fold(given["input_tensor"].values, given["output_tensor"].sizes, sliding_windows(given))
    if not is_float(kind):
        return {i: wrap(sum(v), kind) for i, v in parts.items()}
    return {i: Accumulated(sum(v), sum(map(abs, v)), len(v)) for i, v in parts.items()}
