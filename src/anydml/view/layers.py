"""Boxes in rows, each above those that read from it, and edges that pass between the boxes of other rows.

Every box is as low as its readers allow, so that an input stands right above the first operator that reads it. An edge
over several rows gets a place of its own in each row between: it never runs behind a box. Ports keep edges apart where
they start and end.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_BOX_GAP, _BEND_GAP, _ROW_GAP = 28.0, 14.0, 46.0
_SWEEPS, _PULLS = 12, 80
_EFFORT = 100_000
"""Sweeps times places: pictures of very many places get fewer sweeps."""
_STRAIGHT, _USUAL, _LOOSE = 16.0, 4.0, 0.1
"""How much a link between bends, one between boxes, and one from a box that reads nothing pull on their ends."""


@dataclass(eq=False)
class Place:
    """What takes room in a row: a box, or an edge on its way through (a bend). `x` is its centre, `y` its top."""

    width: float = 0
    height: float = 0
    row: int = 0
    x: float = 0
    y: float = 0
    above: list[Link] = field(default_factory=list)
    below: list[Link] = field(default_factory=list)

    @property
    def is_bend(self) -> bool:
        return self.width == 0


@dataclass(frozen=True, eq=False)
class Link:
    """A piece of an edge from one row to the next; offsets are from the centres of its ends."""

    upper: Place
    lower: Place
    upper_offset: float
    lower_offset: float
    weight: float

    @property
    def ends(self) -> tuple[float, float]:
        return self.upper.x + self.upper_offset, self.lower.x + self.lower_offset


@dataclass(frozen=True)
class Edge:
    """From a port at the bottom of one place to a port at the top of another, both as offsets from the centre."""

    source: Place
    target: Place
    source_offset: float = 0
    target_offset: float = 0


Route = list[Link]
"""The links of one edge; of edges that leave one port, each begins where the others leave it."""


@dataclass(frozen=True)
class Arrangement:
    """A route for each edge, and where it all ends."""

    routes: list[Route]
    right: float
    bottom: float


def arrange(places: Sequence[Place], edges: Sequence[Edge], left: float, top: float) -> Arrangement:
    """Place everything right of `left` and below `top`; in `places`, sources stand before their readers."""
    _set_rows(places, edges)
    routes, bends = _routes(edges)
    rows: list[list[Place]] = [[] for _ in range(max((place.row for place in places), default=-1) + 1)]
    everything = [*places, *bends]
    for place in everything:
        rows[place.row].append(place)
    _order(rows)
    _set_columns(rows)
    begin = min((place.x - place.width / 2 for place in everything), default=0)
    for place in everything:
        place.x = round(_rounded(place.x + left - begin))
    _set_heights(rows, top)
    right = max((place.x + place.width / 2 for place in everything), default=left)
    return Arrangement(routes, right, max((place.y + place.height for place in everything), default=top))


def _set_rows(places: Sequence[Place], edges: Sequence[Edge]) -> None:
    readers: dict[int, list[Place]] = {}
    for edge in edges:
        readers.setdefault(id(edge.source), []).append(edge.target)
    for place in reversed(places):
        place.row = min((reader.row for reader in readers.get(id(place), ())), default=0) - 1
    first = min((place.row for place in places), default=0)
    for place in places:
        place.row -= first


def _routes(edges: Sequence[Edge]) -> tuple[list[Route], list[Place]]:
    """Links from row to row. Edges that leave one port share their bends."""
    reading = {id(edge.target) for edge in edges}
    bends: dict[tuple[int, float], list[Place]] = {}
    for edge in edges:
        chain = bends.setdefault((id(edge.source), edge.source_offset), [])
        for row in range(edge.source.row + 1 + len(chain), edge.target.row):
            chain.append(Place(row=row))
    routes = []
    linked: set[int] = set()
    for edge in edges:
        own = bends[id(edge.source), edge.source_offset][: edge.target.row - edge.source.row - 1]
        new = next((i for i, bend in enumerate(own) if id(bend) not in linked), len(own))
        linked.update(map(id, own))
        stops = [edge.source, *own, edge.target]
        pull = _USUAL if id(edge.source) in reading else _LOOSE
        route = []
        for i, (upper, lower) in enumerate(zip(stops[new:], stops[new + 1 :], strict=False), new):
            begin = edge.source_offset if i == 0 else 0.0
            end = edge.target_offset if lower is edge.target else 0.0
            bends_at = upper.is_bend + lower.is_bend
            route.append(Link(upper, lower, begin, end, (pull, 1.0, _STRAIGHT)[bends_at]))
        for link in route:
            link.upper.below.append(link)
            link.lower.above.append(link)
        routes.append(route)
    return routes, [bend for chain in bends.values() for bend in chain]


def _order(rows: list[list[Place]]) -> None:
    """Put the places of each row in the order of their neighbours, and keep the order with the fewest crossings."""
    _number(rows)
    best, fewest = [list(row) for row in rows], _crossings(rows)
    for sweep in range(_times(rows, _SWEEPS)):
        is_down = sweep % 2 == 1
        for row in rows if is_down else reversed(rows):
            row.sort(key=lambda place: _middle(place, is_down))
            _number([row])
        crossings = _crossings(rows)
        if crossings < fewest:
            best, fewest = [list(row) for row in rows], crossings
    for row, found in zip(rows, best, strict=True):
        row[:] = found


def _times(rows: list[list[Place]], most: int) -> int:
    return max(2, min(most, _EFFORT // max(1, sum(map(len, rows)))))


def _number(rows: Iterable[list[Place]]) -> None:
    for row in rows:
        for x, place in enumerate(row):
            place.x = x


def _middle(place: Place, is_down: bool) -> float:
    """The mean of where the neighbours above or below are, in places of their row; ports count as fractions."""
    links = place.above if is_down else place.below
    if not links:
        return place.x
    weight = sum(link.weight for link in links)
    return _rounded(sum(_at(link, upper=is_down) * link.weight for link in links) / weight)


def _at(link: Link, upper: bool) -> float:
    place, offset = (link.upper, link.upper_offset) if upper else (link.lower, link.lower_offset)
    return _rounded(place.x + (0 if place.is_bend else offset / (place.width + 1)))


def _rounded(x: float) -> float:
    """Without the last bits, in which sums of floats differ between versions of Python: the picture does not."""
    return round(x, 4)


def _crossings(rows: list[list[Place]]) -> int:
    """How many pairs of links cross: those in order at the top that are out of order at the bottom."""
    count = 0
    for row in rows:
        links = [(_at(link, upper=True), _at(link, upper=False)) for place in row for link in place.below]
        ends: list[float] = []
        for _, end in sorted(links):
            count += len(ends) - bisect_right(ends, end)
            insort(ends, end)
    return count


def _set_columns(rows: list[list[Place]]) -> None:
    """Pull places towards their neighbours, as far as those of their own row allow."""
    for row in rows:
        _settle(row, [0.0] * len(row), [1.0] * len(row))
    for sweep in range(_times(rows, _PULLS)):
        for row in rows if sweep % 2 else reversed(rows):
            wanted, weights = [], []
            for place in row:
                pulls = [(link.ends[0] - link.lower_offset, link.weight) for link in place.above]
                pulls += [(link.ends[1] - link.upper_offset, link.weight) for link in place.below]
                weight = sum(each for _, each in pulls)
                wanted.append(sum(x * each for x, each in pulls) / weight if pulls else place.x)
                weights.append(weight or _LOOSE)
            _settle(row, wanted, weights)


def _settle(row: list[Place], wanted: Sequence[float], weights: Sequence[float]) -> None:
    """The places as near to where they are wanted as their order and widths allow, by least squares."""
    groups: list[tuple[float, float, int]] = []  # mean, weight, how many
    start = 0.0
    starts = []
    for i, place in enumerate(row):
        if i:
            gap = _BEND_GAP if place.is_bend or row[i - 1].is_bend else _BOX_GAP
            start += (row[i - 1].width + place.width) / 2 + gap
        starts.append(start)
        mean, weight, count = wanted[i] - start, weights[i], 1
        while groups and groups[-1][0] >= mean:
            other, heavy, many = groups.pop()
            mean = (mean * weight + other * heavy) / (weight + heavy)
            weight, count = weight + heavy, count + many
        groups.append((mean, weight, count))
    means = [mean for mean, _, count in groups for _ in range(count)]
    for place, mean, begin in zip(row, means, starts, strict=True):
        place.x = mean + begin


def _set_heights(rows: list[list[Place]], y: float) -> None:
    """Rows one below the other, with more room between them where edges run far to the side."""
    for row in rows:
        height = max(place.height for place in row)
        for place in row:
            place.y, place.height = y, height
        aside = max((abs(a - b) for place in row for a, b in [link.ends for link in place.below]), default=0.0)
        y += height + _ROW_GAP + min(60, max(0, round(aside - 150) // 8))
