"""Pictures of graphs: every node, input and output is there, and names cannot break out of the markup."""

from __future__ import annotations

from xml.etree import ElementTree

import anydml as dml
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
