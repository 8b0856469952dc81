"""A picture before it is drawn: which cells there are, what each is, and which are left out.

Every renderer draws this one description, so text, SVG and HTML cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from itertools import product
from math import prod

from anydml.core.text import encodable, fitted, printable
from anydml.view.elements import ENDS, Element, Elements, Index, elements_of
from anydml.view.elision import Gap, Shown, elide, positions, with_gaps
from anydml.view.subject import Subject, Window

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LABEL_COLUMNS = 12
Show = Callable[[str], str]


class Kind(Enum):
    """What a cell is."""

    ELEMENT = "element"
    BROADCAST = "broadcast"
    """Read by several indices because a stride is 0."""
    OVERLAP = "overlap"
    """Several indices meet here though no stride is 0 (in a large tangled layout: they may)."""
    PADDING = "padding"
    TAIL = "tail"
    """After the last element: rounding up to 4 bytes and a larger total size."""
    BEFORE = "before"
    """Memory before the tensor's first element."""


class Reach(Enum):
    """What a window does with a cell."""

    TAKEN = "taken"
    SKIPPED = "skipped"
    OUTSIDE = "outside"


@dataclass(frozen=True)
class Limits:
    """How much of a large tensor is shown: an axis in full up to its limit, else `edge` positions of it."""

    planes: int = 6
    rows: int = 16
    columns: int = 16
    edge: int = 6
    cells: int = 400
    memory: int = 320


@dataclass(frozen=True)
class LogicalCell:
    """One index of the tensor, and the place in memory it reads."""

    index: Index
    offset: int
    label: str
    kind: Kind
    group: int
    reach: Reach | None = None
    step: int | None = None
    """Its place, from 1, in the order in which the window takes elements."""
    is_chosen: bool = False
    """Whether it is one of the indices asked for."""


@dataclass(frozen=True)
class MemoryCell:
    """One place in memory, counted in elements."""

    offset: int
    label: str
    kind: Kind
    group: int
    readers: int
    reach: Reach | None = None
    step: int | None = None
    is_chosen: bool = False


@dataclass(frozen=True)
class Grid:
    """The logical view: planes of rows and columns. A plane's number counts the leading axes' indices."""

    axes: str
    sizes: tuple[int, ...]
    planes: Shown
    rows: Shown
    columns: Shown
    cells: dict[Index, LogicalCell]

    def plane_index(self, plane: int) -> Index:
        """The leading axes' indices that a plane stands for."""
        index = []
        for size in reversed(self.sizes[:-2]):
            plane, i = divmod(plane, size)
            index.append(i)
        return tuple(reversed(index))

    def cell(self, plane: int, row: int, column: int) -> LogicalCell:
        rank = len(self.sizes)
        return self.cells[(*self.plane_index(plane), row, column)[-rank:]]


@dataclass(frozen=True)
class Picture:
    """A grid, the memory behind it, and the result of a window if there is one."""

    subject: Subject
    grid: Grid
    memory: tuple[MemoryCell | Gap, ...]
    result: Grid | None = None
    distinct: int | None = None
    """How many elements of memory the indices reach; None when it is too much work to know."""
    label_at: Callable[[Index], str] = field(default=lambda index: "", compare=False)
    """The label of any index, shown or not."""

    @property
    def is_elided(self) -> bool:
        grids = [self.grid, *([self.result] if self.result else [])]
        shown = [part for grid in grids for part in (grid.planes, grid.rows, grid.columns)]
        return any(isinstance(cell, Gap) for part in [*shown, self.memory] for cell in part)

    @property
    def memory_cells(self) -> list[MemoryCell]:
        return [cell for cell in self.memory if not isinstance(cell, Gap)]


def shown_value(value: str, encoding: str = "utf-8") -> str:
    """A value as a cell shows it: printable in an encoding, and short."""
    return fitted(encodable(printable(value), encoding), _LABEL_COLUMNS)


def make_picture(subject: Subject, limits: Limits | None = None, show: Show = shown_value) -> Picture:
    """Decide what is drawn. The work is bounded by the limits, not by the tensor. `show` makes labels of values."""
    return _Maker(subject, limits or Limits(), show).picture()


