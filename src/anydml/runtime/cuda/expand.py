"""Programs replaced by steps of the device's own: products, convolutions, reductions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from anydml.core.steps import Program, Step
from anydml.graph.plan import Plan
from anydml.runtime.cuda.convolutions import expand_convolution
from anydml.runtime.cuda.products import expand_gemm
from anydml.runtime.cuda.reductions import expand_normalization, expand_pooling, expand_reduce, expand_softmax
from anydml.runtime.cuda.workspace import Workspace

_EXPANDERS: dict[str, Callable[[Program, Workspace], Sequence[Step] | None]] = {
    "REDUCE": expand_reduce,
    "ACTIVATION_SOFTMAX": expand_softmax,
    "ACTIVATION_SOFTMAX1": expand_softmax,
    "ACTIVATION_LOG_SOFTMAX": expand_softmax,
    "ACTIVATION_LOG_SOFTMAX1": expand_softmax,
    "MEAN_VARIANCE_NORMALIZATION2": expand_normalization,
    "MAX_POOLING2": expand_pooling,
    "AVERAGE_POOLING1": expand_pooling,
}


def expand(plan: Plan, driver: Any) -> Plan:
    """The plan with programs replaced where there are kernels for them."""
    workspace = Workspace(plan)
    steps: list[Step] = []
    for step in plan.steps:
        made = _expanded(step, workspace, driver) if isinstance(step, Program) else None
        steps += [step] if made is None else made
    return replace(plan, slots=tuple(workspace.slots), steps=tuple(steps))


def _expanded(program: Program, workspace: Workspace, driver: Any) -> Sequence[Step] | None:
    kept, name = len(workspace.slots), program.operator.dml_type
    made: Sequence[Step] | None = None
    if name in _EXPANDERS:
        made = _EXPANDERS[name](program, workspace)
    elif name == "GEMM" and driver.blas is not None:
        made = expand_gemm(program, workspace)
    elif name == "CONVOLUTION" and driver.blas is not None:
        made = expand_convolution(program, workspace, driver.dnn)
    if made is None:
        del workspace.slots[kept:]
    return made
