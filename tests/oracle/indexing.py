"""Gathers and scatters in every form, one-hot codes, coordinates of non-zero elements, and sliding windows.

An index that points outside is answered with None: no value is documented.
"""

from __future__ import annotations

from math import prod

from tests.oracle.moves import Index, Tensor, indices
from tests.oracle.pooling import Windows, flat


def located(index: int, size: int) -> int | None:
    """Where an index points: a negative one counts from the end."""
    place = index + size if index < 0 else index
    return place if 0 <= place < size else None


def gather(x: Tensor, sizes: Index, places: Tensor, place_sizes: Index, axis: int, dimensions: int) -> Tensor:
    """The last `dimensions` dimensions of the indices replace one axis of the input; leading 1s keep the rank."""
    rank = len(sizes)
    lead = place_sizes[rank - dimensions :]
    result = {}
    for outer in indices(sizes[:axis]):
        for at in indices(lead):
            place = located(places[(0,) * (rank - dimensions) + at], sizes[axis])
            for inner in indices(sizes[axis + 1 :]):
                index = (0, *outer, *at, *inner)[-rank:]
                result[index] = None if place is None else x[(*outer, place, *inner)]
    return result


def gather_sizes(sizes: Index, place_sizes: Index, axis: int, dimensions: int) -> Index:
    rank = len(sizes)
    return (1, *sizes[:axis], *place_sizes[rank - dimensions :], *sizes[axis + 1 :])[-rank:]


def gather_elements(x: Tensor, sizes: Index, places: Tensor, axis: int) -> Tensor:
    result = {}
    for i, index in places.items():
        place = located(index, sizes[axis])
        result[i] = None if place is None else x[(*i[:axis], place, *i[axis + 1 :])]
    return result


def scatter_elements(x: Tensor, sizes: Index, places: Tensor, updates: Tensor, axis: int) -> Tensor:
    """Updates in row-major order: of two at one place the last stays."""
    result = dict(x)
    for i, index in places.items():
        place = located(index, sizes[axis])
        assert place is not None
        result[(*i[:axis], place, *i[axis + 1 :])] = updates[i]
    return result


def bare(values: Tensor, count: int) -> Tensor:
    """A tensor without its leading dimensions, which have size 1."""
    return {i[len(i) - count :]: value for i, value in values.items()}


def tuples(places: Tensor, size: int, limits: Index) -> dict[Index, Index | None]:
    """The last dimension of an index tensor as tuples; None where one of its numbers points outside."""
    found: dict[Index, Index | None] = {}
    for lead in {i[:-1]: None for i in places}:
        read = [located(places[(*lead, k)], limits[k]) for k in range(size)]
        found[lead] = None if None in read else tuple(place for place in read if place is not None)
    return found


def gather_nd(x: Tensor, sizes: Index, places: Tensor, place_sizes: Index, batch: int) -> Tensor:
    """Tuples of indices pick slices of the input; the first `batch` dimensions of both go together."""
    size = place_sizes[-1]
    result = {}
    for lead, place in tuples(places, size, sizes[batch:]).items():
        for inner in indices(sizes[batch + size :]):
            result[(*lead, *inner)] = None if place is None else x[(*lead[:batch], *place, *inner)]
    return result


def scatter_nd(x: Tensor, sizes: Index, places: Tensor, place_sizes: Index, updates: Tensor) -> Tensor:
    """Tuples of indices say where slices of the updates go."""
    result, size = dict(x), place_sizes[-1]
    for lead, place in tuples(places, size, sizes).items():
        assert place is not None
        for inner in indices(sizes[size:]):
            result[(*place, *inner)] = updates[(*lead, *inner)]
    return result


def one_hot(places: Tensor, sizes: Index, axis: int, off: int, on: int) -> Tensor:
    """`on` where the place along the axis is the index, `off` elsewhere and for indices outside."""
    result = {}
    for i in indices(sizes):
        index = places[(*i[:axis], 0, *i[axis + 1 :])]
        result[i] = on if located(index, sizes[axis]) == i[axis] else off
    return result


def nonzero(x: Tensor, columns: int) -> list[Index]:
    """The last `columns` coordinates of the elements that are not 0, in row-major order."""
    return [i[len(i) - columns :] for i in sorted(x) if x[i] != 0]


def unfold(x: Tensor, sizes: Index, windows: Windows) -> dict[Index, int | None]:
    """Every window becomes a column; None stands for padding."""
    counts, channels = windows.counts(sizes[2:]), sizes[1]
    taps = prod(windows.window)
    result: dict[Index, int | None] = {}
    for n, c, *place in indices((sizes[0], channels, *counts)):
        column = flat(tuple(place), counts)
        for number, at in enumerate(windows.taps(tuple(place))):
            inside = all(0 <= k < size for k, size in zip(at, sizes[2:], strict=True))
            result[n, c * taps + number, column] = x[(n, c, *at)] if inside else None
    return result


def fold(x: Tensor, sizes: Index, windows: Windows) -> dict[Index, list[float]]:
    """What every element of the output gets from the columns that were windows; it adds up."""
    counts, taps = windows.counts(sizes[2:]), prod(windows.window)
    result: dict[Index, list[float]] = {i: [] for i in indices(sizes)}
    for n, c, *place in indices((sizes[0], sizes[1], *counts)):
        column = flat(tuple(place), counts)
        for number, at in enumerate(windows.taps(tuple(place))):
            if (n, c, *at) in result:
                result[(n, c, *at)].append(x[n, c * taps + number, column])
    return result
