"""The picture as one self-contained page: an index and its place in memory light up together.

It asks nothing of any network, works from the keyboard, and reads without its script.
"""

from __future__ import annotations

from html import escape
from importlib.resources import files

from anydml.view.elision import Gap
from anydml.view.facts import Facts, times
from anydml.view.legend import labels, legend, window_legend
from anydml.view.palette import fill
from anydml.view.picture import Grid, Kind, LogicalCell, MemoryCell, Picture, Reach
from anydml.view.subject import Subject
from anydml.view.svg import fitted_picture

_GREETING = "Point at a cell, or Tab to one and use the arrow keys; Enter goes across to its partner."


def render(subject: Subject) -> str:
    """One HTML document."""
    facts = Facts(fitted_picture(subject))
    title = escape(facts.title)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{title}</title>",
            f"<style>\n{_resource('page.css')}</style>",
            "</head>",
            "<body>",
            "<main>",
            f"<h1>{escape(facts.heading)}</h1>",
            *([f'<p class="window-words">{escape(facts.subheading)}</p>'] if facts.subheading else []),
            *(f"<p>{escape(sentence)}</p>" for sentence in facts.sentences),
            *_Page(facts).body(),
            '<svg class="threads" aria-hidden="true"></svg>',
            "</main>",
            f"<script>\n{_resource('page.js')}</script>",
            "</body>",
            "</html>\n",
        ]
    )


def _resource(name: str) -> str:
    return (files("anydml.view") / name).read_text("utf-8")


class _Page:
    def __init__(self, facts: Facts) -> None:
        self.facts, self.picture = facts, facts.picture
        self.readers = _shown_readers(facts.picture)

    def body(self) -> list[str]:
        return [
            '<div class="views">',
            *self._grid("logical", self.picture.grid),
            *(self._grid("result", self.picture.result) if self.picture.result else []),
            *self._memory(),
            "</div>",
            f'<output id="status" class="idle" aria-live="polite">{_GREETING}</output>',
            *self._legend(),
            *self._figures(),
        ]

    # The logical side

    def _grid(self, title: str, grid: Grid) -> list[str]:
        planes = []
        for plane in grid.planes:
            if isinstance(plane, Gap):
                planes.append(f'<p class="gap">… {plane.hidden:,} planes</p>')
            else:
                planes += self._plane(title, grid, plane)
        heading = f"<h2>{title} <small>{times(grid.sizes)}</small></h2>"
        return [f'<section data-area="{title}">', heading, '<div class="planes">', *planes, "</div>", "</section>"]

    def _plane(self, title: str, grid: Grid, plane: int) -> list[str]:
        names = list(zip(grid.axes, grid.plane_index(plane), strict=False))
        caption = " ".join(f"{axis.lower()}={i}" for axis, i in names)
        has_rows = len(grid.sizes) > 1
        corner = f'<th scope="col">{escape(grid.axes[-2].lower())}</th>' if has_rows else ""
        header = "".join(f'<th scope="col">{_position(column)}</th>' for column in grid.columns)
        rows = []
        for row in grid.rows:
            name = f'<th scope="row">{_position(row)}</th>' if has_rows else ""
            cells = "".join(self._grid_cell(grid, plane, row, column) for column in grid.columns)
            rows.append(f"<tr>{name}{cells}</tr>")
        return [
            "<figure>",
            *([f"<figcaption>{caption}</figcaption>"] if caption else []),
            f'<table class="grid" aria-label="{title} {caption}">',
            f'<tr>{corner}{header}<th scope="col">{escape(grid.axes[-1].lower())}</th></tr>',
            *rows,
            "</table>",
            "</figure>",
        ]

    def _grid_cell(self, grid: Grid, plane: int, row: int | Gap, column: int | Gap) -> str:
        if isinstance(row, Gap) or isinstance(column, Gap):
            return '<td class="gap">…</td>'
        cell = grid.cell(plane, row, column)
        return f"<td>{_button(cell, self._say_index(cell))}</td>"

    def _say_index(self, cell: LogicalCell) -> str:
        said = f"{cell.label} at {_tuple(cell.index)} → offset {self.facts.computed(cell.index)}"
        place = self.facts.byte_place(cell.offset)
        said += f" → {place}" if place else ""
        if cell.kind is not Kind.ELEMENT:
            said += f"; {_SHARED[cell.kind]}"
        return said + _say_reach(cell.reach, cell.step)

    # The memory side

    def _memory(self) -> list[str]:
        return [
            '<section data-area="memory">',
            "<h2>memory <small>a cell for each element, its offset above; strides as jumps</small></h2>",
            '<ol class="strip">',
            *(self._place(cell) for cell in self.picture.memory),
            "</ol>",
            *self._jumps(),
            "</section>",
        ]

    def _jumps(self) -> list[str]:
        """Each stride as a step from the first element; the script draws it, too."""
        rows = [
            f'<li data-from="{jump.start}" data-to="{jump.end}">{escape(jump.places)}</li>' for jump in self.facts.jumps
        ]
        return ['<ul class="jumps">', *rows, "</ul>"] if rows else []

    def _place(self, cell: MemoryCell | Gap) -> str:
        if isinstance(cell, Gap):
            return f'<li><span class="gap" title="{cell.hidden:,} left out">…</span></li>'
        button = _button(cell, self._say_place(cell))
        return f'<li><span class="offset" aria-hidden="true">{cell.offset}</span>{button}</li>'

    def _say_place(self, cell: MemoryCell) -> str:
        place = self.facts.byte_place(cell.offset)
        where = f"offset {cell.offset}" + (f", {place}" if place else "")
        if cell.kind in _EMPTY:
            return f"{where}: {_EMPTY[cell.kind]}"
        shown = self.readers.get(cell.offset, [])
        more = cell.readers - len(shown)
        named = ", ".join(_tuple(index) for index in shown[:8])
        hidden = more + max(0, len(shown) - 8)
        others = f"{' and ' if named else ''}{hidden:,} {'more' if named else 'not shown'}" if hidden else ""
        return f"{where}: {cell.label}, read by {named}{others}" + _say_reach(cell.reach, cell.step)

    # Words and figures

    def _legend(self) -> list[str]:
        entries = [
            f'<li><span class="cell {mark.value}"{_fill_style(mark, 0)}>{_sample(mark)}</span>{meaning}</li>'
            for mark, meaning in legend(self.picture)
        ]
        if window_legend(self.picture):
            entries.append(f"<li>{escape(window_legend(self.picture))}</li>")
        if any(cell.is_chosen for cell in self.picture.memory_cells):
            entries.append('<li><span class="cell chosen"></span>the index asked for</li>')
        sample, meaning = labels(self.picture)
        if meaning:
            entries.append(
                f'<li><span class="cell"{_fill_style(Kind.ELEMENT, 0)}>{escape(sample)}</span>{meaning}</li>'
            )
        return ["<section>", '<ul class="legend">', *entries, "</ul>", "</section>"] if entries else []

    def _figures(self) -> list[str]:
        facts, layout = self.facts, self.facts.layout
        rows = {"sizes": layout.sizes, "strides": layout.strides, "row-major strides": layout.packed_strides}
        letters = "".join(f'<th scope="col">{escape(axis)}</th>' for axis in facts.axes)
        amounts = [
            f'<tr><th scope="row">{amount.name}</th><td>{_number(amount.elements)}</td>'
            f'<td>{_number(amount.bytes)}</td><td class="remark">{escape(amount.remark)}</td></tr>'
            for amount in facts.amounts
        ]
        return [
            '<section class="views">',
            f'<table class="facts"><tr><th></th>{letters}</tr>',
            *(f'<tr><th scope="row">{name}</th>{_cells(values)}</tr>' for name, values in rows.items()),
            "</table>",
            '<table class="facts"><tr><th></th><th scope="col">elements</th><th scope="col">bytes</th><th></th></tr>',
            *amounts,
            "</table>",
            "</section>",
            "<section>" + "<br>".join(f"<code>{escape(line)}</code>" for line in (facts.formula, *facts.examples)),
            "</section>",
            *self._mapping(),
        ]

    def _mapping(self) -> list[str]:
        """Where a window takes each element from."""
        lines = [f"<li><code>{escape(line)}</code></li>" for line in self.facts.mapping]
        heading = "<h2>elements <small>start + strides · index</small></h2>"
        return ["<section>", heading, '<ul class="mapping">', *lines, "</ul>", "</section>"] if lines else []


