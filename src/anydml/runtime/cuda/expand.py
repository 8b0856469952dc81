"""Programs replaced by steps of the device's own: products, convolutions, reductions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from anydml.core.steps import Program, Step
from anydml.graph.plan import Plan
from anydml.runtime.cuda.convolutions import expand_convolution
from anydml.runtime.cuda.products import expand_gemm
from anydml.runtime.cuda.workspace import Workspace


def expand(plan: Plan, driver: Any) -> Plan:
    """The plan with programs replaced where there are kernels for them."""
    workspace = Workspace(plan)
    steps: list[Step] = []
    for step in plan.steps:
        made = _expanded(step, workspace, driver) if isinstance(step, Program) else None
        steps += [step] if made is None else made
    return replace(plan, slots=tuple(workspace.slots), steps=tuple(steps))


def _expanded(program: Program, workspace: Workspace, driver: Any) -> Sequence[Step] | None:
    kept = len(workspace.slots)
    made: Sequence[Step] | None = None
    if program.operator.dml_type == "GEMM" and driver.blas is not None:
        made = expand_gemm(program, workspace)
    if program.operator.dml_type == "CONVOLUTION" and driver.blas is not None:
        made = expand_convolution(program, workspace, driver.dnn)
    if made is None:
        del workspace.slots[kept:]
    return made
