"""Sound calls of graphs, slices, pictures and errors."""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np

import anydml as dml
from anydml import slicing
from anydml.frontends import serialized
from anydml.frontends.dxdispatch.writing import write_model
from tests.fuzz.sound.shared import LAYOUT, RELU, SLICE, TENSOR, VIOLATION, WINDOW, Sound, call, folder, numbers

GRAPHS: Sound = {
    "dml.Graph": lambda: call(
        dml.Graph,
        nodes=[RELU, dml.OperatorNode(RELU, "b")],
        input_edges=[(0, 0, 0)],
        output_edges=[dml.OutputEdge(1, 0, 0)],
        intermediate_edges=[dml.IntermediateEdge(0, 0, 1, 0)],
        input_count=1,
        output_count=1,
        input_names=["x"],
        output_names=["y"],
    ),
    "dml.Graph.of": lambda: call(dml.Graph.of, operator=RELU),
    "dml.Graph.from_dict": lambda: call(dml.Graph.from_dict, value=dml.Graph.of(SLICE).to_dict()),
    "dml.Graph.from_json": lambda: call(dml.Graph.from_json, text=dml.Graph.of(SLICE).to_json()),
    "dml.OperatorNode": lambda: call(dml.OperatorNode, operator=RELU, name="a"),
    "dml.OperatorNode.points": lambda: call(dml.OperatorNode(RELU).points, role="input"),
    "dml.ConstantNode": lambda: call(dml.ConstantNode, data=numbers(2, 3), name="weights"),
    "dml.InputEdge": lambda: call(
        lambda **given: _connected(dml.InputEdge(**given)),
        graph_input_index=0,
        to_node_index=0,
        to_node_input_index=0,
    ),
    "dml.OutputEdge": lambda: call(
        lambda **given: _connected(dml.OutputEdge(**given)),
        from_node_index=0,
        from_node_output_index=0,
        graph_output_index=0,
    ),
    "dml.IntermediateEdge": lambda: call(
        lambda **given: dml.Graph([RELU, RELU], [(0, 0, 0)], [(1, 0, 0)], [dml.IntermediateEdge(**given)]),
        from_node_index=0,
        from_node_output_index=0,
        to_node_index=1,
        to_node_input_index=0,
    ),
    "dml.Passes": lambda: call(
        lambda **given: dml.Device().compile(RELU, 0, dml.Passes(**given)), disabled=frozenset({"fuse"})
    ),
    "dml.Passes.only": lambda: call(dml.Passes.only, "fuse", "place"),
    "dml.Passes.without": lambda: call(dml.Passes.without, "fuse", "place"),
    "dml.CompiledOperator.__call__ of a graph": lambda: call(
        dml.Device().compile_graph(dml.Graph.of(RELU)), input_tensor=bytearray(24), output_tensor=bytearray(24)
    ),
    "frontends.parse_graph": lambda: call(
        serialized.parse_graph, data=serialized.serialize_graph(dml.Graph.of(RELU))[0]
    ),
    "frontends.read_graph": lambda: call(serialized.read_graph, path=folder() / "graph.dml"),
    "frontends.serialize_graph": lambda: call(serialized.serialize_graph, graph=dml.Graph.of(RELU)),
    "frontends.write_graph": lambda: call(
        serialized.write_graph, graph=dml.Graph.of(RELU), path=folder() / "written.dml"
    ),
    "frontends.write_model": lambda: call(
        write_model, graph=dml.Graph.of(RELU), path=folder() / "written.json", inputs=[numbers(2, 3)]
    ),
}


def _connected(edge: Any) -> None:
    is_input = isinstance(edge, dml.InputEdge)
    dml.Graph([RELU], [edge] if is_input else [(0, 0, 0)], [(0, 0, 0)] if is_input else [edge])


