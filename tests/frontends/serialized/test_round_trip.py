"""What is written is read back, computes the same, and every operator and attribute survives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import anydml as dml
from anydml.core.schema import OPERATORS
from anydml.frontends.dxdispatch.executor import Executor, Options
from anydml.frontends.dxdispatch.parse import read_model
from anydml.frontends.dxdispatch.writing import write_model
from anydml.frontends.serialized import parse_graph, read_graph, serialize_graph, write_graph
from tests.cases.framework import numbers_of
from tests.frontends.serialized.graphs import drawn, operator_of, outputs_of, without_flags

GRAPHS = 40


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_operator__survives_both_forms(name: str) -> None:
    for number in list(numbers_of(name))[:8]:
        operator = operator_of(name, number)
        data, weights = serialize_graph(dml.Graph.of(operator))
        assert not weights
        graph = parse_graph(data)
        assert graph.nodes[0].operator == without_flags(operator)  # type: ignore[union-attr]
        assert type(operator).from_dict(operator.to_dict()) == operator


@pytest.mark.parametrize("seed", range(GRAPHS))
def test_graph__computes_the_same_from_either_file(seed: int, tmp_path: Path) -> None:
    graph, inputs = drawn(seed)
    expected = outputs_of(graph, inputs)
    again = read_graph(write_graph(graph, tmp_path / "graph.dml")[0])
    assert outputs_of(again, inputs) == expected
    files = write_model(graph, tmp_path / "graph.json", inputs)
    outcome = Executor(read_model(files[0]), dml.Device(), Options(), lambda text: None).run()
    compiled = dml.Device().compile_graph(graph)
    for port, values in zip(compiled.outputs, expected, strict=True):
        assert port.tensor is not None
        assert port.tensor.view(outcome.resources[f"output_{port.name}"]).tolist() == values


def test_constants__lie_in_the_file_or_beside_it(tmp_path: Path) -> None:
    graph, inputs = next((g, i) for g, i in map(drawn, range(100)) if any(not hasattr(n, "operator") for n in g.nodes))
    inline, nothing = serialize_graph(graph, largest_inline_bytes=None)
    assert not nothing and outputs_of(parse_graph(inline), inputs) == outputs_of(graph, inputs)
    written = write_graph(graph, tmp_path / "g.dml", largest_inline_bytes=0)
    assert len(written) > 1 and all(path.suffix == ".bin" for path in written[1:])
    with pytest.raises(dml.ModelError, match=r"serialized\.weights"):
        parse_graph(written[0].read_bytes())


def test_names__are_those_of_the_graph() -> None:
    tensor = dml.TensorDesc("FLOAT32", [4])
    relu = dml.OperatorNode(dml.ActivationRelu(input_tensor=tensor), "gate")
    graph = dml.Graph([relu], [(0, 0, 0)], [(0, 0, 0)], input_names=["x"], output_names=["y"])
    back = parse_graph(serialize_graph(graph)[0])
    assert (back.input_names, back.output_names, str(back.nodes[0])) == (("x",), ("y",), "gate")


def test_two_outputs_of_one_tensor__are_refused_with_a_way_out() -> None:
    tensor = dml.TensorDesc("FLOAT32", [4])
    graph = dml.Graph([dml.ActivationRelu(input_tensor=tensor)], [(0, 0, 0)], [(0, 0, 0), (0, 0, 1)])
    with pytest.raises(dml.ModelError, match=r"identity between \[serialized\.two-outputs\]"):
        serialize_graph(graph)


def test_model__refuses_inputs_that_do_not_fit(tmp_path: Path) -> None:
    tensor = dml.TensorDesc("FLOAT32", [4])
    graph = dml.Graph([dml.ActivationRelu(input_tensor=tensor)], [(0, 0, 0)], [(0, 0, 0)])
    with pytest.raises(dml.ModelError, match=r"2 arrays, expected 1.*\[export\.inputs\]"):
        write_model(graph, tmp_path / "m.json", [np.zeros(4), np.zeros(4)])
    with pytest.raises(dml.ModelError, match=r"8 bytes, expected 16.*\[export\.inputs\]"):
        write_model(graph, tmp_path / "m.json", {"input0": np.zeros(2, np.float32)})
    assert not list(tmp_path.iterdir())


def test_owned_inputs__are_bound_where_models_bind_them(tmp_path: Path) -> None:
    a, b = dml.TensorDesc("FLOAT32", [2, 2]), dml.TensorDesc("FLOAT32", [2, 2], flags="OWNED_BY_DML")
    graph = dml.Graph([dml.Gemm(a_tensor=a, b_tensor=b)], [(0, 0, 0), (1, 0, 1)], [(0, 0, 0)])
    x = np.arange(4, dtype=np.float32).reshape(2, 2)
    [path] = write_model(graph, tmp_path / "m.json", [x, x])
    outcome = Executor(read_model(path), dml.Device(), Options(), lambda text: None).run()
    assert outcome.resources["output_output0"].view(np.float32).tolist() == (x @ x).reshape(-1).tolist()
