"""Operators whose indices are tensors: gathers, scatters and the coordinates of non-zero elements."""

from __future__ import annotations

from math import prod
from random import Random
from typing import Any

from tests.cases.framework import Bits, Case, Draw, answer, case, values
from tests.oracle import indexing
from tests.oracle.moves import Index, Tensor, indices


def index_values(size: int, outside: bool) -> Any:
    """Indices into an axis, from its end too where the type is signed; some of them beyond it if asked for."""

    def make(random: Random, data_type: str) -> float | int:
        if outside and random.random() < 0.2:
            return size + random.randint(0, 2) if random.random() < 0.5 else values.whole(random, data_type)
        return values.between(-size, size - 1)(random, data_type)

    return make


def defined(found: Tensor) -> Bits:
    return Bits({i: code for i, code in found.items() if code is not None})


def padded(sizes: Index, rank: int) -> Index:
    return (*(1,) * (rank - len(sizes)), *sizes)


@case("GATHER", count=35)
def gathers(draw: Draw) -> None:
    """Indices outside do no harm, whatever they give."""
    rank = draw.rank("input_tensor")
    dimensions = draw.integer(0, rank)
    bare = draw.sizes(rank - max(dimensions - 1, 0), most=36)
    sizes = padded(bare, rank)
    axis = draw.integer(rank - len(bare), rank - 1)
    places = padded(draw.sizes(dimensions, most=8) if dimensions else (), rank)
    draw.input("input_tensor", sizes=sizes, value=values.any_bits)
    draw.input("indices_tensor", sizes=places, value=index_values(sizes[axis], draw.number % 7 == 6))
    draw.output("output_tensor", sizes=indexing.gather_sizes(sizes, places, axis, dimensions))
    draw.attributes(axis=axis, index_dimensions=dimensions)


@answer("GATHER")
def gathers_answer(given: Case) -> Tensor:
    x, places = given["input_tensor"], given["indices_tensor"]
    how = given["axis"], given["index_dimensions"]
    return defined(indexing.gather(x.bits, x.sizes, places.values, places.sizes, *how))


@case("GATHER_ELEMENTS", count=35)
def gather_elements(draw: Draw) -> None:
    sizes = draw.sizes(draw.rank("input_tensor"), most=48)
    axis = draw.axis(len(sizes))
    places = (*sizes[:axis], draw.integer(1, 5), *sizes[axis + 1 :])
    draw.input("input_tensor", sizes=sizes, value=values.any_bits)
    draw.input("indices_tensor", sizes=places, value=index_values(sizes[axis], draw.number % 7 == 6))
    draw.output("output_tensor", sizes=places)
    draw.attributes(axis=axis)


@answer("GATHER_ELEMENTS")
def gather_elements_answer(given: Case) -> Tensor:
    x = given["input_tensor"]
    return defined(indexing.gather_elements(x.bits, x.sizes, given["indices_tensor"].values, given["axis"]))


@case("SCATTER_ELEMENTS")
def scatter_elements(draw: Draw) -> None:
    """Distinct indices along the axis: two updates of one element are not defined."""
    sizes = draw.sizes(draw.rank("input_tensor"), most=48)
    axis = draw.axis(len(sizes))
    count = draw.integer(1, sizes[axis])
    place_sizes = (*sizes[:axis], count, *sizes[axis + 1 :])
    kind = draw.type("indices_tensor")
    places: Tensor = {}
    for lead in indices((*sizes[:axis], 1, *sizes[axis + 1 :])):
        for number, place in enumerate(draw.random.sample(range(sizes[axis]), count)):
            places[(*lead[:axis], number, *lead[axis + 1 :])] = from_end(draw.random, kind, place, sizes[axis])
    draw.input("input_tensor", sizes=sizes, value=values.any_bits)
    draw.input("indices_tensor", kind, place_sizes, places)
    draw.input("updates_tensor", draw.type("input_tensor"), place_sizes, values.any_bits)
    draw.output("output_tensor", sizes=sizes)
    draw.attributes(axis=axis)


def from_end(random: Random, data_type: str, place: int, size: int) -> int:
    """The same place, counted from the end now and then where the type has negative numbers."""
    return place - size if data_type.startswith("INT") and random.random() < 0.4 else place


@answer("SCATTER_ELEMENTS")
def scatter_elements_answer(given: Case) -> Tensor:
    x, updates = given["input_tensor"], given["updates_tensor"].bits
    places = given["indices_tensor"].values
    return Bits(indexing.scatter_elements(x.bits, x.sizes, places, updates, given["axis"]))


# Tuples of indices


def draw_tuples(draw: Draw, batched: bool) -> tuple[int, Index, Index, int]:
    """A rank for all tensors, the bare sizes of the input and the indices, and how many dimensions are batches."""
    while True:
        rank = draw.rank("input_tensor")
        batch = draw.integer(0, 2) if batched else 0
        sizes = draw.sizes(draw.integer(1, rank), most=36)
        lead = draw.sizes(draw.integer(0, 3), most=8) if draw.chance(0.8) else ()
        if batch >= len(sizes):
            continue
        count = min(draw.choice(1, 1, 2, 3), len(sizes) - batch)
        places = (*sizes[:batch], *lead, count)
        if len(places) <= rank and len(places) - 1 + len(sizes) - batch - count <= rank:
            return rank, sizes, places, batch