SLICES: Sound = {
    "dml.slice1": lambda: call(
        dml.slice1, array=numbers(4, 4), offsets=[0, 1], sizes=[4, 3], strides=[-2, 2], output_sizes=[2, 2]
    ),
    "slicing.slice1": lambda: call(slicing.slice1, numbers(4), [0], [4], [-2]),
    "slicing.Selection": lambda: call(
        slicing.Selection, input_sizes=(4, 4), ranges=[range(3, 0, -2), range(4)], output_axes=[0, None, 1]
    ),
    "slicing.Selection.from_numpy": lambda: call(
        slicing.Selection.from_numpy, index=(slice(3, None, -2), None, 0), input_sizes=(4, 4)
    ),
    "slicing.Selection.from_onnx": lambda: call(
        slicing.Selection.from_onnx, starts=[-1], ends=[-(2**63)], axes=[1], steps=[-2], input_sizes=(4, 4)
    ),
    "slicing.Selection.from_tensorflow": lambda: call(
        slicing.Selection.from_tensorflow,
        begin=[3, 0],
        end=[0, 1],
        strides=[-2, 1],
        begin_mask=0,
        end_mask=1,
        ellipsis_mask=0,
        new_axis_mask=0,
        shrink_axis_mask=2,
        input_sizes=(4, 4),
    ),
    "slicing.Selection.from_webnn": lambda: call(
        slicing.Selection.from_webnn, starts=[0, 1], sizes=[4, 3], strides=[2, 2], input_sizes=(4, 4)
    ),
    "slicing.Selection.from_dml_slice": lambda: call(
        slicing.Selection.from_dml_slice, offsets=[0, 1], sizes=[2, 2], strides=[2, 2], input_sizes=(4, 4)
    ),
    "slicing.Selection.from_slice1": lambda: call(
        slicing.Selection.from_slice1,
        input_window_offsets=[0, 1],
        input_window_sizes=[4, 3],
        input_window_strides=[-2, 2],
        output_sizes=[2, 2],
        input_sizes=(4, 4),
    ),
    "slicing.Selection.to_operator": lambda: call(slicing.Selection((4,), [range(4)]).to_operator, data_type="FLOAT32"),
    "slicing.DmlSlice": lambda: call(slicing.DmlSlice, (0,), (1,), (1,)),
    "slicing.DmlSlice1": lambda: call(slicing.DmlSlice1, (0,), (1,), (1,), (1,)),
    "slicing.OnnxSlice": lambda: call(slicing.OnnxSlice, (0,), (1,), (0,), (1,)),
    "slicing.WebnnSlice": lambda: call(slicing.WebnnSlice, (0,), (1,), (1,)),
    "slicing.TensorFlowSlice": lambda: call(slicing.TensorFlowSlice, (0,), (1,), (1,)),
}


@wraps(dml.explain)
def _explained(*given: Any, **named: Any) -> str:
    """What is explained is read when it is told."""
    return dml.explain(*given, **named).to_text()


PICTURES: Sound = {
    "dml.explain": lambda: call(
        _explained,
        TENSOR,
        index=[(0, 1), (1, 0)],
        values=np.arange(6),
        window=WINDOW,
        order="HW",
    ),
    "dml.explain of one index": lambda: call(_explained, value=LAYOUT, index=(0, 1)),
    "dml.Explanation": lambda: call(lambda subject: dml.Explanation(subject).to_text(), subject=_subject()),
    "dml.Explanation.to_text": lambda: call(dml.explain(LAYOUT).to_text, width=60),
    "dml.Explanation.save": lambda: call(dml.explain(LAYOUT).save, path=folder() / "layout.svg"),
    "dml.Window": lambda: call(
        lambda **given: dml.explain(TENSOR, window=dml.Window(**given)).to_text(),
        offsets=(0, 1),
        sizes=(2, 2),
        strides=(1, -1),
        output_sizes=(2, 2),
    ),
    "dml.Window.of": lambda: call(
        dml.Window.of, whole=(2, 3), offsets=(0, 1), sizes=(2, 2), strides=(1, -1), output_sizes=(2, 2)
    ),
    "dml.Window.contains": lambda: call(WINDOW.contains, axis=1, position=2),
    "dml.Window.source": lambda: call(WINDOW.source, output_index=(1, 1)),
    "dml.Window.output": lambda: call(WINDOW.output, index=(1, 1)),
    "dml.Window.result": lambda: call(WINDOW.result, layout=LAYOUT),
    "dml.Window.inside": lambda: call(WINDOW.inside, layout=LAYOUT),
    "dml.Violation": lambda: call(dml.Violation, rule="list", path="a", found="b", expected="c", fix=None),
    "dml.Violation.text": lambda: call(VIOLATION.text, spelling=None),
    "dml.Violation.to_json": lambda: call(VIOLATION.to_json, spelling=None),
    **{
        f"dml.{cls.__name__}": lambda cls=cls: call(cls, violations=[VIOLATION, VIOLATION], subject="x")
        for cls in (
            *(dml.DmlError, dml.BindingError, dml.InvalidDescriptionError, dml.ModelError, dml.OutOfMemoryError),
            dml.UnsupportedError,
        )
    },
}


def _subject() -> Any:
    from anydml.view.subject import Subject

    return Subject.of(TENSOR)