class _Maker:
    def __init__(self, subject: Subject, limits: Limits, show: Show) -> None:
        self.subject, self.layout, self.limits, self.show = subject, subject.layout, limits, show
        self.elements = elements_of(self.layout)
        self.has_letters = self.elements.count is not None and self.elements.count <= len(LETTERS)
        window = subject.window
        self.taken: Elements | None = elements_of(window.result(self.layout)) if window else None
        self.inside: Elements | None = elements_of(window.inside(self.layout)) if window else None
        self.chosen = {window.source(index) if window else index for index in subject.indices}
        self.chosen_places = {self.layout(index) for index in self.chosen}

    def picture(self) -> Picture:
        window = self.subject.window
        focus = _focus(window, self.chosen, self.layout.rank)
        grid = self._grid(self.layout.sizes, focus, source=lambda index: index)
        result = None
        if window:
            own = [tuple(index[axis] for index in self.subject.indices) for axis in range(self.layout.rank)]
            result = self._grid(window.output_sizes, own, window.source)
        memory = self._memory([grid, result] if result else [grid])
        return Picture(self.subject, grid, memory, result, self.elements.count, self._label_of)

    def _label_of(self, index: Index) -> str:
        offset = self.layout(index)
        element = self.elements.at(offset)
        return self._label(offset, element) if element else ""

    # The logical side

    def _grid(self, sizes: tuple[int, ...], focus: list[Index], source: Callable[[Index], Index]) -> Grid:
        planes, rows, columns = _shown_axes(sizes, focus, self.limits)
        grid = Grid(self.subject.axes, sizes, planes, rows, columns, {})
        for plane, row, column in product(positions(planes), positions(rows), positions(columns)):
            index = (*grid.plane_index(plane), row, column)[-len(sizes) :]
            grid.cells[index] = self._logical(source(index))
        return grid

    def _logical(self, index: Index) -> LogicalCell:
        offset = self.layout(index)
        element = self.elements.at(offset)
        assert element is not None  # an index always reaches an element
        reach, step = self._reach_of_index(index)
        label, group = self._label(offset, element), self._group(element)
        return LogicalCell(index, offset, label, _kind(element), group, reach, step, index in self.chosen)

    def _reach_of_index(self, index: Index) -> tuple[Reach | None, int | None]:
        window = self.subject.window
        if window is None:
            return None, None
        output = window.output(index)
        if output is not None:
            return Reach.TAKEN, 1 + _row_major(output, window.output_sizes)
        within = all(window.contains(axis, i) for axis, i in enumerate(index))
        return (Reach.SKIPPED if within else Reach.OUTSIDE), None

    def _label(self, offset: int, element: Element) -> str:
        value = self.subject.values.at(offset, element.index) if self.subject.values else None
        if value is not None:
            return self.show(value)
        if element.number is None:
            return str(offset - self.layout.first_offset)
        return LETTERS[element.number] if self.has_letters else str(element.number)

    def _group(self, element: Element) -> int:
        """Cells of one plane share a colour, or of one row where there is one plane, or of one column."""
        if element.index is None or self.layout.rank == 1:
            return 0
        moves = [size > 1 and stride != 0 for size, stride in zip(self.layout.sizes, self.layout.strides, strict=True)]
        leading = [axis for axis in range(self.layout.rank - 2) if moves[axis]]
        if leading:
            sizes = tuple(self.layout.sizes[axis] for axis in leading)
            return _row_major(tuple(element.index[axis] for axis in leading), sizes)
        return element.index[-2] if moves[-2] else element.index[-1]

    # The memory side

    def _memory(self, grids: list[Grid]) -> tuple[MemoryCell | Gap, ...]:
        first = min(0, self.layout.first_offset)
        end = self.layout.last_offset + 1 + self.subject.tail_cells
        shown = with_gaps(self._places(grids, first, end), first, end)
        return tuple(place if isinstance(place, Gap) else self._place(place) for place in shown)

    def _places(self, grids: list[Grid], first: int, end: int) -> set[int]:
        limit = self.limits.memory
        if end - first <= limit and (self.elements.knows_everywhere or self.layout.span <= 2 * ENDS):
            return set(range(first, end))
        low, high = self.layout.first_offset, self.layout.last_offset
        kept = {first, low, high, high + 1, end - 1}
        if self.elements.knows_everywhere:
            kept |= {cell.offset for grid in grids for cell in grid.cells.values()}
        else:
            depth = min(ENDS - 2, limit // 3)
            kept |= set(range(low, low + depth)) | set(range(high - depth + 1, high + 1))
        kept = {place for place in kept if first <= place < end}
        return _with_neighbours(kept, first, end, limit) if self.elements.knows_everywhere else kept

    def _place(self, offset: int) -> MemoryCell:
        if offset < self.layout.first_offset:
            return MemoryCell(offset, "", Kind.BEFORE, 0, 0)
        is_after = offset > self.layout.last_offset
        if is_after and not self.subject.has_room_after:
            return MemoryCell(offset, "", Kind.TAIL, 0, 0)
        element = None if is_after else self.elements.at(offset)
        if element is None:
            value = self.subject.values.at_place(offset) if self.subject.values else None
            return MemoryCell(offset, self.show(value or ""), Kind.PADDING, 0, 0)
        reach, step = self._reach_of_place(offset)
        label, group = self._label(offset, element), self._group(element)
        is_chosen = offset in self.chosen_places
        return MemoryCell(offset, label, _kind(element), group, element.readers or 0, reach, step, is_chosen)

    def _reach_of_place(self, offset: int) -> tuple[Reach | None, int | None]:
        if self.taken is None or self.inside is None:
            return None, None
        element = self.taken.at(offset)
        if element is not None:
            return Reach.TAKEN, self._first_step(element)
        return (Reach.SKIPPED if self.inside.at(offset) else Reach.OUTSIDE), None

    def _first_step(self, element: Element) -> int | None:
        window = self.subject.window
        if window is None or element.index is None:
            return None
        return 1 + _row_major(element.index, window.output_sizes)


def _kind(element: Element) -> Kind:
    if element.collides:
        return Kind.OVERLAP
    return Kind.ELEMENT if element.readers in (None, 1) else Kind.BROADCAST


def _row_major(index: Index, sizes: tuple[int, ...]) -> int:
    number = 0
    for i, size in zip(index, sizes, strict=True):
        number = number * size + i
    return number


def _focus(window: Window | None, chosen: set[Index], rank: int) -> list[Index]:
    """Positions along each axis that a picture must not leave out: those asked for, and a window's ends."""
    asked = [tuple(sorted({index[axis] for index in chosen})) for axis in range(rank)]
    if window is None:
        return asked
    ends = zip(window.starts, window.lasts, window.offsets, window.sizes, asked, strict=True)
    return [(*own, start, last, offset, offset + size - 1) for start, last, offset, size, own in ends]


def _shown_axes(sizes: tuple[int, ...], focus: list[Index], limits: Limits) -> tuple[Shown, Shown, Shown]:
    """The planes, rows and columns shown: shortened in turn until the cells fit the limit."""
    counts = (prod(sizes[:-2]), sizes[-2] if len(sizes) > 1 else 1, sizes[-1])
    leading = [_row_major(point, sizes[:-2]) for point in zip(*focus[:-2], strict=False)]
    points = (leading, focus[-2] if len(sizes) > 1 else (), focus[-1])
    edges = (max(2, limits.edge // 2), limits.edge, limits.edge)
    most = (limits.planes, limits.rows, limits.columns)
    shown = [
        count if count <= limit else min(limit, edge + len(set(point)))
        for count, limit, edge, point in zip(counts, most, edges, points, strict=True)
    ]
    while prod(shown) > limits.cells:
        shown[shown.index(max(shown))] -= 1
    planes, rows, columns = (elide(*axis) for axis in zip(counts, shown, points, strict=True))
    return planes, rows, columns


def _with_neighbours(kept: set[int], first: int, end: int, limit: int) -> set[int]:
    """Some places beside those kept, so that what lies between elements is seen, while there is room."""
    for distance in (1, -1, 2):
        wider = kept | {place + distance for place in kept if first <= place + distance < end}
        if len(wider) > limit:
            break
        kept = wider
    return kept
