"""Models as graphs: the graph gives what the commands give, or it is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import anydml as dml
from anydml.frontends.dxdispatch.executor import Executor, Options
from anydml.frontends.dxdispatch.graph import model_graph
from anydml.frontends.dxdispatch.model import Model
from anydml.frontends.dxdispatch.parse import parse_model, read_model
from anydml.graph.graph import OperatorNode

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.json"))
RESOURCE = {"initialValuesDataType": "FLOAT32", "initialValues": [-1, 2, -3, 4]}


def tensor(count: int, **more: Any) -> dict[str, Any]:
    return {"DataType": "FLOAT32", "Sizes": [count], **more}


def unary(kind: str, count: int = 4) -> dict[str, Any]:
    return {"type": kind, "desc": {"InputTensor": tensor(count), "OutputTensor": tensor(count)}}


def model_of(resources: str, dispatchables: dict[str, Any], *commands: tuple[str, str, str] | str) -> Model:
    """A model of unary operators: a command is (dispatchable, input, output), or the resource to print."""
    told = [
        {"type": "print", "resource": command}
        if isinstance(command, str)
        else {
            "type": "dispatch",
            "dispatchable": command[0],
            "bindings": {"InputTensor": command[1], "OutputTensor": command[2]},
        }
        for command in commands
    ]
    model = {"resources": dict.fromkeys(resources.split(), RESOURCE), "dispatchables": dispatchables, "commands": told}
    return parse_model(json.dumps(model))


OPERATORS = {
    "relu": unary("ACTIVATION_RELU"),
    "negate": unary("ELEMENT_WISE_NEGATE"),
    "half": unary("ACTIVATION_RELU", 2),
}


def resource_of(name: str) -> str:
    """The resource that a graph input or output is called after."""
    return name.partition(" (")[0].partition(" from byte ")[0]


def offset_of(name: str) -> int:
    return int(name.partition(" from byte ")[2].partition(" (")[0] or 0)


def results(model: Model, device: str = "reference") -> dict[str, bytes]:
    """What the graph gives for the model's initial values, by the name of the output."""
    graph = model_graph(model)
    run = dml.Device(device).compile_graph(graph)
    buffers: dict[str, Any] = {}
    for name in graph.input_names:
        buffers[name] = initial_bytes(model, resource_of(name))[offset_of(name) :]
    owned = [port.name for port in run.inputs if port.is_owned]
    if owned:
        run.initialize(**{name: buffers.pop(name) for name in owned})
    outputs = {port.name: np.zeros(port.total, np.uint8) for port in run.outputs}
    run(**buffers, **outputs)
    return {name: memory.tobytes() for name, memory in outputs.items()}


def initial_bytes(model: Model, name: str) -> np.ndarray:
    """A resource before the first command."""
    only = Model(model.name, {name: model.resources[name]}, {}, ())
    return Executor(only, dml.Device("reference"), Options(), lambda text: None).run().resources[name]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples__give_what_the_commands_give(path: Path, tmp_path: Path) -> None:
    model = read_model(path)
    outcome = Executor(model, dml.Device("reference"), Options(output_folder=tmp_path), lambda text: None).run()
    found = results(model)
    assert found
    for name, memory in found.items():
        assert name in outcome.resources, "these examples write each resource once"
        assert outcome.resources[name].tobytes()[: len(memory)] == memory


def test_chain__is_connected_and_its_middle_is_hidden() -> None:
    graph = model_graph(model_of("a b c", OPERATORS, ("relu", "a", "b"), ("negate", "b", "c")))
    assert (graph.input_names, graph.output_names) == (("a",), ("c",))
    assert [(edge.from_node_index, edge.to_node_index) for edge in graph.intermediate_edges] == [(0, 1)]
    assert [node.name for node in graph.nodes if isinstance(node, OperatorNode)] == ["relu", "negate"]


def test_printed_results__are_outputs() -> None:
    graph = model_graph(model_of("a b c", OPERATORS, ("relu", "a", "b"), "b", ("negate", "b", "c")))
    assert graph.output_names == ("b", "c")


def test_results__overwritten_later_are_numbered() -> None:
    """A resource that is written twice is two tensors of the graph."""
    model = model_of("a b", OPERATORS, ("relu", "a", "b"), "b", ("negate", "a", "b"), "b")
    assert model_graph(model).output_names == ("b", "b (2)")
    found = {name: np.frombuffer(memory, np.float32).tolist() for name, memory in results(model).items()}
    assert found == {"b": [0, 2, 0, 4], "b (2)": [1, -2, 3, -4]}


def test_readers__take_what_was_written_last() -> None:
    model = model_of("a b c", OPERATORS, ("relu", "a", "b"), ("negate", "a", "b"), ("relu", "b", "c"))
    assert np.frombuffer(results(model)["c"], np.float32).tolist() == [1, 0, 3, 0]


def test_inputs__are_read_before_they_are_written_over() -> None:
    model = model_of("a", OPERATORS, ("negate", "a", "a"), ("relu", "a", "a"))
    found = np.frombuffer(results(model)["a (2)"], np.float32).tolist()
    assert found == [1, 0, 3, 0]


def test_parts__of_results_are_refused() -> None:
    model = model_of("a b", OPERATORS, ("half", "a", "b"), ("relu", "b", "a"))
    with pytest.raises(dml.ModelError) as caught:
        model_graph(model)
    (violation,) = caught.value.violations
    assert violation.rule == "model-graph.range" and violation.path == "commands[1].bindings.InputTensor"
    assert "bytes 0 to 15 of 'b', of which dispatches wrote bytes 0 to 7" in violation.found


def test_nothing_dispatched__is_refused() -> None:
    with pytest.raises(dml.ModelError, match="no dispatch"):
        model_graph(model_of("a", OPERATORS))
