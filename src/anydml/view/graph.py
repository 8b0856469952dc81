"""Graphs and plans as pictures: operators or steps in rows, inputs and outputs named where there are several."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from xml.sax.saxutils import escape

from anydml.core.errors import counted
from anydml.core.schema import BindingPoint
from anydml.core.tensor import TensorDesc
from anydml.core.text import display_width, printable
from anydml.graph.graph import ConstantNode, Graph, InputEdge, OperatorNode
from anydml.graph.plan import Plan, SlotKind, reads, writes
from anydml.graph.stages import Stage, describe_stages
from anydml.view.layers import Edge, Place, Route, arrange
from anydml.view.palette import fill
from anydml.view.svg import MARGIN, STYLE

_LETTER, _SMALL_LETTER, _HEADING_LETTER, _PORT_GAP = 7.9, 6.1, 9.5, 14.0
_TITLE_HEIGHT, _LINE_HEIGHT, _PADDING = 17, 14, 6
_MOST_BOXES = 400
_ONCE = 7
"""The colour of what is known, or taken, before the first run."""
_OWNED = "OWNED_BY_DML"
_SIZES = re.compile(r"\[([^]]*)\]")
_EXTRA_STYLE = """
.anydml .edge { fill: none; stroke: #57606a; stroke-width: 1.5; }
.anydml .tip { fill: #57606a; }
.anydml .port { text-anchor: middle; }
.anydml .box { stroke: #57606a; stroke-width: 1; }
@media (prefers-color-scheme: dark) {
  .anydml .edge { stroke: #9da7b3; }
  .anydml .tip { fill: #9da7b3; }
}
"""


@dataclass
class _Box:
    """A node, a graph input or a graph output, with its ports by number. All texts are printable."""

    title: str
    details: Sequence[str]
    colour: str
    inputs: dict[int, str] = field(default_factory=dict)
    outputs: dict[int, str] = field(default_factory=dict)
    hint: str = ""
    """Shown where the pointer rests on it."""
    place: Place = field(default_factory=Place)

    def measure(self) -> None:
        """Find out how much room the texts take."""
        texts = max(
            _LETTER * display_width(self.title), *(_SMALL_LETTER * display_width(line) for line in self.details), 72
        )
        ports = max(sum(_port_widths(ports)) for ports in (self.inputs, self.outputs))
        self.place.width = 2 * ceil(max(texts + 24, ports) / 2)
        lines = len(self.details) + _is_named(self.inputs) + _is_named(self.outputs)
        self.place.height = _TITLE_HEIGHT + _LINE_HEIGHT * lines + 2 * _PADDING

    def input_offset(self, number: int) -> float:
        return _offset(self.inputs, number, self.place.width)

    def output_offset(self, number: int) -> float:
        """Where an edge leaves; a single output below the first input, so that chains of operators stand straight."""
        if len(self.outputs) == 1 and self.inputs:
            return self.input_offset(min(self.inputs))
        return _offset(self.outputs, number, self.place.width)

    def draw(self) -> str:
        place = self.place
        left = place.x - place.width / 2
        return (
            f"<g>{f'<title>{escape(self.hint)}</title>' if self.hint else ''}"
            f'<rect class="box" x="{left:.0f}" y="{place.y:.0f}" width="{place.width:.0f}" '
            f'height="{place.height:.0f}" rx="8" fill="{self.colour}"/>{"".join(self._texts())}</g>'
        )

    def _texts(self) -> Iterator[str]:
        place = self.place
        if _is_named(self.inputs):
            for number, name in self.inputs.items():
                yield _text("badge port", place.x + self.input_offset(number), place.y + 13, name)
        y = place.y + (place.height - _TITLE_HEIGHT - _LINE_HEIGHT * len(self.details)) / 2 + 13
        y += _LINE_HEIGHT / 2 * (_is_named(self.inputs) - _is_named(self.outputs))
        yield _text("label", place.x, y, self.title)
        for i, line in enumerate(self.details, 1):
            yield _text("badge middle", place.x, y + 2 + _LINE_HEIGHT * i, line)
        if _is_named(self.outputs):
            for number, name in self.outputs.items():
                yield _text("badge port", place.x + self.output_offset(number), place.y + place.height - 6, name)


def _is_named(ports: dict[int, str]) -> bool:
    """Whether names are shown: there are several ports, and they have names."""
    return len(ports) > 1 and any(ports.values())


def _port_widths(ports: dict[int, str]) -> list[float]:
    return [_SMALL_LETTER * len(name) + _PORT_GAP for name in ports.values()]


def _offset(ports: dict[int, str], number: int, width: float) -> float:
    """Where a port lies from the middle of its box: the ports share the width by the lengths of their names."""
    widths = _port_widths(ports)
    at = list(ports).index(number)
    return round((sum(widths[:at]) + widths[at] / 2) / sum(widths) * width - width / 2)


def _text(style: str, x: float, y: float, text: str) -> str:
    return f'<text class="{style}" x="{x:.0f}" y="{y:.0f}">{escape(text)}</text>'


@dataclass
class _Panel:
    """One picture of several beside one another. A connection is a box, its output, another box and its input."""

    heading: str
    boxes: dict[str, _Box] = field(default_factory=dict)
    connections: list[tuple[str, int, str, int]] = field(default_factory=list)

    def connect(self, source: str, output: int, target: str, into: int) -> None:
        """Note an edge, if both its boxes are shown."""
        if source in self.boxes and target in self.boxes:
            self.boxes[source].outputs.setdefault(output, "")
            self.boxes[target].inputs.setdefault(into, "")
            self.connections.append((source, output, target, into))

    def draw(self, left: float) -> tuple[list[str], float, float]:
        """The parts, where the picture ends to the right, and where below."""
        for box in self.boxes.values():
            box.measure()
        left += MARGIN
        places = [box.place for box in self.boxes.values()]
        found = arrange(places, [self._edge(*each) for each in self.connections], left, MARGIN + 34)
        heading = f'<text class="words heading" x="{left:.0f}" y="{MARGIN + 14}">{escape(self.heading)}</text>'
        parts = [heading, *map(_path, found.routes), *(box.draw() for box in self.boxes.values())]
        return parts, max(found.right, left + _HEADING_LETTER * len(self.heading)) + MARGIN, found.bottom + MARGIN

    def _edge(self, source: str, output: int, target: str, into: int) -> Edge:
        upper, lower = self.boxes[source], self.boxes[target]
        return Edge(upper.place, lower.place, upper.output_offset(output), lower.input_offset(into))


def to_svg(graph: Graph) -> str:
    """One SVG document; graphs of many hundred nodes are cut short, which the picture says."""
    return _document(graph.describe(), [_graph_panel(graph)])


def stages_to_svg(graph: Graph, stages: Sequence[Stage]) -> str:
    """The graph, and beside it the plan at every stage that changed something."""
    panels = [_plan_panel(stage) for stage in stages if stage.is_changed]
    return _document(describe_stages(graph, list(stages)), [_graph_panel(graph), *panels])


def _cut(heading: str, total: int) -> str:
    return f"{heading}; the first {_MOST_BOXES} are shown" if total > _MOST_BOXES else heading


# Graphs


def _graph_panel(graph: Graph) -> _Panel:
    total = len(graph.nodes)
    heading = (
        f"{counted(total, 'node')}, {counted(graph.input_count, 'input')}, {counted(graph.output_count, 'output')}"
    )
    panel = _Panel(_cut(heading, total))
    nodes = {index: _node_box(graph, index) for index in graph.order[:_MOST_BOXES]}
    for into in sorted(graph.input_edges, key=lambda edge: edge.graph_input_index):
        if into.to_node_index in nodes:
            panel.boxes.setdefault(f"in {into.graph_input_index}", _input_box(graph, into))
    panel.boxes |= {f"node {index}": box for index, box in nodes.items()}
    for out in graph.output_edges:
        name = printable(graph.output_names[out.graph_output_index])
        panel.boxes[f"out {out.graph_output_index}"] = _Box(name, ["output"], fill(3))
    for into in graph.input_edges:
        panel.connect(f"in {into.graph_input_index}", 0, f"node {into.to_node_index}", into.to_node_input_index)
    for e in graph.intermediate_edges:
        source, target = f"node {e.from_node_index}", f"node {e.to_node_index}"
        panel.connect(source, e.from_node_output_index, target, e.to_node_input_index)
    for out in graph.output_edges:
        panel.connect(f"node {out.from_node_index}", out.from_node_output_index, f"out {out.graph_output_index}", 0)
    return panel


def _input_box(graph: Graph, edge: InputEdge) -> _Box:
    node = graph.nodes[edge.to_node_index]
    assert isinstance(node, OperatorNode)
    tensor = node.points("input")[edge.to_node_input_index].tensor
    name = printable(graph.input_names[edge.graph_input_index])
    if tensor is not None and tensor.is_owned_by_dml:
        return _Box(name, [_sizes(tensor), _OWNED], fill(_ONCE))
    return _Box(name, [_sizes(tensor)], fill(1))


def _node_box(graph: Graph, index: int) -> _Box:
    node = graph.nodes[index]
    if isinstance(node, ConstantNode):
        return _Box(printable(graph.label_of(index)), [f"constant, {node.data.size} bytes"], fill(_ONCE))
    names = {role: _port_names(node.points(role)) for role in ("input", "output")}
    tensor = next((point.tensor for point in node.points("output") if point.tensor is not None), None)
    detail = f"{printable(node.name)}: {_sizes(tensor)}" if node.name else _sizes(tensor)
    return _Box(node.operator.dml_type, [detail], fill(0), names["input"], names["output"])


def _port_names(points: Sequence[BindingPoint]) -> dict[int, str]:
    """The operator's names of its tensors, without what they all end in: `filter`, `input[1]`."""
    return {
        number: re.sub("_tensors?", "", point.name) for number, point in enumerate(points) if point.tensor is not None
    }


def _sizes(tensor: TensorDesc | None) -> str:
    return "" if tensor is None else f"{tensor.data_type.name} {'x'.join(map(str, tensor.sizes))}"


# Plans


def _plan_panel(stage: Stage) -> _Panel:
    """Steps as boxes; an edge leads from the step that wrote a slot last to the one that reads it."""
    plan = stage.plan
    steps = [("once", n, step) for n, step in enumerate(plan.initialize)]
    steps += [("step", n, step) for n, step in enumerate(plan.steps)]
    panel = _Panel(_cut(f"{stage.name}: {counted(len(plan.steps), 'step')}", len(steps)))
    writer: dict[int, str] = {}
    for group, number, step in steps[:_MOST_BOXES]:
        key = f"{group} {number}"
        for slot in sorted(reads(step) - set(writer)):
            writer[slot] = f"slot {slot}"
            panel.boxes[writer[slot]] = _slot_box(plan, slot)
        panel.boxes[key] = _step_box(step.describe(plan.shown_name_of), group == "once")
        for slot in sorted(reads(step)):
            panel.connect(writer[slot], slot, key, slot)
        writer |= dict.fromkeys(writes(step), key)
    for slot in plan.of_kind(SlotKind.OUTPUT):
        panel.boxes[f"out {slot}"] = _Box(plan.shown_name_of(slot), ["output"], fill(3))
        panel.connect(writer.get(slot, ""), slot, f"out {slot}", slot)
    return panel


def _slot_box(plan: Plan, slot: int) -> _Box:
    kind = plan.slots[slot].kind
    is_once = kind in (SlotKind.OWNED, SlotKind.CONSTANT)
    details = [_OWNED if kind is SlotKind.OWNED else kind.value]
    return _Box(plan.shown_name_of(slot), details, fill(_ONCE if is_once else 1))


def _step_box(text: str, is_once: bool) -> _Box:
    """A box from a step's own words: `copy [2, 3] ...`, `program GEMM of ...`."""
    first, _, rest = text.partition(" ")
    title = rest.partition(" ")[0] if first == "program" else first
    sizes = _SIZES.search(text)
    detail = sizes[1].replace(", ", "x") if sizes else ""
    return _Box(f"{title} (once)" if is_once else title, [detail], fill(_ONCE if is_once else 0), hint=text)


# The document


def _path(route: Route) -> str:
    """Curves between rows, straight lines past the boxes of a row, and an arrow."""
    first = route[0]
    parts = [f"M {first.ends[0]:.0f} {first.upper.y + first.upper.height:.0f}"]
    for link in route:
        x1, x2 = link.ends
        y1, y2 = link.upper.y + link.upper.height, link.lower.y
        end = y2 if link.lower.is_bend else y2 - 5
        middle = (y1 + y2) / 2
        parts.append(f"C {x1:.0f} {middle:.0f}, {x2:.0f} {middle:.0f}, {x2:.0f} {end:.0f}")
        if link.lower.is_bend:
            parts.append(f"V {y2 + link.lower.height:.0f}")
    last = route[-1]
    tip = f'<path class="tip" d="M {last.ends[1]:.0f} {last.lower.y:.0f} l -4 -7 h 8 z"/>'
    return f'<path class="edge" d="{" ".join(parts)}"/>{tip}'


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
            f"<title>{escape(panels[0].heading)}</title>",
            f"<desc>{escape(description[:2000])}</desc>",
            f"<style>{STYLE}{_EXTRA_STYLE}</style>",
            f'<rect class="card" x=".5" y=".5" width="{width - 1:.0f}" height="{height - 1:.0f}" rx="10"/>',
            *parts,
            "</svg>\n",
        ]
    )
