"""The picture for a terminal: colours or none, box drawing or plain ASCII, to any width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from textwrap import wrap

from anydml.core.text import display_width
from anydml.view.blocks import Block, Span, Style, below, beside, centered, flow, wrapped
from anydml.view.elision import Gap, balanced, positions, runs
from anydml.view.facts import Facts
from anydml.view.jumps import columns_of, jumps_of
from anydml.view.legend import labels, legend, window_legend
from anydml.view.palette import terminal_fill
from anydml.view.picture import (
    Grid,
    Kind,
    Limits,
    LogicalCell,
    MemoryCell,
    Picture,
    Reach,
    Show,
    make_picture,
    shown_value,
)
from anydml.view.subject import Subject

BOLD, DIM, PLAIN = "1", "2", ""
_PLANE_GAP = 3
_FEW_PLANES, _MANY_PLANES = 4, 16
_CELLS = 256
_ASCII = str.maketrans("─│┌┬┐├┼┤└┴┘░·×…→←↓○›‹", "-|+++++++++x*x~><vo><")
_CORNERS = dict(zip(("dr", "dlr", "dl", "udr", "udlr", "udl", "ur", "ulr", "ul"), "┌┬┐├┼┤└┴┘", strict=True))
"""Box corners by the directions in which lines leave them: up, down, left, right."""
_MARKS: dict[Kind | Reach, str] = {
    Kind.BROADCAST: "A*",
    Kind.OVERLAP: "A#",
    Kind.PADDING: "░░",
    Kind.TAIL: "--",
    Kind.BEFORE: "<<",
    Reach.TAKEN: "[A]",
    Reach.SKIPPED: "(A)",
    Reach.OUTSIDE: "A",
}


@dataclass(frozen=True)
class Canvas:
    """What the terminal can show."""

    width: int = 80
    color: bool = False
    unicode: bool = True
    encoding: str = "utf-8"
    """What values are shown in; plain ASCII where there is no more."""

    def show(self, value: str) -> str:
        """A value as a cell shows it here."""
        return shown_value(value, self.encoding if self.unicode else "ascii")


def render(subject: Subject, canvas: Canvas) -> str:
    """The whole explanation of a layout as text."""
    inner = canvas.width - 2
    picture, drawing = _fitted(subject, inner, canvas.show)
    facts = Facts(picture)
    parts = [
        Block.of(wrap(facts.heading, canvas.width) + wrap(facts.subheading, canvas.width), BOLD),
        Block.of([line for sentence in facts.sentences for line in wrap(sentence, inner)]),
        _strides(facts, inner),
        Block.of(wrap(facts.formula, inner) + wrapped(facts.examples, inner)),
        drawing,
        *([Block.of(wrapped(facts.mapping, inner))] if facts.mapping else []),
        *_legend(picture, inner),
        _amounts(facts, inner),
    ]
    lines = below([parts[0], *(part.indent(2) for part in parts[1:])]).paint(canvas.color)
    text = "\n".join(lines) + "\n"
    return text if canvas.unicode else text.translate(_ASCII)


def _fitted(subject: Subject, width: int, show: Show) -> tuple[Picture, Block]:
    """The picture with as many columns as the width takes; what is left out is always the middle."""
    digits = len(str(subject.layout.logical_element_count))
    columns = max(3, min(16, (width - 12) // (digits + 3) - 1))
    planes = _plane_limit(subject.layout.sizes, digits, width)
    while True:
        limits = Limits(
            planes=planes, rows=16, columns=columns, edge=min(5, columns), cells=_CELLS, memory=max(48, min(160, width))
        )
        picture = make_picture(subject, limits, show)
        drawing = _drawing(picture, width)
        if drawing.width <= width or columns == 2:
            return picture, drawing
        columns -= 1


def _plane_limit(sizes: tuple[int, ...], digits: int, width: int) -> int:
    """How many planes are shown before some are left out: as many small ones as fit on two lines."""
    if len(sizes) < 3 or prod(sizes[-2:]) * _FEW_PLANES > _CELLS // 2:
        return _FEW_PLANES
    wide = len(str(sizes[-2])) + (digits + 3) * sizes[-1] + 5
    return max(_FEW_PLANES, min(_MANY_PLANES, 2 * (width // (wide + _PLANE_GAP))))


# Figures


def _strides(facts: Facts, width: int) -> Block:
    """Sizes, the strides in force and the row-major ones, a column for each axis."""
    layout = facts.layout
    subject = facts.picture.subject
    named = f"of order {subject.order}" if subject.order else "given"
    given = "none given, so packed" if subject.implicit_strides else named
    is_same = layout.strides == layout.packed_strides
    row_major = "the same" if is_same else "packed with the last axis fastest"
    rows = [
        ("", list(facts.axes), ""),
        ("sizes", list(map(str, layout.sizes)), ""),
        ("strides", list(map(str, layout.strides)), given),
        ("row-major", list(map(str, layout.packed_strides)), row_major),
    ]
    widths = [max(len(row[1][axis]) for row in rows) for axis in range(layout.rank)]
    lines = []
    for name, values, remark in rows:
        figures = "  ".join(f"{value:>{wide}}" for value, wide in zip(values, widths, strict=True))
        lines += _remarked(f"{name:<11}{figures}", remark, width)
    return Block.of(lines)


def _remarked(figures: str, remark: str, width: int) -> list[list[Span]]:
    """A line of a table with its remark: beside it, or below where the width does not take both."""
    if not remark or len(figures) + 3 + len(remark) <= width:
        return [[Span(figures), Span(f"   {remark}" if remark else "", DIM)]]
    return [[Span(figures)], *([Span(f"    {line}", DIM)] for line in wrap(remark, width - 4))]


def _amounts(facts: Facts, width: int) -> Block:
    def shown(value: int | None) -> str:
        return "" if value is None else f"{value:,}"

    rows = [(a.name, shown(a.elements), shown(a.bytes), a.remark) for a in facts.amounts]
    rows.insert(0, ("", "elements", "bytes" if facts.data_type else "", ""))
    wide = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = []
    for name, elements, size, remark in rows:
        lines += _remarked(f"{name:<{wide[0]}}  {elements:>{wide[1]}}  {size:>{wide[2]}}", remark, width)
    return Block.of(lines)


def _legend(picture: Picture, width: int) -> list[Block]:
    entries = [(_MARKS[mark], meaning) for mark, meaning in legend(picture)]
    if window_legend(picture):
        entries.append(("", window_legend(picture)))
    if any(cell.is_chosen for cell in picture.memory_cells):
        entries.append(("›A‹", "the index asked for"))
    if picture.is_elided:
        entries.append(("…", "left out"))
    entries += [each for each in [labels(picture)] if any(each)]
    told = wrapped((f"{mark}{' ' * (3 - display_width(mark))} {text}" for mark, text in entries), width)
    return [Block.of(told, DIM)] if entries else []


# Drawings


def _drawing(picture: Picture, width: int) -> Block:
    grids = [_grid_block("logical", picture.grid, width)]
    if picture.result:
        grids.append(_grid_block("result", picture.result, width))
    left = flow(grids, width, 4)
    room = width - left.width - 4
    alongside = _memory_block(picture, room) if room >= 24 else None
    stacked = _memory_block(picture, width)
    # Beside the grid unless that would break the memory into more lines.
    if alongside and len(alongside.lines) <= len(stacked.lines):
        return beside([left, alongside], 4)
    return below([left, stacked])


def _grid_block(title: str, grid: Grid, width: int) -> Block:
    wide = max(display_width(_logical_text(cell)) for cell in grid.cells.values())
    wide = max(wide, *(len(str(column)) for column in positions(grid.columns)))
    parts = [
        [Block.of([f"… {run.hidden:,} planes"], DIM)]
        if isinstance(run, Gap)
        else [_plane_block(grid, plane, wide) for plane in run]
        for run in runs(grid.planes)
    ]
    # What is left out is told between its neighbours: beside them, or on a line of its own.
    row = beside([block for part in parts for block in part], _PLANE_GAP)
    planes = row if row.width - _PLANE_GAP <= width else below([flow(part, width, _PLANE_GAP) for part in parts])
    heading = Block.of([[Span(title, BOLD), Span("  " + "×".join(map(str, grid.sizes)), DIM)]])
    return below([heading, planes], blank=0)


def _plane_block(grid: Grid, plane: int, wide: int) -> Block:
    names = zip(grid.axes, grid.plane_index(plane), strict=False)
    caption = " ".join(f"{axis.lower()}={i}" for axis, i in names)
    row_axis = grid.axes[-2].lower() if len(grid.sizes) > 1 else ""
    margin = max(len(row_axis), *(len(_position(row)) for row in grid.rows)) if row_axis else 0
    corner = f"{row_axis:>{margin}}  "
    header = corner + " ".join(f"{_position(column):^{wide}}" for column in grid.columns)
    lines: list[list[Span]] = [[Span(caption, DIM)]] if caption else []
    lines.append([Span(f"{header}  {grid.axes[-1].lower()}", DIM)])
    lines.append([Span(" " * (margin + 1)), _rule(0, len(grid.columns), wide)])
    for row in grid.rows:
        name = _position(row) if row_axis else ""
        lines.append([Span(f"{name:>{margin}} ", DIM), *_row_spans(grid, plane, row, wide)])
    lines.append([Span(" " * (margin + 1)), _rule(len(grid.columns), 0, wide)])
    return Block.of(lines)


def _row_spans(grid: Grid, plane: int, row: int | Gap, wide: int) -> list[Span]:
    spans = [Span("│", DIM)]
    for column in grid.columns:
        if isinstance(row, Gap) or isinstance(column, Gap):
            spans.append(Span(f"{'…':^{wide}}", DIM))
        else:
            cell = grid.cell(plane, row, column)
            spans.append(Span(centered(_logical_text(cell), wide), _style(cell)))
        spans.append(Span("│", DIM))
    return spans


def _memory_block(picture: Picture, width: int) -> Block:
    has_steps = any(cell.step for cell in picture.memory_cells)
    texts = [_memory_texts(cell, has_steps) for cell in picture.memory]
    wide = max(display_width(text) for column in texts for text in column)
    per_line = balanced(len(texts), max(1, (width - 1) // (wide + 1)))
    cells = list(zip(picture.memory, texts, strict=True))
    chunks = [cells[start : start + per_line] for start in range(0, len(cells), per_line)]
    lines: list[list[Span]] = [[Span("memory", BOLD), Span("  offset above, element below", DIM)]]
    above = 0
    for chunk in chunks:
        lines += [[_rule(above, len(chunk), wide)], *_memory_lines(chunk, wide)]
        above = len(chunk)
    lines.append([_rule(above, 0, wide)])
    is_above = len(chunks) > 1  # under the first of several lines there is the next
    jumps = _jump_lines(picture, per_line, wide, width, is_above)
    return Block.of([lines[0], *reversed(jumps), *lines[1:]] if is_above else lines + jumps)


def _jump_lines(picture: Picture, per_line: int, wide: int, width: int, is_above: bool) -> list[list[Span]]:
    """Each stride as an arrow along the memory; in words where the arrow would not fit."""
    lines = []
    for jump in jumps_of(picture):
        columns = columns_of(picture, jump, per_line)
        arrow = _arrow(*columns, wide, is_above) if columns else ""
        if len(arrow) + display_width(jump.words) + 1 > width:
            arrow = ""
        words = f" {jump.words}" if arrow else jump.places
        lines.append([Span(arrow), Span(words, DIM)])
    return lines


def _arrow(start: int, end: int, wide: int, is_above: bool) -> str:
    """From the middle of one cell to the middle of another."""
    left, right = (1 + (wide + 1) * column + wide // 2 for column in sorted((start, end)))
    if left == right:
        return " " * left + "○"
    line = "─" * (right - left - 1)
    if is_above:
        return " " * left + (f"┌{line}↓" if start < end else f"↓{line}┐")
    return " " * left + (f"└{line}→" if start < end else f"←{line}┘")


def _memory_lines(chunk: Sequence[tuple[MemoryCell | Gap, tuple[str, ...]]], wide: int) -> list[list[Span]]:
    lines = []
    for level in range(len(chunk[0][1])):
        spans = [Span("│", DIM)]
        for cell, texts in chunk:
            style = _style(cell) if level and not isinstance(cell, Gap) else DIM
            filler = "░" if level == 1 and not isinstance(cell, Gap) and cell.kind is Kind.PADDING else " "
            spans += [Span(centered(texts[level], wide, filler), style), Span("│", DIM)]
        lines.append(spans)
    return lines


def _memory_texts(cell: MemoryCell | Gap, has_steps: bool) -> tuple[str, ...]:
    """Offset, content and, under a window, the order of taking."""
    if isinstance(cell, Gap):
        return ("…", "…", "")[: 2 + has_steps]
    step = f"{cell.step}." if cell.step else ""
    return (str(cell.offset), _memory_text(cell), step)[: 2 + has_steps]


def _rule(above: int, below: int, wide: int) -> Span:
    """The line between a row of so many cells and the row under it, either perhaps missing."""
    last = max(above, below)
    corners = []
    for i in range(last + 1):
        lines = {"u": above and i <= above, "d": below and i <= below, "l": i > 0, "r": i < last}
        corners.append(_CORNERS["".join(direction for direction, there in lines.items() if there)])
    return Span(("─" * wide).join(corners), DIM)


def _position(position: int | Gap) -> str:
    return "…" if isinstance(position, Gap) else str(position)


def _marked(cell: LogicalCell | MemoryCell) -> str:
    reach = cell.reach
    mark = {Kind.BROADCAST: "*", Kind.OVERLAP: "#"}.get(cell.kind, "")
    inner = f"{cell.label}{mark}"
    if cell.is_chosen:
        return f"›{inner}‹"
    if reach is Reach.TAKEN:
        return f"[{inner}]"
    return f"({inner})" if reach is Reach.SKIPPED else f" {inner} "


def _logical_text(cell: LogicalCell) -> str:
    return _marked(cell)


def _memory_text(cell: MemoryCell) -> str:
    if cell.kind in (Kind.PADDING, Kind.TAIL, Kind.BEFORE):
        if cell.label:
            return f"░{cell.label}░"
        return {Kind.PADDING: "░░░", Kind.TAIL: " -- ", Kind.BEFORE: " << "}[cell.kind]
    return _marked(cell)


def _style(cell: LogicalCell | MemoryCell) -> Style:
    if cell.kind in (Kind.PADDING, Kind.TAIL, Kind.BEFORE) or cell.reach is Reach.OUTSIDE:
        return DIM
    if cell.reach is Reach.SKIPPED:
        return PLAIN
    return f"30;48;5;{terminal_fill(cell.group)}"