@case("GATHER_ND", "GATHER_ND1", count=35)
def gather_tuples(draw: Draw) -> None:
    rank, sizes, places, batch = draw_tuples(draw, batched=draw.operator == "GATHER_ND1")
    count, kind = places[-1], draw.type("indices_tensor")
    outside = draw.number % 7 == 6
    numbers = {}
    for i in indices(places):
        size = sizes[batch + i[-1]]
        numbers[padded_index(i, rank)] = index_values(size, outside)(draw.random, kind)
    draw.input("input_tensor", sizes=padded(sizes, rank), value=values.any_bits)
    draw.input("indices_tensor", kind, padded(places, rank), numbers)
    draw.output("output_tensor", sizes=padded((*places[:-1], *sizes[batch + count :]), rank))
    draw.attributes(
        input_dimension_count=len(sizes),
        indices_dimension_count=len(places),
        batch_dimension_count=batch if draw.operator == "GATHER_ND1" else None,
    )


def padded_index(index: Index, rank: int) -> Index:
    return (*(0,) * (rank - len(index)), *index)


def bare_tuples(given: Case) -> tuple[Tensor, Index, Tensor, Index]:
    """Input and indices without the leading dimensions that only fill up the rank."""
    x, places = given["input_tensor"], given["indices_tensor"]
    kept, chosen = given["input_dimension_count"], given["indices_dimension_count"]
    return (
        indexing.bare(x.bits, kept),
        x.sizes[x.rank - kept :],
        indexing.bare(places.values, chosen),
        places.sizes[places.rank - chosen :],
    )


@answer("GATHER_ND", "GATHER_ND1")
def gather_tuples_answer(given: Case) -> Tensor:
    found = indexing.gather_nd(*bare_tuples(given), given.get("batch_dimension_count", 0))
    return defined({padded_index(i, given["output_tensor"].rank): code for i, code in found.items()})


@case("SCATTER_ND")
def scatter_tuples(draw: Draw) -> None:
    """Distinct tuples: two updates of one element are not defined."""
    kind = draw.type("indices_tensor")
    while True:
        rank, sizes, places, _ = draw_tuples(draw, batched=False)
        count = places[-1]
        options = list(indices(sizes[:count]))
        wanted = list(indices(places[:-1]))
        if len(wanted) <= len(options):
            break
    numbers = {}
    for lead, chosen in zip(wanted, draw.random.sample(options, len(wanted)), strict=True):
        for k, place in enumerate(chosen):
            numbers[padded_index((*lead, k), rank)] = from_end(draw.random, kind, place, sizes[k])
    draw.input("input_tensor", sizes=padded(sizes, rank), value=values.any_bits)
    draw.input("indices_tensor", kind, padded(places, rank), numbers)
    updates = padded((*places[:-1], *sizes[count:]), rank)
    draw.input("updates_tensor", draw.type("input_tensor"), updates, values.any_bits)
    draw.output("output_tensor", sizes=padded(sizes, rank))
    draw.attributes(input_dimension_count=len(sizes), indices_dimension_count=len(places))


@answer("SCATTER_ND")
def scatter_tuples_answer(given: Case) -> Tensor:
    x, sizes, places, place_sizes = bare_tuples(given)
    kept = len(place_sizes) - 1 + len(sizes) - place_sizes[-1]
    updates = indexing.bare(given["updates_tensor"].bits, kept)
    found = indexing.scatter_nd(x, sizes, places, place_sizes, updates)
    return Bits({padded_index(i, given["output_tensor"].rank): code for i, code in found.items()})


@case("NONZERO_COORDINATES")
def coordinates(draw: Draw) -> None:
    """As many columns as the input has dimensions, or fewer where it has leading 1s."""
    sizes = draw.sizes(draw.rank("input_tensor"), most=36)
    leading = next((axis for axis, n in enumerate(sizes) if n > 1), len(sizes))
    columns = draw.integer(max(len(sizes) - leading, 1), len(sizes))
    count = prod(sizes)
    draw.input("input_tensor", sizes=sizes, value=values.few(0, 0, 1, 3) if draw.chance(0.5) else sparse)
    draw.output("output_count_tensor", sizes=(1,) * draw.rank("output_count_tensor"))
    draw.output("output_coordinates_tensor", sizes=padded((count, columns), draw.rank("output_coordinates_tensor")))


def sparse(random: Random, data_type: str) -> float | int:
    """Half of the elements 0, some of them -0."""
    if random.random() < 0.5:
        return random.choice((0.0, -0.0))
    return values.wide(random, data_type)


@answer("NONZERO_COORDINATES")
def coordinates_answer(given: Case) -> dict[str, Tensor]:
    """Rows beyond the count are not defined."""
    output = given["output_coordinates_tensor"]
    rows = indexing.nonzero(given["input_tensor"].values, output.sizes[-1])
    found = {
        padded_index((row, column), output.rank): place
        for row, places in enumerate(rows)
        for column, place in enumerate(places)
    }
    count = given["output_count_tensor"]
    return {"output_count_tensor": {(0,) * count.rank: len(rows)}, "output_coordinates_tensor": found}
