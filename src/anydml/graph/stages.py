"""A graph on its way to a plan: the plan as it was lowered, and after each pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from anydml.core.errors import counted
from anydml.graph.graph import ConstantNode, Graph
from anydml.graph.lower import Claims, lower
from anydml.graph.passes import PASSES, Expand, Passes
from anydml.graph.plan import Plan

_DOES = {
    "lower": "turn every operator into steps of its own",
    **{each.name: each.does for each in PASSES},
    "memory": "give every temporary result its place in one arena",
}


@dataclass(frozen=True)
class Stage:
    """The plan after one pass."""

    name: str
    plan: Plan
    is_changed: bool

    @property
    def does(self) -> str:
        return _DOES[self.name]

    def describe(self) -> str:
        """What the pass made of the plan, in words."""
        if not self.is_changed:
            return f"{self.name}: nothing to do"
        heading, *lines = self.plan.describe().splitlines()
        return "\n".join([f"{self.name} ({self.does}): {heading.rpartition(': ')[2]}", *lines])


def trace(graph: Graph, passes: Passes, expand: Expand | None = None, claims: Claims | None = None) -> list[Stage]:
    """Every stage, the lowered plan first."""
    plan = lower(graph) if claims is None else lower(graph, claims)
    stages = [Stage("lower", plan, True)]
    for name, after in passes.trace(plan, expand):
        stages.append(Stage(name, after, after != plan))
        plan = after
    return stages


def describe_stages(graph: Graph, stages: list[Stage]) -> str:
    """The graph, then the plan at each stage."""
    return "\n".join([f"graph of {graph.describe()}", *(stage.describe() for stage in stages)]) + "\n"


# For machines


def as_data(graph: Graph, stages: list[Stage]) -> dict[str, Any]:
    return {"graph": _graph(graph), "stages": [_stage(stage) for stage in stages]}


def _graph(graph: Graph) -> dict[str, Any]:
    return {
        "inputs": list(graph.input_names),
        "outputs": list(graph.output_names),
        "nodes": list(_nodes(graph)),
        "input_edges": [vars(edge) for edge in graph.input_edges],
        "output_edges": [vars(edge) for edge in graph.output_edges],
        "intermediate_edges": [vars(edge) for edge in graph.intermediate_edges],
        "order": list(graph.order),
    }


def _nodes(graph: Graph) -> Iterator[dict[str, Any]]:
    for node in graph.nodes:
        if isinstance(node, ConstantNode):
            yield {"operator": None, "name": node.name, "size_in_bytes": int(node.data.size)}
        else:
            yield {"operator": node.operator.dml_type, "name": node.name}


def _stage(stage: Stage) -> dict[str, Any]:
    plan = stage.plan
    return {
        "name": stage.name,
        "does": stage.does,
        "changed": stage.is_changed,
        "steps": [step.describe(plan.shown_name_of) for step in plan.steps],
        "initialize": [step.describe(plan.shown_name_of) for step in plan.initialize],
        "slots": [_slot(plan, number) for number in range(len(plan.slots))],
        "temporary_size_in_bytes": plan.temporary_size_in_bytes,
        "persistent_size_in_bytes": plan.persistent_size_in_bytes,
    }


def _slot(plan: Plan, number: int) -> dict[str, Any]:
    slot = plan.slots[number]
    return {
        "name": plan.name_of(number),
        "kind": slot.kind.value,
        "size_in_bytes": slot.size_in_bytes,
        "offset": slot.offset,
    }


def summary(stages: list[Stage]) -> str:
    """How many steps there were, and are."""
    return f"{counted(len(stages[0].plan.steps), 'step')} before the passes, {len(stages[-1].plan.steps)} after"
