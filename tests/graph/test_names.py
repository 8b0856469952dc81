"""Names of graphs may be any text: a description has the same lines with each, and every name stands for one thing."""

from __future__ import annotations

import pytest

import anydml as dml
from anydml.graph.stages import as_data, describe_stages, trace
from tests.core.checks import violations_of
from tests.fuzz.names import X, compare, make_graph

NAMES = ["a\x1b[2J", "b\n  9. GEMM()", "\ud800", "x\u202e\ufffe", "n\n</title>", "m\u2028\0"]
PLAIN = make_graph(list("pqrstu"))
RELU = dml.ActivationRelu(input_tensor=X)


def test_description__has_no_lines_but_its_own() -> None:
    graph = make_graph(NAMES)
    assert compare(graph.describe(), PLAIN.describe()) == ""
    stages, plain = trace(graph, dml.Passes()), trace(PLAIN, dml.Passes())
    assert compare(describe_stages(graph, stages), describe_stages(PLAIN, plain)) == ""
    assert compare(stages[-1].plan.describe(), plain[-1].plan.describe()) == ""


def test_constants__are_described_in_a_line() -> None:
    constant = dml.ConstantNode(bytes(16), "c\n1\x1b")
    graph = dml.Graph([constant, RELU], [], [(1, 0, 0)], [(0, 0, 1, 0)])
    assert graph.describe().splitlines()[1] == "  0. c\\n1\\x1b"
    assert "c\\n1\\x1b" in graph.to_svg()


def test_data__has_the_names_themselves() -> None:
    graph = make_graph(NAMES)
    told = as_data(graph, trace(graph, dml.Passes()))
    assert told["graph"]["inputs"] + told["graph"]["outputs"] == NAMES[:4]
    assert {slot["name"] for slot in told["stages"][0]["slots"]} >= set(NAMES[:4])
    assert dml.Graph.from_json(graph.to_json()) == graph


def test_error__tells_a_node_in_a_line() -> None:
    with pytest.raises(dml.InvalidDescriptionError) as raised:
        dml.Graph([dml.OperatorNode(RELU, "n\n  - evil\x1b[2J")], [], [(0, 0, 0)])
    assert "\n" not in str(raised.value) and "n\\n  - evil\\x1b[2J" in str(raised.value)
    assert raised.value.violations[0].path == "nodes[0] (n\n  - evil\x1b[2J).InputTensor", "programs read the name"


def test_name__of_an_input_and_an_output_is_refused() -> None:
    found = violations_of(lambda: make_graph(["x", "y", "z", "x", "", ""]))
    assert found == [("graph.names", "output_names[1]")]


def test_names__that_are_left_out_differ_from_those_that_are_given() -> None:
    graph = dml.Graph([RELU], [(0, 0, 0)], [(0, 0, 0)], output_names=["input0"])
    assert graph.input_names == ("input0_",)
    assert dml.Graph([RELU], [(0, 0, 0)], [(0, 0, 0)], input_names=["output0"]).output_names == ("output0_",)
    assert dml.Graph([RELU], [(0, 0, 0)], [(0, 0, 0)]).output_names == ("output0",)


@pytest.mark.parametrize("name", [5, None, b"x", ["x"]])
def test_node_name__is_a_text(name: object) -> None:
    for make in (lambda: dml.OperatorNode(RELU, name), lambda: dml.ConstantNode(bytes(16), name)):  # type: ignore[arg-type]
        assert violations_of(make) == [("graph.node", "name")]
