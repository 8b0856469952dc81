"""Graphs are valid when they are made; whatever is wrong is told with its node and edge, all at once."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.core.fixes import Insert, Use
from anydml.graph.graph import ConstantNode, Graph, OperatorNode

X = dml.TensorDesc("FLOAT32", [4])
LONG = dml.TensorDesc("FLOAT32", [8])
OWNED = dml.TensorDesc("FLOAT32", [4], flags="OWNED_BY_DML")
RELU = dml.ActivationRelu(input_tensor=X)
ADD = dml.ElementWiseAdd(a_tensor=X, b_tensor=X)
POOL = dml.MaxPooling2(input_tensor=dml.TensorDesc("FLOAT32", [1, 1, 4, 4]), window_size=[2, 2])


def two(**changes: Any) -> Graph:
    """RELU, then the sum of its result and a second input."""
    fields: dict[str, Any] = {
        "nodes": [OperatorNode(RELU, "first"), OperatorNode(ADD, "sum")],
        "input_edges": [(0, 0, 0), (1, 1, 1)],
        "output_edges": [(1, 0, 0)],
        "intermediate_edges": [(0, 0, 1, 0)],
    }
    return Graph(**(fields | changes))


def rules_of(make: Callable[[], Any]) -> list[tuple[str, str]]:
    with pytest.raises(dml.InvalidDescriptionError) as raised:
        make()
    return [(violation.rule, violation.path) for violation in raised.value.violations]


def test_graph__runs_by_index_and_by_name() -> None:
    run = dml.Device().compile_graph(two(input_names=["x", "y"], output_names=["z"]))
    x, y = np.float32([-1, 2, -3, 4]), np.float32([10, 20, 30, 40])
    expected = [10, 22, 30, 44]
    assert run(x, y).tolist() == expected
    assert run(y=y, x=x).tolist() == expected
    out = np.zeros(4, "f4")
    assert run(x, y, out) is None and out.tolist() == expected
    assert run(x=x, y=y, z=out) is None
    table = dml.Device().create_binding_table(run)
    table.bind_inputs([x, y])
    table.bind_outputs([out := np.zeros(4, "f4")])
    table.dispatch()
    assert out.tolist() == expected


def test_operator__is_a_graph_of_one_node() -> None:
    single, graph = dml.Device().compile(ADD), Graph.of(ADD)
    assert single.graph == graph and single.operator == ADD
    assert type(dml.Device().compile_graph(graph)) is type(single)
    assert graph.input_names == ("a_tensor", "b_tensor") and graph.output_names == ("output_tensor",)


def test_several_outputs__come_as_a_named_tuple() -> None:
    graph = two(output_edges=[(1, 0, 0), (0, 0, 1), (1, 0, 2)], output_names=["total", "positive", "again"])
    result = dml.Device().compile_graph(graph)(np.float32([-1, 2, -3, 4]), np.ones(4, "f4"))
    assert result._fields == ("total", "positive", "again")
    assert result.total.tolist() == result.again.tolist() == [1, 3, 1, 5] and result.positive.tolist() == [0, 2, 0, 4]


def test_output_names__are_any_text() -> None:
    """Names that no attribute of Python can have stand for outputs all the same, none of which is lost."""
    names = ["a[0]", "a_0", "conv/1"]
    graph = two(output_edges=[(1, 0, 0), (0, 0, 1), (1, 0, 2)], output_names=names)
    total, positive, again = dml.Device().compile_graph(graph)(np.float32([-1, 2, -3, 4]), np.ones(4, "f4"))
    assert total.tolist() == again.tolist() == [1, 3, 1, 5] and positive.tolist() == [0, 2, 0, 4]


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_two_outputs_of_one_tensor__what_lies_between_elements_stays(device: str) -> None:
    padded = dml.ActivationRelu(
        input_tensor=dml.TensorDesc("FLOAT32", [2, 2]), output_tensor=dml.TensorDesc("FLOAT32", [2, 2], [3, 1])
    )
    run = dml.Device(device).compile_graph(Graph([padded], [(0, 0, 0)], [(0, 0, 0), (0, 0, 1)]))
    first, second = np.full(5, 7, "f4"), np.full(5, 9, "f4")
    run(np.float32([1, 2, 3, 4]), first, second)
    assert first.tolist() == [1, 2, 7, 3, 4] and second.tolist() == [1, 2, 9, 3, 4]


def test_one_input__feeds_several_nodes() -> None:
    graph = two(input_edges=[(0, 0, 0), (0, 1, 1)])
    assert dml.Device().compile_graph(graph)(np.float32([-1, 2, -3, 4])).tolist() == [-1, 4, -3, 8]


def test_owned_inputs__are_kept_by_initialization() -> None:
    scaled = dml.ElementWiseAdd(a_tensor=X, b_tensor=OWNED)
    run = dml.Device().compile_graph(two(nodes=[RELU, scaled]))
    weights = np.float32([1, 2, 3, 4])
    with pytest.raises(dml.BindingError, match=r"initialize\.first"):
        run(np.ones(4, "f4"))
    run.initialize(input1=weights)
    weights[:] = 0
    assert run(np.ones(4, "f4")).tolist() == [2, 3, 4, 5]
    assert pickle.loads(pickle.dumps(run))(np.ones(4, "f4")).tolist() == [2, 3, 4, 5]


@pytest.mark.parametrize("totals", [(16, 16), (32, 16), (16, 32)])
def test_owned_input__is_kept_as_far_as_any_node_reads_it(totals: tuple[int, int]) -> None:
    """The first node sees two elements of it, the second all four, whatever total sizes they claim."""
    nodes = [
        dml.ActivationRelu(
            input_tensor=dml.TensorDesc("FLOAT32", [n], flags="OWNED_BY_DML", total_tensor_size_in_bytes=total),
            output_tensor=dml.TensorDesc("FLOAT32", [n]),
        )
        for n, total in zip((2, 4), totals, strict=True)
    ]
    run = dml.Device().compile_graph(Graph(nodes, [(0, 0, 0), (0, 1, 0)], [(0, 0, 0), (1, 0, 1)]))
    run.initialize(np.arange(1, 9, dtype="f4"))
    assert [each.tolist() for each in run()] == [[1, 2], [1, 2, 3, 4]]


def test_constant__is_read_where_it_lies() -> None:
    data = np.float32([1, 2, 3, 4])
    graph = Graph([ConstantNode(data, "ones"), ADD], [(0, 1, 0)], [(1, 0, 0)], [(0, 0, 1, 1)])
    assert dml.Device().compile_graph(graph)(data).tolist() == [2, 4, 6, 8]
    assert graph.nodes[0].data.ctypes.data == data.ctypes.data  # type: ignore[union-attr]


def test_constant__of_a_transposed_array_is_refused() -> None:
    """Its memory holds the elements in another order than the array does."""
    array = np.arange(6, dtype="f4").reshape(2, 3)
    for make in (ConstantNode, dml.Device().upload):
        with pytest.raises(dml.BindingError, match=r"buffer\.contiguous"):
            make(array.T)
    assert bytes(ConstantNode(np.ascontiguousarray(array.T)).data) == array.T.tobytes()


BAD: list[tuple[str, str, dict[str, Any]]] = [
    ("graph.node", "nodes[1]", {"nodes": [RELU, "sum"]}),
    ("graph.node", "nodes[1]", {"nodes": [RELU, dml.ActivationRelu]}),
    ("graph.node", "nodes", {"nodes": RELU}),
    ("graph.edge", "input_edges", {"input_edges": None}),
    ("graph.edge", "input_edges[0]", {"input_edges": [(0, 0), (1, 1, 1)]}),
    ("integer", "input_edges[0].graph_input_index", {"input_edges": [("a", 0, 0), (1, 1, 1)]}),
    ("graph.count", "nodes", {"nodes": [], "input_edges": [], "output_edges": [], "intermediate_edges": []}),
    ("graph.count", "input_count", {"input_count": -1}),
    ("graph.names", "input_names", {"input_names": ["x"]}),
    ("graph.names", "input_names", {"input_names": ["x", "x"]}),
    ("graph.names", "input_names", {"input_names": "xy"}),
    ("graph.names", "input_names[1]", {"input_names": ["x", ""]}),
    ("graph.index", "intermediate_edges[0].from_node_index", {"intermediate_edges": [(7, 0, 1, 0)]}),
    ("graph.index", "intermediate_edges[0].to_node_index", {"intermediate_edges": [(0, 0, -1, 0)]}),
    ("graph.index", "intermediate_edges[0].from_node_output_index", {"intermediate_edges": [(0, 1, 1, 0)]}),
    ("graph.index", "input_edges[1].to_node_input_index", {"input_edges": [(0, 0, 0), (1, 1, 2)]}),
    ("graph.index", "input_edges[1].graph_input_index", {"input_edges": [(0, 0, 0), (1, 1, 1)], "input_count": 1}),
    ("graph.index", "output_edges[0].graph_output_index", {"output_count": 0}),
    (
        "graph.absent-tensor",
        "output_edges[1]",
        {"nodes": [POOL], "input_edges": [(0, 0, 0)], "intermediate_edges": [], "output_edges": [(0, 0, 0), (0, 1, 1)]},
    ),
    ("graph.one-producer", "intermediate_edges[0]", {"intermediate_edges": [(0, 0, 1, 1)]}),
    ("graph.one-producer", "output_edges[1]", {"output_edges": [(1, 0, 0), (0, 0, 0)]}),
    ("graph.unconnected", "nodes[1] (sum).ATensor", {"intermediate_edges": []}),
    ("graph.unconnected", "nodes[0] (first).OutputTensor", {"intermediate_edges": []}),
    ("graph.output", "output 1 (output1)", {"output_count": 2}),
    ("graph.count", "output_count", {"output_count": 1 << 31}),
    (
        "graph.cycle",
        "intermediate_edges",
        {"input_edges": [(1, 1, 1)], "intermediate_edges": [(0, 0, 1, 0), (1, 0, 0, 0)]},
    ),
    (
        "graph.cycle",
        "intermediate_edges",
        {"input_edges": [(1, 1, 1)], "nodes": [RELU, ADD], "intermediate_edges": [(0, 0, 0, 0), (0, 0, 1, 0)]},
    ),
    (
        "graph.bytes",
        "nodes[0] (first).InputTensor.Sizes",
        {
            "nodes": [OperatorNode(dml.ActivationRelu(input_tensor=LONG), "first"), ADD],
            "input_edges": [(0, 1, 0), (1, 1, 1)],
            "output_edges": [(0, 0, 0)],
            "intermediate_edges": [(1, 0, 0, 0)],
        },
    ),
    (
        "graph.owned",
        "nodes[1] (sum).ATensor.Flags",
        {"nodes": [RELU, OperatorNode(dml.ElementWiseAdd(a_tensor=OWNED, b_tensor=X), "sum")]},
    ),
    (
        "graph.owned",
        "nodes[1] (sum).BTensor.Flags",
        {
            "nodes": [RELU, OperatorNode(dml.ElementWiseAdd(a_tensor=X, b_tensor=OWNED), "sum")],
            "input_edges": [(0, 0, 0), (0, 1, 1)],
        },
    ),
    (
        "graph.constant-size",
        "nodes[1] (sum).ATensor",
        {"nodes": [ConstantNode(bytes(12)), OperatorNode(ADD, "sum")], "input_edges": [(0, 1, 1)]},
    ),
    (
        "graph.index",
        "intermediate_edges[0]",
        {"nodes": [ConstantNode(bytes(16)), ADD], "input_edges": [(0, 1, 1)], "intermediate_edges": [(0, 1, 1, 0)]},
    ),
    ("graph.index", "input_edges[0]", {"nodes": [ConstantNode(bytes(16)), ADD]}),
    (
        "graph.output",
        "output_edges[1]",
        {"nodes": [ConstantNode(bytes(16)), ADD], "input_edges": [(0, 1, 1)], "output_edges": [(1, 0, 0), (0, 0, 1)]},
    ),
]


@pytest.mark.parametrize(("rule", "path", "changes"), BAD, ids=lambda each: str(each)[:60])
def test_bad_graph__is_refused_with_node_and_edge(rule: str, path: str, changes: dict[str, Any]) -> None:
    assert (rule, path) in rules_of(lambda: two(**changes))


@pytest.mark.parametrize(
    ("tensor", "fixes"),
    [
        (dml.TensorDesc("FLOAT32", [8]), {"Sizes": [4]}),
        (dml.TensorDesc("FLOAT16", [4]), {"DataType": "FLOAT32"}),
        (dml.TensorDesc("FLOAT16", [6]), {"DataType": "FLOAT32", "Sizes": [4]}),
        (dml.TensorDesc("FLOAT32", [4], [2]), {"Strides": [1]}),
        (dml.TensorDesc("FLOAT32", [4], total_tensor_size_in_bytes=32), {"TotalTensorSizeInBytes": 16}),
    ],
    ids=str,
)
def test_bytes__the_field_that_differs_is_told_and_obeying_works(tensor: dml.TensorDesc, fixes: dict[str, Any]) -> None:
    def chain(second: dml.TensorDesc) -> Graph:
        nodes = [OperatorNode(RELU, "first"), OperatorNode(dml.ActivationRelu(input_tensor=second), "second")]
        return Graph(nodes, [(0, 0, 0)], [(1, 0, 0)], [(0, 0, 1, 0)])

    with pytest.raises(dml.InvalidDescriptionError) as raised:
        chain(tensor)
    place = "nodes[1] (second).InputTensor."
    assert {each.path: each.fix for each in raised.value.violations} == {place + k: Use(v) for k, v in fixes.items()}
    total = tensor.total_tensor_size_in_bytes
    assert all(f"({total} bytes in all)" in each.found for each in raised.value.violations)
    assert all("(16 bytes in all) as nodes[0] (first).OutputTensor" in e.expected for e in raised.value.violations)
    described = {"DataType": tensor.data_type, "Sizes": tensor.sizes, "Strides": tensor.strides}
    described |= {"TotalTensorSizeInBytes": total} if tensor.strides is None and total == 32 else {}
    given = described | fixes
    dml.Device().compile_graph(chain(dml.TensorDesc(**{k: v for k, v in given.items() if v is not None})))


def test_unconnected__the_edges_that_are_suggested_connect() -> None:
    with pytest.raises(dml.InvalidDescriptionError) as raised:
        two(input_edges=[(0, 0, 0)], intermediate_edges=[])
    edges = [each.fix.value for each in raised.value.violations if isinstance(each.fix, Insert)]
    assert edges == [dml.OutputEdge(0, 0, 1), dml.InputEdge(1, 1, 0), dml.InputEdge(2, 1, 1)]
    assert str(raised.value.violations[0].fix).startswith("adding OutputEdge(from_node_index=0")
    inputs = [edge for edge in edges if isinstance(edge, dml.InputEdge)]
    two(input_edges=[(0, 0, 0), *inputs], output_edges=[(1, 0, 0), edges[0]], intermediate_edges=[])


def test_cycle__an_edge_of_it_is_told() -> None:
    nodes = [OperatorNode(RELU, name) for name in "abcd"]
    edges = [(0, 0, 1, 0), (1, 0, 2, 0), (2, 0, 0, 0), (2, 0, 3, 0)]
    with pytest.raises(dml.InvalidDescriptionError) as raised:
        Graph(nodes, [], [(3, 0, 0)], edges)
    [violation] = raised.value.violations
    assert violation.path == "intermediate_edges" and "nodes[0] (a), nodes[1] (b), nodes[2] (c)" in violation.found
    assert str(violation.fix) == "a graph input in place of intermediate_edges[2]", "the one that leads back"
    Graph(nodes, [(0, 0, 0)], [(3, 0, 0)], [edge for edge in edges if edge != (2, 0, 0, 0)])


def test_everything__is_told_at_once() -> None:
    found = rules_of(lambda: two(input_edges=[(0, 9, 0), (1, 1, 1)], intermediate_edges=[(0, 0, 1, 1)]))
    assert {rule for rule, _ in found} == {"graph.index", "graph.one-producer", "graph.unconnected"}


def test_levels__are_asked_when_a_graph_is_compiled() -> None:
    with pytest.raises(dml.UnsupportedError) as raised:
        dml.Device(feature_level="2.0").compile_graph(two())
    paths = {violation.path for violation in raised.value.violations}
    assert "nodes[0] (first).InputTensor.Sizes" in paths and "" in paths
    constant = Graph([ConstantNode(bytes(16)), ADD], [(0, 1, 0)], [(1, 0, 0)], [(0, 0, 1, 1)])
    with pytest.raises(dml.UnsupportedError, match=r"graph\.level"):
        dml.Device(feature_level="6.1").compile_graph(constant)


def test_wrong_kinds__are_refused() -> None:
    with pytest.raises(dml.InvalidDescriptionError, match=r"graph\.kind"):
        dml.Device().compile_graph(ADD)  # type: ignore[arg-type]
    with pytest.raises(dml.InvalidDescriptionError, match=r"device\.mixed"):
        dml.Device().create_binding_table(dml.Device("reference").compile_graph(two()))


def test_bindings__of_graphs_are_checked() -> None:
    run = dml.Device().compile_graph(two())
    for buffers, rule in (
        ([np.ones(4, "f4")], "binding.missing"),
        ([np.ones(4, "f4")] * 4, "binding.count"),
        ([np.ones(4, "f4"), np.ones(3, "f4")], "binding.size"),
        ([np.ones(4, "f4"), np.ones(4, "f8")], "buffer.data-type"),
    ):
        with pytest.raises(dml.BindingError, match=rule.replace(".", r"\.")):
            run(*buffers)
    x = np.ones(4, "f4")
    with pytest.raises(dml.BindingError, match=r"binding\.overlap"):
        run(x, np.ones(4, "f4"), x)
    with pytest.raises(dml.BindingError, match=r"binding\.twice"):
        run(x, input0=x)


def test_many_nodes__are_handled_in_time() -> None:
    """A long chain: nothing is quadratic."""
    count = 3000
    edges = [(i, 0, i + 1, 0) for i in range(count - 1)]
    graph = Graph([dml.ActivationRelu(input_tensor=X)] * count, [(0, 0, 0)], [(count - 1, 0, 0)], edges)
    assert dml.Device().compile_graph(graph)(np.float32([-1, 2, -3, 4])).tolist() == [0, 2, 0, 4]


def test_description__names_nodes_and_ends() -> None:
    text = two(input_names=["x", "y"], output_names=["z"]).describe()
    assert "x, y -> z" in text and "ACTIVATION_RELU 'first'(x)" in text and "ELEMENT_WISE_ADD 'sum'(node 0, y)" in text
