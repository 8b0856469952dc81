"""Strides as jumps in memory: from the first element, one step along each dimension."""

from __future__ import annotations

from dataclasses import dataclass

from anydml.view.picture import MemoryCell, Picture


@dataclass(frozen=True)
class Jump:
    """One step along a dimension: from one place in memory to another."""

    axis: str
    stride: int
    start: int
    end: int
    start_label: str
    end_label: str

    @property
    def name(self) -> str:
        return f"{self.axis}-stride {self.stride}"

    @property
    def words(self) -> str:
        """The jump in a few words."""
        if self.stride == 0:
            return f"{self.name}: {self.start_label} again"
        return f"{self.name}: {self.start_label} to {self.end_label}"

    @property
    def places(self) -> str:
        """The jump with its offsets."""
        return f"{self.words}, offset {self.start} to {self.end}"


def jumps_of(picture: Picture) -> tuple[Jump, ...]:
    """A jump for each dimension of a size above 1, the shortest first."""
    layout = picture.subject.layout
    labels = {cell.offset: cell.label for cell in picture.memory_cells}
    origin = (0,) * layout.rank
    found = []
    for axis, (size, stride) in enumerate(zip(layout.sizes, layout.strides, strict=True)):
        if size == 1:
            continue
        start, end = layout(origin), layout((*origin[:axis], 1, *origin[axis + 1 :]))
        name = picture.subject.axes[axis]
        first, second = (labels.get(place) or f"({place})" for place in (start, end))
        found.append(Jump(name, stride, start, end, first, second))
    return tuple(sorted(found, key=lambda jump: abs(jump.stride)))


def columns_of(picture: Picture, jump: Jump, per_line: int) -> tuple[int, int] | None:
    """The columns of both ends on the first line of memory, if both are there."""
    shown = picture.memory[:per_line]
    columns = {cell.offset: i for i, cell in enumerate(shown) if isinstance(cell, MemoryCell)}
    if jump.start not in columns or jump.end not in columns:
        return None
    return columns[jump.start], columns[jump.end]
