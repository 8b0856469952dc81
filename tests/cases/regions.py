"""ROI align in both versions, and its gradients."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tests.cases.framework import Case, Draw, answer, case
from tests.oracle import regions
from tests.oracle.moves import Index, Tensor
from tests.oracle.regions import Align, Gradients, Slopes, points

REDUCTIONS = ("AVERAGE", "MAX")
MODES = ("NEAREST_NEIGHBOR", "LINEAR")


def draw_regions(draw: Draw, sizes: Index, count: int, scales: tuple[float, float]) -> Tensor:
    """Regions inside, partly outside, far outside, turned round, and empty; corners are odd 32nds of a pixel."""
    found: Tensor = {}
    for roi in range(count):
        row = []
        for n in sizes[:1:-1]:
            low, high = sorted(draw.random.sample(range(2 * n + 1), 2))
            start, end = low / 2 + odd(draw), high / 2 + odd(draw)
            kind = draw.random.random()
            if kind < 0.15:
                start, end = end, start
            elif kind < 0.25:
                start, end = start + n + 2, end + n + 2
            elif kind < 0.32:
                end = start
            row.append((start, end))
        numbers = (row[0][0], row[1][0], row[0][1], row[1][1])
        for place, number in enumerate(numbers):
            found[roi, place] = number / scales[place % 2]
    return found


def odd(draw: Draw) -> float:
    return (2 * draw.integer(-4, 4) + 1) / 32


def align_of(given: Case | dict[str, Any]) -> Align:
    """How all regions are sampled; what an older version cannot say is as its page has it."""
    return Align(
        (Fraction(given["spatial_scale_y"]), Fraction(given["spatial_scale_x"])),
        Fraction(given.get("input_pixel_offset", 0.5)),
        Fraction(given.get("output_pixel_offset", -0.5)),
        given.get("out_of_bounds_input_value", 0.0),
        (given["minimum_samples_per_output"], given["maximum_samples_per_output"]),
        given.get("align_regions_to_corners", False),
        given["interpolation_mode"] == "LINEAR",
        given["reduction_function"] == "MAX",
    )


def draw_align(draw: Draw, with_offsets: bool, may_align: bool) -> tuple[Index, Index, int, dict[str, Any], Tensor]:
    """Sizes of the image and of a pooled region, the number of regions, attributes and regions.

    No sample lies where floats may decide otherwise.
    """
    longest = 7 if draw.is_large else 5
    sizes = (draw.integer(1, 2), draw.integer(1, 2), draw.integer(2, longest), draw.integer(2, longest))
    count, pooled = draw.integer(1, 3), (draw.integer(1, 3), draw.integer(1, 3))
    least, most = draw.choice((1, 1), (2, 2), (1, 2), (1, 4), (2, 3))
    reduction, mode = draw.cycle("reduction and mode", [(r, m) for r in REDUCTIONS for m in MODES])
    scales = draw.choice(1.0, 0.5, 2.0), draw.choice(1.0, 0.5, 2.0)
    how: dict[str, Any] = {
        "reduction_function": reduction,
        "interpolation_mode": mode,
        "spatial_scale_x": scales[0],
        "spatial_scale_y": scales[1],
        "minimum_samples_per_output": least,
        "maximum_samples_per_output": most,
    }
    if with_offsets:
        how["input_pixel_offset"], how["output_pixel_offset"] = draw.choice((0.5, -0.5), (0.0, -0.5), (0.0, 0.0))
    if may_align:
        how["align_regions_to_corners"] = draw.cycle("corners", (True, False)) and min(pooled) * least > 1
    while True:
        found = draw_regions(draw, sizes, count, scales)
        rows = [[Fraction(found[roi, place]) for place in range(4)] for roi in range(count)]
        if all(points(row, pooled, sizes[2:], align_of(how)) for row in rows):
            return sizes, pooled, count, how, found


def draw_tables(draw: Draw, sizes: Index, count: int, found: Tensor) -> Index:
    """The tables of regions and of batches, with any number of leading 1s; gives the sizes of the former."""
    rank = draw.rank("roi_tensor")
    leading, table = (0,) * (rank - 2), (*(1,) * (rank - 2), count, 4)
    draw.input("roi_tensor", sizes=table, value={(*leading, *i): v for i, v in found.items()})
    rank = draw.rank("batch_indices_tensor")
    batches = {(*(0,) * (rank - 1), roi): draw.integer(0, sizes[0] - 1) for roi in range(count)}
    draw.input("batch_indices_tensor", sizes=(*(1,) * (rank - 1), count), value=batches)
    return table


def tables_of(given: Case) -> tuple[list[list[Fraction]], list[int]]:
    numbers = [Fraction(v) for v in given["roi_tensor"].values.values()]
    batches = [int(v) for v in given["batch_indices_tensor"].values.values()]
    return [numbers[start : start + 4] for start in range(0, len(numbers), 4)], batches


@case("ROI_ALIGN", "ROI_ALIGN1", count=44)
def aligned_regions(draw: Draw) -> None:
    newer = draw.operator == "ROI_ALIGN1"
    sizes, pooled, count, how, found = draw_align(draw, newer, newer)
    draw.input("input_tensor", sizes=sizes)
    draw_tables(draw, sizes, count, found)
    draw.output("output_tensor", sizes=(count, sizes[1], *pooled))
    draw.attributes(**how, out_of_bounds_input_value=draw.choice(0.0, -1.5, 0.75))


@answer("ROI_ALIGN", "ROI_ALIGN1")
def aligned_regions_answer(given: Case) -> Tensor:
    x, pooled = given["input_tensor"], given["output_tensor"].sizes[2:]
    return regions.align(x.values, x.sizes, *tables_of(given), pooled, align_of(given))


GRADIENTS = ("output_gradient_tensor", "output_roi_gradient_tensor")


@case("ROI_ALIGN_GRAD", count=44)
def region_gradients(draw: Draw) -> None:
    sizes, pooled, count, how, found = draw_align(draw, True, True)
    wanted = [name for name in GRADIENTS if draw.optional(name)] or [draw.choice(*GRADIENTS)]
    if GRADIENTS[1] in wanted or how["reduction_function"] == "MAX" or draw.chance(0.3):
        draw.input("input_tensor", sizes=sizes)
    draw.input("input_gradient_tensor", sizes=(count, sizes[1], *pooled))
    table = draw_tables(draw, sizes, count, found)
    for name in wanted:
        draw.output(name, sizes=sizes if name == GRADIENTS[0] else table)
    draw.attributes(**how)


@answer("ROI_ALIGN_GRAD")
def region_gradients_answer(given: Case) -> dict[str, Tensor]:
    gradient, image = given["input_gradient_tensor"], given.get("input_tensor")
    sizes = (image or given[GRADIENTS[0]]).sizes
    found, batches = tables_of(given)
    inputs, corners = Slopes.of(sizes), Slopes.of((len(found), 4))
    gradients = Gradients(image and image.values, gradient.values, sizes, batches, align_of(given), inputs, corners)
    for roi, region in enumerate(found):
        gradients.add(roi, region, gradient.sizes[2:])
    leading = (0,) * (given["roi_tensor"].rank - 2)
    return dict(zip(GRADIENTS, (inputs.known(), {(*leading, *i): v for i, v in corners.known().items()}), strict=True))
