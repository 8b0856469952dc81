"""The picture as a standalone SVG: readable on light and dark, with a title and a description for screen readers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap
from xml.sax.saxutils import escape
from zlib import crc32

from anydml.core.text import display_width
from anydml.view.blocks import wrapped
from anydml.view.elision import Gap, balanced, positions, runs
from anydml.view.facts import Facts, times
from anydml.view.jumps import columns_of, jumps_of
from anydml.view.legend import labels, legend, window_legend
from anydml.view.palette import fill
from anydml.view.picture import Grid, Kind, Limits, LogicalCell, MemoryCell, Picture, Reach, make_picture
from anydml.view.sheet import Sheet, SheetSize, beside, flow, stack
from anydml.view.subject import Subject

WIDTH, CELL_HEIGHT, MARGIN = 860, 36, 24
_LEAST_WIDTH = 520
_JUMP_HEIGHT = 24
_EDGES = (6, 4, 3, 2)
STYLE = """
.anydml text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1b1f24; }
.anydml .words { font-family: system-ui, -apple-system, Segoe UI, Roboto, sans-serif; }
.anydml .heading { font-size: 17px; font-weight: 650; }
.anydml .part { font-weight: 650; }
.anydml .muted { fill: #57606a; }
.anydml .axis { font-size: 11px; fill: #57606a; }
.anydml .cell { stroke: #57606a; stroke-width: 1; }
.anydml .label { fill: #111; font-weight: 600; text-anchor: middle; }
.anydml .middle { text-anchor: middle; }
.anydml .badge { font-size: 10px; fill: #111; }
.anydml .end { text-anchor: end; }
.anydml .open { fill: none; stroke-dasharray: 3 3; }
.anydml .dots { fill: none; stroke-dasharray: 1 4; }
.anydml .taken { stroke: #111; stroke-width: 2.5; }
.anydml .skipped .cell { fill-opacity: .35; }
.anydml .skipped .label { fill: #24292f; font-weight: 400; }
.anydml .outside .cell { fill-opacity: 0; stroke-opacity: .45; }
.anydml .outside .label { fill: #6e7781; font-weight: 400; }
.anydml .window { fill: none; stroke: #b3470c; stroke-width: 2.5; stroke-dasharray: 7 4; }
.anydml .chosen { fill: none; stroke: #111; stroke-width: 3; }
.anydml .jump { fill: none; stroke: #57606a; stroke-width: 1.5; }
.anydml .tip { fill: #57606a; }
.anydml .card { fill: #ffffff; stroke: #d0d7de; }
.anydml .mark { fill: #111; }
.anydml .hatch { stroke: #8c959f; stroke-width: 1.5; }
@media (prefers-color-scheme: dark) {
  .anydml text { fill: #e6edf3; }
  .anydml .muted, .anydml .axis { fill: #9da7b3; }
  .anydml .card { fill: #0d1117; stroke: #30363d; }
  .anydml .label, .anydml .badge { fill: #111; }
  .anydml .taken { stroke: #fff; }
  .anydml .skipped .label { fill: #e6edf3; }
  .anydml .outside .label { fill: #8b949e; }
  .anydml .window { stroke: #ffa657; }
  .anydml .hatch { stroke: #6e7681; }
  .anydml .jump { stroke: #9da7b3; }
  .anydml .tip { fill: #9da7b3; }
}
"""


def render(subject: Subject) -> str:
    """One SVG document."""
    picture = fitted_picture(subject)
    facts = Facts(picture)
    draw = _Drawer(picture, f"anydml-{crc32(repr(subject).encode()):08x}")
    drawing = draw.drawing()
    legend_sheets = draw.legend()
    width = max(_LEAST_WIDTH, drawing.width, *(sheet.width for sheet in legend_sheets))
    parts = [
        _words(facts, width),
        drawing,
        *legend_sheets,
        _lines([facts.formula, *facts.examples], width),
        *([_lines(facts.mapping, width)] if facts.mapping else []),
    ]
    body = stack(parts, 18)
    return _document(body, facts, draw.name)


def fitted_picture(subject: Subject) -> Picture:
    """The picture with so many rows and columns that planes with others left out between them stay on one line."""
    for edge in _EDGES:
        picture = make_picture(subject, Limits(edge=edge))
        grid = picture.grid
        wide = _cell_width([cell.label for cell in grid.cells.values()]) * len(grid.columns) + 60
        has_gap = any(isinstance(plane, Gap) for plane in grid.planes)
        if not has_gap or wide * len(positions(grid.planes)) + 100 <= WIDTH:
            break
    return picture


def _document(body: Sheet, facts: Facts, name: str) -> str:
    width, height = body.width + 2 * MARGIN, body.height + 2 * MARGIN
    told = [facts.formula, *facts.examples, *(jump.places for jump in facts.jumps), *facts.mapping]
    described = " ".join([*facts.sentences, *(f"{line}." for line in told)])
    hatch = (
        f'<pattern id="{name}-hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
        'patternTransform="rotate(45)"><line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern>'
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="anydml" role="img" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" aria-labelledby="{name}-title {name}-desc">',
            f'<title id="{name}-title">{escape(facts.title)}</title>',
            f'<desc id="{name}-desc">{escape(described)}</desc>',
            f"<style>{STYLE}</style>",
            f"<defs>{hatch}</defs>",
            f'<rect class="card" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="10"/>',
            *body.at(MARGIN, MARGIN),
            "</svg>\n",
        ]
    )


def _words(facts: Facts, width: int) -> Sheet:
    """The heading and the sentences, no wider than the drawing below them."""
    lines = [_text(line, "words heading", 9.5, 22) for line in wrap(facts.heading, int(width / 9.2))]
    lines += [_text(line, "words part", 7.9, 20) for line in wrap(facts.subheading, int(width / 7.9))]
    for sentence in facts.sentences:
        lines += [_text(line, "words muted", 6.8) for line in wrap(sentence, int(width / 6.8))]
    return stack(lines, 3)


def _lines(texts: Sequence[str], width: int) -> Sheet:
    return stack([_text(line, "muted") for line in wrapped(texts, int(width / 7.9))], 4)


def _text(text: str, style: str, advance: float = 7.9, height: int = 17) -> Sheet:
    line = f'<text class="{style}" y="{height - 4}" xml:space="preserve">{escape(text)}</text>'
    return Sheet(int(display_width(text) * advance), height, (line,))


class _Drawer:
    def __init__(self, picture: Picture, name: str) -> None:
        self.picture, self.name = picture, name

    def drawing(self) -> Sheet:
        grids = [self._grid("logical", self.picture.grid)]
        if self.picture.result:
            grids.append(self._grid("result", self.picture.result))
        left = flow(grids, SheetSize(WIDTH, 44))
        stacked = self._memory(WIDTH)
        room = WIDTH - left.width - 44
        alongside = self._memory(room) if room > 220 else None
        if alongside and alongside.height <= stacked.height:
            return beside([left, alongside], 44)
        return stack([left, stacked], 18)

    # The logical side

    def _grid(self, title: str, grid: Grid) -> Sheet:
        wide = _cell_width([cell.label for cell in grid.cells.values()])
        parts = [
            [_text(f"… {run.hidden:,} planes", "axis", 7, 15)]
            if isinstance(run, Gap)
            else [self._plane(grid, plane, wide, title == "logical") for plane in run]
            for run in runs(grid.planes)
        ]
        whole = beside([sheet for part in parts for sheet in part], 20)
        # What is left out is told between its neighbours: beside them, or on a line of its own.
        planes = whole if whole.width <= WIDTH else stack([flow(part, SheetSize(WIDTH, 20)) for part in parts], 14)
        return stack([_title(title, times(grid.sizes)), planes], 6)

    def _plane(self, grid: Grid, plane: int, wide: int, is_source: bool) -> Sheet:
        names = list(zip(grid.axes, grid.plane_index(plane), strict=False))
        caption = " ".join(f"{axis.lower()}={i}" for axis, i in names)
        digits = max(len(str(row)) for row in positions(grid.rows))
        left = 8 * digits + 14 if len(grid.sizes) > 1 else 0
        top = 34 if caption else 18
        parts = [f'<text class="axis" x="{left}" y="11">{caption}</text>'] if caption else []
        parts += self._axis_texts(grid, wide, left, top)
        for y, row in enumerate(grid.rows):
            for x, column in enumerate(grid.columns):
                corner = (left + x * wide, top + y * CELL_HEIGHT)
                if isinstance(row, Gap) or isinstance(column, Gap):
                    parts.append(_dots(*corner, wide))
                else:
                    parts += self._cell(grid.cell(plane, row, column), *corner, wide)
        if is_source:
            parts += self._window_outline(grid, plane, wide, left, top)
        width, height = left + wide * len(grid.columns), top + CELL_HEIGHT * len(grid.rows) + 2
        return Sheet(max(width + 12, 7 * len(caption)), height, tuple(parts))

    def _axis_texts(self, grid: Grid, wide: int, left: int, top: int) -> list[str]:
        parts = []
        for x, column in enumerate(grid.columns):
            center = left + x * wide + wide // 2
            parts.append(f'<text class="axis middle" x="{center}" y="{top - 6}">{_position(column)}</text>')
        end = left + wide * len(grid.columns) + 4
        parts.append(f'<text class="axis" x="{end}" y="{top - 6}">{escape(grid.axes[-1].lower())}</text>')
        if len(grid.sizes) > 1:
            for y, row in enumerate(grid.rows):
                middle = top + y * CELL_HEIGHT + CELL_HEIGHT // 2 + 4
                parts.append(f'<text class="axis end" x="{left - 7}" y="{middle}">{_position(row)}</text>')
            letter = escape(grid.axes[-2].lower())
            parts.append(f'<text class="axis end" x="{left - 7}" y="{top - 6}">{letter}</text>')
        return parts

    def _window_outline(self, grid: Grid, plane: int, wide: int, left: int, top: int) -> list[str]:
        window = self.picture.subject.window
        if window is None:
            return []
        inside: Callable[[int, int], bool] = window.contains
        rank = len(grid.sizes)
        if not all(inside(axis, i) for axis, i in enumerate(grid.plane_index(plane))):
            return []
        columns = [x for x, c in enumerate(grid.columns) if not isinstance(c, Gap) and inside(rank - 1, c)]
        rows = [y for y, r in enumerate(grid.rows) if not isinstance(r, Gap) and (rank == 1 or inside(rank - 2, r))]
        x, y = left + wide * columns[0] - 3, top + CELL_HEIGHT * rows[0] - 3
        width = wide * (columns[-1] - columns[0] + 1) + 4
        height = CELL_HEIGHT * (rows[-1] - rows[0] + 1) + 4
        return [f'<rect class="window" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>']

    # The memory side

    def _memory(self, width: int) -> Sheet:
        cells = self.picture.memory
        longest = [str(cells_end) for cells_end in self._offsets()]
        wide = _cell_width([cell.label for cell in self.picture.memory_cells] + longest)
        per_line = balanced(len(cells), max(1, width // wide))
        jumps, jump_room = self._jumps(per_line, wide)
        parts = list(jumps.shapes)
        for i, cell in enumerate(cells):
            x, y = i % per_line * wide, i // per_line * (CELL_HEIGHT + 24) + 18 + (jump_room if i >= per_line else 0)
            center = x + wide // 2
            if isinstance(cell, Gap):
                parts.append(_dots(x, y, wide, f"{cell.hidden:,} left out"))
                continue
            parts.append(f'<text class="axis middle" x="{center}" y="{y - 6}">{cell.offset}</text>')
            parts += self._cell(cell, x, y, wide)
        lines = -(-len(cells) // per_line)
        strip_width = max(min(len(cells), per_line) * wide + 2, jumps.width)
        strip = Sheet(strip_width, lines * (CELL_HEIGHT + 24) - 4 + jump_room, tuple(parts))
        title = _title("memory", "a cell for each element, its offset above; strides as jumps")
        return stack([title, strip, *self._far_jumps(per_line, width)], 6)

    def _jumps(self, per_line: int, wide: int) -> tuple[Sheet, int]:
        """Brackets under the first line of memory, one for each stride whose jump stays on it."""
        shown = [(jump, columns_of(self.picture, jump, per_line)) for jump in jumps_of(self.picture)]
        near = [(jump, columns) for jump, columns in shown if columns is not None]
        # Names stand right of every bracket, so that no line runs through them.
        text_x = max((max(columns) * wide + wide // 2 + 10 for _, columns in near), default=0)
        parts = []
        for level, (jump, columns) in enumerate(near):
            bottom = 18 + CELL_HEIGHT + 14 + level * _JUMP_HEIGHT
            start, end = (column * wide + wide // 2 for column in columns)
            parts.append(_bracket(start, end, bottom))
            parts.append(f'<text class="axis" x="{text_x}" y="{bottom + 4}">{escape(jump.words)}</text>')
        right = max((text_x + 7 * display_width(jump.words) for jump, _ in near), default=0)
        return Sheet(right, 0, tuple(parts)), len(near) * _JUMP_HEIGHT

    def _far_jumps(self, per_line: int, width: int) -> list[Sheet]:
        far = [jump for jump in jumps_of(self.picture) if columns_of(self.picture, jump, per_line) is None]
        lines = [line for jump in far for line in wrap(jump.places, max(20, width // 7))]
        return [stack([_text(line, "axis", 7, 15) for line in lines], 2)] if lines else []

    def _offsets(self) -> list[int]:
        return [cell.offset for cell in self.picture.memory_cells]

    # One cell

    def _cell(self, cell: LogicalCell | MemoryCell, x: int, y: int, wide: int) -> list[str]:
        return cell_shapes(cell, x, y, wide, self.name)

    def legend(self) -> list[Sheet]:
        entries = []
        for mark, meaning in legend(self.picture):
            sample = _sample(mark)
            shapes = tuple(cell_shapes(sample, 0, 0, 38, self.name, 30))
            entries.append(beside([Sheet(38, 30, shapes), _text(meaning, "words muted", 7.0, 24)], 8))
        if window_legend(self.picture):
            outline = Sheet(38, 30, ('<rect class="window" x="2" y="3" width="34" height="24" rx="6"/>',))
            entries.append(beside([outline, _text(window_legend(self.picture), "words muted", 7.0, 24)], 8))
        if any(cell.is_chosen for cell in self.picture.memory_cells):
            ring = Sheet(38, 30, ('<rect class="chosen" x="2" y="2" width="34" height="26" rx="8"/>',))
            entries.append(beside([ring, _text("the index asked for", "words muted", 7.0, 24)], 8))
        label, meaning = labels(self.picture)
        if meaning:
            wide = max(38, _cell_width([label]))
            shapes = tuple(cell_shapes(MemoryCell(0, label, Kind.ELEMENT, 0, 1), 0, 0, wide, self.name, 30))
            entries.append(beside([Sheet(wide, 30, shapes), _text(meaning, "words muted", 7.0, 24)], 8))
        return [flow(entries, SheetSize(WIDTH, 24))] if entries else []


def _bracket(start: int, end: int, bottom: int) -> str:
    """A line down from one cell, along, and up to another with an arrow; a ring where both are one."""
    top = 18 + CELL_HEIGHT + 2
    if start == end:
        return f'<circle class="jump" cx="{start}" cy="{bottom}" r="5"/>'
    path = f'<path class="jump" d="M{start} {top}V{bottom}H{end}V{top + 5}"/>'
    return f'{path}<path class="tip" d="M{end} {top}l-4 7h8z"/>'


def _sample(mark: Kind | Reach) -> MemoryCell:
    if isinstance(mark, Reach):
        return MemoryCell(0, "A", Kind.ELEMENT, 0, 1, mark, 1 if mark is Reach.TAKEN else None)
    is_element = mark in (Kind.BROADCAST, Kind.OVERLAP)
    return MemoryCell(0, "A" if is_element else "", mark, 0, 2 if is_element else 0)


def cell_shapes(
    cell: LogicalCell | MemoryCell, x: int, y: int, wide: int, name: str, height: int = CELL_HEIGHT
) -> list[str]:
    """One cell with its marks."""
    box = f'x="{x}" y="{y}" width="{wide}" height="{height}"'
    if cell.kind is Kind.PADDING:
        hatch = f'<rect class="cell" {box} fill="url(#{name}-hatch)"/>'
        label = f'<text class="plain middle" x="{x + wide // 2}" y="{y + height // 2 + 6}">{escape(cell.label)}</text>'
        return [hatch, label] if cell.label else [hatch]
    if cell.kind in (Kind.TAIL, Kind.BEFORE):
        return [f'<rect class="cell {"open" if cell.kind is Kind.TAIL else "dots"}" {box}/>']
    reach = cell.reach.value if cell.reach else ""
    parts = [f'<rect class="cell" {box} fill="{fill(cell.group)}"/>']
    parts += _sharing_marks(cell, x, y, wide, height)
    label_y = y + height // 2 + 6
    parts.append(f'<text class="label" x="{x + wide // 2}" y="{label_y}">{escape(cell.label)}</text>')
    if cell.step:
        parts.append(f'<text class="badge" x="{x + 5}" y="{y + 13}">{cell.step}</text>')
    if cell.is_chosen:
        ring = f'x="{x + 2}" y="{y + 2}" width="{wide - 4}" height="{height - 4}"'
        parts.append(f'<rect class="chosen" {ring} rx="8"/>')
    if reach == "taken":
        inset = f'x="{x + 2}" y="{y + 2}" width="{wide - 4}" height="{height - 4}"'
        return [*parts, f'<rect class="taken" fill="none" {inset}/>']
    return [f'<g class="{reach}">', *parts, "</g>"] if reach else parts


def _sharing_marks(cell: LogicalCell | MemoryCell, x: int, y: int, wide: int, height: int) -> list[str]:
    right, bottom = x + wide, y + height
    if cell.kind is Kind.OVERLAP:
        shape = f'<path class="mark" d="M{right} {bottom}h-9l9 -9z"/>'
    elif cell.kind is Kind.BROADCAST:
        dots = [f'<circle class="mark" cx="{right - 5 - 5 * i}" cy="{bottom - 5}" r="1.7"/>' for i in range(2)]
        shape = "".join(dots)
    else:
        return []
    readers = cell.readers if isinstance(cell, MemoryCell) else 0
    badge = f'<text class="badge end" x="{right - 3}" y="{y + 11}">×{readers}</text>' if readers else ""
    return [shape + badge]


def _title(title: str, remark: str) -> Sheet:
    text = (
        f'<text y="13"><tspan class="part">{title}</tspan><tspan class="axis" dx="10">{escape(remark)}</tspan></text>'
    )
    return Sheet(8 * len(title) + 7 * len(remark) + 12, 17, (text,))


def _dots(x: int, y: int, wide: int, hint: str = "left out") -> str:
    center = f'x="{x + wide // 2}" y="{y + CELL_HEIGHT // 2 + 3}"'
    return f'<text class="muted middle" {center}><title>{hint}</title>…</text>'


def _cell_width(labels: list[str]) -> int:
    return max(36, 8 * max(map(display_width, labels)) + 14)


def _position(position: int | Gap) -> str:
    return "…" if isinstance(position, Gap) else str(position)