_EMPTY = {
    Kind.PADDING: "padding, belongs to no index",
    Kind.TAIL: "tail, up to a multiple of 4 bytes",
    Kind.BEFORE: "before the tensor's first element",
}
_SHARED = {Kind.BROADCAST: "shared by a stride of 0", Kind.OVERLAP: "other indices meet it there"}


def _button(cell: LogicalCell | MemoryCell, said: str) -> str:
    classes = ["cell", *([] if cell.kind is Kind.ELEMENT else [cell.kind.value])]
    classes += [cell.reach.value] if cell.reach else []
    classes += ["chosen"] if cell.is_chosen else []
    style = _fill_style(cell.kind, cell.group)
    step = f'<span class="badge step">{cell.step}</span>' if cell.step else ""
    count = cell.readers if isinstance(cell, MemoryCell) else 1
    readers = f'<span class="badge readers">×{count}</span>' if count > 1 else ""
    return (
        f'<button type="button" class="{" ".join(classes)}"{style} data-offset="{cell.offset}" '
        f'aria-label="{escape(said)}">{escape(cell.label)}{step}{readers}</button>'
    )


def _fill_style(mark: Kind | Reach, group: int) -> str:
    return "" if mark in _EMPTY else f' style="--fill: {fill(group)}"'


def _sample(mark: Kind | Reach) -> str:
    if mark in _EMPTY:
        return ""
    step = '<span class="badge step">1</span>' if mark is Reach.TAKEN else ""
    readers = '<span class="badge readers">×2</span>' if isinstance(mark, Kind) else ""
    return f"A{step}{readers}"


def _say_reach(reach: Reach | None, step: int | None) -> str:
    if reach is None:
        return ""
    if reach is Reach.TAKEN:
        return f"; taken as number {step}" if step else "; taken"
    return "; in the window, stepped over" if reach is Reach.SKIPPED else "; outside the window"


def _shown_readers(picture: Picture) -> dict[int, list[tuple[int, ...]]]:
    readers: dict[int, list[tuple[int, ...]]] = {}
    for index, cell in picture.grid.cells.items():
        readers.setdefault(cell.offset, []).append(index)
    return readers


def _tuple(index: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, index))})"


def _cells(values: tuple[int, ...]) -> str:
    return "".join(f"<td>{value}</td>" for value in values)


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _position(position: int | Gap) -> str:
    return "…" if isinstance(position, Gap) else str(position)
