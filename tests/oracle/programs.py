"""Array programs as nested loops of multiplications and additions in double precision."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from tests.oracle.moves import Index, Tensor, indices

Function = Callable[[float], float]


def gemm(
    a: Tensor, b: Tensor, c: Tensor | None, sizes: Index, inner: int, transposed: tuple[bool, bool], scales: Any
) -> Tensor:
    """alpha * A x B + beta * C; a transposed matrix is read with its last two indices swapped."""
    alpha, beta = scales
    result = {}
    for *lead, row, column in indices(sizes):
        total = math.fsum(
            a[(*lead, k, row) if transposed[0] else (*lead, row, k)]
            * b[(*lead, column, k) if transposed[1] else (*lead, k, column)]
            for k in range(inner)
        )
        index = (*lead, row, column)
        result[index] = alpha * total + (beta * c[index] if c is not None else 0.0)
    return result


def convolution(
    x: Tensor, x_sizes: Index, weights: Tensor, weight_sizes: Index, bias: Tensor | None, output: Index, how: Any
) -> Tensor:
    """FORWARD reads windows; BACKWARD adds each input element, times the filter, to where a window would read it."""
    spatial = x_sizes[2:]
    result: Tensor = dict.fromkeys(indices(output), 0.0)
    per_group_in = x_sizes[1] // how.groups
    per_group_out = output[1] // how.groups
    for n in range(x_sizes[0]):
        for group in range(how.groups):
            for out, inn in indices((per_group_out, per_group_in)):
                for tap in indices(weight_sizes[2:]):
                    at = tap if how.correlates else tuple(k - 1 - t for k, t in zip(weight_sizes[2:], tap, strict=True))
                    first, second = (out, inn) if how.forward else (inn, out)
                    rows = per_group_out if how.forward else per_group_in
                    weight = weights[(group * rows + first, second, *at)]
                    inner, outer = (output[2:], spatial) if how.forward else (spatial, output[2:])
                    for i in indices(inner):
                        place = tuple(
                            k * s + t * d - p
                            for k, s, t, d, p in zip(i, how.strides, tap, how.dilations, how.before, strict=True)
                        )
                        if all(0 <= q < size for q, size in zip(place, outer, strict=True)):
                            here, there = (i, place) if how.forward else (place, i)
                            source = x[(n, group * per_group_in + inn, *there)]
                            result[(n, group * per_group_out + out, *here)] += weight * source
    if how.forward and any(how.output_padding):
        result = {i: v if _inside(i, output, how.output_padding) else 0.0 for i, v in result.items()}
    return {i: v + (bias[(0, i[1], *(0,) * len(spatial))] if bias else 0.0) for i, v in result.items()}


def _inside(i: Index, output: Index, extra: Index) -> bool:
    return all(k < n - e for k, n, e in zip(i[2:], output[2:], extra, strict=True))


REDUCTIONS: dict[str, Callable[[list[Any]], Any]] = {
    "ARGMAX": lambda v: v.index(max(v)),
    "ARGMIN": lambda v: v.index(min(v)),
    "AVERAGE": lambda v: math.fsum(v) / len(v),
    "L1": lambda v: _sum(map(abs, v)),
    "L2": lambda v: math.sqrt(math.fsum(x * x for x in v)),
    "LOG_SUM": lambda v: math.log(math.fsum(v)),
    "LOG_SUM_EXP": lambda v: math.log(math.fsum(math.exp(x) for x in v)),
    "MAX": max,
    "MIN": min,
    "MULTIPLY": math.prod,
    "SUM": lambda v: _sum(v),
    "SUM_SQUARE": lambda v: _sum(x * x for x in v),
}


def _sum(values: Iterable[Any]) -> Any:
    found = list(values)
    return math.fsum(found) if isinstance(found[0], float) else sum(found)


def reduce(x: Tensor, sizes: Index, axes: Iterable[int], function: str) -> Tensor:
    reduced = tuple(axes)
    groups: dict[Index, list[Any]] = {}
    for i in indices(sizes):
        groups.setdefault(tuple(0 if axis in reduced else k for axis, k in enumerate(i)), []).append(x[i])
    return {i: REDUCTIONS[function](values) for i, values in groups.items()}


def max_pooling(x: Tensor, sizes: Index, output: Index, how: Any) -> tuple[Tensor, Tensor]:
    """The first largest element of each window, and its place in the row-major input."""
    best: Tensor = {}
    where: Tensor = {}
    strides = [math.prod(sizes[k + 1 :]) for k in range(len(sizes))]
    for i in indices(output):
        for tap in indices(how.window):
            place = i[:2] + tuple(
                k * s + t * d - p
                for k, s, t, d, p in zip(i[2:], how.strides, tap, how.dilations, how.before, strict=True)
            )
            inside = all(0 <= q < size for q, size in zip(place, sizes, strict=True))
            if inside and (i not in best or x[place] > best[i]):
                best[i], where[i] = x[place], sum(q * s for q, s in zip(place, strides, strict=True))
    return best, where


def prefixes(x: Tensor, sizes: Index, axis: int, decreasing: bool, exclusive: bool) -> dict[Index, list[Any]]:
    """For every index the elements up to it along the axis (from it on if decreasing), without itself if exclusive."""
    result = {}
    for i in indices(sizes):
        seen = range(i[axis], sizes[axis]) if decreasing else range(i[axis] + 1)
        result[i] = [x[(*i[:axis], k, *i[axis + 1 :])] for k in seen if not exclusive or k != i[axis]]
    return result


def cumulative_product(x: Tensor, sizes: Index, axis: int, decreasing: bool, exclusive: bool) -> Tensor:
    return {i: math.prod(v) for i, v in prefixes(x, sizes, axis, decreasing, exclusive).items()}


def cumulative_sum(x: Tensor, sizes: Index, axis: int, decreasing: bool, exclusive: bool) -> Tensor:
    return {i: sum(v) for i, v in prefixes(x, sizes, axis, decreasing, exclusive).items()}


def top_k(x: Tensor, sizes: Index, axis: int, k: int, decreasing: bool) -> tuple[Tensor, Tensor]:
    """The first k of every sequence in order, and where they were; equal ones in the order of their places."""
    chosen: Tensor = {}
    places: Tensor = {}
    for lead in indices((*sizes[:axis], 1, *sizes[axis + 1 :])):
        sequence = [x[(*lead[:axis], place, *lead[axis + 1 :])] for place in range(sizes[axis])]
        # Sorting keeps equal elements in the order of their places, also in reverse.
        order = sorted(range(sizes[axis]), key=sequence.__getitem__, reverse=decreasing)
        for rank, place in enumerate(order[:k]):
            index = (*lead[:axis], rank, *lead[axis + 1 :])
            chosen[index], places[index] = sequence[place], place
    return chosen, places


def arg_reduce(x: Tensor, sizes: Index, axes: Iterable[int], largest: bool, first: bool) -> Tensor:
    """The place of the largest or smallest element in its group, counted in row-major order of the reduced axes."""
    reduced = tuple(axes)
    groups: dict[Index, list[Any]] = {}
    for i in indices(sizes):
        groups.setdefault(tuple(0 if axis in reduced else k for axis, k in enumerate(i)), []).append(x[i])
    result = {}
    for i, values in groups.items():
        wanted = max(values) if largest else min(values)
        places = [place for place, value in enumerate(values) if value == wanted]
        result[i] = places[0] if first else places[-1]
    return result


def rnn(x: Tensor, w: Tensor, r: Tensor, bias: Tensor | None, start: Tensor | None, how: Any) -> tuple[Tensor, Tensor]:
    """H[t] = f(X[t] W^T + H[t-1] R^T + bias) for every direction and every sequence up to its length."""
    sequence: Tensor = dict.fromkeys(indices((how.sequence, len(how.functions), how.batch, how.hidden)), 0.0)
    single: Tensor = {}
    for d, function in enumerate(how.functions):
        for b in range(how.batch):
            state = [start[0, d, b, h] if start else 0.0 for h in range(how.hidden)]
            times = range(min(how.lengths[b], how.sequence))
            for t in reversed(times) if how.backward[d] else times:
                state = [_cell(x, w, r, bias, state, (d, t, b, h), how.width, function) for h in range(how.hidden)]
                sequence.update({(t, d, b, h): value for h, value in enumerate(state)})
            single.update({(0, d, b, h): value for h, value in enumerate(state)})
    return sequence, single


def _cell(
    x: Tensor, w: Tensor, r: Tensor, bias: Tensor | None, state: list[float], at: Index, width: int, f: Function
) -> float:
    d, t, b, h = at
    total = math.fsum(x[0, t, b, k] * w[0, d, h, k] for k in range(width))
    total += math.fsum(value * r[0, d, h, k] for k, value in enumerate(state))
    if bias:
        total += bias[0, 0, d, h] + bias[0, 0, d, len(state) + h]
    return f(total)


def upsample_linear(x: Tensor, sizes: Index, width_scale: int, height_scale: int) -> Tensor:
    """Each output pixel's centre blends the four input pixels around it; edges are held."""
    *_, height, width = sizes
    result = {}
    for *lead, row, column in indices((*sizes[:-2], height * height_scale, width * width_scale)):
        (top, bottom, down), (left, right, across) = (
            _between(row, height_scale, height),
            _between(column, width_scale, width),
        )
        above = x[(*lead, top, left)] * (1 - across) + x[(*lead, top, right)] * across
        below = x[(*lead, bottom, left)] * (1 - across) + x[(*lead, bottom, right)] * across
        result[(*lead, row, column)] = above * (1 - down) + below * down
    return result


def _between(place: int, scale: int, size: int) -> tuple[int, int, float]:
    """The two neighbours of an output pixel, and how far it lies from the first."""
    centre = min(max((place + 0.5) / scale - 0.5, 0.0), size - 1.0)
    low = math.floor(centre)
    return low, min(low + 1, size - 1), centre - low
