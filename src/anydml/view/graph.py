"""Graphs and plans as pictures: operators or steps in rows, each below those it reads from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from anydml.core.errors import counted
from anydml.core.tensor import TensorDesc
from anydml.files.text import printable
from anydml.graph.graph import ConstantNode, Graph, OperatorNode
from anydml.graph.plan import SlotKind, reads, writes
from anydml.graph.stages import Stage, describe_stages
from anydml.view.palette import fill
from anydml.view.svg import MARGIN, STYLE

_BOX_HEIGHT, _ROW_GAP, _COLUMN_GAP, _LETTER = 44, 46, 28, 7.9
_MOST_BOXES = 400
_NOT_XML = re.compile("[\ufffe\uffff]")
_SIZES = re.compile(r"\[([^]]*)\]")
_EXTRA_STYLE = """
.anydml .edge { fill: none; stroke: #57606a; stroke-width: 1.5; }
.anydml .tip { fill: #57606a; }
.anydml .box { stroke: #57606a; stroke-width: 1; }
@media (prefers-color-scheme: dark) {
  .anydml .edge { stroke: #9da7b3; }
  .anydml .tip { fill: #9da7b3; }
}
"""


@dataclass
class _Box:
    """A node, a graph input or a graph output."""

    title: str
    detail: str
    colour: str
    row: int
    hint: str = ""
    """Shown where the pointer rests on it."""
    x: float = 0
    y: float = 0

    @property
    def width(self) -> float:
        return max(96, _LETTER * max(len(self.title), len(self.detail)) + 24)

    def draw(self) -> str:
        middle = self.x + self.width / 2
        return (
            f"<g>{f'<title>{_escaped(self.hint)}</title>' if self.hint else ''}"
            f'<rect class="box" x="{self.x:.0f}" y="{self.y:.0f}" width="{self.width:.0f}" height="{_BOX_HEIGHT}" '
            f'rx="8" fill="{self.colour}"/>'
            f'<text class="label" x="{middle:.0f}" y="{self.y + 19:.0f}">{_escaped(self.title)}</text>'
            f'<text class="badge middle" x="{middle:.0f}" y="{self.y + 35:.0f}">{_escaped(self.detail)}</text></g>'
        )


@dataclass
class _Panel:
    """One picture of several beside one another."""

    heading: str
    boxes: dict[str, _Box]
    pairs: list[tuple[str, str]]

    def draw(self, left: float) -> tuple[list[str], float, float]:
        """The parts, where the picture ends to the right, and where below."""
        boxes = self.boxes
        right, bottom = _arrange(boxes, left + MARGIN, _LETTER * len(self.heading))
        lines = [_edge(boxes[a], boxes[b]) for a, b in self.pairs if a in boxes and b in boxes]
        place = f'x="{left + MARGIN:.0f}" y="{MARGIN + 14}"'
        heading = f'<text class="words heading" {place}>{_escaped(self.heading)}</text>'
        return [heading, *lines, *(box.draw() for box in boxes.values())], right, bottom


def _escaped(text: str) -> str:
    """Text that neither leaves its element nor has characters that XML cannot hold."""
    return escape(_NOT_XML.sub("?", "\n".join(map(printable, text.split("\n")))))


def to_svg(graph: Graph) -> str:
    """One SVG document; graphs of many hundred nodes are cut short, which the picture says."""
    return _document(graph.describe(), [_graph_panel(graph)])


def stages_to_svg(graph: Graph, stages: Sequence[Stage]) -> str:
    """The graph, and beside it the plan at every stage that changed something."""
    panels = [_plan_panel(stage) for stage in stages if stage.is_changed]
    return _document(describe_stages(graph, list(stages)), [_graph_panel(graph), *panels])


def _graph_panel(graph: Graph) -> _Panel:
    total = len(graph.nodes)
    heading = (
        f"{counted(total, 'node')}, {counted(graph.input_count, 'input')}, {counted(graph.output_count, 'output')}"
    )
    return _Panel(_cut(heading, total), *_parts(graph))


def _cut(heading: str, total: int) -> str:
    return f"{heading}; the first {_MOST_BOXES} are shown" if total > _MOST_BOXES else heading


def _plan_panel(stage: Stage) -> _Panel:
    """Steps as boxes; an edge leads from the step that wrote a slot last to the one that reads it."""
    plan = stage.plan
    boxes: dict[str, _Box] = {}
    pairs: list[tuple[str, str]] = []
    writer: dict[int, str] = {}
    steps = [("once", n, step) for n, step in enumerate(plan.initialize)]
    steps += [("step", n, step) for n, step in enumerate(plan.steps)]
    for group, number, step in steps[:_MOST_BOXES]:
        key = f"{group} {number}"
        sources = []
        for slot in sorted(reads(step)):
            if slot not in writer:
                writer[slot] = f"slot {slot}"
                boxes[writer[slot]] = _Box(plan.name_of(slot), plan.slots[slot].kind.value, fill(1), 0)
            sources.append(writer[slot])
        row = 1 + max((boxes[source].row for source in sources), default=0)
        boxes[key] = _step_box(step.describe(plan.name_of), row, group == "once")
        pairs += [(source, key) for source in sources]
        writer |= dict.fromkeys(writes(step), key)
    last = max((box.row for box in boxes.values()), default=0) + 1
    for slot in plan.of_kind(SlotKind.OUTPUT):
        boxes[f"out {slot}"] = _Box(plan.name_of(slot), "output", fill(3), last)
        pairs += [(writer[slot], f"out {slot}")] if slot in writer else []
    return _Panel(_cut(f"{stage.name}: {counted(len(plan.steps), 'step')}", len(steps)), boxes, pairs)


def _step_box(text: str, row: int, is_once: bool) -> _Box:
    """A box from a step's own words: `copy [2, 3] ...`, `program GEMM of ...`."""
    first, _, rest = text.partition(" ")
    title = rest.partition(" ")[0] if first == "program" else first
    sizes = _SIZES.search(text)
    detail = sizes[1].replace(", ", "x") if sizes else ""
    return _Box(f"{title} (once)" if is_once else title, detail, fill(7 if is_once else 0), row, text)


def _sizes(tensor: TensorDesc | None) -> str:
    return "" if tensor is None else f"{tensor.data_type.name} {'x'.join(map(str, tensor.sizes))}"


def _parts(graph: Graph) -> tuple[dict[str, _Box], list[tuple[str, str]]]:
    """Boxes by name, rows by depth, and the pairs that edges connect."""
    shown = set(graph.order[:_MOST_BOXES])
    row: dict[int, int] = {}
    reads: dict[int, list[int]] = {}
    for edge in graph.intermediate_edges:
        reads.setdefault(edge.to_node_index, []).append(edge.from_node_index)
    for index in graph.order:
        row[index] = 1 + max((row[other] for other in reads.get(index, ())), default=0)
    boxes: dict[str, _Box] = {}
    pairs = []
    for into in sorted(graph.input_edges, key=lambda edge: edge.graph_input_index):
        node = graph.nodes[into.to_node_index]
        assert isinstance(node, OperatorNode)
        name = f"in {into.graph_input_index}"
        tensor = node.points("input")[into.to_node_input_index].tensor
        boxes.setdefault(name, _Box(graph.input_names[into.graph_input_index], _sizes(tensor), fill(1), 0))
        pairs.append((name, f"node {into.to_node_index}"))
    for index in graph.order:
        if index in shown:
            boxes[f"node {index}"] = _node_box(graph.nodes[index], row[index])
    pairs += [(f"node {e.from_node_index}", f"node {e.to_node_index}") for e in graph.intermediate_edges]
    last = max(row.values(), default=0) + 1
    for out in graph.output_edges:
        name = f"out {out.graph_output_index}"
        boxes[name] = _Box(graph.output_names[out.graph_output_index], "output", fill(3), last)
        pairs.append((f"node {out.from_node_index}", name))
    return boxes, pairs


def _node_box(node: OperatorNode | ConstantNode, row: int) -> _Box:
    if isinstance(node, ConstantNode):
        return _Box(node.name or "constant", f"{node.data.size} bytes", fill(7), row)
    tensor = next((point.tensor for point in node.points("output") if point.tensor is not None), None)
    detail = f"{node.name}: {_sizes(tensor)}" if node.name else _sizes(tensor)
    return _Box(node.operator.dml_type, detail, fill(0), row)


def _arrange(boxes: dict[str, _Box], left: float, least: float) -> tuple[float, float]:
    """Rows one below the other, each centred; where it all ends to the right, and where below."""
    rows: dict[int, list[_Box]] = {}
    for box in boxes.values():
        rows.setdefault(box.row, []).append(box)
    widths = {row: sum(b.width for b in found) + _COLUMN_GAP * (len(found) - 1) for row, found in rows.items()}
    total = max([*widths.values(), least])
    y = MARGIN + 34.0
    for row in sorted(rows):
        x = left + (total - widths[row]) / 2
        for box in rows[row]:
            box.x, box.y = x, y
            x += box.width + _COLUMN_GAP
        y += _BOX_HEIGHT + _ROW_GAP
    return left + total + MARGIN, y - _ROW_GAP + MARGIN


def _edge(source: _Box, target: _Box) -> str:
    x1, y1 = source.x + source.width / 2, source.y + _BOX_HEIGHT
    x2, y2 = target.x + target.width / 2, target.y
    bend = (y2 - y1) / 2
    return (
        f'<path class="edge" d="M {x1:.0f} {y1:.0f} C {x1:.0f} {y1 + bend:.0f}, {x2:.0f} {y2 - bend:.0f}, '
        f'{x2:.0f} {y2 - 5:.0f}"/>'
        f'<path class="tip" d="M {x2:.0f} {y2:.0f} l -4 -7 h 8 z"/>'
    )


def _document(description: str, panels: list[_Panel]) -> str:
    parts: list[str] = []
    width, height = 0.0, 0.0
    for panel in panels:
        drawn, width, bottom = panel.draw(width)
        parts += drawn
        height = max(height, bottom)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="anydml" role="img" width="{width:.0f}" '
            f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">',
            f"<title>{_escaped(panels[0].heading)}</title>",
            f"<desc>{_escaped(description[:2000])}</desc>",
            f"<style>{STYLE}{_EXTRA_STYLE}</style>",
            f'<rect class="card" x=".5" y=".5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="10"/>',
            *parts,
            "</svg>\n",
        ]
    )
