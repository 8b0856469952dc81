"""Pictures of graphs: everything is there and named, edges keep clear of boxes, names cannot leave the markup."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np

import anydml as dml
import anydml.expression as dmlx
from anydml.graph.graph import Graph, OperatorNode

X = dml.TensorDesc("FLOAT32", [2, 3])


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_picture__has_every_box_and_edge() -> None:
    graph = Graph(
        [
            dml.ConstantNode(bytes(24), "w"),
            OperatorNode(dml.ElementWiseAdd(a_tensor=X, b_tensor=X), "sum"),
            dml.ActivationRelu(input_tensor=X),
        ],
        [(0, 1, 0)],
        [(2, 0, 0)],
        [(0, 0, 1, 1), (1, 0, 2, 0)],
        input_names=["x"],
        output_names=["y"],
    )
    svg = graph.to_svg()
    found = texts(svg)
    for text in ("x", "y", "w", "ELEMENT_WISE_ADD", "ACTIVATION_RELU", "FLOAT32 2x3", "sum: FLOAT32 2x3"):
        assert text in found
    assert svg.count('class="edge"') == 4
    assert graph._repr_html_() == svg


def test_names__are_escaped() -> None:
    graph = Graph([OperatorNode(dml.ActivationRelu(input_tensor=X), "<b>&")], [(0, 0, 0)], [(0, 0, 0)])
    assert "<b>&: FLOAT32 2x3" in texts(graph.to_svg())


def test_large_graphs__are_cut_short_and_say_so() -> None:
    count = 500
    edges = [(i, 0, i + 1, 0) for i in range(count - 1)]
    graph = Graph([dml.ActivationRelu(input_tensor=X)] * count, [(0, 0, 0)], [(count - 1, 0, 0)], edges)
    assert any("the first 400 are shown" in text for text in texts(graph.to_svg()))


# Edges and boxes


def network() -> Graph:
    """Two convolutions with weights of their own, a skip connection, and a constant."""
    graph = dmlx.Graph()
    owned = [dml.TensorDesc("FLOAT32", sizes, flags="OWNED_BY_DML") for sizes in ([4, 4, 3, 3], [1, 4, 1, 1])]
    x = dmlx.input_tensor(graph, 0, dml.TensorDesc("FLOAT32", [1, 4, 8, 8]), name="x")
    result = x
    for i in (1, 2):
        weights = [dmlx.input_tensor(graph, 2 * i - 1 + n, owned[n], name=f"{'wb'[n]}{i}") for n in range(2)]
        padding = {"start_padding": [1, 1], "end_padding": [1, 1]}
        result = dmlx.activation_relu(dmlx.convolution(result, *weights, **padding))
    return graph.describe([result + x + dmlx.constant(graph, np.ones((1, 4, 8, 8), np.float32))])


def shapes(svg: str, tag: str, kind: str) -> list[dict[str, str]]:
    found = ElementTree.fromstring(svg).iter(f"{{http://www.w3.org/2000/svg}}{tag}")
    return [each.attrib for each in found if each.attrib.get("class") == kind]


def points_of(path: str) -> list[tuple[float, float]]:
    """Points along the curves (C) and vertical lines (V) of a path."""
    found: list[tuple[float, float]] = []
    for command, text in re.findall(r"([MCV])([^MCV]*)", path):
        numbers = [float(each) for each in re.findall(r"-?[\d.]+", text)]
        if command == "M":
            found.append((numbers[0], numbers[1]))
            continue
        begin = found[-1]
        ends = numbers if command == "C" else [begin[0], begin[1], begin[0], numbers[0], begin[0], numbers[0]]
        corners = [begin, *zip(ends[::2], ends[1::2], strict=True)]
        for t in np.linspace(0, 1, 33)[1:]:
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            x, y = (sum(w * corner[axis] for w, corner in zip(weights, corners, strict=True)) for axis in (0, 1))
            found.append((float(x), float(y)))
    return found


def hidden_points(svg: str) -> int:
    """How many points of edges lie behind a box."""
    boxes = [[float(box[key]) for key in ("x", "y", "width", "height")] for box in shapes(svg, "rect", "box")]
    points = [point for edge in shapes(svg, "path", "edge") for point in points_of(edge["d"])]
    return sum(
        left < x < left + width and top < y < top + height for x, y in points for left, top, width, height in boxes
    )


def test_edges__run_behind_no_box_and_end_apart() -> None:
    svg = network().to_svg()
    assert hidden_points(svg) == 0
    tips = [tip["d"] for tip in shapes(svg, "path", "tip")]
    assert len(tips) == len(set(tips)) == 2 + 4 + 5 + 1 + 1  # x, weights, results, the constant, the output


def test_hidden_points__are_found() -> None:
    svg = network().to_svg()
    box = shapes(svg, "rect", "box")[0]
    x, y = int(box["x"]) + 9, int(box["y"]) + 9
    assert hidden_points(svg.replace("</svg>", f'<path class="edge" d="M {x} {y} V {y + 5}"/></svg>')) > 0


def test_inputs__are_named_and_owned_ones_marked() -> None:
    graph = network()
    assert graph.input_names == ("x", "w1", "b1", "w2", "b2")
    found = texts(graph.to_svg())
    for name in ("x", "w1", "b2", "input", "filter", "bias", "a", "b"):
        assert name in found
    assert found.count("OWNED_BY_DML") == 4 and found.count("filter") == 2


def test_shared_results__lead_around_every_box() -> None:
    count = 60
    nodes = [dml.ActivationRelu(input_tensor=X) for _ in range(count)]
    chain = [(i, 0, i + 1, 0) for i in range(count - 1)]
    joined = [(i, 0, count, i) for i in range(count)]
    graph = Graph([*nodes, dml.Join(input_tensors=[X] * count, axis=0)], [(0, 0, 0)], [(count, 0, 0)], chain + joined)
    svg = graph.to_svg()
    assert len(shapes(svg, "path", "edge")) == 2 * count + 1
    assert hidden_points(svg) == 0
