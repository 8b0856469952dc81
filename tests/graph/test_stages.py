"""The stages of a plan: they are those that compiling goes through, and tell of every change."""

from __future__ import annotations

import json
from random import Random

import numpy as np
import pytest

import anydml as dml
from anydml.graph.passes import Passes, pass_names
from anydml.graph.stages import Stage, as_data, describe_stages, summary, trace
from anydml.view.graph import stages_to_svg
from tests.graph.generate import random_graph
from tests.graph.test_passes import preprocessing
from tests.view.test_graph import texts


def by_name(stages: list[Stage]) -> dict[str, Stage]:
    return {stage.name: stage for stage in stages}


def test_stages__are_lowering_the_passes_and_memory() -> None:
    stages = trace(preprocessing(), Passes())
    assert [stage.name for stage in stages] == ["lower", *pass_names(), "memory"]
    assert all(stage.does for stage in stages)


def test_switched_off_passes__are_no_stages() -> None:
    names = [stage.name for stage in trace(preprocessing(), Passes.without("fuse", "hoist"))]
    assert "fuse" not in names and "hoist" not in names and "forward" in names


def test_preprocessing__becomes_one_step() -> None:
    """Crop, flip, transpose, convert, scale and convert: movement becomes strides, then formulas are fused."""
    stages = by_name(trace(preprocessing(), Passes()))
    assert len(stages["lower"].plan.steps) == 6
    assert len(stages["forward"].plan.steps) == 3 and stages["forward"].is_changed
    assert len(stages["fuse"].plan.steps) == 1 and stages["fuse"].is_changed
    assert not stages["prune"].is_changed
    assert summary(list(stages.values())) == "6 steps before the passes, 1 after"


def test_words__have_every_step_of_changed_stages() -> None:
    graph = preprocessing()
    stages = trace(graph, Passes())
    text = describe_stages(graph, stages)
    for stage in stages:
        for step in stage.plan.steps:
            assert step.describe(stage.plan.name_of) in text
        assert (f"{stage.name}: nothing to do" in text) == (not stage.is_changed)


def test_data__is_json_and_adds_up() -> None:
    graph = preprocessing()
    data = json.loads(json.dumps(as_data(graph, trace(graph, Passes()))))
    assert [node["operator"] for node in data["graph"]["nodes"]][:2] == ["SLICE1", "SLICE1"]
    assert len(data["stages"][0]["steps"]) == 6
    assert data["stages"][-1]["temporary_size_in_bytes"] == 0
    assert {slot["kind"] for slot in data["stages"][0]["slots"]} == {"input", "output", "temporary"}


def test_constants__are_nodes_without_an_operator() -> None:
    x = dml.TensorDesc("FLOAT32", [4])
    add = dml.ElementWiseAdd(a_tensor=x, b_tensor=x)
    graph = dml.Graph([add, dml.ConstantNode(np.ones(4, np.float32), "one")], [(0, 0, 0)], [(0, 0, 0)], [(1, 0, 0, 1)])
    assert as_data(graph, trace(graph, Passes()))["graph"]["nodes"][1] == {
        "operator": None,
        "name": "one",
        "size_in_bytes": 16,
    }


def test_picture__has_a_panel_for_every_change() -> None:
    graph = preprocessing()
    stages = trace(graph, Passes())
    found = texts(stages_to_svg(graph, stages))
    assert [text for text in found if text.endswith(("step", "steps"))] == [
        "lower: 6 steps",
        "forward: 3 steps",
        "fuse: 1 step",
    ]
    assert found.count("copy") == 3 and found.count("nest") == 3 + 3 + 1


def test_picture__of_owned_inputs_and_programs() -> None:
    """What runs once is marked, and programs are called after their operators."""
    x = dml.TensorDesc("FLOAT32", [2, 2])
    weights = dml.TensorDesc("FLOAT32", [2, 2], flags="OWNED_BY_DML")
    owned = dml.Graph([dml.Gemm(a_tensor=x, b_tensor=weights)], [(0, 0, 0), (1, 0, 1)], [(0, 0, 0)])
    found = texts(stages_to_svg(owned, trace(owned, Passes())))
    assert "copy (once)" in found and "GEMM" in found


@pytest.mark.parametrize("seed", range(40))
def test_last_stage__is_the_plan_that_runs(seed: int) -> None:
    graph, _ = random_graph(Random(seed), 6)
    compiled = dml.Device().compile_graph(graph)
    backend = dml.Device().backend
    last = trace(graph, Passes(), backend.expand, backend.claims)[-1].plan
    assert last.describe() == compiled.plan.describe()
